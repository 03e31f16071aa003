import type { Scheme } from "../../engine/ports.ts";
import type { LoggedSigner } from "../../log/rows/signed.ts";
import type { UrlSet } from "../rows/records.ts";
import type { PublicKey } from "../../x509/public-key.ts";

/** The signer: an issuer of the mount, or for a root, its own new key. */
export interface Authority extends LoggedSigner {
  readonly publicKey: PublicKey;
  /** Name of the issuer, DER; undefined for a root, whose issuer is its subject. */
  readonly subject: Uint8Array | undefined;
  /** Authority key identifier; undefined for a root, which names its own. */
  readonly keyId: Uint8Array | undefined;
  readonly pathLength: number | undefined;
}
/** The signer, its scheme, and the addresses to include in the certificate. */
export interface Signing {
  readonly authority: Authority;
  readonly scheme: Scheme;
  readonly urls: UrlSet;
  /** Number of shards; absent: no shards. */
  readonly shards?: number;
}
