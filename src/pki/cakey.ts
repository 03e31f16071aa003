import { uuid } from "../base/ids.ts";
import { CaError } from "../base/errors.ts";
import type { Engine } from "../engine.ts";
import { checkKeyParameters, generateKey } from "../keys/generate.ts";
import { keyBinding, keys, type KeyId, type KeyRow, type KeyType } from "../records.ts";
import type { Snapshot } from "../snapshot.ts";
import { parsePublicKey, type PublicKey } from "../x509/spki.ts";
import type { Signer } from "../ports.ts";

/** A CA key that was made for this request and is not stored yet. */
export interface NewKey {
  readonly row: KeyRow;
  readonly pkcs8: Uint8Array;
  readonly publicKey: PublicKey;
  readonly signer: Signer;
}

/** Generates a CA key and seals it under its id. Slow for RSA: made once a request, outside the retries of a decision. */
export async function newKey(ca: Engine, mount: string, name: string, type: string, bits: number): Promise<NewKey> {
  if (type !== "rsa" && type !== "ec" && type !== "ed25519") throw new CaError("bad_key", `unknown key type ${type.slice(0, 64)}`);
  const keyType: KeyType = type;
  const size = checkKeyParameters(keyType, bits);
  const { pkcs8, spki } = await generateKey(keyType, size);
  const id: KeyId = uuid(ca.ports.random);
  const binding = keyBinding(mount, id);
  const sealed = await ca.ports.vault.seal(pkcs8, binding);
  const row: KeyRow = { id, name, type: keyType, bits: size, spki, sealed };
  return { row, pkcs8, publicKey: parsePublicKey(spki), signer: await ca.ports.vault.signer(sealed, binding, spki) };
}

/** Checks a name for a new key (details A section 2); "" is no name. */
export function checkKeyName(config: Snapshot, name: string | undefined): string {
  if (name === undefined) return "";
  const trimmed = name.trim();
  if (!/^\w(?:[\w.-]{0,253}\w)?$/.test(trimmed)) throw new CaError("malformed", "key name contained invalid characters");
  if (trimmed.toLowerCase() === "default") throw new CaError("malformed", "reserved keyword 'default' can not be used as key name");
  for (const key of config.keys.values())
    if (key.name === trimmed || key.id === trimmed.toLowerCase()) throw new CaError("already_exists", "key name already in use");
  return trimmed;
}

/** The rows that store a new key: the key, its name, and the default key when there is none. */
export function keyRows(config: Snapshot, row: KeyRow): readonly (readonly [string, unknown])[] {
  const becomesDefault = config.keysConfig.default === "" || !config.keys.has(config.keysConfig.default);
  return [[keys.key(row.id), row], ...(becomesDefault ? [[keys.config("keys"), { ...config.keysConfig, default: row.id }] as const] : [])];
}
