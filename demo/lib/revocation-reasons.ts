import type { CrlConfig, Reason } from "../api/pki.ts";

const reasons: readonly Reason[] = [
  "superseded",
  "keyCompromise",
  "cessationOfOperation",
  "affiliationChanged",
];

/** The revocation reasons that can be chosen. */
export const reasonChoices: readonly (readonly [Reason, string])[] = [
  ["", "No reason given"],
  ...reasons.map((value) => [value, value] as const),
];

/** States when clients learn of a revocation. */
export function publicationText(lists: CrlConfig | undefined): string {
  const answers = lists?.ocsp_disable === false;
  if (lists?.disable) return `CRLs are disabled${answers ? "; already in OCSP" : ""}`;
  if (lists?.auto_rebuild) return `Will be on the next CRL${answers ? "; already in OCSP" : ""}`;
  return `Now on the CRL${answers ? " and in OCSP" : ""}`;
}
