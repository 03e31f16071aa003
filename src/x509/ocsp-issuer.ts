import { asBytes, type Bytes } from "../base/bytes.ts";
import type { Certificate } from "./certificate.ts";
import { hashOid } from "./oid.ts";
import { parsePublicKey } from "./spki.ts";

/** A hash that names an issuer in OCSP. */
export type IssuerHash = keyof typeof hashOid;

/** What OCSP hashes of an issuer: its subject, DER, and the bits of its public key. */
export interface IssuerHashes {
  readonly nameHash: Bytes;
  readonly keyHash: Bytes;
}

// the members of the table are named by the hashes
const byOid = new Map((Object.keys(hashOid) as IssuerHash[]).map((hash) => [hashOid[hash], hash]));
/** The hash of an object identifier; undefined for those that name no issuer here. */
export const issuerHashOf = (oid: string): IssuerHash | undefined =>
  // a text that is none of them is not found
  byOid.get(oid as (typeof hashOid)[IssuerHash]);

/** The hashes by which OCSP names an issuer (RFC 6960 section 4.1.1). */
export async function issuerHashes(
  hash: IssuerHash,
  { subject, spki }: Pick<Certificate, "subject" | "spki">,
): Promise<IssuerHashes> {
  const digest = async (bytes: Uint8Array) =>
    new Uint8Array(await crypto.subtle.digest(hash, asBytes(bytes)));
  const [nameHash, keyHash] = await Promise.all([
    digest(subject),
    digest(parsePublicKey(spki).keyBits),
  ]);
  return { nameHash, keyHash };
}
