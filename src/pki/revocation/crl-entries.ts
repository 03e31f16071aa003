import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, type CrlSumRow, keys } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { countEntries, readEntries, readPages } from "./crl-pages.ts";
import { confirmed, revocationsOf } from "./crl-revocations.ts";
import { crlSets } from "./crl-set.ts";
import { isSame, sumOf } from "./crl-sum.ts";

/**
 * The entries of a list, agreed with the rows of revocation, and what is to be stored with the list
 * for the next build.
 */
export interface ListEntries {
  readonly pages: readonly Uint8Array[];
  readonly count: number;
  readonly sums: readonly (readonly [key: string, sum: CrlSumRow])[];
}
/** A set whose pages are not what its revocations say. */
export interface Disagreement {
  readonly disagrees: string;
}

/**
 * The entries of a set's list; the default issuer's list also takes those of sets that have no
 * issuer any more (B 1.8 rule 4). What an earlier build has counted must be as it was then, and
 * each later entry must be that of a revocation. `deep`: no revocation may be missing either.
 */
export async function listEntries(
  ca: Mount,
  config: Snapshot,
  set: string,
  deep: boolean,
): Promise<ListEntries | Disagreement> {
  const found: Checked[] = [];
  for (const one of [set, ...(await orphans(ca, config, set))]) {
    const checked = await check(ca, config, one, deep);
    if (!checked) return { disagrees: one };
    found.push(checked);
  }
  const pages = found.map(({ pages: one }) => one);
  return {
    pages,
    count: pages.reduce((sum, page) => sum + countEntries(page), 0),
    sums: found.map(({ sum }) => sum),
  };
}
async function orphans(ca: Mount, config: Snapshot, set: string): Promise<readonly string[]> {
  if (config.issuers.get(config.issuersConfig.default)?.crl_set !== set) return [];
  const held = new Set(crlSets(config));
  const sets = new Set(
    (await ca.store.list(below.crlPages, { values: false })).map(
      ([key]) => key.split("/")[1] ?? "",
    ),
  );
  return [...sets].filter((other) => other !== set && !held.has(other));
}

interface Checked {
  readonly pages: Uint8Array;
  readonly sum: readonly [key: string, sum: CrlSumRow];
}
/** The joined pages of one set, or undefined when they disagree with its revocations. */
async function check(
  ca: Mount,
  config: Snapshot,
  set: string,
  deep: boolean,
): Promise<Checked | undefined> {
  const { sum, whole, counted } = await readPages(ca, set);
  if (sum && !(await isSame(sum, whole))) return undefined;
  const later = readEntries(whole.subarray(counted));
  if (!later.complete || !(await confirmed(ca, config, set, later.entries)).every(Boolean))
    return undefined;
  // pages of before that nobody counted are looked through once
  if ((deep || (!sum && counted > 0)) && (await lacksAny(ca, config, set, whole))) return undefined;
  return { pages: whole, sum: [keys.crlSum(set), await sumOf(whole, sum)] };
}

async function lacksAny(
  ca: Mount,
  config: Snapshot,
  set: string,
  whole: Uint8Array,
): Promise<boolean> {
  const { entries, complete } = readEntries(whole);
  if (!complete) return true;
  const listed = new Set(entries.map(({ serial }) => serialKey(serial)));
  for (const serial of (await revocationsOf(ca, config, set)).keys())
    if (!listed.has(serial)) return true;
  return false;
}
