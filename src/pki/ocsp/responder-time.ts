import type { IssuerRow, ResponderRow } from "../../engine/records.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { responderCertificate } from "../issuer/responder.ts";

/** Kind of the job that renews a responder; its id is that of the issuer. */
export const responderJob = "ocsp-responder";

/**
 * When a responder is to be renewed, with a third of its life left: Unix milliseconds; 0 for one
 * that was damaged. Undefined where a new one would not last longer, since it ends with its issuer.
 */
export function renewalAt(issuer: IssuerRow, row: ResponderRow): number | undefined {
  const certificate = responderCertificate(row);
  if (!certificate) return 0;
  const { notBefore, notAfter } = certificate;
  if (notAfter >= certificateOf(issuer).notAfter) return undefined;
  return Math.floor(notAfter - (notAfter - notBefore) / 3) * 1000;
}
