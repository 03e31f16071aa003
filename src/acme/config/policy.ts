import { CaError } from "../../base/errors.ts";
import { isReference, truncateForMessage } from "../../base/names.ts";

const prefix = "role:";

/** Returns the role that a default directory policy names, or undefined if it names none. */
export const roleOfPolicy = (policy: string): string | undefined =>
  policy.startsWith(prefix) ? policy.slice(prefix.length) : undefined;

/** Normalizes a default directory policy to its stored form (B 5.3). */
export function normalizePolicy(text: string): string {
  const policy = text.trim();
  if (policy === "sign-verbatim-unsafe") return "sign-verbatim";
  if (policy === "forbid" || policy === "sign-verbatim") return policy;
  if (policy === "external-policy") return policy;
  if (policy.startsWith("external-policy:") && isReference(policy.slice(16))) return policy;
  const role = roleOfPolicy(policy);
  if (role === "") throw new CaError("malformed", `no role specified by policy ${policy}`);
  if (role === undefined || !isReference(role))
    throw new CaError(
      "malformed",
      `string ${truncateForMessage(policy)} not a valid Default Directory Policy: use sign-verbatim, forbid, role:<name>, external-policy or external-policy:<name>`,
    );
  return policy;
}

/** Names of the policies for external account binding. */
export const eabPolicies = ["not-required", "new-account-required", "always-required"] as const;

/** Normalizes an external account binding policy, ignoring case. */
export function normalizeEabPolicy(text: string): string {
  const policy = eabPolicies.find((one) => one === text.trim().toLowerCase());
  if (policy === undefined)
    throw new CaError(
      "malformed",
      `invalid eab policy name provided, valid values are '${eabPolicies.join("', '")}'`,
    );
  return policy;
}
