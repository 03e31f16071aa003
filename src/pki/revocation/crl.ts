import { parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { jobPrefix } from "../../base/job-key.ts";
import type { Decision, Mount } from "../../engine/mount.ts";
import type { Job } from "../../engine/unit.ts";
import type { Batch, Row } from "../../engine/ports.ts";
import { keys, type CrlRow, type IssuerRow, type NoticeRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { freshestCrl } from "../../x509/extension.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { crlRenewal, crlSets, crlSigner, crlState, isDue, renewalJob } from "./crl-due.ts";
import { listEntries, mendEntries, type Disagreement, type ListEntries } from "./crl-entries.ts";
import { chunksOf, publishCrl, supersede } from "./crl-publish.ts";
import { signCrl } from "./crl-sign.ts";
import { openIssuer } from "../issuer/issuer.ts";
import { urlsFor } from "../issuer/urls.ts";

/**
 * Builds the complete CRL of a set from its encoded entries, signs it, stores it under the next
 * number and publishes it.
 */
export const crlJob: Job = { kind: "crl", run: (ca, set) => buildCrl(ca, set) };

/**
 * How often entries are written anew before a build gives up because revocations keep coming in
 * between.
 */
const mendTries = 3;

async function buildCrl(ca: Mount, set: string): Promise<void> {
  // the jobs are read before the entries: one that is put while this builds, under the same key
  // too, stays for the next build
  const jobs = (await ca.store.list(jobPrefix, { values: false })).filter(([key]) =>
    key.endsWith(`/crl/${set}`),
  );
  const built = await agreedCrl(ca, set).catch(async (error: unknown) => {
    if (error instanceof CaError && error.code === "constraint") await holdBack(ca, set);
    // told to the log already by whoever runs this; what fails for the storage can hardly be noted
    // there
    else await tellOverdue(ca, set).catch(() => undefined);
    throw error;
  });
  await Promise.all(
    jobs.map(([key, { rev }]) => ca.store.commit({ expect: [[key, rev]], del: [key] })),
  );
  if (built?.resumes)
    await ca.deployment.sys.store.commit({ del: [keys.notice(ca.name, `crl/${set}`)] });
  if (built) await publishCrl(ca, set, built.row, built.der);
}
async function agreedCrl(ca: Mount, set: string): Promise<Built | undefined> {
  for (let tries = 0; tries <= mendTries; tries++) {
    const made = await ca.decide((config) => makeCrl(ca, config, set));
    if (!made || "der" in made) return made;
    await mendEntries(ca, made.disagrees);
  }
  throw new CaError("busy", "the entries of the CRL keep changing; try again");
}

const heldBack =
  "A CRL stays at its last complete state, because a newer one would have more entries than max_crl_entries.";
const overdue = "A CRL is due to be signed again and could not be; its last state is served.";

/** Notes for `sys/health` that a list is not signed again though its time has come. */
async function tellOverdue(ca: Mount, set: string): Promise<void> {
  const current = await crlState(ca, set);
  if (!current || !isDue(await ca.config(), current.value, ca.ports.now())) return;
  const notice: NoticeRow = { text: overdue };
  await ca.deployment.sys.store.commit({ put: [[keys.notice(ca.name, `crl/${set}`), notice]] });
}

/** Notes, once, that the list of a set stays behind its entries, for `sys/health` (D 4). */
async function holdBack(ca: Mount, set: string): Promise<void> {
  const current = await crlState(ca, set);
  if (current?.value.held) return;
  // the notice first: a mark without one would never be told
  const notice: NoticeRow = { text: heldBack };
  await ca.deployment.sys.store.commit({ put: [[keys.notice(ca.name, `crl/${set}`), notice]] });
  if (current)
    await ca.store.commit({
      expect: [[keys.crl(set), current.rev]],
      put: [[keys.crl(set), { ...current.value, held: true }]],
    });
}

interface Built {
  readonly row: CrlRow;
  readonly der: Uint8Array;
  /** Whether `sys/health` may have been told that the list before was the last. */
  readonly resumes: boolean;
}
/** Switched off: one empty list, and nothing is counted (B 1.8 rule 12). */
const noEntries: ListEntries = { pages: [], count: 0, sums: [] };

async function makeCrl(
  ca: Mount,
  config: Snapshot,
  set: string,
): Promise<Decision<Built | Disagreement | undefined>> {
  const row = crlSigner(config, set);
  const key = row && row.key_id !== "" ? config.keys.get(row.key_id) : undefined;
  const current = await crlState(ca, set);
  if (!row || !key) return { reply: undefined };
  const { disable, max_crl_entries: limit } = config.crl;
  if (disable && current && current.value.entries === 0) return { reply: undefined };
  const now = ca.ports.now();
  const due = current === undefined || isDue(config, current.value, now);
  const entries = disable ? noEntries : await listEntries(ca, config, set, due);
  if ("disagrees" in entries) return { reply: entries };
  const { count } = entries;
  if (limit >= 0 && count > limit)
    throw new CaError(
      "constraint",
      `CRL would contain ${count} entries, more than max_crl_entries (${limit})`,
    );
  const issuer = await openIssuer(ca, config, row, key);
  const thisUpdate = Math.floor(now / 1000);
  const number = (current?.value.number ?? 0) + 1;
  const nextUpdate = thisUpdate + (parseDuration(config.crl.expiry) ?? 0);
  const der = await signCrl(issuer, {
    thisUpdate,
    nextUpdate,
    number,
    pages: entries.pages,
    extensions: [freshestCrl(deltaPoints(config, row))],
  });
  const state: CrlRow = {
    number,
    issuer: row.id,
    chunks: chunksOf(der).length,
    size: der.length,
    this_update: thisUpdate,
    next_update: nextUpdate,
    entries: count,
  };
  const batch = await crlBatch(ca, config, set, { current, state, der });
  return {
    reply: { row: state, der, resumes: due || current.value.held === true },
    batch: { ...batch, put: [...batch.put, ...entries.sums] },
  };
}

/**
 * Where the deltas of a list lie; nowhere while the addresses cannot be filled in: a list without
 * them is better than none.
 */
function deltaPoints(config: Snapshot, row: IssuerRow): readonly string[] {
  try {
    return urlsFor(config, row).delta_crl_distribution_points;
  } catch (error) {
    if (error instanceof CaError) return [];
    throw error;
  }
}
interface Step {
  readonly current: Row<CrlRow> | undefined;
  readonly state: CrlRow;
  readonly der: Uint8Array;
}
/**
 * The new list, the removal of the one before the last (readers may still hold the last number),
 * and the jobs of its renewal and of its end.
 */
async function crlBatch(
  ca: Mount,
  config: Snapshot,
  set: string,
  { current, state, der }: Step,
): Promise<Batch & Required<Pick<Batch, "put">>> {
  const chunks = chunksOf(der).map(
    (bytes, chunk) => [keys.crlChunk(set, state.number, chunk), bytes] as const,
  );
  const old = (await ca.store.list(keys.crlChunks(set), { values: false }))
    .map(([key]) => key)
    .filter((key) => current && !key.startsWith(keys.crlChunks(set, current.value.number)));
  const renewal = config.crl.disable ? [] : [renewalJob(config, set, state, ca.ports.now())];
  const planned = (await ca.store.list(jobPrefix, { values: false }))
    .map(([key]) => key)
    .filter((key) => key.endsWith(`/${crlRenewal.kind}/${set}`) && key !== renewal[0]?.[0]);
  const put = [
    [keys.crl(set), state],
    ...chunks,
    ...renewal,
    ...supersede(ca, set, current?.value),
  ] as const;
  return { expect: [[keys.crl(set), current?.rev ?? null]], put, del: [...old, ...planned] };
}

/**
 * Builds lists now, after a change that is already stored: a failure is a warning, and the stored
 * job builds again.
 */
export async function rebuildNow(
  ca: Mount,
  caller: Caller,
  sets: readonly string[],
): Promise<void> {
  for (const [i, set] of sets.entries()) {
    try {
      await ca.once("crl", set);
    } catch (error) {
      // what is no refusal may speak of the inside
      caller.warn(
        `Warning ${i + 1} during CRL rebuild: ${error instanceof CaError ? error.message : "the list was not built"}`,
      );
    }
  }
}
/**
 * What to tell of a set's list that waits for the clock: whether the last build was held back (D
 * 4).
 */
export async function heldWarnings(
  ca: Mount,
  { crl }: Snapshot,
  set: string,
): Promise<readonly string[]> {
  return crl.max_crl_entries >= 0 && (await crlState(ca, set))?.value.held ? [heldBack] : [];
}
/** What hinders lists: sets whose issuers hold a key but none of them may sign CRLs. */
export function crlWarnings(config: Snapshot, sets = crlSets(config)): readonly string[] {
  return sets
    .filter((set) => !crlSigner(config, set))
    .map((set) => {
      const ids = [...config.issuers.values()]
        .filter((row) => row.crl_set === set)
        .map((row) => row.id);
      return `Issuer equivalency set with associated keys lacked an issuer with CRL Signing KeyUsage; refusing to rebuild CRL for this group of issuers: ${ids.join(",")}`;
    });
}
