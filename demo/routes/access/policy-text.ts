/** The kind of a policy, by its name: built in, ready-made, or custom. */
export type PolicyKind = "built in" | "ready" | "";

/** The policies that a mount of authorities is made with. */
function readyNames(mount: string): readonly string[] {
  if (mount === "pki") return ["pki-admin", "pki-user", "acme-eab"];
  const prefix = mount.replaceAll("/", "-").toLowerCase();
  return [`${prefix}-admin`, `${prefix}-user`, `${prefix}-acme-eab`];
}

/** Tells what a policy is: `root` and `default` are always there, a mount brings ready ones. */
export function policyKind(name: string, mount: string): PolicyKind {
  if (name === "root" || name === "default" || name === "response-wrapping") return "built in";
  return [...readyNames("pki"), ...readyNames(mount)].includes(name) ? "ready" : "";
}

/** Returns the purpose of a policy that cannot be written or deleted; empty for others. */
export const fixedPolicy = (name: string): string =>
  name === "root"
    ? "Allows everything. It cannot be changed."
    : name === "response-wrapping"
      ? "Allows unwrapping a wrapping token. It cannot be changed."
      : "";

/** The place in a text that a refusal is about, from its `line 3`; undefined where it has none. */
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

/** Returns the initial text of a new policy. */
export const newPolicyText = (mount: string): string =>
  `# Issues from one role and reads it.
path "${mount}/issue/web" {
  capabilities = ["update"]
}

path "${mount}/roles/web" {
  capabilities = ["read"]
}
`;
