import type { Bytes } from "./bytes.ts";
import { DerWriter, elementSize } from "./der-writer.ts";
import { CaError } from "./errors.ts";

/** Tag of UTCTime, whose years have two digits, or of GeneralizedTime. */
export type TimeTag = 0x17 | 0x18;

/** Seconds of 0000-01-01 and 9999-12-31T23:59:59Z, then of 1950 and 2050. */
const [firstSecond, lastSecond, utcFirst, utcEnd] = [
  -62167219200, 253402300799, -631152000, 2524608000,
];

/**
 * Reports whether a certificate time is encoded as UTCTime: 1950 to 2049 (RFC 5280 section
 * 4.1.2.5).
 */
export const isUtcYear = (unixSeconds: number): boolean =>
  unixSeconds >= utcFirst && unixSeconds < utcEnd;

function timeElement(tag: TimeTag, unixSeconds: number): Bytes {
  if (!Number.isInteger(unixSeconds) || unixSeconds < firstSecond || unixSeconds > lastSecond) {
    throw new CaError(
      "malformed",
      `time ${unixSeconds}: not a whole second from the year 0 to 9999`,
    );
  }
  const date = new Date(unixSeconds * 1000);
  const year = date.getUTCFullYear();
  const pairs = [
    year % 100,
    date.getUTCMonth() + 1,
    date.getUTCDate(),
    date.getUTCHours(),
    date.getUTCMinutes(),
    date.getUTCSeconds(),
  ];
  if (tag === 0x18) pairs.unshift(Math.floor(year / 100));
  const length = 2 * pairs.length + 1;
  const writer = new DerWriter(elementSize(length));
  writer.header(tag, length);
  for (const pair of pairs) {
    writer.byte(0x30 + Math.floor(pair / 10));
    writer.byte(0x30 + (pair % 10));
  }
  writer.byte(0x5a);
  return writer.done();
}

/** GeneralizedTime of any year, in whole seconds, as OCSP and CRL entries need it. */
export const generalizedTime = (unixSeconds: number): Bytes => timeElement(0x18, unixSeconds);

/**
 * Encodes a time of certificates and CRLs: UTCTime from 1950 to 2049, otherwise GeneralizedTime
 * (RFC 5280 section 4.1.2.5).
 */
export const time = (unixSeconds: number): Bytes =>
  timeElement(isUtcYear(unixSeconds) ? 0x17 : 0x18, unixSeconds);

/**
 * Parses the content of a time to Unix seconds; undefined unless it has whole seconds and ends with
 * Z.
 */
export function readTime(tag: TimeTag, text: Uint8Array): number | undefined {
  const length = tag === 0x17 ? 13 : 15;
  // The Z that ends every time is the only character that is no digit.
  if (text.length !== length || text[length - 1] !== 0x5a) return undefined;
  const pairs: number[] = [];
  for (let i = 0; i < length - 1; i += 2) {
    const [tens, ones] = [(text[i] ?? 0) - 0x30, (text[i + 1] ?? 0) - 0x30];
    if (tens < 0 || tens > 9 || ones < 0 || ones > 9) return undefined;
    pairs.push(10 * tens + ones);
  }
  // Two digits of a year mean 1950 to 2049 (RFC 5280 section 4.1.2.5.1).
  if (tag === 0x17) pairs.unshift((pairs[0] ?? 0) >= 50 ? 19 : 20);
  const [century = 0, year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = pairs;
  const date = new Date(0);
  date.setUTCFullYear(100 * century + year, month - 1, day);
  // Months and days that do not exist roll over into others.
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59) return undefined;
  return date.getTime() / 1000 + 3600 * hour + 60 * minute + second;
}
