import { awskms } from "./awskms.ts";
import { https } from "./https.ts";
import type { ManagedKeyType } from "./managed-key-type.ts";

const table = [awskms, https] as const;

/** The name of a managed key type. */
export type ManagedType = (typeof table)[number]["type"];
/** All types of managed keys. */
export const managedKeyTypes: readonly ManagedKeyType<ManagedType>[] = table;
/** The names of all types of managed keys. */
export const managedTypes: readonly ManagedType[] = table.map(({ type }) => type);
/** Returns the type with this name, or undefined if there is none. */
export const findManagedType = (name: string): ManagedKeyType<ManagedType> | undefined =>
  managedKeyTypes.find(({ type }) => type === name);
