import type { Probe } from "../../src/index.ts";
import { urlHost } from "./url-host.ts";

/** Name of an ACME challenge type whose proof the server fetches. */
type NetworkChallengeName = Probe["type"];

/** The data from which the proof for a challenge is made. */
export interface ProofSource {
  /** The identifier of the authorization: a DNS name or an IP address. */
  readonly name: string;
  readonly token: string;
  readonly keyAuthorization: () => string;
  /** Returns the SHA-256 hash of the key authorization in base64url. */
  readonly digest: () => Promise<string>;
  /** Returns the same hash in hexadecimal. */
  readonly hexDigest: () => Promise<string>;
  /** Returns the name of the account's TXT record for dns-account-01. */
  readonly accountRecordName: () => Promise<string>;
  /** Returns the value of the TXT record for dns-persist-01. */
  readonly persistentRecord: () => Promise<string>;
}

/** An ACME challenge type in the console. */
interface ChallengeType {
  /**
   * A description of the request that the server would send, for users who confirm the challenge
   * instead. The location and the expected content follow it.
   */
  readonly question: string;
  /** The instruction for users who must provide the proof. */
  readonly instruction: string;
  /** True if an Internet-Draft defines the type, and no RFC. */
  readonly draft?: true;
  /** Returns the location of the proof and its content. */
  readonly proof: (
    source: ProofSource,
  ) => Promise<{ readonly where: string; readonly what: string }>;
}

const txtQuestion = "The server would query the TXT records of this name and expect this value:";
const txtInstruction = "Create a TXT record with this name and value.";

/**
 * The challenge types whose proofs users provide or confirm in the console (RFC 8555 sections 8.3
 * and 8.4; RFC 8737; the drafts of dns-account-01 and dns-persist-01).
 */
export const challengeTypes: Readonly<Record<NetworkChallengeName, ChallengeType>> = {
  "http-01": {
    question: "The server would fetch this URL and expect this text:",
    instruction: "A web server must return this text at this URL.",
    proof: async ({ name, token, keyAuthorization }) => ({
      where: `http://${urlHost(name)}/.well-known/acme-challenge/${token}`,
      what: keyAuthorization(),
    }),
  },
  "dns-01": {
    question: txtQuestion,
    instruction: txtInstruction,
    proof: async ({ name, digest }) => ({
      where: `_acme-challenge.${name}`,
      what: await digest(),
    }),
  },
  "tls-alpn-01": {
    question:
      "The server would connect with the ALPN protocol acme-tls/1 and expect a certificate whose acmeIdentifier extension contains this hash:",
    instruction:
      "A TLS server at this address must negotiate the ALPN protocol acme-tls/1 and present a self-signed certificate whose acmeIdentifier extension contains this hash.",
    proof: async ({ name, hexDigest }) => ({
      where: `${urlHost(name)}:443`,
      what: await hexDigest(),
    }),
  },
  "dns-account-01": {
    draft: true,
    question: txtQuestion,
    instruction: txtInstruction,
    proof: async ({ digest, accountRecordName }) => ({
      where: await accountRecordName(),
      what: await digest(),
    }),
  },
  "dns-persist-01": {
    draft: true,
    question: txtQuestion,
    instruction:
      "Create a TXT record with this name and value. It authorizes this account until you delete the record. This try-out discards its account when you leave the view.",
    proof: async ({ name, persistentRecord }) => ({
      where: `_validation-persist.${name}`,
      what: await persistentRecord(),
    }),
  },
};

/** Returns a challenge type by name, or undefined if the console does not know it. */
export const findChallengeType = (name: string): ChallengeType | undefined =>
  Object.entries(challengeTypes).find(([type]) => type === name)?.[1];

/** Lists the challenge types that a mount can offer, those of RFCs first. */
export function challengeTypesText(): string {
  const types = [...Object.entries(challengeTypes), ["device-attest-01", { draft: true }] as const];
  const names = (isDraft: boolean): string =>
    types.flatMap(([name, { draft = false }]) => (draft === isDraft ? name : [])).join(", ");
  return `${names(false)}; and, defined in Internet-Drafts: ${names(true)}`;
}
