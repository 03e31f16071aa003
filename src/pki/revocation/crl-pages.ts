import { concat } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys, type CrlSumRow } from "../../engine/records.ts";
import { stored } from "../../engine/stored.ts";
import { eachRevoked } from "../../x509/crl.ts";
import type { Entry } from "./crl-revocations.ts";

/** The encoded entries of a set as they are stored. */
export interface Pages {
  readonly rows: readonly (readonly [key: string, row: Row])[];
  readonly whole: Uint8Array;
  readonly sum: CrlSumRow | undefined;
  /** How much of them was taken at an earlier build; all of what is older than these sums. */
  readonly counted: number;
}
/** Reads the entries of a set. */
export async function readPages(ca: Mount, set: string): Promise<Pages> {
  const [held, state] = await ca.store.get([keys.crlSum(set), keys.crl(set)]);
  const rows = await ca.store.list(keys.crlPages(set));
  // pages hold bytes
  const whole = concat(rows.map(([, row]) => row.value as Uint8Array));
  const sum = held && stored.crlSum(held.value);
  return {
    rows,
    whole,
    sum,
    counted: sum ? Math.min(sum.length, whole.length) : state ? whole.length : 0,
  };
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

/** How many entries a page holds. */
export function countEntries(page: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < page.length; count++) {
    const first = page[at + 1] ?? 0;
    // entries are short: a length in one octet, or in the one or two that follow
    at +=
      first < 0x80
        ? 2 + first
        : first === 0x81
          ? 3 + (page[at + 2] ?? 0)
          : 4 + ((page[at + 2] ?? 0) << 8) + (page[at + 3] ?? 0);
  }
  return count;
}
