import { CaError } from "../base/errors.ts";
import { isReference, truncateForMessage } from "../base/names.ts";
import type { EstConfig } from "./settings.ts";

/** The supported EST operations. */
export const operations = ["cacerts", "simpleenroll", "simplereenroll", "csrattrs"] as const;
/** An EST operation. */
export type Operation = (typeof operations)[number];

/** The label that represents paths under `/.well-known/est` without a label. */
export const noLabel = "";

const prefix = "role:";
/** Returns the role in a path policy, or undefined for `sign-verbatim`. */
export const roleOfPolicy = (policy: string): string | undefined =>
  policy.startsWith(prefix) ? policy.slice(prefix.length) : undefined;

/** Normalizes a path policy to its stored form. Throws `malformed` if it is not a path policy. */
export function normalizePolicy(input: string, where: string): string {
  const policy = input.trim();
  const role = roleOfPolicy(policy);
  if (policy === "sign-verbatim" || (role !== undefined && isReference(role))) return policy;
  throw new CaError(
    "malformed",
    `${where}: ${truncateForMessage(policy)} is not a path policy; use sign-verbatim or role:<name>`,
  );
}

/** The role or label in the URL path of an EST request, if any. */
export interface EstPath {
  readonly role?: string | undefined;
  readonly label?: string | undefined;
}
/**
 * Returns the role that applies to a URL path, or none if `sign-verbatim` applies. Throws
 * `not_found` if the mount does not serve the path.
 */
export function rulesOf(est: EstConfig, { role, label }: EstPath): { readonly role?: string } {
  if (!est.enabled) throw absent("EST is not enabled in this mount");
  // resolve the label again, because its policy may have changed in the meantime
  if (role !== undefined && label === undefined) return { role };
  const policy = policyOf(est, label);
  if (!policy)
    throw absent(
      label === undefined
        ? "this mount has no default_path_policy; use the path of a role, roles/<name>/est"
        : "this mount has no such label",
    );
  const policyRole = roleOfPolicy(policy);
  return policyRole === undefined ? {} : { role: policyRole };
}
const absent = (why: string): CaError => new CaError("not_found", why);

/**
 * Returns the path policy of a label, or of paths without a label or role. Returns undefined if
 * there is none.
 */
export function policyOf(est: EstConfig, label: string | undefined): string | undefined {
  if (label === noLabel && !est.default_mount) return undefined;
  if (label === undefined || label === noLabel) return est.default_path_policy;
  const { label_to_path_policy: labels } = est;
  return Object.hasOwn(labels, label) ? labels[label] : undefined;
}

/**
 * Returns the path under the mount against which access policies are evaluated. It is the same for
 * every alias of an operation.
 */
export const nativePath = ({ role }: Pick<EstPath, "role">, operation: Operation): string =>
  role === undefined ? `/est/${operation}` : `/roles/${role}/est/${operation}`;

/** Returns the labels that a configuration claims for its mount, including the empty label. */
export const labelsOf = ({ default_mount, label_to_path_policy }: EstConfig): readonly string[] => [
  ...(default_mount ? [noLabel] : []),
  ...Object.keys(label_to_path_policy),
];
