function ipv4Bytes(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  if (
    parts.length !== 4 ||
    !parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256)
  )
    return undefined;
  return Uint8Array.from(parts.map(Number));
}

/**
 * Parses the 16-bit groups on one side of `::`. Returns undefined if a group is not 1 to 4
 * hexadecimal digits.
 */
function groups(text: string): readonly number[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  return parts.every((part) => /^[0-9a-fA-F]{1,4}$/.test(part))
    ? parts.map((part) => Number.parseInt(part, 16))
    : undefined;
}

function ipv6Bytes(text: string): Uint8Array | undefined {
  let hex = text;
  if (text.includes(".")) {
    const at = text.lastIndexOf(":") + 1;
    const [a = 0, b = 0, c = 0, d] = ipv4Bytes(text.slice(at)) ?? [];
    if (d === undefined) return undefined;
    hex = `${text.slice(0, at)}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
  }
  const sides = hex.split("::");
  const [left, right] = [groups(sides[0] ?? ""), groups(sides[1] ?? "")];
  if (!left || !right || sides.length > 2) return undefined;
  const missing = 8 - left.length - right.length;
  // "::" stands for at least one group; without it, all eight groups must be present
  if (sides.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const all = [...left, ...Array.from({ length: missing }, () => 0), ...right];
  return Uint8Array.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

const bytesOf = (text: string): Uint8Array | undefined =>
  text.includes(":") ? ipv6Bytes(text) : ipv4Bytes(text);

/**
 * Reports whether 16 bytes are an IPv4-mapped IPv6 address: `::ffff:0:0/96` (RFC 4291 section
 * 2.5.5.2).
 */
const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && bytes.every((byte, i) => i > 11 || byte === (i < 10 ? 0 : 0xff));

/**
 * Parses an IP address into 4 or 16 bytes: dotted decimal without leading zeros, or IPv6 (RFC 4291
 * section 2.2) without a zone. An IPv4-mapped address becomes the IPv4 address, in four bytes.
 * Returns undefined for other strings.
 */
export function ipToBytes(text: string): Uint8Array | undefined {
  const bytes = bytesOf(text);
  return bytes && isMapped(bytes) ? bytes.subarray(12) : bytes;
}

/**
 * Parses one number of a loosely written IPv4 address. Returns NaN if it is not a number. If
 * `octal`, a leading zero means octal.
 */
function looseNumber(text: string, octal: boolean): number {
  if (/^0x[0-9a-f]*$/i.test(text)) return Number.parseInt(`0${text.slice(2)}`, 16);
  if (!/^[0-9]+$/.test(text)) return NaN;
  return octal && text.startsWith("0") ? Number(`0o${text.slice(1) || "0"}`) : Number(text);
}
/**
 * Parses a loosely written IPv4 address of one to four numbers, the last of which fills the
 * remaining bytes (URL Standard section 3.5).
 */
function looseIpv4(text: string, octal: boolean): Uint8Array | undefined {
  const numbers = text
    .replace(/\.$/, "")
    .split(".")
    .map((part) => looseNumber(part, octal));
  const last = numbers.pop() ?? NaN;
  if (
    numbers.length > 3 ||
    !(last < 256 ** (4 - numbers.length)) ||
    !numbers.every((number) => number < 256)
  )
    return undefined;
  const tail = Array.from(
    { length: 4 - numbers.length },
    (_, i) => Math.floor(last / 256 ** i) % 256,
  ).reverse();
  return Uint8Array.of(...numbers, ...tail);
}

/**
 * Returns the IP addresses that common parsers might interpret a host name as, such as `10.0.0.1`
 * for `0x0a.1`, or both `10.0.0.1` and `8.0.0.1` for `010.0.0.1`. Returns none for a name that no
 * parser reads as an address.
 */
export function addressesReadFrom(text: string): readonly string[] {
  const readings = [ipToBytes(text), looseIpv4(text, true), looseIpv4(text, false)];
  return [...new Set(readings.flatMap((bytes) => (bytes ? [ipToText(bytes)] : [])))];
}

/**
 * Returns the IP addresses that parsers might interpret a common name as. A single number does not
 * count, because common names may be numbers.
 */
export const addressesIn = (commonName: string): readonly string[] =>
  /[.:]/.test(commonName) ? addressesReadFrom(commonName) : [];

function longestZeros(values: readonly number[]): readonly [at: number, length: number] {
  let best: readonly [number, number] = [0, 1];
  for (let at = 0; at < values.length; at++) {
    let length = 0;
    while (values[at + length] === 0) length++;
    if (length > best[1]) best = [at, length];
  }
  return best;
}

/**
 * Formats an address of 4 or 16 bytes. Formats IPv6 addresses as in RFC 5952, and IPv4-mapped
 * addresses as `::ffff:192.0.2.1`, which shows that they have 16 bytes. Throws `TypeError` for
 * other lengths.
 */
export function ipToText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) throw new TypeError("an IP address must have 4 or 16 bytes");
  const values = Array.from(
    { length: 8 },
    (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0),
  );
  if (values.slice(0, 5).every((value) => value === 0) && values[5] === 0xffff)
    return `::ffff:${bytes.subarray(12).join(".")}`;
  const hex = values.map((value) => value.toString(16));
  const [at, length] = longestZeros(values);
  return length < 2
    ? hex.join(":")
    : `${hex.slice(0, at).join(":")}::${hex.slice(at + length).join(":")}`;
}

/** A CIDR range: its first address, its mask, and its prefix length. */
interface Cidr {
  readonly address: Uint8Array;
  readonly mask: Uint8Array;
  readonly prefix: number;
}

function maskOf(size: number, prefix: number): Uint8Array {
  return Uint8Array.from(
    { length: size },
    (_, i) => (0xff00 >> Math.min(8, Math.max(0, prefix - 8 * i))) & 0xff,
  );
}

/**
 * Parses a CIDR range such as `192.0.2.0/24`, and clears the host bits. A range within
 * `::ffff:0:0/96` becomes an IPv4 range. Returns undefined for other strings.
 */
export function parseCidr(text: string): Cidr | undefined {
  const [, ip = "", digits = ""] = /^([^/]+)\/(0|[1-9][0-9]{0,2})$/.exec(text) ?? [];
  const network = bytesOf(ip);
  if (!network || Number(digits) > 8 * network.length) return undefined;
  const mapped = isMapped(network) && Number(digits) >= 96;
  const [address, prefix] = mapped
    ? [network.subarray(12), Number(digits) - 96]
    : [network, Number(digits)];
  const mask = maskOf(address.length, prefix);
  return { address: address.map((byte, i) => byte & (mask[i] ?? 0)), mask, prefix };
}

/**
 * Formats an address followed by its mask, as encoded in name constraints, in CIDR notation.
 * Returns undefined if the mask has gaps or the length is wrong.
 */
export function cidrText(bytes: Uint8Array): string | undefined {
  const size = bytes.length / 2;
  if (size !== 4 && size !== 16) return undefined;
  const [address, mask] = [bytes.subarray(0, size), bytes.subarray(size)];
  const prefix = mask.reduce(
    (ones, byte) => ones + (Math.clz32(~(byte << 24)) > 8 ? 8 : Math.clz32(~(byte << 24))),
    0,
  );
  return maskOf(size, prefix).every((byte, i) => byte === mask[i])
    ? `${ipToText(address)}/${prefix}`
    : undefined;
}

/** Reports whether an address is in a CIDR range. Returns false if either cannot be parsed. */
export function inRange(ip: string, range: string): boolean {
  const [address, cidr] = [ipToBytes(ip), parseCidr(range)];
  return (
    address !== undefined &&
    cidr !== undefined &&
    address.length === cidr.address.length &&
    address.every((byte, i) => (byte & (cidr.mask[i] ?? 0)) === cidr.address[i])
  );
}
