import { fromUtf8 } from "../base/bytes.ts";
import type { Element } from "../base/der.ts";

/** Decodes bytes as Latin-1. */
export const latin1 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");

/** Decodes an element of any string type. Returns undefined for other elements. */
export function stringText({ tag, content }: Pick<Element, "tag" | "content">): string | undefined {
  switch (tag) {
    case 0x0c:
      try {
        return fromUtf8(content);
      } catch {
        return latin1(content);
      }
    case 0x12:
    case 0x13:
    case 0x14:
    case 0x16:
    case 0x1a:
    case 0x1b:
      return latin1(content);
    case 0x1e:
      return new TextDecoder("utf-16be").decode(content);
    default:
      return undefined;
  }
}
