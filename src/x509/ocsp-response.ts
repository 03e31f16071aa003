import type { Bytes } from "../base/bytes.ts";
import {
  absent,
  explicit,
  generalizedTime,
  octets,
  oid,
  sequence,
  tlv,
  tlvOf,
} from "../base/der.ts";
import { encodeExtensions } from "./extension.ts";
import { ocspOid } from "./oid.ts";

/** Answers that carry nothing but their code (RFC 6960 section 4.2.1). */
export const ocspFailures = {
  malformedRequest: 1,
  internalError: 2,
  tryLater: 3,
  sigRequired: 5,
  unauthorized: 6,
} as const;
/** Name of such an answer. */
export type OcspFailure = keyof typeof ocspFailures;

/** Whether a certificate is revoked: Unix seconds, and a code of RFC 5280 or 0. */
export type CertStatus =
  | "good"
  | "unknown"
  | { readonly revokedAt: number; readonly reason: number };
/** The status of one certificate. */
export interface SingleResponse {
  /** The certificate as the request names it, DER. */
  readonly certId: Uint8Array;
  readonly status: CertStatus;
}
/** Who signs: by its subject, DER, or by the SHA-1 of its public key. */
export type ResponderId = { readonly name: Uint8Array } | { readonly keyHash: Uint8Array };
/** What a responder signs; times in Unix seconds. */
export interface ResponseFields {
  readonly responder: ResponderId;
  readonly producedAt: number;
  /** Absent: newer information is available at any time. */
  readonly nextUpdate?: number | undefined;
  readonly responses: readonly SingleResponse[];
  /** The request's own. */
  readonly nonce?: Uint8Array | undefined;
}

const good = Uint8Array.of(0x80, 0);
const unknown = Uint8Array.of(0x82, 0);

function encodeStatus(status: CertStatus): Bytes {
  if (status === "good") return good;
  if (status === "unknown") return unknown;
  const { revokedAt, reason } = status;
  // as on a list, `unspecified` is left out
  const given = reason === 0 ? absent : explicit(0, tlv(0x0a, Uint8Array.of(reason)));
  return tlv(0xa1, generalizedTime(revokedAt), given);
}
const encodeResponder = (responder: ResponderId): Bytes =>
  "name" in responder ? explicit(1, responder.name) : explicit(2, octets(responder.keyHash));

/**
 * Encodes what the responder signs: a ResponseData of version 1 whose answers are of the moment it
 * is produced (RFC 6960 section 4.2.1).
 */
export function encodeResponseData(fields: ResponseFields): Bytes {
  const { responder, producedAt, nextUpdate, nonce } = fields;
  const thisUpdate = generalizedTime(producedAt);
  const next = nextUpdate === undefined ? absent : explicit(0, generalizedTime(nextUpdate));
  const responses = fields.responses.map(({ certId, status }) =>
    sequence(certId, encodeStatus(status), thisUpdate, next),
  );
  return sequence(
    encodeResponder(responder),
    thisUpdate,
    tlvOf(0x30, responses),
    nonce ? explicit(1, encodeExtensions([nonceOf(nonce)])) : absent,
  );
}
const nonceOf = (nonce: Uint8Array) => ({
  oid: ocspOid.nonce,
  critical: false,
  value: octets(nonce),
});

/** Certificates that stand behind a signature: those that a verifier needs beside the issuer's. */
export const encodeResponderCertificates = (certificates: readonly Uint8Array[]): Bytes =>
  certificates.length === 0 ? absent : explicit(0, tlvOf(0x30, certificates));

const successful = tlv(0x0a, Uint8Array.of(0));
const basicResponse = oid(ocspOid.basicResponse);
/** An answer, DER, of a signed BasicOCSPResponse. */
export const encodeOcspResponse = (basic: Uint8Array): Bytes =>
  sequence(successful, explicit(0, sequence(basicResponse, octets(basic))));

/** An answer that tells only why there is none, DER. */
export const encodeOcspFailure = (why: OcspFailure): Bytes =>
  sequence(tlv(0x0a, Uint8Array.of(ocspFailures[why])));
