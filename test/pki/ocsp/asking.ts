import { expect } from "vitest";
import { fromHex, toBase64 } from "../../../src/base/bytes.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { verifySignature } from "../../../src/x509/public-key.ts";
import { parseCertificate, type Certificate } from "../../../src/x509/certificate.ts";
import {
  encodeCertId,
  encodeOcspRequest,
  type IssuerHash,
} from "../../../src/x509/ocsp-request.ts";
import {
  parseOcspResponse,
  signedAnswers,
  type SignedAnswers,
  type OcspFailure,
} from "../../../src/x509/ocsp-response.ts";
import type { Answer, Authority } from "../../support/authority.ts";

export const certificateIn = (pem: string): Certificate =>
  parseCertificate(decodePem(pem)[0]?.der ?? new Uint8Array());
const serialIn = (serial: string): Uint8Array => fromHex(serial.replaceAll(":", ""));

/** Issuer and serial number of a certificate to request the status of. */
export interface Wanted {
  /** PEM. */
  readonly issuer: string;
  /** In the notation of the API. */
  readonly serial: string;
  readonly hash?: IssuerHash;
}
export const certIdOf = ({ issuer, serial, hash = "SHA-1" }: Wanted): Promise<Uint8Array> =>
  encodeCertId(hash, certificateIn(issuer), serialIn(serial));
/** Returns a request for one certificate. */
export const requestFor = async (wanted: Wanted, nonce?: Uint8Array): Promise<Uint8Array> =>
  encodeOcspRequest([await certIdOf(wanted)], nonce);

export const requestType = "application/ocsp-request";
/** Sends an encoded request. */
export const send = (
  a: Authority,
  request: Uint8Array | string,
  path = "pki/ocsp",
  type = requestType,
): Promise<Answer> =>
  a.call("POST", path, request, { token: "", header: { "content-type": type } });
/** Returns the path of a GET request. */
export const getPath = (request: Uint8Array, at = "pki/ocsp"): string =>
  `${at}/${toBase64(request).replaceAll("+", "%2B").replaceAll("/", "%2F").replaceAll("=", "%3D")}`;

/** Parses a response and verifies its signature with the key of an issuer. */
export async function signedBy(answer: Answer, issuer: string): Promise<SignedAnswers> {
  expect([answer.status, answer.headers.get("content-type")]).toEqual([
    200,
    "application/ocsp-response",
  ]);
  const read = signedAnswers(answer.bytes);
  const { spki } = certificateIn(issuer);
  expect(await verifySignature(spki, read.algorithm, read.tbs, read.signature)).toBe(true);
  return read;
}
/** Returns the status of one certificate, signed by its issuer unless another one is named. */
export async function statusOf(
  a: Authority,
  wanted: Wanted,
  signer = wanted.issuer,
): Promise<SignedAnswers["answers"][number]["status"]> {
  const { answers } = await signedBy(await send(a, await requestFor(wanted)), signer);
  expect(answers).toHaveLength(1);
  return answers[0]?.status ?? "unknown";
}
/** Returns the error status of a response, with its HTTP status. */
export function failureOf(answer: Answer): readonly [number, OcspFailure] {
  expect(answer.headers.get("content-type")).toBe("application/ocsp-response");
  const response = parseOcspResponse(answer.bytes);
  if (!("failure" in response)) throw new TypeError("there is an answer");
  return [answer.status, response.failure];
}
