/** The code that parses and verifies OCSP messages, which is loaded on first use. */
export { readOcspRequest, readOcspResponse } from "../x509/ocsp-view.ts";
export { verifyOcsp } from "./verify-ocsp.ts";
