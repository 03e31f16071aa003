import type { LookupLeaseReply } from "../../../src/client/sys.ts";
import { call, listing, readData } from "../../api/call.ts";
import * as sys from "../../api/endpoints/sys.ts";
import type { Reply } from "../../api/transport.ts";

/** A lease. Revoking it before it expires revokes its certificate. */
type Lease = LookupLeaseReply;

/**
 * Returns the next segments of the lease IDs under a prefix. Segments that are not the last of an
 * ID end with a slash.
 */
export const leaseParts = async (prefix: string): Promise<readonly string[]> =>
  (await listing(sys.listLeases, prefix === "" ? {} : { prefix })).keys;

export const lease = (id: string): Promise<Lease> => readData(sys.lookupLease, { lease_id: id });

/** Returns the number of leases. */
export const leaseCount = async (): Promise<number> =>
  (await readData(sys.countLeases)).lease_count;

export const revokeLease = (id: string): Promise<Reply<unknown>> =>
  call(sys.revokeLease, { lease_id: id, sync: true });

export const revokePrefix = (prefix: string): Promise<Reply<unknown>> =>
  call(sys.revokeLeases, { prefix });

/** Splits a prefix into segments, outermost first, each with the prefix that ends with it. */
export const steps = (
  prefix: string,
): readonly { readonly name: string; readonly prefix: string }[] => {
  const parts = prefix.split("/").filter(Boolean);
  return parts.map((name, i) => ({ name, prefix: `${parts.slice(0, i + 1).join("/")}/` }));
};
