import { concat, equalBytes } from "../../base/bytes.ts";
import { DerWriter, elementSize } from "../../base/der-element.ts";
import { afterFormat, formatOfBytes } from "../../base/encoding.ts";
import { integer, readDer, Reader } from "../../base/der.ts";
import { CaError } from "../../base/errors.ts";
import { digestOf } from "./hash.ts";

/** The structures that a key signs, with their numbers as types of entries. */
const structures = { certificate: 1, crl: 2, request: 3 } as const;
/** A structure that a key signs. */
export type SignedStructure = keyof typeof structures;
/**
 * The events of a log that change what its entries prove, with their numbers as types of entries:
 * it was disabled, enabled again, restored from a backup, or its entries have from now on what was
 * signed (`full`) or only its SHA-256 (`hashes`).
 */
const marks = { disabled: 4, enabled: 5, restored: 6, full: 7, hashes: 8 } as const;
/** An event of a log that changes what its entries prove. */
export type LogMark = keyof typeof marks;
/** The events of a log in words. */
export const markTexts: Readonly<Record<LogMark, string>> = {
  disabled: "the log was disabled",
  enabled: "the log was enabled",
  restored: "the mount was restored from a backup",
  full: "entries have certificates and CSRs from here on",
  hashes: "entries have only hashes from here on",
};
const entryTypes = { ...structures, ...marks } as const;
/** The kind of an entry. */
type EntryType = keyof typeof entryTypes;

/** An entry of a log: one use of a key, or an event of the log. */
export interface Entry {
  readonly type: EntryType;
  /** Unix milliseconds. */
  readonly time: number;
  /** SHA-256 of the SubjectPublicKeyInfo of the key that signed; else that of the log. */
  readonly key: Uint8Array;
  /** Serial number of a certificate, number of a CRL: unsigned, big-endian. */
  readonly number?: Uint8Array;
  /** The DER of the signed structure, empty if there is none, or its SHA-256. */
  readonly signed: { readonly der: Uint8Array } | { readonly digest: Uint8Array };
}

/** Maximum bytes of an entry in a bundle (C2SP tlog-tiles). */
export const maxEntry = 0xffff;
const [derTag, digestTag, enumerated] = [0x80, 0x81, 0x0a];

/** An entry to encode. */
interface NewEntry extends Omit<Entry, "number"> {
  readonly number?: Uint8Array | number;
}
/**
 * Encodes an entry as DER. Throws a TypeError if no bundle can contain it, so that what it records
 * is not committed.
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
    throw new TypeError(`log entry: ${elementSize(size)} bytes, more than ${maxEntry}`);
  // each array costs time, so there is one for most of it, in the form of a stored value
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

/** Parses an entry. Throws `malformed`. */
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
/** Returns time and number of an entry, without parsing the rest. Throws `malformed`. */
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
/** Reports whether an entry records an event of the log. */
export const isMark = (type: EntryType): type is LogMark => Object.hasOwn(marks, type);
// the names of an object literal
const typeNames = Object.keys(entryTypes) as readonly EntryType[];

/** Returns the SHA-256 of the structure that an entry records. */
export const signedDigest = ({ signed }: Entry): Uint8Array =>
  "der" in signed ? digestOf(signed.der) : signed.digest;
/** Reports whether an entry records a structure. */
export const isEntryOf = (entry: Entry, der: Uint8Array): boolean =>
  equalBytes(signedDigest(entry), digestOf(der));

/** Encodes a bundle: each entry with its length before it (C2SP tlog-tiles). */
export const encodeBundle = (entries: readonly Uint8Array[]): Uint8Array =>
  concat(entries.flatMap((entry) => [Uint8Array.of(entry.length >> 8, entry.length & 255), entry]));
/** Parses a bundle. Throws `malformed` if it ends early. */
export function parseBundle(bytes: Uint8Array): readonly Uint8Array[] {
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 2 + (bytes[at] ?? 0) * 256 + (bytes[at + 1] ?? 0);
    if (end > bytes.length || at + 2 > bytes.length)
      throw new CaError("malformed", "bundle of log entries: ends early");
    entries.push(bytes.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
