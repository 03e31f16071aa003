import { CaError } from "../base/errors.ts";
import type { Scheme } from "../algorithms/table.ts";
import { fromUtf8, utf8 } from "../base/bytes.ts";
import type { ManagedKeyRow } from "./records.ts";
import type { Ports } from "../engine/ports.ts";

/** The data to sign with a managed key, and the signature scheme. */
export interface SigningInput {
  readonly scheme: Scheme;
  /** Digest of the data with the scheme's hash, or undefined if the scheme has no hash. */
  readonly digest: Uint8Array | undefined;
  readonly data: Uint8Array;
}
/** The provider of a managed key. Methods reject with `NetError` or `KmsError`. */
export interface KmsProvider {
  /** Returns the SubjectPublicKeyInfo (DER), as received and not validated. */
  publicKey(): Promise<Uint8Array>;
  /** Signs data. Returns the signature in the format of certificates, without verifying it. */
  signature(input: SigningInput): Promise<Uint8Array>;
  /** Generates the key if it does not exist. Absent if the provider cannot generate keys. */
  make?(): Promise<void>;
}

/**
 * The error for a provider's response that cannot be used. It quotes only known words from the
 * response.
 */
export class KmsError extends Error {
  override readonly name = "RemoteError";
  /** Whether the provider reports that the key does not exist. */
  readonly missing: boolean;
  constructor(text: string, missing = false) {
    super(text);
    this.missing = missing;
  }
}

/** Returns the associated data with which the secrets of a managed key are sealed. */
export const managedBinding = (uuid: string): string => `sys/managed-key/${uuid}`;

/**
 * Returns the unsealed secrets of a managed key by name. Throws CaError `storage` if they cannot be
 * opened.
 */
export async function openSecrets(
  { vault }: Pick<Ports, "vault">,
  { sealed, uuid }: Pick<ManagedKeyRow, "sealed" | "uuid">,
): Promise<Readonly<Record<string, string>>> {
  const opened = await vault.unseal(sealed, managedBinding(uuid));
  try {
    // only `sealSecrets` creates this value
    return JSON.parse(fromUtf8(opened)) as Readonly<Record<string, string>>;
  } finally {
    opened.fill(0);
  }
}
/**
 * Returns the unsealed secrets of a managed key. If no sealing key can open them, returns no
 * secrets, so that they must be sent again.
 */
export async function remainingSecrets(
  ...of: Parameters<typeof openSecrets>
): ReturnType<typeof openSecrets> {
  try {
    return await openSecrets(...of);
  } catch (error) {
    if (error instanceof CaError && error.code === "storage") return {};
    throw error;
  }
}
/** Seals the secrets of a managed key. */
export const sealSecrets = (
  { vault }: Pick<Ports, "vault">,
  uuid: string,
  secrets: Readonly<Record<string, string>>,
): Promise<Uint8Array> => vault.seal(utf8(JSON.stringify(secrets)), managedBinding(uuid));
