import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem, type PemBlock } from "../base/pem.ts";
import { parsePublicKey, type PublicKey } from "../x509/public-key.ts";
import { encryptedKey, readMislabelledKeyBlock } from "./read.ts";

/**
 * Maximum length of a PEM string in characters. A key has at most 16 KiB, and there may be text
 * around it.
 */
const maxPem = 64 * 1024;

const unreadable = (): CaError =>
  new CaError("bad_key", "provided key PEM block contained no data or failed to parse");

/**
 * Parses a private key that proves possession, in the same way as `readPrivateKey`, and returns its
 * public key. The private key is neither stored nor quoted in errors. Weak keys are accepted,
 * because they are a reason to revoke. Throws `CaError` `bad_key`.
 */
export async function readPossessedKey(pem: string): Promise<PublicKey> {
  if (pem.length > maxPem)
    throw new CaError(
      "bad_key",
      `the private key is too long: its PEM must have at most ${maxPem} characters`,
    );
  const [block, ...more] = blocksOf(pem);
  if (!block || !/^(\w{1,9} )?PRIVATE KEY$/.test(block.label)) throw unreadable();
  if (more.length > 0) throw new CaError("bad_key", "only one private key can be sent");
  try {
    const { spki, pkcs8 } = await readMislabelledKeyBlock(block, "weak-too");
    pkcs8.fill(0);
    return parsePublicKey(spki);
  } catch (error) {
    if (error instanceof CaError && error.code === "malformed") throw unreadable();
    throw error;
  } finally {
    block.der.fill(0);
  }
}

function blocksOf(pem: string): readonly PemBlock[] {
  try {
    return decodePem(pem).filter(({ label }) => label !== "EC PARAMETERS");
  } catch {
    // traditional PEM encryption is marked in the headers
    throw /^Proc-Type:.*ENCRYPTED/m.test(pem) ? encryptedKey() : unreadable();
  }
}

/**
 * Throws `bad_key` unless a certificate has this public key. `spki` is the SubjectPublicKeyInfo of
 * the certificate.
 */
export function provePossession(own: PublicKey, spki: Uint8Array): void {
  const { type, algorithm, keyBits } = parsePublicKey(spki);
  if (own.type !== type)
    throw new CaError(
      "bad_key",
      "provided private key type does not match certificate's public key type",
    );
  if (own.algorithm !== algorithm || !equalBytes(own.keyBits, keyBits))
    throw new CaError("bad_key", "provided private key does not match certificate's public key");
}
