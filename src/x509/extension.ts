import type { Bytes } from "../base/bytes.ts";
import { DerWriter, elementSize } from "../base/der-element.ts";
import { boolean, oid, type Reader } from "../base/der.ts";

/** One extension of a certificate, CRL or CRL entry; `value` is the content of its OCTET STRING. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** Cached DER of extensions that are encoded repeatedly. */
const encoded = new WeakMap<Extension, Bytes>();

const remembered = new Map<string, Extension>();

/**
 * Maximum number of cached extensions, each of which has at most about 10 KiB. The cache is limited
 * because URLs, extended key usages and policies come from configuration and requests.
 */
const memory = 500;

const maxKeyLength = 2000;

/** Returns the cached extension for a list of key parts, or creates it with `make`. */
export function memoizeExtension(parts: readonly unknown[], make: () => Extension): Extension {
  const key = JSON.stringify(parts);
  const cached = remembered.get(key);
  if (cached) return cached;
  const created = Object.freeze(make());
  if (key.length > maxKeyLength) return created;
  if (remembered.size >= memory) remembered.clear();
  remembered.set(key, created);
  return encodedOnce(created);
}

/** Encodes an extension and caches its DER, unless it is already cached. Returns the extension. */
export function encodedOnce(extension: Extension): Extension {
  if (!encoded.has(extension)) encoded.set(extension, encodeExtension(extension));
  return extension;
}

/**
 * Returns the size of an extension's content: the identifier, the flag if it is critical, and the
 * value in an OCTET STRING.
 */
const contentSize = ({ oid: type, critical, value }: Extension): number =>
  oid(type).length + (critical ? boolean(true).length : 0) + elementSize(value.length);

/** Returns the total size of the encoded extensions. */
export function extensionsSize(extensions: readonly Extension[]): number {
  let size = 0;
  for (const extension of extensions)
    size += encoded.get(extension)?.length ?? elementSize(contentSize(extension));
  return size;
}

/** Writes the extensions, which take `extensionsSize` bytes in total. */
export function writeExtensions(writer: DerWriter, extensions: readonly Extension[]): void {
  for (const extension of extensions) {
    const der = encoded.get(extension);
    if (der) writer.bytes(der);
    else writeExtension(writer, extension);
  }
}

function writeExtension(writer: DerWriter, extension: Extension): void {
  const { oid: type, critical, value } = extension;
  writer.header(0x30, contentSize(extension));
  writer.bytes(oid(type));
  if (critical) writer.bytes(boolean(true));
  writer.header(0x04, value.length);
  writer.bytes(value);
}

/** Encodes one extension. */
export function encodeExtension(extension: Extension): Bytes {
  const writer = new DerWriter(extensionsSize([extension]));
  writeExtensions(writer, [extension]);
  return writer.done();
}

/** Encodes a SEQUENCE of extensions. */
export function encodeExtensions(extensions: readonly Extension[]): Bytes {
  const size = extensionsSize(extensions);
  const writer = new DerWriter(elementSize(size));
  writer.header(0x30, size);
  writeExtensions(writer, extensions);
  return writer.done();
}

/**
 * Parses the SEQUENCE of extensions at the reader's position. Rejects duplicates, an empty list,
 * and an explicit FALSE critical flag, which DER omits.
 */
export function readExtensions(reader: Reader): readonly Extension[] {
  const list = reader.enter("extensions");
  const extensions: Extension[] = [];
  const seen = new Set<string>();
  if (list.tag === undefined) throw list.refuse("is empty");
  while (list.tag !== undefined) {
    const item = list.enter("an extension");
    const oid = item.oid("its type");
    const flagged = item.tag === 0x01;
    const critical = flagged && item.boolean("critical");
    if (flagged && !critical) throw item.refuse(`${oid} encodes critical FALSE, which DER omits`);
    const value = item.octets("the value");
    item.end();
    if (seen.has(oid)) throw list.refuse(`duplicate extension ${oid}`);
    seen.add(oid);
    extensions.push({ oid, critical, value });
  }
  return extensions;
}
