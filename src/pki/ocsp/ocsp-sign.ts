import type { Scheme, Signer } from "../../engine/ports.ts";
import {
  encodeOcspResponse,
  encodeResponderCertificates,
  encodeResponseData,
  type ResponderId,
  type ResponseFields,
} from "../../x509/ocsp-response.ts";
import { type SigningIssuer, revocationScheme, signDer } from "../issuer/issuer.ts";

/** The signer of OCSP responses, and the certificates that it adds to them. */
export interface Responder {
  readonly signer: Signer;
  readonly scheme: Scheme;
  readonly id: ResponderId;
  /** DER-encoded certificates that clients need in addition to the issuer's certificate. */
  readonly certificates: readonly Uint8Array[];
  /**
   * Expiry of the signer's certificate (Unix seconds), after which its responses must not be valid.
   */
  readonly ends?: number;
}

/**
 * Returns an issuer as its own responder. Responses identify it by its subject and contain no
 * certificates.
 */
export const ownResponder = (issuer: SigningIssuer): Responder => ({
  signer: issuer.signer,
  scheme: responderScheme(revocationScheme(issuer)),
  id: { name: issuer.subject },
  certificates: [],
});
/**
 * Returns the scheme for OCSP responses: PKCS#1 v1.5 instead of RSA-PSS, which many clients do not
 * support (B 2).
 */
export const responderScheme = (scheme: Scheme): Scheme =>
  scheme.name === "RSA-PSS" ? { ...scheme, name: "RSASSA-PKCS1-v1_5" } : scheme;

/**
 * Signs an OCSP response, and returns the OCSPResponse (DER). No other code signs OCSP responses.
 * Throws `unusable_issuer` if the key creates an invalid signature.
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
