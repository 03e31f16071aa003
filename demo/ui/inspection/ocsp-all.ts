/** Components for OCSP messages, and the OCSP query view. */
export { OcspFound, OcspRefused, OcspRequestFound } from "../ocsp-details.tsx";
export { Ocsp } from "./ask-ocsp.tsx";
