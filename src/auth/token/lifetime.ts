import { goDuration } from "../../base/duration.ts";
import { systemTtl } from "../../engine/new-mount.ts";

/** What bounds the life of a token; seconds, and 0 where nothing was said. */
export interface TtlBounds {
  /** Of the mount. */
  readonly ttls: { readonly default: number; readonly max: number };
  /** What is asked for. */
  readonly ttl: number;
  readonly period: number;
  /** Of the role. */
  readonly max_ttl: number;
  readonly explicit_max_ttl: number;
  /** Seconds since the token was made. */
  readonly age: number;
}
/** Lifetimes where a mount sets none, seconds. */
export const systemTtls: TtlBounds["ttls"] = { default: systemTtl, max: systemTtl };
/** Seconds until a token ends, and what its holder is told of that. */
interface Lifetime {
  readonly seconds: number;
  readonly warnings: readonly string[];
}

/** The lesser of two limits, of which 0 is none. */
export const lesserLimit = (one: number, other: number): number =>
  one > 0 && other > 0 ? Math.min(one, other) : Math.max(one, other);

/** How long a token lives from now on (P 9.6); 0 where it has reached its end. */
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
  const wanted = ttl > 0 ? ttl : ttls.default;
  const left = max - age;
  return wanted > left
    ? { seconds: Math.max(0, left), warnings: [exceeded("TTL", wanted, max)] }
    : { seconds: wanted, warnings: [] };
}
const exceeded = (what: "TTL" | "Period", asked: number, max: number): string =>
  `${what} of "${goDuration(asked)}" exceeded the effective max_ttl of "${goDuration(max)}"; ${what} value is capped accordingly`;
