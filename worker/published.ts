import type { Publish } from "../src/index.ts";
import type { KvNamespace } from "./bindings.ts";

/** Minimum lifetime of KV entries, in seconds. */
const minExpiry = 60;
/** Returns functions that publish, read and delete CRLs in a KV namespace. */
export function publishToKv(kv: KvNamespace): Publish {
  return {
    put: (key, bytes, expires) =>
      kv.put(key, bytes, {
        expiration: Math.max(expires, Math.ceil(Date.now() / 1000) + minExpiry),
      }),
    get: async (key) => {
      const bytes = await kv.get(key, "arrayBuffer");
      return bytes ? new Uint8Array(bytes) : undefined;
    },
    delete: (key) => kv.delete(key),
  };
}
