import { concat } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { below } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { laterEntries, type LaterEntries } from "./crl-entries.ts";
import { countEntries, readEntries } from "./crl-entry.ts";
import { encodedEntry } from "./crl-revocations.ts";
import { takes } from "./crl-pages.ts";
import { isSameBytes } from "./crl-revocations.ts";

/**
 * The entries of the delta of a list: what was revoked since the last complete one, without issuers
 * (B 1.2), whose revocation has complete lists built. Undefined: a complete list is to be built
 * first.
 */
export async function deltaEntries(
  ca: Mount,
  config: Snapshot,
  list: string,
): Promise<LaterEntries | undefined> {
  const later = await laterEntries(ca, config, list);
  if (!later || "disagrees" in later) return undefined;
  if (later.count === 0) return later;
  const isIssuer = await issuersOn(ca, config, list);
  const pages = later.pages.map((page) =>
    concat(
      readEntries(page)
        .entries.filter(({ serial, der }) => !isIssuer(serial, der))
        .map(({ der }) => der),
    ),
  );
  return { ...later, pages, count: pages.reduce((sum, page) => sum + countEntries(page), 0) };
}

/** What tells whether an entry of a list is that of a revoked issuer. */
async function issuersOn(
  ca: Mount,
  config: Snapshot,
  list: string,
): Promise<(serial: Uint8Array, der: Uint8Array) => boolean> {
  const isTaken = takes(config, list);
  const rows = await ca.store.list(below.listed, { values: false });
  const noted = new Set(
    rows.flatMap(([key]) => {
      const [, set = "", serial = ""] = key.split("/");
      return isTaken(set) ? [serial] : [];
    }),
  );
  const here = new Map(
    [...config.issuers.values()].flatMap((row) => {
      const { serial } = certificateOf(row);
      return row.revoked === undefined
        ? []
        : [[serialKey(serial), encodedEntry(serial, { at: row.revoked })] as const];
    }),
  );
  return (serial, der) =>
    noted.has(serialKey(serial)) || isSameBytes(here.get(serialKey(serial)), der);
}
