import { utf8 } from "../../base/bytes.ts";

// one character a byte
const reader = new TextDecoder("latin1");
const textOf = (bytes: Uint8Array): string => reader.decode(bytes).toLowerCase();
/** Tag and length of an IPv4 and of an IPv6 address among alternative names. */
const addresses = [textOf(Uint8Array.of(0x87, 4)), textOf(Uint8Array.of(0x87, 16))];
/**
 * The type of a common name, and a string type whose bytes are not those of UTF-8: TeletexString,
 * UniversalString, BMPString.
 */
const oldNames = [0x14, 0x1c, 0x1e].map((tag) => textOf(Uint8Array.of(0x55, 4, 3, tag)));

/**
 * Says of certificates (DER) whether one of their names can contain a text, ASCII letters in any
 * case, without taking them apart: false is certain, true is not. Names stand in a certificate as
 * their bytes, but for addresses and for common names in old string types.
 */
export function nameFilter(text: string): (der: Uint8Array) => boolean {
  if (text === "") return () => true;
  const wanted = textOf(utf8(text));
  const inAddress = /^[0-9a-f:.]+$/i.test(text);
  return (der) => {
    const bytes = textOf(der);
    return (
      bytes.includes(wanted) ||
      (inAddress && addresses.some((mark) => bytes.includes(mark))) ||
      oldNames.some((mark) => bytes.includes(mark))
    );
  };
}
