import type { IconName } from "./icon.tsx";
import type { Step } from "../lib/issuance-findings.ts";

/** The overall outcome of a check. */
export type Outcome =
  | "Would be issued"
  | "Would be denied"
  | "Unknown"
  | "Checking with the server"
  | "Complete the form to check it";

/**
 * Returns the outcome of the steps. `unsure` states why the page cannot decide without the server;
 * empty if it can. `busy` is true while the server's response is pending.
 */
export function outcomeOf(steps: readonly Step[], unsure: string, busy: boolean): Outcome {
  if (steps.length === 0)
    return busy ? "Checking with the server" : "Complete the form to check it";
  if (steps.some(({ allowed }) => !allowed)) return "Would be denied";
  return unsure ? "Unknown" : "Would be issued";
}

/** The icon and color of each outcome. */
export const outcomes: Readonly<Record<Outcome, { icon: IconName; tone: "yes" | "no" | "" }>> = {
  "Would be issued": { icon: "check", tone: "yes" },
  "Would be denied": { icon: "x", tone: "no" },
  Unknown: { icon: "info", tone: "" },
  "Checking with the server": { icon: "info", tone: "" },
  "Complete the form to check it": { icon: "info", tone: "" },
};

/** IDs of the lints that report that a certificate lacks the mount's URLs. */
export const withoutAddresses: ReadonlySet<string> = new Set([
  "issuer-address-missing",
  "revocation-address-missing",
]);
