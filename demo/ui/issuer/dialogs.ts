/** The dialogs for certificates and CAs, and the links to related certificates. */
export { CrossSign } from "./cross-sign.tsx";
export { DeleteIssuer } from "./delete-issuer.tsx";
export { Download } from "./download.tsx";
export { EditIssuer } from "./edit-issuer.tsx";
export { Install } from "./install.tsx";
export { Related } from "./related.tsx";
export { Renew } from "./renew.tsx";
export { Revoke } from "./revoke.tsx";
