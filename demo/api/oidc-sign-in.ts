import { typed } from "./call.ts";
import { callOpenly, signIn } from "./connection.ts";
import { requestOf } from "./endpoint.ts";
import { beginOidcLogin, finishOidcLogin } from "./endpoints/logins.ts";
import { ApiError } from "./transport.ts";
import { visible } from "../lib/visible-text.ts";
import {
  explainSignInError,
  isResponseTo,
  providerError,
  readAuthUrl,
  readOidcResponse,
  readPending,
  type OidcResponse,
  type PendingSignIn,
} from "../lib/oidc-response.ts";
import { searchOf } from "../lib/page-location.ts";
import { confirmPlace, pageLocation, place, signedOut, signOut, type Place } from "../lib/place.ts";
import { redirect } from "../lib/route.ts";
import { createStore } from "../lib/store.ts";

/** Returns the redirect URI, which is the URL of this page without query and fragment. */
export const redirectUri = (): string => location.origin + location.pathname;

const storageKey = "sealwright-sign-in";

/**
 * An authorization response with the pending sign-in of this tab that it belongs to, or the reason
 * why the sign-in failed.
 */
interface ReceivedResponse {
  readonly pending: PendingSignIn | undefined;
  readonly response: OidcResponse | undefined;
  readonly failure: string;
}
const none: ReceivedResponse = { pending: undefined, response: undefined, failure: "" };

/** The response of the identity provider, until the sign-in has processed it. */
export const receivedResponse = createStore<ReceivedResponse>(none);

/** The user's choices for a sign-in at an identity provider. */
type SignInChoices = Pick<PendingSignIn, "at" | "role" | "keep"> & {
  /** Fragment of the view to return to. */
  readonly hash: string;
};

/** Begins a sign-in and returns the identity provider's URL, which the browser must open. */
export async function beginSignIn(
  to: Place,
  { at, role, keep, hash }: SignInChoices,
): Promise<string> {
  const client_nonce = randomText();
  const request = requestOf(
    beginOidcLogin,
    { redirect_uri: redirectUri(), client_nonce, ...(role && { role }) },
    `auth/${at}`,
  );
  const { data } = typed(
    beginOidcLogin,
    await callOpenly(to, request).catch((error: unknown) => explain(error, { at, role })),
  );
  const { url, state } = readAuthUrl(data.auth_url);
  const returnTo = searchOf(to, pageLocation) + hash;
  store({ state, client_nonce, at, role, keep, returnTo });
  return url;
}

const randomText = (): string =>
  crypto
    .getRandomValues(new Uint8Array(32))
    .reduce((text, byte) => text + byte.toString(16).padStart(2, "0"), "");

function store(pending: PendingSignIn): void {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(pending));
  } catch {
    throw new Error(
      "This browser blocks site data for this page, which single sign-on needs while you are at the identity provider. Allow it, or sign in another way.",
    );
  }
}

/** Returns the stored sign-in, and removes it from storage if the response belongs to it. */
function consumePending(response: OidcResponse): PendingSignIn | undefined {
  try {
    const pending = readPending(sessionStorage.getItem(storageKey));
    if (isResponseTo(response, pending)) sessionStorage.removeItem(storageKey);
    return pending;
  } catch {
    return undefined;
  }
}

/** Throws an error that explains a server error, or the error itself if it needs no explanation. */
function explain(error: unknown, of: Pick<PendingSignIn, "at" | "role">): never {
  const text =
    error instanceof ApiError
      ? explainSignInError(error, { ...of, uri: redirectUri() })
      : undefined;
  throw text === undefined ? error : new Error(visible(text));
}

/**
 * Handles the query of a redirect from an identity provider, and shows the view where the sign-in
 * began. Ignores a response that this tab did not request, because another site may have sent it.
 */
export function receiveResponse(search: string): void {
  const response = readOidcResponse(search);
  if (!response) return redirect(search + location.hash);
  const pending = consumePending(response);
  if (pending) redirect(pending.returnTo);
  if (isResponseTo(response, pending)) {
    // The user began this sign-in in this tab, so it replaces the token that the tab has stored.
    signOut();
    confirmPlace();
    const failure = response.error && visible(providerError(response, redirectUri()));
    receivedResponse.set({ pending, response: failure ? undefined : response, failure });
  } else if (signedOut(place.get()))
    receivedResponse.set({
      failure:
        "This page received an identity provider’s response to a sign-in that this tab did not begin, so the response was ignored. Sign in again.",
    });
}

/** Discards the identity provider's response. Call it when a sign-in has finished. */
export const dropResponse = (): void => receivedResponse.set(none);

/** Finishes a sign-in, and returns `to` with the new token. */
export function finishSignIn(
  to: Place,
  { at, role, client_nonce }: PendingSignIn,
  { state, code, iss }: OidcResponse,
): Promise<Place> {
  const login = requestOf(
    finishOidcLogin,
    { state, code, client_nonce, ...(iss && { iss }) },
    `auth/${at}`,
  );
  return signIn(to, login).catch((error: unknown) => explain(error, { at, role }));
}
