import { issuersById, keys, type IssuerRow, type ListedIssuerRow } from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import { serialKey } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { MountIndex } from "../../base/mount-indexes.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { eachRevoked } from "../../x509/crl.ts";
import { signedBy } from "../issuer/signed-by.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { retainCrl } from "../issuer/crl-retention.ts";
import { groupOfPage, crlIdOf } from "../crl/crl-set.ts";
import { namedShardOf } from "../crl/active-crls.ts";
import { revokedExpiryIndex } from "../revoke/revocation.ts";
import { encodeEntry } from "../crl/crl-revocations.ts";

/** Returns the CRL sets of the issuers that signed an issuer, except the issuer's own set. */
export async function parentSets(config: Snapshot, row: IssuerRow): Promise<readonly string[]> {
  const child = certificateOf(row);
  const sets = new Set<string>();
  for (const parent of config.get(issuersById).values())
    if (
      parent.key_id !== "" &&
      parent.crl_set !== row.crl_set &&
      (await signedBy(child, certificateOf(parent)))
    )
      sets.add(parent.crl_set);
  return [...sets];
}

type Put = readonly [key: string, row: unknown, index?: MountIndex];
/** The changes that add revoked issuers to CRLs: a row and a CRL entry for each. */
interface CrlIssuers {
  readonly put: readonly Put[];
  readonly append: readonly (readonly [page: string, entry: Uint8Array])[];
}
/**
 * Returns the changes that add previously revoked issuers to the CRLs of those issuers in `added`
 * that signed them and have a key (B 1.2). Omits issuers that are already listed.
 */
export async function revokedBelow(
  mount: Mount,
  config: Snapshot,
  added: readonly IssuerRow[],
): Promise<CrlIssuers> {
  const [put, append] = [
    new Map<string, readonly Put[]>(),
    new Map<string, readonly [string, Uint8Array]>(),
  ];
  for (const row of config.get(issuersById).values())
    for (const parent of row.revoked === undefined ? [] : added) {
      if (
        parent.key_id === "" ||
        parent.crl_set === row.crl_set ||
        !(await signedBy(certificateOf(row), certificateOf(parent)))
      )
        continue;
      const { serial } = certificateOf(row);
      const one = await listRevokedIssuer(mount, config, row, {
        set: parent.crl_set,
        at: row.revoked ?? 0,
      });
      const [page] = one.append;
      if (await isListed(mount, page[0], serial)) continue;
      const key = `${page[0]} ${serialKey(serial)}`;
      put.set(key, one.put);
      append.set(key, page);
    }
  return { put: [...put.values()].flat(), append: [...append.values()] };
}
async function isListed(mount: Mount, pages: string, serial: Uint8Array): Promise<boolean> {
  // pages contain only bytes
  for (const [, { value }] of await mount.store.list(pages))
    for (const entry of eachRevoked({ entries: value as Uint8Array }))
      if (equalBytes(entry.serial, serial)) return true;
  return false;
}

/** Returns the IDs of the CRLs to which entries for revoked issuers are added. */
export const crlIdsOf = ({ append }: Pick<CrlIssuers, "append">): readonly string[] =>
  append.map(([page]) => groupOfPage(page));

/** The change that adds a revoked issuer to a CRL. */
interface CrlListing {
  readonly put: readonly Put[];
  readonly append: readonly [readonly [page: string, entry: Uint8Array]];
  readonly shard: string | undefined;
}
/**
 * Returns the change that adds a revoked issuer to the CRL of a set whose issuer signed it. As for
 * any other certificate, the entry goes to the shard in the certificate's distribution points. `at`
 * is in Unix milliseconds.
 */
export async function listRevokedIssuer(
  mount: Mount,
  config: Snapshot,
  row: IssuerRow,
  { set, at }: { readonly set: string; readonly at: number },
): Promise<CrlListing> {
  const certificate = certificateOf(row);
  const { serial, notAfter } = certificate;
  const shard = await namedShardOf(mount, config, set, certificate);
  const of = shard === undefined ? {} : { shard };
  const listed: ListedIssuerRow = { at, not_after: notAfter, ...of };
  const need = retainCrl(mount, config, { set, shard, notAfter, addresses: [] });
  return {
    put: [
      [keys.listedIssuer(set, serial), listed, { [revokedExpiryIndex]: notAfter }],
      ...need.put,
    ],
    append: [[keys.crlPages(crlIdOf(set, shard)), encodeEntry(serial, listed)]],
    shard,
  };
}
