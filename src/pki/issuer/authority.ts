import type { Scheme } from "../../engine/ports.ts";
import type { LoggedSigner } from "../../log/rows/signed.ts";
import type { UrlSet } from "../rows/records.ts";
import type { PublicKey } from "../../x509/public-key.ts";

/** The issuer of a certificate: an issuer of the mount or, for a root, its own new key. */
export interface Authority extends LoggedSigner {
  readonly publicKey: PublicKey;
  /**
   * DER of the issuer's subject, which becomes the issuer name of the certificate. Undefined for a
   * root, because its issuer name is its own subject.
   */
  readonly subject: Uint8Array | undefined;
  /**
   * Authority key identifier of the certificate, or undefined for a root, whose authority key
   * identifier is that of its own key.
   */
  readonly keyId: Uint8Array | undefined;
  readonly pathLength: number | undefined;
}
/** The issuer, its signature scheme, and the URLs to include in certificates. */
export interface Signing {
  readonly authority: Authority;
  readonly scheme: Scheme;
  readonly urls: UrlSet;
  /** Number of CRL shards. Absent if CRLs are not sharded. */
  readonly shards?: number;
}
