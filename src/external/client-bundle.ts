import { equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import { policyClientBinding } from "../engine/external-key.ts";
import type { PolicyClient } from "../engine/external-records.ts";
import type { Mount } from "../engine/mount.ts";
import { readPrivateKeyBlock } from "../keys/read.ts";
import { parseCertificate } from "../x509/certificate.ts";

/**
 * What was sent as a client's bundle: undefined where nothing was, null where it is empty, a chain
 * alone where there is no key in it.
 */
export type GivenClient =
  | PolicyClient
  | { readonly chain: readonly Uint8Array[] }
  | null
  | undefined;

/** Certificates of the bundle. */
const mostCertificates = 10;

/**
 * Reads a client's certificate and key, in any order, and seals the key. Throws CaError `bad_key`
 * or `malformed`.
 */
export async function clientOf(ca: Mount, pem: string | undefined): Promise<GivenClient> {
  if (pem === undefined) return undefined;
  if (pem.trim() === "") return null;
  const blocks = decodePem(pem).filter(({ label }) => label !== "EC PARAMETERS");
  const certificates = blocks.filter(({ label }) => label === "CERTIFICATE");
  const [key, ...more] = blocks.filter(({ label }) => label !== "CERTIFICATE");
  const refuse = (why: string) => new CaError("malformed", `vault_client_cert_bundle ${why}`);
  if (certificates.length === 0) throw refuse("has no certificate");
  if (certificates.length > mostCertificates)
    throw refuse(`has more than ${mostCertificates} certificates`);
  if (more.length > 0) throw refuse("has more than one private key");
  const parsed = certificates.map(({ der }) => parseCertificate(der));
  if (!key) return { chain: parsed.map(({ der }) => der) };
  const { pkcs8, spki } = await readPrivateKeyBlock(key);
  const own = parsed.find((one) => equalBytes(one.spki, spki));
  if (!own) throw refuse("has no certificate of its private key");
  return {
    chain: [own, ...parsed.filter((one) => one !== own)].map(({ der }) => der),
    spki,
    sealed: await ca.ports.vault.seal(pkcs8, policyClientBinding(ca.name)),
  };
}
