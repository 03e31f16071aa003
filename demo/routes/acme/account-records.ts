import { concat, toBase64Url, utf8 } from "../../../src/base/bytes.ts";

/** The properties of the try-out's ACME account that appear in DNS records. */
export interface AccountIdentity {
  readonly url: string;
  /** Thumbprint of the account key (RFC 7638) in base64url. */
  readonly thumbprint: string;
}
const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

const base32Alphabet = "abcdefghijklmnopqrstuvwxyz234567";
/** Encodes a multiple of five octets in lower-case base32 (RFC 4648 section 6). */
const base32 = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(2).padStart(8, "0"))
    .join("")
    .replace(/.{5}/g, (five) => base32Alphabet[Number.parseInt(five, 2)] ?? "");

/** Returns the name of the DNS record for dns-account-01 (draft-ietf-acme-dns-account-label-03). */
export async function accountRecordName(
  domain: string,
  { url }: Pick<AccountIdentity, "url">,
): Promise<string> {
  const label = base32((await sha256(utf8(url))).subarray(0, 10));
  return `_${label}._acme-challenge.${domain}`;
}

/**
 * The validated domain, the CA's domain name from the challenge (`issuer`), and the prefix of
 * hashed accounts from the directory.
 */
interface PersistentIssuer {
  readonly domain: string;
  readonly issuer: string;
  readonly hashPrefix: string;
  readonly isWildcard: boolean;
}
/** Returns the value of the DNS record for dns-persist-01 (draft-ietf-acme-dns-persist-02). */
export async function persistentRecord(
  { domain, issuer, hashPrefix, isWildcard }: PersistentIssuer,
  { url, thumbprint }: AccountIdentity,
): Promise<string> {
  const name = utf8(domain);
  const hashed = concat([Uint8Array.of(name.length), name, utf8(thumbprint), utf8(url)]);
  const uri = `${hashPrefix}sha-256/${toBase64Url(await sha256(hashed))}`;
  return `${issuer}; accounturi=${uri}${isWildcard ? "; policy=wildcard" : ""}`;
}
