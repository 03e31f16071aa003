/** A supported version of TLS. */
export type TlsVersion = "1.3" | "1.2";
/** The hash algorithm of a cipher suite. */
export type SuiteHash = "SHA-256" | "SHA-384";

/**
 * A cipher suite. All use AES-GCM, because not every WebCrypto implementation has
 * ChaCha20-Poly1305.
 */
export interface Suite {
  readonly id: number;
  readonly name: string;
  readonly version: TlsVersion;
  readonly hash: SuiteHash;
  /** Length of the key in bytes. */
  readonly keyLength: 16 | 32;
  /** The required type of the server's key in TLS 1.2. */
  readonly signer?: "rsa" | "ec";
}

/** The suites, in the order in which they are offered. */
export const suites: readonly Suite[] = [
  { id: 0x1301, name: "TLS_AES_128_GCM_SHA256", version: "1.3", hash: "SHA-256", keyLength: 16 },
  { id: 0x1302, name: "TLS_AES_256_GCM_SHA384", version: "1.3", hash: "SHA-384", keyLength: 32 },
  ecdhe(0xc02b, "ec", 128),
  ecdhe(0xc02f, "rsa", 128),
  ecdhe(0xc02c, "ec", 256),
  ecdhe(0xc030, "rsa", 256),
];

function ecdhe(id: number, signer: "rsa" | "ec", bits: 128 | 256): Suite {
  const hash = bits === 128 ? "SHA-256" : "SHA-384";
  const name = `TLS_ECDHE_${signer === "ec" ? "ECDSA" : "RSA"}_WITH_AES_${bits}_GCM_${hash.replace("-", "")}`;
  return { id, name, version: "1.2", hash, keyLength: bits === 128 ? 16 : 32, signer };
}

/** Returns the length of a hash in bytes. */
export const hashLength = (hash: SuiteHash): number => Number(hash.slice(4)) / 8;

/** A group for key exchange. */
export interface Group {
  readonly id: number;
  readonly algorithm: { readonly name: string; readonly namedCurve?: string };
  /** Length of a public key in bytes. */
  readonly length: number;
  /** Length of the shared secret in bits, rounded up to whole bytes. */
  readonly bits: number;
  /** Whether the first ClientHello includes a key share for the group. */
  readonly atOnce: boolean;
}
const nist = (id: number, bits: number, atOnce: boolean): Group => {
  const size = Math.ceil(bits / 8);
  const algorithm = { name: "ECDH", namedCurve: `P-${bits}` };
  return { id, algorithm, length: 1 + 2 * size, bits: 8 * size, atOnce };
};

/** The groups, in the order in which they are offered. */
export const groups: readonly Group[] = [
  { id: 0x001d, algorithm: { name: "X25519" }, length: 32, bits: 256, atOnce: true },
  nist(0x0017, 256, true),
  nist(0x0018, 384, false),
  // offered because TLS 1.2 servers send no certificate with a curve that is not in this list
  nist(0x0019, 521, false),
];
