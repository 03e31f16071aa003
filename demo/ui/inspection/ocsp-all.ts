/** What shows OCSP messages, and the view that asks. */
export { OcspFound, OcspRefused, OcspRequestFound } from "../ocsp-details.tsx";
export { Ocsp } from "./ask-ocsp.tsx";
