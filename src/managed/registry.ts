import { CaError } from "../base/errors.ts";
import { truncateForMessage } from "../base/names.ts";
import type { ManagedRef } from "../pki/rows/records.ts";
import { belowManaged, managedKey, type ManagedKeyRow, storedManagedKey } from "./records.ts";
import type { Row } from "../engine/ports.ts";
import type { MountRow } from "../engine/mount-records.ts";
import { belowSys, sysKeys } from "../engine/sys-records.ts";
import { kindOf, type StoreContext } from "../engine/store-context.ts";

/** A managed key with the revision of its row. */
export interface StoredManagedKey {
  readonly row: ManagedKeyRow;
  readonly rev: number;
  /** Whether `sys/health` warns about the key. */
  readonly failed: boolean;
}
/** Returns the row key of the health warning about a managed key. */
export const failureNoticeKey = (uuid: string): string =>
  sysKeys.notice("sys", "managed-key", uuid);

interface RegisteredKey {
  readonly key?: StoredManagedKey;
}
const registeredKeys = kindOf<RegisteredKey>(1000, [belowManaged, belowSys.notices]);
/** Returns a managed key, if it exists, from a cache that is at most a second old. */
export async function getManagedKey(
  sys: StoreContext,
  { type, name }: Pick<ManagedRef, "type" | "name">,
): Promise<StoredManagedKey | undefined> {
  const { key } = await sys.cache.recent(
    registeredKeys,
    `${type}/${name}`,
    async (): Promise<RegisteredKey> => {
      const now = await readManagedKey(sys, { type, name });
      return now ? { key: now } : {};
    },
  );
  return key;
}
/** Reads a managed key, if it exists, from the store instead of the cache. */
export async function readManagedKey(
  sys: StoreContext,
  { type, name }: { readonly type: string; readonly name: string },
): Promise<StoredManagedKey | undefined> {
  const [row] = await sys.store.get([managedKey(type, name)]);
  return row && withNotice(sys, row);
}
async function withNotice(sys: StoreContext, { value, rev }: Row): Promise<StoredManagedKey> {
  const row = storedManagedKey(value);
  const [notice] = await sys.store.get([failureNoticeKey(row.uuid)]);
  return { row, rev, failed: notice !== undefined };
}

/** Returns the reason why a mount may not sign with a managed key (B 8), or "" if it may. */
export function reasonNotPermitted(
  { name, any_mount, usages }: ManagedKeyRow,
  mount: MountRow,
): string {
  if (!any_mount && !mount.config.allowed_managed_keys?.includes(name))
    return `the mount ${mount.path}/ is not permitted to use the managed key ${truncateForMessage(name)}; add it to allowed_managed_keys of the mount, or set any_mount of the key`;
  if (usages.length > 0 && !usages.includes("sign"))
    return `the usages of the managed key ${truncateForMessage(name)} do not include sign`;
  return "";
}

/** The request fields that refer to a managed key. */
export interface ManagedKeyReference {
  readonly managed_key_name?: string | undefined;
  readonly managed_key_id?: string | undefined;
}
/**
 * Returns the managed key to which a request refers. Throws `malformed` if there is none, or if the
 * mount may not use it.
 */
export async function getReferencedKey(
  sys: StoreContext,
  { managed_key_name: name = "", managed_key_id: id = "" }: ManagedKeyReference,
  mount: MountRow,
): Promise<StoredManagedKey> {
  if ((name === "") === (id === ""))
    throw new CaError("malformed", "set exactly one of managed_key_name and managed_key_id");
  const rows = await sys.store.list(belowManaged);
  const stored = rows.find(([, { value }]) => {
    const row = storedManagedKey(value);
    return name === "" ? row.uuid === id : row.name === name;
  });
  if (!stored)
    throw new CaError(
      "malformed",
      `no managed key ${truncateForMessage(name || id)} is configured on this server`,
    );
  const key = await withNotice(sys, stored[1]);
  const why = reasonNotPermitted(key.row, mount);
  if (why !== "") throw new CaError("malformed", why);
  return key;
}
