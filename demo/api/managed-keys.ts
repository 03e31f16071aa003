import { ApiError, ask, list, request, type Reply } from "./transport.ts";
import { place } from "../lib/place.ts";
import { ref, refs } from "./pki.ts";

/** A key that is kept elsewhere and signs there, as the API tells it. */
export interface ManagedKey extends Readonly<Record<string, unknown>> {
  readonly UUID: string;
  readonly name: string;
  readonly type: string;
  readonly any_mount: boolean;
  readonly usages: readonly string[] | null;
  /** PEM, once it was used. */
  readonly public_key?: string;
}

/** A mount and the managed keys that its settings list. */
export interface MountPermission {
  readonly path: string;
  readonly keys: readonly string[];
}

/** The types that can be registered here. */
export const managedTypes = ["awskms", "https"] as const;

const one = (type: string, name: string): string => `sys/managed-keys/${ref(type)}/${ref(name)}`;

export const managedKey = (type: string, name: string): Promise<ManagedKey> =>
  ask("GET", one(type, name));

/** Every managed key, by type and name. */
export async function managedKeys(): Promise<readonly ManagedKey[]> {
  const all = await Promise.all(
    managedTypes.map(async (type) => {
      const { keys } = await list(`sys/managed-keys/${type}`);
      return Promise.all(keys.map((name) => managedKey(type, name)));
    }),
  );
  return all.flat();
}

export const saveManagedKey = (
  type: string,
  name: string,
  fields: object,
): Promise<Reply<unknown>> => request("POST", one(type, name), fields);

export const deleteManagedKey = (type: string, name: string): Promise<Reply<unknown>> =>
  request("DELETE", one(type, name));

/** The result of a test signature by a managed key. */
export interface TestSignature {
  readonly signature_algorithm: string;
  readonly key_type: string;
  readonly public_key: string;
}

/** Lets a key sign a random text, and the signature be verified. */
export const testSign = (type: string, name: string, fields: object): Promise<TestSignature> =>
  ask("POST", `${one(type, name)}/test/sign`, fields);

interface Told {
  readonly type?: string;
  readonly config?: { readonly allowed_managed_keys?: readonly string[] | null };
}

/** The mounts that hold authorities, with the managed keys that each may use by its settings. */
export async function permissions(): Promise<readonly MountPermission[]> {
  const all = await ask<Readonly<Record<string, Told>>>("GET", "sys/mounts");
  return Object.entries(all)
    .filter(([, { type }]) => type === "pki")
    .map(([path, { config }]) => ({
      path: path.replace(/\/+$/, ""),
      keys: config?.allowed_managed_keys ?? [],
    }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Lets a mount use a managed key, or not any more. */
export const permit = (
  { path, keys }: MountPermission,
  name: string,
  may: boolean,
): Promise<Reply<unknown>> =>
  request("POST", `sys/mounts/${refs(path)}/tune`, {
    allowed_managed_keys: may ? [...keys, name] : keys.filter((held) => held !== name),
  });

/**
 * The managed keys that the mount which is shown may sign with; none where nobody may be asked, or
 * there is no such thing.
 */
export async function usableKeys(): Promise<readonly ManagedKey[]> {
  try {
    const all = await managedKeys();
    if (all.length === 0) return [];
    const { mount } = place.get();
    // Whoever may read the keys need not be let to read the mounts.
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
