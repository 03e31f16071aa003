/** The components for details of a finding, which are loaded when the user opens them. */
export { Asn1Tree } from "./asn1-tree.tsx";
export { ChainDrawing } from "./chain-drawing.tsx";
export { CertificateLints, CrlLints } from "./lint-list.tsx";
// Keeps the certificate parser in the same chunk as this module. Otherwise the bundler would create
// a small shared chunk that every view loads.
export { readCertificate } from "../../lib/x509/decode.ts";
