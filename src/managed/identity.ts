import { asBytes } from "../base/bytes.ts";
import { CaError } from "../base/errors.ts";
import type { Ports } from "../engine/ports.ts";
import { readClientBundle } from "../keys/client-bundle.ts";
import type { PrivateKey } from "../keys/read.ts";
import { openSigner } from "../keys/signer.ts";
import type { TlsIdentity } from "../net/tls-identity.ts";

/**
 * Parses the `client_cert_bundle` of a managed key, which is a private key and its certificates in
 * PEM. Throws CaError `malformed` or `bad_key`, without quoting the key.
 */
export async function readIdentity(
  pem: string,
): Promise<{ readonly key: PrivateKey; readonly chain: readonly Uint8Array[] }> {
  const { chain, key } = await readClientBundle("client_cert_bundle", pem);
  if (!key) throw new CaError("malformed", "client_cert_bundle has no private key");
  return { chain, key };
}

/** Returns the TLS identity for a bundle that {@link readIdentity} accepted. */
export async function identityOf(
  { random }: Pick<Ports, "random">,
  pem: string,
): Promise<TlsIdentity> {
  const { key, chain } = await readIdentity(pem);
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
