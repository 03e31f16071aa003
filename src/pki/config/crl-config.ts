import { crlConfig, type CrlConfig } from "../rows/settings.ts";
import { issuersById, keys, type UrlSet } from "../rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { durationForm } from "../../base/forms.ts";
import { withValue, type Snapshot } from "../../engine/snapshot.ts";
import { flag, withNormalForm, int, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { canShard, isPowerOfTwo } from "../issuer/crl-retention.ts";
import { urlsFor, urlsOfMount } from "../issuer/urls.ts";
import { deltaJobs, buildJob, rebuildNow, renewalJobs } from "../crl/crl-schedule.ts";
import { readActiveCrls } from "../crl/active-crls.ts";
import { adjustCrls, retentionForShards } from "../crl/crl-adjustment.ts";
import { crlSets } from "../crl/crl-set.ts";
import { checkCrlConfig } from "./crl-config-checks.ts";

const crlReply = {
  expiry: text.required("Validity period of CRLs."),
  disable: flag.required("Whether CRL building is disabled."),
  ocsp_disable: flag.required("Whether OCSP is disabled."),
  ocsp_expiry: text.required(
    "Validity period of OCSP responses; with 0, they have no `nextUpdate`.",
  ),
  auto_rebuild: flag.required(
    "Whether CRLs are rebuilt shortly before they expire instead of after each revocation.",
  ),
  auto_rebuild_grace_period: text.required(
    "Time before the expiry of a CRL at which it is rebuilt.",
  ),
  enable_delta: flag.required("Whether delta CRLs are built between complete CRLs."),
  delta_rebuild_interval: text.required("Minimum time between two delta CRLs."),
  allow_expired_cert_revocation: flag.required("Whether expired certificates can be revoked."),
  cross_cluster_revocation: flag.required(
    "Whether requests to revoke unknown serial numbers are queued.",
  ),
  unified_crl: flag.required("Whether CRLs are served on the unified paths."),
  unified_crl_on_existing_paths: flag.required(
    "Whether the local paths serve the unified CRL, which is the same CRL on this server.",
  ),
  max_crl_entries: int.required("Maximum number of entries in a CRL; -1 means unlimited."),
  shards: int.required(
    "Number of CRL shards for new certificates; 0 means that the CRL is not sharded.",
  ),
} as const;

export const readCrlConfig = endpoint({
  id: "readCrlConfig",
  at: ["GET /config/crl"],
  access: "token",
  style: envelope,
  doc: "Reads the CRL configuration.",
  body: {},
  reply: crlReply,
  run: async (mount) => (await mount.config()).get(crlConfig),
});

export const writeCrlConfig = endpoint({
  id: "writeCrlConfig",
  audits: { always: true },
  at: ["POST /config/crl"],
  access: "token",
  style: envelope,
  doc: "Updates the CRL configuration. Omitted fields keep their values.",
  body: {
    expiry: withNormalForm(text, durationForm).optional("Validity period of CRLs, such as 72h."),
    disable: flag.optional("Stop building CRLs, after one last, empty CRL."),
    ocsp_disable: flag.optional("Disable OCSP."),
    ocsp_expiry: withNormalForm(text, durationForm).optional(
      "Validity period of OCSP responses; with 0, they have no `nextUpdate`.",
    ),
    auto_rebuild: flag.optional(
      "Rebuild CRLs shortly before they expire instead of after each revocation.",
    ),
    auto_rebuild_grace_period: withNormalForm(text, durationForm).optional(
      "Time before the expiry of a CRL at which it is rebuilt.",
    ),
    enable_delta: flag.optional("Build delta CRLs between complete CRLs. Requires `auto_rebuild`."),
    delta_rebuild_interval: withNormalForm(text, durationForm).optional(
      "Minimum time between two delta CRLs, such as 15m.",
    ),
    allow_expired_cert_revocation: flag.optional("Allow expired certificates to be revoked."),
    cross_cluster_revocation: flag.optional(
      "Queue requests to revoke unknown serial numbers. Requires `auto_rebuild`.",
    ),
    unified_crl: flag.optional("Serve CRLs on the unified paths. Requires `auto_rebuild`."),
    unified_crl_on_existing_paths: flag.optional(
      "Serve the unified CRL on the local paths. Requires `unified_crl`.",
    ),
    max_crl_entries: int.optional("Maximum number of entries in a CRL; -1 means unlimited."),
    shards: int.optional(
      "Number of CRL shards for new certificates, 0 to 256. Each certificate contains the URL of its shard.",
    ),
  },
  reply: crlReply,
  refuses: ["invalid_field", "malformed"],
  run: async (mount, input, caller) => {
    const { next, rebuild, adjusts, idle } = await mount.configure(async (config) => {
      const current = config.get(crlConfig);
      const changes = Object.fromEntries(
        Object.entries(input).filter(([name, value]) => value !== undefined && name in current),
      );
      const changed: CrlConfig = { ...current, ...changes };
      checkCrlConfig(changed, config.mount);
      const key = keys.config("crl");
      const now = mount.ports.now();
      const then = withValue(config, crlConfig, changed);
      const crlIds = (await readActiveCrls(mount, then)).of(crlSets(config));
      const rebuild = demandsRebuild(current, changed) ? crlIds : [];
      const jobs = [
        ...(await retentionForShards(mount, config, then)),
        ...(await renewalJobs(mount, then)),
        ...rebuild.map((crlId) => buildJob(crlId, now)),
        ...deltaJobs(then, crlIds, now),
      ];
      return {
        reply: {
          next: changed,
          rebuild,
          adjusts: changed.shards !== current.shards,
          idle: (input.shards ?? 0) > 0 && !anyCanShard(config),
        },
        batch: { expect: [[key, config.rev(key)]], put: [[key, changed], ...jobs] },
      };
    });
    if (idle)
      caller.reply.warn(
        "shards has no effect yet, because new certificates contain no HTTP URL of a CRL: set crl_distribution_points with POST config/urls or POST config/urls/defaults.",
      );
    const { count } = mount.store.placement ?? { count: 0 };
    if (count > 0 && input.shards && (!isPowerOfTwo(input.shards) || input.shards < count))
      caller.reply.warn(
        `each CRL is built from several of the ${count} partitions; to build each from one, set shards to a power of two of at least ${count}.`,
      );
    await rebuildNow(mount, caller, rebuild);
    if (adjusts) await adjustCrls(mount);
    return next;
  },
});

/** Settings whose change causes an immediate rebuild of all CRLs (B 1.9). */
const rebuilding = [
  "disable",
  "enable_delta",
  "unified_crl",
  "unified_crl_on_existing_paths",
] as const;
const demandsRebuild = (current: CrlConfig, changed: CrlConfig): boolean =>
  (current.auto_rebuild && !changed.auto_rebuild) ||
  loosens(current.max_crl_entries, changed.max_crl_entries) ||
  rebuilding.some((name) => current[name] !== changed[name]);
/**
 * Reports whether a change raises the maximum number of entries, so that CRLs that exceeded the old
 * maximum can be built (D 4).
 */
const loosens = (current: number, changed: number): boolean =>
  current >= 0 && (changed < 0 || changed > current);
/**
 * Reports whether new certificates of at least one issuer contain CRL URLs that can be sharded. If
 * the mount has no issuer, its own URLs decide.
 */
function anyCanShard(config: Snapshot): boolean {
  const issuers = [...config.get(issuersById).values()];
  return issuers.length === 0
    ? areShardable(() => urlsOfMount(config))
    : issuers.some((issuer) => areShardable(() => urlsFor(config, issuer)));
}
/**
 * Reports whether CRL URLs can be sharded. They cannot if their placeholders cannot be filled in,
 * because then no certificate contains them.
 */
function areShardable(urls: () => UrlSet): boolean {
  try {
    return canShard(urls().crl_distribution_points);
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}
