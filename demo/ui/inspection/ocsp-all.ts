/** The components for OCSP messages and queries, which are loaded on first use. */
export { OcspFinding, OcspRefused, OcspRequestFinding } from "../ocsp-details.tsx";
export { Ocsp } from "./query-ocsp.tsx";
