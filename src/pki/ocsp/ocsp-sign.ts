import type { Scheme, Signer } from "../../engine/ports.ts";
import {
  encodeOcspResponse,
  encodeResponderCertificates,
  encodeResponseData,
  type ResponderId,
  type ResponseFields,
} from "../../x509/ocsp-response.ts";
import { type SigningIssuer, revocationScheme } from "../issuer/issuer.ts";
import { signDer } from "../issuer/signature.ts";

/** Who signs answers, and what stands with them. */
export interface Responder {
  readonly signer: Signer;
  readonly scheme: Scheme;
  readonly id: ResponderId;
  /** Certificates that a verifier needs beside the issuer's, DER. */
  readonly certificates: readonly Uint8Array[];
  /** When the signer's own certificate ends, Unix seconds: no answer lasts longer. */
  readonly ends?: number;
}

/** An issuer that signs for itself: named by its subject, and nothing to be sent along. */
export const ownResponder = (issuer: SigningIssuer): Responder => ({
  signer: issuer.signer,
  scheme: responderScheme(revocationScheme(issuer)),
  id: { name: issuer.subject },
  certificates: [],
});
/** Many clients do not support RSA-PSS, so OCSP responses use PKCS #1 v1.5 instead (B 2). */
export const responderScheme = (scheme: Scheme): Scheme =>
  scheme.name === "RSA-PSS" ? { ...scheme, name: "RSASSA-PKCS1-v1_5" } : scheme;

/**
 * Signs an OCSP answer: the only code that does. Returns an OCSPResponse, DER. Throws
 * `unusable_issuer` when the key makes a signature that does not verify.
 */
export async function signOcsp(
  { signer, scheme, id, certificates, ends = Infinity }: Responder,
  answers: Omit<ResponseFields, "responder">,
): Promise<Uint8Array> {
  const { nextUpdate } = answers;
  const until = nextUpdate === undefined ? undefined : Math.min(nextUpdate, ends);
  const tbs = encodeResponseData({ ...answers, nextUpdate: until, responder: id });
  const basic = await signDer(signer, scheme, tbs, encodeResponderCertificates(certificates));
  return encodeOcspResponse(basic);
}
