import type { ReadRoleReply, WriteRoleInput } from "../../src/client/pki.ts";

/** A role as sent or returned. Older servers omit some members. */
export type Role = {
  readonly [K in keyof ReadRoleReply]?: K extends keyof RoleInput ? RoleInput[K] : ReadRoleReply[K];
} & Readonly<Record<string, unknown>>;

/** A role with its name. */
export type NamedRole = readonly [name: string, role: Role];

/** The writable fields of a role. */
export type RoleInput = Omit<WriteRoleInput, "name">;
