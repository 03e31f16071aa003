import { jobPrefix } from "../../base/row-keys.ts";
import { leaseEndKind } from "../../engine/lease-jobs.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import type { PlacementRules } from "../../engine/placement.ts";
import { rowPrefixes } from "../rows/records.ts";

/** The rules of mounts that got several partitions before revocations were spread. */
const withoutRevocations: PlacementRules = [
  [rowPrefixes.certs, "spread"],
  [rowPrefixes.metadata, "spread"],
  [belowLeases, "spread"],
  [jobPrefix, "batch", `/${leaseEndKind}/`],
];
/**
 * Placement of a partitioned mount's rows. Certificates, their metadata, revocations and CRL
 * entries, and leases are spread over all partitions. Jobs that expire leases and those that add
 * entries to CRLs are in the partition of the batch that writes them. Everything else is in the
 * home partition, which includes the signed CRLs, and accounts, orders and spent nonces of ACME.
 */
export const pkiPlacement: PlacementRules = [
  ...withoutRevocations,
  [rowPrefixes.revoked, "spread"],
  [rowPrefixes.revocationRequests, "spread"],
  [rowPrefixes.crlPages, "slot"],
  [jobPrefix, "batch", "/crl/"],
  [jobPrefix, "batch", "/crl-delta/"],
];
/** Returns the version of the placement rules that a mount's route states. */
export const pkiPlacementOf = (version: number): PlacementRules =>
  version === 1 ? withoutRevocations : pkiPlacement;
