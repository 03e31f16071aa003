import { utf8 } from "../../base/bytes.ts";
import { digestSha256 } from "../../base/hmac.ts";
import type { NetworkChallenge } from "./challenge-type.ts";
import { digestText, type Proof } from "./proof.ts";
import { requireDigestRecord } from "./txt-records.ts";

const alphabet = "abcdefghijklmnopqrstuvwxyz234567";
/** Encodes a multiple of five octets in lower-case base32 (RFC 4648 section 6). */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.replace(/.{5}/g, (five) => alphabet[Number.parseInt(five, 2)] ?? "");
}

/**
 * Returns the name whose TXT records prove control of the given name for one account. It differs
 * between accounts, so that clients of different accounts do not overwrite each other's records.
 */
function recordName(name: string, { accountUrl }: Proof): string {
  const label = base32(digestSha256(utf8(accountUrl)).subarray(0, 10));
  return `_${label}._acme-challenge.${name}`;
}

/**
 * dns-account-01: like dns-01, but under a label for the account
 * (draft-ietf-acme-dns-account-label-03).
 */
export const dnsAccount01: NetworkChallenge<"dns-account-01"> = {
  name: "dns-account-01",
  isOfferedFor: ({ type }) => type === "dns",
  question: (name, proof) => ({ asked: recordName(name, proof), expected: digestText(proof) }),
  needsConnection: false,
  validate: (name, proof, network, signal) =>
    requireDigestRecord(recordName(name, proof), proof, network, signal),
};
