/** Parses and verifies OCSP messages; loaded when one is found. */
export { readOcspRequest, readOcspResponse } from "../x509/ocsp-view.ts";
export { verifyOcsp } from "./verify-ocsp.ts";
