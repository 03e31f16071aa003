import { acmeConfig } from "../rows/config.ts";
import { clusterConfig } from "../../pki/rows/settings.ts";
import { CaError } from "../../base/errors.ts";
import { acmeSettings } from "../rows/deployment-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** A directory of a mount, as addressed by a request (B 5.1). */
export interface Directory {
  /**
   * Path of the directory under the mount without `/directory`, as sent: `acme`, `roles/web/acme`,
   * `issuer/x/acme`, `issuer/x/roles/web/acme`, `external-policy/acme`,
   * `external-policy/servers/acme`. Accounts, orders and nonces belong to one directory.
   */
  readonly prefix: string;
  readonly role?: string;
  readonly issuer_ref?: string;
  /** Name of the external policy of the directory; "" if the path contains none. */
  readonly external?: string;
  /**
   * Returns the URL of a resource in the directory: the cluster's path, the prefix, and a suffix
   * such as `/orders`.
   */
  url(suffix: string): string;
}
/** A directory and the resource that a request addresses. */
export interface DirectoryRequest {
  readonly directory: Directory;
  /** Path under the prefix, with a leading slash, such as `/new-order`. */
  readonly suffix: string;
}

const shape =
  /^\/((?:issuer\/([^/]+)\/)?(?:roles\/([^/]+)\/|(external-policy\/)(?:([^/]+)\/)?)?acme)(\/.*)$/;
/** Splits a path in a directory into its parts. The parts of other paths are empty. */
function partsOf(path: string) {
  const [, prefix = "", issuer_ref, role, isExternal, policy = "", suffix = ""] =
    shape.exec(path) ?? [];
  const named = {
    ...(issuer_ref === undefined ? {} : { issuer_ref }),
    ...(role === undefined ? {} : { role }),
    ...(isExternal === undefined ? {} : { external: policy }),
  };
  return { prefix, named, suffix };
}

/** Returns the role, issuer and external policy that the prefix of a directory contains. */
export const namedBy = (prefix: string): Omit<Directory, "prefix" | "url"> =>
  partsOf(`/${prefix}/`).named;
/**
 * Returns the directory and resource of a request path under the mount. `path` is percent-encoded.
 */
export function aimOf(config: Snapshot, path: string): DirectoryRequest {
  const { prefix, named, suffix } = partsOf(decodeURIComponent(path));
  const base = `${config.get(clusterConfig).path.replace(/\/+$/, "")}/${prefix}`;
  return { directory: { prefix, ...named, url: (below: string) => base + below }, suffix };
}

/** Reports whether ACME is enabled on a mount (B 5.3). */
export function isEnabled({ storeContext }: Mount, config: Snapshot): boolean {
  const { enabled, eab_policy } = config.get(acmeConfig);
  return (
    enabled && (acmeSettings(storeContext).requireEab !== true || eab_policy === "always-required")
  );
}

/**
 * Rejects requests if ACME is disabled on the mount or the mount's URL is not configured (B 5.3,
 * gate order).
 */
export function requireAcmeEnabled(mount: Mount, config: Snapshot): void {
  if (!isEnabled(mount, config)) throw new CaError("acme_disabled", "");
  if (config.get(clusterConfig).path === "")
    throw new CaError(
      "server_internal",
      "the mount's own URL is not configured: set `path` with POST config/cluster",
    );
}
