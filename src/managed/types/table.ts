import { awskms } from "./awskms.ts";
import { https } from "./https.ts";
import type { ManagedKeyType } from "./managed-key-type.ts";

const table = [awskms, https] as const;

/** A type of managed keys. */
export type ManagedType = (typeof table)[number]["type"];
/** All types of managed keys. */
export const managedKeyTypes: readonly ManagedKeyType<ManagedType>[] = table;
/** Their names. */
export const managedTypes: readonly ManagedType[] = table.map(({ type }) => type);
/** Returns the type with a name; undefined for an unknown one. */
export const findManagedType = (name: string): ManagedKeyType<ManagedType> | undefined =>
  managedKeyTypes.find(({ type }) => type === name);
