// Lists that no first certificate needs: loaded together, because apart they would share many small
// chunks.

/** What is asked of entities and groups. */
export { identity, identityForms, idPattern } from "./identity.ts";
/** The login methods, by their type. */
export { loginTypes } from "./logins.ts";
/** What clients of ACME and EST call. */
export { protocols } from "./protocols.ts";
/** What is asked of tokens and by them. */
export { auth, cubbyhole } from "./tokens.ts";
