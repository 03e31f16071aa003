import { jobDueTime, jobPrefix } from "../../base/row-keys.ts";
import { storedCrl } from "../rows/crl-records.ts";
import { rowPrefixes, keys } from "../rows/records.ts";
import { crlConfig } from "../rows/settings.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { crlDeltaRenewal } from "./crl-delta.ts";
import { crlRenewal } from "./crl-schedule.ts";
import { deltaOf } from "./crl-state.ts";

/** Maximum number of jobs and of CRLs to read per check; jobs that are due first are read first. */
const maxRows = 200;
const expiringText =
  "A CRL was due for renewal but was not renewed; it expires soon or has expired.";
/** Tolerated clock skew between the issuer and clients (ms). */
const clockSkew = 10_000;
const futureText =
  "A CRL is dated in the future, so clients reject it and its revocations have no effect: the clock was ahead when the CRL was signed, or is behind now. Correct the clock, then rebuild the CRLs with GET crl/rotate.";

/** Returns warnings for `sys/health` about the dates of a mount's current CRLs. */
export async function crlDateWarnings(storeContext: StoreContext): Promise<readonly string[]> {
  return [...(await expiringCrls(storeContext)), ...(await futureCrls(storeContext))];
}

async function futureCrls({ store, ports }: StoreContext): Promise<readonly string[]> {
  const latest = (ports.now() + clockSkew) / 1000;
  const rows = await store.list(rowPrefixes.crls, { limit: maxRows });
  return rows.some(([, { value }]) => storedCrl.crl(value).this_update > latest)
    ? [futureText]
    : [];
}

/**
 * Returns a warning for `sys/health` if the mount's jobs do not run: a renewal is still pending
 * halfway between its due time and the expiry of the CRL. A job that fails adds its own notice.
 */
async function expiringCrls({ store, ports }: StoreContext): Promise<readonly string[]> {
  const now = ports.now();
  const jobs = await store.list(jobPrefix, { limit: maxRows, values: false });
  const late = jobs.flatMap(([key]) => {
    const [, , kind, crlId = ""] = key.split("/");
    const id =
      kind === crlRenewal.kind ? crlId : kind === crlDeltaRenewal.kind ? deltaOf(crlId) : undefined;
    const due = jobDueTime(key);
    return id === undefined || due >= now ? [] : [{ id, due }];
  });
  if (late.length === 0) return [];
  const [config, ...rows] = await store.get([
    keys.config("crl"),
    ...late.map(({ id }) => keys.crl(id)),
  ]);
  if (crlConfig.read(config?.value).disable) return [];
  const isEnding = late.some(({ due }, i) => {
    const row = rows[i];
    return row && now >= (due + storedCrl.crl(row.value).next_update * 1000) / 2;
  });
  return isEnding ? [expiringText] : [];
}
