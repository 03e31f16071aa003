import { asBytes, toHex } from "../../../src/base/bytes.ts";
import { bitString, nullValue, oid, readDer, sequence } from "../../../src/base/der.ts";
import type { PemBlock } from "../../../src/base/pem.ts";
import { readPrivateKeyBlock } from "../../../src/keys/read.ts";
import { lazyLoad } from "../lazy-load.ts";
import { asError } from "../store.ts";
import { keyName } from "../x509/key-name.ts";

/** A private or public key for display. */
export interface KeyView {
  /**
   * The private key as given, or decrypted. It is never shown, and is sent only if the user asks
   * for it.
   */
  readonly secret?: PemBlock;
  /** Format of the key: `PKCS#8`, `PKCS#1` or `SEC1`. */
  readonly form: string;
  /** Name of the algorithm, such as `ECDSA P-256`; empty if unknown. */
  readonly name: string;
  /** SHA-256 of the public key; empty if the public key is unknown. */
  readonly keyPrint: string;
  /** The reason why the key could not be parsed; empty if it was parsed. */
  readonly why: string;
}

const forms: Readonly<Record<string, string>> = {
  "PRIVATE KEY": "PKCS#8",
  "RSA PRIVATE KEY": "PKCS#1",
  "EC PRIVATE KEY": "SEC1",
  "ENCRYPTED PRIVATE KEY": "PKCS#8, encrypted",
};

const printOf = async (spki: Uint8Array): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", asBytes(spki))));

/** Returns the name of the algorithm in the PKCS#8 encoding of an unsupported key. */
async function unusableName({ label, der }: PemBlock): Promise<string> {
  if (label !== "PRIVATE KEY") return "";
  const body = readDer(der, "private key").enter("PrivateKeyInfo");
  body.number("the version");
  const algorithm = body.raw("the algorithm", 0x30);
  const name = await keyName(sequence(algorithm, bitString(new Uint8Array(1))));
  return name.includes(":") ? "" : name;
}

/** Parses a private key, even if it is weak. */
export async function readPrivateKey(block: PemBlock): Promise<KeyView> {
  const form = forms[block.label] ?? block.label;
  try {
    const { spki } = await readPrivateKeyBlock(block, "weak-too");
    const keyPrint = await printOf(spki);
    return { form, name: await keyName(spki), keyPrint, why: "", secret: block };
  } catch (error) {
    const name = await Promise.resolve(block)
      .then(unusableName)
      .catch(() => "");
    return { form, name, keyPrint: "", why: asError(error).message };
  }
}

const containers = lazyLoad(() => import("./containers.ts"));

/**
 * Decrypts and parses a private key with the first password that works. Returns undefined if none
 * does.
 */
export async function unlockKey(
  der: Uint8Array,
  passwords: readonly string[],
): Promise<KeyView | undefined> {
  const { decryptPkcs8 } = await containers();
  for (const password of passwords) {
    const opened = await decryptPkcs8(der, password).catch(() => undefined);
    if (!opened) continue;
    const view = await readPrivateKey({ label: "PRIVATE KEY", der: asBytes(opened) });
    if (view.name !== "") return { ...view, form: "PKCS#8, encrypted" };
  }
  return undefined;
}

/**
 * Parses a public key: SubjectPublicKeyInfo or, depending on the label, RSAPublicKey. Throws
 * `CaError`.
 */
export async function readPublicKey({ label, der }: PemBlock): Promise<KeyView> {
  const isBare = label === "RSA PUBLIC KEY";
  const spki = isBare
    ? sequence(sequence(oid("1.2.840.113549.1.1.1"), nullValue), bitString(der))
    : der;
  const body = readDer(spki, "public key").enter("SubjectPublicKeyInfo");
  body.enter("the algorithm").oid("the type");
  body.bitString("the key");
  body.end();
  return {
    form: isBare ? "PKCS#1" : "SubjectPublicKeyInfo",
    name: await keyName(spki),
    keyPrint: await printOf(spki),
    why: "",
  };
}

/** Describes an EC PARAMETERS block, which openssl writes before a key. */
export async function parametersName(der: Uint8Array): Promise<string> {
  const algorithm = sequence(oid("1.2.840.10045.2.1"), der);
  return `EC parameters: ${await keyName(sequence(algorithm, bitString(new Uint8Array(1))))}`;
}
