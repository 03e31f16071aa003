/** The components for OCSP messages and OCSP queries. */
export { OcspFinding, OcspRefused, OcspRequestFinding } from "../ocsp-details.tsx";
export { Ocsp } from "./query-ocsp.tsx";
