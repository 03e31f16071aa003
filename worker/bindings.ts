import type { Remote } from "./store.ts";

/**
 * The objects of class `MountObject`. Only what this Worker uses of the platform's types, which
 * would replace those of the browser in `src/`.
 */
export interface MountNamespace {
  idFromName(name: string): unknown;
  get(id: unknown): Remote;
}
/** Published bytes. */
export interface KvNamespace {
  put(key: string, value: Uint8Array, options: { readonly expiration: number }): Promise<void>;
  get(key: string, type: "arrayBuffer"): Promise<ArrayBuffer | null>;
  delete(key: string): Promise<void>;
}
/** Static files. */
export interface Assets {
  fetch(request: Request): Promise<Response>;
}
