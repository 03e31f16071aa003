import type { JSX } from "preact";
import { clusterPath, mountAddress, type AcmeConfig } from "./calls.ts";
import { barePrefix, type Directory } from "./directories.ts";
import { Choice } from "../../ui/field.tsx";
import { listRoles } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { roles, usableRoles } from "../../api/roles.ts";
import type { NamedRole, Role } from "../../lib/role.ts";
import { templated, verdictOnName } from "../../lib/verdict.ts";
import { exampleName } from "../../lib/role-text.ts";
import { issuerTitles } from "../../api/inventory-search.ts";

/** The roles and issuers that the user can choose for a directory. */
export interface Choices {
  /** URL of the mount, or an empty string if none is set. */
  readonly path: string;
  readonly roles: readonly string[];
  /** An example of an allowed name for each role that the token may read. */
  readonly examples: ReadonlyMap<string, string>;
  /** The roles that the token may read, by name. */
  readonly records: ReadonlyMap<string, Role>;
  /** Issuers: the name or ID that appears in paths, and the title. */
  readonly issuers: readonly (readonly [ref: string, title: string])[];
}

/**
 * Returns the roles, or only the role names in the token's policies if the token may not list the
 * roles.
 */
const namedRoles = async (): Promise<readonly NamedRole[]> =>
  missingPermission(listRoles) === ""
    ? roles()
    : (await usableRoles()).map((name): NamedRole => [name, {}]);

/** Returns 1 for a role for TLS servers, otherwise 0. */
const forServers = (role: Role): number => Number(role.server_flag === true);

/** Reads the roles and issuers for which there are directories. */
export async function choices(): Promise<Choices> {
  const [path, named, issuers] = await Promise.all([
    // if the token may not read the setting, the URL that this page uses
    clusterPath().catch(mountAddress),
    namedRoles().catch((): readonly NamedRole[] => []),
    issuerTitles()
      .then(({ names, distrusted }) => [...names].filter(([id]) => !distrusted.has(id)))
      .catch(() => []),
  ]);
  return {
    path,
    // the first one is preselected
    roles: named.toSorted(([, a], [, b]) => forServers(b) - forServers(a)).map(([name]) => name),
    records: new Map(named.filter(([, role]) => Object.keys(role).length > 0)),
    examples: new Map(named.map(([name, role]) => [name, exampleName(role, "")])),
    issuers,
  };
}

/** Returns the URL of a directory with the given path relative to the mount. */
export const directoryUrl = ({ path }: Choices, directory: string): string =>
  `${path || "https://ca.example.com/v1/pki"}/${barePrefix(directory)}/directory`;

/** The fields that choose a directory: a role's, an issuer's, or the default directory. */
export function DirectoryFields({
  of,
  value,
  change,
}: {
  of: Choices;
  value: Directory;
  change: (value: Directory) => void;
}): JSX.Element {
  return (
    <div class="pair">
      <Choice
        label="Role"
        value={value.role}
        change={(role) => change({ ...value, role })}
        options={[["", "None: default directory"], ...of.roles.map((n) => [n, n] as const)]}
      />
      <Choice
        label="Issuer"
        value={value.issuer}
        change={(issuer) => change({ ...value, issuer })}
        options={[["", "The role’s, or the default"], ...of.issuers]}
      />
    </div>
  );
}

/**
 * Returns why the role of a directory does not allow a name, or an empty string if the role allows
 * it or is not known.
 */
export function whyNotName({ records }: Choices, { role: key }: Directory, name: string): string {
  const role = records.get(key);
  if (!role || name === "" || templated(role)) return "";
  const { allowed, why } = verdictOnName(role, name, true);
  return allowed ? "" : `Role ${key} rejects this name: ${why}`;
}

/** Returns why a directory would reject clients, or an empty string if no reason is known. */
export function whyNot(config: AcmeConfig, { role, issuer }: Directory): string {
  const allows = (list: readonly string[], name: string): boolean =>
    list.includes("*") || list.includes(name);
  if (role === "" && config.default_directory_policy === "forbid")
    return "The settings reject orders in a directory without a role.";
  if (role !== "" && !allows(config.allowed_roles, role))
    return `The settings do not allow role ${role}.`;
  // A name and an ID can refer to the same issuer, so only the server can compare them.
  if (issuer !== "" && !config.allowed_issuers.includes("*"))
    return "The settings restrict which issuers a path may contain, and this issuer might not be one of them.";
  return "";
}
