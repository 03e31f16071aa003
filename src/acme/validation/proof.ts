import { toBase64Url, toHex, utf8 } from "../../base/bytes.ts";

/** What a challenge must be answered with. */
export interface Proof {
  readonly token: string;
  /** Token and thumbprint of the account's key (RFC 8555 section 8.1). */
  readonly keyAuthorization: string;
  /** Its SHA-256. */
  readonly digest: Uint8Array;
}
/** The proof of a token for the key of a thumbprint. */
export async function proofOf(token: string, thumbprint: string): Promise<Proof> {
  const keyAuthorization = `${token}.${thumbprint}`;
  const digest = await crypto.subtle.digest("SHA-256", utf8(keyAuthorization));
  return { token, keyAuthorization, digest: new Uint8Array(digest) };
}
/** The digest as a TXT record holds it (RFC 8555 section 8.4). */
export const digestText = ({ digest }: Proof): string => toBase64Url(digest);
/** The digest as it is shown to people. */
export const digestHex = ({ digest }: Proof): string => toHex(digest);

/** Whether two byte strings are the same; the time tells nothing of where they differ. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length;
  for (let at = 0; at < one.length; at++) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}
/** The same of texts, by their UTF-8. */
export const sameText = (one: string, other: string): boolean => sameBytes(utf8(one), utf8(other));
/** The name whose TXT records prove a name (RFC 8555 section 8.4). */
export const recordName = (name: string): string => `_acme-challenge.${name}`;
