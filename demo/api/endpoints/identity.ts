// Made by `npm run generate`; what is changed here is lost.
import type { IdentityClient } from "../../../src/client/identity.ts";
import type { Endpoint } from "../endpoint.ts";

export const writeEntity: Endpoint<IdentityClient["writeEntity"]> = "POST /identity/entity";
export const writeEntityById: Endpoint<IdentityClient["writeEntityById"]> =
  "POST /identity/entity/id/:id";
export const writeEntityByName: Endpoint<IdentityClient["writeEntityByName"]> =
  "POST /identity/entity/name/:name";
export const readEntity: Endpoint<IdentityClient["readEntity"]> =
  "GET /identity/entity/id/:id|GET /identity/entity/name/:name";
export const deleteEntity: Endpoint<IdentityClient["deleteEntity"]> =
  "DELETE /identity/entity/id/:id|DELETE /identity/entity/name/:name";
export const listEntities: Endpoint<IdentityClient["listEntities"]> = "LIST /identity/entity/id";
export const listEntityNames: Endpoint<IdentityClient["listEntityNames"]> =
  "LIST /identity/entity/name";
export const writeEntityAlias: Endpoint<IdentityClient["writeEntityAlias"]> =
  "POST /identity/entity-alias";
export const readEntityAlias: Endpoint<IdentityClient["readEntityAlias"]> =
  "GET /identity/entity-alias/id/:id";
export const changeEntityAlias: Endpoint<IdentityClient["changeEntityAlias"]> =
  "POST /identity/entity-alias/id/:id";
export const deleteEntityAlias: Endpoint<IdentityClient["deleteEntityAlias"]> =
  "DELETE /identity/entity-alias/id/:id";
export const listEntityAliases: Endpoint<IdentityClient["listEntityAliases"]> =
  "LIST /identity/entity-alias/id";
export const writeGroup: Endpoint<IdentityClient["writeGroup"]> =
  "POST /identity/group/id/:id|POST /identity/group";
export const writeGroupByName: Endpoint<IdentityClient["writeGroupByName"]> =
  "POST /identity/group/name/:name";
export const readGroup: Endpoint<IdentityClient["readGroup"]> =
  "GET /identity/group/id/:id|GET /identity/group/name/:name";
export const deleteGroup: Endpoint<IdentityClient["deleteGroup"]> =
  "DELETE /identity/group/id/:id|DELETE /identity/group/name/:name";
export const listGroups: Endpoint<IdentityClient["listGroups"]> = "LIST /identity/group/id";
export const listGroupNames: Endpoint<IdentityClient["listGroupNames"]> =
  "LIST /identity/group/name";
export const writeGroupAlias: Endpoint<IdentityClient["writeGroupAlias"]> =
  "POST /identity/group-alias";
export const readGroupAlias: Endpoint<IdentityClient["readGroupAlias"]> =
  "GET /identity/group-alias/id/:id";
export const listGroupAliases: Endpoint<IdentityClient["listGroupAliases"]> =
  "LIST /identity/group-alias/id";
export const changeGroupAlias: Endpoint<IdentityClient["changeGroupAlias"]> =
  "POST /identity/group-alias/id/:id";
export const deleteGroupAlias: Endpoint<IdentityClient["deleteGroupAlias"]> =
  "DELETE /identity/group-alias/id/:id";
export const lookupGroup: Endpoint<IdentityClient["lookupGroup"]> = "POST /identity/lookup/group";
export const lookupEntity: Endpoint<IdentityClient["lookupEntity"]> =
  "POST /identity/lookup/entity";
