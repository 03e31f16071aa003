import { memoize } from "../../base/memo.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { chainRows, type SigningIssuer } from "../issuer/issuer.ts";
import { planOf, type IssuingPlan } from "../issuer/plan.ts";
import { urlsFor } from "../issuer/urls.ts";
import { schemeFor } from "../request/scheme.ts";
import type { LeafProfile } from "./profile.ts";

/** What a configuration fixes of the leaves of one profile and issuer. */
export interface LeafPlan {
  readonly issuing: IssuingPlan;
  /** The issuer's chain, itself first. */
  readonly chain: readonly IssuerRow[];
}

/** Callers choose among roles and issuers: what they make up must not fill the memory. */
const mostPlans = 1000;
const plansOf = memoize(() => ({
  kept: new Map<LeafProfile, Map<SigningIssuer, LeafPlan>>(),
  count: 0,
}));

/**
 * The plan of a profile and an issuer: compiled once for a configuration where the profile
 * is a role's, else for this request alone.
 */
export function planFor(config: Snapshot, issuer: SigningIssuer, profile: LeafProfile): LeafPlan {
  if (!profile.isRoles) return compiled(config, issuer, profile);
  const plans = plansOf(config);
  const known = plans.kept.get(profile)?.get(issuer);
  if (known) return known;
  if (plans.count === mostPlans) {
    plans.kept.clear();
    plans.count = 0;
  }
  const plan = compiled(config, issuer, profile);
  const ofProfile = plans.kept.get(profile) ?? new Map<SigningIssuer, LeafPlan>();
  plans.kept.set(profile, ofProfile.set(issuer, plan));
  plans.count++;
  return plan;
}

function compiled(config: Snapshot, issuer: SigningIssuer, profile: LeafProfile): LeafPlan {
  const { bits, pss } = profile.signature;
  const issuing = planOf(profile, {
    authority: issuer,
    scheme: profile.scheme ?? schemeFor(issuer.publicKey, bits, pss),
    urls: urlsFor(config, issuer.row),
    shards: config.crl.shards,
  });
  return { issuing, chain: chainRows(config, issuer.row) };
}
