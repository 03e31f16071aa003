import { CaError } from "../../base/errors.ts";
import type { Deployment, LeaseEnder } from "../../engine/deployment.ts";
import { belowLeases, type StoredLease, storedLease } from "../../engine/lease-records.ts";
import type { Mount } from "../../engine/mount.ts";
import { text } from "../../wire/field.ts";

/** The field that names a lease. */
export const leaseId = {
  lease_id: text.default("", "Id of the lease, as the reply that it came with has it."),
} as const;

/** A mount that may have leases. */
export interface LeaseMount {
  readonly path: string;
  readonly mount: Mount;
  readonly ender: LeaseEnder;
}
/** The mounts that may have leases. */
export async function leasingMounts(ca: Deployment): Promise<readonly LeaseMount[]> {
  return [...(await ca.readMounts())].flatMap(([path, { uuid, type }]) => {
    const ender = ca.types.get(type)?.leases;
    return ender ? [{ path, mount: ca.mount(uuid), ender }] : [];
  });
}

/** A lease and where it is. */
export interface LeaseMatch extends LeaseMount {
  readonly lease: StoredLease;
}
/** What an id may look like: the rest of it is part of a key. */
const possible = /^[\x21-\x7e]{1,700}$/;
/** The lease of an id; undefined where there is none. Throws `malformed` without an id. */
export async function leaseAt(ca: Deployment, id: string): Promise<LeaseMatch | undefined> {
  if (id === "") throw new CaError("malformed", "lease_id must be specified");
  if (!possible.test(id)) return undefined;
  for (const at of await leasingMounts(ca)) {
    if (!id.startsWith(`${at.path}/`)) continue;
    const key = belowLeases + id.slice(at.path.length + 1);
    if (key.length > 512) return undefined;
    const [row] = await at.mount.store.get([key]);
    return row && { ...at, lease: storedLease([key, row]) };
  }
  return undefined;
}
