import { estConfig } from "./settings.ts";
import type { Deployment } from "../engine/deployment.ts";
import type { AliasTarget } from "../wire/api.ts";
import { mountOfLabel } from "./labels.ts";
import { nativePath, noLabel, operations, policyOf, roleOfPolicy } from "./policy.ts";

const shape = /^\/\.well-known\/est\/(?:([\w.-]+)\/)?(\w+)$/;

/**
 * Resolves a path under `/.well-known/est` (RFC 7030 section 3.2.2) to the path of a role, or to
 * the path of the mount itself if the label's policy is `sign-verbatim`.
 */
export async function resolveAlias(
  deployment: Deployment,
  path: string,
): Promise<AliasTarget | undefined> {
  const [, label = noLabel, operationName] = shape.exec(path) ?? [];
  const operation = operations.find((one) => one === operationName);
  if (!operation) return undefined;
  const uuid = await mountOfLabel(deployment.sys, label);
  if (uuid === undefined) return undefined;
  const route = [...(await deployment.mounts())].find(([, one]) => one.uuid === uuid);
  if (!route || route[1].restoring) return undefined;
  const est = (await deployment.mount(uuid).config()).get(estConfig);
  const policy = policyOf(est, label);
  if (!est.enabled || !policy) return undefined;
  const role = roleOfPolicy(policy);
  const below = nativePath(role === undefined ? {} : { role }, operation);
  // the handler resolves the policy again, because the data that is read here may be a second old
  return { path: route[0] + below, params: { label } };
}
