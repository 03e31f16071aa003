import { crlConfig } from "../rows/settings.ts";
import { equalBytes } from "../../base/bytes.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import { storedCrl } from "../rows/crl-records.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { Row } from "../../engine/ports.ts";
import { rowPrefixes, isIntact, keys, type CrlNeedsRow, storedPki } from "../rows/records.ts";
import { rowReader } from "../../engine/row-reader.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { parseCertificate } from "../../x509/certificate.ts";
import { retainCrl, secondsPerWeek } from "../issuer/crl-retention.ts";
import { readActiveCrls } from "./active-crls.ts";
import { crlBuild } from "./crl-build.ts";
import { crlRenewal, isOutdated } from "./crl-schedule.ts";
import { crlSets } from "./crl-set.ts";
import { readableRows, unreadable } from "./readable-rows.ts";

type Put = readonly (readonly [key: string, value: unknown])[];

/** Parses the role setting that determines whether certificates are stored. */
const storedRole = rowReader<{ readonly no_store: boolean }>({ no_store: false });

/**
 * Returns the rows to store together with a change of the number of shards. The rows are a job that
 * scans the certificates issued before CRLs were sharded and, if a role does not store its
 * certificates, a retention for the mount's maximum certificate lifetime. `next` is the new
 * configuration.
 */
export async function retentionForShards(
  mount: Mount,
  current: Snapshot,
  next: Snapshot,
): Promise<Put> {
  const now = mount.ports.now();
  if (current.get(crlConfig).shards === next.get(crlConfig).shards) return [];
  const isFirst = current.get(crlConfig).shards === 0;
  const roles = isFirst ? await mount.store.list(rowPrefixes.roles) : [];
  const isUnstored = roles.some(([, { value }]) => storedRole(value).no_store);
  const notAfter = Math.ceil(now / 1000) + effectiveTtls(next.mount).max;
  const unstored = crlSets(next).flatMap((set) =>
    isUnstored
      ? retainCrl(mount, next, { set, shard: undefined, notAfter, addresses: [] }).put
      : [],
  );
  const unknown: CrlNeedsRow = { known: false };
  return [
    ...(isFirst ? [[keys.crlNeedsKnown, unknown] as const] : []),
    ...unstored,
    jobRow({ due: now, now }, crlAdjustment.kind, "all"),
  ];
}

/**
 * Runs the CRL adjustment immediately after a configuration change. The stored job retries failures
 * and handles the CRLs that do not fit into one run.
 */
export const adjustCrls = (mount: Mount): Promise<void> =>
  mount.storeContext.once(crlAdjustment.kind, "all").catch(() => undefined);

/** Number of certificates to scan per step. */
const certsPerStep = 500;
/**
 * Number of CRLs to build or remove per step. A Worker invocation may call KV at most a thousand
 * times, and the client that changed the configuration waits for the first run.
 */
const crlsPerStep = 8;
/** Delay before a failed build is retried (ms). */
const retryDelay = 30_000;
/** Progress of the scan through existing certificates. */
interface ScanProgress {
  /** Revision of the row that marks the scan as unfinished. */
  readonly rev: number;
  readonly after: string;
}
/** Progress of the adjustment. */
interface AdjustProgress {
  /** ID of the CRL that was adjusted last. */
  readonly list: string;
  /** Epoch of the configuration to which the CRLs are adjusted. */
  readonly epoch?: number;
}

/**
 * The job that adjusts the CRLs to the number of shards. It records retentions for existing
 * certificates that name no shard. Then it builds every active CRL that is missing or outdated, and
 * removes those that are no longer active.
 */
export const crlAdjustment: Job<ScanProgress | AdjustProgress> = {
  kind: "crl-lists",
  of: "mount",
  budget: 10,
  step: async (mount, _, before) => {
    const config = await mount.config();
    const [row] =
      config.get(crlConfig).shards === 0 ? [] : await mount.store.get([keys.crlNeedsKnown]);
    if (row && !storedCrl.crlNeeds(row.value).known) {
      const isOfThese = before !== undefined && "rev" in before && before.rev === row.rev;
      const after = isOfThese ? before.after : rowPrefixes.certs;
      const next = await retainForUnsharded(mount, config, row.rev, after);
      if (next !== undefined) return { rev: row.rev, after: next };
    }
    if (before && "list" in before && before.epoch === config.epoch)
      return adjustSome(mount, config, before.list);
    await mount.storeContext.commit({ del: await coveredRetentions(mount) });
    return adjustSome(mount, config, "");
  },
};

/**
 * Records retentions for one page of certificates, in key order. Returns the key after which the
 * next page starts, or undefined after the last page.
 */
async function retainForUnsharded(
  mount: Mount,
  config: Snapshot,
  rev: number,
  after: string,
): Promise<string | undefined> {
  const page = { after, limit: certsPerStep, values: false } as const;
  const names = (await mount.store.list(rowPrefixes.certs, page)).map(([key]) => key);
  const put = new Map<string, unknown>();
  for (const row of await readableRows(mount, names))
    for (const [set, notAfter] of row ? completeCrlsOf(mount, config, row) : [])
      put.set(keys.listNeed(set, 0, Math.ceil(notAfter / secondsPerWeek), "before"), {
        addresses: [],
      });
  await yieldToEventLoop();
  const isLast = names.length === 0;
  const complete: CrlNeedsRow = { known: true };
  const done = await mount.storeContext.commit({
    onlyAtEpoch: config.epoch,
    expect: [[keys.crlNeedsKnown, rev]],
    put: [...put, ...(isLast ? [[keys.crlNeedsKnown, complete] as const] : [])],
  });
  // if the configuration changed concurrently, scan this page again
  return done ? names.at(-1) : after;
}
/**
 * Returns the sets whose unsharded CRL covers a stored certificate, each with the time until which
 * the certificate is covered (Unix seconds). A damaged certificate may belong to any set, and may
 * be valid for the mount's maximum certificate lifetime.
 */
function completeCrlsOf(
  mount: Mount,
  config: Snapshot,
  row: Row | typeof unreadable,
): readonly (readonly [set: string, notAfter: number])[] {
  const cert = row === unreadable ? undefined : storedPki.cert(row.value);
  if (!cert || !isIntact(cert)) {
    const maxNotAfter = mount.ports.now() / 1000 + effectiveTtls(config.mount).max;
    return crlSets(config).map((set) => [set, maxNotAfter]);
  }
  const { notAfter, issuer, subject } = parseCertificate(cert.der);
  // a root is not on its own CRL
  const isOther = cert.shard !== undefined || equalBytes(issuer, subject);
  return isOther ? [] : [[cert.crl_set, notAfter]];
}

/**
 * Returns the keys of retentions that a later retention for the same CRL and URLs supersedes. The
 * latest retention stays even after it expires, because a clock that was ahead must not leave
 * certificates without a CRL.
 */
async function coveredRetentions(mount: Mount): Promise<readonly string[]> {
  const names = (await mount.store.list(rowPrefixes.crlNeeds, { values: false })).map(
    ([key]) => key,
  );
  const latest = new Map<string, string>();
  // for the same CRL, keys are in order of expiry
  for (const key of names) latest.set(key.replace(/\/\d{6}\//, "/"), key);
  const latestKeys = new Set(latest.values());
  return names.filter((key) => !latestKeys.has(key));
}

/** Adjusts the next CRLs after `behind`, in the order of their IDs. */
async function adjustSome(
  mount: Mount,
  config: Snapshot,
  behind: string,
): Promise<AdjustProgress | undefined> {
  const active = await readActiveCrls(mount, config);
  const now = mount.ports.now();
  const states = new Map(
    (await mount.store.list(rowPrefixes.crls)).map(([key, row]) => [key, row]),
  );
  const isRight = (crlId: string): boolean => {
    const row = states.get(keys.crl(crlId));
    return (
      row !== undefined && !isOutdated({ config, active, now }, crlId, storedCrl.crl(row.value))
    );
  };
  const dead = [...states.keys()]
    .map((key) => key.slice(rowPrefixes.crls.length))
    .filter((crlId) => crlIdForm.test(crlId) && !active.has(crlId));
  const wrong = active.of(crlSets(config)).filter((crlId) => !isRight(crlId));
  const left = [...wrong, ...dead].filter((crlId) => crlId > behind).toSorted();
  const some = left.slice(0, crlsPerStep);
  for (const crlId of some)
    await mount.storeContext
      .run(active.has(crlId) ? crlRenewal.kind : crlBuild.kind, crlId)
      // a CRL whose build fails must not delay the others, so it is retried separately
      .catch(() =>
        mount.storeContext.commit({
          put: [jobRow({ due: now + retryDelay, now }, "crl-renewal", crlId)],
        }),
      );
  const crlId = some.at(-1);
  return crlId !== undefined && left.length > some.length
    ? { list: crlId, epoch: config.epoch }
    : undefined;
}
/** Matches the IDs of unsharded CRLs and of shards, but not of deltas. */
const crlIdForm = /^[0-9a-f]+(-\d+-\d+)?$/;
