import type { AuthReply, LookupSelfReply } from "../../src/client/auth.ts";
import { call, readData } from "./call.ts";
import { lookupSelf, renewSelf as renew, revokeSelf as revoke } from "./endpoints/auth.ts";
import { capabilitiesSelf } from "./endpoints/sys.ts";
import type { Reply } from "./transport.ts";
import { place } from "../lib/place.ts";
import { createStore } from "../lib/store.ts";

/** The response of a token lookup. */
export type Self = LookupSelfReply;

interface TokenOwner {
  /** The token that the lookup was for. */
  readonly of: string;
  readonly self: Self | undefined;
}

/** The result of looking up the current token. */
export const tokenOwner = createStore<TokenOwner>({ of: "", self: undefined });

/** Caches the result of a token lookup until the page is closed. */
export const rememberSelf = (of: string, self: Self): void => tokenOwner.set({ of, self });

/**
 * Returns the cached result of looking up the current token, or undefined if it has not been looked
 * up.
 */
export const cachedSelf = ({ of, self }: TokenOwner): Self | undefined =>
  of === place.get().token ? self : undefined;

/** Returns the name of the user or program that logged in, without the path of the login method. */
export function loginName({
  display_name: name,
  path,
}: Pick<Self, "display_name" | "path">): string {
  const method = /^auth\/(.+?)\/(?:login|oidc)/.exec(path)?.[1]?.replaceAll("/", "-") ?? "";
  return method !== "" && name.startsWith(`${method}-`) ? name.slice(method.length + 1) : name;
}

/** Looks up the current token. */
export async function fetchSelf(): Promise<Self> {
  const { token } = place.get();
  const self = await readData(lookupSelf);
  rememberSelf(token, self);
  return self;
}

/** Renews the current token. */
export const renewSelf = (): Promise<Reply<AuthReply>> => call(renew, {});

/** Revokes the current token and all tokens created with it. */
export const revokeSelf = (): Promise<Reply<unknown>> => call(revoke, {});

/** Returns the capabilities of the token on each path. */
export const capabilities = async (
  paths: readonly string[],
): Promise<Readonly<Record<string, readonly string[]>>> => readData(capabilitiesSelf, { paths });
