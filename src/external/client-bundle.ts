import { policyClientBinding } from "../engine/external-key.ts";
import type { PolicyClient } from "../engine/external-records.ts";
import type { Mount } from "../engine/mount.ts";
import { readClientBundle } from "../keys/client-bundle.ts";

/**
 * The client bundle of a request: undefined if absent, null if empty, only a chain if it contains
 * no key.
 */
export type SentClientBundle =
  | PolicyClient
  | { readonly chain: readonly Uint8Array[] }
  | null
  | undefined;

/**
 * Reads a client's certificate and key, in any order, and seals the key. Throws CaError `bad_key`
 * or `malformed`.
 */
export async function sealClientBundle(
  ca: Mount,
  pem: string | undefined,
): Promise<SentClientBundle> {
  if (pem === undefined) return undefined;
  if (pem.trim() === "") return null;
  const { chain, key } = await readClientBundle("vault_client_cert_bundle", pem);
  if (!key) return { chain };
  const sealed = await ca.ports.vault.seal(key.pkcs8, policyClientBinding(ca.name));
  return { chain, spki: key.spki, sealed };
}
