import { equalBytes } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Index } from "../../engine/ports.ts";
import { keys, type IssuerRow, type ListedIssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { eachRevoked } from "../../x509/crl.ts";
import { signedBy } from "../issuer/signed-by.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { encodedEntry } from "../revocation/crl-revocations.ts";

/** CRL sets of the issuers that signed this one; never its own. */
export async function parentSets(config: Snapshot, row: IssuerRow): Promise<readonly string[]> {
  const child = certificateOf(row);
  const sets = new Set<string>();
  for (const parent of config.issuers.values())
    if (
      parent.key_id !== "" &&
      parent.crl_set !== row.crl_set &&
      (await signedBy(child, certificateOf(parent)))
    )
      sets.add(parent.crl_set);
  return [...sets];
}

/** What puts revoked issuers on lists: the entries, and a row for each that says so. */
export interface Listed {
  readonly put: readonly (readonly [key: string, row: ListedIssuerRow, index: Index])[];
  readonly append: readonly (readonly [page: string, entry: Uint8Array])[];
}
/**
 * Entries for the lists of issuers that come with a key, or get theirs: of the issuers they signed
 * that were revoked before (B 1.2). What stands on a list already is left out.
 */
export async function revokedBelow(
  ca: Mount,
  config: Snapshot,
  added: readonly IssuerRow[],
): Promise<Listed> {
  const [put, append] = [
    new Map<string, ReturnType<typeof listedRow>>(),
    new Map<string, readonly [string, Uint8Array]>(),
  ];
  for (const row of config.issuers.values())
    for (const parent of row.revoked === undefined ? [] : added) {
      if (
        parent.key_id === "" ||
        parent.crl_set === row.crl_set ||
        !(await signedBy(certificateOf(row), certificateOf(parent)))
      )
        continue;
      const { serial } = certificateOf(row);
      const page = keys.crlPages(parent.crl_set);
      if (await isListed(ca, page, serial)) continue;
      const listed = listedRow(parent.crl_set, row, row.revoked ?? 0);
      const [key, value] = listed;
      put.set(key, listed);
      append.set(key, [page, encodedEntry(serial, value)]);
    }
  return { put: [...put.values()], append: [...append.values()] };
}
async function isListed(ca: Mount, pages: string, serial: Uint8Array): Promise<boolean> {
  // pages are written by `append` only, which holds bytes
  for (const [, { value }] of await ca.store.list(pages))
    for (const entry of eachRevoked({ entries: value as Uint8Array }))
      if (equalBytes(entry.serial, serial)) return true;
  return false;
}

/** The row that says of an issuer that it is on the list of a set. */
export function listedRow(
  set: string,
  issuer: IssuerRow,
  at: number,
): readonly [string, ListedIssuerRow, Index] {
  const { serial, notAfter: not_after } = certificateOf(issuer);
  return [keys.listedIssuer(set, serial), { at, not_after }, { not_after }];
}
