import { goDuration, parseInstant, rfc3339 } from "../../base/duration.ts";
import { CaError } from "../../base/errors.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { NotAfterBehavior } from "../rows/records.ts";
import type { MountRow } from "../../engine/mount-records.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { type IssuanceContext, checkRule } from "../request/rule-checker.ts";
import type { SigningIssuer } from "./issuer.ts";
import { choicesOf } from "../request/format.ts";

/** The lifetime in a request: a number of seconds, or a notAfter in RFC 3339 format. */
export interface LifetimeRequest {
  readonly ttl?: number | undefined;
  readonly not_after: string;
  /** An absolute notBefore in RFC 3339 format; "" for the default backdating. */
  readonly not_before?: string | undefined;
}
/** The lifetimes of a role, or the defaults for a CA, in seconds; 0 means the mount's lifetime. */
export interface LifetimeRules {
  readonly ttl: number;
  readonly max_ttl: number;
  readonly not_after: string;
  /** An absolute notBefore, which a request cannot override. */
  readonly not_before?: string;
  readonly not_before_duration: number;
  readonly not_before_bound?: string;
  readonly not_after_bound?: string;
}
/** The inputs for computing a lifetime, other than the request and the role. */
interface Measure {
  /** Current time, Unix milliseconds. */
  readonly now: number;
  readonly mount: MountRow;
  readonly caller: Pick<Caller, "reply" | "dialect">;
  /** Handling of a lifetime above the maximum. By default, the caller's dialect determines it. */
  readonly overMax?: "refuse" | "cap";
}
/** A validity period, in Unix seconds. */
export interface Validity {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** Returns a copy of the caller that discards warnings. */
export const withoutWarnings = <C extends Pick<Caller, "reply">>(caller: C): C => ({
  ...caller,
  reply: { ...caller.reply, warn: () => undefined },
});

/**
 * Computes the validity of a certificate (A 6.2, A 6.3, D 1 row 4, D 2). A `ttl` above the maximum
 * is rejected, or capped with a warning, as `overMax` or the caller's dialect determines. An
 * absolute notAfter is limited only by the role's own maximum. Throws `validity` if the request is
 * contradictory or exceeds a limit.
 */
export function validityFor(
  request: LifetimeRequest,
  rules: LifetimeRules,
  measure: Measure,
): Validity {
  const absolute = rules.not_after || request.not_after;
  const requested = request.ttl ?? 0;
  if (requested > 0 && absolute !== "")
    throw new CaError(
      "validity",
      "Either ttl or not_after should be provided. Both should not be provided in the same request.",
    );
  const seconds = Math.floor(measure.now / 1000);
  const notBefore = beginning(seconds, request.not_before ?? "", rules);
  const end =
    absolute === ""
      ? seconds + lifetime(requested, rules, measure)
      : absoluteEnd(request, rules, measure);
  const order = notBefore === end ? "is equal to" : "is later than";
  if (notBefore >= end)
    throw new CaError(
      "validity",
      `notBefore ${rfc3339(notBefore)} ${order} notAfter ${rfc3339(end)}`,
    );
  return { notBefore, notAfter: end };
}

const overMaxOf = ({ overMax, caller }: Measure) => overMax ?? choicesOf(caller.dialect).overMax;

function lifetime(requested: number, rules: LifetimeRules, measure: Measure): number {
  const ttls = effectiveTtls(measure.mount);
  const max = rules.max_ttl || ttls.max;
  const ttl = requested || rules.ttl || ttls.default;
  if (ttl <= max) return ttl;
  const text = `TTL "${goDuration(ttl)}" is longer than permitted maxTTL "${goDuration(max)}"`;
  if (requested > 0 && overMaxOf(measure) === "refuse")
    throw new CaError("validity", `cannot satisfy request, as ${text}`);
  measure.caller.reply.warn(`${text}, so maxTTL is being used`);
  return max;
}

/**
 * Returns notBefore: the role's if it has one, or the requested one if the role permits it (A 6.3
 * rule 7), or else the backdated current time.
 */
function beginning(now: number, requested: string, rules: LifetimeRules): number {
  const earliest = now - rules.not_before_duration;
  if (rules.not_before) return parseInstant(rules.not_before);
  if (requested === "") return earliest;
  const start = parseInstant(requested);
  if (rules.not_before_bound === "forbid")
    throw new CaError("validity", "cannot satisfy request, as not_before is forbidden by the role");
  if (rules.not_before_bound === "duration" && start < earliest)
    throw new CaError(
      "validity",
      `cannot satisfy request, as not_before is earlier than ${rfc3339(earliest)}, the earliest time that the role allows`,
    );
  return start;
}

function checkEnd(
  end: number,
  now: number,
  { not_after_bound: bound = "permit", max_ttl: max }: LifetimeRules,
): void {
  if (bound === "permit") return;
  if (bound === "forbid")
    throw new CaError("validity", "cannot satisfy request, as not_after is forbidden by the role");
  const latest = bound === "ttl-limited" ? (max > 0 ? now + max : undefined) : parseInstant(bound);
  if (latest !== undefined && end > latest)
    throw new CaError(
      "validity",
      `cannot satisfy request, as not_after is later than ${rfc3339(latest)}, the latest time that the role allows`,
    );
}

function absoluteEnd(request: LifetimeRequest, rules: LifetimeRules, measure: Measure): number {
  const now = Math.floor(measure.now / 1000);
  const end = parseInstant(rules.not_after || request.not_after);
  if (rules.not_after === "") checkEnd(end, now, rules);
  if (rules.max_ttl === 0 || rules.not_after !== "" || end <= now + rules.max_ttl) return end;
  const text = `not_after "${request.not_after}" is later than permitted by maxTTL "${goDuration(rules.max_ttl)}"`;
  if (overMaxOf(measure) === "refuse")
    throw new CaError("validity", `cannot satisfy request, as ${text}`);
  measure.caller.reply.warn(`${text}, so maxTTL is being used`);
  return now + rules.max_ttl;
}

/**
 * Applies the issuer's rule for certificates that would outlive the issuer (A 6.3 rule 5), and
 * returns the possibly truncated validity. Throws `validity` if the rule rejects the certificate,
 * if truncation would result in a notAfter in the past, or if the requested notAfter is not after
 * the issuer's notBefore. `now` is in Unix milliseconds.
 */
export function withinIssuer(
  now: number,
  validity: Validity,
  { notBefore: issuerNotBefore, notAfter: issuerNotAfter }: Validity,
  behavior: NotAfterBehavior,
): Validity {
  if (behavior === "permit") return validity;
  if (validity.notAfter <= issuerNotBefore)
    throw new CaError(
      "validity",
      `cannot satisfy request, as the CA certificate is not valid before ${rfc3339(issuerNotBefore)}`,
    );
  if (validity.notAfter <= issuerNotAfter) return validity;
  if (behavior !== "truncate")
    throw new CaError(
      "validity",
      `cannot satisfy request, as TTL would result in notAfter of ${rfc3339(validity.notAfter)} that is beyond the expiration of the CA certificate at ${rfc3339(issuerNotAfter)}`,
    );
  if (issuerNotAfter < Math.floor(now / 1000))
    throw new CaError(
      "validity",
      `cannot satisfy request, as the CA certificate expired at ${rfc3339(issuerNotAfter)}`,
    );
  if (issuerNotAfter <= validity.notBefore)
    throw new CaError(
      "validity",
      `cannot satisfy request, as notBefore of ${rfc3339(validity.notBefore)} is not before the expiration of the CA certificate at ${rfc3339(issuerNotAfter)}`,
    );
  return { ...validity, notAfter: issuerNotAfter };
}

/**
 * Computes the validity of a leaf certificate. Reports two rules to the checker: that of the role
 * and mount, and that of the issuer (A 6.3).
 */
export function checkValidity(
  { mount, config, input, caller, checker }: IssuanceContext<LifetimeRequest>,
  rules: LifetimeRules,
  issuer: SigningIssuer,
): Validity {
  const { ttl = 0, not_after } = input;
  const measure = { now: mount.ports.now(), mount: config.mount, caller };
  // a dry run continues with the maximum lifetime, or as if no lifetime was requested, without
  // warnings
  const instead = (other: LifetimeRequest): Validity => {
    const silent = withoutWarnings(caller);
    return validityFor(other, rules, { ...measure, caller: silent, overMax: "cap" });
  };
  const requestedLifetime = () =>
    not_after || (ttl > 0 ? goDuration(ttl) : "no lifetime requested");
  const validity = checkRule(
    checker,
    { rule: "ttl, max_ttl, not_after", input: requestedLifetime },
    () => validityFor(input, rules, measure),
    () => instead(input),
    () => instead({ not_after: "" }),
  );
  const within = (behavior: NotAfterBehavior): Validity =>
    withinIssuer(measure.now, validity, issuer.certificate, behavior);
  return checkRule(
    checker,
    { rule: "leaf_not_after_behavior", input: () => rfc3339(validity.notAfter) },
    () => within(issuer.row.leaf_not_after_behavior),
    () => within("truncate"),
    () => within("permit"),
  );
}
