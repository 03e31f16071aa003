import type { AuthReply } from "../../src/client/auth.ts";
import { typed } from "./call.ts";
import { requestOf, type EndpointRequest } from "./endpoint.ts";
import { createToken, lookupSelf, revokeSelf } from "./endpoints/auth.ts";
import { listIssuers, readIssuersConfig } from "./endpoints/pki.ts";
import { listVisibleMounts } from "./endpoints/sys.ts";
import {
  ApiError,
  isJson,
  connectionLoss,
  notApi,
  parseReply,
  refusal,
  send,
  unknownToken,
  type Envelope,
} from "./transport.ts";
import { listedMethods, type ListedMethod } from "../lib/credentials.ts";
import type { Place } from "../lib/place.ts";
import { rememberSelf } from "./token-self.ts";

/**
 * Sends a request to a server, which need not be the current one. Throws if the server does not
 * respond or has no Sealwright API.
 */
async function sendTo(to: Place, request: EndpointRequest): Promise<Response> {
  const { verb, path, body } = request;
  const call = callOf(request);
  const response = await send(verb, path, body, to).catch((error: unknown) => {
    connectionLoss.set({ since: undefined });
    if (!(error instanceof ApiError) || error.call === "") throw error;
    if (new URL(to.base).origin === location.origin) throw new ApiError(0, error.message, call);
    const prefix = `Cannot connect to ${to.base}. Either no server responds there, or the server rejects requests from this page:`;
    throw new ApiError(0, `${prefix} its ALLOWED_ORIGINS must include ${location.origin}.`, call);
  });
  if (isJson(response)) return response;
  throw notApi(response, to, call);
}

/**
 * Tests a connection before it is used. Throws if the address, the mount or the token is wrong.
 * Does not check the permissions of the token.
 */
export async function tryConnection(to: Place): Promise<void> {
  const lookup = requestOf(lookupSelf);
  const self = await sendTo(to, lookup);
  const invalid = new ApiError(403, "The token is invalid or has expired.", "");
  if (self.ok) rememberSelf(to.token, typed(lookupSelf, await replyOf(self)).data);
  else {
    const refused = await refusal(self, `GET /v1/${lookup.path}`);
    if (unknownToken(refused)) throw invalid;
    // Policies may forbid a token to look itself up, and older servers lack the endpoint. In both
    // cases, the mount's response decides.
    if (![403, 404, 405].includes(self.status)) throw refused;
  }
  // a public read succeeds regardless of policies; only a read that requires a token verifies the
  // token
  const mount: EndpointRequest = self.ok
    ? requestOf(listIssuers, {}, to.mount)
    : requestOf(readIssuersConfig, {}, to.mount);
  const response = await sendTo(to, mount);
  if (response.ok) return response.body?.cancel();
  const call = `${mount.verb} /v1/${mount.path}`;
  const error = await refusal(response, call);
  // the mount has no issuers
  if (response.status === 404 && error.bare) return;
  if (unknownToken(error)) throw invalid;
  if (response.status === 404 || response.status === 405)
    throw new ApiError(404, `${to.mount}: no such mount.`, call);
  if (response.status !== 403) throw error;
}

const replyOf = async (response: Response): Promise<ReturnType<typeof parseReply>> =>
  // each member of the envelope is checked where it is used
  parseReply((await response.json()) as Envelope);

/**
 * Sends a request that requires no token, and returns the response. Throws if the server rejects
 * the request.
 */
export async function callOpenly(
  to: Place,
  request: EndpointRequest,
): Promise<ReturnType<typeof parseReply>> {
  const response = await sendTo({ ...to, token: "" }, request);
  if (response.ok) return replyOf(response);
  throw await refusal(response, callOf(request));
}

/** Returns the method and path of a call, without the query, which may contain login secrets. */
const callOf = ({ verb, path }: EndpointRequest): string =>
  `${verb} /v1/${path.replace(/\?.*/, "")}`;

/** Logs in and returns the token. Throws if the server rejects the credentials. */
async function logIn(to: Place, login: EndpointRequest): Promise<AuthReply> {
  // the response to a login has the type of the response to a token creation
  const { data }: { readonly data: AuthReply | undefined } = typed(
    createToken,
    await callOpenly(to, login),
  );
  if (data?.client_token) return data;
  throw new ApiError(0, `${to.base}: the login returned no token.`, callOf(login));
}

/**
 * Logs in and returns `to` with the new token. Throws if the server rejects the login. If the
 * connection test fails, revokes the token and throws.
 */
export async function signIn(to: Place, login: EndpointRequest): Promise<Place> {
  const signedIn = { ...to, token: (await logIn(to, login)).client_token };
  try {
    await tryConnection(signedIn);
    return signedIn;
  } catch (error) {
    await revokeUnused(signedIn);
    throw error;
  }
}

/**
 * Returns the login methods that a server lists for unauthenticated users. Returns an empty list if
 * the server does not respond.
 */
export async function visibleMethods(to: Place): Promise<readonly ListedMethod[]> {
  try {
    const { data } = typed(listVisibleMounts, await callOpenly(to, requestOf(listVisibleMounts)));
    return listedMethods(data.auth);
  } catch {
    // older servers lack this endpoint; if the server does not respond, the login will report that
    return [];
  }
}

/** Revokes the token of a login whose connection test failed. */
function revokeUnused(to: Place): Promise<unknown> {
  const { verb, path, body } = requestOf(revokeSelf);
  return send(verb, path, body, to).catch(() => undefined);
}
