import { colonHex } from "../../base/bytes.ts";
import { readDer } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { extensionOid } from "../../x509/oid.ts";
import { timeText } from "../element-text.ts";
import type { ExtensionReaders } from "./reader.ts";

const refuse = (): CaError =>
  new CaError("malformed", "the list of signed certificate timestamps has an invalid length field");

/** Returns a reader of consecutive TLS structures (RFC 5246 section 4). */
function tlsReader(bytes: Uint8Array) {
  let at = 0;
  const readBytes = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw refuse();
    at += length;
    return bytes.subarray(at - length, at);
  };
  const number = (length: number): number =>
    readBytes(length).reduce((sum, byte) => sum * 256 + byte, 0);
  return {
    take: readBytes,
    number,
    vector: () => readBytes(number(2)),
    hasMore: () => at < bytes.length,
  };
}

const hashes = ["no hash", "MD5", "SHA-1", "SHA-224", "SHA-256", "SHA-384", "SHA-512"];
const signatures = ["anonymous", "RSA", "DSA", "ECDSA"];

/** Describes a signed certificate timestamp (RFC 6962 section 3.2): its time, log and signature. */
function timestampLines(bytes: Uint8Array, n: number): readonly string[] {
  const body = tlsReader(bytes);
  const version = body.number(1);
  if (version !== 0)
    return [`Timestamp ${n}: version ${version + 1}, ${colonHex(bytes.subarray(1))}`];
  const log = colonHex(body.take(32));
  const time = timeText(body.number(8));
  const extensions = body.vector();
  const hash = body.number(1);
  const kind = body.number(1);
  const signature = body.vector();
  return [
    `Timestamp ${n}: version 1, ${time}`,
    `Log ID: ${log}`,
    ...(extensions.length > 0 ? [`Extensions: ${colonHex(extensions)}`] : []),
    `Signature: ${signatures[kind] ?? `algorithm ${kind}`} with ${hashes[hash] ?? `hash ${hash}`}, ${colonHex(signature)}`,
  ];
}

function timestampListLines(value: Uint8Array): readonly string[] {
  const all = tlsReader(readDer(value, "signed certificate timestamps").octets("the list"));
  const list = tlsReader(all.vector());
  if (all.hasMore()) throw refuse();
  const lines: string[] = [];
  for (let n = 1; list.hasMore(); n++) lines.push(...timestampLines(list.vector(), n));
  return lines.length > 0 ? lines : ["No timestamp"];
}

function poisonLines(value: Uint8Array): readonly string[] {
  readDer(value, "CT poison").null("the value");
  return ["Present: a precertificate, which is only for Certificate Transparency logs"];
}

/** Readers of Certificate Transparency extensions (RFC 6962 section 3). */
export const transparencyReaders: ExtensionReaders = {
  [extensionOid.ctTimestamps]: timestampListLines,
  "1.3.6.1.4.1.11129.2.4.5": timestampListLines,
  [extensionOid.ctPoison]: poisonLines,
};
