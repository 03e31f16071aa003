import type { Deployment } from "../../engine/deployment.ts";
import type { AuthReply } from "../../wire/outcome.ts";
import { cachedEntity, type EntityWithGroups } from "../entity/cached-entity.ts";

/**
 * Returns the entity of a token, cached for at most one second. Returns undefined if the entity
 * does not exist or is disabled, which makes its tokens invalid.
 */
export async function entityOfToken(
  { sys }: Deployment,
  id: string,
): Promise<EntityWithGroups | undefined> {
  const entity = await cachedEntity(sys, id);
  return entity?.disabled ? undefined : entity;
}

/** Adds the policies of a token's entity to the `auth` member of a response. */
export async function withEntity(deployment: Deployment, auth: AuthReply): Promise<AuthReply> {
  const entity =
    auth.entity_id === "" ? undefined : await cachedEntity(deployment.sys, auth.entity_id);
  if (!entity?.policies.length) return auth;
  const policies = [...new Set([...auth.token_policies, ...entity.policies])].sort();
  return { ...auth, identity_policies: entity.policies, policies };
}
