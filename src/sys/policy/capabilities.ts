import { listForm } from "../../base/forms.ts";
import { CaError } from "../../base/errors.ts";
import { foldPolicyName } from "../../base/policy-name.ts";
import { yieldToEventLoop } from "../../base/event-loop.ts";
import type { Identity, PolicyTarget } from "../../engine/ports.ts";
import { identityOfAccessor, identityOfToken } from "../../auth/token/token-identity.ts";
import { capabilitiesOf } from "../../policy/index.ts";
import { systemEndpoint, type Caller } from "../../wire/endpoint.ts";
import { withNormalForm, list, lists, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";

const maxPaths = 1000;
/** Number of paths between two yields to the event loop. Routing a long path takes 0.6 ms. */
const pathsPerTurn = 20;
/** Strips the version prefix from a path, if it has one. */
export const belowPrefix = (path: string): string => path.replace(/^\/?(?:v1\/)?/, "");
/**
 * Normalizes a path parameter for comparison by policy rules, because names in many paths are
 * case-insensitive.
 */
export const pathQueryForm = (path: string): string => foldPolicyName(belowPrefix(path));
const policyPaths = withNormalForm(list, listForm(pathQueryForm));
const pathFields = {
  paths: policyPaths.optional(
    "Paths under the version prefix, such as `pki/issue/web`. A string is split at commas.",
  ),
  path: policyPaths.alias("paths"),
} as const;
const shared = {
  access: "token",
  style: envelope,
  hoist: true,
  reply: {},
  whole: lists.required(
    "Sorted capabilities by path: only `root` for a root token, only `deny` if there are none. For a single path, they are also in `capabilities`.",
  ),
  refuses: ["malformed"],
} as const;

async function capabilitiesReply(
  identity: Pick<Identity, "policies" | "can">,
  input: {
    readonly paths?: readonly string[] | undefined;
    readonly path?: readonly string[] | undefined;
  },
  caller: Caller,
): Promise<Readonly<Record<string, unknown>>> {
  const paths = input.paths?.length ? input.paths : (input.path ?? []);
  if (paths.length === 0) throw new CaError("malformed", "paths must be supplied");
  if (paths.length > maxPaths)
    throw new CaError("malformed", `at most ${maxPaths} paths are allowed per call`);
  const results: (readonly [path: string, capabilities: readonly string[]])[] = [];
  for (const path of paths) {
    const target = await policyTargetFor(caller, belowPrefix(path));
    results.push([path, capabilitiesOf(identity, target.path, target.forms)]);
    if (results.length % pathsPerTurn === 0) await yieldToEventLoop();
  }
  const [only] = results;
  return Object.fromEntries([
    ...results,
    ...(only && results.length === 1 ? [["capabilities", only[1]]] : []),
  ]);
}
/** Returns a path in the form that policies evaluate, or unchanged if no endpoint has it. */
export const policyTargetFor = async (
  caller: Pick<Caller, "policyTargetAt">,
  path: string,
  method?: string,
): Promise<PolicyTarget> => (await caller.policyTargetAt?.(path, method)) ?? { path };
function requireIdentity(identity: Identity | undefined, what: string): Identity {
  if (!identity) throw new CaError("malformed", `invalid ${what}`);
  return identity;
}

export const capabilitiesSelf = systemEndpoint({
  ...shared,
  id: "capabilitiesSelf",
  audits: { own: true },
  at: ["POST /capabilities-self"],
  doc: "Returns the capabilities of the caller's token on paths.",
  body: pathFields,
  run: async (_, input, caller) => capabilitiesReply(caller.identity, input, caller),
});
export const capabilitiesToken = systemEndpoint({
  ...shared,
  id: "capabilities",
  at: ["POST /capabilities"],
  doc: "Returns the capabilities of a token on paths.",
  body: { token: secret.default("", "The token."), ...pathFields },
  run: async (deployment, { token, ...input }, caller) =>
    capabilitiesReply(
      requireIdentity(await identityOfToken(deployment, token), "token"),
      input,
      caller,
    ),
});
export const capabilitiesAccessor = systemEndpoint({
  ...shared,
  id: "capabilitiesAccessor",
  at: ["POST /capabilities-accessor"],
  doc: "Returns the capabilities of a token on paths, given its accessor.",
  body: { accessor: text.default("", "Accessor of the token."), ...pathFields },
  run: async (deployment, { accessor, ...input }, caller) =>
    capabilitiesReply(
      requireIdentity(await identityOfAccessor(deployment, accessor), "accessor"),
      input,
      caller,
    ),
});
