import { equalBytes, toHex, type Bytes } from "../../../src/base/bytes.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import {
  issuerHashes,
  issuerHashOf,
  parseOcspRequest,
  type CertId,
} from "../../../src/x509/ocsp-request.ts";
import {
  parseOcspResponse,
  type OcspAnswer,
  type SignedAnswers,
  type ResponderId,
} from "../../../src/x509/ocsp-response.ts";
import { nameText } from "../../../src/x509/name.ts";
import { reasonName } from "./crl-entries.ts";
import { moment, readCertificate, type CertificateView } from "./decode.ts";
import { bareHex, groups } from "../hex-text.ts";
import { signatureName } from "./signature-name.ts";
import { visible } from "../visible-text.ts";
import type { Certificate } from "../../../src/x509/certificate.ts";

/** The status of a certificate in an OCSP response. */
export interface AnswerView {
  /** The serial number in hexadecimal. */
  readonly serial: string;
  readonly certId: CertId;
  readonly state: "good" | "revoked" | "unknown";
  readonly revoked: Date | undefined;
  readonly reason: string;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date | undefined;
}

/** A signed OCSP response for display. */
export interface OcspView {
  readonly der: Bytes;
  readonly signed: SignedAnswers;
  /** The name of the responder, or the hash of its key. */
  readonly responder: string;
  readonly producedAt: Date;
  readonly answers: readonly AnswerView[];
  /** The nonce in hexadecimal; undefined if there is none. */
  readonly nonce: string | undefined;
  readonly signature: string;
  /** The certificates in the response that could be parsed. */
  readonly certificates: readonly CertificateView[];
}

/** An OCSP response with an error status. */
export interface OcspRefusal {
  readonly der: Bytes;
  /** Name of the status (RFC 6960). */
  readonly failure: string;
}

/** An OCSP request for display. */
export interface OcspRequestView {
  readonly der: Bytes;
  readonly requested: readonly { readonly serial: string; readonly hash: string }[];
  readonly nonce: string | undefined;
}

const serialOf = ({ serial }: CertId): string => bareHex(toHex(serial)).replace(/^00(?=..)/, "");

const nonceOf = ({ nonce }: { readonly nonce?: Uint8Array }): string | undefined =>
  nonce && toHex(nonce);

function answerView({ certId, status, thisUpdate, nextUpdate }: OcspAnswer): AnswerView {
  const revoked = typeof status === "object" ? status : undefined;
  return {
    serial: serialOf(certId),
    certId,
    state: typeof status === "object" ? "revoked" : status,
    revoked: revoked && moment(revoked.revokedAt),
    reason: revoked && revoked.reason > 0 ? reasonName(revoked.reason) : "",
    thisUpdate: moment(thisUpdate),
    nextUpdate: nextUpdate === undefined ? undefined : moment(nextUpdate),
  };
}

const responderWords = (responder: ResponderId): string =>
  "name" in responder
    ? visible(nameText(responder.name))
    : `Key ${groups(toHex(responder.keyHash))}`;

/** Parses a DER OCSP response. Throws `CaError` with the position of the error. */
export async function readOcspResponse(der: Bytes): Promise<OcspView | OcspRefusal> {
  const response = parseOcspResponse(der);
  if ("failure" in response) return { der, failure: response.failure };
  const certificates = response.certificates.map((one) =>
    readCertificate(one).catch(() => undefined),
  );
  return {
    der,
    signed: response,
    responder: responderWords(response.responder),
    producedAt: moment(response.producedAt),
    answers: response.answers.map(answerView),
    nonce: nonceOf(response),
    signature: signatureName(algorithmName(response.algorithm)),
    certificates: (await Promise.all(certificates)).filter((one) => one !== undefined),
  };
}

/** Parses a DER OCSP request. Throws `CaError` with the position of the error. */
export function readOcspRequest(der: Bytes): OcspRequestView {
  const request = parseOcspRequest(der);
  return {
    der,
    requested: request.certIds.map((certId) => ({
      serial: serialOf(certId),
      hash: issuerHashOf(certId.hash) ?? certId.hash,
    })),
    nonce: nonceOf(request),
  };
}

/** Reports whether a CertID contains the hashes of an issuer's name and key. */
export async function namesIssuer(
  { hash, nameHash, keyHash }: CertId,
  certificate: Pick<Certificate, "subject" | "spki">,
): Promise<boolean> {
  const issuerHash = issuerHashOf(hash);
  if (!issuerHash) return false;
  const own = await issuerHashes(issuerHash, certificate);
  return equalBytes(own.nameHash, nameHash) && equalBytes(own.keyHash, keyHash);
}
