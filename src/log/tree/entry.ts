import { concat, equalBytes } from "../../base/bytes.ts";
import { DerWriter, elementSize } from "../../base/der-element.ts";
import { afterFormat, formatOfBytes } from "../../base/encoding.ts";
import { integer, readDer, Reader } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { digestOf } from "./hash.ts";

/** The structures that a key signs, with the number of their entry type. */
const structures = { certificate: 1, crl: 2, request: 3 } as const;
/** A structure that a key signs. */
export type SignedStructure = keyof typeof structures;
/**
 * The events that change the meaning of later entries in a log, with the number of their entry
 * type.
 * - `disabled`, `enabled`: the log was disabled, or enabled again;
 * - `restored`: the mount was restored from a backup;
 * - `full`, `hashes`: later entries contain the signed structure, or only its SHA-256.
 */
const marks = { disabled: 4, enabled: 5, restored: 6, full: 7, hashes: 8 } as const;
/** An event that changes the meaning of later entries in a log. */
export type LogMark = keyof typeof marks;
/** Descriptions of a log's events. */
export const markTexts: Readonly<Record<LogMark, string>> = {
  disabled: "the log was disabled",
  enabled: "the log was enabled",
  restored: "the mount was restored from a backup",
  full: "later entries contain certificates and CSRs",
  hashes: "later entries contain only hashes",
};
const entryTypes = { ...structures, ...marks } as const;
/** The type of an entry. */
type EntryType = keyof typeof entryTypes;

/** An entry of a log: one use of a key, or an event of the log. */
export interface Entry {
  readonly type: EntryType;
  /** Time in Unix ms. */
  readonly time: number;
  /** SHA-256 of the SubjectPublicKeyInfo of the signing key or, for an event, of the log's key. */
  readonly key: Uint8Array;
  /** Serial number of the certificate or number of the CRL: unsigned, big-endian. */
  readonly number?: Uint8Array;
  /** DER of the signed structure, or its SHA-256. The DER is empty if no structure was signed. */
  readonly signed: { readonly der: Uint8Array } | { readonly digest: Uint8Array };
}

/** Maximum size in bytes of an entry in a bundle (C2SP tlog-tiles). */
export const maxEntry = 0xffff;
const [derTag, digestTag, enumerated] = [0x80, 0x81, 0x0a];

/** An entry to encode. */
interface NewEntry extends Omit<Entry, "number"> {
  readonly number?: Uint8Array | number;
}
/**
 * Encodes an entry as DER. Throws a TypeError if the entry is too large for a bundle, so that the
 * change it records is not committed.
 */
export function encodeEntry({ type, time, key, number, signed }: NewEntry): Uint8Array {
  const [tag, content] = "der" in signed ? [derTag, signed.der] : [digestTag, signed.digest];
  const numbers = number === undefined ? noNumber : integer(number);
  const at = integer(time);
  const size =
    elementSize(1) +
    at.length +
    elementSize(key.length) +
    numbers.length +
    elementSize(content.length);
  if (elementSize(size) > maxEntry)
    throw new TypeError(`log entry: must be at most ${maxEntry} bytes, got ${elementSize(size)}`);
  // allocating arrays is slow, so most of the entry is written into a single array
  const writer = new DerWriter(1 + elementSize(size));
  writer.byte(formatOfBytes);
  writer.header(0x30, size);
  writer.header(enumerated, 1);
  writer.byte(entryTypes[type]);
  writer.bytes(at);
  writer.header(0x04, key.length);
  writer.bytes(key);
  writer.bytes(numbers);
  writer.header(tag, content.length);
  writer.bytes(content);
  return afterFormat(writer.done());
}
const noNumber = new Uint8Array();

/** Parses an entry. Throws `malformed` if the bytes are not a valid entry. */
export function parseEntry(bytes: Uint8Array): Entry {
  const reader = readDer(bytes, "log entry").enter("the entry");
  const [kind] = reader.content("type", enumerated);
  const type = typeNames.find((name) => entryTypes[name] === kind);
  if (!type) throw new CaError("malformed", `log entry: unknown type ${kind}`);
  const head = readHead(reader);
  const signed =
    reader.tag === derTag
      ? { der: reader.octets("signed structure", derTag) }
      : { digest: reader.octets("digest", digestTag) };
  reader.end();
  return { type, ...head, signed };
}
/**
 * Returns the time and number of an entry without parsing the rest. Throws `malformed` if they
 * cannot be parsed.
 */
export function parseEntryHead(bytes: Uint8Array): Pick<Entry, "time" | "number"> {
  const reader = new Reader(bytes, "log entry").enter("the entry");
  reader.content("type", enumerated);
  return readHead(reader);
}
function readHead(reader: Reader): Omit<Entry, "type" | "signed"> {
  const time = reader.number("time");
  const key = reader.octets("key");
  return reader.tag === 0x02 ? { time, key, number: reader.unsigned("number") } : { time, key };
}
/** Reports whether the bytes of an entry record an event of the log. */
export function isMarkEntry(bytes: Uint8Array): boolean {
  const [kind] = new Reader(bytes, "log entry").enter("the entry").content("type", enumerated);
  return typeNames.some((name) => isMark(name) && entryTypes[name] === kind);
}
/** Reports whether an entry records an event of the log. */
export const isMark = (type: EntryType): type is LogMark => Object.hasOwn(marks, type);
// the names are the keys of an object literal
const typeNames = Object.keys(entryTypes) as readonly EntryType[];

/** Returns the SHA-256 of the structure that an entry records. */
export const signedDigest = ({ signed }: Entry): Uint8Array =>
  "der" in signed ? digestOf(signed.der) : signed.digest;
/** Reports whether an entry records the given structure. */
export const isEntryOf = (entry: Entry, der: Uint8Array): boolean =>
  equalBytes(signedDigest(entry), digestOf(der));

/** Encodes a bundle, in which each entry is prefixed with its length (C2SP tlog-tiles). */
export const encodeBundle = (entries: readonly Uint8Array[]): Uint8Array =>
  concat(entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]));
/** Parses a bundle. Throws `malformed` if the bundle is truncated. */
export function parseBundle(bytes: Uint8Array): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (end > bytes.length || at + 2 > bytes.length)
      throw new CaError("malformed", "bundle of log entries: truncated");
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
