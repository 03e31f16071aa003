import { readDer, type Reader } from "./der-read.ts";

function checkElement(reader: Reader, work: Reader[]): void {
  switch (reader.tag) {
    case 0x01:
      return void reader.boolean("a BOOLEAN");
    case 0x02:
    case 0x0a:
      return void reader.integer("an INTEGER", reader.tag);
    case 0x03:
      return void reader.bitString("a BIT STRING");
    case 0x05:
      return reader.null("a NULL");
    case 0x06:
      return void reader.oid("an OBJECT IDENTIFIER");
    case 0x31:
      work.push(reader.enter("a SET", 0x31));
      return;
    default:
      if (((reader.tag ?? 0) & 0x20) !== 0) work.push(reader.enter("an element", reader.tag));
      else reader.element("an element");
  }
}

/**
 * Checks the encoding of every element of a DER text, level by level, without interpreting it; the
 * contents of strings are not checked. Throws `CaError` `malformed`.
 */
export function checkDer(bytes: Uint8Array, where: string, limit?: number): void {
  const work = [readDer(bytes, where, limit)];
  for (let reader = work.pop(); reader; reader = work.pop()) {
    while (reader.tag !== undefined) checkElement(reader, work);
  }
}
