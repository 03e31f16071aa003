import { CaError } from "../../base/errors.ts";
import { acmeSettings } from "../../engine/acme-settings.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";

/** A directory of a mount, as a request names it (B 5.1). */
export interface Directory {
  /**
   * Its path below the mount without `/directory`, as it was spelled: `acme`, `roles/web/acme`,
   * `issuer/x/acme`, `issuer/x/roles/web/acme`, `external-policy/acme`,
   * `external-policy/servers/acme`. Accounts, orders and nonces belong to one.
   */
  readonly prefix: string;
  readonly role?: string;
  readonly issuer_ref?: string;
  /** The external policy that decides there; its name is "" where none is named. */
  readonly external?: string;
  /** The URL of something in it: the cluster's path, the prefix, and a suffix: `/orders`. */
  url(suffix: string): string;
}
/** A directory, and what a request asks for in it. */
export interface DirectoryRequest {
  readonly directory: Directory;
  /** Below the prefix, with the slash: `/new-order`. */
  readonly suffix: string;
}

const shape =
  /^\/((?:issuer\/([^/]+)\/)?(?:roles\/([^/]+)\/|(external-policy\/)(?:([^/]+)\/)?)?acme)(\/.*)$/;
/** The parts of a path in a directory; nothing of one that leads into none. */
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

/** What the prefix of a directory names. */
export const namedBy = (prefix: string): Omit<Directory, "prefix" | "url"> =>
  partsOf(`/${prefix}/`).named;
/** What the path of a request below the mount names. `path`: percent-encoded. */
export function aimOf({ cluster }: Pick<Snapshot, "cluster">, path: string): DirectoryRequest {
  const { prefix, named, suffix } = partsOf(decodeURIComponent(path));
  const base = `${cluster.path.replace(/\/+$/, "")}/${prefix}`;
  return { directory: { prefix, ...named, url: (below: string) => base + below }, suffix };
}

/** Whether a mount answers ACME (B 5.3). */
export const isEnabled = ({ storeContext }: Mount, { acme }: Snapshot): boolean =>
  acme.enabled &&
  (acmeSettings(storeContext).requireEab !== true || acme.eab_policy === "always-required");

/**
 * Refuses where a mount does not answer ACME, or does not know its own address (B 5.3, gate order).
 */
export function requireAcmeEnabled(ca: Mount, config: Snapshot): void {
  if (!isEnabled(ca, config)) throw new CaError("acme_disabled", "");
  if (config.cluster.path === "")
    throw new CaError(
      "server_internal",
      "the mount does not know its own address: set `path` with POST config/cluster",
    );
}
