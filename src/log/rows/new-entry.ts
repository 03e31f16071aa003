import { memoize } from "../../base/memo.ts";
import type { LogEntry, Signer } from "../../engine/ports.ts";
import { encodeEntry, maxEntry, type LogMark } from "../tree/entry.ts";
import { digestOf } from "../tree/hash.ts";
import { entryPrefix } from "./records.ts";
import type { KeyUse, SigningLog } from "./signed.ts";

/** Maximum bytes of a structure in an entry, so that the entry fits into a bundle. */
const maxContent = maxEntry - 256;
/** Maximum octets of a number in an entry: those of a serial number, and a leading zero. */
const maxNumber = 21;
/** Returns the SHA-256 of the key of a signer. */
const keyDigest = memoize(({ spki }: Signer): Uint8Array => digestOf(spki));

/** Returns the log entry of an event of a log. `spki`: its key. */
export const markEntry = (type: LogMark, spki: Uint8Array, time: number): LogEntry => [
  entryPrefix,
  encodeEntry({ type, time, key: digestOf(spki), signed: { der: new Uint8Array() } }),
];

/**
 * Returns the log entry of a use of a key. CRLs and what is too long for a bundle are recorded by
 * their SHA-256; a longer number than RFC 5280 permits is omitted.
 */
export function newEntry(
  signer: Signer,
  { type, number }: KeyUse,
  der: Uint8Array,
  { entries, now }: SigningLog,
): LogEntry {
  const isWhole = entries === "full" && type !== "crl" && der.length <= maxContent;
  const entry = encodeEntry({
    type,
    time: now(),
    key: keyDigest(signer),
    ...(number === undefined || isLongNumber(number) ? {} : { number }),
    signed: isWhole ? { der } : { digest: digestOf(der) },
  });
  return [entryPrefix, entry];
}
const isLongNumber = (number: Uint8Array | number): boolean =>
  typeof number !== "number" && number.length > maxNumber;
