import { crc32 } from "../../base/hashes.ts";
import { eachRevoked } from "../../x509/crl.ts";

/**
 * Length of a cached serial number in octets. Shorter serial numbers are padded with leading zeros.
 */
export const serialWidth = 20;

/**
 * The entries of a page, in flat arrays because an object per entry would take ten times the
 * memory.
 */
export interface RevokedPage {
  readonly rev: number;
  /** The CRL set to which the entries belong. */
  readonly set: string;
  /** Length of the parsed part of the page, and its CRC-32. */
  readonly length: number;
  readonly crc: number;
  readonly serials: Uint8Array;
  /** Times of revocation, Unix seconds. */
  readonly at: Float64Array;
  readonly reasons: Uint8Array;
}

/** A page as it was read from the store. */
interface PageRead {
  readonly set: string;
  readonly rev: number;
  readonly bytes: Uint8Array;
}
/**
 * Parses the entries of a page. Reuses the entries parsed before if the page still begins with them
 * (`grew`). Returns undefined if an entry is malformed or a serial number is too long.
 */
export function readPage(
  { set, rev, bytes }: PageRead,
  before: RevokedPage | undefined,
): { readonly page: RevokedPage; readonly grew: boolean } | undefined {
  const previous = before && isBegin(before, bytes) ? before : undefined;
  const more = entriesIn(bytes.subarray(previous?.length ?? 0));
  if (!more) return undefined;
  const first = previous?.at.length ?? 0;
  const count = first + more.length;
  const page = {
    rev,
    set,
    length: bytes.length,
    crc: crc32(bytes),
    serials: new Uint8Array(count * serialWidth),
    at: new Float64Array(count),
    reasons: new Uint8Array(count),
  };
  if (previous) {
    page.serials.set(previous.serials);
    page.at.set(previous.at);
    page.reasons.set(previous.reasons);
  }
  for (const [i, { serial, revokedAt, reason = 0 }] of more.entries()) {
    page.serials.set(serial, (first + i + 1) * serialWidth - serial.length);
    page.at[first + i] = revokedAt;
    page.reasons[first + i] = reason;
  }
  return { page, grew: previous !== undefined };
}
/** Returns the number of leading octets of a page that were parsed before and are unchanged. */
export const soundOf = (before: RevokedPage | undefined, bytes: Uint8Array): number =>
  before && isBegin(before, bytes) ? before.length : 0;
const isBegin = ({ length, crc }: RevokedPage, bytes: Uint8Array): boolean =>
  length <= bytes.length && crc === crc32(bytes.subarray(0, length));

function entriesIn(bytes: Uint8Array) {
  const entries = [];
  try {
    for (const { serial: content, revokedAt, reason } of eachRevoked({ entries: bytes })) {
      const serial = withoutSign(content);
      if (serial.length > serialWidth) return undefined;
      entries.push({ serial, revokedAt, reason });
    }
  } catch {
    return undefined;
  }
  return entries;
}

/** Removes the leading zero octets of a serial number. */
export function withoutSign(serial: Uint8Array): Uint8Array {
  let first = 0;
  while (first < serial.length - 1 && serial[first] === 0) first++;
  return serial.subarray(first);
}
