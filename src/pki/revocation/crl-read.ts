import { memo } from "../../base/memo.ts";
import { kindOf } from "../../engine/cache.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Row } from "../../engine/ports.ts";
import type { CrlRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { crlState } from "./crl-number.ts";
import { crlRenewal, isDue, isRenewed } from "./crl-renewal.ts";
import { listBytes } from "./crl-bytes.ts";

/** A published list: its DER and what is told of it. */
export interface PublishedCrl {
  readonly der: Uint8Array;
  readonly row: CrlRow;
}
/** The current list, and when its number was read, Unix milliseconds. */
export interface CurrentCrl extends PublishedCrl {
  readonly read: number;
}

const states = kindOf<{ readonly at: number; readonly state: Row<CrlRow> } | undefined>();
/** The bytes read last of each set's list. */
const held = memo<Mount, readonly [], Map<string, PublishedCrl>>(() => new Map());
/** Bytes under a number never change, but in a store that was put back to an older state. */
const isSameList = (one: CrlRow, other: CrlRow): boolean =>
  one.number === other.number && one.this_update === other.this_update && one.size === other.size;

/**
 * The current CRL of a set, its number at most a second old. One that is due, or was never built,
 * is signed first, where that was not done already.
 */
export async function currentCrl(
  ca: Mount,
  config: Snapshot,
  set: string,
): Promise<CurrentCrl | undefined> {
  const read = () =>
    ca.unit.cache.recent(states, set, async () => {
      const at = ca.ports.now();
      const state = await crlState(ca, set);
      return state && { at, state };
    });
  let found = await read();
  const isLate = !found || isDue(config, found.state.value, ca.ports.now());
  if (isLate && isRenewed(config, set) && (await renewed(ca, config, set))) found = await read();
  if (!found) return undefined;
  const row = found.state.value;
  const last = held(ca).get(set);
  const der = last && isSameList(last.row, row) ? last.der : await listBytes(ca, config, set, row);
  held(ca).set(set, { row, der });
  return { row, der, read: found.at };
}

/**
 * How long after a failure readers do not have a list built again, milliseconds: a stranger must
 * not make a build of each read.
 */
const waitAfterFailure = 30_000;
const failures = memo<Mount, readonly [], Map<string, number>>(() => new Map());

/**
 * Has a list that is due signed again, in one build for all who ask meanwhile. False: it was tried
 * in vain not long ago.
 */
async function renewed(ca: Mount, config: Snapshot, set: string): Promise<boolean> {
  const failed = failures(ca);
  const since = ca.ports.now() - (failed.get(set) ?? -Infinity);
  // a clock that went back says nothing about how long that is ago
  if (since >= 0 && since < waitAfterFailure) return false;
  try {
    await ca.unit.once(crlRenewal.kind, set);
    const state = await crlState(ca, set);
    if (state && !isDue(config, state.value, ca.ports.now())) failed.delete(set);
    else failed.set(set, ca.ports.now());
  } catch (cause) {
    failed.set(set, ca.ports.now());
    ca.ports.log?.({ endpoint: "renew crl", status: 500, ms: 0, cause });
  }
  return true;
}
