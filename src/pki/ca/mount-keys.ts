import { keysConfig } from "../rows/settings.ts";
import { keysById, keys, type KeyId, type KeyRow } from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import { isReference } from "../../base/names.ts";
import { CaError } from "../../base/errors.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { keyTypeDoc, keyTypes } from "../../algorithms/table.ts";
import { text } from "../../wire/field.ts";

/** Finds the key for a reference: `default`, an ID or a name (A 2). */
export function findKey(config: Snapshot, reference: string): KeyRow | undefined {
  const ref = reference.trim();
  const all = config.get(keysById);
  const used = config.get(keysConfig).default;
  if (ref.toLowerCase() === "default") return used === "" ? undefined : all.get(used);
  const byId = all.get(ref.toLowerCase());
  if (byId) return byId;
  for (const key of all.values()) if (key.name !== "" && key.name === ref) return key;
  return undefined;
}
/** Returns the error message for a reference that matches no key. */
export const missingKey = (config: Snapshot, reference: string): string =>
  reference.trim().toLowerCase() === "default" && config.get(keysConfig).default === ""
    ? "no default key currently configured"
    : `unable to find PKI key for reference: ${reference.slice(0, 256)}`;
/** Finds the mount's key that has this public key. */
export function keyWithSpki(rows: Iterable<KeyRow>, spki: Uint8Array): KeyRow | undefined {
  for (const key of rows) if (equalBytes(key.spki, spki)) return key;
  return undefined;
}

/**
 * Validates a key name, and returns it trimmed, or "" if `name` is undefined (A 2). `own` is the ID
 * of the key to be named, if that key already exists. Throws `malformed` for an invalid name, and
 * `already_exists` if another key has the name.
 */
export function checkKeyName(config: Snapshot, name: string | undefined, own?: KeyId): string {
  if (name === undefined) return "";
  const trimmed = name.trim();
  if (!isReference(trimmed))
    throw new CaError("malformed", "key name contained invalid characters");
  if (trimmed.toLowerCase() === "default")
    throw new CaError("malformed", "reserved keyword 'default' can not be used as key name");
  for (const key of config.get(keysById).values())
    if (key.id !== own && (key.name === trimmed || key.id === trimmed.toLowerCase()))
      throw new CaError("already_exists", "key name already in use");
  return trimmed;
}

/**
 * Returns the rows that store new keys. If the mount has no default key, the first new key becomes
 * the default.
 */
export function keyRows(
  config: Snapshot,
  rows: readonly KeyRow[],
): readonly (readonly [string, unknown])[] {
  const current = config.get(keysConfig);
  const hasDefault = current.default !== "" && config.get(keysById).has(current.default);
  const first = hasDefault ? undefined : rows[0];
  return [
    ...rows.map((row) => [keys.key(row.id), row] as const),
    ...(first ? [[keys.config("keys"), { ...current, default: first.id }] as const] : []),
  ];
}

/** Reply members that describe a CA key. */
export const keyReply = {
  key_id: text.required("ID of the key."),
  key_name: text.required("Name of the key, or empty if it has none."),
  key_type: text.required(`${keyTypeDoc}.`, keyTypes),
} as const;
/** Returns the response that describes a CA key. */
export const keyOutput = (row: KeyRow) => ({
  key_id: row.id as string,
  key_name: row.name,
  key_type: row.type as string,
});
