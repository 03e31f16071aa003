import { rowReader } from "./row-reader.ts";
/** The types of managed keys that are served. */
export const managedTypes = ["awskms", "https"] as const;
/** One of them. */
export type ManagedType = (typeof managedTypes)[number];

/** A key that is kept elsewhere and signs there, in the store `sys` (B 8). */
export interface ManagedKeyRow {
  readonly uuid: string;
  readonly type: ManagedType;
  /** No other managed key of any type has it: mounts are permitted keys by their names. */
  readonly name: string;
  readonly allow_generate_key: boolean;
  readonly allow_replace_key: boolean;
  readonly allow_store_key: boolean;
  readonly any_mount: boolean;
  /** Whether addresses of private networks and of the own machine may be asked. */
  readonly allow_private_network: boolean;
  /** By name, as `managedUsages` has them; none: any. */
  readonly usages: readonly string[];
  /** What is set for its type and is no secret. */
  readonly settings: Readonly<Record<string, string>>;
  /** JSON of its secrets by name. */
  readonly sealed: Uint8Array;
  /** SubjectPublicKeyInfo, DER, since the key was first used; absent until then. */
  readonly spki?: Uint8Array;
}
/** What a managed key may be used for. */
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

/** What the keys of their rows begin with. */
export const belowManaged = "managedkey/";
/** Key of the row of one. */
export const managedKey = (type: string, name: string): string => `${belowManaged}${type}/${name}`;
/** Which managed key a key of a mount stands for. */
export type ManagedRef = Pick<ManagedKeyRow, "uuid" | "type" | "name">;

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
