import type { Snapshot } from "../../engine/snapshot.ts";
import type { LifetimeRules } from "../../pki/issuer/validity.ts";

/**
 * Returns the default and the maximum lifetime of certificates of ACME where no role says more,
 * seconds: those that somebody set for the mount, at most `max_ttl` of config/acme. The defaults of
 * the system count for nothing: where the mount sets no lifetime, it is `max_ttl` (D 5).
 */
export function acmeTtls({ acme, mount }: Pick<Snapshot, "acme" | "mount">): {
  readonly default: number;
  readonly max: number;
} {
  const { default_lease_ttl, max_lease_ttl } = mount.config;
  const max = Math.min(max_lease_ttl || acme.max_ttl, acme.max_ttl);
  return { default: Math.min(default_lease_ttl || acme.max_ttl, max), max };
}

/**
 * Returns the lifetimes of a role in ACME, none longer than `max_ttl` of config/acme; what the role
 * leaves to the mount is that of `acmeTtls` (B 5.9 ttl).
 */
export function acmeLifetimes(
  config: Pick<Snapshot, "acme" | "mount">,
  role: LifetimeRules,
): LifetimeRules {
  const ttls = acmeTtls(config);
  return {
    ...role,
    ttl: role.ttl || ttls.default,
    max_ttl: Math.min(role.max_ttl || ttls.max, config.acme.max_ttl),
  };
}
