/** What reads and verifies OCSP messages, loaded where one is met. */
export { readOcspRequest, readOcspResponse } from "./ocspview.ts";
export { vouchForOcsp } from "./vouchocsp.ts";
