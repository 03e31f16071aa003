/** The dialogs of the page of a CA, loaded together. */
export { RevokeIssuer } from "./revoke-issuer.tsx";
export { Successor } from "./successor.tsx";
