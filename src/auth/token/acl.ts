import type { Deployment } from "../../engine/deployment.ts";
import type { Entity } from "../../engine/ports.ts";
import { aclOf, type Acl } from "../../policy/index.ts";

/** Returns the compiled policies of these names, at most a second old; `root` allows everything. */
export const allowedBy = (
  { sys }: Deployment,
  names: readonly string[],
  entity: Entity | undefined,
): Promise<Acl> => aclOf(sys, names, entity);
