import { asBytes, concat, type Bytes } from "../base/bytes.ts";
import { TlsError, violation } from "./tls-error.ts";
import { expandLabel } from "./tls-hash.ts";
import type { Suite, TlsVersion } from "./tls-suites.ts";
import { uint } from "./tls-wire.ts";

/** Numbers of the record types. */
export const recordType = {
  changeCipherSpec: 20,
  alert: 21,
  handshake: 22,
  application: 23,
} as const;
/** A decrypted record. */
export interface TlsRecord {
  readonly type: number;
  readonly body: Uint8Array;
}
/** Maximum length of a record's plaintext in bytes (RFC 8446 section 5.1). */
export const maxPlainBytes = 2 ** 14;
/** Maximum number of records per key, far below the limit of AES-GCM (RFC 8446 section 5.5). */
const maxRecords = 2 ** 24;
const tagLength = 16;

/** A function that encrypts records, which are numbered in the order of the calls. */
export type Sealer = (type: number, body: Uint8Array) => Promise<Uint8Array>;
/** A decrypter of received records. */
export interface Opener {
  readonly version: TlsVersion;
  /** Maximum length of an encrypted record in bytes. */
  readonly maxBytes: number;
  open(header: Uint8Array, body: Uint8Array): Promise<TlsRecord>;
}

/** The key and the initialization vector for one direction. */
interface TrafficKeys {
  readonly key: CryptoKey;
  /** The initialization vector: 12 bytes in TLS 1.3, or the 4 fixed bytes in TLS 1.2. */
  readonly iv: Uint8Array;
}

/** Imports an AES-GCM key with its initialization vector. */
export async function trafficKeys(key: Uint8Array, iv: Uint8Array): Promise<TrafficKeys> {
  const imported = await crypto.subtle.importKey("raw", asBytes(key), "AES-GCM", false, [
    "encrypt",
    "decrypt",
  ]);
  return { key: imported, iv };
}

/** Derives the keys from a TLS 1.3 traffic secret (RFC 8446 section 7.3). */
export async function keysOf({ hash, keyLength }: Suite, secret: Uint8Array): Promise<TrafficKeys> {
  const key = await expandLabel(hash, secret, "key", { length: keyLength });
  return await trafficKeys(key, await expandLabel(hash, secret, "iv", { length: 12 }));
}

/** Returns a function that returns the next record number. Each number is used once per key. */
function sequence(): () => number {
  let next = 0;
  return () => {
    if (next === maxRecords)
      throw new TlsError("closed", "TLS: too many records under one key", {
        alert: "close_notify",
      });
    return next++;
  };
}
const header = (type: number, length: number): Bytes =>
  Uint8Array.of(type, 3, 3, length >> 8, length & 0xff);

async function encrypt({ key }: TrafficKeys, sealed: Sealed): Promise<Bytes> {
  const { iv, additionalData, data } = sealed;
  const parameters = { name: "AES-GCM", iv: asBytes(iv), additionalData: asBytes(additionalData) };
  return new Uint8Array(await crypto.subtle.encrypt(parameters, key, asBytes(data)));
}
async function decrypt({ key }: TrafficKeys, sealed: Sealed): Promise<Bytes> {
  const { iv, additionalData, data } = sealed;
  const parameters = { name: "AES-GCM", iv: asBytes(iv), additionalData: asBytes(additionalData) };
  try {
    return new Uint8Array(await crypto.subtle.decrypt(parameters, key, asBytes(data)));
  } catch {
    // any error of the platform means that the record was not encrypted with this key
    throw violation("bad_record_mac", "a record cannot be decrypted");
  }
}
interface Sealed {
  readonly iv: Uint8Array;
  readonly additionalData: Uint8Array;
  readonly data: Uint8Array;
}

/** Computes the nonce of a TLS 1.3 record (RFC 8446 section 5.3). */
function nonce({ iv }: TrafficKeys, number: number): Uint8Array {
  const counter = uint(number, 12);
  return counter.map((byte, i) => byte ^ (iv[i] ?? 0));
}

/** Returns a function that encrypts TLS 1.3 records (RFC 8446 section 5.2). */
export function sealer13(keys: TrafficKeys): Sealer {
  const next = sequence();
  return async (type, body) => {
    const head = header(recordType.application, body.length + 1 + tagLength);
    const data = concat([body, Uint8Array.of(type)]);
    const iv = nonce(keys, next());
    return concat([head, await encrypt(keys, { iv, additionalData: head, data })]);
  };
}

/** Returns an opener that decrypts TLS 1.3 records and removes padding. */
export function opener13(keys: TrafficKeys): Opener {
  const next = sequence();
  return {
    version: "1.3",
    maxBytes: maxPlainBytes + 256,
    async open(head, data) {
      if (head[0] !== recordType.application)
        throw violation(
          "unexpected_message",
          "the server sent an unencrypted record after the key exchange",
        );
      const iv = nonce(keys, next());
      const plain = await decrypt(keys, { iv, additionalData: head, data });
      if (plain.length > maxPlainBytes + 1)
        throw violation("record_overflow", "a record is too long");
      let end = plain.length - 1;
      while (end >= 0 && plain[end] === 0) end--;
      const type = plain[end];
      if (type === undefined)
        throw violation(
          "unexpected_message",
          "the server sent a record that contains only padding",
        );
      return { type, body: plain.subarray(0, end) };
    },
  };
}

/** Returns the additional authenticated data of a TLS 1.2 record (RFC 5246 section 6.2.3.3). */
const beside12 = (number: Uint8Array, type: number, length: number): Bytes =>
  concat([number, header(type, length)]);
const explicitLength = 8;

/**
 * Returns a function that encrypts TLS 1.2 records (RFC 5288 section 3). Record numbers are the
 * explicit nonces.
 */
export function sealer12(keys: TrafficKeys): Sealer {
  const next = sequence();
  return async (type, data) => {
    const number = uint(next(), explicitLength);
    const additionalData = beside12(number, type, data.length);
    const sealed = await encrypt(keys, { iv: concat([keys.iv, number]), additionalData, data });
    return concat([header(type, number.length + sealed.length), number, sealed]);
  };
}

/** Returns an opener that decrypts TLS 1.2 records. */
export function opener12(keys: TrafficKeys): Opener {
  const next = sequence();
  return {
    version: "1.2",
    maxBytes: maxPlainBytes + explicitLength + tagLength,
    async open([type = 0], body) {
      if (body.length < explicitLength + tagLength)
        throw violation("bad_record_mac", "a record is too short");
      const [explicit, data] = [body.subarray(0, explicitLength), body.subarray(explicitLength)];
      const number = uint(next(), explicitLength);
      const additionalData = beside12(number, type, data.length - tagLength);
      const iv = concat([keys.iv, explicit]);
      return { type, body: await decrypt(keys, { iv, additionalData, data }) };
    },
  };
}
