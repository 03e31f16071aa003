import { CaError } from "../../base/errors.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { leaseEndKind, leaseRevokeJob } from "../../engine/lease-jobs.ts";
import { belowLeases, storedLease } from "../../engine/lease-records.ts";
import { jobRow } from "../../engine/jobs.ts";
import { flag, seconds } from "../../wire/field.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { leaseAt, leaseId, leasingMounts, type LeaseMatch, type LeaseMount } from "./lease-at.ts";

const sync = {
  sync: flag.default(false, "Respond only after all certificates are revoked and on the CRLs."),
} as const;

export const renewLease = systemEndpoint({
  id: "renewLease",
  at: ["POST /leases/renew(/:url_lease_id+)", "POST /renew(/:url_lease_id+)"],
  access: "token",
  style: envelope,
  doc: "Always returns an error, because leases of certificates cannot be renewed.",
  body: { ...leaseId, increment: seconds.default(0, "Accepted, but has no effect.") },
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { lease_id, url_lease_id = "" }) => {
    // policies were evaluated for the path, so the ID in the path takes precedence
    const stored = await leaseAt(deployment, url_lease_id || lease_id);
    if (!stored) throw new CaError("malformed", "lease not found");
    if (stored.lease.expires <= Math.floor(deployment.ports.now() / 1000))
      throw new CaError("malformed", "lease expired");
    throw new CaError("malformed", "lease is not renewable");
  },
});

export const revokeLease = systemEndpoint({
  id: "revokeLease",
  at: ["POST /leases/revoke(/:url_lease_id+)", "POST /revoke(/:url_lease_id+)"],
  access: "token",
  style: envelope,
  doc: "Revokes a lease and its certificate. Succeeds if the lease does not exist.",
  body: { ...leaseId, ...sync },
  reply: {},
  nullable: true,
  refuses: ["malformed", "damaged"],
  run: async (deployment, { lease_id, url_lease_id = "", ...input }, caller) => {
    const stored = await leaseAt(deployment, url_lease_id || lease_id);
    if (stored) await end(stored, input.sync);
    return input.sync || caller.path.startsWith("/revoke") ? undefined : accepted(caller);
  },
});

/** Revokes one lease, and publishes the CRLs if the request is synchronous. */
async function end({ mount, ender, lease }: LeaseMatch, isSync: boolean): Promise<void> {
  const { damaged, crlIds } = await ender.end(mount, [lease]);
  if (damaged.length > 0)
    throw new CaError(
      "damaged",
      "the certificate of the lease was altered in storage; to revoke it, send the certificate as PEM to `revoke` of its mount",
    );
  if (isSync) await ender.show(mount, crlIds);
}
/** Sets status 202: the work continues after the response (P 9.4). */
function accepted(caller: Caller): null {
  caller.reply.respond({ status: 202 });
  return null;
}

const wide = {
  access: "sudo",
  style: envelope,
  body: sync,
  reply: {},
  nullable: true,
  audits: { jobs: true },
} as const;
export const revokeLeases = systemEndpoint({
  ...wide,
  id: "revokeLeases",
  at: ["POST /leases/revoke-prefix/:prefix+", "POST /revoke-prefix/:prefix+"],
  doc: "Revokes all leases whose IDs start with a prefix, and their certificates.",
  run: (deployment, { prefix, ...input }, caller) =>
    revokeBelow(deployment, { prefix, sync: input.sync, force: false }, caller),
});
export const forceRevokeLeases = systemEndpoint({
  ...wide,
  id: "forceRevokeLeases",
  at: ["POST /leases/revoke-force/:prefix+", "POST /revoke-force/:prefix+"],
  doc: "Revokes leases by prefix, and also removes those whose certificate cannot be revoked because it was altered in storage.",
  run: (deployment, { prefix, ...input }, caller) =>
    revokeBelow(deployment, { prefix, sync: input.sync, force: true }, caller),
});

interface Wide {
  readonly prefix: string;
  readonly sync: boolean;
  readonly force: boolean;
}
/**
 * Revokes the leases under a prefix. Stores jobs first, so that a crash loses no lease. A
 * synchronous request itself revokes up to `maxRevoked` leases in each mount.
 */
async function revokeBelow(deployment: Deployment, scope: Wide, caller: Caller) {
  const prefix = scope.prefix.replace(/^\/+|\/+$/g, "");
  const one = await leaseAt(deployment, prefix);
  if (one) await end(one, scope.sync);
  let isLast = true;
  for (const at of await leasingMounts(deployment)) {
    const below = belowMount(at.path, `${prefix}/`);
    if (below === undefined || below.length > maxPrefixLength) continue;
    const now = deployment.ports.now();
    const due = scope.sync ? now + patience : now;
    const job = { until: now, force: scope.force, prefix: below };
    await at.mount.storeContext.commit({ put: [leaseRevokeJob({ due, now }, job)] });
    if (scope.sync) isLast = (await revokeNow(at, below, scope.force)) && isLast;
  }
  if (scope.sync && isLast) return undefined;
  return accepted(caller);
}
/**
 * Returns the part of a prefix under a mount's path: "" if it covers the whole mount, undefined if
 * it is outside the mount.
 */
function belowMount(path: string, prefix: string): string | undefined {
  if (`${path}/`.startsWith(prefix)) return "";
  return prefix.startsWith(`${path}/`) ? prefix.slice(path.length + 1) : undefined;
}
/** Maximum length of a prefix in characters, because it is part of a job's row key. */
const maxPrefixLength = 400;
/** Delay of the job in milliseconds if the request itself revokes leases. */
const patience = 60_000;
/** Maximum number of leases that a batch revokes, and that a request revokes in a mount. */
const [together, maxRevoked] = [100, 10_000];

/**
 * Revokes leases under a prefix within the request. Returns whether none are left; otherwise the
 * job revokes the rest.
 */
async function revokeNow({ mount, ender }: LeaseMount, below: string, force: boolean) {
  const crlIds = new Set<string>();
  let after: string | undefined;
  let isLast = false;
  for (let ended = 0; ended < maxRevoked && !isLast; ended += together) {
    const page = { limit: together, ...(after === undefined ? {} : { after }) };
    const rows = await mount.store.list(belowLeases + below, page);
    const done = await ender.end(mount, rows.map(storedLease), { force });
    done.crlIds.forEach((crlId) => crlIds.add(crlId));
    after = rows.at(-1)?.[0];
    isLast = rows.length < together;
    // lets other requests run between batches
    await yieldToEventLoop();
  }
  await ender.show(mount, [...crlIds]);
  return isLast;
}

export const tidyLeases = systemEndpoint({
  id: "tidyLeases",
  at: ["POST /leases/tidy"],
  access: "token",
  style: envelope,
  status: 202,
  audits: { jobs: true },
  doc: "Removes expired leases. A job also does this regularly.",
  body: {},
  reply: {},
  nullable: true,
  run: async (deployment, _, caller) => {
    const now = deployment.ports.now();
    for (const { mount } of await leasingMounts(deployment))
      await mount.storeContext.commit({ put: [jobRow({ due: now, now }, leaseEndKind, "leases")] });
    caller.reply.warn("The leases are being tidied in the background.");
    return null;
  },
});
