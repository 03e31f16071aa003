import { keysById } from "../../pki/rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { encodePem } from "../../base/pem.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { belowManaged, managedKey, type ManagedKeyRow } from "../../managed/records.ts";
import { readManagedKey, failureNoticeKey } from "../../managed/registry.ts";
import { publicKeyOf, signWith } from "../../managed/sign.ts";
import { remainingSecrets } from "../../managed/remote.ts";
import { defaultScheme, schemeName, parsePublicKey } from "../../x509/public-key.ts";
import { findManagedType } from "../../managed/types/table.ts";
import { managedName } from "./register.ts";
import { redactedSecret } from "./settings.ts";

/** Type and name of a managed key. */
interface ManagedKeyName {
  readonly type: string;
  readonly name: string;
}

/**
 * Returns the names of the managed keys of the given type. Rejects with `not_found` if there are
 * none.
 */
export async function listManagedKeys({ sys }: Deployment, type: string) {
  const below = `${belowManaged}${type}/`;
  const rows = findManagedType(type) ? await sys.store.list(below, { values: false }) : [];
  if (rows.length === 0) throw new CaError("not_found", "");
  return { keys: rows.map(([key]) => key.slice(below.length)) };
}

async function findRegistered({ sys }: Deployment, { type, name }: ManagedKeyName) {
  return findManagedType(type) && managedName.test(name)
    ? readManagedKey(sys, { type, name })
    : undefined;
}
async function requireRegistered(deployment: Deployment, name: ManagedKeyName) {
  const stored = await findRegistered(deployment, name);
  if (!stored) throw new CaError("not_found", "");
  return stored;
}

/** Returns a managed key, formatted for responses. Rejects with `not_found` if there is none. */
export async function toKeyReply(deployment: Deployment, name: ManagedKeyName) {
  const { row } = await requireRegistered(deployment, name);
  const { uuid, settings, sealed: _, spki, ...rest } = row;
  const secrets = Object.keys(await remainingSecrets(deployment.ports, row)).map((name) => [
    name,
    redactedSecret,
  ]);
  return {
    UUID: uuid,
    ...rest,
    ...settings,
    ...(Object.fromEntries(secrets) as Readonly<Record<string, string>>),
    ...(spki ? { public_key: encodePem("PUBLIC KEY", spki) } : {}),
  };
}

/** Returns the reason why a managed key cannot be deleted, or undefined if it can be. */
async function usedBy(
  deployment: Deployment,
  { type, name }: Pick<ManagedKeyRow, "type" | "name">,
): Promise<string | undefined> {
  for (const [path, { uuid: id, restoring }] of await deployment.readMounts()) {
    // a mount that is being restored looks up the key when it signs
    if (restoring) continue;
    const mount = deployment.mount(id);
    mount.forget();
    const config = await mount.config();
    const row = config.mount;
    const keys = config.get(keysById);
    if (row.config.allowed_managed_keys?.includes(name))
      return `the mount ${path}/ lists it in allowed_managed_keys`;
    // compares type and name, because a key that is registered again has a different ID
    if ([...keys.values()].some(({ managed }) => managed?.name === name && managed.type === type))
      return `a key of the mount ${path}/ refers to it`;
  }
  return undefined;
}

/** Deletes a managed key. Rejects with `in_use` if a mount uses or lists it. */
export async function removeManagedKey(
  deployment: Deployment,
  name: ManagedKeyName,
): Promise<undefined> {
  const stored = await findRegistered(deployment, name);
  if (!stored) return undefined;
  const { row, rev } = stored;
  const why = await usedBy(deployment, row);
  if (why !== undefined)
    throw new CaError("in_use", `the managed key ${row.name} is in use: ${why}`);
  const key = managedKey(row.type, row.name);
  const done = await deployment.sys.commit({
    expect: [[key, rev]],
    del: [key, failureNoticeKey(row.uuid)],
  });
  if (!done) throw new CaError("busy", "the managed key was changed concurrently; try again");
  return undefined;
}

/**
 * Returns the digest size in bits of the named hash algorithm, or 0 if the name is empty. Throws
 * `malformed` for any other name.
 */
function hashBits(name: string): number {
  if (name.trim() === "") return 0;
  const bits = /^sha-?(?:2-)?(256|384|512)$/.exec(name.trim().toLowerCase())?.[1];
  if (!bits)
    throw new CaError("malformed", "hash_algorithm must be sha2-256, sha2-384 or sha2-512");
  return Number(bits);
}

/** Tests a managed key: signs with it and verifies the signature. */
export async function testManagedKey(
  deployment: Deployment,
  {
    hash_algorithm: hash,
    use_pss: pss,
    ...name
  }: ManagedKeyName & { readonly hash_algorithm: string; readonly use_pss: boolean },
) {
  const bits = hashBits(hash);
  const stored = await requireRegistered(deployment, name);
  const spki = await publicKeyOf(deployment.sys, stored, "test");
  const key = parsePublicKey(spki);
  const scheme = defaultScheme(key, bits, pss);
  // random data, so that the signature cannot serve for a certificate, CRL or token
  const data = deployment.ports.random(32);
  await signWith(deployment.sys, stored, { scheme, data, spki, detailsFor: "test" });
  return {
    signature_algorithm: schemeName(scheme),
    key_type: key.type as string,
    public_key: encodePem("PUBLIC KEY", spki),
  };
}
