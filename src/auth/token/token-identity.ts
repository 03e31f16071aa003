import type { Deployment } from "../../engine/deployment.ts";
import { tokenKeys, storedTokens } from "../rows/tokens.ts";
import type { Identity } from "../../engine/ports.ts";
import { openBatch } from "./batch.ts";
import { identityOf, isAlive, maxTokenLength } from "./identify.ts";
import { batchPrefix, hashOf } from "./secret.ts";

/**
 * Returns the identity of a token, for queries about the token. Does not count a use, and does not
 * check address ranges. Returns undefined if the token is unknown, expired or used up.
 */
export async function identityOfToken(
  deployment: Deployment,
  token: string,
): Promise<Identity | undefined> {
  if (token === "" || token.length > maxTokenLength) return undefined;
  const identity = await deployment.ports.authenticate(token);
  if (identity) return identity;
  if (!token.startsWith(batchPrefix)) return identityOfHash(deployment, await hashOf(token));
  const row = await openBatch(deployment.ports.vault, token);
  return row && isAlive(row, deployment.ports.now()) ? identityOf(deployment, row) : undefined;
}
/**
 * Returns the identity of the token with this accessor, or undefined in the same cases as
 * `identityOfToken`.
 */
export async function identityOfAccessor(
  deployment: Deployment,
  accessor: string,
): Promise<Identity | undefined> {
  // a malformed accessor may not be a valid key
  if (!/^[A-Za-z0-9]{1,64}$/.test(accessor)) return undefined;
  const [row] = await deployment.sys.store.get([tokenKeys.accessor(accessor)]);
  return row && identityOfHash(deployment, storedTokens.accessor(row.value).token);
}
async function identityOfHash(deployment: Deployment, hash: string): Promise<Identity | undefined> {
  const [row] = await deployment.sys.store.get([tokenKeys.token(hash)]);
  const token = row && storedTokens.token(row.value);
  return token && isAlive(token, deployment.ports.now())
    ? identityOf(deployment, { ...token, hash })
    : undefined;
}
