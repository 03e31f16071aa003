import { identity as ofIdentity } from "./identity.ts";
import { auth as ofTokens, cubbyhole as ofCubbyhole } from "./tokens.ts";

/** The endpoints of CA mounts and of `sys`, and the types of mounts and login methods. */
export * from "../endpoints.ts";
/** Every endpoint of the ACME protocol on a CA mount, for ACME clients over HTTP. */
export { acme } from "./acme.ts";
/** Every endpoint of the EST protocol on a CA mount. */
export { est } from "./protocols.ts";
/** The endpoints of login methods. */
export { approle } from "../auth/approle/endpoints.ts";
export { cert } from "../auth/cert/endpoints.ts";
export { jwt } from "../auth/jwt/endpoints.ts";
export { kubernetes } from "../auth/kubernetes/endpoints.ts";
export { userpass } from "../auth/userpass/endpoints.ts";
/** Every endpoint of the variables API below `/api/v2`, and its discovery elsewhere. */
export { vars, wellKnown } from "../vars/api.ts";

// Constants of its own, which the library exports: re-exported lists, which are also loaded on
// first use, esbuild would have loaded with the library.

/** Every endpoint below `/v1/auth/token`. */
export const auth = ofTokens;
/** Every endpoint below `/v1/cubbyhole`: values private to a token. */
export const cubbyhole = ofCubbyhole;
/** Every endpoint below `/v1/identity`: entities, their aliases, and groups. */
export const identity = ofIdentity;
