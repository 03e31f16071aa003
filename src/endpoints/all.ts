import { identity as ofIdentity } from "./identity.ts";
import { auth as ofTokens, cubbyhole as ofCubbyhole } from "./tokens.ts";

/** The endpoints of CA mounts and of `sys`, and the types of mounts and login methods. */
export * from "../endpoints.ts";
/** All endpoints of the ACME protocol on a CA mount, for ACME clients. */
export { acme } from "./acme.ts";
/** All endpoints of the EST protocol on a CA mount, for EST clients. */
export { est } from "./protocols.ts";
/** All endpoints of the login methods, by type. */
export { approle } from "../auth/approle/endpoints.ts";
export { cert } from "../auth/cert/endpoints.ts";
export { jwt } from "../auth/jwt/endpoints.ts";
export { kubernetes } from "../auth/kubernetes/endpoints.ts";
export { userpass } from "../auth/userpass/endpoints.ts";
/**
 * All endpoints of the variables API, which are under `/api/v2`, except for the discovery document.
 */
export { vars, wellKnown } from "../vars/api.ts";

// The library exports these lists. They are constants instead of re-exports, because esbuild would
// load re-exported lists together with the library.

/** All endpoints under `/v1/auth/token`. */
export const auth = ofTokens;
/** All endpoints under `/v1/cubbyhole`, for values that are private to a token. */
export const cubbyhole = ofCubbyhole;
/** All endpoints under `/v1/identity`, for entities, their aliases, and groups. */
export const identity = ofIdentity;
