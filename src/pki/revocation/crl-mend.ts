import { concat } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys } from "../../engine/records.ts";
import { paged, readEntries, readPages } from "./crl-pages.ts";
import { confirmed, isSameBytes, revocationsOf } from "./crl-revocations.ts";
import { isSame, sumOf } from "./crl-sum.ts";

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
    "the entries of a CRL did not match the revocations, and were rebuilt from them",
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
