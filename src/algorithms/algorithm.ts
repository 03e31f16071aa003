import type { Bytes } from "../base/bytes.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** A hash function used in signatures. */
export type Hash = "SHA-256" | "SHA-384" | "SHA-512";

/** A signature scheme, with all its names and encodings. */
export interface SignatureScheme<Name extends string = string> {
  readonly scheme: { readonly name: Name; readonly hash?: Hash };
  /** Canonical name, as in issuer records, for example `ECDSAWithSHA256`. */
  readonly name: string;
  /** Another accepted name. */
  readonly alias?: string;
  /**
   * AlgorithmIdentifiers (DER): first the one that is written, then others that are also accepted.
   */
  readonly der: readonly [Bytes, ...Bytes[]];
  /** Parameters for WebCrypto's `sign` and `verify`. */
  readonly webCrypto: {
    readonly name: string;
    readonly hash?: Hash;
    readonly saltLength?: number;
  };
}

/** Parameters for WebCrypto's `importKey`. */
export interface ImportParameters {
  readonly name: string;
  readonly hash?: string;
  readonly namedCurve?: string;
}

/** Signing and verifying with the platform's WebCrypto. */
export interface PlatformSigning {
  readonly platform: true;
  /**
   * Returns the import parameters for a scheme. Some keys can only be used with the scheme for
   * which they were imported.
   */
  importedFor(scheme: SignatureScheme["scheme"]): ImportParameters;
  /**
   * Converts signatures between the WebCrypto format and the certificate format. Absent if both are
   * the same.
   */
  readonly form?: {
    write(signature: Uint8Array): Bytes;
    /** Converts a signature from a certificate. Throws `CaError` `malformed`. */
    read(signature: Uint8Array): Bytes;
  };
}

/** Signing and verifying with an algorithm that not every WebCrypto implementation supports. */
export interface OwnSigning {
  readonly platform: false;
  /**
   * Parameters for WebCrypto's `importKey` on platforms that support the algorithm. Absent if no
   * platform does.
   */
  readonly webCrypto?: ImportParameters;
  /**
   * Computes the public key (content of the BIT STRING) from a private key (content of PKCS#8's
   * OCTET STRING). Returns undefined if the private key is invalid.
   */
  publicBits(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Returns a signature in the format of certificates. `random` hedges or generates the nonce. */
  sign(key: Uint8Array, signed: ToSign): Promise<Bytes>;
  /**
   * Reports whether a signature is valid. May reject with `CaError` `malformed` if the signature is
   * malformed.
   */
  verify(keyBits: Uint8Array, signed: ToVerify): Promise<boolean>;
}
interface Signed {
  readonly scheme: SignatureScheme["scheme"];
  readonly data: Uint8Array;
}
/** Data to sign, and the source of randomness for the nonce. */
interface ToSign extends Signed {
  readonly random: RandomBytes;
}
/** A signature to verify, in the format of certificates. */
interface ToVerify extends Signed {
  readonly signature: Uint8Array;
}

/**
 * The traditional format of an algorithm's private keys, from before PKCS#8, with its own PEM
 * label.
 */
export interface OlderForm {
  /** PEM label, such as `EC PRIVATE KEY`. */
  readonly label: string;
  /** Tag of the element after the version. It distinguishes this format from PKCS#8. */
  readonly tag: number;
  /**
   * Returns the AlgorithmIdentifier (DER) of a key in this format. Throws `CaError` if the key does
   * not identify its algorithm.
   */
  identifier(der: Uint8Array): Uint8Array;
  /** Encodes a key in this format from the content of PKCS#8's OCTET STRING. */
  write(key: Uint8Array): Uint8Array;
}

/** A parsed private key, with its public key. */
export interface ReadKey {
  /** Content of PKCS#8's OCTET STRING, in the canonical encoding. */
  readonly key: Uint8Array;
  /** Content of the BIT STRING in SubjectPublicKeyInfo. */
  readonly keyBits: Uint8Array;
}

/** A key pair on an elliptic curve. */
export interface EcKey {
  /** The private key, padded to the length of the curve's order. */
  readonly scalar: Uint8Array;
  /** The public key: an uncompressed point (SEC 1 section 2.3.3). */
  readonly point: Uint8Array;
}
/** The platform's synchronous key generation. */
export interface DirectKeys {
  /**
   * Generates a key on a curve such as `P-256`. Returns undefined if WebCrypto must generate it.
   */
  ecKey(curve: string): EcKey | undefined;
}

/** A new key pair: PKCS#8 and SubjectPublicKeyInfo (DER). */
export interface KeyPair {
  readonly pkcs8: Uint8Array;
  readonly spki: Uint8Array;
  /** Content of the BIT STRING in `spki`, if known without parsing it. */
  readonly keyBits?: Uint8Array;
  /** DER of the private key in its `OlderForm`, if known without parsing it. */
  readonly older?: Uint8Array;
}

/** A JWK member that contains part of the public key in base64url. */
export interface JwkMember {
  readonly name: string;
  /** Length of the decoded value in octets. Absent for a number, which has no leading zeros. */
  readonly octets?: number;
}

/** An algorithm's keys and signatures in JOSE (RFC 7517, RFC 7518, RFC 8037, RFC 9864). */
export interface JoseNames<Name extends string = string> {
  /** JWK members that identify the algorithm (`kty`, and `crv` for a curve), with their values. */
  readonly named: Readonly<Record<string, string>> & { readonly kty: string };
  /** JWK members that contain the public key. */
  readonly members: readonly JwkMember[];
  /**
   * Returns the content of the BIT STRING. `values` are the decoded values of `members`, in order.
   */
  keyBits(values: readonly Uint8Array[]): Uint8Array;
  /** Values of `alg` in JWS that these keys support. */
  readonly signatures: readonly {
    readonly alg: string;
    readonly scheme: SignatureScheme<Name>["scheme"];
  }[];
}

/** A TLS signature scheme (RFC 8446 section 4.2.3). */
interface TlsScheme<Name extends string = string> {
  readonly id: number;
  readonly scheme: SignatureScheme<Name>["scheme"];
  /** True if TLS 1.3 allows it only in certificates, and not in handshakes. */
  readonly certificatesOnly?: true;
  /** True if TLS 1.2 does not allow it. */
  readonly tls13Only?: true;
}

/** A rule about key usages that an algorithm does not support. Lints report violations. */
interface KeyUsageMisuse {
  readonly section: string;
  readonly rule: string;
  /** Reports whether a KeyUsage name, such as `KeyAgreement`, is misused. */
  isMisused(usage: string): boolean;
  /**
   * True if certificates must not contain a misused usage. Otherwise a role or request may set it.
   */
  readonly forbidden?: true;
}

/** The mark of an algorithm that a role must specify, because `any` does not include it. */
export interface ExplicitOnly {
  readonly explicitOnly: true;
}

/**
 * The description of a key algorithm. There is one for RSA, one for Ed25519, and one for each curve
 * and each parameter set of ML-DSA (`table.ts`).
 */
export interface KeyAlgorithm<Type extends string = string, Name extends string = string> {
  /** `key_type` in requests and records; the same for all curves. */
  readonly type: Type;
  /** Name in messages, such as `P-256`. */
  readonly name: string;
  /** Returns a description of a key of this size, such as `RSA 2048` or `EC P-256`. */
  describe(bits: number): string;
  /**
   * AlgorithmIdentifier in SubjectPublicKeyInfo and PKCS#8: object identifier and parameters (DER).
   */
  readonly identifier: { readonly oid: string; readonly parameters: Uint8Array };
  /**
   * Length of the content of the BIT STRING in SubjectPublicKeyInfo, in octets. Absent if it varies
   * among the keys with this object identifier.
   */
  readonly keyOctets?: number;
  /** Values of `key_bits` that are available for new keys. Empty if the type has a single size. */
  readonly sizes: readonly number[];
  /** Size that `key_bits` 0 selects for this type. */
  readonly usualSize?: number;
  /** Minimum number of bits. Smaller keys are unsafe and are neither generated nor accepted. */
  readonly minSize?: number;
  /** Maximum number of bits. Larger keys are rejected before any computation. */
  readonly maxSize?: number;
  /**
   * Number of bits above which generating a key takes seconds. Such keys are generated one after
   * another.
   */
  readonly slowAbove?: number;

  readonly schemes: readonly SignatureScheme<Name>[];
  /** Whether `signature_bits` and `use_pss` select the signature scheme. */
  readonly choosesScheme: boolean;
  /**
   * Returns the scheme with which to sign. `signatureBits` is 0, 256, 384 or 512. Throws `CaError`
   * `invalid_field` for any other value.
   */
  scheme(signatureBits: number, pss: boolean): SignatureScheme<Name>["scheme"];
  readonly signing: PlatformSigning | OwnSigning;
  readonly misuses: readonly KeyUsageMisuse[];
  /**
   * True if few OCSP clients verify these signatures; OCSP responders therefore have EC keys by
   * default.
   */
  readonly rareInOcsp?: true;
  /** Absent if JOSE does not support these keys. */
  readonly jose?: JoseNames<Name>;
  /** TLS signature schemes for these keys, preferred ones first. Absent if TLS has none. */
  readonly tls?: readonly TlsScheme<Name>[];

  /**
   * Returns the size of a public key (content of the BIT STRING) in bits, or 0 if the algorithm's
   * name implies it. Throws `CaError` for malformed keys.
   */
  bits(keyBits: Uint8Array): number;
  /** Throws `CaError` `bad_key` if a public key is weak or invalid. */
  check(keyBits: Uint8Array): void;

  /**
   * Generates a key pair. `direct` generates keys without WebCrypto. Rejects with a `DOMException`
   * if the platform does not support the algorithm or size.
   */
  generate(bits: number, random: RandomBytes, direct?: DirectKeys): Promise<KeyPair>;
  /**
   * Parses the content of PKCS#8's OCTET STRING. Rejects with `CaError`: `malformed` if it is not
   * DER of the expected structure, `bad_key` if the key is invalid.
   */
  read(key: Uint8Array): Promise<ReadKey>;
  /**
   * Reports whether the parts of a parsed key are consistent. Its public key must already have been
   * checked.
   */
  partsFit?(key: Uint8Array): boolean;
  readonly older?: OlderForm;
}
