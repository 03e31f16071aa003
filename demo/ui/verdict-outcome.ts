import type { IconName } from "./icon.tsx";
import type { Step } from "../lib/issuance-findings.ts";

/** What a verdict comes to. */
export type Outcome =
  | "Would be issued"
  | "Would be refused"
  | "Cannot say"
  | "Asking the authority"
  | "Enter a name to check it";

/**
 * What the steps of a verdict come to. `unsure`: why the page alone cannot say; `busy`: the answer
 * is under way.
 */
export function outcomeOf(steps: readonly Step[], unsure: string, busy: boolean): Outcome {
  if (steps.length === 0) return busy ? "Asking the authority" : "Enter a name to check it";
  if (steps.some(({ allowed }) => !allowed)) return "Would be refused";
  return unsure ? "Cannot say" : "Would be issued";
}

/** What an outcome looks like. */
export const outcomes: Readonly<Record<Outcome, { icon: IconName; look: "yes" | "no" | "" }>> = {
  "Would be issued": { icon: "check", look: "yes" },
  "Would be refused": { icon: "x", look: "no" },
  "Cannot say": { icon: "info", look: "" },
  "Asking the authority": { icon: "info", look: "" },
  "Enter a name to check it": { icon: "info", look: "" },
};

const noIssuer = "a certificate says where its issuer's certificate is";
const noRevocation = "a certificate says where its revocation can be looked up";

/** What people call the findings that nearly every role meets. */
export const lintWords: Readonly<Record<string, string>> = {
  "an EC key enciphers no keys": "keyEncipherment does not apply to EC keys",
  [noIssuer]: "No issuer URL (AIA)",
  [noRevocation]: "No CRL or OCSP URL",
};

/** Findings about addresses that the mount does not have. */
export const withoutAddresses: ReadonlySet<string> = new Set([noIssuer, noRevocation]);
