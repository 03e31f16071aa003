import type { RemoteStore } from "./store.ts";

/**
 * Binding of the Durable Object class `MountObject`. Declares only what this Worker uses, because
 * the platform's own types would replace the browser's types in `src/`.
 */
export interface MountNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): RemoteStore;
}
/** Binding of the KV namespace with the published CRLs. */
export interface KvNamespace {
  put(key: string, value: Uint8Array, options: { readonly expiration: number }): Promise<void>;
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  delete(key: string): Promise<void>;
}

/** Returns the variables and secrets of an environment, whose type does not have to list them. */
export const boundAs = (env: unknown): Readonly<Record<string, string>> =>
  // callers check the values that they read by name
  (typeof env === "object" && env !== null ? env : {}) as Readonly<Record<string, string>>;
const bound = (env: unknown, name: string): unknown =>
  Object.hasOwn(boundAs(env), name) ? boundAs(env)[name] : undefined;

/** Returns a variable or a secret, or undefined if there is none with the name. */
export function textIn(env: unknown, name: string): string | undefined {
  const value = bound(env, name);
  return typeof value === "string" ? value : undefined;
}
/** Returns the binding of a Durable Object class, or undefined if there is none with the name. */
export function namespaceIn(env: unknown, name: string): MountNamespace | undefined {
  const value = bound(env, name);
  // our types replace the platform's, and only namespaces have this method
  return has(value, "idFromName") ? (value as MountNamespace) : undefined;
}
/** Returns the binding of a KV namespace, or undefined if there is none with the name. */
export function kvIn(env: unknown, name: string): KvNamespace | undefined {
  const value = bound(env, name);
  return has(value, "put") ? (value as KvNamespace) : undefined;
}
const has = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && name in value;
