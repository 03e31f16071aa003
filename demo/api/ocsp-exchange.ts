import { toHex, type Bytes } from "../../src/base/bytes.ts";
import { requestOf } from "./endpoint.ts";
import * as pki from "./endpoints/pki.ts";
import { exchange } from "./transport.ts";
import { encodeOcspQuery, type OcspQuery } from "../lib/x509/ocsp-query.ts";
import { readOcspResponse, type OcspRefusal, type OcspView } from "../lib/x509/ocsp-view.ts";
import { place } from "../lib/place.ts";

/** An OCSP request and its response. */
export interface OcspExchange {
  readonly question: OcspQuery;
  readonly request: Bytes;
  /** The nonce in hexadecimal; undefined if none was sent. */
  readonly nonce: string | undefined;
  readonly answer: OcspView | OcspRefusal;
}

const nonceLength = 32;

/** Sends an OCSP request to the responder of the current mount. */
export async function askOcsp(question: OcspQuery): Promise<OcspExchange> {
  const nonce = question.nonce ? crypto.getRandomValues(new Uint8Array(nonceLength)) : undefined;
  const request = await encodeOcspQuery(question, nonce);
  const { path } = requestOf(pki.askOcsp, {}, place.get().mount);
  const der = await exchange(path, "application/ocsp-request", request);
  const answer = await readOcspResponse(der);
  return { question, request, nonce: nonce && toHex(nonce), answer };
}

/** Returns the URL of the responder for shell commands. */
export function responderUrl(): string {
  const { kind, base, mount: at } = place.get();
  return `${kind === "browser" ? "$SEALWRIGHT" : base}/v1/${at}/ocsp`;
}
