import { concat, toBase64Url, utf8 } from "../../base/bytes.ts";
import { digestSha256 } from "../../base/hmac.ts";
import type { PublicKey } from "../../x509/public-key.ts";

/**
 * Returns the fingerprint of a public key, a SHA-256 hash in base64url. It does not depend on how a
 * SubjectPublicKeyInfo encodes the key's algorithm.
 */
export const keyFingerprint = ({ type, keyBits }: Pick<PublicKey, "type" | "keyBits">): string =>
  toBase64Url(digestSha256(concat([utf8(`${type}\n`), keyBits])));
