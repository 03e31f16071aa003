/** The functions that parse and verify OCSP messages, which are loaded on first use. */
export { readOcspRequest, readOcspResponse } from "../x509/ocsp-view.ts";
export { verifyOcsp } from "./verify-ocsp.ts";
