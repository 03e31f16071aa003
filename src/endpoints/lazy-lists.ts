// Lists of endpoints that are not needed to issue a first certificate. They are loaded together,
// because otherwise they would be split into many small chunks.

/** Endpoints for entities and groups. */
export { identity, identityForms, idPattern } from "./identity.ts";
/** The types of login methods. */
export { loginTypes } from "./logins.ts";
/** Endpoints for ACME and EST clients. */
export { protocols } from "./protocols.ts";
/** Endpoints for tokens and cubbyholes. */
export { auth, cubbyhole } from "./tokens.ts";
