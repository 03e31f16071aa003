import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { below, isIntact, keys, type ListNeedsRow, storedPki } from "../../engine/records.ts";
import type { Row } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { equalBytes } from "../../base/bytes.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import { retainCrl, week } from "../issuer/crl-retention.ts";
import { readActiveCrls } from "./active-crls.ts";
import { crlBuild } from "./crl-build.ts";
import { crlRenewal, isOutdated } from "./crl-schedule.ts";
import { crlSets } from "./crl-set.ts";
import { readableRows, unreadable } from "./readable-rows.ts";
import { storedCrl } from "../../engine/crl-records.ts";

type Put = readonly (readonly [key: string, value: unknown])[];

/**
 * What a change of the number of shards puts beside the configuration: certificates that were
 * issued before there were shards are to be looked through, and those that no one stored may live
 * as long as the mount lets any. `next`: the configuration as it will be.
 */
export async function retentionForShards(ca: Mount, held: Snapshot, next: Snapshot): Promise<Put> {
  const now = ca.ports.now();
  if (held.crl.shards === next.crl.shards) return [];
  const isFirst = held.crl.shards === 0;
  const roles = isFirst ? await ca.store.list(below.roles) : [];
  const isUnstored = roles.some(([, { value }]) => (value as { no_store?: unknown }).no_store);
  const notAfter = Math.ceil(now / 1000) + effectiveTtls(next.mount).max;
  const unstored = crlSets(next).flatMap((set) =>
    isUnstored ? retainCrl(ca, next, { set, shard: undefined, notAfter, addresses: [] }).put : [],
  );
  const unknown: ListNeedsRow = { known: false };
  return [
    ...(isFirst ? [[keys.listNeedsKnown, unknown] as const] : []),
    ...unstored,
    jobRow({ due: now, now }, crlAdjustment.kind, "all"),
  ];
}

/**
 * Has the lists follow a change at once; what fails, and more than one run builds, is left to the
 * job of the change.
 */
export const adjustCrls = (ca: Mount): Promise<void> =>
  ca.unit.once(crlAdjustment.kind, "all").catch(() => undefined);

/** Certificates that one step looks at. */
const certsPerStep = 500;
/**
 * Lists that one step builds or removes: a run on Workers may speak to KV a thousand times, and who
 * changed the configuration waits for the first run.
 */
const crlsPerStep = 8;
/** How long a list that could not be built waits, milliseconds. */
const retryDelay = 30_000;
/** Where the look at the certificates of before has come to. */
interface ScanProgress {
  /** Revision of the row that says that they are not known. */
  readonly rev: number;
  readonly after: string;
}
/** The list that was adjusted last. */
interface AdjustProgress {
  readonly list: string;
}

/**
 * Notes the certificates of before that name no shard; then has every list built that is needed and
 * not there, or has not all its names, and removes those that nobody needs.
 */
export const crlAdjustment: Job = {
  kind: "crl-lists",
  of: "mount",
  budget: 10,
  step: async (ca, _, progress) => {
    const config = await ca.config();
    const [row] = config.crl.shards === 0 ? [] : await ca.store.get([keys.listNeedsKnown]);
    // progress is written by this step only
    const before = progress as ScanProgress | AdjustProgress | undefined;
    if (row && !storedCrl.listNeeds(row.value).known) {
      const isOfThese = before !== undefined && "rev" in before && before.rev === row.rev;
      const after = isOfThese ? before.after : below.certs;
      const next = await retainForUnsharded(ca, config, row.rev, after);
      if (next !== undefined) return { rev: row.rev, after: next };
    }
    if (before && "list" in before) return adjustSome(ca, before.list);
    await ca.unit.commit({ del: await coveredRetentions(ca) });
    return adjustSome(ca, "");
  },
};

/** Notes some certificates, in the order of their keys; tells where the next ones begin. */
async function retainForUnsharded(
  ca: Mount,
  config: Snapshot,
  rev: number,
  after: string,
): Promise<string | undefined> {
  const page = { after, limit: certsPerStep, values: false } as const;
  const names = (await ca.store.list(below.certs, page)).map(([key]) => key);
  const put = new Map<string, unknown>();
  for (const row of await readableRows(ca, names))
    for (const [set, notAfter] of row ? completeCrlsOf(ca, config, row) : [])
      put.set(keys.listNeed(set, 0, Math.ceil(notAfter / week), "before"), { addresses: [] });
  await yieldToEventLoop();
  const isLast = names.length === 0;
  const known: ListNeedsRow = { known: true };
  const done = await ca.unit.commit({
    onlyAtEpoch: config.epoch,
    expect: [[keys.listNeedsKnown, rev]],
    put: [...put, ...(isLast ? [[keys.listNeedsKnown, known] as const] : [])],
  });
  // the configuration changed meanwhile: these are noted again
  return done ? names.at(-1) : after;
}
/**
 * The sets whose complete list a stored certificate is on, and until when, Unix seconds. One whose
 * row is damaged may be on any, as long as the mount lets certificates live.
 */
function completeCrlsOf(
  ca: Mount,
  config: Snapshot,
  row: Row | typeof unreadable,
): readonly (readonly [set: string, notAfter: number])[] {
  const cert = row === unreadable ? undefined : storedPki.cert(row.value);
  if (!cert || !isIntact(cert)) {
    const most = ca.ports.now() / 1000 + effectiveTtls(config.mount).max;
    return crlSets(config).map((set) => [set, most]);
  }
  const { notAfter, issuer, subject } = parseCertificate(cert.der);
  // a root is on no list of its own
  const isOther = cert.shard !== undefined || equalBytes(issuer, subject);
  return isOther ? [] : [[cert.crl_set, notAfter]];
}

/**
 * Needs that a later one of the same addresses covers. The last one stays when it has ended too: a
 * clock that was ahead must not leave certificates without a list.
 */
async function coveredRetentions(ca: Mount): Promise<readonly string[]> {
  const names = (await ca.store.list(below.listNeeds, { values: false })).map(([key]) => key);
  const latest = new Map<string, string>();
  // keys are in the order of their ends
  for (const key of names) latest.set(key.replace(/\/\d{6}\//, "/"), key);
  const kept = new Set(latest.values());
  return names.filter((key) => !kept.has(key));
}

/** Adjusts some lists, in the order of their ids, behind one. */
async function adjustSome(ca: Mount, behind: string): Promise<AdjustProgress | undefined> {
  const config = await ca.config();
  const living = await readActiveCrls(ca, config);
  const now = ca.ports.now();
  const states = new Map((await ca.store.list(below.crls)).map(([key, row]) => [key, row]));
  const isRight = (list: string): boolean => {
    const row = states.get(keys.crl(list));
    return (
      row !== undefined && !isOutdated({ config, living, now }, list, storedCrl.crl(row.value))
    );
  };
  const dead = [...states.keys()]
    .map((key) => key.slice(below.crls.length))
    .filter((list) => crlIdForm.test(list) && !living.has(list));
  const wrong = living.of(crlSets(config)).filter((list) => !isRight(list));
  const left = [...wrong, ...dead].filter((list) => list > behind).toSorted();
  const some = left.slice(0, crlsPerStep);
  for (const list of some)
    await ca.unit
      .run(living.has(list) ? crlRenewal.kind : crlBuild.kind, list)
      // one that cannot be built keeps none of the others back, and is tried again by itself
      .catch(() =>
        ca.unit.commit({ put: [jobRow({ due: now + retryDelay, now }, "crl-renewal", list)] }),
      );
  const list = some.at(-1);
  return list !== undefined && left.length > some.length ? { list } : undefined;
}
/** Deltas have states of their own. */
const crlIdForm = /^[0-9a-f]+(-\d+-\d+)?$/;
