/** The dialogs of a certificate and of an authority. */
export { CrossSign } from "./crosssign.tsx";
export { DeleteIssuer } from "./deleteissuer.tsx";
export { Download } from "./download.tsx";
export { EditIssuer } from "./editissuer.tsx";
export { Renew } from "./renew.tsx";
export { Revoke } from "./revoke.tsx";
