import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import type { ResponderRow } from "../../engine/records.ts";
import { parseCertificate, type Certificate } from "../../x509/certificate.ts";

/** The certificate of a responder; undefined where it was damaged. */
export const responderCertificate = memoize(({ der }: ResponderRow): Certificate | undefined => {
  try {
    return parseCertificate(der);
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
});
