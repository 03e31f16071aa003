import type { Ports, Scheme } from "../engine/ports.ts";
import { asBytes, equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { truncateForMessage } from "../base/names.ts";
import { managedKey, type ManagedKeyRow } from "./records.ts";
import type { Mount } from "../engine/mount.ts";
import type { ManagedRef, KeyRow } from "../pki/rows/records.ts";
import type { StoreContext } from "../engine/store-context.ts";
import { NetError } from "../net/failure.ts";
import {
  algorithmIdentifier,
  supportsScheme,
  schemeName,
  verifySignature,
  checkPublicKey,
  parsePublicKey,
} from "../x509/public-key.ts";
import {
  getManagedKey,
  failureNoticeKey,
  reasonNotPermitted,
  type StoredManagedKey,
} from "./registry.ts";
import { KmsError, openSecrets, type KmsProvider } from "./remote.ts";
import { findManagedType } from "./types/table.ts";

/** Time in ms for which an unresponsive provider is not called again. */
const spared = 10_000;
/** Maximum number of providers whose timeouts are remembered. */
const maxProviders = 1000;

/**
 * Time in Unix ms at which an unresponsive provider may be called again, by UUID of the managed
 * key.
 */
const unresponsive = new WeakMap<Ports, Map<string, number>>();

/**
 * Reports whether a provider timed out recently. In this case signatures fail immediately, so that
 * queued CRLs do not wait for it one after the other.
 */
export function isUnresponsive(ports: Ports, uuid: string): boolean {
  const remaining = (unresponsive.get(ports)?.get(uuid) ?? 0) - ports.now();
  // if the clock was set back, do not wait longer
  return remaining > 0 && remaining <= spared;
}

/** Records that a provider timed out, or that it responded. */
export function noteUnresponsive(ports: Ports, uuid: string, late: boolean): void {
  const all = unresponsive.get(ports) ?? new Map<string, number>();
  unresponsive.set(ports, all);
  all.delete(uuid);
  if (!late) return;
  all.set(uuid, ports.now() + spared);
  for (const oldest of all.keys()) {
    if (all.size <= maxProviders) break;
    all.delete(oldest);
  }
}

/** The caller that receives a provider's full error: the `test/sign` endpoint. */
export type DetailedCaller = "test";
/** The data to sign, and the signature scheme. */
interface SigningKey {
  readonly scheme: Scheme;
  readonly data: Uint8Array;
}
/** The mount's key row that refers to a managed key. */
type ManagedMountKey = Required<Pick<KeyRow, "managed">> & Pick<KeyRow, "spki">;

/**
 * Signs with a managed key for a mount, and verifies the signature with the public key that the
 * mount has stored (security row 80). Throws `unusable_issuer` if the key is not configured or the
 * mount may not use it, and `signer_failed` if the provider fails.
 */
export async function signWithManagedKey(
  mount: Mount,
  { managed, spki }: ManagedMountKey,
  signing: SigningKey,
): Promise<Uint8Array> {
  const [config, stored] = [await mount.config(), await getManagedKey(mount.sys, managed)];
  if (!stored) throw new CaError("unusable_issuer", notConfigured(managed));
  const why = reasonNotPermitted(stored.row, config.mount);
  if (why !== "") throw new CaError("unusable_issuer", why);
  return signWith(mount.sys, stored, { ...signing, spki });
}
const notConfigured = ({ type, name }: ManagedRef): string =>
  `the managed key ${truncateForMessage(name)} of type ${type} is not configured on this server; write it to sys/managed-keys/${type}/${name}`;

/** Signs with a managed key and verifies the signature. */
export async function signWith(
  sys: StoreContext,
  stored: StoredManagedKey,
  {
    scheme,
    data,
    spki,
    detailsFor,
  }: SigningKey & { readonly spki: Uint8Array; readonly detailsFor?: DetailedCaller },
): Promise<Uint8Array> {
  const key = parsePublicKey(spki);
  if (!supportsScheme(scheme, key))
    throw new TypeError(`a key of type ${key.type} cannot sign with ${schemeName(scheme)}`);
  const digest =
    scheme.hash && new Uint8Array(await crypto.subtle.digest(scheme.hash, asBytes(data)));
  const signature = await callProvider(sys, { stored, detailsFor }, async (remote) => {
    const signed = await remote.signature({ scheme, digest, data });
    if (!(await verifySignature(spki, algorithmIdentifier(scheme), data, signed)))
      throw new KmsError(
        `its signature with ${schemeName(scheme)} does not verify with its public key`,
      );
    return signed;
  });
  await bindPublicKey(sys, stored, spki);
  return signature;
}

/**
 * Fetches the public key of a managed key from its provider. Throws `signer_failed` if the provider
 * fails or the key cannot be used.
 */
export function publicKeyOf(
  sys: StoreContext,
  stored: StoredManagedKey,
  detailsFor?: DetailedCaller,
): Promise<Uint8Array> {
  const { row } = stored;
  return callProvider(sys, { stored, detailsFor }, async (remote) => {
    const spki = await fetchPublicKey(remote, row);
    requireUsableKey(spki, row);
    if (row.spki && !equalBytes(row.spki, spki))
      throw new KmsError("its public key has changed since it was first used");
    return spki;
  });
}
async function fetchPublicKey(
  remote: KmsProvider,
  { allow_generate_key }: ManagedKeyRow,
): Promise<Uint8Array> {
  try {
    return await remote.publicKey();
  } catch (error) {
    if (!(error instanceof KmsError && error.missing && allow_generate_key && remote.make))
      throw error;
    await remote.make();
    return await remote.publicKey();
  }
}
/**
 * Key types by value of the `key_type` setting, for values that are not a key type in upper case.
 */
const typeNames: Readonly<Record<string, string>> = { ECDSA: "ec", EC: "ec" };
function requireUsableKey(spki: Uint8Array, { settings }: ManagedKeyRow): void {
  const expectedType = (settings["key_type"] ?? "").toUpperCase();
  try {
    const key = parsePublicKey(spki);
    checkPublicKey(key);
    if (expectedType !== "" && (typeNames[expectedType] ?? expectedType.toLowerCase()) !== key.type)
      throw new KmsError(
        `its public key is of type ${key.type}, but key_type is ${settings["key_type"]}`,
      );
  } catch (error) {
    if (error instanceof CaError)
      throw new KmsError(`its public key cannot be used: ${error.message}`);
    throw error;
  }
}

/** Stores the public key of a managed key on first use, after which it must not change. */
export async function bindPublicKey(
  sys: StoreContext,
  { row, rev }: StoredManagedKey,
  spki: Uint8Array,
): Promise<void> {
  if (row.spki) return;
  const key = managedKey(row.type, row.name);
  await sys.commit({ expect: [[key, rev]], put: [[key, { ...row, spki }]] });
}

/** The managed key, and the caller that receives the full error, if any. */
interface RemoteCall {
  readonly stored: StoredManagedKey;
  readonly detailsFor: DetailedCaller | undefined;
}
/** Calls a provider. After a failure, `sys/health` warns about it until a call succeeds. */
async function callProvider<T>(
  // use the store without audit events, because this is not a change by the caller
  { self: sys }: StoreContext,
  { stored: { row, rev, failed }, detailsFor }: RemoteCall,
  call: (remote: KmsProvider) => Promise<T>,
): Promise<T> {
  const notice = failureNoticeKey(row.uuid);
  const { ports } = sys;
  try {
    // test/sign always calls the provider, to show whether it responds again
    if (detailsFor !== "test" && isUnresponsive(ports, row.uuid))
      throw new NetError("connection", "it did not respond to a recent request");
    const answer = await call(await remoteOf(ports, row));
    noteUnresponsive(ports, row.uuid, false);
    if (failed) await sys.commit({ del: [notice] });
    return answer;
  } catch (error) {
    if (!(error instanceof NetError || error instanceof KmsError)) throw error;
    if (error instanceof NetError && error.late) noteUnresponsive(ports, row.uuid, true);
    // sys/health requires no token, so disclose neither the name nor the reason
    const text = `a managed key of type ${row.type} has failed; use test/sign of sys/managed-keys to see the reason`;
    // a notice about a key that was deleted meanwhile would remain
    const expect = [[managedKey(row.type, row.name), rev]] as const;
    // the caller receives the error in any case
    if (!failed) await sys.commit({ expect, put: [[notice, { text }]] }).catch(() => undefined);
    // do not disclose addresses in the operator's network to all callers
    const why = error instanceof NetError && detailsFor !== "test" ? unasked : error.message;
    throw new CaError(
      "signer_failed",
      `the managed key ${truncateForMessage(row.name)} has failed: ${why}`,
      {
        cause: error,
      },
    );
  }
}
const unasked = "its key management service could not be reached, or did not respond in time";

/** Returns the provider of a managed key. */
async function remoteOf(ports: Ports, row: ManagedKeyRow): Promise<KmsProvider> {
  const secrets = await openSecrets(ports, row);
  const type = findManagedType(row.type);
  if (type) return type.open(ports, row, secrets);
  throw new CaError(
    "storage",
    `the managed key ${truncateForMessage(row.name)} has an unknown type`,
  );
}
