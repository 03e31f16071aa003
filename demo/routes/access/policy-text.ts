/** The kind of a policy: built in, created with a mount (`ready`), or custom. */
export type PolicyKind = "built in" | "ready" | "";

/** Returns the names of the policies that are created with a mount. */
function readyNames(mount: string): readonly string[] {
  if (mount === "pki") return ["pki-admin", "pki-user", "acme-eab"];
  const prefix = mount.replaceAll("/", "-").toLowerCase();
  return [`${prefix}-admin`, `${prefix}-user`, `${prefix}-acme-eab`];
}

/** Returns the kind of the policy with this name. `mounts` lists the paths of all CA mounts. */
export function policyKind(name: string, mounts: readonly string[]): PolicyKind {
  if (name === "root" || name === "default" || name === "response-wrapping") return "built in";
  return readyMount(name, mounts) === undefined ? "" : "ready";
}

/**
 * Returns the mount with which a policy was created, or undefined if it was not created with a
 * mount.
 */
export const readyMount = (name: string, mounts: readonly string[]): string | undefined =>
  [...mounts, "pki"].find((mount) => readyNames(mount).includes(name));

const purposes: readonly (readonly [suffix: string, purpose: (mount: string) => string])[] = [
  [
    "admin",
    (mount) =>
      `Allows signing with any issuer of mount ${mount}, and revoking certificates. Does not allow listing certificates, or changing roles and settings.`,
  ],
  [
    "user",
    (mount) =>
      `Allows issuing and signing with the roles of mount ${mount}, and revoking with the private key. Does not allow listing certificates, or revoking by serial number.`,
  ],
  ["acme-eab", (mount) => `Allows creating EAB keys for ACME accounts of mount ${mount}.`],
];

/** Returns a sentence about what a policy allows, or undefined for a custom policy. */
export function policyPurpose(name: string, mounts: readonly string[]): string | undefined {
  if (name === "default") return "Allows a token to look up, renew and revoke itself.";
  if (name === "response-wrapping") return "Allows unwrapping a response with a wrapping token.";
  const mount = readyMount(name, mounts);
  return mount === undefined
    ? undefined
    : purposes.find(([suffix]) => name.endsWith(suffix))?.[1](mount);
}

/**
 * Returns a sentence about a policy that cannot be changed or deleted, or an empty string for other
 * policies.
 */
export const fixedPolicy = (name: string): string =>
  name === "root"
    ? "Allows everything. This policy cannot be changed."
    : name === "response-wrapping"
      ? "Allows unwrapping a response with a wrapping token. This policy cannot be changed."
      : "";

/**
 * Finds the line of a policy that an error refers to, as in `line 3`. Returns undefined if the
 * error contains no line number.
 */
export function faultyLine(
  refusal: string,
  text: string,
): { readonly number: number; readonly from: number; readonly to: number } | undefined {
  const number = Number(/\bline (\d+)/.exec(refusal)?.[1]);
  const lines = text.split("\n");
  const line = lines[number - 1];
  if (line === undefined) return undefined;
  const from = lines.slice(0, number - 1).reduce((sum, { length }) => sum + length + 1, 0);
  return { number, from, to: from + line.length };
}

/** Matches a rule for a path with its capabilities, in HCL or JSON. */
const rule = /(?:\bpath\s+)?"([^"]*)"\s*:?\s*\{[^{}]*?"?capabilities"?\s*[=:]\s*\[([^\]]*)\]/g;

/**
 * Reports whether a policy grants changes on every path, or on every path under `sys`. The latter
 * suffices to grant everything else.
 */
export const grantsFullAccess = (text: string): boolean =>
  [...text.replace(/^\s*(?:#|\/\/).*$/gm, "").matchAll(rule)].some(
    ([, path = "", capabilities = ""]) =>
      /^(?:\+\/)*(?:sys\/(?:policies\/|policies\/acl\/|policy\/)?)?\*$/.test(path) &&
      !/"deny"/i.test(capabilities) &&
      /"(?:create|update|patch|sudo|root|write)"/i.test(capabilities),
  );

/** Returns the initial text of a new policy. */
export const newPolicyText = (mount: string): string =>
  `# Allows issuing with the role web, and reading the role.
path "${mount}/issue/web" {
  capabilities = ["update"]
}

path "${mount}/roles/web" {
  capabilities = ["read"]
}
`;
