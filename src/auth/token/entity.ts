import type { Deployment } from "../../engine/deployment.ts";
import type { AuthReply } from "../../wire/outcome.ts";
import { cachedEntity, type EntityWithGroups } from "../entity/known.ts";

/**
 * Who holds the tokens of an entity, at most a second old; undefined when there is none, or it is
 * disabled: then they belong to nobody.
 */
export async function holderOf(
  { sys }: Deployment,
  id: string,
): Promise<EntityWithGroups | undefined> {
  const known = await cachedEntity(sys, id);
  return known?.disabled ? undefined : known;
}

/** What the reply tells, with the policies that the entity brings. */
export async function withEntity(ca: Deployment, auth: AuthReply): Promise<AuthReply> {
  const known = auth.entity_id === "" ? undefined : await cachedEntity(ca.sys, auth.entity_id);
  if (!known?.policies.length) return auth;
  const policies = [...new Set([...auth.token_policies, ...known.policies])].sort();
  return { ...auth, identity_policies: known.policies, policies };
}
