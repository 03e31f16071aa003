import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { TokenFacts } from "../../engine/identity.ts";
import { type TokenRow, tokenKeys, storedTokens } from "../rows/tokens.ts";
import { methods, tokenPath } from "../rows/methods.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { Identity } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { openBatch } from "./batch.ts";
import { isAlive } from "./identify.ts";
import { systemTtls, type TtlBounds } from "./lifetime.ts";
import { batchPrefix, hashOf } from "./secret.ts";

/** A token that a request identifies by its value or its accessor. */
export type NamedToken =
  | {
      readonly kind: "service";
      readonly hash: string;
      readonly row: TokenRow;
      readonly rev: number;
    }
  | { readonly kind: "batch"; readonly row: TokenRow }
  /** A token that the deployment's host defines. It is not in the token store. */
  | { readonly kind: "given"; readonly identity: Identity };

/**
 * Finds a service token by its hash. Returns undefined if it does not exist or is revoked or
 * expired.
 */
export async function serviceOf(
  { sys, ports }: Deployment,
  hash: string,
): Promise<Extract<NamedToken, { kind: "service" }> | undefined> {
  const [stored] = await sys.store.get([tokenKeys.token(hash)]);
  const row = stored && storedTokens.token(stored.value);
  return row && isAlive(row, ports.now())
    ? { kind: "service", hash, row, rev: stored.rev }
    : undefined;
}

/** Finds a token by its value. Returns undefined if it does not exist or is revoked or expired. */
export async function tokenOf(
  deployment: Deployment,
  token: string,
): Promise<NamedToken | undefined> {
  const { ports } = deployment;
  const identity = await ports.authenticate(token);
  if (identity) return { kind: "given", identity };
  if (!token.startsWith(batchPrefix)) return serviceOf(deployment, await hashOf(token));
  const row = await openBatch(ports.vault, token);
  return row && isAlive(row, ports.now()) ? { kind: "batch", row } : undefined;
}

/**
 * Finds a token by its accessor. Returns undefined if it does not exist or is revoked or expired.
 */
export async function tokenByAccessor(
  deployment: Deployment,
  accessor: string,
): Promise<Extract<NamedToken, { kind: "service" }> | undefined> {
  // a value from a request may not be a valid key
  if (!/^[0-9A-Za-z]{24}$/.test(accessor)) return undefined;
  const [row] = await deployment.sys.store.get([tokenKeys.accessor(accessor)]);
  return row && serviceOf(deployment, storedTokens.accessor(row.value).token);
}

/** Returns the caller's own token, or undefined if the caller has none. */
export function ownToken({ identity: { token } }: Caller): NamedToken | undefined {
  if (!token) return undefined;
  const row: TokenRow = storedTokens.token(token);
  return token.hash === undefined
    ? { kind: "batch", row }
    : { kind: "service", hash: token.hash, row, rev: 0 };
}

/**
 * Returns the default and maximum lifetime of tokens that are created with a token. These are the
 * settings of `auth/token`, cached for at most one second.
 */
export async function tokenTtls(sys: StoreContext): Promise<TtlBounds["ttls"]> {
  const row = (await methods(sys)).get(tokenPath);
  return row ? effectiveTtls(row) : systemTtls;
}

/**
 * Returns the accessor of the `token` login method. The entity aliases of tokens that are created
 * with a token belong to this method.
 */
export const tokenAccessor = async (sys: StoreContext): Promise<string> =>
  (await methods(sys)).get(tokenPath)?.accessor ?? "";

/**
 * Returns a required member of a request. Throws `malformed` with the message `missing` if it is
 * empty.
 */
export function requireMember(value: string, missing: string): string {
  if (value === "") throw new CaError("malformed", missing);
  return value;
}
/** Returns the error for an unknown token, with the message that clients expect. */
export const badToken = (): CaError => new CaError("forbidden", "bad token");
/** Returns the error for an accessor to which no token belongs. */
export const invalidAccessor = (): CaError => new CaError("malformed", "invalid accessor");

/**
 * Returns the remaining lifetime of a token in seconds, which is 0 if the token does not expire.
 * `now` is in Unix milliseconds.
 */
export const secondsLeft = ({ expires }: TokenFacts, now: number): number =>
  expires === undefined ? 0 : Math.max(0, Math.ceil(expires - now / 1000));
