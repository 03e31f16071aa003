import { CaError } from "../../base/errors.ts";
import type { Deployment, LeaseEnder } from "../../engine/deployment.ts";
import { belowLeases, type StoredLease, storedLease } from "../../engine/lease-records.ts";
import type { Mount } from "../../engine/mount.ts";
import { text } from "../../wire/field.ts";

/** Request field with a lease ID. */
export const leaseId = {
  lease_id: text.default("", "Lease ID, as returned when the lease was created."),
} as const;

/** A mount whose type has leases. */
export interface LeaseMount {
  readonly path: string;
  readonly mount: Mount;
  readonly ender: LeaseEnder;
}
/** Returns the mounts whose types have leases. */
export async function leasingMounts(deployment: Deployment): Promise<readonly LeaseMount[]> {
  return [...(await deployment.readMounts())].flatMap(([path, { uuid, type }]) => {
    const ender = deployment.types.get(type)?.leases;
    return ender ? [{ path, mount: deployment.mount(uuid), ender }] : [];
  });
}

/** A lease with its mount. */
export interface LeaseMatch extends LeaseMount {
  readonly lease: StoredLease;
}
/**
 * Pattern of lease IDs. It is restricted because the end of a lease ID becomes part of a row key.
 */
const possible = /^[\x21-\x7e]{1,700}$/;
/**
 * Finds a lease by its ID. Returns undefined if there is none. Rejects with `malformed` if the ID
 * is empty.
 */
export async function leaseAt(deployment: Deployment, id: string): Promise<LeaseMatch | undefined> {
  if (id === "") throw new CaError("malformed", "lease_id must be specified");
  if (!possible.test(id)) return undefined;
  for (const at of await leasingMounts(deployment)) {
    if (!id.startsWith(`${at.path}/`)) continue;
    const key = belowLeases + id.slice(at.path.length + 1);
    if (key.length > 512) return undefined;
    const [row] = await at.mount.store.get([key]);
    return row && { ...at, lease: storedLease([key, row]) };
  }
  return undefined;
}
