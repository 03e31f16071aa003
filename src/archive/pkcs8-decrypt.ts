import { readDer } from "../base/der.ts";
import { decrypt, secretOf } from "./pbes2.ts";

/**
 * Decrypts an EncryptedPrivateKeyInfo (RFC 5958 section 3) to PKCS#8. Rejects with `CaError`
 * `malformed` if the encryption is not supported, and in most cases if the password is wrong.
 */
export async function decryptPkcs8(der: Uint8Array, password: string): Promise<Uint8Array> {
  const info = readDer(der, "encrypted private key").enter("EncryptedPrivateKeyInfo");
  const algorithm = info.enter("the algorithm");
  const encrypted = info.octets("the key");
  info.end();
  return await decrypt(algorithm, encrypted, secretOf(password));
}
