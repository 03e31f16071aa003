import { crlConfig } from "../rows/settings.ts";
import { keysById, keys, type DeltaRow } from "../rows/records.ts";
import { equalBytes, asBytes, concat } from "../../base/bytes.ts";
import { parseDuration } from "../../base/duration.ts";
import type { Decide, Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import { mergeBatches } from "../../engine/merge-batches.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { deltaIndicator } from "../../x509/crl.ts";
import { openIssuer } from "../issuer/issuer.ts";
import { hasDeltas, isDue, plannedRenewal } from "./crl-schedule.ts";
import { readDeltaEntries } from "./crl-entries.ts";
import { readActiveCrls } from "./active-crls.ts";
import {
  refuseTooManyEntries,
  crlDates,
  deltaOf,
  readCrlStates,
  nextNumber,
  type CrlStates,
} from "./crl-state.ts";
import { crlParts, crlSigner } from "./crl-set.ts";
import { clearStoredNotice, noteLateDelta } from "./crl-overdue.ts";
import { issuingDistributionPointOf, namesDigest } from "./crl-distribution-points.ts";
import { sizeMembers, publishCrl } from "./crl-publish.ts";
import { seriesBeside } from "./page-series.ts";
import { signCrl } from "./crl-sign.ts";
import { deltaBatch, replaceCrl } from "./crl-store.ts";

/**
 * The reason for building a delta CRL: a request (`asked`), new entries (`news`), or a complete CRL
 * without a current delta (`missing`).
 */
type Occasion = "asked" | "news" | "missing";
const deltaJob = <K extends string>(kind: K, occasion: Occasion): Job & { readonly kind: K } => ({
  kind,
  of: "mount",
  budget: 1,
  beside: seriesBeside,
  step: async (mount, crlId) => {
    // if no delta can be based on the complete CRL, a new complete CRL is built first, with its
    // delta
    if ((await buildDelta(mount, crlId, occasion)) !== "complete") return;
    await mount.storeContext.run("crl", crlId);
    if (occasion === "missing") await buildDelta(mount, crlId, occasion);
  },
});
/** The job that adds new revocations to the delta of a CRL. */
export const crlDelta = deltaJob("crl-delta", "news");
/** The job that builds the first delta of a CRL, and renews a delta before it expires. */
export const crlDeltaRenewal = deltaJob("crl-delta-renewal", "missing");
/** The job that builds a delta CRL when a caller requests it. */
export const crlDeltaRotation = deltaJob("crl-delta-rotation", "asked");

/**
 * Builds the delta of a complete CRL that was just built. Logs a failure; a stored job then
 * retries.
 */
export async function buildFollowingDelta(mount: Mount, crlId: string): Promise<void> {
  if (!hasDeltas(await mount.config())) return;
  await buildDelta(mount, crlId, "news").catch((cause: unknown) =>
    mount.ports.log?.({ endpoint: "build delta", status: 500, ms: 0, cause }),
  );
}

/** Builds the delta of a CRL. Returns "complete" if the complete CRL must be built first. */
async function buildDelta(
  mount: Mount,
  crlId: string,
  occasion: Occasion,
): Promise<"complete" | undefined> {
  const make: Decide<DeltaResult> = (config) => {
    if (hasDeltas(config)) return nextDelta(mount, config, crlId, occasion);
    return occasion === "missing" ? emptyDelta(mount, config, crlId) : { reply: undefined };
  };
  const built = await mount.decide(make).catch(async (error: unknown) => {
    // the caller logs the error
    await noteFailedDelta(mount, crlId).catch(() => undefined);
    throw error;
  });
  if (built === undefined || built === "complete") return built;
  // also if unchanged: a build may have failed only because the reply to its commit was lost
  await clearStoredNotice(mount, deltaOf(crlId));
  if (built !== "unchanged") await publishCrl(mount, deltaOf(crlId), built.row, built.der);
  return undefined;
}

/**
 * Adds a notice about a delta that could not be built. If delta CRLs are disabled, adds none,
 * because the empty delta that is served instead is never late.
 */
async function noteFailedDelta(mount: Mount, crlId: string): Promise<void> {
  if (hasDeltas(await mount.config())) await noteLateDelta(mount, deltaOf(crlId));
}

type DeltaResult = BuiltDelta | "complete" | "unchanged" | undefined;
async function nextDelta(
  mount: Mount,
  config: Snapshot,
  crlId: string,
  occasion: Occasion,
): Promise<Decision<DeltaResult>> {
  const row = crlSigner(config, crlParts(crlId).set);
  const key = row && config.get(keysById).get(row.key_id);
  if (!row || !key) return { reply: undefined };
  const states = await readCrlStates(mount, crlId);
  const { complete: base, delta: current } = states;
  const now = mount.ports.now();
  const thisUpdate = Math.floor(now / 1000);
  const active = await readActiveCrls(mount, config);
  const isFollowed = base && active.has(crlId) && base.value.names === namesDigest(active, crlId);
  if (!isFollowed || base.value.this_update > thisUpdate) return { reply: "complete" };
  const entries = await readDeltaEntries(mount, config, crlId);
  if (!entries) return { reply: "complete" };
  const digest = await entriesDigest(entries.pages);
  const isUnchanged = occasion !== "asked" && hasSameEntries(states, digest);
  if (isUnchanged && current && !isDue(config, current.value, now))
    return { reply: "unchanged", ...rescheduledRenewal(mount, config, crlId, current) };
  refuseTooManyEntries(config, entries.count, "delta CRL");
  const number = nextNumber(states);
  const nextUpdate = thisUpdate + (parseDuration(config.get(crlConfig).expiry) ?? 0);
  const signed = await signCrl(await openIssuer(row, mount, config, key), {
    thisUpdate,
    nextUpdate,
    number,
    pages: entries.pages,
    extensions: [deltaIndicator(base.value.number), issuingDistributionPointOf(active, crlId)],
  });
  const dates = crlDates(current?.value, thisUpdate, nextUpdate);
  return signed.inChange(async (der) => {
    const state: DeltaRow = {
      ...dates,
      number,
      issuer: row.id,
      ...sizeMembers(der),
      entries: entries.count,
      base: base.value.number,
      digest,
      renewal: plannedRenewal(config, dates),
    };
    return {
      reply: { row: state, der },
      batch: await deltaBatch(mount, crlId, { base, current, state, der, entries }),
    };
  });
}
/**
 * Reschedules a renewal of a delta CRL that is due too early because the grace period was shortened
 * after it was scheduled.
 */
function rescheduledRenewal(
  mount: Mount,
  config: Snapshot,
  crlId: string,
  { rev, value }: Row<DeltaRow>,
): { readonly batch?: Batch } {
  const now = mount.ports.now();
  if (value.renewal > now) return {};
  const key = keys.crl(deltaOf(crlId));
  const renewal = plannedRenewal(config, value);
  const job = jobRow({ due: renewal, now }, crlDeltaRenewal.kind, crlId);
  return { batch: { expect: [[key, rev]], put: [[key, { ...value, renewal }], job] } };
}
const hasSameEntries = ({ complete, delta }: CrlStates, digest: Uint8Array): boolean =>
  delta?.value.base === complete?.value.number &&
  delta !== undefined &&
  equalBytes(delta.value.digest, digest);

/** A signed delta CRL, and its row. */
interface BuiltDelta {
  readonly row: DeltaRow;
  readonly der: Uint8Array;
}
/** Returns the SHA-256 of the encoded entries. */
const entriesDigest = async (pages: readonly Uint8Array[]): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(concat(pages))));

/**
 * Builds the empty delta of a complete CRL, for a mount that does not build delta CRLs. The delta
 * has the number and dates of the complete CRL, because the two together have the contents of that
 * CRL (RFC 5280 section 5.2.4). Returns "complete" if the complete CRL must be built first.
 */
async function emptyDelta(
  mount: Mount,
  config: Snapshot,
  crlId: string,
): Promise<Decision<BuiltDelta | "complete" | undefined>> {
  const row = crlSigner(config, crlParts(crlId).set);
  const key = row && config.get(keysById).get(row.key_id);
  if (!row || !key) return { reply: undefined };
  const { complete: base, delta } = await readCrlStates(mount, crlId);
  const active = await readActiveCrls(mount, config);
  if (!base || !active.has(crlId) || base.value.names !== namesDigest(active, crlId))
    return { reply: "complete" };
  const { number, this_update, next_update, again } = base.value;
  if (delta && delta.value.base >= number) return { reply: undefined };
  const signed = await signCrl(await openIssuer(row, mount, config, key), {
    thisUpdate: this_update,
    nextUpdate: next_update,
    number,
    pages: [],
    extensions: [deltaIndicator(number), issuingDistributionPointOf(active, crlId)],
  });
  const id = deltaOf(crlId);
  const expectBase = { expect: [[keys.crl(crlId), base.rev] as const], put: [], del: [] };
  return signed.inChange(async (der) => {
    const state: DeltaRow = {
      number,
      issuer: row.id,
      ...sizeMembers(der),
      this_update,
      next_update,
      ...(again ? { again } : {}),
      entries: 0,
      base: number,
      digest: await entriesDigest([]),
      // no job renews the empty delta; the next complete CRL removes it
      renewal: 0,
    };
    return {
      reply: { row: state, der },
      batch: mergeBatches(await replaceCrl(mount, id, delta, { state, der }), expectBase),
    };
  });
}
