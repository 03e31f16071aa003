import { hmac } from "@noble/hashes/hmac.js";
import { concat, equalBytes } from "../base/bytes.ts";
import { checkDer, readDer, type Reader } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { tryRead } from "../base/try-read.ts";
import { deriveKey, macPurpose, utf16 } from "./password.ts";
import { decrypt, readDerivation, readDigest, readHmac, secretOf, type Secret } from "./pbes2.ts";
import { pkcs12Oid } from "./pkcs12.ts";

/** The contents of an archive, in their original order. */
export interface OpenedArchive {
  /** Private keys (PKCS#8). */
  readonly keys: readonly Uint8Array[];
  /** DER-encoded certificates. */
  readonly certificates: readonly Uint8Array[];
}

const where = "PKCS#12";
/**
 * Maximum size of an archive in bytes, maximum numbers of its parts and entries, and maximum length
 * of a password in characters.
 */
const [maxBytes, maxParts, maxEntries, maxPasswordLength] = [1024 * 1024, 16, 256, 1024];

/**
 * Opens a PKCS#12 archive (RFC 7292) in DER or BER, encrypted with PBES2, triple DES or RC2, whose
 * MAC is PBMAC1 (RFC 9579) or the traditional MAC with SHA-1 or SHA-2. Verifies the MAC before it
 * decrypts anything, and checks iteration counts (at most 600,000) before it runs key derivations.
 * Ignores CRLs. Rejects with `CaError` `malformed` in all other cases, such as a wrong password or
 * a missing MAC.
 */
export async function readPkcs12(der: Uint8Array, password: string): Promise<OpenedArchive> {
  if (password.length > maxPasswordLength)
    throw new CaError("malformed", `${where}: the password has more than 1024 characters`);
  const pfx = readDer(await strict(der), where, maxBytes).enter("PFX");
  if (pfx.number("the version") !== 3) throw pfx.refuse("the version is not 3");
  const safe = dataOf(pfx.enter("the authenticated safe"));
  if (pfx.tag === undefined) throw pfx.refuse("has no password-based MAC, which is required");
  const mac = pfx.enter("MacData");
  pfx.end();
  const secret = secretOf(password);
  await verifyMac(mac, safe, secret);
  return readSafe(safe, secret);
}

/** Converts BER, which NSS and older versions of Java write, to DER. Returns DER unchanged. */
async function strict(bytes: Uint8Array): Promise<Uint8Array> {
  try {
    checkDer(bytes, where, maxBytes);
    return bytes;
  } catch (error) {
    if (!(error instanceof CaError) || bytes.length > maxBytes) throw error;
    const { berToDer } = await import("./ber.ts");
    const der = tryRead(() => berToDer(bytes, where));
    if (!der) throw error;
    checkDer(der, where, maxBytes);
    return der;
  }
}

/** Returns the content of a ContentInfo, which must have the `data` type. */
function dataOf(info: Reader): Uint8Array {
  const type = info.oid("the type");
  if (type !== pkcs12Oid.data)
    throw info.refuse(`has the type ${type}, but only password-protected archives are accepted`);
  return contentOf(info).octets("the data");
}
function contentOf(info: Reader): Reader {
  const content = info.enter("the content", 0xa0);
  info.end();
  return content;
}

const wrong = (): CaError =>
  new CaError("malformed", `${where}: the password is wrong, or the archive was changed`);

async function verifyMac(mac: Reader, content: Uint8Array, secret: Secret): Promise<void> {
  const info = mac.enter("DigestInfo");
  const algorithm = info.enter("the algorithm");
  const expected = info.octets("the digest");
  info.end();
  const salt = mac.octets("the salt");
  const rounds = mac.tag === undefined ? 1 : mac.number("the iteration count");
  mac.end();
  const head = readDer(algorithm.peek("the oid"), where);
  if (head.oid("the oid") === pkcs12Oid.pbmac1) {
    algorithm.raw("the oid");
    return verifyPbmac1(algorithm, content, { expected, secret });
  }
  const hash = readDigest(algorithm);
  secret.spend(rounds, mac);
  const isRight = async (password: Uint8Array): Promise<boolean> => {
    const parameters = { purpose: macPurpose, length: hash.outputLen };
    const key = await deriveKey(password, { salt, rounds, hash }, parameters);
    return equalBytes(hmac(hash, key, content), expected);
  };
  const bmp = concat([utf16(secret.password), new Uint8Array(2)]);
  if (await isRight(bmp)) return;
  // some programs encode a missing password as an empty BMPString, others as no bytes
  if (secret.password !== "") throw wrong();
  secret.spend(rounds, mac);
  if (!(await isRight(new Uint8Array()))) throw wrong();
}
async function verifyPbmac1(
  algorithm: Reader,
  content: Uint8Array,
  { expected, secret }: { readonly expected: Uint8Array; readonly secret: Secret },
): Promise<void> {
  const parameters = algorithm.enter("the parameters");
  algorithm.end();
  const derivation = readDerivation(parameters.enter("the key derivation"), secret);
  const mac = readHmac(parameters.enter("the MAC"));
  parameters.end();
  const { length } = derivation;
  // the key length must be present and at least 20 bytes (RFC 9579 section 5)
  if (length === undefined || length < 20 || length > 128)
    throw parameters.refuse("the key does not have 20 to 128 bytes");
  if (!equalBytes(mac(await derivation.derive(length), content), expected)) throw wrong();
}

async function readSafe(safe: Uint8Array, secret: Secret): Promise<OpenedArchive> {
  const contents: BagContents = { keys: [], certificates: [], entries: 0 };
  const parts = readDer(await strict(safe), where, maxBytes).enter("AuthenticatedSafe");
  for (let n = 0; parts.tag !== undefined; n++) {
    if (n === maxParts) throw parts.refuse(`has more than ${maxParts} parts`);
    const info = parts.enter("a part");
    await readBags(await contentOfPart(info, secret), secret, contents);
  }
  if (contents.entries === 0) throw parts.refuse("has neither keys nor certificates");
  return contents;
}

/** Returns the SafeContents in a ContentInfo, decrypted if necessary. */
async function contentOfPart(info: Reader, secret: Secret): Promise<Uint8Array> {
  const type = info.oid("the type");
  if (type === pkcs12Oid.data) return contentOf(info).octets("the data");
  if (type !== pkcs12Oid.encryptedData)
    throw info.refuse(
      `has the unsupported content type ${type}: only data and encryptedData are supported`,
    );
  const wrapped = contentOf(info);
  const data = wrapped.enter("EncryptedData");
  wrapped.end();
  if (data.number("the version") !== 0) throw data.refuse("the version is not 0");
  const content = data.enter("EncryptedContentInfo");
  data.end();
  if (content.oid("the type") !== pkcs12Oid.data) throw content.refuse("the type is not data");
  const algorithm = content.enter("the algorithm");
  const encrypted = encryptedIn(content);
  content.end();
  return decrypt(algorithm, encrypted, secret);
}

/** Returns the encrypted content, which BER may split into several OCTET STRINGs. */
function encryptedIn(content: Reader): Uint8Array {
  const split = content.optional("encryptedContent", 0xa0);
  if (!split) return content.octets("encryptedContent", 0x80);
  const parts: Uint8Array[] = [];
  while (split.tag !== undefined) parts.push(split.octets("a part of it"));
  return concat(parts);
}

interface BagContents {
  readonly keys: Uint8Array[];
  readonly certificates: Uint8Array[];
  entries: number;
}
async function readBags(content: Uint8Array, secret: Secret, contents: BagContents): Promise<void> {
  const bags = readDer(await strict(content), where, maxBytes).enter("SafeContents");
  while (bags.tag !== undefined) {
    if (++contents.entries > maxEntries) throw bags.refuse(`has more than ${maxEntries} entries`);
    const bag = bags.enter("an entry");
    const type = bag.oid("the type");
    const value = bag.enter("the value", 0xa0);
    if (bag.tag !== undefined) bag.raw("the attributes", 0x31);
    bag.end();
    if (type === pkcs12Oid.certBag) contents.certificates.push(certificateOf(value));
    else if (type === pkcs12Oid.keyBag) contents.keys.push(plainKey(value));
    else if (type === pkcs12Oid.shroudedKeyBag) contents.keys.push(await keyOf(value, secret));
    else if (type !== pkcs12Oid.crlBag)
      throw bag.refuse(`has the type ${type}, but only keys and certificates are accepted`);
  }
}
function plainKey(value: Reader): Uint8Array {
  const key = value.raw("the key", 0x30);
  value.end();
  return key;
}
function certificateOf(value: Reader): Uint8Array {
  const bag = value.enter("CertBag");
  value.end();
  if (bag.oid("the type") !== pkcs12Oid.x509Certificate)
    throw bag.refuse("is not an X.509 certificate");
  return contentOf(bag).octets("the certificate");
}
async function keyOf(value: Reader, secret: Secret): Promise<Uint8Array> {
  const info = value.enter("EncryptedPrivateKeyInfo");
  value.end();
  const algorithm = info.enter("the algorithm");
  const encrypted = info.octets("the key");
  info.end();
  return decrypt(algorithm, encrypted, secret);
}
