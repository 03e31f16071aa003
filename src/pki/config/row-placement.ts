import { jobPrefix } from "../../base/row-keys.ts";
import { leaseEndKind } from "../../engine/lease-jobs.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import type { PlacementRules } from "../../engine/placement.ts";
import { rowPrefixes } from "../rows/records.ts";

/**
 * Placement of the rows of a partitioned mount. Certificates, their metadata and leases are spread
 * over all partitions, jobs that end leases are in the partition of the batch that writes them, and
 * everything else is in the home partition. That includes accounts, orders and spent nonces of
 * ACME, and revocations, which change in one batch with the pages and digests of the CRLs.
 */
export const pkiPlacement: PlacementRules = [
  [rowPrefixes.certs, "spread"],
  [rowPrefixes.metadata, "spread"],
  [belowLeases, "spread"],
  [jobPrefix, "batch", `/${leaseEndKind}/`],
];
