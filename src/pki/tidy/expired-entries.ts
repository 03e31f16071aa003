import { serialKey } from "../../base/ids.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch } from "../../engine/ports.ts";
import { rowPrefixes, keys, storedPki } from "../rows/records.ts";
import type { CrlEntry } from "../crl/crl-pages.ts";
import { crlIdOf, crlParts } from "../crl/crl-set.ts";
import { readableRows, unreadable, type ReadableRow } from "../crl/readable-rows.ts";
import { storedExpiry, withExpiry, type ExpiringRow } from "./revocation-expiry.ts";

/** The CRL entries of expired certificates, and the rows to delete with them. */
interface ExpiredEntries {
  /** Serial numbers of the entries, in the form used in keys. */
  readonly serials: ReadonlySet<string>;
  readonly del: readonly string[];
  /** Number of revocation rows among the rows to delete. */
  readonly revoked: number;
  /**
   * The change that adds the expiry to the remaining revocation rows that an earlier version wrote,
   * so that later runs find them.
   */
  readonly marks: Required<Pick<Batch, "expect" | "put">>;
}

/**
 * Returns the entries of a group whose certificates expired no later than `end` (Unix seconds).
 * Omits entries that have no row or whose expiry is unknown.
 */
export async function findExpiredEntries(
  mount: Mount,
  group: string,
  entries: readonly CrlEntry[],
  end: number,
): Promise<ExpiredEntries> {
  const rows = await readableRows(
    mount,
    entries.map(({ serial }) => keys.revoked(serial)),
  );
  const issuers = await listedIssuers(mount, group);
  const ended = { serials: new Set<string>(), del: [] as string[], revoked: 0 };
  const old: ExpiringRow[] = [];
  for (const [i, { serial }] of entries.entries()) {
    const name = serialKey(serial);
    const own = ofGroup(rows[i], group);
    const issuer = issuers.get(name);
    const storedEnd = own ? own.value.not_after : issuer?.not_after;
    const at = storedEnd ?? ((own ?? issuer) ? await storedExpiry(mount, serial) : undefined);
    if (own && at !== undefined && storedEnd === undefined && at > end)
      old.push({ key: keys.revoked(serial), ...own, end: at });
    if (at === undefined || at > end) continue;
    ended.serials.add(name);
    if (issuer) ended.del.push(issuer.key);
    // an issuer is listed on the CRLs of all issuers that signed it, and its revocation row is
    // deleted with its entry on one of these CRLs
    if (own) ended.revoked += ended.del.push(keys.revoked(serial), keys.cert(serial)) && 1;
  }
  return { ...ended, marks: withExpiry(old) };
}

function ofGroup(row: ReadableRow, group: string) {
  if (!row || row === unreadable) return undefined;
  const value = storedPki.revoked(row.value);
  return crlIdOf(value.crl_set, value.shard) === group ? { value, rev: row.rev } : undefined;
}

/** Returns the issuers on the CRL of a group's set, by serial number. There are only a few. */
async function listedIssuers(mount: Mount, group: string) {
  const prefix = rowPrefixes.listedIssuers(crlParts(group).set);
  const names = (await mount.store.list(prefix, { values: false })).map(([key]) => key);
  const rows = await readableRows(mount, names);
  return new Map(
    names.flatMap((key, i) => {
      const row = rows[i];
      if (!row || row === unreadable) return [];
      const { not_after } = storedCrl.listedIssuer(row.value);
      return [[key.slice(prefix.length), { key, not_after }] as const];
    }),
  );
}
