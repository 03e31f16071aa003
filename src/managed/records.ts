import { rowReader } from "../engine/row-reader.ts";

/** A key in an external key service that signs there, in the store `sys` (B 8). */
export interface ManagedKeyRow {
  readonly uuid: string;
  /** Name of its type in `types/table.ts`. */
  readonly type: string;
  /** Unique among managed keys of all types, because mounts allow keys by name. */
  readonly name: string;
  readonly allow_generate_key: boolean;
  readonly allow_replace_key: boolean;
  readonly allow_store_key: boolean;
  readonly any_mount: boolean;
  /** Whether private and loopback addresses may be contacted. */
  readonly allow_private_network: boolean;
  /** Names from `managedUsages`; empty for any. */
  readonly usages: readonly string[];
  /** The settings of its type that are not secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** JSON of its secrets by name, sealed. */
  readonly sealed: Uint8Array;
  /** SubjectPublicKeyInfo, DER; absent until the key is first used. */
  readonly spki?: Uint8Array;
}
/** The usages of managed keys. */
export const managedUsages: readonly string[] = [
  "encrypt",
  "decrypt",
  "sign",
  "verify",
  "wrap",
  "unwrap",
  "generate_random",
  "mac",
];

/** Prefix of the keys of managed keys. */
export const belowManaged = "managedkey/";
/** Returns the key of a managed key's row. */
export const managedKey = (type: string, name: string): string => `${belowManaged}${type}/${name}`;

const nothing = new Uint8Array();
/** Reads the row of a managed key. */
export const storedManagedKey = rowReader<ManagedKeyRow>({
  uuid: "",
  type: "https",
  name: "",
  allow_generate_key: false,
  allow_replace_key: false,
  allow_store_key: false,
  any_mount: false,
  allow_private_network: false,
  usages: [],
  settings: {},
  sealed: nothing,
});
