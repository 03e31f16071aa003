import type { Bytes } from "../base/bytes.ts";
import {
  absentPart,
  explicit,
  generalizedTime,
  octets,
  oid,
  sequence,
  tlv,
  tlvOf,
  each,
  readDer,
  type Reader,
} from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { encodeExtensions } from "./extension.ts";
import { readCertId, readKnownExtensions, readNonce, type CertId } from "./ocsp-request.ts";
import { ocspOid } from "./oid.ts";

/** Status codes of responses that contain only a status (RFC 6960 section 4.2.1). */
export const ocspFailures = {
  malformedRequest: 1,
  internalError: 2,
  tryLater: 3,
  sigRequired: 5,
  unauthorized: 6,
} as const;
/** Name of the status of a response that contains only a status. */
export type OcspFailure = keyof typeof ocspFailures;

/**
 * The status of a certificate. `revokedAt` is in Unix seconds, and `reason` is a code of RFC 5280
 * section 5.3.1.
 */
export type CertStatus =
  | "good"
  | "unknown"
  | { readonly revokedAt: number; readonly reason: number };
/** The status of one certificate. */
interface SingleResponse {
  /** DER-encoded CertID, as sent in the request. */
  readonly certId: Uint8Array;
  readonly status: CertStatus;
}
/** The responder, identified by its subject (DER) or by the SHA-1 hash of its public key. */
export type ResponderId = { readonly name: Uint8Array } | { readonly keyHash: Uint8Array };
/** The signed fields of a response. Times are in Unix seconds. */
export interface ResponseFields {
  readonly responder: ResponderId;
  readonly producedAt: number;
  /** The nextUpdate time. If absent, newer information is available at any time. */
  readonly nextUpdate?: number | undefined;
  readonly responses: readonly SingleResponse[];
  /** The nonce of the request. */
  readonly nonce?: Uint8Array | undefined;
}

const good = Uint8Array.of(0x80, 0);
const unknown = Uint8Array.of(0x82, 0);

function encodeStatus(status: CertStatus): Bytes {
  if (status === "good") return good;
  if (status === "unknown") return unknown;
  const { revokedAt, reason } = status;
  // the reason `unspecified` is omitted, as in CRLs
  const reasonPart = reason === 0 ? absentPart : explicit(0, tlv(0x0a, Uint8Array.of(reason)));
  return tlv(0xa1, generalizedTime(revokedAt), reasonPart);
}
const encodeResponder = (responder: ResponderId): Bytes =>
  "name" in responder ? explicit(1, responder.name) : explicit(2, octets(responder.keyHash));

/**
 * Encodes a version 1 ResponseData in which `thisUpdate` of each status is `producedAt` (RFC 6960
 * section 4.2.1).
 */
export function encodeResponseData(fields: ResponseFields): Bytes {
  const { responder, producedAt, nextUpdate, nonce } = fields;
  const thisUpdate = generalizedTime(producedAt);
  const next = nextUpdate === undefined ? absentPart : explicit(0, generalizedTime(nextUpdate));
  const responses = fields.responses.map(({ certId, status }) =>
    sequence(certId, encodeStatus(status), thisUpdate, next),
  );
  return sequence(
    encodeResponder(responder),
    thisUpdate,
    tlvOf(0x30, responses),
    nonce ? explicit(1, encodeExtensions([nonceOf(nonce)])) : absentPart,
  );
}
const nonceOf = (nonce: Uint8Array) => ({
  oid: ocspOid.nonce,
  critical: false,
  value: octets(nonce),
});

/**
 * Encodes the certificates that a verifier of a response needs in addition to the issuer's
 * certificate.
 */
export const encodeResponderCertificates = (certificates: readonly Uint8Array[]): Bytes =>
  certificates.length === 0 ? absentPart : explicit(0, tlvOf(0x30, certificates));

const successful = tlv(0x0a, Uint8Array.of(0));
const basicResponse = oid(ocspOid.basicResponse);
/** Encodes a response with a signed BasicOCSPResponse. */
export const encodeOcspResponse = (basic: Uint8Array): Bytes =>
  sequence(successful, explicit(0, sequence(basicResponse, octets(basic))));

/** Encodes a response that contains only a failure status. */
export const encodeOcspFailure = (why: OcspFailure): Bytes =>
  sequence(tlv(0x0a, Uint8Array.of(ocspFailures[why])));

/** A parsed SingleResponse, the status of one certificate. Times are in Unix seconds. */
export interface OcspAnswer {
  readonly certId: CertId;
  readonly status: CertStatus;
  readonly thisUpdate: number;
  readonly nextUpdate?: number;
}
/** A parsed BasicOCSPResponse. Byte arrays are views of the input. */
export interface SignedAnswers {
  readonly tbs: Uint8Array;
  readonly responder: ResponderId;
  readonly producedAt: number;
  readonly answers: readonly OcspAnswer[];
  readonly nonce?: Uint8Array;
  readonly algorithm: Uint8Array;
  readonly signature: Uint8Array;
  /** DER-encoded certificates that the response includes. */
  readonly certificates: readonly Uint8Array[];
}
/** A parsed OCSP response: a signed response, or a failure status. */
type OcspResponse = SignedAnswers | { readonly failure: OcspFailure };

/**
 * Parses an OCSP response strictly (RFC 6960 section 4.2). Does not verify its signature. Throws
 * `CaError` `malformed`.
 */
export function parseOcspResponse(der: Uint8Array): OcspResponse {
  const outer = readDer(der, "OCSP response").enter("OCSPResponse");
  const code = outer.number("the status", 0x0a);
  const tagged = outer.optional("the bytes", 0xa0);
  outer.end();
  if (code !== 0) {
    // the keys of the table are the names of the codes
    const names = Object.keys(ocspFailures) as OcspFailure[];
    const failure = names.find((name) => ocspFailures[name] === code);
    if (!failure || tagged) throw outer.refuse(`the status ${code} is unknown`);
    return { failure };
  }
  if (!tagged) throw outer.refuse("responseStatus is successful, but responseBytes is missing");
  const bytes = tagged.enter("ResponseBytes");
  tagged.end();
  const type = bytes.oid("the type");
  if (type !== ocspOid.basicResponse)
    throw bytes.refuse(`unsupported responseType ${type}: only id-pkix-ocsp-basic is supported`);
  const basic = bytes.octets("the answer");
  bytes.end();
  return readBasic(basic);
}

function readBasic(der: Uint8Array): SignedAnswers {
  const basic = readDer(der, "OCSP response").enter("BasicOCSPResponse");
  const { der: tbs } = basic.element("ResponseData", 0x30);
  const algorithm = basic.raw("the signature algorithm", 0x30);
  const signature = basic.wholeBits("the signature");
  const certificates: Uint8Array[] = [];
  const tagged = basic.optional("the certificates", 0xa0);
  if (tagged) {
    each(tagged.enter("the certificates"), (list) =>
      certificates.push(list.raw("a certificate", 0x30)),
    );
    tagged.end();
  }
  basic.end();
  const data = readData(readDer(tbs, "OCSP response").enter("ResponseData"));
  return { tbs, ...data, algorithm, signature, certificates };
}

function readData(data: Reader): Omit<SignedAnswers, "tbs" | keyof Signature> {
  const version = data.optional("the version", 0xa0);
  if (version && version.number("the version") !== 0) throw data.refuse("the version is not 1");
  version?.end();
  const responder = readResponder(data);
  const producedAt = data.generalizedTime("the time");
  const answers: OcspAnswer[] = [];
  each(data.enter("the answers"), (list) => answers.push(readAnswer(list)));
  const nonce = readNonce(readKnownExtensions(data, "the extensions", 0xa1));
  data.end();
  return { responder, producedAt, answers, ...(nonce ? { nonce } : {}) };
}
type Signature = Pick<SignedAnswers, "algorithm" | "signature" | "certificates">;

function readResponder(data: Reader): ResponderId {
  const byName = data.optional("the responder", 0xa1);
  const tagged = byName ?? data.enter("the responder", 0xa2);
  const responder = byName
    ? { name: byName.raw("its name", 0x30) }
    : { keyHash: tagged.octets("the hash of its key") };
  tagged.end();
  return responder;
}

function readAnswer(list: Reader): OcspAnswer {
  const one = list.enter("an answer");
  const certId = readCertId(one);
  const status = readStatus(one);
  const thisUpdate = one.generalizedTime("thisUpdate");
  const tagged = one.optional("nextUpdate", 0xa0);
  const nextUpdate = tagged?.generalizedTime("nextUpdate");
  tagged?.end();
  readKnownExtensions(one, "the extensions of a single response", 0xa1);
  one.end();
  return { certId, status, thisUpdate, ...(nextUpdate === undefined ? {} : { nextUpdate }) };
}

function readStatus(one: Reader): CertStatus {
  const revoked = one.optional("RevokedInfo", 0xa1);
  if (!revoked) {
    const { tag, content } = one.element("the status");
    if (content.length > 0 || (tag !== 0x80 && tag !== 0x82))
      throw one.refuse("the status is neither good, revoked nor unknown");
    return tag === 0x80 ? "good" : "unknown";
  }
  const revokedAt = revoked.generalizedTime("the time of revocation");
  const reasonPart = revoked.optional("the reason", 0xa0);
  const reason = reasonPart?.number("the reason", 0x0a) ?? 0;
  reasonPart?.end();
  revoked.end();
  return { revokedAt, reason };
}

/**
 * Parses a signed OCSP response. Throws `CaError` `malformed` if it cannot be parsed or its status
 * is not `successful`.
 */
export function signedAnswers(der: Uint8Array): SignedAnswers {
  const response = parseOcspResponse(der);
  if ("failure" in response) throw new CaError("malformed", `OCSP response: ${response.failure}`);
  return response;
}
