import type { MountType, NewRows } from "../../engine/deployment.ts";
import { lazyJobs } from "../../engine/lazy-jobs.ts";
import { keys, type NewestIndexRow, rowPrefixes } from "../rows/records.ts";
import { pkiSettings } from "../rows/settings.ts";
import { serialKeyBinding } from "../issuer/serial-binding.ts";
import { pkiPolicies } from "./ready-policies.ts";

const serialKey = keys.config("serial");
const work = () => import("./mount-work.ts");

/**
 * The mount type of CAs. A new mount gets a sealed key for its serial numbers, and its external URL
 * if the deployment's URL is known.
 */
export const pkiMounts: MountType = {
  type: "pki",
  config: {
    prefixes: [rowPrefixes.config, rowPrefixes.issuers, rowPrefixes.keys],
    onDemand: [rowPrefixes.roles],
    settings: pkiSettings,
  },
  rows: async ({ vault, random, publicUrl }, { uuid, path }) => {
    const cluster = `${publicUrl}/v1/${path}`;
    const rows: NewRows = [
      [serialKey, await vault.seal(random(32), serialKeyBinding(uuid))],
      // a new mount indexes all its certificates
      [keys.newestIndex, { done: true } satisfies NewestIndexRow],
    ];
    return publicUrl
      ? [...rows, [keys.config("cluster"), { path: cluster, aia_path: cluster }]]
      : rows;
  },
  placement: async (version) => (await import("./row-placement.ts")).pkiPlacementOf(version),
  secret: { key: serialKey, binding: serialKeyBinding },
  resealed: async (vault, config) => (await work()).resealMount(vault, config),
  backup: async () => (await import("./backup.ts")).rowsInBackup,
  jobs: lazyJobs(
    [
      "crl",
      "crl-renewal",
      "crl-lists",
      "crl-delta",
      "crl-delta-renewal",
      "crl-delta-rotation",
      "crl-unpublish",
      "ocsp-responder",
      "tidy",
      "tidy-auto",
      "tidy-count",
      "lease-end",
      "lease-revoke",
      "newest-index",
    ],
    async () => (await work()).jobs,
  ),
  leases: {
    end: async (mount, leases, options) => (await work()).endLeases(mount, leases, options),
    show: async (mount, crlIds) => (await work()).buildAffectedCrls(mount, crlIds),
  },
  warnings: async (mount) => (await work()).mountWarnings(mount),
  gauges: async (mount) => (await import("./gauges.ts")).mountGauges(mount),
  policies: pkiPolicies,
  // 87600 h, so that a root can be valid for ten years
  first: { path: "pki", config: { max_lease_ttl: 87_600 * 3600 } },
};
