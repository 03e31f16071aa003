import { CaError } from "../../base/errors.ts";
import type { Deployment } from "../../engine/deployment.ts";
import type { TokenFacts } from "../../engine/identity.ts";
import { type TokenRow, tokenKeys, storedTokens } from "../rows/tokens.ts";
import { methods, tokenPath } from "../../engine/methods.ts";
import { effectiveTtls } from "../../engine/new-mount.ts";
import type { Identity } from "../../engine/ports.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import type { Caller } from "../../wire/endpoint.ts";
import { openBatch } from "./batch.ts";
import { isAlive } from "./identify.ts";
import { systemTtls, type TtlBounds } from "./lifetime.ts";
import { batchPrefix, hashOf } from "./secret.ts";

/** A token that was named by its text, or by its accessor. */
export type NamedToken =
  | {
      readonly kind: "service";
      readonly hash: string;
      readonly row: TokenRow;
      readonly rev: number;
    }
  | { readonly kind: "batch"; readonly row: TokenRow }
  /** What the deployment's surroundings know beside the tokens that are stored. */
  | { readonly kind: "given"; readonly identity: Identity };

/** The service token of a hash, as it is now; undefined where there is none or it has ended. */
export async function serviceOf(
  { sys, ports }: Deployment,
  hash: string,
): Promise<Extract<NamedToken, { kind: "service" }> | undefined> {
  const [held] = await sys.store.get([tokenKeys.token(hash)]);
  const row = held && storedTokens.token(held.value);
  return row && isAlive(row, ports.now())
    ? { kind: "service", hash, row, rev: held.rev }
    : undefined;
}

/** The token of a text; undefined where there is none or it has ended. */
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

/** The token of an accessor; undefined where there is none or it has ended. */
export async function tokenByAccessor(
  deployment: Deployment,
  accessor: string,
): Promise<Extract<NamedToken, { kind: "service" }> | undefined> {
  // what comes from a caller may be no key
  if (!/^[0-9A-Za-z]{24}$/.test(accessor)) return undefined;
  const [row] = await deployment.sys.store.get([tokenKeys.accessor(accessor)]);
  return row && serviceOf(deployment, storedTokens.accessor(row.value).token);
}

/** The token by which a call was made. */
export function ownToken({ token }: Caller): NamedToken | undefined {
  if (!token) return undefined;
  const row: TokenRow = storedTokens.token(token);
  return token.hash === undefined
    ? { kind: "batch", row }
    : { kind: "service", hash: token.hash, row, rev: 0 };
}

/** Lifetimes of tokens that are made by tokens: as `auth/token` is tuned, at most a second old. */
export async function tokenTtls(sys: StoreContext): Promise<TtlBounds["ttls"]> {
  const row = (await methods(sys)).get(tokenPath);
  return row ? effectiveTtls(row) : systemTtls;
}

/** By which accessor aliases are known that tokens are made for. */
export const tokenAccessor = async (sys: StoreContext): Promise<string> =>
  (await methods(sys)).get(tokenPath)?.accessor ?? "";

/** A member that the caller must send. */
export function requireMember(value: string, missing: string): string {
  if (value === "") throw new CaError("malformed", missing);
  return value;
}
/** The refusal to tell of a token, with the text that clients know. */
export const badToken = (): CaError => new CaError("forbidden", "bad token");
/** The refusal of an accessor that names no token. */
export const invalidAccessor = (): CaError => new CaError("malformed", "invalid accessor");

/** Seconds that a token has left; 0 where it does not end. */
export const secondsLeft = ({ expires }: TokenFacts, now: number): number =>
  expires === undefined ? 0 : Math.max(0, Math.ceil(expires - now / 1000));
