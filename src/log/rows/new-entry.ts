import { memoize } from "../../base/memo.ts";
import type { Batch, LogEntry, Signer } from "../../engine/ports.ts";
import { keys, type CertRow } from "../../pki/rows/records.ts";
import { encodeEntry, maxEntry, type LogMark } from "../tree/entry.ts";
import { digestOf } from "../tree/hash.ts";
import { entryPrefix } from "./records.ts";
import type { KeyUse, SigningLog } from "./signed.ts";

/** Maximum size in bytes of a structure in an entry, so that the entry fits into a bundle. */
const maxContent = maxEntry - 256;
/**
 * Maximum length in octets of a number in an entry, which is that of a serial number plus a leading
 * zero.
 */
const maxNumber = 21;
/** Returns the SHA-256 of a signer's SubjectPublicKeyInfo. */
const keyDigest = memoize(({ spki }: Signer): Uint8Array => digestOf(spki));

/**
 * Returns the entry that records a change to the log itself, such as enabling it. `spki` is the
 * log's public key.
 */
export const markEntry = (type: LogMark, spki: Uint8Array, time: number): LogEntry =>
  logEntry(encodeEntry({ type, time, key: digestOf(spki), signed: { der: new Uint8Array() } }));
const logEntry = (entry: Uint8Array): LogEntry => [entryPrefix, entry, undefined, true];

/** The entry for a use of a key. */
interface LoggedUse {
  readonly entry: LogEntry;
  /** Adds the entry's time to the certificate's row in a batch, so that the entry can be found. */
  locate(batch: Batch | undefined): Batch | undefined;
}
/**
 * Returns the log entry for a use of a key. CRLs, and structures too long for a bundle, are
 * recorded by their SHA-256. A number longer than RFC 5280 permits is omitted.
 */
export function loggedUse(
  signer: Signer,
  { type, number }: KeyUse,
  der: Uint8Array,
  { entries, now }: SigningLog,
): LoggedUse {
  const time = now();
  const isWhole = entries === "full" && type !== "crl" && der.length <= maxContent;
  const entry = encodeEntry({
    type,
    time,
    key: keyDigest(signer),
    ...(number === undefined || isLongNumber(number) ? {} : { number }),
    signed: isWhole ? { der } : { digest: digestOf(der) },
  });
  const certificate =
    type === "certificate" && number instanceof Uint8Array ? keys.cert(number) : undefined;
  return {
    entry: logEntry(entry),
    locate: (batch) =>
      batch?.put && certificate !== undefined
        ? { ...batch, put: withTime(batch.put, certificate, time) }
        : batch,
  };
}
type Put = NonNullable<Batch["put"]>;
/** Adds the time of the log entry to the certificate's row. */
function withTime(put: Put, certificate: string, logged_at: number): Put {
  const at = put.findIndex((row) => row[0] === certificate);
  const row = put[at];
  if (!row) return put;
  // the row has the key of a certificate
  const value = { ...(row[1] as CertRow), logged_at };
  return put.with(at, row[2] ? [certificate, value, row[2]] : [certificate, value]);
}
const isLongNumber = (number: Uint8Array | number): boolean =>
  typeof number !== "number" && number.length > maxNumber;
