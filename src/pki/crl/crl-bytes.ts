import { concat } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type CrlRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { verifySignature } from "../../x509/algorithm.ts";
import { parseCrl } from "../../x509/crl.ts";
import { readIssuingDistributionPoint } from "../../x509/distribution-points.ts";
import type { Extension } from "../../x509/extension.ts";
import { extensionOid } from "../../x509/oid.ts";
import { certificateOf } from "../issuer/issuer.ts";
import { shardAt } from "../issuer/shards.ts";
import { partsOf } from "./crl-list.ts";
import { listOfId } from "./crl-number.ts";
import { publishedNames } from "./crl-publish.ts";

/**
 * Whether published bytes are those of a set's list: its issuer signed them, at its time. All
 * issuers of a set have one key, so that any of them tells; where none is here, or not yet, the
 * length must do.
 */
async function isList(
  config: Snapshot,
  id: string,
  row: CrlRow,
  der: Uint8Array,
): Promise<boolean> {
  if (der.length !== row.size) return false;
  const { set, shard } = partsOf(listOfId(id));
  const issuer = [...config.issuers.values()].find(({ crl_set }) => crl_set === set);
  if (!issuer) return true;
  try {
    const { thisUpdate, algorithm, tbs, signature, extensions } = parseCrl(der);
    const { spki } = certificateOf(issuer);
    const isSigned = await verifySignature(spki, algorithm, tbs, signature);
    return isSigned && thisUpdate === row.this_update && isOfShard(extensions, shard);
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}

/** Whether the names of a list are those of a shard; a complete list has none. */
function isOfShard(extensions: readonly Extension[], shard: string | undefined): boolean {
  const point = extensions.find(({ oid }) => oid === extensionOid.issuingDistributionPoint);
  if (shard === undefined) return point === undefined;
  const [name] = point ? readIssuingDistributionPoint(point.value) : [];
  return name !== undefined && shardAt(name) === shard;
}

/** The DER of a list or a delta, by its id: as it was published, else from the store. */
export async function listBytes(
  ca: Mount,
  config: Snapshot,
  id: string,
  row: CrlRow,
): Promise<Uint8Array> {
  const published = publishedNames(ca.name, id, row.number, row.chunks);
  const parts = await Promise.all(
    published.map(async (name) => ca.ports.publish?.get(name).catch(() => undefined)),
  );
  if (parts.every((part) => part !== undefined)) {
    const whole = concat(parts);
    if (await isList(config, id, row, whole)) return whole;
    const cause = new Error("the published bytes of a CRL are not those of the list");
    ca.ports.log?.({ endpoint: "read crl", status: 500, ms: 0, cause });
  }
  const rows = await Promise.all(
    published.map(
      async (_, chunk) => (await ca.store.get([keys.crlChunk(id, row.number, chunk)]))[0],
    ),
  );
  // a list that was replaced twice while it was read: the caller's next read finds the new number
  if (rows.some((found) => !found)) throw new CaError("busy", "the CRL was replaced; try again");
  return concat(rows.map((found) => found?.value as Uint8Array));
}
