import type { Bytes } from "../base/bytes.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** A hash used in signatures. */
export type Hash = "SHA-256" | "SHA-384" | "SHA-512";

/** A signature scheme, with all its names and encodings. */
export interface SignatureScheme<Name extends string = string> {
  readonly scheme: { readonly name: Name; readonly hash?: Hash };
  /** Canonical name, as in issuer records: `ECDSAWithSHA256`. */
  readonly name: string;
  /** Another accepted name. */
  readonly alias?: string;
  /** AlgorithmIdentifiers (DER): the one that is written, then others that are accepted. */
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

/** Signatures made and verified by the platform's WebCrypto. */
export interface PlatformSigning {
  readonly platform: true;
  /**
   * Returns the import parameters for a scheme, because some keys are bound to the scheme under
   * which they were imported.
   */
  importedFor(scheme: SignatureScheme["scheme"]): ImportParameters;
  /**
   * Converts WebCrypto's signatures to the form in certificates and back; absent if both are the
   * same.
   */
  readonly form?: {
    write(signature: Uint8Array): Bytes;
    /** Converts a signature from a certificate. Throws `CaError` `malformed`. */
    read(signature: Uint8Array): Bytes;
  };
}

/** Signatures of an algorithm that not every WebCrypto supports. */
export interface OwnSigning {
  readonly platform: false;
  /** Parameters for WebCrypto's `importKey` where a platform supports it; absent if none does. */
  readonly webCrypto?: ImportParameters;
  /**
   * Returns the public key, as in the BIT STRING, of a private key as in the OCTET STRING of
   * PKCS#8; undefined if the private key is invalid.
   */
  publicBits(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Signs in the form that certificates contain. `random` hedges, or generates, the nonce. */
  sign(key: Uint8Array, signed: ToSign): Promise<Bytes>;
  /** Returns false, or throws `CaError` `malformed`, if the signature does not verify. */
  verify(keyBits: Uint8Array, signed: ToVerify): Promise<boolean>;
}
interface Signed {
  readonly scheme: SignatureScheme["scheme"];
  readonly data: Uint8Array;
}
/** The data to sign with a private key. */
interface ToSign extends Signed {
  readonly random: RandomBytes;
}
/** A signature, in the form of certificates, over some bytes. */
interface ToVerify extends Signed {
  readonly signature: Uint8Array;
}

/** The form of private keys before PKCS#8, which has its own PEM label. */
export interface OlderForm {
  /** PEM label, such as `EC PRIVATE KEY`. */
  readonly label: string;
  /** Tag after the version, which distinguishes this form from PKCS#8. */
  readonly tag: number;
  /** Returns the AlgorithmIdentifier (DER) of a key in this form. Throws `CaError`. */
  identifier(der: Uint8Array): Uint8Array;
  /** Encodes a key in this form, from the content of PKCS#8's OCTET STRING. */
  write(key: Uint8Array): Uint8Array;
}

/** A parsed private key, with both parts as in PKCS#8 and SubjectPublicKeyInfo. */
export interface ReadKey {
  /** Content of the OCTET STRING, in the canonical encoding. */
  readonly key: Uint8Array;
  /** Content of the BIT STRING. */
  readonly keyBits: Uint8Array;
}

/** A key pair on an elliptic curve. */
export interface EcKey {
  /** The private key, at the full length of the curve's order. */
  readonly scalar: Uint8Array;
  /** The public key: an uncompressed point (SEC 1 section 2.3.3). */
  readonly point: Uint8Array;
}
/** Keys that a platform generates synchronously. */
export interface DirectKeys {
  /** Generates a key on a curve (`P-256`); undefined if WebCrypto must generate it. */
  ecKey(curve: string): EcKey | undefined;
}

/** A new key pair: PKCS#8 and SubjectPublicKeyInfo, DER. */
export interface KeyPair {
  readonly pkcs8: Uint8Array;
  readonly spki: Uint8Array;
  /** Content of the BIT STRING in `spki`, if known without parsing it. */
  readonly keyBits?: Uint8Array;
  /** The private key in its `OlderForm`, DER, if known without parsing it. */
  readonly older?: Uint8Array;
}

/** A member of a JWK that contains a part of the public key in base64url. */
export interface JwkMember {
  readonly name: string;
  /** Its length in octets; absent for a number, which has no leading zeros. */
  readonly octets?: number;
}

/** Keys and signatures of an algorithm in JOSE (RFC 7517, RFC 7518, RFC 8037, RFC 9864). */
export interface JoseNames<Name extends string = string> {
  /**
   * Members of a JWK that identify the algorithm, with their values: `kty`, and for a curve `crv`.
   */
  readonly named: Readonly<Record<string, string>> & { readonly kty: string };
  /** Members of a JWK that contain the public key. */
  readonly members: readonly JwkMember[];
  /** Returns the content of the BIT STRING. `values`: those of the members, in order. */
  keyBits(values: readonly Uint8Array[]): Uint8Array;
  /** The `alg` values of JWS that these keys support. */
  readonly signatures: readonly {
    readonly alg: string;
    readonly scheme: SignatureScheme<Name>["scheme"];
  }[];
}

/** A signature scheme of TLS (RFC 8446 section 4.2.3). */
interface TlsScheme<Name extends string = string> {
  readonly id: number;
  readonly scheme: SignatureScheme<Name>["scheme"];
  /** True if TLS 1.3 allows it only in certificates, and not in handshakes. */
  readonly certificatesOnly?: true;
  /** True if TLS 1.2 does not allow it. */
  readonly tls13Only?: true;
}

/** A key usage that does not suit an algorithm; lints report it. */
interface KeyUsageMisuse {
  readonly section: string;
  readonly rule: string;
  /** Reports whether a KeyUsage name, such as `KeyAgreement`, is misused. */
  isMisused(usage: string): boolean;
  /** True if no certificate has it; otherwise a role or request may set it. */
  readonly forbidden?: true;
}

/** Everything about one key algorithm. `table.ts` lists RSA, Ed25519, each curve and each parameter
 * set of ML-DSA as one each. */
export interface KeyAlgorithm<Type extends string = string, Name extends string = string> {
  /** `key_type` in requests and records; all curves have the same. */
  readonly type: Type;
  /** Name in messages: `P-256`. */
  readonly name: string;
  /** Returns a description of a key with a size: `RSA 2048`, `EC P-256`. */
  describe(bits: number): string;
  /**
   * AlgorithmIdentifier in SubjectPublicKeyInfo and PKCS#8: object identifier and parameters, DER.
   */
  readonly identifier: { readonly oid: string; readonly parameters: Uint8Array };
  /** The `key_bits` for which keys are generated; 0 if there is only one size. */
  readonly sizes: readonly number[];
  /** True if roles must name the type, because `any` does not include it. */
  readonly explicitOnly?: true;
  /** The size that 0 selects for this type. */
  readonly usualSize?: number;
  /** Minimum number of bits; smaller keys are unsafe, and neither generated nor accepted. */
  readonly minSize?: number;
  /** Maximum bits; larger keys are rejected before any computation. */
  readonly maxSize?: number;
  /**
   * Number of bits above which generating a key takes seconds, so that only one is generated at a
   * time.
   */
  readonly slowAbove?: number;

  readonly schemes: readonly SignatureScheme<Name>[];
  /** Whether `signature_bits` and `use_pss` select the scheme. */
  readonly choosesScheme: boolean;
  /**
   * Returns the scheme to use. `signatureBits`: 0, 256, 384 or 512. Throws `CaError`
   * `invalid_field`.
   */
  scheme(signatureBits: number, pss: boolean): SignatureScheme<Name>["scheme"];
  readonly signing: PlatformSigning | OwnSigning;
  readonly misuses: readonly KeyUsageMisuse[];
  /** Absent if JOSE does not support these keys. */
  readonly jose?: JoseNames<Name>;
  /** TLS schemes for these keys, preferred ones first; absent if TLS has none. */
  readonly tls?: readonly TlsScheme<Name>[];

  /**
   * Returns the number of bits of a public key, as in the BIT STRING; 0 if the name of the
   * algorithm says its size. Throws `CaError` for malformed keys.
   */
  bits(keyBits: Uint8Array): number;
  /** Rejects a weak or invalid public key. Throws `CaError` `bad_key`. */
  check(keyBits: Uint8Array): void;

  /**
   * Generates a key pair. Throws a `DOMException` if the platform cannot. `direct`: keys that the
   * platform generates without WebCrypto.
   */
  generate(bits: number, random: RandomBytes, direct?: DirectKeys): Promise<KeyPair>;
  /** Parses the content of PKCS#8's OCTET STRING. Throws `CaError` `bad_key` or `malformed`. */
  read(key: Uint8Array): Promise<ReadKey>;
  /** Reports whether the parts of a parsed key are consistent, given a valid public part. */
  partsFit?(key: Uint8Array): boolean;
  readonly older?: OlderForm;
}
