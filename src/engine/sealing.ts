import { utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { KeyVault, Store } from "./ports.ts";
import { sysKeys } from "./sys-records.ts";

/** A stored secret and its binding. */
export interface SealedSecret {
  /** The sealed bytes. */
  readonly sealed: Uint8Array;
  /** The binding with which the secret was sealed. */
  readonly binding: string;
}
/** A sealed secret in the value of a row. */
export interface RowSecret<T = unknown> extends SealedSecret {
  /** Returns the value of the row with other sealed bytes. */
  withSealed(sealed: Uint8Array): T;
}
/** A secret in a row of `sys`. */
export interface StoredSecret {
  /** Key of the row. */
  readonly key: string;
  /** Member of the row with the sealed bytes; default: `sealed`. */
  readonly member?: string;
  /** Name of the secret in {@link ResealResult}. */
  readonly name: string;
  /** Returns the binding of the secret in a value of the row. */
  bindingOf(value: unknown): string;
}
/** The result of resealing secrets. */
export interface ResealResult {
  /** Number of resealed secrets. */
  readonly resealed: number;
  /** Names of the secrets that no available key can open. These secrets remain unchanged. */
  readonly unopened: readonly string[];
}

/**
 * Constant whose sealed form is the fingerprint of the key, because only the same key can open it.
 */
const constant = "sealwright";
const binding = "sys/seal";

/**
 * Returns the row with the fingerprint of a vault's key. The initialization of a deployment stores
 * the row in `sys`.
 */
export const fingerprint = async (
  vault: KeyVault,
): Promise<readonly [key: string, sealed: Uint8Array]> => [
  sysKeys.seal,
  await vault.seal(utf8(constant), binding),
];

/** Returns the error for all requests while the sealing key is wrong or missing. */
export const wrongKey = ({ lacking }: KeyVault): CaError =>
  new CaError(
    "storage",
    lacking ??
      "the sealing key is not the key with which the stored secrets were sealed: set that key, or set it as the previous key",
  );

/**
 * Reports whether the vault can open the stored secrets. If a version without fingerprints wrote
 * the data, checks the secrets and stores a fingerprint. One secret that can be opened is enough,
 * because others may have been written while a wrong key was set unnoticed. `secrets` yields the
 * secrets, and is called only without a fingerprint. If it rejects because some secrets cannot be
 * read, one opened secret is still enough, but no fingerprint is stored.
 */
export async function opensSecrets(
  sys: Store,
  vault: KeyVault,
  secrets: () => AsyncIterable<SealedSecret>,
): Promise<boolean> {
  const [stored] = await sys.get([sysKeys.seal]);
  // only `fingerprint` writes this row, with a value of this type
  if (stored) return opens(vault, { sealed: stored.value as Uint8Array, binding });
  let [some, fits] = [false, false];
  try {
    for await (const secret of secrets()) {
      some = true;
      fits ||= await opens(vault, secret);
    }
  } catch (error) {
    // a mount that cannot be read does not block the others
    if (fits) return true;
    throw error;
  }
  return fits || !some ? adopt(sys, vault, secrets) : false;
}
async function adopt(
  sys: Store,
  vault: KeyVault,
  secrets: () => AsyncIterable<SealedSecret>,
): Promise<boolean> {
  if (await sys.commit({ expect: [[sysKeys.seal, null]], put: [await fingerprint(vault)] }))
    return true;
  // another process was first, and may have a different key
  return opensSecrets(sys, vault, secrets);
}

/**
 * Reseals the fingerprint with the current key. Must be called last, after all secrets were
 * resealed.
 */
export async function resealFingerprint(sys: Store, vault: KeyVault): Promise<void> {
  await sys.commit({ put: [await fingerprint(vault)] });
}

/**
 * Reports whether a secret can be opened. Rejects if that cannot be determined, for example because
 * a remote vault is unreachable.
 */
async function opens(vault: KeyVault, secret: SealedSecret): Promise<boolean> {
  return (await opened(vault, secret)) !== undefined;
}

/**
 * Reseals a secret with the current key of the vault `to`, by default the same vault. Returns
 * undefined if no key can open the secret.
 */
export async function reseal(
  vault: KeyVault,
  secret: SealedSecret,
  to = vault,
): Promise<Uint8Array | undefined> {
  const plain = await opened(vault, secret);
  try {
    return plain && (await to.seal(plain, secret.binding));
  } finally {
    plain?.fill(0);
  }
}
/**
 * Returns the value of a row with its secret resealed as by {@link reseal}. Returns undefined if no
 * key can open the secret.
 */
export async function resealRow<T>(
  vault: KeyVault,
  secret: RowSecret<T>,
  to = vault,
): Promise<T | undefined> {
  const sealed = await reseal(vault, secret, to);
  return sealed && secret.withSealed(sealed);
}
async function opened(vault: KeyVault, secret: SealedSecret): Promise<Uint8Array | undefined> {
  try {
    return await vault.unseal(secret.sealed, secret.binding);
  } catch (error) {
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}
