import { createHash } from "node:crypto";
import { openssl, opensslBytes } from "../x509/fixture.ts";

export { derOf, labelsOf } from "../pki/reading.ts";

/** Returns openssl's output for a PEM text. */
export const openedKey = (pem: string, args: readonly string[]): string => openssl(args, pem);

/** Returns the SHA-1 of a private key's public key with colons, as openssl computes it. */
export function opensslKeyId(pem: string): string {
  const spki = opensslBytes(["pkey", "-pubout", "-outform", "DER"], pem);
  // the bit string of a P-256 key: 65 octets at the end
  const digest = createHash("sha1").update(spki.subarray(-65)).digest("hex");
  return digest.replace(/..(?!$)/g, "$&:");
}
