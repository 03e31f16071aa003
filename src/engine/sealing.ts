import { utf8 } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { KeyVault, Store } from "./ports.ts";
import { sysKeys } from "./sys-records.ts";

/** A stored secret and what it is bound to. */
export interface SealedSecret {
  readonly sealed: Uint8Array;
  readonly binding: string;
}
/** What came of sealing secrets anew. */
export interface ResealResult {
  /** How many there were. */
  readonly resealed: number;
  /** Names of those that opened under no key: they stay as they are. */
  readonly unopened: readonly string[];
}

/**
 * Sealed, this is a fingerprint: whoever cannot open it has another key than that of the stored
 * secrets.
 */
const constant = "sealwright";
const binding = "sys/seal";

/** The row of a vault's key, to be stored in `sys` with the first rows of all. */
export const fingerprint = async (
  vault: KeyVault,
): Promise<readonly [key: string, sealed: Uint8Array]> => [
  sysKeys.seal,
  await vault.seal(utf8(constant), binding),
];

/** Refusal of everything while the sealing key is another one, or there is none. */
export const wrongKey = ({ lacking }: KeyVault): CaError =>
  new CaError(
    "storage",
    lacking ??
      "the sealing key is not the one that the stored secrets were sealed under: set that one, or name it as the previous one",
  );

/**
 * Whether the vault opens what is stored. Data older than fingerprints is judged by its secrets and
 * gets one; of those, one that opens is enough, because some may have been written while another
 * key was set, which went unnoticed then. `secrets` tells them, and is asked only in that case. It
 * rejects where some cannot be read: then a secret that opened is enough to go on, and no
 * fingerprint is stored.
 */
export async function keyFits(
  sys: Store,
  vault: KeyVault,
  secrets: () => AsyncIterable<SealedSecret>,
): Promise<boolean> {
  const [held] = await sys.get([sysKeys.seal]);
  // the row has this type
  if (held) return opens(vault, { sealed: held.value as Uint8Array, binding });
  let [some, fits] = [false, false];
  try {
    for await (const secret of secrets()) {
      some = true;
      fits ||= await opens(vault, secret);
    }
  } catch (error) {
    // what is not reached keeps nobody out of the rest
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
  // another isolate was first, and may have another key
  return keyFits(sys, vault, secrets);
}

/** Seals the fingerprint anew under the current key: then the previous one is needed no more. */
export async function resealFingerprint(sys: Store, vault: KeyVault): Promise<void> {
  await sys.commit({ put: [await fingerprint(vault)] });
}

/**
 * Whether a secret opens. Rejects where the vault could not say, as one that is elsewhere and not
 * reached.
 */
async function opens(vault: KeyVault, secret: SealedSecret): Promise<boolean> {
  return (await opened(vault, secret)) !== undefined;
}

/**
 * A secret sealed anew under the current key, of the same vault unless another one is given;
 * undefined when it opens under none.
 */
export async function sealedAnew(
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
async function opened(vault: KeyVault, secret: SealedSecret): Promise<Uint8Array | undefined> {
  try {
    return await vault.unseal(secret.sealed, secret.binding);
  } catch (error) {
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}
