import { externalPolicyConfig } from "../external/rows/records.ts";
import { estConfig } from "../est/settings.ts";
import { autoTidyConfig } from "../pki/tidy/settings.ts";
import { acmeConfig } from "../acme/rows/config.ts";
import { logConfig } from "../log/rows/records.ts";
import { sequencingKind } from "../log/rows/signed.ts";
import { loginJobKinds } from "../auth/types/table.ts";
import { pki } from "../client/pki.ts";
import type { LazyJob } from "../engine/deployment.ts";
import { lazyJobs } from "../engine/lazy-jobs.ts";
import { pkiMounts } from "../pki/config/mount-type.ts";
import { forms, parameters } from "../pki/request/parameters.ts";
import { lazyEndpoints } from "../wire/lazy-endpoints.ts";
import { pkiIds } from "./part-ids.ts";
import { pkiParts } from "./parts.ts";

const work = () => import("./jobs.ts");

/** The mount types, with their initial rows, endpoints and jobs. */
export const mountTypes = {
  pki: {
    ...pkiMounts,
    config: {
      ...pkiMounts.config,
      settings: [
        ...pkiMounts.config.settings,
        acmeConfig,
        autoTidyConfig,
        estConfig,
        externalPolicyConfig,
        logConfig,
      ],
    },
    endpoints: lazyEndpoints(pki, pkiParts, pkiIds),
    loadMore: async () => ({ endpoints: (await import("./lazy-lists.ts")).protocols }),
    parameters,
    forms,
    // `cert/*` requires no token, and EST clients learn from a 404 what is not supported (RFC 7030)
    open: /^\/(?:cert|(?:roles\/[^/]+\/)?est)(?:\/|$)/,
    jobs: [
      ...pkiMounts.jobs,
      ...lazyJobs(
        ["acme-expiry", "acme-validation", "acme-claim", "acme-account", "acme-key"],
        async () => (await work()).acmeJobs,
      ),
      ...lazyJobs([sequencingKind], async () => (await work()).logJobs),
      ...lazyJobs(["partition-growth"], async () => (await work()).partitionJobs),
    ],
  },
} as const;

/** Jobs of the `sys` store. */
export const jobs: readonly LazyJob[] = lazyJobs(
  [
    "token-end",
    "mount-unpublish",
    "drop",
    "wrapped-end",
    "token-leases",
    "remount",
    "audit-sink",
    "event-delivery",
    "event-expiry",
    "event-backup",
    "method-end",
    ...loginJobKinds,
  ],
  async () => (await work()).systemJobs,
);
