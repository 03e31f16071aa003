import type { Deployment } from "../../engine/deployment.ts";
import type { AuthReply } from "../../wire/outcome.ts";
import { cachedEntity, type EntityWithGroups } from "../entity/known.ts";

/**
 * Returns the entity of tokens, at most a second old; undefined if it does not exist or is
 * disabled, which makes the tokens invalid.
 */
export async function holderOf(
  { sys }: Deployment,
  id: string,
): Promise<EntityWithGroups | undefined> {
  const known = await cachedEntity(sys, id);
  return known?.disabled ? undefined : known;
}

/** Adds the policies of the entity to a reply. */
export async function withEntity(ca: Deployment, auth: AuthReply): Promise<AuthReply> {
  const known = auth.entity_id === "" ? undefined : await cachedEntity(ca.sys, auth.entity_id);
  if (!known?.policies.length) return auth;
  const policies = [...new Set([...auth.token_policies, ...known.policies])].sort();
  return { ...auth, identity_policies: known.policies, policies };
}
