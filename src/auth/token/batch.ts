import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { type TokenRow, storedTokens } from "../rows/tokens.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { batchPrefix } from "./secret.ts";

const binding = "auth/token/batch";

/** A batch token: all that is known of it, sealed. Nothing of it is stored. */
export const sealBatch = async (vault: KeyVault, row: TokenRow): Promise<string> =>
  batchPrefix + toBase64Url(await vault.seal(utf8(JSON.stringify(row)), binding));

/** What a batch token says; undefined for a text that is none of this deployment's. */
export async function openBatch(vault: KeyVault, token: string): Promise<TokenRow | undefined> {
  const sealed = fromBase64Url(token.slice(batchPrefix.length));
  if (!sealed) return undefined;
  try {
    return storedTokens.token(JSON.parse(fromUtf8(await vault.unseal(sealed, binding))));
  } catch (error) {
    // a vault that cannot be asked is no reason to take a token for a bad one
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}
