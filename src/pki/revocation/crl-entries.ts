import { concat, asBytes } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import { keys, type CrlSumRow } from "../../engine/records.ts";
import { stored } from "../../engine/stored.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { eachRevoked } from "../../x509/crl.ts";
import { crlSets } from "./crl-due.ts";
import { confirmed, isSameBytes, revocationsOf, type Entry } from "./crl-revocations.ts";

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
    (await ca.store.list("crlpage/", { values: false })).map(([key]) => key.split("/")[1] ?? ""),
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

interface Pages {
  readonly rows: readonly (readonly [key: string, row: Row])[];
  readonly whole: Uint8Array;
  readonly sum: CrlSumRow | undefined;
  /** How much of them was taken at an earlier build; all of what is older than these sums. */
  readonly counted: number;
}
async function readPages(ca: Mount, set: string): Promise<Pages> {
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

/**
 * Sums are made over blocks of this many bytes: what was checked need not be digested again for the
 * next sum.
 */
const blockLength = 256 * 1024;
const digestsOf = (bytes: Uint8Array): Promise<readonly Uint8Array[]> =>
  Promise.all(
    Array.from({ length: Math.ceil(bytes.length / blockLength) }, async (_, i) => {
      const block = bytes.subarray(i * blockLength, (i + 1) * blockLength);
      return new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(block)));
    }),
  );
/** The sum of pages that begin with what `checked` is the sum of. */
async function sumOf(
  whole: Uint8Array,
  checked: CrlSumRow = { length: 0, digests: [] },
): Promise<CrlSumRow> {
  if (checked.length === whole.length) return checked;
  const full = Math.floor(checked.length / blockLength);
  return {
    length: whole.length,
    digests: [
      ...checked.digests.slice(0, full),
      ...(await digestsOf(whole.subarray(full * blockLength))),
    ],
  };
}
async function isSame({ length, digests }: CrlSumRow, whole: Uint8Array): Promise<boolean> {
  if (length > whole.length) return false;
  const found = await digestsOf(whole.subarray(0, length));
  return (
    found.length === digests.length && found.every((digest, i) => isSameBytes(digests[i], digest))
  );
}

/** The entries of pages, as far as they can be read. */
function readEntries(pages: Uint8Array): {
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

/** Least room for an entry in a page, so that none gets longer than 64 KiB. */
const pageLength = 60_000;

/**
 * Writes the pages of a set anew from the rows of revocation: entries that none of them explains
 * go, those that are missing come.
 */
export async function mendEntries(ca: Mount, set: string): Promise<void> {
  const config = await ca.config();
  const wanted = await revocationsOf(ca, config, set);
  // after the rows, which take long: few revocations come between this and the commit, and it
  // expects none
  const { rows, whole, sum, counted } = await readPages(ca, set);
  const sound = !sum || (await isSame(sum, whole)) ? counted : 0;
  const old = readEntries(whole.subarray(0, sound)).entries;
  const later = readEntries(whole.subarray(sound)).entries;
  const unknown = later.filter(
    ({ serial, der }) => !isSameBytes(wanted.get(serialKey(serial)), der),
  );
  const told = await confirmed(ca, config, set, unknown);
  const strange = new Set(unknown.filter((_, i) => !told[i]));
  const entries = [...old, ...later.filter((entry) => !strange.has(entry))];
  const kept = new Map(entries.map(({ serial, der }) => [serialKey(serial), der]));
  for (const [serial, entry] of wanted) if (!kept.has(serial)) kept.set(serial, entry);
  const pages = paged([...kept.values()]);
  const names = Array.from(
    { length: Math.max(pages.length, rows.length) + 1 },
    (_, i) => `${keys.crlPages(set)}${String(i).padStart(8, "0")}`,
  );
  const held = new Map(rows.map(([key, { rev }]) => [key, rev]));
  const done = await ca.store.commit({
    expect: [
      [keys.mount, config.mountRev],
      ...[...new Set([...names, ...held.keys()])].map(
        (key) => [key, held.get(key) ?? null] as const,
      ),
    ],
    del: [...held.keys()],
    put: [
      ...pages.map((page, i) => [names[i] ?? "", page] as const),
      [keys.crlSum(set), await sumOf(concat(pages))],
    ],
  });
  if (!done) return;
  const cause = new Error(
    "the entries of a CRL did not agree with the revocations, and were written again from them",
  );
  ca.ports.log?.({
    endpoint: "crl entries",
    status: 500,
    ms: 0,
    mount: config.mount.path,
    cause,
    fields: { crl_set: set, dropped: strange.size, entries: kept.size },
  });
}
function paged(entries: readonly Uint8Array[]): readonly Uint8Array[] {
  const pages: Uint8Array[][] = [];
  let room = 0;
  for (const entry of entries) {
    if (room < entry.length) [room] = [pageLength, pages.push([])];
    room -= entry.length;
    pages.at(-1)?.push(entry);
  }
  return pages.map(concat);
}

function countEntries(page: Uint8Array): number {
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
