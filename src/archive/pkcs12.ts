import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { asBytes, concat, type Bytes } from "../base/bytes.ts";
import {
  absentPart,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  sequence,
  set,
  tlv,
} from "../base/der.ts";
import type { RandomBytes } from "../base/random-text.ts";
import { sha1 } from "../base/hashes.ts";
import { deriveKey, macPurpose, pbkdf2, utf16, type HashRounds } from "./password.ts";

/** Object identifiers in PKCS#12 and PKCS#5 (RFC 7292, 8018, 9579). */
export const pkcs12Oid = {
  data: "1.2.840.113549.1.7.1",
  encryptedData: "1.2.840.113549.1.7.6",
  keyBag: "1.2.840.113549.1.12.10.1.1",
  shroudedKeyBag: "1.2.840.113549.1.12.10.1.2",
  certBag: "1.2.840.113549.1.12.10.1.3",
  crlBag: "1.2.840.113549.1.12.10.1.4",
  safeContents: "1.2.840.113549.1.12.10.1.6",
  x509Certificate: "1.2.840.113549.1.9.22.1",
  friendlyName: "1.2.840.113549.1.9.20",
  localKeyId: "1.2.840.113549.1.9.21",
  /** Marks a certificate as trusted by Java. */
  trustedKeyUsage: "2.16.840.1.113894.746875.1.1",
  anyExtendedKeyUsage: "2.5.29.37.0",
  pbkdf2: "1.2.840.113549.1.5.12",
  pbes2: "1.2.840.113549.1.5.13",
  pbmac1: "1.2.840.113549.1.5.14",
  aes256: "2.16.840.1.101.3.4.1.42",
  aes128: "2.16.840.1.101.3.4.1.2",
  hmacSha256: "1.2.840.113549.2.9",
  sha256: "2.16.840.1.101.3.4.2.1",
} as const;

/**
 * The MAC of an archive: PBMAC1 (`modern2026`) or the traditional MAC (`modern2023`). In both
 * cases, the encryption is AES-256-CBC with a PBKDF2 key.
 */
export type Encoder = "modern2026" | "modern2023";

/** The contents of an archive to write. */
export interface ArchiveContents {
  /** Private key of the first certificate (PKCS#8). */
  readonly key?: Uint8Array;
  /**
   * Certificates (DER): the chain of the key, which begins with the key's own certificate, or
   * trusted certificates if there is no key.
   */
  readonly certificates: readonly Uint8Array[];
}
/** Password and other parameters of a PKCS#12 archive. */
interface Protection {
  readonly encoder: Encoder;
  readonly password: string;
  readonly random: RandomBytes;
  /**
   * Friendly name of the key and its certificate. Without a key, certificates are named `1`, `2`,
   * ….
   */
  readonly name?: string;
  /** Iteration count of the key derivation. The default is the maximum. */
  readonly rounds?: number;
}

/** Maximum PBKDF2 iteration count that Cloudflare Workers support (security row 93). */
const maxRounds = 100_000;
/**
 * Maximum iteration count of the traditional MAC. Keytool uses this count. WebCrypto cannot compute
 * this MAC, so it is computed on the thread that serves requests.
 */
const classicRounds = 10_000;
/** Length of the salt in bytes. If it is more than 16, Windows reports a wrong password. */
const saltLength = 16;

/**
 * Encodes a PKCS#12 archive (RFC 7292). With a key, it contains the key, its certificate, which
 * localKeyId binds to the key, and the rest of the chain. Without a key, it is a trust store, in
 * which each certificate is marked as trusted.
 */
export async function writePkcs12(
  contents: ArchiveContents,
  protection: Protection,
): Promise<Bytes> {
  const encrypt = await encryptor(protection);
  const certificates = sequence(...certificateBags(contents, protection));
  const safes = [
    sequence(
      oid(pkcs12Oid.encryptedData),
      explicit(0, sequence(integer(0), await encryptedContent(certificates, encrypt))),
    ),
    ...(contents.key ? [dataInfo(sequence(await keyBag(contents.key, contents, encrypt)))] : []),
  ];
  const authenticated = sequence(...safes);
  return sequence(integer(3), dataInfo(authenticated), await macOf(authenticated, protection));

  async function keyBag(key: Uint8Array, { certificates }: ArchiveContents, encrypt: Encrypt) {
    const { algorithm, encrypted } = await encrypt(key);
    return bag(pkcs12Oid.shroudedKeyBag, sequence(algorithm, octets(encrypted)), [
      friendlyName(protection.name ?? "1"),
      localKeyId(certificates),
    ]);
  }
}

const dataInfo = (content: Uint8Array): Bytes =>
  sequence(oid(pkcs12Oid.data), explicit(0, octets(content)));
const bag = (type: string, value: Uint8Array, attributes: readonly Uint8Array[]): Bytes =>
  sequence(oid(type), explicit(0, value), attributes.length > 0 ? set(...attributes) : absentPart);
const attribute = (type: string, value: Uint8Array): Bytes => sequence(oid(type), set(value));
const friendlyName = (name: string): Bytes =>
  attribute(pkcs12Oid.friendlyName, tlv(0x1e, utf16(name)));
/**
 * Returns the localKeyId attribute, which binds a key to its certificate. Its value is the SHA-1
 * hash of the certificate, as in OpenSSL.
 */
const localKeyId = ([certificate = absentPart]: readonly Uint8Array[]): Bytes =>
  attribute(pkcs12Oid.localKeyId, octets(sha1(certificate)));
const trusted = attribute(pkcs12Oid.trustedKeyUsage, oid(pkcs12Oid.anyExtendedKeyUsage));

function certificateBags({ key, certificates }: ArchiveContents, { name = "1" }: Protection) {
  return certificates.map((der, i) => {
    const value = sequence(oid(pkcs12Oid.x509Certificate), explicit(0, octets(der)));
    if (key)
      return bag(
        pkcs12Oid.certBag,
        value,
        i === 0 ? [friendlyName(name), localKeyId(certificates)] : [],
      );
    return bag(pkcs12Oid.certBag, value, [friendlyName(String(i + 1)), trusted]);
  });
}

/** A function that encrypts data, and returns it with its AlgorithmIdentifier. */
type Encrypt = (
  plain: Uint8Array,
) => Promise<{ readonly algorithm: Bytes; readonly encrypted: Bytes }>;

/**
 * Returns a function that encrypts with PBES2. All parts share one key, because deriving a key is
 * slow, but each has its own IV.
 */
async function encryptor({ password, random, rounds = maxRounds }: Protection): Promise<Encrypt> {
  const salt = random(saltLength);
  const derived = await pbkdf2(password, { salt, rounds, hash: "SHA-256" }, 32);
  const key = await crypto.subtle.importKey("raw", derived, "AES-CBC", false, ["encrypt"]);
  const derivation = derivationOf({ salt, rounds });
  return async (plain) => {
    const iv = asBytes(random(16));
    const encrypted = await crypto.subtle.encrypt({ name: "AES-CBC", iv }, key, asBytes(plain));
    const scheme = sequence(oid(pkcs12Oid.aes256), octets(iv));
    return {
      algorithm: sequence(oid(pkcs12Oid.pbes2), sequence(derivation, scheme)),
      encrypted: new Uint8Array(encrypted),
    };
  };
}
const hmacSha256 = sequence(oid(pkcs12Oid.hmacSha256), nullValue);
/**
 * Encodes the AlgorithmIdentifier of PBKDF2, which must contain the key length for PBMAC1 (RFC 9579
 * section 5).
 */
const derivationOf = ({ salt, rounds }: HashRounds, length?: number): Bytes =>
  sequence(
    oid(pkcs12Oid.pbkdf2),
    sequence(
      octets(salt),
      integer(rounds),
      length === undefined ? absentPart : integer(length),
      hmacSha256,
    ),
  );

async function encryptedContent(plain: Uint8Array, encrypt: Encrypt): Promise<Bytes> {
  const { algorithm, encrypted } = await encrypt(plain);
  return sequence(oid(pkcs12Oid.data), algorithm, octets(encrypted, 0x80));
}

/** Encodes MacData with PBMAC1 (RFC 9579) or the traditional PKCS#12 MAC. */
async function macOf(
  content: Uint8Array,
  { encoder, password, random, rounds = maxRounds }: Protection,
): Promise<Bytes> {
  const salt = random(saltLength);
  if (encoder === "modern2023") {
    const count = Math.min(rounds, classicRounds);
    const bmp = concat([utf16(password), new Uint8Array(2)]);
    const kdf = { salt, rounds: count, hash: sha256 };
    const key = await deriveKey(bmp, kdf, { purpose: macPurpose, length: sha256.outputLen });
    const info = sequence(
      sequence(oid(pkcs12Oid.sha256), nullValue),
      octets(hmac(sha256, key, content)),
    );
    return sequence(info, octets(salt), integer(count));
  }
  const kdf = { salt, rounds };
  const key = await pbkdf2(password, { ...kdf, hash: "SHA-256" }, 32);
  const parameters = sequence(derivationOf(kdf, 32), hmacSha256);
  const info = sequence(
    sequence(oid(pkcs12Oid.pbmac1), parameters),
    octets(hmac(sha256, key, content)),
  );
  // PBMAC1 does not use the salt and the iteration count of MacData (RFC 9579 section 5); the count
  // has the DEFAULT value
  return sequence(info, octets(notUsed));
}
const notUsed = new TextEncoder().encode("NOT USED");
