import { rfc3339, rfc3339nano } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import type { Store } from "../../engine/ports.ts";
import { counts, flag, int, list, text, textOrNull } from "../../wire/field.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { leaseAt, leaseId, leasingMounts } from "./lease-at.ts";

const shown = {
  id: text.required("ID of the lease."),
  issue_time: text.required("Time at which the lease was created, RFC 3339."),
  expire_time: text.required("Time at which the lease expires, RFC 3339."),
  last_renewal: textOrNull.required("Always null."),
  renewable: flag.required("Always false."),
  ttl: int.required("Remaining lifetime in seconds."),
} as const;
async function lookUpLease(deployment: Deployment, id: string) {
  const stored = await leaseAt(deployment, id);
  if (!stored) throw new CaError("malformed", "invalid lease");
  const { issued, expires } = stored.lease;
  return {
    id,
    issue_time: rfc3339nano(issued),
    expire_time: rfc3339(expires),
    last_renewal: null,
    renewable: false,
    ttl: Math.max(0, expires - Math.floor(deployment.ports.now() / 1000)),
  };
}

const shape = { style: envelope, hoist: true, reply: shown, refuses: ["malformed"] } as const;
export const lookupLease = systemEndpoint({
  ...shape,
  id: "lookupLease",
  audits: { own: true },
  at: ["POST /leases/lookup"],
  access: "token",
  doc: "Returns the times at which a lease was created and expires.",
  body: leaseId,
  run: (deployment, { lease_id }) => lookUpLease(deployment, lease_id),
});
export const lookupLeaseAt = systemEndpoint({
  ...shape,
  id: "lookupLeaseAt",
  at: ["POST /leases/lookup/:prefix+"],
  access: "sudo",
  doc: "Returns the times at which the lease in the path was created and expires.",
  body: {},
  // the whole ID is in the path, as `prefix`
  run: (deployment, { prefix }) => lookUpLease(deployment, prefix),
});

export const listLeases = systemEndpoint({
  id: "listLeases",
  at: ["LIST /leases/lookup(/:prefix+)"],
  access: "sudo",
  style: envelope,
  hoist: true,
  doc: "Lists the next segments of lease IDs under a prefix. A segment that is followed by others ends with a slash.",
  body: {},
  reply: { keys: list.required("Next segments of the lease IDs under the prefix, sorted.") },
  refuses: ["not_found"],
  run: async (deployment, { prefix = "" }) => {
    const trimmed = prefix.replace(/^\/+|\/+$/g, "");
    const listed = trimmed === "" ? "" : `${trimmed}/`;
    const parts = new Set<string>();
    for (const { path, mount } of await leasingMounts(deployment)) {
      const at = `${path}/`;
      if (listed.startsWith(at))
        for await (const part of partsBelow(mount.store, listed.slice(at.length))) parts.add(part);
      else if (at.startsWith(listed) && (await hasLease(mount.store)))
        parts.add(at.slice(listed.length, at.indexOf("/", listed.length) + 1));
    }
    if (parts.size === 0) throw new CaError("not_found", "");
    return { keys: [...parts].toSorted() };
  },
});

const hasLease = async (store: Store): Promise<boolean> =>
  (await store.list(belowLeases, { limit: 1, values: false })).length > 0;

/** Number of keys read at a time. Reading this many takes a few milliseconds. */
const part = 2000;
/** Yields the next segments of lease IDs under a prefix. Skips everything under each segment. */
async function* partsBelow(store: Store, prefix: string): AsyncIterable<string> {
  const below = belowLeases + prefix;
  if (below.length > 512) return;
  for (let after: string | undefined; ;) {
    const limit = after === undefined ? 1 : part;
    const page = { values: false, limit, ...(after === undefined ? {} : { after }) };
    const rows = await store.list(below, page);
    let skipTo: string | undefined;
    for (const [key] of rows) {
      if (skipTo !== undefined && key < skipTo) continue;
      const slash = key.indexOf("/", below.length);
      yield slash < 0 ? key.slice(below.length) : key.slice(below.length, slash + 1);
      // "0" is the character after the slash
      skipTo = slash < 0 ? undefined : `${key.slice(0, slash)}0`;
    }
    const last = rows.at(-1)?.[0];
    if (last === undefined || rows.length < limit) return;
    after = skipTo !== undefined && skipTo > last ? skipTo : last;
  }
}

/** Number of leases in a mount at which counting stops. */
const maxCounted = 100_000;
export const countLeases = systemEndpoint({
  id: "countLeases",
  at: ["GET /leases/count"],
  access: "token",
  style: envelope,
  doc: "Counts the leases. Leases are never irrevocable.",
  body: {
    type: text.default(
      "",
      "`irrevocable` counts only irrevocable leases; any other value counts all.",
    ),
    include_child_namespaces: flag.default(false, "Accepted, but has no effect."),
  },
  reply: {
    lease_count: int.required("Number of leases."),
    counts: counts.required("Number of leases per mount path."),
  },
  run: async (deployment, { type }, caller) => {
    const counts: Record<string, number> = {};
    let sum = 0;
    if (type !== "irrevocable")
      for (const { path, mount } of await leasingMounts(deployment)) {
        const count = await countIn(mount.store);
        if (count === 0) continue;
        if (count >= maxCounted)
          caller.reply.warn(
            `the mount ${path}/ has at least ${maxCounted} leases; counting stopped there`,
          );
        counts[`${path}/`] = count;
        sum += count;
      }
    return { lease_count: sum, counts };
  },
});
async function countIn(store: Store): Promise<number> {
  let count = 0;
  for (let after: string | undefined; count < maxCounted;) {
    const page = { values: false, limit: part, ...(after === undefined ? {} : { after }) };
    const rows = await store.list(belowLeases, page);
    count += rows.length;
    after = rows.at(-1)?.[0];
    if (rows.length < part) break;
  }
  return count;
}
