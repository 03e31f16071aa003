import { CaError } from "../base/errors.ts";
import { toHex } from "../base/bytes.ts";
import type { Ports } from "./ports.ts";
import { keys, serialKeyBinding, type MountConfig, type MountRow } from "./records.ts";

/** Lifetimes where a mount sets none: 768 h, in seconds. */
export const systemTtl = 768 * 3600;
/**
 * Maximum lifetime on the mount `pki` of the first start: 87600 h, enough for a root of ten years,
 * in seconds.
 */
export const firstMountTtl = 87_600 * 3600;

/** What is asked of a new mount. */
export interface MountOptions {
  readonly type: string;
  readonly description?: string;
  readonly config?: Partial<MountConfig>;
  readonly options?: Readonly<Record<string, string>> | null;
  readonly local?: boolean;
  readonly seal_wrap?: boolean;
  readonly external_entropy_access?: boolean;
}

/**
 * The rows that a new mount's store begins with: the mount, the sealed key of its serial numbers,
 * and its cluster address where the deployment knows it.
 */
export async function newMount(
  ports: Ports,
  name: string,
  path: string,
  options: MountOptions,
): Promise<readonly (readonly [string, unknown])[]> {
  if (options.type !== "pki")
    throw new CaError("malformed", `plugin not found in the catalog: ${options.type.slice(0, 64)}`);
  const config = {
    default_lease_ttl: 0,
    max_lease_ttl: 0,
    force_no_cache: false,
    ...options.config,
  };
  checkTtls(config);
  const row: MountRow = {
    uuid: name,
    path,
    type: "pki",
    description: options.description ?? "",
    accessor: `pki_${toHex(ports.random(4))}`,
    local: options.local ?? false,
    seal_wrap: options.seal_wrap ?? false,
    external_entropy_access: options.external_entropy_access ?? false,
    options: options.options ?? null,
    config,
  };
  const cluster = ports.publicUrl ? `${ports.publicUrl}/v1/${path}` : undefined;
  return [
    [keys.mount, row],
    [keys.config("serial"), await ports.vault.seal(ports.random(32), serialKeyBinding(name))],
    ...(cluster ? [[keys.config("cluster"), { path: cluster, aia_path: cluster }] as const] : []),
  ];
}

/** Refuses a default lifetime above the maximum. */
export function checkTtls(config: MountConfig): void {
  if (config.max_lease_ttl > 0 && config.default_lease_ttl > config.max_lease_ttl)
    throw new CaError("malformed", "given default lease TTL greater than given max lease TTL");
  if (config.max_lease_ttl === 0 && config.default_lease_ttl > systemTtl)
    throw new CaError(
      "malformed",
      `given default lease TTL greater than system max lease TTL of ${systemTtl}`,
    );
}
/** The lifetimes in force on a mount, seconds. */
export const effectiveTtls = ({
  config,
}: MountRow): { readonly default: number; readonly max: number } => {
  const max = config.max_lease_ttl || systemTtl;
  return { default: Math.min(config.default_lease_ttl || systemTtl, max), max };
};
