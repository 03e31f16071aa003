import { managedTypes } from "../../managed/types/table.ts";

/** Descriptions of path parameters that have the same meaning everywhere, by name. */
const byName: Readonly<Record<string, string>> = {
  pki_mount_path: "Path of the mount, such as `pki`.",
  role: "Name of the role.",
  issuer_ref: "Issuer: a name, an ID, or `default`.",
  path_ref: "Issuer: a name, an ID, or `default`.",
  policy: "Name of the policy, which is sent to the policy service.",
  account_id: "ID of the account, from its URL.",
  order_id: "ID of the order, from its URL.",
  auth_id: "ID of the authorization, from its URL.",
  certificate_id:
    "Key identifier of the issuer and serial number, each base64url, joined by a dot (RFC 9773).",
  setting: "Field of the role, with hyphens instead of underscores.",
  cubbyhole_path: "Path under the cubbyhole; may contain slashes.",
  request: "OCSP request: DER, base64, optionally percent-encoded.",
  shard:
    "CRL shard: the number of shards, a hyphen, and the shard number, as in the URL in the certificate.",
  tile: "Level and index of the tile, as in C2SP tlog-tiles: `0/000`, `0/x001/234.p/5`, `entries/000`.",
  serial: "Serial number: hexadecimal octets, with colons, with hyphens or without separators.",
  exported: "Source of the key.",
  key_ref: "Key: a name, an ID, or `default`.",
  prefix: "Prefix of the lease IDs; may contain slashes.",
  urlalgorithm: "Hash function, which overrides `algorithm`.",
  urlsource:
    "Source of the bytes, which overrides `source`; or the number of bytes, if this is the last segment.",
  urlbytes: "Number of bytes, which overrides `bytes`.",
  url_lease_id: "ID of the lease; contains slashes.",
  mount_accessor: "Accessor of the login method.",
  alias_identifier: "Name of the user.",
  migration_id: "ID of the move, from `sys/remount`.",
  below: "Path of a mount, or a path under one; may contain slashes.",
  username: "Name of the user.",
  workspace_id: "ID of the workspace, `ws-…`.",
  variable_id: "ID of the variable, `var-…`.",
  store: "Name of the store: `sys`, or `vars` for the variables.",
  organization: "Name of the organization.",
  workspace: "Name of the workspace.",
  team_id: "ID of the team, `team-…`.",
  team_workspace_id: "ID of the team's access to a workspace, `tws-…`.",
  user_id: "ID of the user, `user-…`.",
  token_id: "ID of the token, `at-…`.",
};
/**
 * Descriptions of the other path parameters, by a pattern that matches the path up to the
 * parameter. The first match applies.
 */
const byPath: readonly (readonly [RegExp, string])[] = [
  [/\/eab\/:key_id/, "ID of the binding."],
  [/\/keyid\/:key_id/, "ID of the account."],
  [/\/challenge\/:auth_id\/:type/, "Type of the challenge."],
  [/\/managed-keys\/:type\/:name$/, "Name of the managed key."],
  [/\/managed-keys\/:type$/, "Type of the managed key."],
  [/\/plugins\/catalog\/:type\/:name$/, "Name of the plugin."],
  [/\/plugins\/catalog\/:type$/, "Type of plugin."],
  [/\/polic(?:y|ies\/acl)\/:name$/, "Name of the policy."],
  [/\/quotas\/rate-limit\/:name$/, "Name of the limit."],
  [/\/entity\/name\/:name$/, "Name of the entity."],
  [/\/group\/name\/:name$/, "Name of the group."],
  [/\/entity\/id\/:id$/, "ID of the entity."],
  [/\/group\/id\/:id$/, "ID of the group."],
  [/-alias\/id\/:id$/, "ID of the alias."],
  [/\/certs\/:name$/, "Name of the role."],
  [/\/roles?\/:name$/, "Name of the role."],
  [/\/storage\/snapshot\/:path$/, "Path of the mount; may contain slashes."],
  [/\/events\/sinks\/:name$/, "Name of the sink: 1 to 64 letters, digits and `_ . -`."],
  [/\/audit\/:path$/, "Name of the audit device."],
  [/\/audit-hash\(?\/:path$/, "Audit device: `events`."],
  [/\/sys\/(?:mounts\/)?auth\/:path$/, "Path of the login method; may contain slashes."],
  [/\/mounts\/:path$/, "Path of the mount; may contain slashes."],
];

/**
 * Returns the description of a path parameter, given its name as in routes. Throws if there is
 * none.
 */
export function parameterText(path: string, name: string): string {
  const end = path.indexOf(`:${name}`);
  const upTo = end < 0 ? path : path.slice(0, end + name.length + 1);
  const text =
    byPath.find(([at]) => at.test(upTo))?.[1] ??
    byName[name] ??
    (name.endsWith("_mount_path") ? "Path of the mount." : undefined);
  if (text === undefined) throw new Error(`${path}: ${name} has no description`);
  return text;
}

/** Returns the allowed values of a path parameter, or undefined if they are not a fixed set. */
export function parameterValues(path: string, name: string): readonly string[] | undefined {
  if (name === "exported") return ["internal", "exported", "existing", "kms"];
  if (name === "store") return ["sys", "vars"];
  if (name !== "type") return undefined;
  if (path.includes("/managed-keys/")) return managedTypes;
  return path.includes("/catalog/") ? ["secret", "auth"] : undefined;
}
