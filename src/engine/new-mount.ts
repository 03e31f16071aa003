import { CaError } from "../base/errors.ts";
import { toHex } from "../base/bytes.ts";
import type { MountOptions, MountType, NewRows } from "./deployment.ts";
import type { Ports } from "./ports.ts";
import { checkPartitions, placementMembers, withPlacement } from "./mount-stores.ts";
import { mountKey, type MountConfig, type MountRow } from "./mount-records.ts";

/** Default and maximum TTL of mounts that do not set their own, in seconds: 768 hours. */
export const systemTtl = 768 * 3600;
/**
 * Returns the first rows of a new mount's store: the row that describes the mount, and the rows
 * that its type adds.
 */
export async function newMount(
  ports: Ports,
  type: MountType,
  { uuid, path }: Pick<MountRow, "uuid" | "path">,
  options: MountOptions,
): Promise<NewRows> {
  const { partitions = 1, ...settings } = options.config ?? {};
  checkPartitions(ports, partitions);
  const config = {
    default_lease_ttl: 0,
    max_lease_ttl: 0,
    force_no_cache: false,
    ...settings,
  };
  checkTtls(config);
  const unplaced: MountRow = {
    uuid,
    path,
    type: type.type,
    description: options.description ?? "",
    accessor: `${type.type}_${toHex(ports.random(4))}`,
    local: options.local ?? false,
    seal_wrap: options.seal_wrap ?? false,
    external_entropy_access: options.external_entropy_access ?? false,
    options: options.options ?? null,
    config,
  };
  const row = withPlacement(unplaced, placementMembers(partitions));
  return [[mountKey, row], ...(await type.rows(ports, row))];
}

/** Throws CaError `malformed` if the default TTL is greater than the maximum. */
export function checkTtls(config: MountConfig): void {
  if (config.max_lease_ttl > 0 && config.default_lease_ttl > config.max_lease_ttl)
    throw new CaError("malformed", "given default lease TTL greater than given max lease TTL");
  if (config.max_lease_ttl === 0 && config.default_lease_ttl > systemTtl)
    throw new CaError(
      "malformed",
      `given default lease TTL greater than system max lease TTL of ${systemTtl}`,
    );
}
/** Returns the effective TTLs of a mount, in seconds. */
export const effectiveTtls = ({
  config,
}: Pick<MountRow, "config">): { readonly default: number; readonly max: number } => {
  const max = config.max_lease_ttl || systemTtl;
  return { default: Math.min(config.default_lease_ttl || systemTtl, max), max };
};
