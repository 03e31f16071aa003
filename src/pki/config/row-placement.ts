import { jobPrefix } from "../../base/row-keys.ts";
import { acmeBelow } from "../../acme/rows/records.ts";
import { leaseEndKind } from "../../engine/lease-jobs.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import type { PlacementRules } from "../../engine/placement.ts";
import { rowPrefixes } from "../rows/records.ts";

/**
 * Where the rows of a partitioned mount are: certificates, their metadata and leases are spread,
 * the jobs that end leases and spent nonces are with the batch that puts them, and everything else
 * is at home.
 * Revocations are at home with the pages and digests of the CRLs, which change in one batch with
 * them; so are the accounts and orders of ACME.
 */
export const pkiPlacement: PlacementRules = [
  [rowPrefixes.certs, "spread"],
  [rowPrefixes.metadata, "spread"],
  [belowLeases, "spread"],
  [jobPrefix, "batch", `/${leaseEndKind}/`],
  [acmeBelow.nonces, "batch"],
];
