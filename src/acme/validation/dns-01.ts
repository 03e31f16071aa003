import type { NetworkChallenge } from "./challenge-type.ts";
import { digestText } from "./proof.ts";
import { requireDigestRecord } from "./txt-records.ts";

/** Returns the name whose TXT records prove control of the given name (RFC 8555 section 8.4). */
const recordName = (name: string): string => `_acme-challenge.${name}`;

/**
 * The dns-01 challenge: a TXT record must contain the digest of the key authorization (RFC 8555
 * section 8.4, B 5.10, security row 41).
 */
export const dns01: NetworkChallenge<"dns-01"> = {
  name: "dns-01",
  isOfferedFor: ({ type }) => type === "dns",
  question: (name, proof) => ({ asked: recordName(name), expected: digestText(proof) }),
  needsConnection: false,
  validate: (name, proof, network, signal) =>
    requireDigestRecord(recordName(name), proof, network, signal),
};
