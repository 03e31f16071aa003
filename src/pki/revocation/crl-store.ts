import { jobKeys } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import { keys, type CrlRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { ListEntries } from "./crl-entries.ts";
import { chunksOf } from "./crl-publish.ts";
import { crlRenewal, renewalJob } from "./crl-renewal.ts";
import { supersede } from "./crl-unpublish.ts";

/** The step from one list of a set to the next. */
export interface Step {
  readonly current: Row<CrlRow> | undefined;
  readonly state: CrlRow;
  readonly der: Uint8Array;
  readonly entries: Pick<ListEntries, "sums" | "expect">;
}
/**
 * The new list, the removal of the one before the last (readers may still hold the last number),
 * and the jobs of its renewal and of its end.
 */
export async function crlBatch(
  ca: Mount,
  config: Snapshot,
  set: string,
  { current, state, der, entries }: Step,
): Promise<Batch> {
  const chunks = chunksOf(der).map(
    (bytes, chunk) => [keys.crlChunk(set, state.number, chunk), bytes] as const,
  );
  const old = (await ca.store.list(keys.crlChunks(set), { values: false }))
    .map(([key]) => key)
    .filter((key) => current && !key.startsWith(keys.crlChunks(set, current.value.number)));
  const renewal = config.crl.disable ? [] : [renewalJob(config, set, state, ca.ports.now())];
  const planned = (await jobKeys(ca.store, crlRenewal.kind, set)).filter(
    (key) => key !== renewal[0]?.[0],
  );
  const put = [
    [keys.crl(set), state],
    ...chunks,
    ...renewal,
    ...supersede(ca, set, current?.value),
    ...entries.sums,
  ] as const;
  const expect = [[keys.crl(set), current?.rev ?? null] as const, ...entries.expect];
  return { expect, put, del: [...old, ...planned] };
}
