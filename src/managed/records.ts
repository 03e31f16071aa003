import { rowReader } from "../engine/row-reader.ts";

/** A managed key, which is in an external key service that signs with it (B 8). Stored in `sys`. */
export interface ManagedKeyRow {
  readonly uuid: string;
  /** Name of the key's type; see `types/table.ts`. */
  readonly type: string;
  /**
   * Name of the key. It is unique among managed keys of all types, because mounts allow keys by
   * name.
   */
  readonly name: string;
  readonly allow_generate_key: boolean;
  readonly allow_replace_key: boolean;
  readonly allow_store_key: boolean;
  readonly any_mount: boolean;
  /** Whether private and loopback addresses may be contacted. */
  readonly allow_private_network: boolean;
  /** Allowed usages, from `managedUsages`. If the list is empty, all are allowed. */
  readonly usages: readonly string[];
  /** The settings of the type that are not secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** The secrets by name, as sealed JSON. */
  readonly sealed: Uint8Array;
  /** SubjectPublicKeyInfo in DER. Absent until the key is first used. */
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

/** Prefix of the row keys of managed keys. */
export const belowManaged = "managedkey/";
/** Returns the row key of a managed key. */
export const managedKey = (type: string, name: string): string => `${belowManaged}${type}/${name}`;

const nothing = new Uint8Array();
/** Parses the row of a managed key. */
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
