/** The details of a finding, which are loaded on request. */
export { Asn1Tree } from "./asn1-tree.tsx";
export { ChainDrawing } from "./chain-drawing.tsx";
export { CertificateLints, CrlLints } from "./lint-list.tsx";
// Keeps the code for certificates in this chunk. Otherwise the bundler would create a small shared
// chunk that every view loads.
export { readCertificate } from "../../lib/x509/decode.ts";
