/** The dialogs that the view of a CA opens. They are loaded together. */
export { RevokeIssuer } from "./revoke-issuer.tsx";
export { SignCsr } from "./sign-csr.tsx";
export { Successor } from "./successor.tsx";
