import type { CrlConfig } from "./crl-config.ts";
import type { RevokeInput } from "../../src/client/pki.ts";

/** A revocation reason in the API; empty if none is given. */
export type Reason = NonNullable<RevokeInput["reason"]> | "";

const words: Readonly<Record<string, string>> = {
  keyCompromise: "key compromise",
  cACompromise: "CA compromise",
  affiliationChanged: "affiliation changed",
  cessationOfOperation: "cessation of operation",
  certificateHold: "on hold",
  privilegeWithdrawn: "privilege withdrawn",
  aACompromise: "AA compromise",
};
/** Returns the words for a revocation reason (RFC 5280). */
export const reasonWords = (reason: string): string => words[reason] ?? reason;

/** The revocation reasons that users can choose. */
export const reasonChoices: readonly (readonly [Reason, string])[] = [
  ["", "No reason given"],
  ["superseded", "Superseded: another certificate replaces this one"],
  ["keyCompromise", "Key compromise: somebody else may have the private key"],
  ["cessationOfOperation", "Cessation of operation: the server or user no longer exists"],
  ["affiliationChanged", "Affiliation changed: the subject or organization has changed"],
];

/**
 * Returns what to say after a revocation: the result, and when clients learn of it if the settings
 * are known.
 */
export function revocationText(result: string, lists: CrlConfig | null): string {
  return `${result}.${lists === null ? "" : ` ${publicationText(lists)}`}`;
}

function publicationText(lists: CrlConfig): string {
  const answers = lists.ocsp_disable === false;
  if (lists.disable) return `CRLs are disabled${answers ? "; OCSP already reports it" : ""}`;
  if (lists.auto_rebuild)
    return `Will be on the next CRL${answers ? "; OCSP already reports it" : ""}`;
  return `Now on the CRL${answers ? " and in OCSP" : ""}`;
}
