import { fromBase64, fromUtf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import { type PolicyRow, belowPolicies, policyKeys } from "../../engine/policy-records.ts";
import { defaultPolicy, rootPolicy, textOf } from "../../policy/index.ts";
import { parsePolicy } from "../../policy/policy.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import { withNormalForm, list, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { nameInKey, nameOf, writableName } from "./names.ts";

const shared = { access: "token", style: envelope, hoist: true } as const;

/**
 * Returns the sorted names of all policies, except the policy of wrapping tokens, which cannot be
 * assigned.
 */
async function namesIn({ sys }: Deployment): Promise<readonly string[]> {
  const rows = await sys.store.list(belowPolicies, { values: false });
  const names = rows.map(([key]) => nameInKey(key));
  return [...new Set([...names, defaultPolicy.name, rootPolicy.name])].sort();
}
/** Finds a policy by any spelling of its name. */
async function policyAt({ sys }: Deployment, text: string) {
  const name = nameOf(text);
  if (name === undefined) return undefined;
  const [row] = await sys.store.get([policyKeys.policy(name)]);
  const policy = textOf(name, row);
  return policy === undefined ? undefined : { name, text: policy };
}
/**
 * Returns the policy text in a request, decoded if it is base64. HCL and JSON are never valid
 * base64.
 */
function readSent(sent: string): string {
  if (sent.trim() === "")
    throw new CaError("malformed", "'policy' parameter not supplied or empty");
  const bytes = fromBase64(sent.trim());
  if (!bytes) return sent;
  try {
    return fromUtf8(bytes);
  } catch {
    throw new CaError(
      "malformed",
      "failed to parse policy: line 1: the base64 does not encode UTF-8",
    );
  }
}
async function write(
  deployment: Deployment,
  text: string,
  sent: string,
  caller: Caller,
): Promise<void> {
  const name = writableName(text, caller, "update");
  const policy = readSent(sent);
  parsePolicy(policy);
  const row: PolicyRow = { text: policy, modified: deployment.ports.now() };
  await deployment.sys.commit({ put: [[policyKeys.policy(name), row]] });
}
async function remove(deployment: Deployment, text: string, caller: Caller): Promise<void> {
  // a policy with an invalid name cannot exist
  if (nameOf(text) === undefined) return;
  const name = writableName(text, caller, "delete");
  if (name === defaultPolicy.name) throw new CaError("malformed", `cannot delete "${name}" policy`);
  await deployment.sys.commit({ del: [policyKeys.policy(name)] });
}

const written = withNormalForm(text, readSent).default(
  "",
  "The policy in HCL or JSON, optionally base64-encoded.",
);
export const listPolicies = systemEndpoint({
  ...shared,
  id: "listPolicies",
  at: ["LIST /policies/acl"],
  doc: "Lists the names of the access policies.",
  body: {},
  reply: { keys: list.required("Names of the policies, sorted.") },
  run: async (deployment) => ({ keys: await namesIn(deployment) }),
});
export const readPolicy = systemEndpoint({
  ...shared,
  id: "readPolicy",
  at: ["GET /policies/acl/:name+"],
  doc: "Reads an access policy. The `root` policy has no text.",
  body: {},
  reply: {
    name: text.required("Name of the policy."),
    policy: text.required("Policy text, as written."),
  },
  run: async (deployment, { name }) => {
    const policy = await policyAt(deployment, name);
    return policy && { name: policy.name, policy: policy.text };
  },
});
export const writePolicy = systemEndpoint({
  ...shared,
  id: "writePolicy",
  at: ["POST /policies/acl/:name+"],
  doc: "Creates or replaces an access policy, which takes effect within a second. Names are converted to lower case and NFC.",
  body: { policy: written },
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { name, policy }, caller) => {
    await write(deployment, name, policy, caller);
    return undefined;
  },
});
export const deletePolicy = systemEndpoint({
  ...shared,
  id: "deletePolicy",
  at: ["DELETE /policies/acl/:name+"],
  doc: "Deletes an access policy. Tokens keep the policy's name, but it then grants nothing.",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { name }, caller) => {
    await remove(deployment, name, caller);
    return undefined;
  },
});

export const listRules = systemEndpoint({
  ...shared,
  id: "listRules",
  at: ["LIST /policy", "GET /policy"],
  doc: "Lists the names of the access policies (legacy path).",
  body: {},
  reply: {
    keys: list.required("Names of the policies, sorted."),
    policies: list.required("Same as `keys`."),
  },
  run: async (deployment) => {
    const keys = await namesIn(deployment);
    return { keys, policies: keys };
  },
});
export const readRules = systemEndpoint({
  ...shared,
  id: "readRules",
  at: ["GET /policy/:name+"],
  doc: "Reads an access policy (legacy path).",
  body: {},
  reply: {
    name: text.required("Name of the policy."),
    rules: text.required("Policy text, as written."),
  },
  run: async (deployment, { name }) => {
    const policy = await policyAt(deployment, name);
    return policy && { name: policy.name, rules: policy.text };
  },
});
export const writeRules = systemEndpoint({
  ...shared,
  id: "writeRules",
  at: ["POST /policy/:name+"],
  doc: "Creates or replaces an access policy (legacy path).",
  body: { policy: written, rules: withNormalForm(text, readSent).alias("policy") },
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { name, policy, rules }, caller) => {
    await write(deployment, name, policy || (rules ?? ""), caller);
    return undefined;
  },
});
export const deleteRules = systemEndpoint({
  ...shared,
  id: "deleteRules",
  at: ["DELETE /policy/:name+"],
  doc: "Deletes an access policy (legacy path).",
  body: {},
  reply: {},
  refuses: ["malformed"],
  run: async (deployment, { name }, caller) => {
    await remove(deployment, name, caller);
    return undefined;
  },
});
