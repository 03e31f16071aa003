import type { CrlConfig } from "../pki.ts";

const reasons = ["superseded", "keyCompromise", "cessationOfOperation", "affiliationChanged"];

/** Reasons of a revocation to choose from. */
export const reasonChoices = [
  ["", "No reason given"],
  ...reasons.map((value) => [value, value] as const),
] as const;

/** When clients can know of a revocation. */
export const whenKnown = (lists: CrlConfig | undefined): string =>
  lists?.disable
    ? "CRLs are switched off"
    : lists?.auto_rebuild
      ? "On the next CRL"
      : "On the CRL now";
