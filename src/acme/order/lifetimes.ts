import { acmeConfig } from "../rows/config.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { LifetimeRules } from "../../pki/issuer/validity.ts";

/**
 * Returns the default and maximum lifetime, in seconds, of ACME certificates whose role sets none.
 * These are the mount's lifetimes, capped at `max_ttl` of config/acme. If the mount sets none,
 * `max_ttl` is used; the system defaults do not apply (D 5).
 */
export function acmeTtls(config: Snapshot): {
  readonly default: number;
  readonly max: number;
} {
  const { default_lease_ttl, max_lease_ttl } = config.mount.config;
  const max = Math.min(
    max_lease_ttl || config.get(acmeConfig).max_ttl,
    config.get(acmeConfig).max_ttl,
  );
  return { default: Math.min(default_lease_ttl || config.get(acmeConfig).max_ttl, max), max };
}

/**
 * Returns the lifetimes of a role in ACME, capped at `max_ttl` of config/acme. `acmeTtls` provides
 * those that the role does not set (B 5.9 ttl).
 */
export function acmeLifetimes(config: Snapshot, role: LifetimeRules): LifetimeRules {
  const ttls = acmeTtls(config);
  return {
    ...role,
    ttl: role.ttl || ttls.default,
    max_ttl: Math.min(role.max_ttl || ttls.max, config.get(acmeConfig).max_ttl),
  };
}
