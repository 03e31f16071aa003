import { estConfig, type EstConfig } from "./settings.ts";
import { CaError } from "../base/errors.ts";
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

const malformed = (why: string): CaError => new CaError("malformed", why);
/** Segments that paths of EST may have there (RFC 7030 section 3.2.2), or could. */
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
/** Limits of labels per mount, and of requested attributes. */
const [maxLabels, maxAttributes] = [100, 100];

/**
 * Rejects a configuration that EST cannot work with (B 6.1); `changes`: the fields of the request.
 */
export async function requireValidConfig(
  config: Snapshot,
  changes: SentEstConfig,
  deployment: Deployment,
): Promise<void> {
  const est = config.get(estConfig);
  if (est.default_mount && est.default_path_policy === "")
    throw malformed("default_mount needs default_path_policy: sign-verbatim or role:<name>");
  if (changes.label_to_path_policy !== undefined)
    checkLabels(Object.keys(est.label_to_path_policy));
  if (changes.label_to_path_policy !== undefined || changes.default_path_policy !== undefined)
    await checkRoles(config);
  if (changes.authenticators !== undefined) await checkAccessors(est, deployment);
  const unknown = est.audit_fields.find((name) => !auditFields.includes(name));
  if (unknown !== undefined)
    throw malformed(
      `audit_fields: ${truncateForMessage(unknown)} is not an audit field: use ${auditFields.join(", ")}`,
    );
  if (est.csr_attributes.length > maxAttributes)
    throw malformed(`csr_attributes: more than ${maxAttributes}`);
  est.csr_attributes.forEach(checkCsrAttribute);
}

function checkLabels(labels: readonly string[]): void {
  if (labels.length > maxLabels)
    throw malformed(`label_to_path_policy: more than ${maxLabels} labels`);
  for (const label of labels) {
    if (!/^[A-Za-z0-9](?:[\w.-]{0,62}[A-Za-z0-9])?$/.test(label))
      throw malformed(
        `the label ${truncateForMessage(label)} is not valid: use up to 64 letters, digits, hyphens, dots and underscores, beginning and ending with a letter or digit`,
      );
    if (reserved.has(label.toLowerCase()))
      throw malformed(`the label ${label} is the name of an operation`);
  }
  const lower = labels.map((label) => label.toLowerCase());
  if (new Set(lower).size < lower.length)
    throw malformed("label_to_path_policy: two labels differ in case alone");
}

/** The roles that the policies of a configuration name and that are not there. */
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
    throw malformed(
      `a path policy names the role ${truncateForMessage(missing)}, which does not exist`,
    );
}

/** The authenticators of a configuration by their kinds. */
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
/** Refuses the accessor of a method of another type. */
async function checkAccessors(est: EstConfig, deployment: Deployment): Promise<void> {
  const accessors = new Set([...(await readMethods(deployment.sys)).values()].map(accessorOf));
  // a missing method is only a warning, because methods may be enabled after mounts
  const stray = (await strayAccessors(est, deployment)).find(([, one]) => accessors.has(one));
  if (stray)
    throw malformed(
      `authenticators: ${truncateForMessage(stray[1])} is the accessor of no login method of the type ${stray[0]}`,
    );
}

/** Returns one sentence for each reason why EST does not work although it is configured. */
export async function configWarnings(
  config: Snapshot,
  deployment: Deployment,
): Promise<readonly string[]> {
  const est = config.get(estConfig);
  const mount = config.mount;
  const strays = (await strayAccessors(est, deployment)).map(
    ([kind, accessor]) =>
      `${truncateForMessage(accessor)} is the accessor of no login method of the type ${kind}`,
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
          `nobody can sign in with ${kind}: ${truncateForMessage(accessor)} is not in delegated_auth_accessors of sys/mounts/${mount.path}/tune`,
      ),
    ...(accessorsOf(est).length === 0 ? ["no authenticators are set: nobody can enrol"] : []),
    ...owners
      .filter(([, owner]) => owner !== mount.uuid)
      .map(
        ([label]) =>
          `${label === noLabel ? "default_mount" : `the label ${label}`} is not this mount's: write config/est again to take it`,
      ),
  ];
}
