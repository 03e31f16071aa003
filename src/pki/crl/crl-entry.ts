import { concat } from "../../base/bytes.ts";
import { eachRevoked } from "../../x509/crl.ts";

/** An entry of a list. */
export interface Entry {
  readonly serial: Uint8Array;
  readonly der: Uint8Array;
}
/** The entries of pages, as far as they can be read. */
export function readEntries(pages: Uint8Array): {
  readonly entries: readonly Entry[];
  readonly complete: boolean;
} {
  const entries: Entry[] = [];
  try {
    for (const { serial, der } of eachRevoked({ entries: pages })) entries.push({ serial, der });
  } catch {
    return { entries, complete: false };
  }
  return { entries, complete: true };
}

/** Least room for an entry in a page, so that none gets longer than 64 KiB. */
const pageLength = 60_000;
/** Entries joined to pages. */
export function paged(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  const pages: Uint8Array[][] = [];
  let room = 0;
  for (const entry of entries) {
    if (room < entry.length) [room] = [pageLength, pages.push([])];
    room -= entry.length;
    pages.at(-1)?.push(entry);
  }
  return pages.map(concat);
}

/** Where the entry ends that begins at a place of a page. */
export function entryEnd(page: Uint8Array, at: number): number {
  const first = page[at + 1] ?? 0;
  // entries are short: a length in one octet, or in the one or two that follow
  return first < 0x80
    ? at + 2 + first
    : first === 0x81
      ? at + 3 + (page[at + 2] ?? 0)
      : at + 4 + ((page[at + 2] ?? 0) << 8) + (page[at + 3] ?? 0);
}
/** How many entries a page holds. */
export function countEntries(page: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < page.length; count++) at = entryEnd(page, at);
  return count;
}
