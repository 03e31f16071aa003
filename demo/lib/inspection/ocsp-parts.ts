/** What reads and verifies OCSP messages, loaded where one is met. */
export { readOcspRequest, readOcspResponse } from "../x509/ocsp-view.ts";
export { verifyOcsp } from "./verify-ocsp.ts";
