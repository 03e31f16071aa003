import { asBytes } from "../../base/bytes.ts";
import type { Ports } from "../../engine/ports.ts";
import { generateKey, type GeneratedKey } from "../../keys/generate.ts";
import { openSigner } from "../../keys/signer.ts";
import { signEmptyRequest } from "../../pki/ca/signing-request.ts";
import { parsePublicKey } from "../../x509/public-key.ts";

/**
 * Generates a key and a CSR without subject to show to the external policy; the key itself is not
 * sent (B 7.3). `type` and `bits` are those of `generateKey`. `csr`: DER.
 */
export async function newKey(
  ports: Ports,
  type: string,
  bits: number,
): Promise<GeneratedKey & { readonly csr: Uint8Array }> {
  const key = await generateKey(type, bits, ports);
  const { pkcs8, spki } = key;
  const signer = await openSigner(
    {
      opened: async () => pkcs8.slice(),
      unwrapped: (parameters) =>
        crypto.subtle.importKey("pkcs8", asBytes(pkcs8), parameters, false, ["sign"]),
      random: ports.random,
    },
    spki,
  );
  return { ...key, csr: await signEmptyRequest({ publicKey: parsePublicKey(spki), signer }) };
}
