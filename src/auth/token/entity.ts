import type { Deployment } from "../../engine/deployment.ts";
import { knownEntity, type Known } from "../entity/known.ts";

/**
 * Who holds the tokens of an entity, at most a second old; undefined when there is none, or it is
 * disabled: then they belong to nobody.
 */
export async function holderOf({ sys }: Deployment, id: string): Promise<Known | undefined> {
  const known = await knownEntity(sys, id);
  return known?.disabled ? undefined : known;
}
