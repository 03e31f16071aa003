import { asBytes, fromBase64 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { serialText } from "../../base/ids.ts";
import { truncateForMessage } from "../../base/names.ts";
import { decodePem, type PemBlock } from "../../base/pem.ts";
import { readMislabelledKeyBlock, type PrivateKey } from "../../keys/read.ts";
import { isCa, parseCertificate, type Certificate } from "../../x509/certificate.ts";
import { nameText, parseName } from "../../x509/name.ts";
import { parsePublicKey } from "../../x509/public-key.ts";

/** The certificates and keys of an import. */
export interface Bundle {
  readonly certificates: readonly Certificate[];
  readonly keys: readonly PrivateKey[];
}
const passedOver: ReadonlySet<string> = new Set(["CRL", "X509 CRL", "EC PARAMS", "EC PARAMETERS"]);
const certificateLabels: ReadonlySet<string> = new Set(["CERTIFICATE", "X509 CERTIFICATE"]);
/**
 * PEM labels of PKCS#7 and CMS messages, which may contain certificates (RFC 7468 sections 8 and
 * 9).
 */
const messageLabels: ReadonlySet<string> = new Set(["PKCS7", "CMS"]);

/**
 * Parses the CA certificates and keys in a PEM string. Any block other than a certificate, a CMS
 * message, a CRL or EC parameters counts as a key (A 3.6). Throws `malformed` for invalid PEM, or
 * for a key that is not allowed, `bad_certificate` for an invalid or non-CA certificate, and
 * `bad_key` for an invalid key.
 */
export async function readBundle(pem: string, keysAllowed: boolean): Promise<Bundle> {
  const read = blocksOf(pem);
  if (read.length === 0)
    throw new CaError("malformed", "error when parsing block 0: invalid PEM data");
  const all = (await Promise.all(read.map(unpacked))).flat();
  const blocks = all.filter((block) => !passedOver.has(block.label));
  const keyBlocks = blocks.filter((block) => !certificateLabels.has(block.label));
  if (keyBlocks.length > 0 && !keysAllowed)
    throw new CaError(
      "malformed",
      "private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle",
    );
  return bundleOf(
    keyBlocks,
    blocks.filter((block) => certificateLabels.has(block.label)),
  );
}
/** Returns the certificates in a CMS message, each as a block, or any other block unchanged. */
async function unpacked(block: PemBlock): Promise<readonly PemBlock[]> {
  if (!messageLabels.has(block.label)) return [block];
  const { readCertsOnly } = await import("../../archive/pkcs7.ts");
  return readCertsOnly(block.der).map(({ der }) => ({ label: "CERTIFICATE", der: asBytes(der) }));
}

/**
 * Parses the CA certificates and keys in a PKCS#12 archive, given as base64 that may contain white
 * space.
 */
export async function readArchive(base64: string, password: string): Promise<Bundle> {
  const archive = fromBase64(base64.replace(/[ \t\r\n]+/g, ""));
  if (!archive) throw new CaError("malformed", "the PKCS#12 archive is not valid base64");
  const { readPkcs12 } = await import("../../archive/pkcs12-read.ts");
  const { keys, certificates } = await readPkcs12(archive, password);
  return bundleOf(
    keys.map((der) => ({ label: "PRIVATE KEY", der: asBytes(der) })),
    certificates.map((der) => ({ label: "CERTIFICATE", der: asBytes(der) })),
  );
}

async function bundleOf(
  keys: readonly PemBlock[],
  certificates: readonly PemBlock[],
): Promise<Bundle> {
  const read: PrivateKey[] = [];
  for (const [i, block] of keys.entries()) read.push(await readKeyBlock(block, i));
  return { keys: read, certificates: certificates.map(readIssuer) };
}
async function readKeyBlock(block: PemBlock, i: number): Promise<PrivateKey> {
  try {
    return await readMislabelledKeyBlock(block);
  } catch (error) {
    if (error instanceof CaError)
      throw new CaError("bad_key", `Error parsing key ${i}: ${error.message}`);
    throw error;
  }
}
/**
 * Returns the blocks of a bundle. Ignores text before and between the blocks. Throws `malformed`
 * for an invalid block, and for text after the last block (A 3.6 rule 3).
 */
function blocksOf(pem: string): readonly PemBlock[] {
  const undecodable = (block: number, why: string) =>
    new CaError("malformed", `error when parsing block ${block}: invalid PEM data${why}`);
  let blocks: readonly PemBlock[];
  try {
    blocks = decodePem(pem);
  } catch (error) {
    const [, number = "1", why = ""] =
      /^PEM block (\d+): (.*)$/s.exec(error instanceof Error ? error.message : "") ?? [];
    throw undecodable(Number(number) - 1, `: ${why}`);
  }
  const last = pem.lastIndexOf("-----END ");
  const behind = last < 0 ? pem : pem.slice(pem.indexOf("-----", last + 9) + 5);
  if (behind.trim() !== "") throw undecodable(blocks.length, "");
  return blocks;
}
function readIssuer({ der }: PemBlock, i: number): Certificate {
  let certificate: Certificate;
  let ca: boolean;
  try {
    certificate = parseCertificate(der);
    parsePublicKey(certificate.spki);
    // the subject becomes the issuer name in all certificates that the CA issues
    for (const name of [certificate.subject, certificate.issuer]) parseName(name);
    ca = isCa(certificate);
  } catch (error) {
    throw new CaError(
      "bad_certificate",
      `Error parsing issuer ${i}: ${error instanceof Error ? error.message : ""}`,
    );
  }
  if (!ca) {
    const subject = `"${truncateForMessage(nameText(certificate.subject))}"`;
    throw new CaError(
      "bad_certificate",
      `Error parsing issuer ${i}: Refusing to import non-CA certificate: subject ${subject}, serial number ${serialText(certificate.serial)}`,
    );
  }
  return certificate;
}
