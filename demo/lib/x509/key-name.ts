import { CaError } from "../../../src/base/errors.ts";
import { parsePublicKey } from "../../../src/x509/public-key.ts";
import { keyText } from "../key-label.ts";
import { lazyLoad } from "../lazy-load.ts";
import { visible } from "../visible-text.ts";

const descriptions = lazyLoad(() => import("./unsupported-key.ts"));

/** Describes a public key, such as `ECDSA P-256` or `Ed448 (not supported by this authority)`. */
export async function keyName(spki: Uint8Array): Promise<string> {
  try {
    const { algorithm, bits } = parsePublicKey(spki);
    return keyText(algorithm, bits);
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    const { keyText } = await descriptions();
    const text = keyText(spki).replace(/^EC /, "ECDSA ");
    return `${visible(text)} (not supported by this authority)`;
  }
}
