import type { RemoteStore } from "./store.ts";

/**
 * The objects of class `MountObject`. Declares only the part of the platform's types that this
 * Worker uses, because they would replace those of the browser in `src/`.
 */
export interface MountNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): RemoteStore;
}
/** Published CRLs. */
export interface KvNamespace {
  put(key: string, value: Uint8Array, options: { readonly expiration: number }): Promise<void>;
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  delete(key: string): Promise<void>;
}

/** Returns the bindings, which the environment's type need not list. */
export const boundAs = (env: unknown): Readonly<Record<string, string>> =>
  // only checked values are read from it by name
  (typeof env === "object" && env !== null ? env : {}) as Readonly<Record<string, string>>;
const bound = (env: unknown, name: string): unknown =>
  Object.hasOwn(boundAs(env), name) ? boundAs(env)[name] : undefined;

/** Returns a variable or secret; undefined if there is none. */
export function textIn(env: unknown, name: string): string | undefined {
  const value = bound(env, name);
  return typeof value === "string" ? value : undefined;
}
/** Returns a class of objects; undefined if there is none of that name. */
export function namespaceIn(env: unknown, name: string): MountNamespace | undefined {
  const value = bound(env, name);
  // the platform's types are replaced by ours, and only namespaces have this method
  return has(value, "idFromName") ? (value as MountNamespace) : undefined;
}
/** Returns a KV namespace; undefined if there is none of that name. */
export function kvIn(env: unknown, name: string): KvNamespace | undefined {
  const value = bound(env, name);
  return has(value, "put") ? (value as KvNamespace) : undefined;
}
const has = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && name in value;
