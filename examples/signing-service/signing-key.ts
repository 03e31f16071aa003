import type { Buffer } from "node:buffer";
import { constants, createPublicKey, sign, type KeyObject } from "node:crypto";

/** A private key in this process or in a token. */
export interface SigningKey {
  readonly publicKey: KeyObject;
  /** Signs data. An ECDSA signature is DER-encoded, as in X.509. */
  sign(data: Buffer, scheme: Scheme): Buffer | Promise<Buffer>;
}

/** Parameters of a signature. */
export interface Scheme {
  /** Name of the hash, such as `sha256`; absent if the algorithm has its own. */
  readonly hash?: string;
  /** Whether an RSA key signs with PSS, with a salt as long as the hash. */
  readonly pss?: true;
}

/** Returns a key that signs in this process. */
export const localKey = (key: KeyObject): SigningKey => ({
  publicKey: createPublicKey(key),
  sign: (data, { hash = null, pss = false }) =>
    sign(hash, data, {
      key,
      ...(pss
        ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
        : {}),
    }),
});
