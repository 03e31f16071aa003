import type { Scheme, Signer } from "../../engine/ports.ts";
import {
  encodeOcspResponse,
  encodeResponderCertificates,
  encodeResponseData,
  type ResponderId,
  type ResponseFields,
} from "../../x509/ocsp-response.ts";
import { type SigningIssuer, revocationScheme, signDer } from "../issuer/issuer.ts";

/** The signer of OCSP responses, and its additions to them. */
export interface Responder {
  readonly signer: Signer;
  readonly scheme: Scheme;
  readonly id: ResponderId;
  /** Certificates that a client needs besides the issuer's, DER. */
  readonly certificates: readonly Uint8Array[];
  /** Expiry of the signer's certificate (Unix seconds), which limits the responses. */
  readonly ends?: number;
}

/**
 * Returns an issuer as its own responder, identified by its subject, without further certificates.
 */
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
 * Signs an OCSP response; no other code signs OCSP responses. Returns the DER of an OCSPResponse.
 * Throws `unusable_issuer` if the signature does not verify.
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
