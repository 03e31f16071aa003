import { loginMethodTypes } from "../auth/types/table.ts";
import { pki, sys } from "../endpoints.ts";
import { vars, wellKnown } from "../vars/api.ts";
import type { AnyEndpoint } from "../wire/endpoint.ts";
import { acme } from "./acme.ts";
import { identity } from "./identity.ts";
import { loginTypes } from "./logins.ts";
import { est } from "./protocols.ts";
import { auth, cubbyhole } from "./tokens.ts";

/** The endpoints of CA mounts and of `sys`, and the types of mounts and login methods. */
export * from "../endpoints.ts";
/** All endpoints of the ACME protocol on a CA mount, for ACME clients. */
export { acme } from "./acme.ts";
/** All endpoints of the EST protocol on a CA mount, for EST clients. */
export { est } from "./protocols.ts";
/** All endpoints under `/v1/identity`, for entities, their aliases, and groups. */
export { identity } from "./identity.ts";
/** All endpoints under `/v1/auth/token`, and under `/v1/cubbyhole`. */
export { auth, cubbyhole } from "./tokens.ts";
/**
 * All endpoints of the variables API, which are under `/api/v2`, except for the discovery document.
 */
export { vars, wellKnown } from "../vars/api.ts";

/** All endpoints of the login methods, by type. Aliases of a type are left out. */
export const logins: Readonly<Record<string, readonly AnyEndpoint[]>> = Object.fromEntries(
  loginMethodTypes
    .filter((one) => !("like" in one))
    .map(({ type }) => [type, loginTypes[type].endpoints]),
);
/** All endpoints, in lists that are each mounted as a whole. */
export const endpointLists: Readonly<Record<string, readonly AnyEndpoint[]>> = {
  pki,
  sys,
  acme,
  est,
  ...logins,
  vars,
  wellKnown,
  auth,
  cubbyhole,
  identity,
};
