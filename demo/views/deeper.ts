/** What is looked at of a finding by whoever wants to know more. */
export { Asn1Tree } from "./asn1.tsx";
export { DrawnChain } from "./drawnchain.tsx";
export { LintList } from "./lintlist.tsx";
// With it this part needs all that reads certificates: of a share of it the bundler would make a
// small file of its own, which every view would pay for.
export { readCertificate } from "../lib/x509/decode.ts";
