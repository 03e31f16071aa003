import { CaError } from "../base/errors.ts";
import type { Scheme } from "../algorithms/table.ts";
import { fromUtf8, utf8 } from "../base/bytes.ts";
import type { ManagedKeyRow } from "../engine/managed-records.ts";
import type { Ports } from "../engine/ports.ts";

/** What a managed key is asked to sign. */
export interface ToSign {
  readonly scheme: Scheme;
  /** Of the data, under the hash of the scheme; undefined where the scheme has none. */
  readonly digest: Uint8Array | undefined;
  readonly data: Uint8Array;
}
/** The keeper of one managed key. Rejects with `NetError` or `RemoteError`. */
export interface KmsProvider {
  /** SubjectPublicKeyInfo, DER, as it was told: not judged yet. */
  publicKey(): Promise<Uint8Array>;
  /** A signature as it stands in a certificate, as it was told: not verified yet. */
  signature(asked: ToSign): Promise<Uint8Array>;
  /** Makes the key where there is none yet; absent where the keeper makes none for others. */
  make?(): Promise<void>;
}

/** What a keeper answered cannot be used. The text quotes nothing of the answer but known words. */
export class KmsError extends Error {
  override readonly name = "RemoteError";
  /** Whether the keeper says that it has no such key. */
  readonly missing: boolean;
  constructor(text: string, missing = false) {
    super(text);
    this.missing = missing;
  }
}

/** What the secrets of a managed key are bound to. */
export const managedBinding = (uuid: string): string => `sys/managed-key/${uuid}`;

/** The secrets of a managed key, by name. Throws CaError `storage` where they do not open. */
export async function openSecrets(
  { vault }: Pick<Ports, "vault">,
  { sealed, uuid }: Pick<ManagedKeyRow, "sealed" | "uuid">,
): Promise<Readonly<Record<string, string>>> {
  const opened = await vault.unseal(sealed, managedBinding(uuid));
  try {
    // sealed by `sealSecrets` alone
    return JSON.parse(fromUtf8(opened)) as Readonly<Record<string, string>>;
  } finally {
    opened.fill(0);
  }
}
/** The same; none where they open under no key any more: they are to be sent anew. */
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
