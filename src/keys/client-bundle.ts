import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem, type PemBlock } from "../base/pem.ts";
import { parseCertificate } from "../x509/certificate.ts";
import { readMislabelledKeyBlock, type PrivateKey } from "./read.ts";

/** A client's certificates, leaf first, and its private key, if any. */
interface ClientBundle {
  /** The DER certificates. */
  readonly chain: readonly Uint8Array[];
  readonly key?: PrivateKey;
}

const maxCertificates = 10;
const isCertificate = ({ label }: PemBlock): boolean => label === "CERTIFICATE";

/**
 * Parses PEM with a client's certificates and private key in any order. Throws CaError `malformed`
 * or `bad_key` with a message that contains the setting `name` and does not quote the key.
 */
export async function readClientBundle(name: string, pem: string): Promise<ClientBundle> {
  const refuse = (why: string) => new CaError("malformed", `${name} ${why}`);
  const blocks = decodePem(pem).filter(({ label }) => label !== "EC PARAMETERS");
  const certificates = blocks.filter(isCertificate);
  const [block, ...more] = blocks.filter((each) => !isCertificate(each));
  if (certificates.length === 0) throw refuse("has no certificate");
  if (certificates.length > maxCertificates)
    throw refuse(`has more than ${maxCertificates} certificates`);
  if (more.length > 0) throw refuse("has more than one private key");
  const parsed = certificates.map(({ der }) => parseCertificate(der));
  if (!block) return { chain: parsed.map(({ der }) => der) };
  const key = await readMislabelledKeyBlock(block);
  block.der.fill(0);
  const own = parsed.find(({ spki }) => equalBytes(spki, key.spki));
  if (!own) throw refuse("has no certificate that matches its private key");
  return { chain: [own, ...parsed.filter((one) => one !== own)].map(({ der }) => der), key };
}
