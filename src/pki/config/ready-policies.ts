/** Returns policy blocks that grant the same capabilities on several paths under a mount. */
const blocks = (mount: string, paths: readonly string[], capabilities: readonly string[]): string =>
  paths
    .map(
      (path) =>
        `path "${mount}${path}" {\n  capabilities = [${capabilities.map((one) => `"${one}"`).join(", ")}]\n}\n`,
    )
    .join("");

/**
 * The capabilities that allow writing. The policies contain both, because other servers distinguish
 * them.
 */
const write = ["create", "update"];
const roles = (mount: string): string =>
  blocks(mount, ["/roles"], ["list"]) + blocks(mount, ["/roles/+"], ["read"]);

/**
 * Returns the initial policies of a CA mount: for requesting certificates, for operators, and for
 * creating external account bindings. They grant exactly what the documentation says (P 9.5). If
 * `number` is 2 or more, the names of the policies include it.
 */
export function pkiPolicies(
  mount: string,
  number: number,
): readonly (readonly [name: string, text: string])[] {
  const named = `${mount.replaceAll("/", "-").toLowerCase()}-${number > 1 ? `${number}-` : ""}`;
  const prefix = named === "pki-" && mount === "pki" ? "" : named;
  return [
    [`${prefix === "" ? "pki-" : prefix}admin`, admin(mount)],
    [`${prefix === "" ? "pki-" : prefix}user`, user(mount)],
    [`${prefix}acme-eab`, binding(mount)],
  ];
}

const user = (mount: string): string =>
  `# May issue and sign certificates with the roles of the mount ${mount}/, and revoke certificates whose private key it holds.\n` +
  blocks(mount, ["/issue/+", "/sign/+", "/revoke-with-key"], write) +
  roles(mount);

const admin = (mount: string): string =>
  `# For trusted operators of the mount ${mount}/: signs what no role allows, chooses issuers, and revokes by serial number.\n` +
  blocks(
    mount,
    [
      "/issue/+",
      "/sign/+",
      "/issuer/+/issue/+",
      "/issuer/+/sign/+",
      "/sign-verbatim",
      "/sign-verbatim/+",
      "/issuer/+/sign-verbatim",
      "/issuer/+/sign-verbatim/+",
      "/root/sign-intermediate",
      "/issuer/+/sign-intermediate",
      "/revoke",
      "/revoke-with-key",
    ],
    write,
  ) +
  blocks(mount, ["/root/sign-self-issued", "/issuer/+/sign-self-issued"], [...write, "sudo"]) +
  roles(mount);

const binding = (mount: string): string =>
  `# May get tokens that bind ACME accounts to the mount ${mount}/.\n` +
  blocks(
    mount,
    ["", "/roles/+", "/issuer/+", "/issuer/+/roles/+"].map((prefix) => `${prefix}/acme/new-eab`),
    write,
  );
