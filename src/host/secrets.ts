import type { Identity, VaultOptions } from "../index.ts";
import { fromBase64, utf8 } from "../base/bytes.ts";
import { NotConfigured } from "./not-configured.ts";

/** Secrets by their names. */
interface SealingSecrets {
  readonly SEALING_KEY?: string | undefined;
  readonly SEALING_KEY_PREVIOUS?: string | undefined;
}

/** The sealing keys, or a message that names the missing or malformed secret. */
export function keysOf({
  SEALING_KEY,
  SEALING_KEY_PREVIOUS: before,
}: SealingSecrets): VaultOptions | string {
  const unfit = (name: string) =>
    `the server is sealed: the secret ${name} must be the base64 of 32 bytes`;
  const key = keyBytes(SEALING_KEY);
  if (!key) return unfit("SEALING_KEY");
  if (!before) return { key };
  const previous = keyBytes(before);
  return previous ? { key, previous } : unfit("SEALING_KEY_PREVIOUS");
}
function keyBytes(text: string | undefined): Uint8Array | undefined {
  const bytes = text === undefined ? undefined : fromBase64(text.trim());
  return bytes?.length === 32 ? bytes : undefined;
}

/**
 * Knows the token that may do everything. Throws NotConfigured for one that is absent or short.
 * Compares digests, so that the time tells nothing of the token.
 */
export function rootToken(
  token: string | undefined,
): (given: string) => Promise<Identity | undefined> {
  if (token === undefined || token.length < 16)
    throw new NotConfigured("the secret SERVICE_ROOT_TOKEN must have at least 16 characters");
  const digest = async (text: string) =>
    new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(text)));
  const root: Identity = { id: "root", policies: ["root"], can: () => true };
  // found by the hash of the whole text, so that here too the time tells nothing of where a wrong
  // one differs
  const proven = new Set<string>();
  return async (given) => {
    if (proven.has(given)) return root;
    const [one, other] = await Promise.all([digest(token), digest(given)]);
    let difference = 0;
    for (const [i, byte] of one.entries()) difference |= byte ^ (other[i] ?? 0);
    if (difference !== 0) return undefined;
    proven.add(given);
    return root;
  };
}
