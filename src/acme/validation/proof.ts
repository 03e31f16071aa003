import { toBase64Url, utf8 } from "../../base/bytes.ts";

/** The response that a challenge requires. */
export interface Proof {
  readonly token: string;
  /** The key authorization: token and thumbprint of the account's key (RFC 8555 section 8.1). */
  readonly keyAuthorization: string;
  /** SHA-256 of the key authorization. */
  readonly digest: Uint8Array;
  /** URL of the account. */
  readonly accountUrl: string;
  /** Thumbprints of the account's keys, the current one first. */
  readonly thumbprints: readonly string[];
  readonly isWildcard: boolean;
  /** Domain names of the CA in dns-persist-01 records. */
  readonly issuerDomainNames: readonly string[];
  /** Prefix of account URIs in dns-persist-01 records. */
  readonly accountHashPrefix: string;
  /** Whether dns-persist-01 records of parent domains may authorize a name. */
  readonly persistentSubdomains: boolean;
}
/** The parts of a proof that do not depend on the token and the thumbprint. */
type ProofContext = Omit<Proof, "token" | "keyAuthorization" | "digest">;
/** Returns the proof for a token and the thumbprint of an account key. */
export async function proofOf(
  token: string,
  thumbprint: string,
  context: Partial<ProofContext> = {},
): Promise<Proof> {
  const keyAuthorization = `${token}.${thumbprint}`;
  const digest = await crypto.subtle.digest("SHA-256", utf8(keyAuthorization));
  return {
    token,
    keyAuthorization,
    digest: new Uint8Array(digest),
    accountUrl: "",
    thumbprints: [thumbprint],
    isWildcard: false,
    issuerDomainNames: [],
    accountHashPrefix: "",
    persistentSubdomains: false,
    ...context,
  };
}

/** Returns the digest as it is written in a TXT record (RFC 8555 section 8.4). */
export const digestText = ({ digest }: Proof): string => toBase64Url(digest);

/** Compares two byte strings in constant time. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}
/** Compares two strings in constant time, as UTF-8. */
export const sameText = (one: string, other: string): boolean => sameBytes(utf8(one), utf8(other));
