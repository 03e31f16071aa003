import { issuersConfig } from "../rows/settings.ts";
import { issuersById, keysById, type IssuerRow } from "../rows/records.ts";
import { toHex } from "../../base/bytes.ts";
import { memoize } from "../../base/memo.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import {
  issuerHashes,
  issuerHashOf,
  type IssuerHash,
  type CertId,
} from "../../x509/ocsp-request.ts";
import { certificateOf, openIssuer } from "../issuer/issuer.ts";
import { signingResponder } from "./delegate.ts";
import type { Responder } from "./ocsp-sign.ts";

/** Issuers with the same name and key, which clients cannot distinguish. */
export type Members = readonly IssuerRow[];
type ByHashes = ReadonlyMap<string, Members>;

/** Cache of the issuers by their hashes, per configuration and hash algorithm. */
const issuersByHash = memoize<Snapshot, readonly [], Map<IssuerHash, ByHashes>>(() => new Map());

/**
 * Returns the issuers whose name and key have the hashes in a CertID, if the mount has their key (B
 * 2). Returns undefined if there are none or if the hash algorithm is not supported.
 */
export async function membersOf(
  config: Snapshot,
  { hash: oid, nameHash, keyHash }: Pick<CertId, "hash" | "nameHash" | "keyHash">,
): Promise<Members | undefined> {
  const hash = issuerHashOf(oid);
  if (!hash) return undefined;
  // caches the result and not the promise, because on Workers promises of cancelled requests never
  // settle
  const issuers = issuersByHash(config).get(hash) ?? (await byHashes(config, hash));
  issuersByHash(config).set(hash, issuers);
  return issuers.get(toHex(nameHash) + toHex(keyHash));
}

async function byHashes(config: Snapshot, hash: IssuerHash): Promise<ByHashes> {
  const all = new Map<string, IssuerRow[]>();
  for (const row of config.get(issuersById).values()) {
    if (row.key_id === "" || !config.get(keysById).has(row.key_id)) continue;
    const { nameHash, keyHash } = await issuerHashes(hash, certificateOf(row));
    const key = toHex(nameHash) + toHex(keyHash);
    all.set(key, [...(all.get(key) ?? []), row]);
  }
  return all;
}

/**
 * Returns the signer of OCSP responses for issuers with the same name and key: the first of them
 * that has the `ocsp-signing` usage, or its delegated responder. The issuer may be revoked or
 * expired (B 2). Returns undefined if none may sign.
 */
export async function responderOf(
  mount: Mount,
  config: Snapshot,
  members: Members,
): Promise<Responder | undefined> {
  for (const row of members) {
    const key = row.key_id === "" ? undefined : config.get(keysById).get(row.key_id);
    if (key && row.usage.includes("ocsp-signing"))
      return signingResponder(mount, config, await openIssuer(row, mount, config, key));
  }
  return undefined;
}

/**
 * Returns the issuers that respond for unknown issuers: the default issuer, and those with the same
 * name and key. Returns none if there is no default issuer.
 */
export function defaultMembers(config: Snapshot): Members {
  const chosen = config.get(issuersById).get(config.get(issuersConfig).default);
  if (!chosen) return [];
  const like = [...config.get(issuersById).values()].filter(
    (row) => row !== chosen && row.key_id === chosen.key_id && row.crl_set === chosen.crl_set,
  );
  return [chosen, ...like];
}
