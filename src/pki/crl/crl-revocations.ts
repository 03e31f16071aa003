import { issuersById, rowPrefixes, keys, type RevokedRow, storedPki } from "../rows/records.ts";
import { equalBytes, fromHex } from "../../base/bytes.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { serialKey } from "../../base/ids.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { encodeRevokedEntry } from "../../x509/crl.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { readEntries, type CrlEntry, entryTable, type EntryTable } from "./crl-pages.ts";
import { crlParts } from "./crl-set.ts";
import { seriesBeside } from "./page-series.ts";
import { rowsPerRead, readableRows, readableBelow, unreadable } from "./readable-rows.ts";

/** Reports whether `expected` is present and equals `bytes`. */
export const isSameBytes = (expected: Uint8Array | undefined, bytes: Uint8Array): boolean =>
  expected !== undefined && equalBytes(expected, bytes);
/** Encodes the CRL entry of a revocation. `at` is in Unix milliseconds. */
export const encodeEntry = (
  serial: Uint8Array,
  { at, reason }: { readonly at: number; readonly reason?: number },
): Uint8Array =>
  encodeRevokedEntry({
    serial,
    revokedAt: Math.floor(at / 1000),
    ...(reason === undefined ? {} : { reason }),
  });

/** Reports, for each entry of a group, whether it belongs to a revocation or a revoked issuer. */
export async function confirmEntries(
  mount: Mount,
  config: Snapshot,
  group: string,
  entries: readonly CrlEntry[],
): Promise<readonly boolean[]> {
  const { set } = crlParts(group);
  const confirmed: boolean[] = [];
  // for many entries, scanning all revocations is faster
  const marks =
    entries.length > rowsPerRead
      ? await markRevocations(mount, config, group, entryTable(entries.map(({ der }) => der)))
      : undefined;
  for (let at = 0; at < entries.length; at += rowsPerRead) {
    if (at > 0) await yieldToEventLoop();
    const some = entries.slice(at, at + rowsPerRead);
    const left = some.filter((_, i) => marks?.[at + i] !== 1);
    const rows = await readableRows(
      mount,
      left.map(({ serial }) => keys.revoked(serial)),
    );
    const strange = left.filter(({ serial, der }, i) => {
      const row = rows[i];
      // a row that cannot be read does not contradict the entry
      return (
        row !== unreadable &&
        !isSameBytes(row && encodeEntry(serial, storedPki.revoked(row.value)), der)
      );
    });
    const issuers = await areIssuers(mount, config, set, strange);
    const refused = new Set(strange.filter((_, i) => !issuers[i]));
    for (const entry of some) confirmed.push(!refused.has(entry));
  }
  return confirmed;
}

/**
 * Reports whether all entries in pages of a group are well-formed and belong to a revocation or a
 * revoked issuer. For many entries, uses only a few bytes of memory per entry in addition to the
 * pages.
 */
export async function areConfirmed(
  mount: Mount,
  config: Snapshot,
  group: string,
  pages: readonly Uint8Array[],
): Promise<boolean> {
  let count = 0;
  let left: CrlEntry[] = [];
  for (const page of pages) {
    const { entries, complete } = readEntries(page);
    if (!complete) return false;
    count += entries.length;
    if (count <= rowsPerRead) left.push(...entries);
  }
  if (count > rowsPerRead) {
    const table = entryTable(pages);
    const marks = await markRevocations(mount, config, group, table);
    left = [];
    for (let n = 0; n < count; n++)
      if (marks[n] !== 1) left.push(...readEntries(table.entry(n)).entries);
  }
  return (await confirmEntries(mount, config, group, left)).every(Boolean);
}

/** Returns an array with 1 for each entry that a scan of the group's revocations confirms. */
async function markRevocations(
  mount: Mount,
  config: Snapshot,
  group: string,
  table: EntryTable,
): Promise<Uint8Array> {
  const marks = new Uint8Array(table.count);
  for await (const some of revocations(mount, config, group))
    for (const { serial, row } of some) {
      const n = table.find(serial);
      if (n !== undefined && isSameBytes(table.entry(n), encodeEntry(serial, row))) marks[n] = 1;
    }
  return marks;
}

/**
 * Reports, for each entry, whether it belongs to a revoked issuer that still exists or is recorded
 * as listed on the CRL of the set.
 */
async function areIssuers(
  mount: Mount,
  config: Snapshot,
  set: string,
  entries: readonly CrlEntry[],
): Promise<readonly boolean[]> {
  if (entries.length === 0) return [];
  const here = new Map<string, number>();
  for (const row of config.get(issuersById).values())
    if (row.revoked !== undefined) here.set(serialKey(certificateOf(row).serial), row.revoked);
  const rows = await readableRows(
    mount,
    entries.map(({ serial }) => keys.listedIssuer(set, serial)),
  );
  return entries.map(({ serial, der }, i) => {
    const row = rows[i];
    const at = here.get(serialKey(serial));
    return (
      row === unreadable ||
      isSameBytes(row && encodeEntry(serial, storedCrl.listedIssuer(row.value)), der) ||
      isSameBytes(at === undefined ? at : encodeEntry(serial, { at }), der)
    );
  });
}

/**
 * Reports whether tidy may have removed the CRL entry of a revocation but not the revocation
 * itself. This is possible in a mount with several partitions, once the certificate has expired.
 */
export const mayBeUnlisted = (
  { store, ports }: Pick<Mount, "store" | "ports">,
  { not_after = Infinity }: RevokedRow,
): boolean => store.placement !== undefined && not_after * 1000 < ports.now();

/** A revocation, for which a CRL has an entry. */
interface Revocation {
  /** Serial number without a leading zero octet. */
  readonly serial: Uint8Array;
  readonly row: RevokedRow;
}
/**
 * Yields, page by page, all revocations of a group or, with `withShards`, of a set with all its
 * shards.
 */
export async function* revocations(
  mount: Mount,
  config: Snapshot,
  group: string,
  withShards = false,
): AsyncGenerator<readonly Revocation[]> {
  const { set, shard } = crlParts(group);
  // an issuer is not on its own CRL, but on the CRLs of the issuers that signed it
  const own = new Set(
    [...config.get(issuersById).values()]
      .filter((row) => row.crl_set === set)
      .map((row) => serialKey(certificateOf(row).serial)),
  );
  // rows of listed issuers do not state the set, which is in their key
  const read = rowReader<RevokedRow>({ at: 0, issuer: "", crl_set: set });
  const beside = shard === undefined ? undefined : await seriesBeside(mount, group);
  for (const prefix of [rowPrefixes.revoked, rowPrefixes.listedIssuers(set)])
    for (let after = prefix; after !== "";) {
      if (after !== prefix) await yieldToEventLoop();
      const isIndexed = shard !== undefined && prefix === rowPrefixes.revoked;
      const { rows, last } = await readableBelow(
        mount,
        prefix,
        after,
        isIndexed && { group, beside },
      );
      const page: Revocation[] = [];
      for (const [key, { value }] of rows) {
        const row = read(value);
        if (row.crl_set !== set || row.unlisted || !(withShards || row.shard === shard)) continue;
        const serial = key.slice(prefix.length);
        if (!own.has(serial)) page.push({ serial: fromHex(serial), row });
      }
      yield page;
      after = last;
    }
}
