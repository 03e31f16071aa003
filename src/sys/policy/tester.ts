import { listForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { policyNameForm } from "../../base/policy-name.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { AccessRequest, Capability, Identity } from "../../engine/ports.ts";
import { identityOfAccessor, identityOfToken } from "../../auth/token/token-identity.ts";
import { compileAcl, policiesOf, type Acl } from "../../policy/index.ts";
import { parsePolicy } from "../../policy/policy.ts";
import { permissionDenied } from "../../wire/access.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import {
  flag,
  withNormalForm,
  list,
  map,
  mapOfOrNull,
  seconds,
  secret,
  text,
  textOrNull,
} from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { belowPrefix, policyTargetFor, pathQueryForm } from "./capabilities.ts";
import { nameOf } from "./names.ts";
import { ruleShape, toRuleReply } from "./resultant.ts";

const capabilities: readonly Capability[] = [
  "create",
  "read",
  "update",
  "delete",
  "list",
  "patch",
  "sudo",
];
const maxPolicies = 256;

/** The identity whose request is tested. */
interface TestedIdentity extends Pick<Identity, "entity"> {
  readonly policies: readonly string[];
}
async function testedIdentityOf(
  deployment: Deployment,
  input: {
    readonly token: string;
    readonly accessor: string;
    readonly policies: readonly string[];
  },
): Promise<TestedIdentity> {
  const { token, accessor, policies } = input;
  if (policies.length > maxPolicies)
    throw new CaError("malformed", `at most ${maxPolicies} policies are allowed per call`);
  if (token === "" && accessor === "") return { policies };
  const holder =
    token === ""
      ? await identityOfAccessor(deployment, accessor)
      : await identityOfToken(deployment, token);
  if (!holder) throw new CaError("malformed", `invalid ${token === "" ? "accessor" : "token"}`);
  const all = [...new Set([...(holder.policies ?? []), ...policies])];
  return { policies: all, ...(holder.entity ? { entity: holder.entity } : {}) };
}
/**
 * Rejects with `forbidden` if the caller may not read the policies, so that the test does not
 * reveal them.
 */
async function requireReadable(caller: Caller, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const { path, forms } = await policyTargetFor(caller, `sys/policies/acl/${name}`);
    if (!caller.identity.can("read", path, forms)) throw permissionDenied();
  }
}
/** The result of a test. */
type Verdict = readonly [granted: boolean, reason: string];
function verdictOf(acl: Acl, question: AccessRequest, isPolicyPath: boolean): Verdict {
  const { capability, path, forms } = question;
  const rule = acl.explain(capability, path, forms);
  if (acl.root) return [true, "the policy root allows everything"];
  if (!rule) return [false, "no pattern matches the path, so nothing is granted"];
  if (rule.capabilities.includes("deny")) return [false, "the rule denies the path"];
  if (!acl.can(capability, path, forms)) return [false, `the rule does not grant ${capability}`];
  return !isPolicyPath || acl.permits(question)
    ? [true, `the rule grants ${capability}`]
    : [false, "the rule denies the parameters, or the lifetime of the wrapping token"];
}

/** HTTP methods by capability, for capabilities whose method is not POST. */
const methodOf: Readonly<Partial<Record<Capability, string>>> = {
  read: "GET",
  patch: "PATCH",
  delete: "DELETE",
  list: "LIST",
};

export const testPolicies = systemEndpoint({
  id: "testPolicies",
  at: ["POST /policies/test"],
  access: "token",
  style: envelope,
  doc: "Tests whether a token, named policies or a policy text allow a request, and returns the deciding rule. The caller must be able to read each policy. Other servers with this API do not have this endpoint.",
  body: {
    path: withNormalForm(text, pathQueryForm).required(
      "Path under the version prefix, such as `pki/issue/web`.",
    ),
    capability: text.default(
      "update",
      "`create`, `read`, `update`, `delete`, `list`, `patch` or `sudo`.",
      capabilities,
    ),
    policies: withNormalForm(list, listForm(policyNameForm)).default(
      [],
      "Names of policies to test, in addition to those of the token.",
    ),
    token: secret.default("", "Token whose policies are tested."),
    accessor: text.default(
      "",
      "Accessor of the token whose policies are tested; an alternative to `token`.",
    ),
    policy: text.default("", "Text of an unsaved policy to test in addition."),
    parameters: map.optional("Parameters of the request."),
    wrap_ttl: seconds.optional("Requested lifetime of the wrapping token."),
  },
  reply: {
    granted: flag.required("Whether the request is allowed."),
    reason: text.required("Explanation, one sentence."),
    policies: list.required("Names of the tested policies. `draft` is the text in `policy`."),
    missing: list.required("Names of tested policies that do not exist."),
    decided_by: list.required("Names of the policies with the deciding pattern."),
    pattern: textOrNull.required("The deciding pattern, or null if none matches."),
    rule: mapOfOrNull(ruleShape).required(
      "Combined rule of these policies for the pattern, or null if none matches.",
    ),
  },
  refuses: ["malformed", "forbidden"],
  run: async (deployment, input, caller) => {
    const capability = capabilities.find((one) => one === input.capability);
    if (!capability)
      throw new CaError("malformed", `unknown capability ${input.capability.slice(0, 64)}`);
    const { policies: assigned, entity } = await testedIdentityOf(deployment, input);
    const policies = [...new Set(assigned.flatMap((name) => nameOf(name) ?? []))];
    await requireReadable(caller, policies);
    const texts = await policiesOf(deployment.sys, policies);
    const draft = input.policy === "" ? [] : [{ name: "draft", ...parsePolicy(input.policy) }];
    const acl = compileAcl([...texts, ...draft], entity);
    const { parameters = {}, wrap_ttl: wrapTtl } = input;
    const method = methodOf[capability] ?? "POST";
    const target = await policyTargetFor(caller, belowPrefix(input.path), method);
    const question = { ...target, capability, parameters, wrapTtl };
    const isTested = input.parameters !== undefined || wrapTtl !== undefined;
    const [granted, reason] = verdictOf(acl, question, isTested);
    const rule = acl.explain(capability, question.path, question.forms);
    const existing = new Set(texts.map(({ name }) => name));
    return {
      granted,
      reason,
      policies: [...existing, ...draft.map(({ name }) => name)],
      missing: assigned.filter((name) => !existing.has(nameOf(name) ?? "")),
      decided_by: rule?.policies ?? [],
      pattern: acl.root ? null : (rule?.pattern ?? null),
      rule: rule && !acl.root ? toRuleReply(rule) : null,
    };
  },
});
