import { issuersConfig } from "../rows/settings.ts";
import { issuersById, rowPrefixes } from "../rows/records.ts";
import { concat } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { eachRevoked } from "../../x509/crl.ts";
import { groupOfPage, crlParts, crlSets } from "./crl-set.ts";
import { seriesBeside } from "./page-series.ts";

/** A stored page: concatenated CRL entries of one group. */
export interface StoredPage {
  readonly key: string;
  readonly rev: number;
  readonly bytes: Uint8Array;
}
/**
 * Returns a filter for the groups of entries that a CRL includes. The CRL of a shard includes its
 * own group. An unsharded CRL includes all groups of its set and, if it is that of the default
 * issuer, those of sets without issuers (B 1.8 rule 4).
 */
export function groupFilter(config: Snapshot, crlId: string): (group: string) => boolean {
  const { set, shard } = crlParts(crlId);
  if (shard !== undefined) return (group) => group === crlId;
  const sets = new Set(crlSets(config));
  const isDefault = config.get(issuersById).get(config.get(issuersConfig).default)?.crl_set === set;
  return (group) => {
    const of = crlParts(group).set;
    return of === set || (isDefault && !sets.has(of));
  };
}
/** Returns the keys of the pages that a CRL includes, in order. */
export async function pageKeys(
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<readonly string[]> {
  const { shard } = crlParts(crlId);
  const prefix = shard === undefined ? rowPrefixes.crlPages : `${rowPrefixes.crlPages}${crlId}/`;
  const isIncluded = groupFilter(config, crlId);
  const beside = await seriesBeside(mount, crlId);
  const all = await mount.store.list(prefix, { values: false, beside });
  const keys: string[] = [];
  for (const [key] of all) if (isIncluded(groupOfPage(key))) keys.push(key);
  return keys;
}
/** Reads the pages with the given keys, omitting those that do not exist. */
export async function readPages(
  mount: Mount,
  names: readonly string[],
): Promise<readonly StoredPage[]> {
  if (names.length === 0) return [];
  const rows = await mount.store.get(names);
  return names.flatMap((key, i) => {
    const row = rows[i];
    // pages only contain bytes
    return row ? [{ key, rev: row.rev, bytes: row.value as Uint8Array }] : [];
  });
}

/** A CRL entry. */
export interface CrlEntry {
  readonly serial: Uint8Array;
  readonly der: Uint8Array;
}
/** Parses the entries in concatenated pages, up to the first that is malformed. */
export function readEntries(pages: Uint8Array): {
  readonly entries: readonly CrlEntry[];
  readonly complete: boolean;
} {
  const entries: CrlEntry[] = [];
  try {
    for (const { serial, der } of eachRevoked({ entries: pages })) entries.push({ serial, der });
  } catch {
    return { entries, complete: false };
  }
  return { entries, complete: true };
}

/** Maximum length of a page in bytes, below 64 KiB. */
const pageLength = 60_000;
/** Joins entries into pages. */
export function joinToPages(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  const pages: Uint8Array[][] = [];
  let room = 0;
  for (const entry of entries) {
    if (room < entry.length) [room] = [pageLength, pages.push([])];
    room -= entry.length;
    pages.at(-1)?.push(entry);
  }
  return pages.map(concat);
}

/** Returns the offset at which the entry that begins at offset `at` of a page ends. */
function entryEnd(page: Uint8Array, at: number): number {
  const first = page[at + 1] ?? 0;
  // entries are short, so their DER length has one to three octets
  return first < 0x80
    ? at + 2 + first
    : first === 0x81
      ? at + 3 + (page[at + 2] ?? 0)
      : at + 4 + ((page[at + 2] ?? 0) << 8) + (page[at + 3] ?? 0);
}
/** Returns the number of entries in a page. */
export function countEntries(page: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < page.length; count++) at = entryEnd(page, at);
  return count;
}

/** The entries of pages, numbered and indexed by serial number. */
export interface EntryTable {
  readonly count: number;
  /** Returns the DER of the entry at the given index. */
  entry(n: number): Uint8Array;
  /**
   * Returns the index of the entry with the given serial number, the last one if there are several.
   */
  find(serial: Uint8Array): number | undefined;
}
/**
 * Indexes the entries of well-formed pages, using only a few bytes per entry. A set of a million
 * strings would take more memory than the CRL itself.
 */
export function entryTable(pages: readonly Uint8Array[]): EntryTable {
  const count = pages.reduce((sum, page) => sum + countEntries(page), 0);
  // the offset of each entry in the concatenated pages
  const offsets = new Uint32Array(count);
  const starts = new Uint32Array(pages.length);
  const at = <T>(n: number, read: (page: Uint8Array, at: number) => T): T => {
    const offset = offsets[n] ?? 0;
    const page = pageOf(starts, offset);
    return read(pages[page] ?? new Uint8Array(), offset - (starts[page] ?? 0));
  };
  // a hash table, less than half full, whose slots contain the index of an entry plus 1
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * count + 2)));
  const placeOf = (serial: Uint8Array): number => {
    const isIt = (page: Uint8Array, begin: number): boolean => isSerial(page, begin, serial);
    let slot = hash(serial) & (slots.length - 1);
    for (let entry; (entry = slots[slot] ?? 0) !== 0; slot = (slot + 1) & (slots.length - 1))
      if (at(entry - 1, isIt)) return slot;
    return slot;
  };
  let [total, n] = [0, 0];
  for (const [i, page] of pages.entries()) {
    starts[i] = total;
    for (let at = 0; at < page.length; at = entryEnd(page, at)) {
      offsets[n] = total + at;
      slots[placeOf(serialOf(page, at))] = ++n;
    }
    total += page.length;
  }
  return {
    count,
    entry: (n) => at(n, (page, begin) => page.subarray(begin, entryEnd(page, begin))),
    find: (serial) => {
      const entry = slots[placeOf(serial)] ?? 0;
      return entry === 0 ? undefined : entry - 1;
    },
  };
}

/** Returns the index of the last page that begins at or before an offset. */
function pageOf(starts: Uint32Array, offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}
/** Returns the FNV-1a hash of the given bytes. */
function hash(bytes: Uint8Array): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < bytes.length; i++) value = Math.imul(value ^ (bytes[i] ?? 0), 0x01000193);
  return value >>> 0;
}
/** Returns the offset of the serial number (INTEGER) in the entry that begins at offset `at`. */
function integerAt(page: Uint8Array, at: number): number {
  const first = page[at + 1] ?? 0;
  return at + (first < 0x80 ? 2 : 2 + (first & 0x7f));
}
/** Returns the offset at which the value of an INTEGER begins, skipping leading zero octets. */
function digitsAt(page: Uint8Array, integer: number): number {
  const end = integer + 2 + (page[integer + 1] ?? 0);
  let begin = integer + 2;
  while (begin < end && page[begin] === 0) begin++;
  return begin;
}
/**
 * Returns the serial number of the entry that begins at offset `at`, without leading zero octets.
 */
function serialOf(page: Uint8Array, at: number): Uint8Array {
  const integer = integerAt(page, at);
  return page.subarray(digitsAt(page, integer), integer + 2 + (page[integer + 1] ?? 0));
}
/**
 * Reports whether the entry that begins at offset `at` has this serial number. Does not create a
 * view of the number, because that would be slower.
 */
function isSerial(page: Uint8Array, at: number, serial: Uint8Array): boolean {
  const integer = integerAt(page, at);
  const begin = digitsAt(page, integer);
  if (integer + 2 + (page[integer + 1] ?? 0) - begin !== serial.length) return false;
  for (let i = 0; i < serial.length; i++) if (page[begin + i] !== serial[i]) return false;
  return true;
}
