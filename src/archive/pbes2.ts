import { hmac } from "@noble/hashes/hmac.js";
import { sha1 } from "@noble/hashes/legacy.js";
import { sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { asBytes, toHex, type Bytes } from "../base/bytes.ts";
import { readDer, type Reader } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { pbkdf2, type Hash } from "./password.ts";
import { pkcs12Oid } from "./pkcs12.ts";

/** Maximum iteration count of a key derivation. NSS uses this count, and OpenSSL uses 2,048. */
const maxRounds = 600_000;
/**
 * Maximum total iteration count of all key derivations in an archive. NSS uses three derivations.
 */
const maxTotalRounds = 2_000_000;

/**
 * Returns advice with a command that re-encodes an archive. The command uses a temporary file,
 * because openssl reads its input twice.
 */
const conversionHint = (reading = "", writing = ""): string =>
  `re-encode it with openssl pkcs12 ${reading}-in old.p12 -nodes -out old.pem && openssl pkcs12 -export ${writing}-in old.pem -out new.p12 && rm old.pem`;

const hashes = { "SHA-1": sha1, "SHA-256": sha256, "SHA-384": sha384, "SHA-512": sha512 } as const;
type HashName = keyof typeof hashes;
/** Hash functions by object identifier. */
const digests: Readonly<Record<string, HashName>> = {
  "1.3.14.3.2.26": "SHA-1",
  [pkcs12Oid.sha256]: "SHA-256",
  "2.16.840.1.101.3.4.2.2": "SHA-384",
  "2.16.840.1.101.3.4.2.3": "SHA-512",
};
const hmacs: Readonly<Record<string, HashName>> = {
  "1.2.840.113549.2.7": "SHA-1",
  [pkcs12Oid.hmacSha256]: "SHA-256",
  "1.2.840.113549.2.10": "SHA-384",
  "1.2.840.113549.2.11": "SHA-512",
};
const tripleDes = "1.2.840.113549.3.7";
/** Key lengths of ciphers in bytes, by object identifier. */
const ciphers: Readonly<Record<string, number>> = {
  [pkcs12Oid.aes128]: 16,
  [pkcs12Oid.aes256]: 32,
  [tripleDes]: 24,
};

function named<T>(table: Readonly<Record<string, T>>, reader: Reader, what: string): T {
  const oid = reader.oid(what);
  if (Object.hasOwn(table, oid)) {
    const entry = table[oid];
    if (entry !== undefined) return entry;
  }
  throw reader.refuse(`${what} ${oid} is not supported`);
}
/** Requires that an algorithm's parameters are NULL or absent. */
function noParameters(algorithm: Reader): void {
  if (algorithm.tag !== undefined) algorithm.null("the parameters");
  algorithm.end();
}

/** Reads the hash algorithm of a traditional PKCS#12 MAC. */
export function readDigest(algorithm: Reader): Hash {
  const name = named(digests, algorithm, "the hash");
  noParameters(algorithm);
  return hashes[name];
}
/** Reads the HMAC algorithm of PBMAC1. */
export function readHmac(algorithm: Reader): (key: Uint8Array, data: Uint8Array) => Uint8Array {
  const name = named(hmacs, algorithm, "the MAC");
  noParameters(algorithm);
  return (key, data) => hmac(hashes[name], key, data);
}

/**
 * A password, the keys that were derived from it, and a budget for the iterations of key
 * derivations.
 */
export interface Secret {
  readonly password: string;
  /**
   * Deducts the iterations of a derivation from the budget before it runs. Throws `CaError`
   * `malformed` if they exceed a limit.
   */
  spend(rounds: number, reader: Reader): void;
  readonly derived: Map<string, Promise<Bytes>>;
}
/** Returns a `Secret` for the password of one archive. */
export function secretOf(password: string): Secret {
  let left = maxTotalRounds;
  return {
    password,
    derived: new Map(),
    spend: (rounds, reader) => {
      if (rounds < 1 || rounds > maxRounds)
        throw reader.refuse(
          `has the iteration count ${rounds}, but only 1 to ${maxRounds} are accepted; ${conversionHint("", "-iter 100000 ")}`,
        );
      left -= rounds;
      if (left < 0)
        throw reader.refuse(`has a total iteration count of more than ${maxTotalRounds}`);
    },
  };
}

/** The parsed parameters of a key derivation that has not run yet. */
interface Derivation {
  readonly rounds: number;
  readonly length: number | undefined;
  derive(length: number): Promise<Bytes>;
}
/** Reads the AlgorithmIdentifier of PBKDF2 (RFC 8018 appendix A.2). */
export function readDerivation(algorithm: Reader, secret: Secret): Derivation {
  if (algorithm.oid("the key derivation") !== pkcs12Oid.pbkdf2)
    throw algorithm.refuse("the key derivation is not PBKDF2");
  const parameters = algorithm.enter("the parameters");
  algorithm.end();
  const salt = parameters.octets("the salt");
  const rounds = parameters.number("the iteration count");
  const length = parameters.tag === 0x02 ? parameters.number("the length of the key") : undefined;
  const prf = parameters.optional("the hash", 0x30);
  const hash = prf ? named(hmacs, prf, "the hash") : "SHA-1";
  if (prf) noParameters(prf);
  parameters.end();
  return {
    rounds,
    length,
    derive: (length) => {
      const cacheKey = `${toHex(salt)} ${rounds} ${hash} ${length}`;
      const cached = secret.derived.get(cacheKey);
      if (cached) return cached;
      secret.spend(rounds, parameters);
      const key = pbkdf2(secret.password, { salt, rounds, hash }, length).catch(
        (error: unknown) => {
          // Cloudflare Workers support at most 100,000 iterations
          if (error instanceof DOMException)
            throw parameters.refuse(
              `has the iteration count ${rounds}, which this platform does not support; ${conversionHint()}`,
            );
          throw error;
        },
      );
      secret.derived.set(cacheKey, key);
      return key;
    },
  };
}

/**
 * Decrypts data according to its AlgorithmIdentifier: PBES2 (RFC 8018 section 6.2), or triple DES
 * or RC2 as in older archives. Rejects with `CaError` `malformed` if the algorithm is not supported
 * or the password is wrong.
 */
export async function decrypt(
  algorithm: Reader,
  encrypted: Uint8Array,
  secret: Secret,
): Promise<Bytes> {
  const oid = algorithm.oid("the encryption");
  if (oid !== pkcs12Oid.pbes2) return decryptOlder(oid, algorithm, { encrypted, secret });
  const parameters = algorithm.enter("the parameters");
  algorithm.end();
  const derivation = readDerivation(parameters.enter("the key derivation"), secret);
  const { oid: cipher, length, iv } = readCipher(parameters.enter("the cipher"));
  parameters.end();
  if (derivation.length !== undefined && derivation.length !== length)
    throw parameters.refuse("the key length does not match the cipher");
  if (encrypted.length === 0 || encrypted.length % iv.length !== 0)
    throw parameters.refuse("the encrypted data does not consist of whole blocks");
  const derived = await derivation.derive(length);
  if (cipher === tripleDes) {
    const { decryptTripleDes } = await import("./legacy-decrypt.ts");
    return decryptTripleDes(derived, iv, encrypted);
  }
  const key = await crypto.subtle.importKey("raw", derived, "AES-CBC", false, ["decrypt"]);
  const aes = { name: "AES-CBC", iv: asBytes(iv) };
  try {
    return new Uint8Array(await crypto.subtle.decrypt(aes, key, asBytes(encrypted)));
  } catch (error) {
    if (error instanceof DOMException)
      throw new CaError(
        "malformed",
        "PKCS#12: a part of the archive cannot be decrypted with the password",
      );
    throw error;
  }
}

function readCipher(cipher: Reader): {
  readonly oid: string;
  readonly length: number;
  readonly iv: Uint8Array;
} {
  const oid = readDer(cipher.peek("the cipher"), cipher.where).oid("the cipher");
  const length = named(ciphers, cipher, "the cipher");
  const iv = cipher.octets("the IV");
  cipher.end();
  const block = oid === tripleDes ? 8 : 16;
  if (iv.length !== block) throw cipher.refuse(`the IV does not have ${block} bytes`);
  return { oid, length, iv };
}

async function decryptOlder(
  oid: string,
  algorithm: Reader,
  { encrypted, secret }: { readonly encrypted: Uint8Array; readonly secret: Secret },
): Promise<Bytes> {
  const { decryptLegacy, legacyDerivations } = await import("./legacy-decrypt.ts");
  if (legacyDerivations(oid) === 0)
    throw algorithm.refuse(
      `is encrypted with ${oid}, which is not supported: ${conversionHint("-legacy ")}`,
    );
  const parameters = algorithm.enter("the parameters");
  algorithm.end();
  const salt = parameters.octets("the salt");
  const rounds = parameters.number("the iteration count");
  parameters.end();
  for (let count = 0; count < legacyDerivations(oid); count++) secret.spend(rounds, parameters);
  return decryptLegacy(oid, encrypted, { password: secret.password, salt, rounds });
}
