import { CaError } from "../../base/errors.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, isIntact, keys } from "../../engine/records.ts";
import { stored } from "../../engine/stored.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import type { Entry } from "../revocation/crl-entry.ts";
import { listId, partsOf } from "../revocation/crl-list.ts";
import { readable, unreadable, type Readable } from "../revocation/readable-rows.ts";

/** Entries whose certificates have ended, and the rows that go with them. */
export interface Ended {
  /** Serial numbers as keys have them. */
  readonly serials: ReadonlySet<string>;
  readonly del: readonly string[];
  /** How many of the rows are those of revocations. */
  readonly revoked: number;
}

/**
 * Those of the entries of a group whose certificates ended by a time, Unix seconds. An entry whose
 * end is not known, or that no row explains, is none of them.
 */
export async function endedEntries(
  ca: Mount,
  group: string,
  entries: readonly Entry[],
  end: number,
): Promise<Ended> {
  const rows = await readable(
    ca,
    entries.map(({ serial }) => keys.revoked(serial)),
  );
  const issuers = await listedIssuers(ca, group);
  const [serials, del] = [new Set<string>(), [] as string[]];
  let revoked = 0;
  for (const [i, { serial }] of entries.entries()) {
    const name = serialKey(serial);
    const own = ofGroup(rows[i], group);
    const issuer = issuers.get(name);
    const at = own
      ? (own.not_after ?? (await endOf(ca, serial)))
      : issuer && (issuer.not_after ?? (await endOf(ca, serial)));
    if (at === undefined || at > end) continue;
    serials.add(name);
    if (issuer) del.push(issuer.key);
    // an issuer stands on the lists of all its parents, and its revocation goes with one of them
    if (own) revoked += del.push(keys.revoked(serial), keys.cert(serial)) && 1;
  }
  return { serials, del, revoked };
}

function ofGroup(row: Readable, group: string) {
  if (!row || row === unreadable) return undefined;
  const value = stored.revoked(row.value);
  return listId(value.crl_set, value.shard) === group ? value : undefined;
}

/** The issuers on the list of a set, which are few, by serial number. */
async function listedIssuers(ca: Mount, group: string) {
  const prefix = below.listedIssuers(partsOf(group).set);
  const names = (await ca.store.list(prefix, { values: false })).map(([key]) => key);
  const rows = await readable(ca, names);
  return new Map(
    names.flatMap((key, i) => {
      const row = rows[i];
      if (!row || row === unreadable) return [];
      const { not_after } = stored.listedIssuer(row.value);
      return [[key.slice(prefix.length), { key, not_after }] as const];
    }),
  );
}

/** The end of a stored certificate, where rows of before do not say it. */
async function endOf(ca: Mount, serial: Uint8Array): Promise<number | undefined> {
  const [row] = await readable(ca, [keys.cert(serial)]);
  if (!row || row === unreadable) return undefined;
  const cert = stored.cert(row.value);
  if (!isIntact(cert)) return undefined;
  try {
    return parseCertificate(cert.der).notAfter;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}
