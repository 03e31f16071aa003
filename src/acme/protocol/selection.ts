import { acmeConfig } from "../rows/config.ts";
import { externalPolicyConfig } from "../../external/rows/records.ts";
import { CaError } from "../../base/errors.ts";
import { memoize } from "../../base/memo.ts";
import { truncateForMessage } from "../../base/names.ts";
import type { IssuerRow } from "../../pki/rows/records.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { requireSigning, findIssuer } from "../../pki/issuer/issuer.ts";
import { defaultRole, findRole, type Role } from "../../pki/leaf/role.ts";

/** The names in the path of a directory. */
export interface DirectoryNames {
  readonly role?: string | undefined;
  readonly issuer_ref?: string | undefined;
  readonly external?: string | undefined;
}
/** The role and the issuer of a directory. */
export interface DirectoryTarget {
  /** Name of the role; "" for the rules of `sign-verbatim`. */
  readonly name: string;
  /** The role as ACME uses it: server authentication only, unless the configuration allows more. */
  readonly role: Role;
  readonly issuer_ref: string;
  /**
   * Name of the external policy that decides instead of a role, in which case the role allows
   * everything; "" if the path contains none.
   */
  readonly external?: string;
}

/**
 * Returns the role and issuer that a directory and the order's profile select (B 5.4, D 5). Throws
 * - `malformed` if the role or issuer in the path is unknown,
 * - `invalid_profile` if there is no such profile,
 * - `acme_forbidden` if the configuration forbids the directory,
 * - `server_internal` if the role or issuer in the configuration cannot issue.
 */
export async function selectionOf(
  config: Snapshot,
  named: DirectoryNames,
  profile?: string,
): Promise<DirectoryTarget> {
  const external = externalOf(config, named);
  if (external !== undefined) return ofExternal(config, named, { external, profile });
  const { name, role } = await rulesOf(config, named, profile);
  const issuer_ref = named.issuer_ref ?? role.issuer_ref;
  requireIssuer(config, issuer_ref, named.issuer_ref !== undefined);
  return {
    name,
    role: (config.get(acmeConfig).allow_role_ext_key_usage ? asIs : forServers)(role),
    issuer_ref,
  };
}

/** Returns the external policy of a directory, or undefined if a role decides (B 5.14). */
export function externalOf(
  config: Snapshot,
  { role, external }: DirectoryNames,
): string | undefined {
  if (role !== undefined || external !== undefined) return external;
  const [policy, name = ""] = config.get(acmeConfig).default_directory_policy.split(":");
  return policy === "external-policy" ? name : undefined;
}

/** Returns the target of a directory whose external policy also chooses the issuer. */
function ofExternal(
  config: Snapshot,
  { issuer_ref }: DirectoryNames,
  { external, profile }: { readonly external: string; readonly profile: string | undefined },
): DirectoryTarget {
  if (profile !== undefined)
    throw new CaError(
      "invalid_profile",
      "this directory has no profiles, because an external policy decides what it issues",
    );
  if (!config.get(externalPolicyConfig).enabled)
    throw new CaError("acme_forbidden", "external policy is not enabled in this mount");
  if (issuer_ref !== undefined) requireIssuer(config, issuer_ref, true);
  return { ...anyName, issuer_ref: issuer_ref ?? "default", external };
}

type Rules = Pick<DirectoryTarget, "name" | "role">;
const asIs = (role: Role): Role => role;
/**
 * Returns a role limited to server authentication. Returns the same object for the same role,
 * because caches use this object as a key.
 */
const forServers = memoize((role: Role): Role => ({
  ...role,
  server_flag: true,
  client_flag: false,
  code_signing_flag: false,
  email_protection_flag: false,
  ext_key_usage: [],
  ext_key_usage_oids: [],
}));
/** A role for any name, address and key, with ACME lifetimes (B 5.4 rule 2). */
const anyName: Rules = {
  name: "",
  role: forServers({
    ...defaultRole,
    allow_any_name: true,
    key_type: "any",
    require_cn: false,
    cn_validations: ["disabled"],
  }),
};

async function rulesOf(
  config: Snapshot,
  { role }: DirectoryNames,
  profile?: string,
): Promise<Rules> {
  if (role !== undefined) {
    if (profile !== undefined)
      throw new CaError(
        "invalid_profile",
        `this directory uses the role ${truncateForMessage(role)} and has no profiles`,
      );
    return allowed(config, role, await existing(config, role));
  }
  const policy = config.get(acmeConfig).default_directory_policy;
  if (policy === "forbid")
    throw new CaError("acme_forbidden", "default directory not allowed by ACME policy");
  if (profile !== undefined) return rulesOfProfile(config, profile);
  if (!policy.startsWith("role:")) return anyName;
  const name = policy.slice("role:".length);
  const stored = await findRole(config, name);
  if (!stored)
    throw new CaError(
      "server_internal",
      `the role ${truncateForMessage(name)} in default_directory_policy of config/acme does not exist`,
    );
  return allowed(config, name, stored);
}
async function existing(config: Snapshot, name: string): Promise<Role> {
  const role = await findRole(config, name);
  if (!role) throw new CaError("malformed", `the role ${truncateForMessage(name)} does not exist`);
  return role;
}

/** Returns the reason why ACME cannot use a role, or undefined if it can. */
function unfit(config: Snapshot, name: string, role: Role): string | undefined {
  const { allowed_roles: list } = config.get(acmeConfig);
  if (!list.includes("*") && !list.includes(name))
    return `the role ${truncateForMessage(name)} is not in allowed_roles of config/acme`;
  return role.no_store
    ? `the role ${truncateForMessage(name)} does not store certificates (no_store), but ACME requires it`
    : undefined;
}
function allowed(config: Snapshot, name: string, role: Role): Rules {
  const why = unfit(config, name, role);
  if (why !== undefined) throw new CaError("acme_forbidden", why);
  return { name, role };
}

/** Returns the rules of a profile. Throws `invalid_profile` if ACME cannot use its role. */
export async function rulesOfProfile(config: Snapshot, name: string): Promise<Rules> {
  const role = await findRole(config, name);
  if (!role || unfit(config, name, role) !== undefined)
    throw new CaError("invalid_profile", `there is no profile ${truncateForMessage(name)}`);
  return { name, role };
}
/** Reports whether a role may be the profile of an order (D 5). */
export const isProfile = (
  config: Snapshot,
  { name, role }: Rules,
  issuer_ref = role.issuer_ref,
): boolean =>
  unfit(config, name, role) === undefined && whyNoIssuer(config, issuer_ref) === undefined;

function requireIssuer(config: Snapshot, reference: string, isOfPath: boolean): void {
  const issuer = findIssuer(config, reference);
  if (!issuer)
    throw new CaError("malformed", `the issuer ${truncateForMessage(reference)} does not exist`);
  if (isOfPath && !isAllowed(config, issuer))
    throw new CaError(
      "acme_forbidden",
      `the issuer ${truncateForMessage(reference)} is not in allowed_issuers of config/acme`,
    );
  const why = whyNoIssuer(config, reference);
  // an issuer in the path was chosen by the client, any other by the configuration
  if (why !== undefined) throw new CaError(isOfPath ? "acme_forbidden" : "server_internal", why);
}
/** Reports whether an entry of `allowed_issuers` is `*` or refers to the given issuer. */
function isAllowed(config: Snapshot, { id }: IssuerRow): boolean {
  const { allowed_issuers: list } = config.get(acmeConfig);
  return list.includes("*") || list.some((entry) => findIssuer(config, entry)?.id === id);
}
/** Returns the reason why an issuer cannot sign, or undefined if it can. */
function whyNoIssuer(config: Snapshot, reference: string): string | undefined {
  try {
    requireSigning(config, reference, "issuing-certificates");
    return undefined;
  } catch (error) {
    if (error instanceof CaError) return error.message;
    throw error;
  }
}
