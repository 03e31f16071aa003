import { goDuration, rfc3339 } from "../../base/duration.ts";
import type { NotAfterBehavior } from "../../engine/records.ts";
import type { SigningIssuer } from "../issuer/issuer.ts";
import {
  validityFor,
  withinIssuer,
  type LifetimeRequest,
  type LifetimeRules,
  type Validity,
} from "../issuer/validity.ts";
import type { Case } from "../request/case.ts";
import { askRule } from "../request/judge.ts";

/**
 * The validity of a leaf, asked as two rules: what role and mount say, and what the issuer says (A
 * 6.3).
 */
export function judgeValidity(
  { ca, config, input, caller, judge }: Case<LifetimeRequest>,
  rules: LifetimeRules,
  issuer: SigningIssuer,
): Validity {
  const { ttl = 0, not_after } = input;
  const measure = { now: ca.ports.now(), mount: config.mount, caller };
  // a dry run goes on with the longest lifetime, or with that of a request for none; it has nothing
  // to warn of then
  const silent = { ...caller, warn: () => undefined };
  const instead = (other: LifetimeRequest) => () =>
    validityFor(other, rules, { ...measure, caller: silent, overMax: "cap" });
  const asked = () => not_after || (ttl > 0 ? goDuration(ttl) : "no lifetime asked for");
  const validity = askRule(
    judge,
    { rule: "ttl, max_ttl, not_after", input: asked },
    () => validityFor(input, rules, measure),
    instead(input),
    instead({ not_after: "" }),
  );
  const within = (behavior: NotAfterBehavior) => () =>
    withinIssuer(measure.now, validity, issuer.certificate.notAfter, behavior);
  return askRule(
    judge,
    { rule: "leaf_not_after_behavior", input: () => rfc3339(validity.notAfter) },
    within(issuer.row.leaf_not_after_behavior),
    within("truncate"),
    within("permit"),
  );
}
