import * as aliases from "../auth/entity/aliases.ts";
import * as entities from "../auth/entity/entities.ts";
import * as groupAliases from "../auth/entity/group-aliases.ts";
import * as groups from "../auth/entity/groups.ts";

export { identityForms, idPattern } from "../auth/entity/names.ts";

/** All endpoints under `/v1/identity`, for entities, their aliases, and groups. */
export const identity = [
  entities.writeEntity,
  entities.writeEntityById,
  entities.writeEntityByName,
  entities.readEntity,
  entities.deleteEntity,
  entities.listEntities,
  entities.listEntityNames,
  aliases.writeEntityAlias,
  aliases.readEntityAlias,
  aliases.changeEntityAlias,
  aliases.deleteEntityAlias,
  aliases.listEntityAliases,
  groups.writeGroup,
  groups.writeGroupByName,
  groups.readGroup,
  groups.deleteGroup,
  groups.listGroups,
  groups.listGroupNames,
  groupAliases.writeGroupAlias,
  groupAliases.readGroupAlias,
  groupAliases.listGroupAliases,
  groupAliases.changeGroupAlias,
  groupAliases.deleteGroupAlias,
  groups.lookupGroup,
  groupAliases.lookupEntity,
] as const;
