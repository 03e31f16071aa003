import type { RemoteStore } from "./store.ts";

/**
 * The objects of class `MountObject`. Only what this Worker uses of the platform's types, which
 * would replace those of the browser in `src/`.
 */
export interface MountNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): RemoteStore;
}
/** Published bytes. */
export interface KvNamespace {
  put(key: string, value: Uint8Array, options: { readonly expiration: number }): Promise<void>;
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  delete(key: string): Promise<void>;
}

/** The bindings, whose names the environment type need not list. */
export const boundAs = (env: unknown): Readonly<Record<string, string>> =>
  // only texts are read of it by names, and looked at before
  (typeof env === "object" && env !== null ? env : {}) as Readonly<Record<string, string>>;
const bound = (env: unknown, name: string): unknown =>
  Object.hasOwn(boundAs(env), name) ? boundAs(env)[name] : undefined;

/** Returns a variable or secret; undefined if there is none. */
export function textIn(env: unknown, name: string): string | undefined {
  const value = bound(env, name);
  return typeof value === "string" ? value : undefined;
}
/** A class of objects; undefined where none has that name. */
export function namespaceIn(env: unknown, name: string): MountNamespace | undefined {
  const value = bound(env, name);
  // the platform's types are replaced by ours, and only these have it
  return has(value, "idFromName") ? (value as MountNamespace) : undefined;
}
/** A KV namespace; undefined where none has that name. */
export function kvIn(env: unknown, name: string): KvNamespace | undefined {
  const value = bound(env, name);
  return has(value, "put") ? (value as KvNamespace) : undefined;
}
const has = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && name in value;
