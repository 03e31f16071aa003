import { importPrivateKey } from "../algorithms/web-crypto.ts";
import { pkcs8Of, spkiOf } from "../algorithms/form.ts";
import {
  algorithmOf,
  keyAlgorithms,
  type KeyType,
  type KnownAlgorithm,
} from "../algorithms/table.ts";
import { equalBytes } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { decodePem, type PemBlock } from "../base/pem.ts";
import { checkPublicKey, parsePublicKey, type PublicKey } from "../x509/public-key.ts";
import { openPkcs8, signsFor } from "./signer.ts";

export { traditionalKey, traditionalPem, type TraditionalKey } from "./signer.ts";

/** A parsed and validated private key. */
export interface PrivateKey {
  readonly type: KeyType;
  /** Size of the modulus or the curve in bits. */
  readonly bits: number;
  /** PKCS#8 (DER), re-encoded without attributes. For an EC key, it contains the public point. */
  readonly pkcs8: Uint8Array;
  /** SubjectPublicKeyInfo in DER. */
  readonly spki: Uint8Array;
}

/** Maximum size of a key in DER. An RSA key of 8192 bits takes 4.7 KiB without attributes. */
const maxDer = 16 * 1024;

/** The traditional formats of keys, by PEM label. */
const olderForms = new Map(
  keyAlgorithms.flatMap(({ older }) => (older ? [[older.label, older] as const] : [])),
);

/** Whether weak keys are accepted, which is the case only for a proof of possession. */
type Strength = "strong" | "weak-too";

/** Parsers by PEM label. */
const readers: ReadonlyMap<string, (der: Uint8Array, strength: Strength) => Promise<PrivateKey>> =
  new Map([
    ["PRIVATE KEY", fromPkcs8],
    ...[...olderForms.values()].map(
      ({ label, identifier }) =>
        [
          label,
          (der: Uint8Array, strength: Strength) =>
            fromContent(algorithmOf(identifier(der), "private key"), der, strength),
        ] as const,
    ),
  ]);

/**
 * Parses a PEM string with exactly one unencrypted private key (PKCS#8, PKCS#1 or SEC1). Skips `EC
 * PARAMETERS`. Checks that the key is strong and consistent. `readBlock` is the parser; by default,
 * it is chosen according to the PEM label. Throws `CaError`: `malformed` if the key is not valid
 * DER, and otherwise `bad_key`.
 */
export async function readPrivateKey(
  pemText: string,
  readBlock = readPrivateKeyBlock,
): Promise<PrivateKey> {
  const [block, ...more] = decodePem(pemText).filter(({ label }) => label !== "EC PARAMETERS");
  if (!block) throw new CaError("bad_key", "the PEM text contains no private key");
  if (more.length > 0)
    throw new CaError(
      "bad_key",
      "only a single key can be present within the pem_bundle for importing",
    );
  return await readBlock(block);
}

/** Returns the error for an encrypted key. */
export const encryptedKey = (): CaError =>
  new CaError("bad_key", "encrypted private keys are not accepted");

/**
 * Parses a private key in the same way as `readPrivateKey`, but from one block of a longer PEM
 * string. `weak-too` also accepts weak keys.
 */
export async function readPrivateKeyBlock(
  { label, der }: PemBlock,
  strength: Strength = "strong",
): Promise<PrivateKey> {
  if (label === "ENCRYPTED PRIVATE KEY") throw encryptedKey();
  const read = readers.get(label);
  if (!read)
    throw new CaError(
      "bad_key",
      `a PEM block of ${JSON.stringify(label.slice(0, 80))} is not a private key`,
    );
  if (der.length > maxDer)
    throw new CaError("bad_key", `the private key must be at most ${maxDer} bytes long`);
  return await read(der, strength);
}

/**
 * Parses a block according to its contents, ignoring the label. Encrypted keys are not recognized.
 */
export const readMislabelledKeyBlock = (
  block: PemBlock,
  strength?: Strength,
): Promise<PrivateKey> =>
  readPrivateKeyBlock({ ...block, label: labelOfForm(block.der) ?? block.label }, strength);

/**
 * Returns the PEM label for a private key in DER. The element after the version distinguishes the
 * formats.
 */
function labelOfForm(der: Uint8Array): string | undefined {
  try {
    const key = readDer(der, "private key").enter("the key");
    key.number("the version");
    if (key.tag === 0x30) return "PRIVATE KEY";
    return [...olderForms.values()].find(({ tag }) => tag === key.tag)?.label;
  } catch (error) {
    if (error instanceof CaError) return undefined;
    throw error;
  }
}

const mismatch = (): CaError =>
  new CaError("bad_key", "private key: it contains a public key that does not match");

async function fromPkcs8(der: Uint8Array, strength: Strength): Promise<PrivateKey> {
  const { version, algorithm, key, rest } = openPkcs8(der);
  if (version > 1)
    throw new CaError("bad_key", `private key: unsupported PKCS#8 version ${version}`);
  rest.optional("the attributes", 0xa0);
  const publicKey =
    version === 1 && rest.tag === 0x81 ? rest.bitString("the public key", 0x81).bytes : undefined;
  rest.end();
  const read = await fromContent(algorithm, key, strength);
  if (publicKey && !equalBytes(publicKey, parsePublicKey(read.spki).keyBits)) throw mismatch();
  return read;
}

function refuseLarge({ algorithm: { name, maxSize = Infinity }, bits }: PublicKey): void {
  if (bits > maxSize)
    throw new CaError("bad_key", `${name} keys > ${maxSize} bits are not supported: got ${bits}`);
}

/** Parses the content of the OCTET STRING in PKCS#8. It is also the traditional format of a key. */
async function fromContent(
  algorithm: KnownAlgorithm,
  content: Uint8Array,
  strength: Strength,
): Promise<PrivateKey> {
  const { key, keyBits } = await algorithm.read(content);
  const publicKey = parsePublicKey(spkiOf(algorithm, keyBits));
  // this check must precede any arithmetic with the key, because it bounds the size of the key's
  // numbers
  if (strength === "strong") checkPublicKey(publicKey);
  else refuseLarge(publicKey);
  if (algorithm.partsFit?.(key) === false) throw mismatch();
  const pkcs8 = pkcs8Of(algorithm, key);
  const { signing } = algorithm;
  // a public key that this library computed needs no test signature, because the same code signs
  if (signing.platform) {
    const parameters = signing.importedFor(algorithm.scheme(0, false));
    if (!(await signsFor(publicKey, await importPrivateKey(pkcs8, parameters, false))))
      throw mismatch();
  }
  return { type: publicKey.type, bits: publicKey.bits, pkcs8, spki: publicKey.spki };
}
