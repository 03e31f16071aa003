/** Texts of parameters with the same meaning everywhere. */
const byName: Readonly<Record<string, string>> = {
  pki_mount_path: "Path of the mount, such as `pki`.",
  role: "Name of the role.",
  issuer_ref: "Issuer: a name, an ID, or `default`.",
  path_ref: "Issuer: a name, an ID, or `default`.",
  policy: "Policy name, sent to the policy service.",
  account_id: "Id of the account, as its URL has it.",
  order_id: "Id of the order, as its URL has it.",
  auth_id: "Id of the authorization, as its URL has it.",
  certificate_id:
    "Key identifier of the issuer and serial number, base64url, with a dot between (RFC 9773).",
  setting: "Field of the role, with hyphens instead of underscores.",
  cubbyhole_path: "Path below the cubbyhole; it may have slashes.",
  request: "OCSP request: DER, base64, optionally percent-encoded.",
  shard:
    "CRL shard: the number of shards, a hyphen, and the shard number, as in the URL in the certificate.",
  serial: "Serial number: hexadecimal octets, with colons, with hyphens or without separators.",
  exported: "Key source.",
  key_ref: "Key: a name, an ID, or `default`.",
  prefix: "What the ids of the leases begin with; it may have slashes.",
  urlalgorithm: "The hash function, instead of `algorithm`.",
  urlsource: "Where the bytes come from, instead of `source`; or how many, where nothing follows.",
  urlbytes: "How many bytes, instead of `bytes`.",
  url_lease_id: "Id of the lease; it has slashes.",
  mount_accessor: "Accessor of the login method.",
  alias_identifier: "Name of the user.",
  migration_id: "Id of the move, as `sys/remount` told it.",
  below: "Path of a mount, or below it; it may have slashes.",
  username: "Name of the user.",
  workspace_id: "Id of the workspace, `ws-…`.",
  variable_id: "Id of the variable, `var-…`.",
  store: "Name of the store: `sys`, or `vars` for the variables.",
  organization: "Name of the organization.",
  workspace: "Name of the workspace.",
  team_id: "Id of the team, `team-…`.",
  team_workspace_id: "Id of the access of a team to a workspace, `tws-…`.",
  user_id: "Id of the user, `user-…`.",
  token_id: "Id of the token, `at-…`.",
};
/** Texts of other parameters; the first matching path applies. */
const byPath: readonly (readonly [RegExp, string])[] = [
  [/\/eab\/:key_id/, "Id of the binding."],
  [/\/keyid\/:key_id/, "Id of the account."],
  [/\/challenge\/:auth_id\/:type/, "Type of the challenge."],
  [/\/managed-keys\/:type\/:name$/, "Name of the managed key."],
  [/\/managed-keys\/:type$/, "Where the key is kept."],
  [/\/plugins\/catalog\/:type\/:name$/, "Name of the plugin."],
  [/\/plugins\/catalog\/:type$/, "Type of plugin."],
  [/\/polic(?:y|ies\/acl)\/:name$/, "Name of the policy."],
  [/\/quotas\/rate-limit\/:name$/, "Name of the limit."],
  [/\/entity\/name\/:name$/, "Name of the entity."],
  [/\/group\/name\/:name$/, "Name of the group."],
  [/\/entity\/id\/:id$/, "Id of the entity."],
  [/\/group\/id\/:id$/, "Id of the group."],
  [/-alias\/id\/:id$/, "Id of the alias."],
  [/\/certs\/:name$/, "Name of the role."],
  [/\/roles?\/:name$/, "Name of the role."],
  [/\/storage\/snapshot\/:path$/, "Path of the mount; it may have slashes."],
  [/\/audit\/:path$/, "Name of the device."],
  [/\/audit-hash\(?\/:path$/, "Whose names are hashed: `events`."],
  [/\/sys\/(?:mounts\/)?auth\/:path$/, "Path of the login method; it may have slashes."],
  [/\/mounts\/:path$/, "Path of the mount; it may have slashes."],
];

/** Returns the text of a path parameter, as spelled in routes. Throws if it has none. */
export function parameterText(path: string, name: string): string {
  const end = path.indexOf(`:${name}`);
  const upTo = end < 0 ? path : path.slice(0, end + name.length + 1);
  const text =
    byPath.find(([at]) => at.test(upTo))?.[1] ??
    byName[name] ??
    (name.endsWith("_mount_path") ? "Path of the mount." : undefined);
  if (text === undefined) throw new Error(`${path}: ${name} has no text`);
  return text;
}

/** Returns the allowed words of a parameter with a closed set. */
export function parameterWords(path: string, name: string): readonly string[] | undefined {
  if (name === "exported") return ["internal", "exported", "existing", "kms"];
  if (name === "store") return ["sys", "vars"];
  if (name !== "type") return undefined;
  if (path.includes("/managed-keys/")) return ["awskms", "https"];
  return path.includes("/catalog/") ? ["secret", "auth"] : undefined;
}
