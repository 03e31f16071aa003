/** Details of a finding, loaded on request. */
export { Asn1Tree } from "./asn1-tree.tsx";
export { DrawnChain } from "./drawn-chain.tsx";
export { LintList } from "./lint-list.tsx";
// With it this part needs all that reads certificates: of a share of it the bundler would make a
// small file of its own, which every view would pay for.
export { readCertificate } from "../../lib/x509/decode.ts";
