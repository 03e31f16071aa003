import { ask, request, type Reply } from "./transport.ts";
import { place } from "../lib/place.ts";
import { createStore } from "../lib/store.ts";

/** The lookup of the current token. */
export interface Self {
  /** Empty where the token cannot be ended or looked up by it. */
  readonly accessor: string;
  readonly display_name: string;
  readonly policies: readonly string[];
  readonly identity_policies?: readonly string[];
  readonly path: string;
  readonly meta: Readonly<Record<string, unknown>> | null;
  readonly entity_id: string;
  readonly type: string;
  /** Seconds that are left; 0 without an end. */
  readonly ttl: number;
  readonly creation_ttl: number;
  /** Unix seconds. */
  readonly creation_time: number;
  /** RFC 3339; null without an end. */
  readonly expire_time: string | null;
  readonly explicit_max_ttl: number;
  readonly num_uses: number;
  readonly orphan: boolean;
  readonly renewable: boolean;
  readonly role?: string;
  readonly period?: number;
  readonly bound_cidrs?: readonly string[];
}

interface TokenOwner {
  /** The token that it is told of. */
  readonly of: string;
  readonly self: Self | undefined;
}

/** The owner of the current token, once looked up. */
export const tokenOwner = createStore<TokenOwner>({ of: "", self: undefined });

/** Keeps what was told of a token, as long as the page lives. */
export const rememberSelf = (of: string, self: Self): void => tokenOwner.set({ of, self });

/** Returns the lookup of the current token; undefined before its first lookup. */
export const knownSelf = ({ of, self }: TokenOwner): Self | undefined =>
  of === place.get().token ? self : undefined;

/** Asks whom the token belongs to. */
export async function askSelf(): Promise<Self> {
  const { token } = place.get();
  const self = await ask<Self>("GET", "auth/token/lookup-self");
  rememberSelf(token, self);
  return self;
}

/** Makes the token live on, as long as it may. */
export const renewSelf = (): Promise<Reply<unknown>> =>
  request("POST", "auth/token/renew-self", {});

/** Ends the token, and every one that was made with it. */
export const revokeSelf = (): Promise<Reply<unknown>> =>
  request("POST", "auth/token/revoke-self", {});

/** Returns the capabilities of the token at each of some paths. */
export const capabilities = async (
  paths: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> =>
  ask("POST", "sys/capabilities-self", { paths });
