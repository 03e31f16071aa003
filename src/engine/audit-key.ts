import { toHex, utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { hmacSha256 } from "../base/hmac.ts";
import { memoize } from "../base/memo.ts";
import type { StoredSecret } from "./sealing.ts";
import { sysKeys, storedSys } from "./sys-records.ts";
import type { StoreContext } from "./store-context.ts";

const binding = "sys/audit";
/** Length of the key in octets. */
const length = 32;

/** Returns the HMAC that hashes names in audit events. Its key is read once per deployment. */
const keyOf = memoize(async (sys: StoreContext): Promise<ReturnType<typeof hmacSha256>> => {
  const { vault, random } = sys.ports;
  const secret = await sys.change(async () => {
    const [row] = await sys.store.get([sysKeys.auditKey]);
    const stored = row && (await opened(sys, storedSys.auditKey(row.value).sealed));
    if (stored) return { reply: stored };
    const generated = random(length);
    const sealed = await vault.seal(generated, binding);
    return {
      reply: generated,
      batch: {
        expect: [[sysKeys.auditKey, row?.rev ?? null]],
        put: [[sysKeys.auditKey, { sealed }]],
      },
    };
  });
  return hmacSha256(secret);
});
/**
 * Unseals the audit key. Returns undefined if no sealing key can open it. A new audit key then
 * replaces it; hashes in stored events do not change.
 */
async function opened(sys: StoreContext, sealed: Uint8Array): Promise<Uint8Array | undefined> {
  try {
    return await sys.ports.vault.unseal(sealed, binding);
  } catch (error) {
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}

/**
 * Returns the hash that replaces a name in audit events: `hmac-sha256:` and hexadecimal digits.
 * Within a deployment, a name always has the same hash.
 */
export function auditHash(sys: StoreContext, name: string): Promise<string> | string {
  const hash = cachedKeys.get(sys.self);
  return hash ? hashed(hash, name) : firstHash(sys, name);
}
type Hash = ReturnType<typeof hmacSha256>;
/** HMACs whose keys were already read, so that most calls can return a hash synchronously. */
const cachedKeys = new WeakMap<StoreContext, Hash>();
async function firstHash(sys: StoreContext, name: string): Promise<string> {
  const hash = await keyOf(sys.self);
  cachedKeys.set(sys.self, hash);
  return hashed(hash, name);
}
const hashed = (hash: Hash, name: string): string => `hmac-sha256:${toHex(hash(utf8(name)))}`;

/** Binding of the audit sink's sealed secret. */
export const sinkBinding = "sys/audit/sink";
/** The secrets of the audit log: its key, and the secret of its sink. */
export const auditSecrets: readonly StoredSecret[] = [
  { key: sysKeys.auditKey, name: binding, bindingOf: () => binding },
  { key: sysKeys.auditSink, name: sinkBinding, bindingOf: () => sinkBinding },
];
