import { CaError } from "../../base/errors.ts";
import { durationForm } from "../../base/forms.ts";
import { keys, type UrlSet } from "../../engine/records.ts";
import type { CrlConfig } from "../../engine/settings.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { flag, withNormalForm, int, text } from "../../wire/field.ts";
import { endpoint } from "../../wire/endpoint.ts";
import { envelope } from "../../wire/style.ts";
import { canShard } from "../issuer/crl-retention.ts";
import { urlsFor, urlsOfMount } from "../issuer/urls.ts";
import { deltaJobs, buildJob, rebuildNow, renewalJobs } from "../crl/crl-schedule.ts";
import { readActiveCrls } from "../crl/active-crls.ts";
import { adjustCrls, retentionForShards } from "../crl/crl-adjustment.ts";
import { crlSets } from "../crl/crl-set.ts";
import { checkCrlConfig } from "./crl-config-checks.ts";

const crlReply = {
  expiry: text.required("How long a CRL is valid."),
  disable: flag.required("Whether CRLs are no longer built."),
  ocsp_disable: flag.required("Whether OCSP requests are refused."),
  ocsp_expiry: text.required("How long an OCSP answer is valid; 0: it names no end."),
  auto_rebuild: flag.required(
    "Whether CRLs are rebuilt shortly before they expire instead of after each revocation.",
  ),
  auto_rebuild_grace_period: text.required("How long before it expires a CRL is rebuilt."),
  enable_delta: flag.required("Whether delta CRLs are built between complete ones."),
  delta_rebuild_interval: text.required("How often a delta CRL is built at most."),
  allow_expired_cert_revocation: flag.required("Whether expired certificates can be revoked."),
  cross_cluster_revocation: flag.required(
    "Whether revocations of unknown serial numbers wait in a queue.",
  ),
  unified_crl: flag.required("Whether the unified paths answer."),
  unified_crl_on_existing_paths: flag.required(
    "Whether the local paths answer with the unified data; here both are the same.",
  ),
  max_crl_entries: int.required("Most entries that a CRL may have; -1 for no limit."),
  shards: int.required(
    "In how many CRLs new certificates are listed beside each other; 0: in one.",
  ),
} as const;

export const readCrlConfig = endpoint({
  id: "readCrlConfig",
  at: ["GET /config/crl"],
  access: "token",
  style: envelope,
  doc: "Reads how CRLs are built.",
  body: {},
  reply: crlReply,
  run: async (ca) => (await ca.config()).crl,
});

export const writeCrlConfig = endpoint({
  id: "writeCrlConfig",
  audits: { always: true },
  at: ["POST /config/crl"],
  access: "token",
  style: envelope,
  doc: "Sets how CRLs are built; fields that are not sent stay as they are.",
  body: {
    expiry: withNormalForm(text, durationForm).optional("How long a CRL is valid, such as 72h."),
    disable: flag.optional("Build one empty CRL, then none."),
    ocsp_disable: flag.optional("Refuse OCSP requests."),
    ocsp_expiry: withNormalForm(text, durationForm).optional(
      "How long an OCSP answer is valid; 0: it names no end.",
    ),
    auto_rebuild: flag.optional(
      "Rebuild CRLs shortly before they expire instead of after each revocation.",
    ),
    auto_rebuild_grace_period: withNormalForm(text, durationForm).optional(
      "How long before it expires a CRL is rebuilt.",
    ),
    enable_delta: flag.optional("Build delta CRLs between complete ones; demands `auto_rebuild`."),
    delta_rebuild_interval: withNormalForm(text, durationForm).optional(
      "How often a delta CRL is built at most, such as 15m.",
    ),
    allow_expired_cert_revocation: flag.optional("Allow expired certificates to be revoked."),
    cross_cluster_revocation: flag.optional(
      "Let revocations of unknown serial numbers wait in a queue; demands `auto_rebuild`.",
    ),
    unified_crl: flag.optional("Answer on the unified paths; demands `auto_rebuild`."),
    unified_crl_on_existing_paths: flag.optional(
      "Answer with the unified data on the local paths; demands `unified_crl`.",
    ),
    max_crl_entries: int.optional("Most entries that a CRL may have; -1 for no limit."),
    shards: int.optional(
      "In how many CRLs new certificates are listed, 0 to 256; each names the one that lists it.",
    ),
  },
  reply: crlReply,
  refuses: ["invalid_field", "malformed"],
  run: async (ca, input, caller) => {
    const { next, rebuild, adjusts, idle } = await ca.configure(async (config) => {
      const held = config.crl;
      const given = Object.fromEntries(
        Object.entries(input).filter(([name, value]) => value !== undefined && name in held),
      );
      const changed: CrlConfig = { ...held, ...given };
      checkCrlConfig(changed, config.mount);
      const key = keys.config("crl");
      const now = ca.ports.now();
      const then = { ...config, crl: changed };
      const lists = (await readActiveCrls(ca, then)).of(crlSets(config));
      const rebuild = demandsRebuild(held, changed) ? lists : [];
      const jobs = [
        ...(await retentionForShards(ca, config, then)),
        ...(await renewalJobs(ca, then)),
        ...rebuild.map((list) => buildJob(list, now)),
        ...deltaJobs(then, lists, now),
      ];
      return {
        reply: {
          next: changed,
          rebuild,
          adjusts: changed.shards !== held.shards,
          idle: (input.shards ?? 0) > 0 && !anyCanShard(config),
        },
        batch: { expect: [[key, config.rev(key)]], put: [[key, changed], ...jobs] },
      };
    });
    if (idle)
      caller.warn(
        "shards has no effect yet: new certificates carry no HTTP address of a CRL. Set crl_distribution_points with POST config/urls, or POST config/urls/defaults.",
      );
    await rebuildNow(ca, caller, rebuild);
    if (adjusts) await adjustCrls(ca);
    return next;
  },
});

/** Settings whose change rebuilds all CRLs at once (B 1.9). */
const rebuilding = [
  "disable",
  "enable_delta",
  "unified_crl",
  "unified_crl_on_existing_paths",
] as const;
const demandsRebuild = (held: CrlConfig, changed: CrlConfig): boolean =>
  (held.auto_rebuild && !changed.auto_rebuild) ||
  loosens(held.max_crl_entries, changed.max_crl_entries) ||
  rebuilding.some((name) => held[name] !== changed[name]);
/**
 * Reports whether a change raises the limit of entries: CRLs above the old one are then built (D
 * 4).
 */
const loosens = (held: number, changed: number): boolean =>
  held >= 0 && (changed < 0 || changed > held);
/**
 * Reports whether new certificates of some issuer name a CRL that a shard can have. Before the
 * mount has an issuer, its own addresses decide.
 */
function anyCanShard(config: Snapshot): boolean {
  const issuers = [...config.issuers.values()];
  return issuers.length === 0
    ? areShardable(() => urlsOfMount(config))
    : issuers.some((issuer) => areShardable(() => urlsFor(config, issuer)));
}
/**
 * Reports whether addresses can have shards; not if their placeholders cannot be filled in, because
 * then no certificate has them.
 */
function areShardable(urls: () => UrlSet): boolean {
  try {
    return canShard(urls().crl_distribution_points);
  } catch (error) {
    if (error instanceof CaError) return false;
    throw error;
  }
}
