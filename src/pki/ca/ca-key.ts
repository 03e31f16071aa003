import { uuid } from "../../base/ids.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import { algorithmFor } from "../../algorithms/table.ts";
import { generateKey } from "../../keys/generate.ts";
import type { PrivateKey } from "../../keys/read.ts";
import { sealedKey } from "../rows/key-row.ts";
import { signerOf } from "../../managed/signer-of.ts";
import type { KeyId, KeyRow } from "../rows/records.ts";
import { parsePublicKey, type PublicKey } from "../../x509/public-key.ts";
import type { Signer } from "../../engine/ports.ts";
import type { Caller } from "../../wire/endpoint.ts";
import type { IssuanceContext } from "../request/rule-checker.ts";
import { checkKeyName, findKey, missingKey } from "./mount-keys.ts";

/**
 * A CA key that is ready to sign: an existing key of the mount, or one that was generated for this
 * request and is not yet stored.
 */
export interface CaKey {
  readonly row: KeyRow;
  /** The private key, present only if it was generated for this request. */
  readonly pkcs8?: Uint8Array;
  readonly publicKey: PublicKey;
  readonly signer: Signer;
}
/**
 * The source of a CA's key: generated and never returned (`internal`), generated and returned once
 * (`exported`), an existing key of the mount, or an external key (`kms`, B 8).
 */
export type KeySource = "internal" | "exported" | "existing" | "kms";
/** The request fields that select the key. */
export interface KeyRequest {
  readonly key_name?: string | undefined;
  readonly key_type: string;
  readonly key_bits: number;
  readonly key_ref?: string | undefined;
  readonly managed_key_name?: string | undefined;
  readonly managed_key_id?: string | undefined;
}

/**
 * Generates a CA key and seals it for a row with a new ID. Callers reuse the result when they retry
 * a decision, because generating an RSA key is slow.
 */
export async function newKey(
  mount: Mount,
  { name, type, bits }: { readonly name: string; readonly type: string; readonly bits: number },
): Promise<CaKey & { readonly pkcs8: Uint8Array }> {
  const { algorithm, bits: size } = algorithmFor(type, bits);
  const pair = await generateKey(type, size, mount.ports);
  const row = await sealKey(mount, name, { type: algorithm.type, bits: size, ...pair });
  const { publicKey, signer } = await openKey(mount, row);
  return { row, pkcs8: pair.pkcs8, publicKey, signer };
}

/** Seals a private key, and returns its row with a new ID. */
export async function sealKey(mount: Mount, name: string, key: PrivateKey): Promise<KeyRow> {
  const id: KeyId = uuid(mount.ports.random);
  return {
    id,
    name,
    type: key.type,
    bits: key.bits,
    spki: key.spki,
    sealed: await sealedKey(mount.ports.vault, mount.name, id, key.pkcs8),
  };
}
/** Opens a key of the mount for signing. */
async function openKey(mount: Mount, row: KeyRow): Promise<CaKey> {
  return {
    row,
    publicKey: parsePublicKey(row.spki),
    signer: await signerOf(mount, row),
  };
}

/** Throws `malformed` for a key type or size in a request that generates no key (A 3.3 rule 2). */
export function refuseKeyKind({ sentFields: sent }: Pick<Caller, "sentFields">): void {
  if (sent.has("key_type") || sent.has("key_bits"))
    throw new CaError(
      "malformed",
      "invalid parameter for the kms/existing path parameter, key_type nor key_bits arguments can be set in this mode",
    );
}

/**
 * Returns the key that a request selects. `earlier` is the result of the previous attempt if the
 * change is retried; its generated key is reused. Throws `malformed` if the request refers to a key
 * that does not exist.
 */
export async function keyOf(
  {
    mount,
    config,
    input,
    caller,
  }: Pick<IssuanceContext<KeyRequest>, "mount" | "config" | "input" | "caller">,
  source: KeySource,
  earlier: CaKey | undefined,
): Promise<CaKey> {
  if (source === "internal" || source === "exported") {
    const name = checkKeyName(config, input.key_name);
    const { key_type: type, key_bits: bits } = input;
    return earlier ?? newKey(mount, { name, type, bits });
  }
  refuseKeyKind(caller);
  if (source === "kms") {
    const { managedCaKey } = await import("./managed-ca-key.ts");
    return managedCaKey({ mount, config, input, caller }, earlier);
  }
  const reference = input.key_ref || "default";
  const row = findKey(config, reference);
  if (!row)
    throw new CaError(
      "malformed",
      `failed to lookup public key from existing key: ${missingKey(config, reference)}`,
    );
  return openKey(mount, row);
}
