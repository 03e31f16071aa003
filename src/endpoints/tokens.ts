import { listAccessors } from "../auth/token/accessors.ts";
import * as tokenCreate from "../auth/token/create.ts";
import * as holes from "../auth/token/cubbyhole.ts";
import * as tokenLookup from "../auth/token/lookup.ts";
import * as tokenRenew from "../auth/token/renew.ts";
import * as tokenRevoke from "../auth/token/revoke.ts";
import * as tokenRoles from "../auth/token/roles.ts";

/** All endpoints under `/v1/auth/token`. */
export const auth = [
  tokenLookup.lookupSelf,
  tokenLookup.lookupToken,
  tokenLookup.lookupAccessor,
  tokenRenew.renewSelf,
  tokenRenew.renewToken,
  tokenRenew.renewAccessor,
  tokenCreate.createToken,
  tokenCreate.createOrphanToken,
  tokenCreate.createRoleToken,
  tokenRevoke.revokeSelf,
  tokenRevoke.revokeToken,
  tokenRevoke.revokeOrphan,
  tokenRevoke.revokeAccessor,
  listAccessors,
  tokenRevoke.tidyTokens,
  tokenRoles.listTokenRoles,
  tokenRoles.readTokenRole,
  tokenRoles.writeTokenRole,
  tokenRoles.deleteTokenRole,
] as const;

/** All endpoints under `/v1/cubbyhole`, for values that are private to a token. */
export const cubbyhole = [
  holes.readCubbyhole,
  holes.writeCubbyhole,
  holes.deleteCubbyhole,
  holes.listCubbyhole,
] as const;
