import { jobPrefix } from "../../base/row-keys.ts";
import { leaseEndKind } from "../../engine/lease-jobs.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import type { PlacementRules } from "../../engine/placement.ts";
import { rowPrefixes } from "../rows/records.ts";

/** The rules of mounts that were partitioned before revocations were spread. */
const withoutRevocations: PlacementRules = [
  [rowPrefixes.certs, "spread"],
  [rowPrefixes.metadata, "spread"],
  [belowLeases, "spread"],
  [jobPrefix, "batch", `/${leaseEndKind}/`],
];
/**
 * Placement of a partitioned mount's rows. Certificates, their metadata, revocations and CRL
 * entries, and leases are spread over all partitions. Jobs that revoke expired leases and jobs that
 * add entries to CRLs are in the partition of the batch that writes them. Everything else is in the
 * home partition, including signed CRLs, ACME accounts, orders and spent nonces.
 */
export const pkiPlacement: PlacementRules = [
  ...withoutRevocations,
  [rowPrefixes.revoked, "spread"],
  [rowPrefixes.revocationRequests, "spread"],
  [rowPrefixes.crlPages, "slot"],
  [jobPrefix, "batch", "/crl/"],
  [jobPrefix, "batch", "/crl-delta/"],
];
/** Returns the placement rules of the version that a mount's route states. */
export const pkiPlacementOf = (version: number): PlacementRules =>
  version === 1 ? withoutRevocations : pkiPlacement;
