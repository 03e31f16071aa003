/** What shows OCSP messages, and the view that asks. */
export { OcspFound, OcspRefused, OcspRequestFound } from "../parts/ocsp.tsx";
export { Ocsp } from "./ocsp.tsx";
