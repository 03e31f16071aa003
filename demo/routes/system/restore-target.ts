import { readData } from "../../api/call.ts";
import { listIssuers } from "../../api/endpoints/pki.ts";
import { listVisibleMounts } from "../../api/endpoints/sys.ts";
import type { BackupHead } from "./backup-files.ts";

/** The UUIDs of the mounts that the token can see, by path. */
export type MountIds = ReadonlyMap<string, string>;

/** Reads the mounts that the token can see. */
export async function visibleMountIds(): Promise<MountIds> {
  const { secret } = await readData(listVisibleMounts);
  return new Map(
    Object.entries(secret).flatMap(([path, { type, uuid }]) =>
      type === "pki" ? [[path.replace(/\/$/, ""), uuid ?? ""] as const] : [],
    ),
  );
}

/**
 * Reports whether a mount has an issuer. Returns false for the empty mount of a new server and for
 * an interrupted restore, both of which a restore replaces.
 */
async function hasIssuers(mount: string): Promise<boolean> {
  const { keys } = await readData(listIssuers, {}, mount).catch(() => ({ keys: [] }));
  return keys.length > 0;
}

/**
 * Returns why a backup cannot be restored as a mount at a path, or an empty string if no reason is
 * known.
 */
export async function whyTaken(path: string, { id }: BackupHead, all: MountIds): Promise<string> {
  const [same] = [...all].find(([, uuid]) => uuid !== "" && uuid === id) ?? [];
  if (same !== undefined && (same !== path || (await hasIssuers(path))))
    return `This server has the mount of this backup, as ${same}, and cannot have a copy beside it under any name. Restore the backup on another server. Only to replace ${same}, delete it first`;
  const nested = [...all.keys()].find(
    (other) => path !== other && (path.startsWith(`${other}/`) || other.startsWith(`${path}/`)),
  );
  if (nested !== undefined) return `Mount ${nested} exists, and mounts cannot be nested`;
  return same === undefined && all.has(path) && (await hasIssuers(path))
    ? `Mount ${path} exists. Restore under another name, or on another server`
    : "";
}
