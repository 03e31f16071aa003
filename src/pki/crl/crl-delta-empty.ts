import { asBytes, concat } from "../../base/bytes.ts";
import type { Mount } from "../../engine/mount.ts";
import { keys, type DeltaRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/unit.ts";
import { deltaIndicator } from "../../x509/crl.ts";
import { openIssuer } from "../issuer/issuer.ts";
import { livingLists } from "./crl-living.ts";
import { partsOf } from "./crl-list.ts";
import { deltaOf, listState } from "./crl-number.ts";
import { issuingPoint, namesId } from "./crl-points.ts";
import { chunksOf } from "./crl-publish.ts";
import { crlSigner } from "./crl-set.ts";
import { signCrl } from "./crl-sign.ts";
import { merged, replaced } from "./crl-store.ts";

/** A delta that was signed, and its row. */
export interface BuiltDelta {
  readonly row: DeltaRow;
  readonly der: Uint8Array;
}
/** SHA-256 of encoded entries. */
export const digestOf = async (pages: readonly Uint8Array[]): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(concat(pages))));

/**
 * The delta of a complete list while the mount builds no deltas: one for each complete list, and
 * without entries. It has the number and the dates of that list, because it says the same (RFC 5280
 * section 5.2.4). "complete": that list is to be built first.
 */
export async function emptyDelta(
  ca: Mount,
  config: Snapshot,
  list: string,
): Promise<Decision<BuiltDelta | "complete" | undefined>> {
  const row = crlSigner(config, partsOf(list).set);
  const key = row && config.keys.get(row.key_id);
  if (!row || !key) return { reply: undefined };
  const { complete: base, delta } = await listState(ca, list);
  const living = await livingLists(ca, config);
  if (!base || !living.has(list) || base.value.names !== namesId(living, list))
    return { reply: "complete" };
  const { number, this_update, next_update, again } = base.value;
  if (delta && delta.value.base >= number) return { reply: undefined };
  const der = await signCrl(await openIssuer(row, ca, config, key), {
    thisUpdate: this_update,
    nextUpdate: next_update,
    number,
    pages: [],
    extensions: [deltaIndicator(number), issuingPoint(living, list)],
  });
  const state: DeltaRow = {
    number,
    issuer: row.id,
    chunks: chunksOf(der).length,
    size: der.length,
    this_update,
    next_update,
    ...(again ? { again } : {}),
    entries: 0,
    base: number,
    digest: await digestOf([]),
    // no job renews it: the next complete list takes it away
    renewal: 0,
  };
  const id = deltaOf(list);
  const expectBase = { expect: [[keys.crl(list), base.rev] as const], put: [], del: [] };
  return {
    reply: { row: state, der },
    batch: merged(await replaced(ca, id, delta, { state, der }), expectBase),
  };
}
