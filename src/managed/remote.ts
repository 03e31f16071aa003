import { CaError } from "../base/errors.ts";
import type { Scheme } from "../algorithms/table.ts";
import { fromUtf8, utf8 } from "../base/bytes.ts";
import type { ManagedKeyRow } from "./records.ts";
import type { Ports } from "../engine/ports.ts";

/** The input of a signature by a managed key. */
export interface SigningInput {
  readonly scheme: Scheme;
  /** Digest of the data under the scheme's hash; undefined if the scheme has none. */
  readonly digest: Uint8Array | undefined;
  readonly data: Uint8Array;
}
/** The provider of one managed key. Rejects with `NetError` or `KmsError`. */
export interface KmsProvider {
  /** Returns the SubjectPublicKeyInfo as received, DER, not validated. */
  publicKey(): Promise<Uint8Array>;
  /** Signs; the signature is in certificate form and not verified yet. */
  signature(input: SigningInput): Promise<Uint8Array>;
  /** Generates a missing key; absent if the provider generates none. */
  make?(): Promise<void>;
}

/** An error for an unusable reply of a provider; quotes only known words of it. */
export class KmsError extends Error {
  override readonly name = "RemoteError";
  /** Whether the provider reports that the key does not exist. */
  readonly missing: boolean;
  constructor(text: string, missing = false) {
    super(text);
    this.missing = missing;
  }
}

/** Returns the binding of a managed key's sealed secrets. */
export const managedBinding = (uuid: string): string => `sys/managed-key/${uuid}`;

/** Opens the secrets of a managed key, by name. Throws CaError `storage` if they do not open. */
export async function openSecrets(
  { vault }: Pick<Ports, "vault">,
  { sealed, uuid }: Pick<ManagedKeyRow, "sealed" | "uuid">,
): Promise<Readonly<Record<string, string>>> {
  const opened = await vault.unseal(sealed, managedBinding(uuid));
  try {
    // only `sealSecrets` seals them
    return JSON.parse(fromUtf8(opened)) as Readonly<Record<string, string>>;
  } finally {
    opened.fill(0);
  }
}
/** Opens the secrets; empty if no sealing key opens them, and then they must be sent again. */
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
