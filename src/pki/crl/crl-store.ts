import { jobKey } from "../../base/row-keys.ts";
import { crlConfig } from "../rows/settings.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { jobKeys, jobRow } from "../../engine/jobs.ts";
import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import { keys, type CrlRow, type DeltaRow, type CrlNumberRow } from "../rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { CrlEntries } from "./crl-entries.ts";
import { chunksOf, supersededRows } from "./crl-publish.ts";
import { deltaDeadline, hasDeltas, crlRenewal, renewalJob } from "./crl-schedule.ts";
import { deltaOf, type CrlStates, nextNumber } from "./crl-state.ts";

/** A change that can be merged with others into one batch. */
type CrlChange = Required<Pick<Batch, "expect" | "put" | "del">>;

/** A new CRL, and its row. */
interface NewCrl<T extends CrlRow> {
  readonly state: T;
  readonly der: Uint8Array;
}
/**
 * Returns the change that stores a new CRL. Keeps the chunks of the current CRL, because readers
 * may still have its number, and deletes the chunks of older CRLs.
 */
export async function replaceCrl(
  mount: Mount,
  id: string,
  current: Row<CrlRow> | undefined,
  { state, der }: NewCrl<CrlRow>,
): Promise<CrlChange> {
  const chunks = chunksOf(der).map(
    (bytes, chunk) => [keys.crlChunk(id, state.number, chunk), bytes] as const,
  );
  const old = (await chunkKeys(mount, id)).filter(
    (key) => current && !key.startsWith(keys.crlChunks(id, current.value.number)),
  );
  return {
    expect: [[keys.crl(id), current?.rev ?? null]],
    put: [[keys.crl(id), state], ...chunks, ...supersededRows(mount, id, current?.value)],
    del: old,
  };
}
/** Returns the keys of all stored chunks of a CRL or delta. */
const chunkKeys = async (mount: Mount, id: string): Promise<readonly string[]> =>
  (await mount.store.list(keys.crlChunks(id), { values: false })).map(([key]) => key);

/** The inputs for replacing a complete CRL with the next one. */
interface CrlStep extends NewCrl<CrlRow> {
  readonly states: CrlStates;
  readonly entries: Pick<CrlEntries, "put" | "expect">;
}
/**
 * Returns the batch that stores a new complete CRL and its renewal job, and schedules or removes
 * the delta. The numbers of complete CRLs and deltas derive from the same rows, so the batch for
 * either one is conditional on the row of the other.
 */
export async function crlBatch(
  mount: Mount,
  config: Snapshot,
  crlId: string,
  { states, state, der, entries }: CrlStep,
): Promise<Batch> {
  const now = mount.ports.now();
  const renewal = config.get(crlConfig).disable ? [] : [renewalJob(config, crlId, state, now)];
  const planned = (await jobKeys(mount.store, crlRenewal.kind, crlId)).filter(
    (key) => key !== renewal[0]?.[0],
  );
  const { delta } = states;
  return mergeBatches(
    await replaceCrl(mount, crlId, states.complete, { state, der }),
    { expect: entries.expect, put: [...renewal, ...entries.put], del: planned },
    hasDeltas(config)
      ? {
          expect: [[keys.crl(deltaOf(crlId)), delta?.rev ?? null]],
          put: [jobRow({ due: deltaDeadline(state), now }, "crl-delta-renewal", crlId)],
          del: [],
        }
      : await removeDelta(mount, crlId, delta),
  );
}
/** Returns the change that removes the delta of a CRL, if there is one. */
async function removeDelta(
  mount: Mount,
  crlId: string,
  delta: Row<DeltaRow> | undefined,
): Promise<CrlChange> {
  const id = deltaOf(crlId);
  return {
    expect: [[keys.crl(id), delta?.rev ?? null]],
    put: supersededRows(mount, id, delta?.value),
    del: delta ? [keys.crl(id), ...(await chunkKeys(mount, id))] : [],
  };
}

/** The inputs for replacing a delta CRL with the next one. */
interface DeltaStep extends NewCrl<DeltaRow> {
  readonly base: Row<CrlRow>;
  readonly current: Row<DeltaRow> | undefined;
  readonly entries: Pick<CrlEntries, "expect">;
}
/** Returns the batch that stores a new delta CRL and its renewal job, and deletes obsolete jobs. */
export async function deltaBatch(
  mount: Mount,
  crlId: string,
  { base, current, state, der, entries }: DeltaStep,
): Promise<Batch> {
  const job = (due: number) => jobKey(due, "crl-delta-renewal", crlId);
  const renewal = jobRow(
    { due: state.renewal, now: mount.ports.now() },
    "crl-delta-renewal",
    crlId,
  );
  const needless = [
    job(deltaDeadline(base.value)),
    ...(current ? [job(current.value.renewal)] : []),
  ];
  return mergeBatches(await replaceCrl(mount, deltaOf(crlId), current, { state, der }), {
    expect: [[keys.crl(crlId), base.rev], ...entries.expect],
    put: [renewal],
    del: needless.filter((key) => key !== renewal[0]),
  });
}

/**
 * Returns the change that removes an inactive CRL and its delta CRL. It keeps the entries, because
 * the unsharded CRL includes them, and the last CRL number, so that a later CRL continues the
 * sequence.
 */
export async function withdrawCrl(
  mount: Mount,
  crlId: string,
  states: CrlStates,
): Promise<Decision<"removed" | undefined>> {
  const { complete, delta } = states;
  if (!complete) return { reply: undefined };
  const last: CrlNumberRow = { number: nextNumber(states) - 1 };
  const kinds = ["crl-renewal", "crl-delta-renewal", "crl-delta"];
  const jobs = await Promise.all(kinds.map((kind) => jobKeys(mount.store, kind, crlId)));
  const own = {
    expect: [[keys.crl(crlId), complete.rev] as const],
    del: [keys.crl(crlId), keys.crlSum(crlId), ...(await chunkKeys(mount, crlId)), ...jobs.flat()],
    put: [[keys.crlNumber(crlId), last] as const, ...supersededRows(mount, crlId, complete.value)],
  };
  return { reply: "removed", batch: mergeBatches(own, await removeDelta(mount, crlId, delta)) };
}

/** Returns the last number of a removed CRL, or 0 if no such CRL was removed. */
export async function lastWithdrawnNumber(mount: Mount, crlId: string): Promise<number> {
  const [row] = await mount.store.get([keys.crlNumber(crlId)]);
  return storedCrl.crlNumber(row?.value).number;
}
