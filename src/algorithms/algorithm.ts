import type { Bytes } from "../base/bytes.ts";
import type { RandomBytes } from "../base/random-text.ts";

/** A hash that signatures are made over. */
export type Hash = "SHA-256" | "SHA-384" | "SHA-512";

/** One way to sign, with all its spellings. */
export interface SignatureScheme<Name extends string = string> {
  readonly scheme: { readonly name: Name; readonly hash?: Hash };
  /** Canonical name, as in issuer records: `ECDSAWithSHA256`. */
  readonly name: string;
  /** Another name that is read. */
  readonly alias?: string;
  /** AlgorithmIdentifier as it is written here, then other forms that are read. DER. */
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

/** Signatures that the platform's WebCrypto makes and verifies. */
export interface PlatformSigning {
  readonly platform: true;
  /** Some keys are bound to the scheme under which they were imported. */
  importedFor(scheme: SignatureScheme["scheme"]): ImportParameters;
  /** The signature of WebCrypto as it stands in a certificate, and back; absent: the same bytes. */
  readonly form?: {
    write(signature: Uint8Array): Bytes;
    /** Throws `CaError` `malformed`. */
    read(signature: Uint8Array): Bytes;
  };
}

/** Signatures of an algorithm that WebCrypto lacks. */
export interface OwnSigning {
  readonly platform: false;
  /**
   * The public key, as in the BIT STRING, of a private key as in the OCTET STRING of PKCS#8;
   * undefined when it is none.
   */
  publicBits(key: Uint8Array): Promise<Uint8Array | undefined>;
  /** Signs as it stands in a certificate; `random` hedges, or makes, the nonce. */
  sign(key: Uint8Array, signed: ToSign): Promise<Bytes>;
  /** False, or `CaError` `malformed`, for what does not verify. */
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
/** A signature, as it stands in a certificate, over some bytes. */
interface ToVerify extends Signed {
  readonly signature: Uint8Array;
}

/** The form that private keys had before PKCS#8, which PEM labels differently. */
export interface OlderForm {
  /** PEM label, such as `EC PRIVATE KEY`. */
  readonly label: string;
  /** Tag after the version, which distinguishes the forms. */
  readonly tag: number;
  /** AlgorithmIdentifier, DER, of a key in this form. Throws `CaError`. */
  identifier(der: Uint8Array): Uint8Array;
  /** A key in this form, of the content of PKCS#8's OCTET STRING. */
  write(key: Uint8Array): Uint8Array;
}

/** A private key as it was read: both parts as PKCS#8 and SubjectPublicKeyInfo hold them. */
export interface ReadKey {
  /** Content of the OCTET STRING, in our own encoding. */
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
  /** Generates a key on a curve (`P-256`); undefined: WebCrypto must generate it. */
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

/** A member of a JWK that has a part of the public key in base64url. */
export interface JwkMember {
  readonly name: string;
  /** Its length; absent for a number, which has no leading zero. */
  readonly octets?: number;
}

/** Keys and signatures of an algorithm in JOSE (RFC 7517, RFC 7518, RFC 8037, RFC 9864). */
export interface JoseNames<Name extends string = string> {
  /** Members of a JWK that name the algorithm, with their values: `kty`, and `crv` of a curve. */
  readonly named: Readonly<Record<string, string>> & { readonly kty: string };
  /** Members of a JWK that have the public key. */
  readonly members: readonly JwkMember[];
  /** Returns the content of the BIT STRING. `values`: of the members, in their order. */
  keyBits(values: readonly Uint8Array[]): Uint8Array;
  /** Each `alg` of JWS that these keys sign under. */
  readonly signatures: readonly {
    readonly alg: string;
    readonly scheme: SignatureScheme<Name>["scheme"];
  }[];
}

/** A signature scheme of TLS (RFC 8446 section 4.2.3). */
interface TlsScheme<Name extends string = string> {
  readonly id: number;
  readonly scheme: SignatureScheme<Name>["scheme"];
  /** True where TLS 1.3 has it in certificates only, and not in handshakes. */
  readonly certificatesOnly?: true;
}

/** A key usage that does not fit an algorithm: reported by lints, never rejected. */
interface KeyUsageMisuse {
  readonly section: string;
  readonly rule: string;
  /** Takes a name of KeyUsage: `KeyAgreement`. */
  isMisused(usage: string): boolean;
}

/**
 * One key algorithm: all that anybody needs to know of it. RSA, each curve and Ed25519 are one each
 * in `table.ts`.
 */
export interface KeyAlgorithm<Type extends string = string, Name extends string = string> {
  /** `key_type` in requests and records; the curves share one. */
  readonly type: Type;
  /** Name in messages: `P-256`. */
  readonly name: string;
  /** A key of some size in words: `RSA 2048`, `EC P-256`. */
  words(bits: number): string;
  /**
   * AlgorithmIdentifier in SubjectPublicKeyInfo and PKCS#8: object identifier and parameters, DER.
   */
  readonly identifier: { readonly oid: string; readonly parameters: Uint8Array };
  /** `key_bits` that keys are made with; none: 0. */
  readonly sizes: readonly number[];
  /** The size that 0 selects for this type. */
  readonly usualSize?: number;
  /** Keys of fewer bits are unsafe: none is made or accepted. */
  readonly minSize?: number;
  /** Maximum bits; larger keys are rejected before any computation. */
  readonly maxSize?: number;
  /** A larger key takes seconds to make: one at a time. */
  readonly slowAbove?: number;

  readonly schemes: readonly SignatureScheme<Name>[];
  /** Whether `signature_bits` and `use_pss` choose the scheme. */
  readonly choosesScheme: boolean;
  /** The scheme used. `signatureBits`: 0, 256, 384, 512. Throws `CaError` `invalid_field`. */
  scheme(signatureBits: number, pss: boolean): SignatureScheme<Name>["scheme"];
  readonly signing: PlatformSigning | OwnSigning;
  readonly misuses: readonly KeyUsageMisuse[];
  /** Absent where JOSE has no such keys. */
  readonly jose?: JoseNames<Name>;
  /** Schemes of a handshake by these keys, preferred ones first; absent where TLS has none. */
  readonly tls?: readonly TlsScheme<Name>[];

  /** Bits of a public key, as in the BIT STRING; refuses another form. Throws `CaError`. */
  bits(keyBits: Uint8Array): number;
  /** Refuses a public key that is weak or not valid. Throws `CaError` `bad_key`. */
  check(keyBits: Uint8Array): void;

  /**
   * Throws a `DOMException` where the platform makes none. `direct`: what the platform does without
   * WebCrypto.
   */
  generate(bits: number, random: RandomBytes, direct?: DirectKeys): Promise<KeyPair>;
  /** Reads the content of PKCS#8's OCTET STRING. Throws `CaError` `bad_key` or `malformed`. */
  read(key: Uint8Array): Promise<ReadKey>;
  /** Reports whether the parts of a parsed key are consistent, given a sound public part. */
  partsFit?(key: Uint8Array): boolean;
  readonly older?: OlderForm;
}
