import { colonHex, fromHex, toHex } from "./bytes.ts";
import type { RandomBytes } from "./random-text.ts";

/**
 * Length of a mount's serial numbers in octets, which is the maximum of RFC 5280 section 4.1.2.2.
 */
const serialLength = 20;
/**
 * Number of random octets. They contain 79 random bits, because the sign bit must be 0. The other
 * ten octets are the MAC.
 */
const randomLength = 10;

/**
 * A function that computes a MAC of at least ten bytes, such as HMAC-SHA-256, with a key of the
 * mount.
 */
export type Mac = (data: Uint8Array) => Uint8Array | Promise<Uint8Array>;

/** Generates a random UUID (RFC 9562 section 5.4). */
export function uuid(random: RandomBytes): string {
  const bytes = random(16).slice();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const text = toHex(bytes);
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/** Matches a UUID in lower case. */
export const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Generates the serial number of a new certificate: 20 octets with 79 random bits, followed by 76
 * bits of the mount's MAC over them. The first octet is 01 to 7f. The last hexadecimal digit is 0;
 * partitioned mounts replace it to select the partition.
 */
export async function generateSerial(random: RandomBytes, mac: Mac): Promise<Uint8Array> {
  const serial = new Uint8Array(serialLength);
  // Repeats after a leading zero octet (probability 1/128), which would shorten the serial number.
  // 40 of these in a row (2^-280) mean that the random source is broken.
  for (let draws = 0; serial[0] === 0; draws++) {
    const randomBytes = random(randomLength);
    if (draws === 40 || randomBytes.length !== randomLength)
      throw new TypeError("the source of random bytes returned only zeros");
    serial.set(randomBytes);
    serial[0] = (randomBytes[0] ?? 0) & 0x7f;
  }
  serial.set(await proof(serial, mac), randomLength);
  return serial;
}

/**
 * Reports whether the MAC in a serial number is valid. The last hexadecimal digit may have any
 * value.
 */
export async function verifySerial(serial: Uint8Array, mac: Mac): Promise<boolean> {
  const first = serial[0] ?? 0;
  if (serial.length !== serialLength || first === 0 || first > 0x7f) return false;
  const expected = await proof(serial, mac);
  // compares all octets, so that timing reveals nothing about a forged serial number
  let difference = 0;
  for (let at = 0; at < expected.length; at++) {
    const bits = at === expected.length - 1 ? 0xf0 : 0xff;
    difference |= ((expected[at] ?? 0) ^ (serial[randomLength + at] ?? 0)) & bits;
  }
  return difference === 0;
}

async function proof(serial: Uint8Array, mac: Mac): Promise<Uint8Array> {
  const size = serialLength - randomLength;
  const bytes = (await mac(serial.slice(0, randomLength))).slice(0, size);
  if (bytes.length < size)
    throw new TypeError("the MAC for serial numbers must have at least ten bytes");
  bytes[size - 1] = (bytes[size - 1] ?? 0) & 0xf0;
  return bytes;
}

function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.subarray(start);
}

/**
 * Formats a serial number for display: lower-case hexadecimal octets separated by colons, without
 * leading zero octets.
 */
export function serialText(serial: Uint8Array): string {
  return colonHex(withoutLeadingZeros(serial));
}

/** Converts a serial number from its form in row keys to the form for display. */
export const serialKeyText = (key: string): string => key.replace(/..(?!$)/g, "$&:");

/** Formats a serial number for row keys: lower-case hexadecimal without leading zero octets. */
export function serialKey(serial: Uint8Array): string {
  return toHex(withoutLeadingZeros(serial));
}

/**
 * Parses a serial number: hexadecimal octets in upper or lower case, either without separators or
 * all separated by `:` or `-`. Drops leading zero octets. Returns undefined for other strings, and
 * for more than 20 octets.
 */
export function parseSerial(text: string): Uint8Array | undefined {
  // 20 octets and a leading zero octet, each with two digits and a separator
  if (
    text.length > 3 * (serialLength + 1) ||
    !/^[0-9a-f]{2}(?:(?:[0-9a-f]{2})*|(?::[0-9a-f]{2})*|(?:-[0-9a-f]{2})*)$/i.test(text)
  )
    return undefined;
  const bytes = withoutLeadingZeros(fromHex(text.replace(/[:-]/g, "")));
  return bytes.length > serialLength ? undefined : bytes.slice();
}
