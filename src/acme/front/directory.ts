import { CaError } from "../../base/errors.ts";
import { acmeSettings } from "../../engine/acme-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** A directory of a mount, as a request names it (B 5.1). */
export interface Directory {
  /**
   * Its path below the mount without `/directory`, as it was spelled: `acme`, `roles/web/acme`,
   * `issuer/x/acme`, `issuer/x/roles/web/acme`. Accounts, orders and nonces belong to one.
   */
  readonly prefix: string;
  readonly role?: string;
  readonly issuer_ref?: string;
  /** The URL of something in it: the cluster's path, the prefix, and a suffix: `/orders`. */
  url(suffix: string): string;
}
/** A directory, and what a request asks for in it. */
export interface Aim {
  readonly directory: Directory;
  /** Below the prefix, with the slash: `/new-order`. */
  readonly suffix: string;
}

const shape = /^\/((?:issuer\/([^/]+)\/)?(?:roles\/([^/]+)\/)?acme)(\/.*)$/;

/** What the prefix of a directory names. */
export function namedBy(prefix: string): Pick<Directory, "role" | "issuer_ref"> {
  const [, , issuer_ref, role] = shape.exec(`/${prefix}/`) ?? [];
  return {
    ...(issuer_ref === undefined ? {} : { issuer_ref }),
    ...(role === undefined ? {} : { role }),
  };
}
/** What the path of a request below the mount names. `path`: percent-encoded. */
export function aimOf({ cluster }: Pick<Snapshot, "cluster">, path: string): Aim {
  const [, prefix = "", issuer_ref, role, suffix = ""] = shape.exec(decodeURIComponent(path)) ?? [];
  const base = `${cluster.path.replace(/\/+$/, "")}/${prefix}`;
  const directory = {
    prefix,
    ...(issuer_ref === undefined ? {} : { issuer_ref }),
    ...(role === undefined ? {} : { role }),
    url: (below: string) => base + below,
  };
  return { directory, suffix };
}

/** Whether a mount answers ACME (B 5.3). */
export const isEnabled = ({ unit }: Mount, { acme }: Snapshot): boolean =>
  acme.enabled && (acmeSettings(unit).requireEab !== true || acme.eab_policy === "always-required");

/**
 * Refuses where a mount does not answer ACME, or does not know its own address (B 5.3, gate order).
 */
export function demandEnabled(ca: Mount, config: Snapshot): void {
  if (!isEnabled(ca, config)) throw new CaError("acme_disabled", "");
  if (config.cluster.path === "")
    throw new CaError(
      "server_internal",
      "the mount does not know its own address: set `path` with POST config/cluster",
    );
}
