import { fromBase64Url, fromUtf8, toBase64Url, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { type TokenRow, storedTokens } from "../rows/tokens.ts";
import type { KeyVault } from "../../engine/ports.ts";
import { batchPrefix } from "./secret.ts";

const binding = "auth/token/batch";

/** Returns a batch token, which contains its sealed row. Stores nothing. */
export const sealBatch = async (vault: KeyVault, row: TokenRow): Promise<string> =>
  batchPrefix + toBase64Url(await vault.seal(utf8(JSON.stringify(row)), binding));

/**
 * Opens a batch token and returns its row. Returns undefined if this deployment did not seal it.
 */
export async function openBatch(vault: KeyVault, token: string): Promise<TokenRow | undefined> {
  const sealed = fromBase64Url(token.slice(batchPrefix.length));
  if (!sealed) return undefined;
  try {
    return storedTokens.token(JSON.parse(fromUtf8(await vault.unseal(sealed, binding))));
  } catch (error) {
    // throws if the vault is unavailable, because the token may be valid
    if (error instanceof CaError && error.code === "storage") return undefined;
    throw error;
  }
}
