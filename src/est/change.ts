import { withValue } from "../engine/snapshot.ts";
import { estConfig, type EstAuthenticators, type EstConfig } from "./settings.ts";
import { CaError } from "../base/errors.ts";
import { truncateForMessage } from "../base/names.ts";
import type { Mount } from "../engine/mount.ts";
import { keys } from "../pki/rows/records.ts";
import type { Caller } from "../wire/endpoint.ts";
import { text } from "../wire/field.ts";
import { requireValidConfig, configWarnings } from "./checks.ts";
import type { SentEstConfig } from "./config-fields.ts";
import { releaseLabels, reserveLabels } from "./labels.ts";
import { labelsOf, normalizePolicy } from "./policy.ts";

/** Merges the fields of a request into `config/est` and returns the whole configuration. */
export async function changeConfig(
  mount: Mount,
  input: SentEstConfig,
  caller: Caller,
): Promise<EstConfig> {
  const { before, next } = await mount.configureFor(caller, async (config, caller) => {
    const next = { ...withInput(config.get(estConfig), input), last_updated: mount.ports.now() };
    const then = withValue(config, estConfig, next);
    const deployment = caller.detached();
    await requireValidConfig(then, input, deployment);
    await reserveLabels(mount, deployment, labelsOf(next));
    for (const doubt of await configWarnings(then, deployment)) caller.reply.warn(doubt);
    const key = keys.config("est");
    return {
      reply: { before: config.get(estConfig), next },
      batch: { expect: [[key, config.rev(key)]], put: [[key, next]] },
    };
  });
  const current = labelsOf(next);
  await releaseLabels(
    mount,
    labelsOf(before).filter((label) => !current.includes(label)),
  );
  return next;
}

function withInput(config: EstConfig, input: SentEstConfig): EstConfig {
  const policy = input.default_path_policy;
  const labels = input.label_to_path_policy;
  return {
    ...config,
    enabled: input.enabled ?? config.enabled,
    default_mount: input.default_mount ?? config.default_mount,
    default_path_policy:
      policy === undefined
        ? config.default_path_policy
        : policy.trim() && normalizePolicy(policy, "default_path_policy"),
    label_to_path_policy: labels === undefined ? config.label_to_path_policy : readLabels(labels),
    authenticators:
      input.authenticators === undefined
        ? config.authenticators
        : readAuthenticators(input.authenticators),
    enable_sentinel_parsing: input.enable_sentinel_parsing ?? config.enable_sentinel_parsing,
    audit_fields: (input.audit_fields ?? config.audit_fields).filter((name) => name !== ""),
    csr_attributes: (input.csr_attributes ?? config.csr_attributes).filter((one) => one !== ""),
  };
}

const policyText = text.required("");
function readLabels(input: Readonly<Record<string, unknown>>): EstConfig["label_to_path_policy"] {
  return Object.fromEntries(
    Object.entries(input).map(([label, policy]) => {
      const at = `label_to_path_policy.${truncateForMessage(label)}`;
      return [label, normalizePolicy(policyText.parse(policy, at), at)];
    }),
  );
}

/** The allowed members of each kind of authenticator. `accessor` is required. */
const members: Readonly<Record<string, readonly string[]>> = {
  cert: ["accessor", "cert_role"],
  userpass: ["accessor"],
  approle: ["accessor"],
};
function readAuthenticators(input: Readonly<Record<string, unknown>>): EstAuthenticators {
  const entries = Object.entries(input).flatMap(([name, value]) => {
    const allowed = Object.hasOwn(members, name) ? members[name] : undefined;
    if (!allowed)
      throw wrong(
        `${truncateForMessage(name)} is not a type of login method for EST; use cert, userpass or approle`,
      );
    // null removes an entry, like an empty object
    if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
      if (value === null || typeof value === "object") return [];
      throw wrong(`${name} must be an object with an accessor`);
    }
    const read = Object.entries(value).map(([member, one]) => {
      if (!allowed.includes(member))
        throw wrong(`${name} has no member ${truncateForMessage(member)}`);
      return [member, policyText.parse(one, `authenticators.${name}.${member}`)] as const;
    });
    const settings = Object.fromEntries(read.filter(([, one]) => one !== ""));
    if (settings["accessor"] === undefined) throw wrong(`${name} requires an accessor`);
    return [[name, settings] as const];
  });
  return Object.fromEntries(entries);
}
const wrong = (why: string): CaError => new CaError("malformed", `authenticators: ${why}`);
