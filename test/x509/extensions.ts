// re-exports every module that encodes or parses extensions
export * from "../../src/x509/basic-constraints.ts";
export { crlNumber, deltaIndicator } from "../../src/x509/crl.ts";
export * from "../../src/x509/distribution-points.ts";
export * from "../../src/x509/extension.ts";
export * from "../../src/x509/extension-value.ts";
export * from "../../src/x509/distribution-points.ts";
export * from "../../src/x509/key-identifiers.ts";
export * from "../../src/x509/public-key.ts";
export * from "../../src/x509/name-constraints.ts";
export * from "../../src/x509/policies.ts";
export { subjectAltName } from "../../src/x509/san.ts";
export * from "../../src/x509/usage.ts";
