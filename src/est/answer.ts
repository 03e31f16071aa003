import { toBase64 } from "../base/bytes.ts";
import type { RawReply } from "../wire/endpoint.ts";

/** Encodes DER for EST clients: base64 in lines of 64 characters (RFC 8951). */
export function base64Reply(type: string, der: Uint8Array): RawReply {
  return { type, bytes: `${toBase64(der).replace(/.{64}(?=.)/g, "$&\n")}\n` };
}
/** Media type of a certs-only PKCS#7 response. */
export const certificatesType = "application/pkcs7-mime; smime-type=certs-only";
