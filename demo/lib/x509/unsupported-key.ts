export { keyText } from "../../../src/describe/key-text.ts";
// Keeps the code that this module shares with the certificate parser in the parser's chunk.
// Otherwise the bundler would create small shared chunks that every view loads.
export { parseCsr, verifyCsr } from "../../../src/x509/csr.ts";
export { parseCertificate } from "../../../src/x509/certificate.ts";
export { readSubjectKeyIdentifier } from "../../../src/x509/key-identifiers.ts";
export { readExtKeyUsage } from "../../../src/x509/usage.ts";
export { namesOf } from "./alternative-names.ts";
