import { ask, list, request, type Reply } from "../../api/transport.ts";
import { refs } from "../../api/pki.ts";

/** A lease: its certificate is revoked when it ends before its time. */
export interface Lease {
  readonly id: string;
  /** RFC 3339. */
  readonly issue_time: string;
  readonly expire_time: string;
  /** Seconds that are left. */
  readonly ttl: number;
}

/** The next parts of the ids below a prefix; those that have more below them end in a slash. */
export const leaseParts = async (prefix: string): Promise<readonly string[]> =>
  (await list(`sys/leases/lookup${prefix && "/"}${refs(prefix)}`)).keys;

export const lease = (id: string): Promise<Lease> =>
  ask("POST", "sys/leases/lookup", { lease_id: id });

/** Returns the number of leases. */
export const leaseCount = async (): Promise<number> =>
  (await ask<{ lease_count: number }>("GET", "sys/leases/count")).lease_count;

export const revokeLease = (id: string): Promise<Reply<unknown>> =>
  request("POST", "sys/leases/revoke", { lease_id: id, sync: true });

export const revokePrefix = (prefix: string): Promise<Reply<unknown>> =>
  request("POST", `sys/leases/revoke-prefix/${refs(prefix)}`, {});

/** The way to a prefix: each step with its own prefix, the outermost first. */
export const steps = (
  prefix: string,
): readonly { readonly name: string; readonly prefix: string }[] => {
  const parts = prefix.split("/").filter(Boolean);
  return parts.map((name, i) => ({ name, prefix: `${parts.slice(0, i + 1).join("/")}/` }));
};
