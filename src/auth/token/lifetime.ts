import { goDuration } from "../../base/duration.ts";
import { systemTtl } from "../../engine/new-mount.ts";

/** The values that limit a token's lifetime, in seconds. 0 means not set. */
export interface TtlBounds {
  /** Default and maximum lifetime of the mount. */
  readonly ttls: { readonly default: number; readonly max: number };
  /** Requested lifetime. */
  readonly ttl: number;
  readonly period: number;
  /** Maximum lifetime of the role. */
  readonly max_ttl: number;
  readonly explicit_max_ttl: number;
  /** Age of the token. */
  readonly age: number;
}
/** Default and maximum lifetime, in seconds, for mounts that do not set these. */
export const systemTtls: TtlBounds["ttls"] = { default: systemTtl, max: systemTtl };
/** The remaining lifetime of a token in seconds, and warnings for its holder. */
interface Lifetime {
  readonly seconds: number;
  readonly warnings: readonly string[];
}

/** Returns the lower of two limits; 0 means no limit. */
export const lesserLimit = (one: number, other: number): number =>
  one > 0 && other > 0 ? Math.min(one, other) : Math.max(one, other);

/** Returns the remaining lifetime of a token (P 9.6), which is 0 if the token has expired. */
export function lifetimeOf({
  ttls,
  ttl,
  period,
  max_ttl,
  explicit_max_ttl,
  age,
}: TtlBounds): Lifetime {
  const max = Math.min(...[ttls.max, max_ttl, explicit_max_ttl].filter((limit) => limit > 0));
  if (period > 0) {
    const left = explicit_max_ttl > 0 ? explicit_max_ttl - age : Infinity;
    return {
      seconds: Math.max(0, Math.min(period, max, left)),
      warnings: period > max ? [exceeded("Period", period, max)] : [],
    };
  }
  const requested = ttl > 0 ? ttl : ttls.default;
  const left = max - age;
  return requested > left
    ? { seconds: Math.max(0, left), warnings: [exceeded("TTL", requested, max)] }
    : { seconds: requested, warnings: [] };
}
const exceeded = (what: "TTL" | "Period", requested: number, max: number): string =>
  `${what} of "${goDuration(requested)}" exceeded the effective max_ttl of "${goDuration(max)}"; ${what} value is capped accordingly`;
