import { readDer, type Reader } from "../base/der.ts";
import { uriHost } from "../base/uri.ts";
import { checkName } from "./name.ts";
import { readNames } from "./san.ts";

/**
 * Names as they are taken over: readers take directory names and URIs apart as well (RFC 5280
 * section 4.2.1.6).
 */
export function checkNames(reader: Reader): void {
  if (reader.tag === undefined) throw reader.refuse("is empty");
  const names = readNames(reader);
  names.directory.forEach(checkName);
  for (const uri of names.uri)
    if (uriHost(uri) === undefined)
      throw reader.refuse("a URI is not absolute, or cannot be taken apart");
}

/** `checkNames` for the one name that `reader` stands before. */
export function checkOneName(reader: Reader, what: string): void {
  checkNames(readDer(reader.raw(what), reader.where));
}
