import { equalBytes } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import {
  keys,
  type IssuerRow,
  type ListedIssuerRow,
  type RevokedRow,
} from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { eachRevoked, encodeRevokedEntry } from "../../x509/crl.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { isSelfSigned, signedBy } from "../issuer/chain.ts";
import { rebuildNow } from "../revocation/crl-rebuild.ts";
import { crlSets } from "../revocation/crl-set.ts";
import { certificateOf, demandIssuer } from "../issuer/issuer.ts";
import { issuerOutput, issuerReply } from "./issuers.ts";
import { storedRow } from "../issuer/stored-certificate.ts";

export const revokeIssuer = endpoint({
  id: "revokeIssuer",
  at: ["POST /issuer/:issuer_ref/revoke"],
  access: "token",
  style: envelope,
  doc: "Revokes an issuer: it issues no more, and stands on the CRLs of its parents in this mount. It cannot be taken back.",
  body: {},
  reply: issuerReply,
  refuses: ["unknown_issuer"],
  run: async (ca, input, caller) => {
    const { reply, sets } = await ca.configure(
      async (config) => {
        const row = demandIssuer(config, input.issuer_ref);
        if (row.revoked !== undefined)
          return { reply: { reply: issuerOutput(config, row), sets: [] } };
        const now = ca.ports.now();
        const next: IssuerRow = {
          ...row,
          revoked: now,
          usage: row.usage.filter((usage) => usage !== "issuing-certificates"),
        };
        const parents = await parentSets(config, row);
        if (await isSelfSigned(certificateOf(row)))
          caller.warn(
            "This issuer is a self-signed (potentially root) certificate. This means it may not be considered revoked if there is not an external, cross-signed variant of this certificate.",
          );
        if (parents.length === 0)
          caller.warn(
            "This issuer lacks another parent issuer within the mount. This means it will not appear on any CRL of this mount.",
          );
        if (config.issuersConfig.default === row.id)
          caller.warn(
            "This issuer is currently configured as the default issuer for this mount; operations such as certificate issuance may not work until a new default issuer is selected.",
          );
        const { serial } = certificateOf(row);
        const entry = encodeRevokedEntry({ serial, revokedAt: Math.floor(now / 1000) });
        const shown = { ...config, issuers: new Map([...config.issuers, [row.id, next] as const]) };
        return {
          reply: { reply: issuerOutput(shown, next), sets: crlSets(config) },
          batch: {
            put: [
              [keys.issuer(row.id), next],
              ...(await revocationRow(ca, row, now, parents[0])),
              ...parents.map((set) => listedRow(set, serial, now)),
            ],
            append: parents.map((set) => [keys.crlPages(set), entry] as const),
          },
        };
      },
      { exact: true },
    );
    await rebuildNow(ca, caller, sets);
    return reply;
  },
});

/** CRL sets of the issuers that signed this one; never its own. */
async function parentSets(config: Snapshot, row: IssuerRow): Promise<readonly string[]> {
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
  readonly put: readonly (readonly [key: string, row: ListedIssuerRow])[];
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
    new Map<string, ListedIssuerRow>(),
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
      const [key, listed] = listedRow(parent.crl_set, serial, row.revoked ?? 0);
      put.set(key, listed);
      append.set(key, [
        page,
        encodeRevokedEntry({ serial, revokedAt: Math.floor(listed.at / 1000) }),
      ]);
    }
  return { put: [...put], append: [...append.values()] };
}
async function isListed(ca: Mount, pages: string, serial: Uint8Array): Promise<boolean> {
  // pages are written by `append` only, which holds bytes
  for (const [, { value }] of await ca.store.list(pages))
    for (const entry of eachRevoked({ entries: value as Uint8Array }))
      if (equalBytes(entry.serial, serial)) return true;
  return false;
}

/** A certificate that stands in the store as well is shown as revoked there. */
async function revocationRow(
  ca: Mount,
  row: IssuerRow,
  at: number,
  set: string | undefined,
): Promise<readonly (readonly [string, RevokedRow])[]> {
  const { serial } = certificateOf(row);
  const stored = await storedRow(ca, serial);
  if (!stored || !equalBytes(stored.value.der, row.der)) return [];
  return [
    [
      keys.revoked(serial),
      {
        at,
        issuer: stored.value.issuer,
        crl_set: set ?? stored.value.crl_set,
        ...(set === undefined ? { unlisted: true } : {}),
      },
    ],
  ];
}
const listedRow = (
  set: string,
  serial: Uint8Array,
  at: number,
): readonly [string, ListedIssuerRow] => [keys.listedIssuer(set, serial), { at }];
