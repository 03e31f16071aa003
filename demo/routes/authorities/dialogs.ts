/** The dialogs of the page of a CA, loaded together. */
export { RevokeIssuer } from "./revoke-issuer.tsx";
export { SignCsr } from "./sign-csr.tsx";
export { Successor } from "./successor.tsx";
