import { crlConfig } from "../rows/settings.ts";
import { keysById, keys, type CrlRow } from "../rows/records.ts";
import { parseDuration } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Decision } from "../../engine/store-context.ts";
import type { Job } from "../../engine/deployment.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { openIssuer } from "../issuer/issuer.ts";
import { readCompleteEntries, type EntryMismatch, type CrlEntries } from "./crl-entries.ts";
import {
  refuseTooManyEntries,
  crlDates,
  deltaOf,
  readCrlStates,
  nextNumber,
  type CrlStates,
} from "./crl-state.ts";
import { readActiveCrls, type ActiveCrls } from "./active-crls.ts";
import { hasDeltas, isDue } from "./crl-schedule.ts";
import { buildFollowingDelta } from "./crl-delta.ts";
import { clearStoredNotice, noteTooLarge, clearNotice, noteOverdue } from "./crl-overdue.ts";
import {
  freshestCrlOf,
  issuingDistributionPointOf,
  namesDigest,
} from "./crl-distribution-points.ts";
import { sizeMembers, publishCrl } from "./crl-publish.ts";
import { withdrawCrl, lastWithdrawnNumber, crlBatch } from "./crl-store.ts";
import { readPreviousBuild } from "./crl-digest.ts";
import { crlSigner, hasIssuers } from "./crl-set.ts";
import { seriesBeside } from "./page-series.ts";
import { signCrl } from "./crl-sign.ts";

/**
 * The job that builds a CRL from its encoded entries, signs it, stores it under the next CRL
 * number, and publishes it.
 */
export const crlBuild: Job = {
  kind: "crl",
  of: "mount",
  budget: 1,
  step: (mount, set) => buildCrl(mount, set),
  beside: seriesBeside,
};

/**
 * Maximum number of times that a build repairs the entries. If they still do not match, because new
 * revocations keep arriving, the build fails.
 */
const maxRepairs = 3;

async function buildCrl(mount: Mount, set: string): Promise<void> {
  const built = await buildAgreedCrl(mount, set).catch(async (error: unknown) => {
    if (error instanceof CaError && error.code === "constraint") await noteTooLarge(mount, set);
    // the caller logs the error; if storage failed, storing the notice may fail too
    else await noteOverdue(mount, set).catch(() => undefined);
    throw error;
  });
  if (built === "removed") for (const id of [set, deltaOf(set)]) await clearStoredNotice(mount, id);
  if (!built || built === "removed") return;
  if (built.resumes) await clearNotice(mount, set);
  await publishCrl(mount, set, built.row, built.der);
  if (built.endsDelta) await clearStoredNotice(mount, deltaOf(set));
  await buildFollowingDelta(mount, set);
}
async function buildAgreedCrl(
  mount: Mount,
  set: string,
): Promise<BuiltCrl | "removed" | undefined> {
  for (let tries = 0; tries <= maxRepairs; tries++) {
    const built = await mount.decide((config) => nextCrl(mount, config, set));
    if (!built || built === "removed" || "der" in built) return built;
    // loaded on first use, because mismatches are rare
    const { repairEntries } = await import("./crl-repair.ts");
    await repairEntries(mount, built.disagrees, set);
  }
  throw new CaError("busy", "the entries of the CRL kept changing during the build; try again");
}

const namesOf = (active: ActiveCrls, crlId: string): Pick<CrlRow, "names"> => {
  const names = namesDigest(active, crlId);
  return names === undefined ? {} : { names };
};

interface BuiltCrl {
  readonly row: CrlRow;
  readonly der: Uint8Array;
  /** Whether `sys/health` may contain a notice about the previous CRL. */
  readonly resumes: boolean;
  /** Whether the build removes a delta CRL. */
  readonly endsDelta: boolean;
}
/**
 * Returns an empty list of entries, for a mount whose CRLs are disabled (B 1.8 rule 12). The
 * resulting CRL lacks entries of the previous build, so no delta CRL can be based on it.
 */
async function emptyEntries(mount: Mount, crlId: string): Promise<CrlEntries> {
  const { sums, rev } = await readPreviousBuild(mount, crlId);
  const key = keys.crlSum(crlId);
  const counted = sums ? [[key, { pages: [...sums.values()], mended: true }] as const] : [];
  return { pages: [], count: 0, put: counted, expect: [[key, rev]] };
}

/** Reports whether the complete CRL is empty and no later delta CRL adds entries. */
const isEmptied = ({ complete, delta }: CrlStates): boolean =>
  complete?.value.entries === 0 && (delta?.value.number ?? 0) <= complete.value.number;

async function nextCrl(
  mount: Mount,
  config: Snapshot,
  set: string,
): Promise<Decision<BuiltCrl | EntryMismatch | "removed" | undefined>> {
  const row = crlSigner(config, set);
  const key = row && config.get(keysById).get(row.key_id);
  const states = await readCrlStates(mount, set);
  const current = states.complete;
  if (!key && hasIssuers(config, set)) return { reply: undefined };
  const active = await readActiveCrls(mount, config);
  if (!row || !key || !active.has(set)) return withdrawCrl(mount, set, states);
  const { disable } = config.get(crlConfig);
  if (disable && isEmptied(states)) return { reply: undefined };
  const now = mount.ports.now();
  const due = current === undefined || isDue(config, current.value, now);
  const entries = disable
    ? await emptyEntries(mount, set)
    : await readCompleteEntries(mount, config, set, due);
  if ("disagrees" in entries) return { reply: entries };
  // `entered` omits the pages, so that their memory can be freed while the CRL is signed and stored
  const { pages, count, ...entered } = entries;
  refuseTooManyEntries(config, count, "CRL");
  const issuer = await openIssuer(row, mount, config, key);
  const thisUpdate = Math.floor(now / 1000);
  const number = current ? nextNumber(states) : (await lastWithdrawnNumber(mount, set)) + 1;
  const nextUpdate = thisUpdate + (parseDuration(config.get(crlConfig).expiry) ?? 0);
  const signed = await signCrl(issuer, {
    thisUpdate,
    nextUpdate,
    number,
    pages,
    extensions: [issuingDistributionPointOf(active, set), freshestCrlOf(config, row, set)],
  });
  const endsDelta = states.delta !== undefined && !hasDeltas(config);
  return signed.inChange(async (der) => {
    const state: CrlRow = {
      number,
      issuer: row.id,
      ...sizeMembers(der),
      ...crlDates(current?.value, thisUpdate, nextUpdate),
      entries: count,
      ...namesOf(active, set),
    };
    return {
      reply: { row: state, der, resumes: due || current.value.held === true, endsDelta },
      batch: await crlBatch(mount, config, set, { states, state, der, entries: entered }),
    };
  });
}
