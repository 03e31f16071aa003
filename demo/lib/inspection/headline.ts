import type { Life } from "../lifetime.ts";
import type { VerificationExtent, Verification } from "./verify-node.ts";

type Mark = "check" | "info" | "warn" | "x" | "clock";

/** A badge next to a title, with a few words, a color and an icon. */
export interface Remark {
  readonly text: string;
  readonly tone: string;
  /** Name of the badge's icon. */
  readonly mark: Mark;
}

const standings: Readonly<Record<VerificationExtent, readonly [tone: string, mark: Mark]>> = {
  chain: ["ok", "check"],
  pasted: ["", "info"],
  signature: ["", "info"],
  stale: ["warn", "warn"],
  self: ["", "info"],
  unknown: ["", "info"],
  refused: ["danger", "x"],
};

/** Returns the badge for the result of a verification. */
const remarkOn = ({ standing, text }: Verification): Remark => ({
  text,
  tone: standings[standing][0],
  mark: standings[standing][1],
});

const quiet = ({ text, tone, mark }: Remark): Remark =>
  tone === "ok" ? { text, tone: "", mark: "info" } : { text, tone, mark };

/**
 * Returns the badges for a certificate: first its current validity, then its verification. A
 * certificate that is not valid gets no green badge.
 */
export function headline(state: Life, verification: Verification | undefined): readonly Remark[] {
  const worth = verification ? [remarkOn(verification)] : [];
  if (state === "expired")
    return [{ text: "Expired", tone: "danger", mark: "clock" }, ...worth.map(quiet)];
  if (state === "future")
    return [{ text: "Not yet valid", tone: "warn", mark: "clock" }, ...worth.map(quiet)];
  return state === "soon"
    ? [...worth, { text: "Expires soon", tone: "warn", mark: "warn" }]
    : worth;
}

/** Returns the badges for a CRL, which is out of date after its `nextUpdate`. */
export function crlHeadline(
  nextUpdate: Date | undefined,
  now: Date,
  verification: Verification | undefined,
): readonly Remark[] {
  const worth = verification ? [remarkOn(verification)] : [];
  return nextUpdate && nextUpdate < now
    ? [{ text: "Out of date", tone: "warn", mark: "clock" }, ...worth.map(quiet)]
    : worth;
}

/** Returns a phrase that states when a certificate expires, or that it is revoked. */
export const expiryText = (state: Life, distance: string): string =>
  state === "revoked"
    ? "Revoked"
    : state === "valid" || state === "soon"
      ? `Not expired; expires ${distance}`
      : distance;
