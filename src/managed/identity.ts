import { asBytes, equalBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import { decodePem } from "../base/pem.ts";
import type { Ports } from "../engine/ports.ts";
import { readMislabelledKeyBlock, type PrivateKey } from "../keys/read.ts";
import { openSigner } from "../keys/signer.ts";
import type { TlsIdentity } from "../net/tls-identity.ts";
import { parseCertificate } from "../x509/certificate.ts";

/** A private key with the certificates for it, its own first. */
export interface Bundle {
  readonly key: PrivateKey;
  readonly chain: readonly Uint8Array[];
}
/**
 * Reads a PEM text of one private key and certificates, the first of which is of that key. Throws
 * CaError `malformed` or `bad_key`, whose text quotes no part of the key.
 */
export async function readBundle(pem: string): Promise<Bundle> {
  const blocks = decodePem(pem).filter(({ label }) => label !== "EC PARAMETERS");
  const chain = blocks.filter(({ label }) => label === "CERTIFICATE").map(({ der }) => der);
  const [private_, ...more] = blocks.filter(({ label }) => label.endsWith("PRIVATE KEY"));
  const [own] = chain;
  if (!private_ || more.length > 0 || !own || chain.length + 1 !== blocks.length)
    throw new CaError("malformed", "a client bundle holds one private key and its certificates");
  const key = await readMislabelledKeyBlock(private_);
  private_.der.fill(0);
  if (!equalBytes(parseCertificate(own).spki, key.spki))
    throw new CaError(
      "malformed",
      "the first certificate of a client bundle must be that of its private key",
    );
  return { key, chain };
}

/** Who we are where a server asks, of a bundle as {@link readBundle} reads it. */
export async function identityOf(
  { random }: Pick<Ports, "random">,
  pem: string,
): Promise<TlsIdentity> {
  const { key, chain } = await readBundle(pem);
  const signer = await openSigner(
    {
      opened: async () => key.pkcs8.slice(),
      unwrapped: (parameters) =>
        crypto.subtle.importKey("pkcs8", asBytes(key.pkcs8), parameters, false, ["sign"]),
      random,
    },
    key.spki,
  );
  return { chain, key: signer };
}
