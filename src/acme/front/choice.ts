import { CaError } from "../../base/errors.ts";
import { shown } from "../../base/names.ts";
import type { IssuerRow } from "../../engine/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { findIssuer } from "../../pki/issuer/issuer.ts";
import { findRole, type Role } from "../../pki/leaf/role.ts";
import type { Directory } from "./directory.ts";

/** By what a directory issues (B 5.4). */
export interface Choice {
  /** Absent: any name that is proven. */
  readonly role?: { readonly name: string; readonly role: Role };
  readonly issuer: IssuerRow;
}

const isListed = (list: readonly string[], name: string): boolean =>
  list.includes("*") || list.includes(name);

/** A role that ACME may use. Throws CaError. */
export async function demandRole(
  config: Snapshot,
  name: string,
): Promise<NonNullable<Choice["role"]>> {
  const role = await findRole(config, name);
  if (!role) throw new CaError("malformed", `unknown role: ${shown(name)}`);
  if (role.no_store)
    throw new CaError("server_internal", `role ${name} does not store its certificates`);
  if (!isListed(config.acme.allowed_roles, name))
    throw new CaError("server_internal", `role ${name} is not among allowed_roles`);
  return { name, role };
}

/** The role of a directory, by its path or by the mount's policy. Throws CaError. */
async function roleOfDirectory(
  config: Snapshot,
  directory: Directory,
): Promise<Choice["role"] | undefined> {
  if (directory.role !== undefined) return demandRole(config, directory.role);
  const { default_directory_policy: policy } = config.acme;
  if (policy === "forbid")
    throw new CaError("server_internal", "default directory not allowed by ACME policy");
  return policy.startsWith("role:") ? demandRole(config, policy.slice("role:".length)) : undefined;
}

/** The issuer that a path names, a role names, or the mount has as default. Throws CaError. */
export function demandIssuerFor(config: Snapshot, directory: Directory, role?: Role): IssuerRow {
  const reference = directory.issuer_ref ?? (role?.issuer_ref || "default");
  const issuer = findIssuer(config, reference);
  if (!issuer) throw new CaError("malformed", `unknown issuer: ${shown(reference)}`);
  const { allowed_issuers: allowed } = config.acme;
  // those that roles name are allowed with the role (B 5.4)
  if (
    directory.issuer_ref !== undefined &&
    !allowed.includes("*") &&
    !allowed.some((one) => findIssuer(config, one) === issuer)
  )
    throw new CaError("server_internal", `issuer ${shown(reference)} is not among allowed_issuers`);
  if (issuer.key_id === "" || !issuer.usage.includes("issuing-certificates"))
    throw new CaError("server_internal", `issuer ${shown(reference)} may not issue certificates`);
  return issuer;
}

/** By what a directory issues. Throws CaError where it may not. */
export async function choiceOf(config: Snapshot, directory: Directory): Promise<Choice> {
  const role = await roleOfDirectory(config, directory);
  return {
    ...(role ? { role } : {}),
    issuer: demandIssuerFor(config, directory, role?.role),
  };
}

/** The profiles of a directory by name: what each is in one sentence. */
export async function profilesOf(
  _config: Snapshot,
  _directory: Directory,
): Promise<Readonly<Record<string, string>>> {
  return {};
}
