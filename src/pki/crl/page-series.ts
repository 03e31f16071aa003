import { serialKey } from "../../base/ids.ts";
import { isSpread, slotOf } from "../../engine/placement.ts";
import type { Store } from "../../engine/ports.ts";
import { keys, rowPrefixes } from "../rows/records.ts";

// The pages of a group form one series or, in a mount with several partitions, a series for each
// slot, so that an entry is in the partition of its revocation. The series without a slot contains
// the entries of issuers, and entries from the time when the mount had one partition.

/** Returns the prefix of the pages to which a certificate's entry is appended. */
export function pagesFor(
  store: Pick<Store, "placement">,
  group: string,
  serial: Uint8Array,
): string {
  const slot = isSpread(store, rowPrefixes.crlPages) ? slotOf(serialKey(serial)) : undefined;
  return keys.crlPages(group, slot);
}
/** Returns the prefix of the series to which a page belongs, given the key of the page. */
export const seriesOfPage = (page: string): string => page.slice(0, page.lastIndexOf("/") + 1);
