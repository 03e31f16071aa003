import {
  ApiError,
  isJson,
  connectionLoss,
  notApi,
  parseReply,
  refusal,
  send,
  unknownToken,
  type Auth,
  type Envelope,
} from "./transport.ts";
import { listedMethods, type ListedMethod, type LoginCall } from "../lib/credentials.ts";
import type { Place } from "../lib/place.ts";
import { rememberSelf, type Self } from "./token-self.ts";

/**
 * Asks at another place than the one that is shown: throws where nothing answers that speaks as an
 * authority does.
 */
async function askAt(to: Place, path: string, body?: object): Promise<Response> {
  const verb = body ? "POST" : "GET";
  const call = `${verb} /v1/${path}`;
  const response = await send(verb, path, body, to).catch((error: unknown) => {
    connectionLoss.set({ since: undefined });
    if (
      !(error instanceof ApiError) ||
      error.call === "" ||
      new URL(to.base).origin === location.origin
    )
      throw error;
    const known = `No connection to ${to.base}. Either nothing answers there, or it does not let this page in:`;
    throw new ApiError(0, `${known} its ALLOWED_ORIGINS has to name ${location.origin}.`, call);
  });
  if (isJson(response)) return response;
  throw notApi(response, to, call);
}

/**
 * Tries a connection before it is made: throws what is wrong with its address, mount or token. The
 * token must be known; what it may do is not asked here.
 */
export async function tryConnection(to: Place): Promise<void> {
  const who = "auth/token/lookup-self";
  const path = `${to.mount}/config/issuers`;
  const self = await askAt(to, who);
  const stranger = new ApiError(
    403,
    "This authority does not know the token, or it has expired.",
    "",
  );
  if (self.ok) rememberSelf(to.token, parseReply<Self>((await self.json()) as Envelope).data);
  else {
    const refused = await refusal(self, `GET /v1/${who}`);
    if (unknownToken(refused)) throw stranger;
    // Policies may not let a token ask about itself, and an older authority does not tell whose it
    // is; there the mount's own answer has to do.
    if (![403, 404, 405].includes(self.status)) throw refused;
  }
  const response = await askAt(to, path);
  if (response.ok) return response.body?.cancel();
  const error = await refusal(response, `GET /v1/${path}`);
  if (unknownToken(error)) throw stranger;
  if (response.status === 404 || response.status === 405)
    throw new ApiError(404, `${to.mount}: no mount has this name.`, `GET /v1/${path}`);
  if (response.status !== 403) throw error;
}

/** Signs in by a login method: gives the token that it made. Throws what the authority refuses. */
export async function logIn(to: Place, { path, body }: LoginCall): Promise<Auth> {
  const response = await askAt({ ...to, token: "" }, path, body);
  const call = `POST /v1/${path}`;
  if (!response.ok) throw await refusal(response, call);
  const { auth } = parseReply((await response.json()) as Envelope);
  if (auth === undefined) throw notApi(response, to, call);
  return auth;
}

/**
 * The login methods that an authority tells to whoever asks, before a sign-in; none where it tells
 * nothing or does not answer, which signing in will tell better.
 */
export async function visibleMethods(to: Place): Promise<readonly ListedMethod[]> {
  try {
    const response = await askAt({ ...to, token: "" }, "sys/internal/ui/mounts");
    if (!response.ok) {
      await response.body?.cancel();
      return [];
    }
    const { data } = parseReply<{ auth?: Parameters<typeof listedMethods>[0] | null } | null>(
      (await response.json()) as Envelope,
    );
    return listedMethods(data?.auth ?? {});
  } catch {
    return [];
  }
}

/** Ends a token that was made for a connection that then was not made. */
export const giveBack = (to: Place): Promise<unknown> =>
  send("POST", "auth/token/revoke-self", {}, to).catch(() => undefined);
