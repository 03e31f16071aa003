/** Components for OCSP messages, and the OCSP query view. */
export { OcspFinding, OcspRefused, OcspRequestFinding } from "../ocsp-details.tsx";
export { Ocsp } from "./query-ocsp.tsx";
