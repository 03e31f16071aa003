import type {
  ReadManagedKeyReply,
  TestManagedKeyInput,
  TestManagedKeyReply,
  WriteManagedKeyInput,
} from "../../src/client/sys.ts";
import type { ManagedType } from "../../src/managed/types/table.ts";
export type { ManagedType } from "../../src/managed/types/table.ts";
import { call, callWithSettings, listing, readData } from "./call.ts";
import * as sys from "./endpoints/sys.ts";
import { ApiError, type Reply } from "./transport.ts";
import { place } from "../lib/place.ts";
import type { SettingChanges } from "../lib/settings.ts";

/** A key in an external key service. The service creates the signatures. */
export type ManagedKey = ReadManagedKeyReply;

/** A mount and the managed keys that its settings allow. */
export interface MountPermission {
  readonly path: string;
  readonly keys: readonly string[];
}

/** The types of managed keys that the console can register. */
export const managedTypes = ["awskms", "https"] as const satisfies readonly ManagedType[];

export const managedKey = (type: ManagedType, name: string): Promise<ManagedKey> =>
  readData(sys.readManagedKey, { type, name });

/** Returns all managed keys, sorted by type and name. */
export async function managedKeys(): Promise<readonly ManagedKey[]> {
  const all = await Promise.all(
    managedTypes.map(async (type) => {
      const { keys } = await listing(sys.listManagedKeys, { type });
      return Promise.all(keys.map((name) => managedKey(type, name)));
    }),
  );
  return all.flat();
}

/** Name of a managed key setting. */
export type ManagedKeySetting = Exclude<keyof WriteManagedKeyInput, "type" | "name">;

export const saveManagedKey = (
  type: ManagedType,
  name: string,
  changes: SettingChanges<ManagedKeySetting>,
): Promise<Reply<unknown>> => callWithSettings(sys.writeManagedKey, changes, { type, name });

export const deleteManagedKey = (type: ManagedType, name: string): Promise<Reply<unknown>> =>
  call(sys.deleteManagedKey, { type, name });

/** Tests a key: the service signs random data, and the server verifies the signature. */
export const testSign = (
  type: ManagedType,
  name: string,
  fields: Omit<TestManagedKeyInput, "type" | "name">,
): Promise<TestManagedKeyReply> => readData(sys.testManagedKey, { ...fields, type, name });

/** Returns the CA mounts with the managed keys that each may use. */
export async function permissions(): Promise<readonly MountPermission[]> {
  const all = await readData(sys.listMounts);
  return Object.entries(all)
    .filter(([, { type }]) => type === "pki")
    .map(([path, { config }]) => ({
      path: path.replace(/\/+$/, ""),
      keys: config?.allowed_managed_keys ?? [],
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Allows a mount to use a managed key, or forbids it. */
export const permit = (
  { path, keys }: MountPermission,
  name: string,
  may: boolean,
): Promise<Reply<unknown>> =>
  call(sys.writeTune, {
    path,
    allowed_managed_keys: may ? [...keys, name] : keys.filter((one) => one !== name),
  });

/**
 * Returns the managed keys with which the current mount may sign. Returns none if the token may not
 * read them, or if the server has no managed keys.
 */
export async function usableKeys(): Promise<readonly ManagedKey[]> {
  try {
    const all = await managedKeys();
    if (all.length === 0) return [];
    const { mount } = place.get();
    // A token that can read the keys might not be allowed to read the mounts.
    const listed = (await permissions().catch(() => [])).find(({ path }) => path === mount);
    return all.filter(
      ({ any_mount, name, usages }) =>
        (any_mount || listed?.keys.includes(name) === true) &&
        (!usages?.length || usages.includes("sign")),
    );
  } catch (error) {
    if (error instanceof ApiError) return [];
    throw error;
  }
}
