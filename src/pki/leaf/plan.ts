import { memo } from "../../base/memo.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import { planOf, type IssuingPlan } from "../issuer/plan.ts";
import { urlsFor } from "../issuer/urls.ts";
import { schemeFor } from "../request/scheme.ts";
import type { LeafProfile } from "./profile.ts";

/** Callers choose among roles and issuers: what they make up must not fill the memory. */
const mostPlans = 1000;
const plansOf = memo(() => ({
  kept: new Map<LeafProfile, Map<SigningIssuer, IssuingPlan>>(),
  count: 0,
}));

/**
 * The issuing plan of a profile and an issuer: compiled once for a configuration where the profile
 * is a role's, else for this request alone.
 */
export function planFor(
  config: Snapshot,
  issuer: SigningIssuer,
  profile: LeafProfile,
): IssuingPlan {
  if (!profile.isRoles) return compiled(config, issuer, profile);
  const plans = plansOf(config);
  const known = plans.kept.get(profile)?.get(issuer);
  if (known) return known;
  if (plans.count === mostPlans) {
    plans.kept.clear();
    plans.count = 0;
  }
  const plan = compiled(config, issuer, profile);
  const ofProfile = plans.kept.get(profile) ?? new Map<SigningIssuer, IssuingPlan>();
  plans.kept.set(profile, ofProfile.set(issuer, plan));
  plans.count++;
  return plan;
}

function compiled(config: Snapshot, issuer: SigningIssuer, profile: LeafProfile): IssuingPlan {
  const { bits, pss } = profile.signature;
  return planOf(profile, {
    authority: issuer,
    scheme: schemeFor(issuer.publicKey, bits, pss),
    urls: urlsFor(config, issuer.row),
  });
}
