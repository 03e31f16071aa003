// Made by `npm run generate`; what is changed here is lost.
import type { AuthClient } from "../../../src/client/auth.ts";
import type { Endpoint } from "../endpoint.ts";

export const lookupSelf: Endpoint<AuthClient["lookupSelf"]> = "GET /auth/token/lookup-self";
export const lookupToken: Endpoint<AuthClient["lookupToken"]> = "POST /auth/token/lookup";
export const lookupAccessor: Endpoint<AuthClient["lookupAccessor"]> =
  "POST /auth/token/lookup-accessor";
export const renewSelf: Endpoint<AuthClient["renewSelf"]> = "POST /auth/token/renew-self";
export const renewToken: Endpoint<AuthClient["renewToken"]> = "POST /auth/token/renew";
export const renewAccessor: Endpoint<AuthClient["renewAccessor"]> =
  "POST /auth/token/renew-accessor";
export const createToken: Endpoint<AuthClient["createToken"]> = "POST /auth/token/create";
export const createOrphanToken: Endpoint<AuthClient["createOrphanToken"]> =
  "POST /auth/token/create-orphan";
export const createRoleToken: Endpoint<AuthClient["createRoleToken"]> =
  "POST /auth/token/create/:role";
export const revokeSelf: Endpoint<AuthClient["revokeSelf"]> = "POST /auth/token/revoke-self";
export const revokeToken: Endpoint<AuthClient["revokeToken"]> = "POST /auth/token/revoke";
export const revokeOrphan: Endpoint<AuthClient["revokeOrphan"]> =
  "POST /auth/token/revoke-orphan sudo";
export const revokeAccessor: Endpoint<AuthClient["revokeAccessor"]> =
  "POST /auth/token/revoke-accessor";
export const listAccessors: Endpoint<AuthClient["listAccessors"]> =
  "LIST /auth/token/accessors sudo";
export const tidyTokens: Endpoint<AuthClient["tidyTokens"]> = "POST /auth/token/tidy";
export const listTokenRoles: Endpoint<AuthClient["listTokenRoles"]> = "LIST /auth/token/roles";
export const readTokenRole: Endpoint<AuthClient["readTokenRole"]> = "GET /auth/token/roles/:name";
export const writeTokenRole: Endpoint<AuthClient["writeTokenRole"]> =
  "POST /auth/token/roles/:name";
export const deleteTokenRole: Endpoint<AuthClient["deleteTokenRole"]> =
  "DELETE /auth/token/roles/:name";
