/** The dialogs of a certificate and of an authority, and what is beside a certificate. */
export { CrossSign } from "./crosssign.tsx";
export { DeleteIssuer } from "./deleteissuer.tsx";
export { Download } from "./download.tsx";
export { EditIssuer } from "./editissuer.tsx";
export { Install } from "./install.tsx";
export { Related } from "./related.tsx";
export { Renew } from "./renew.tsx";
export { Revoke } from "./revoke.tsx";
