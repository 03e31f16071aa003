import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { type TokenRow, storedTokens } from "../rows/tokens.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { batchPrefix } from "./secret.ts";

const binding = "auth/token/batch";

/** Returns a batch token: its sealed facts. Nothing is stored. */
export const sealBatch = async (vault: KeyVault, row: TokenRow): Promise<string> =>
  batchPrefix + toBase64Url(await vault.seal(utf8(JSON.stringify(row)), binding));

/** Returns the facts in a batch token; undefined for a text that this deployment did not seal. */
export async function openBatch(vault: KeyVault, token: string): Promise<TokenRow | undefined> {
  const sealed = fromBase64Url(token.slice(batchPrefix.length));
  if (!sealed) return undefined;
  try {
    return storedTokens.token(JSON.parse(fromUtf8(await vault.unseal(sealed, binding))));
  } catch (error) {
    // an unavailable vault does not make a token invalid
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}
