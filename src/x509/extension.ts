import type { Bytes } from "../base/bytes.ts";
import { DerWriter, elementSize } from "../base/der-element.ts";
import { boolean, oid, type Reader } from "../base/der.ts";

/** One extension of a certificate, CRL or CRL entry; `value` is the content of its OCTET STRING. */
export interface Extension {
  readonly oid: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** DER of extensions that are written again and again. */
const encoded = new WeakMap<Extension, Bytes>();

const remembered = new Map<string, Extension>();

/**
 * URLs, purposes and policies come from configuration and requests, so what is remembered has
 * bounds: 500 * at most about 10 KiB.
 */
const memory = 500;

const maxKeyLength = 2000;

/** Makes an extension once for each list of parts. */
export function memoizeExtension(parts: readonly unknown[], make: () => Extension): Extension {
  const key = JSON.stringify(parts);
  const known = remembered.get(key);
  if (known) return known;
  const made = Object.freeze(make());
  if (key.length > maxKeyLength) return made;
  if (remembered.size >= memory) remembered.clear();
  remembered.set(key, made);
  return encodedOnce(made);
}

/** Returns an extension that caches its DER. */
export function encodedOnce(extension: Extension): Extension {
  if (!encoded.has(extension)) encoded.set(extension, encodeExtension(extension));
  return extension;
}

/** Bytes of an extension's content: type, perhaps the flag, and the value in an OCTET STRING. */
const contentSize = ({ oid: type, critical, value }: Extension): number =>
  oid(type).length + (critical ? boolean(true).length : 0) + elementSize(value.length);

/** Bytes of these extensions, one after the other. */
export function extensionsSize(extensions: readonly Extension[]): number {
  let size = 0;
  for (const extension of extensions)
    size += encoded.get(extension)?.length ?? elementSize(contentSize(extension));
  return size;
}

/** Writes extensions, `extensionsSize` bytes. */
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

/** DER of one extension. */
export function encodeExtension(extension: Extension): Bytes {
  const writer = new DerWriter(extensionsSize([extension]));
  writeExtensions(writer, [extension]);
  return writer.done();
}

/** SEQUENCE of extensions. */
export function encodeExtensions(extensions: readonly Extension[]): Bytes {
  const size = extensionsSize(extensions);
  const writer = new DerWriter(elementSize(size));
  writer.header(0x30, size);
  writeExtensions(writer, extensions);
  return writer.done();
}

/**
 * Reads a SEQUENCE of extensions that `reader` stands before; refuses duplicates, an empty list,
 * and a critical flag that DER leaves out.
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
    if (flagged && !critical) throw item.refuse(`${oid} writes critical FALSE, which DER omits`);
    const value = item.octets("the value");
    item.end();
    if (seen.has(oid)) throw list.refuse(`duplicate extension ${oid}`);
    seen.add(oid);
    extensions.push({ oid, critical, value });
  }
  return extensions;
}
