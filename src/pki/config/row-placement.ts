import {
  acmeBelow,
  acmeClaim,
  acmeExpiry,
  acmeValidation,
  nonceSlotDigit,
} from "../../acme/rows/prefixes.ts";
import { jobPrefix } from "../../base/row-keys.ts";
import { leaseEndKind } from "../../engine/lease-jobs.ts";
import { belowLeases } from "../../engine/lease-records.ts";
import type { PlacementRules } from "../../engine/placement.ts";
import { sequencingKind } from "../../log/rows/signed.ts";
import { rowPrefixes } from "../rows/records.ts";

/** The rules of mounts that were partitioned before revocations were spread. */
const withoutRevocations: PlacementRules = [
  [rowPrefixes.certs, "spread"],
  [rowPrefixes.metadata, "spread"],
  [belowLeases, "spread"],
  [jobPrefix, "batch", `/${leaseEndKind}/`],
  [jobPrefix, "batch", `/${sequencingKind}/`],
];
/** The rules of mounts that got several partitions before ACME accounts were spread. */
const withoutAccounts: PlacementRules = [
  ...withoutRevocations,
  [rowPrefixes.revoked, "spread"],
  [rowPrefixes.revocationRequests, "spread"],
  [rowPrefixes.crlPages, "slot"],
  [jobPrefix, "batch", "/crl/"],
  [jobPrefix, "batch", "/crl-delta/"],
];
/**
 * Placement of a partitioned mount's rows. Certificates, their metadata, revocations and CRL
 * entries, and leases are spread over all partitions, and so are ACME accounts with their orders
 * and authorizations. A spent nonce is in the partition of the account to which it was sent. Jobs
 * that requests put are in the partition of the batch that writes them. Everything else is in the
 * home partition, which includes the signed CRLs, and the keys, bindings and limits of accounts.
 */
export const pkiPlacement: PlacementRules = [
  ...withoutAccounts,
  [acmeBelow.accounts, "id"],
  [acmeBelow.orders, "id"],
  [acmeBelow.authorizations, "id"],
  [acmeBelow.replaced, "id"],
  [acmeBelow.failures, "id"],
  [acmeBelow.attestations, "id"],
  [acmeBelow.nonces, { digit: nonceSlotDigit }],
  [jobPrefix, "batch", `/${acmeExpiry}/`],
  [jobPrefix, "batch", `/${acmeValidation}/`],
  [jobPrefix, "batch", `/${acmeClaim}/`],
];
const versions = [withoutRevocations, withoutAccounts, pkiPlacement];
/** Returns the placement rules of the version that a mount's route states. */
export const pkiPlacementOf = (version: number): PlacementRules =>
  versions[version - 1] ?? pkiPlacement;
