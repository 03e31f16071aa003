import { estConfig, type EstConfig } from "./settings.ts";
import { malformed } from "../base/errors.ts";
import { truncateForMessage } from "../base/names.ts";
import type { Deployment } from "../engine/deployment.ts";
import { readMethods } from "../auth/rows/methods.ts";
import type { Snapshot } from "../engine/snapshot.ts";
import { findRole } from "../pki/leaf/role.ts";
import { auditFields } from "./audit-fields.ts";
import type { SentEstConfig } from "./config-fields.ts";
import { checkCsrAttribute } from "./csr-attributes.ts";
import { mountOfLabel } from "./labels.ts";
import { labelsOf, noLabel, roleOfPolicy } from "./policy.ts";

/**
 * Path segments that cannot be labels: the EST operations (RFC 7030 section 3.2.2), and names that
 * might become operations.
 */
const reserved: ReadonlySet<string> = new Set([
  "cacerts",
  "csrattrs",
  "fullcmc",
  "serverkeygen",
  "simpleenroll",
  "simplereenroll",
  "crts",
  "crls",
  "est",
]);
/** Maximum number of labels per mount, and of requested attributes. */
const [maxLabels, maxAttributes] = [100, 100];

/**
 * Rejects a configuration with which EST cannot work (B 6.1). `changes` contains the fields of the
 * request.
 */
export async function requireValidConfig(
  config: Snapshot,
  changes: SentEstConfig,
  deployment: Deployment,
): Promise<void> {
  const est = config.get(estConfig);
  if (est.default_mount && est.default_path_policy === "")
    throw malformed("default_mount requires default_path_policy: sign-verbatim or role:<name>");
  if (changes.label_to_path_policy !== undefined)
    checkLabels(Object.keys(est.label_to_path_policy));
  if (changes.label_to_path_policy !== undefined || changes.default_path_policy !== undefined)
    await checkRoles(config);
  if (changes.authenticators !== undefined) await checkAccessors(est, deployment);
  const unknown = est.audit_fields.find((name) => !auditFields.includes(name));
  if (unknown !== undefined)
    throw malformed(
      `audit_fields: ${truncateForMessage(unknown)} is not an audit field; use ${auditFields.join(", ")}`,
    );
  if (est.csr_attributes.length > maxAttributes)
    throw malformed(`csr_attributes has more than ${maxAttributes} entries`);
  est.csr_attributes.forEach(checkCsrAttribute);
}

function checkLabels(labels: readonly string[]): void {
  if (labels.length > maxLabels)
    throw malformed(`label_to_path_policy has more than ${maxLabels} labels`);
  for (const label of labels) {
    if (!/^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/.test(label))
      throw malformed(
        `the label ${truncateForMessage(label)} is not valid; use up to 64 letters, digits, hyphens, dots and underscores, and begin and end with a letter or digit`,
      );
    if (reserved.has(label.toLowerCase()))
      throw malformed(`the label ${label} is reserved for an EST operation`);
  }
  const lower = labels.map((label) => label.toLowerCase());
  if (new Set(lower).size < lower.length)
    throw malformed("label_to_path_policy: two labels differ only in case");
}

/** Returns the nonexistent roles that the path policies of a configuration name. */
async function missingRoles(config: Snapshot): Promise<readonly string[]> {
  const { default_path_policy: policy, label_to_path_policy: labels } = config.get(estConfig);
  const roles = [policy, ...Object.values(labels)].flatMap((one) => roleOfPolicy(one) ?? []);
  const roleByName = await Promise.all(
    [...new Set(roles)].map(async (name) => [name, await findRole(config, name)] as const),
  );
  return roleByName.flatMap(([name, role]) => (role ? [] : [name]));
}
async function checkRoles(config: Snapshot): Promise<void> {
  const [missing] = await missingRoles(config);
  if (missing !== undefined)
    throw malformed(`the role ${truncateForMessage(missing)} in a path policy does not exist`);
}

/** Returns the kind and accessor of each authenticator in a configuration. */
const accessorsOf = ({ authenticators }: EstConfig): readonly (readonly [string, string])[] =>
  Object.entries(authenticators).map(([kind, { accessor }]) => [kind, accessor]);

async function strayAccessors(
  est: EstConfig,
  { sys }: Deployment,
): Promise<readonly (readonly [kind: string, accessor: string])[]> {
  const methods = [...(await readMethods(sys)).values()];
  return accessorsOf(est).filter(
    ([kind, accessor]) => !methods.some((row) => row.accessor === accessor && row.type === kind),
  );
}
const accessorOf = ({ accessor }: { readonly accessor: string }): string => accessor;
/** Rejects an accessor whose login method has a different type. */
async function checkAccessors(est: EstConfig, deployment: Deployment): Promise<void> {
  const accessors = new Set([...(await readMethods(deployment.sys)).values()].map(accessorOf));
  // a missing method only causes a warning, because it may be enabled later
  const stray = (await strayAccessors(est, deployment)).find(([, one]) => accessors.has(one));
  if (stray)
    throw malformed(
      `authenticators: ${truncateForMessage(stray[1])} is not the accessor of a login method of the type ${stray[0]}`,
    );
}

/** Returns a warning for each reason why EST does not work as configured. */
export async function configWarnings(
  config: Snapshot,
  deployment: Deployment,
): Promise<readonly string[]> {
  const est = config.get(estConfig);
  const mount = config.mount;
  const strays = (await strayAccessors(est, deployment)).map(
    ([kind, accessor]) =>
      `${truncateForMessage(accessor)} is not the accessor of a login method of the type ${kind}`,
  );
  if (!est.enabled) return strays;
  const allowed = mount.config.delegated_auth_accessors ?? [];
  const owners = await Promise.all(
    labelsOf(est).map(async (label) => [label, await mountOfLabel(deployment.sys, label)] as const),
  );
  return [
    ...(await missingRoles(config)).map(
      (role) => `the role ${truncateForMessage(role)} does not exist`,
    ),
    ...strays,
    ...accessorsOf(est)
      .filter(([, accessor]) => !allowed.includes(accessor))
      .map(
        ([kind, accessor]) =>
          `nobody can log in with ${kind}, because ${truncateForMessage(accessor)} is not in delegated_auth_accessors of sys/mounts/${mount.path}/tune`,
      ),
    ...(accessorsOf(est).length === 0
      ? ["nobody can enroll, because no authenticators are set"]
      : []),
    ...owners
      .filter(([, owner]) => owner !== mount.uuid)
      .map(
        ([label]) =>
          `${label === noLabel ? "default_mount" : `the label ${label}`} does not belong to this mount; write config/est again to claim it`,
      ),
  ];
}
