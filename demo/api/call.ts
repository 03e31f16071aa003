import { place } from "../lib/place.ts";
import type { SettingChanges } from "../lib/settings.ts";
import {
  queryOf,
  requestOf,
  type Endpoint,
  type EndpointRequest,
  type InputOf,
  type Method,
  type ReplyOf,
} from "./endpoint.ts";
import { expirePermissions, expireAfterChange, requirePermission } from "./permissions.ts";
import { ApiError, bytes, request, type Reply } from "./transport.ts";
import { notifyWindows } from "../lib/window-channel.ts";

/**
 * The arguments of a call: the endpoint's input, and the path under `/v1/` that precedes relative
 * paths (by default the current mount).
 */
type Arguments<M extends Method> = undefined extends Parameters<M>[0]
  ? [input?: InputOf<M>, at?: string]
  : [input: InputOf<M>, at?: string];
/**
 * Calls an endpoint. Members of the input that are not in the path become the body or the query.
 */
export async function call<M extends Method>(
  endpoint: Endpoint<M>,
  ...[input, at = place.get().mount]: Arguments<M>
): Promise<Reply<ReplyOf<M>>> {
  return typed(endpoint, await perform(requestOf(endpoint, input, at)));
}

/** Pending reads, by server, token, verb and path. */
const pending = new Map<string, Promise<Reply<unknown>>>();

/**
 * Sends a request, unless the token's rules deny it. Identical concurrent reads share a single
 * request, but a read after a change never shares a request that was sent before the change.
 */
export function perform(to: EndpointRequest): Promise<Reply<unknown>> {
  if (to.verb !== "GET" && to.verb !== "LIST") {
    pending.clear();
    return sendAllowed(to).finally(() => pending.clear());
  }
  const { base, token } = place.get();
  const key = [base, token, to.verb, to.path].join(" ");
  const shared = pending.get(key);
  if (shared) return shared;
  const reply = sendAllowed(to).finally(() => {
    if (pending.get(key) === reply) pending.delete(key);
  });
  pending.set(key, reply);
  return reply;
}
/** Reports whether a request may change data. Reads and dry runs do not. */
const isChange = ({ verb, path }: EndpointRequest): boolean =>
  verb !== "GET" &&
  verb !== "LIST" &&
  !/\/explain\/|\/batch\/|^sys\/(?:capabilities|policies\/test|leases\/lookup|wrapping|tools)|^auth\/token\/lookup|\/check$/.test(
    path,
  );

async function sendAllowed(to: EndpointRequest): Promise<Reply<unknown>> {
  await requirePermission(to);
  try {
    const reply = await request(to.verb, to.path, to.body);
    expireAfterChange(to);
    if (isChange(to)) notifyWindows();
    return reply;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) expirePermissions();
    throw error;
  }
}

/** Returns a response, typed as the endpoint declares. */
export const typed = <M extends Method>(_: Endpoint<M>, reply: Reply<unknown>): Reply<ReplyOf<M>> =>
  reply as Reply<ReplyOf<M>>;

/** Names of the input members that a form can set. */
type SettingName<M extends Method> = Extract<keyof InputOf<M>, string>;

/** Calls an endpoint with the changed settings of a form and the input members `own`. */
export const callWithSettings = <M extends Method, Own extends Partial<InputOf<M>>>(
  endpoint: Endpoint<M>,
  settings: SettingChanges<SettingName<M>>,
  own?: Own,
): Promise<Reply<ReplyOf<M>>> => {
  // the compiler cannot infer a member's type from the kind of its form field
  const input = { ...settings, ...own } as Partial<InputOf<M>>;
  return perform(requestOf(endpoint, input, place.get().mount)).then((reply) =>
    typed(endpoint, reply),
  );
};

/** Calls an endpoint and returns the `data` of the response. */
export const readData = async <M extends Method>(
  endpoint: Endpoint<M>,
  ...input: Arguments<M>
): Promise<ReplyOf<M>> => (await call(endpoint, ...input)).data;

/**
 * Calls an endpoint whose responses have no envelope, and returns the bytes, or undefined if the
 * response is empty.
 */
export const readBytes = async <
  M extends (input: never) => Promise<Uint8Array | string | undefined>,
>(
  endpoint: Endpoint<M>,
  ...[input, at = place.get().mount]: Arguments<M>
): Promise<Uint8Array<ArrayBuffer> | undefined> => bytes(requestOf(endpoint, input, at).path);

/**
 * Calls an endpoint with bytes as the body. Members of the input that are not in the path become
 * the query.
 */
export async function sendBytes<M extends Method>(
  endpoint: Endpoint<M>,
  input: Partial<InputOf<M>>,
  body: Blob,
): Promise<ReplyOf<M>> {
  const { body: rest = {}, ...to } = requestOf(endpoint, input);
  return typed(endpoint, await perform({ ...to, path: to.path + queryOf(rest), body })).data;
}

/** The details of the entries of a listing, by key. */
type InfoOf<R> = R extends { readonly key_info?: infer I }
  ? NonNullable<I>
  : Readonly<Record<string, never>>;
type Listing = { readonly keys: readonly string[]; readonly key_info?: unknown };

/**
 * Calls a list endpoint, and returns the keys with their details. Status 404 means that the list is
 * empty.
 */
export async function listing<M extends (input: never) => Promise<Listing>>(
  endpoint: Endpoint<M>,
  ...input: Arguments<M>
): Promise<{ readonly keys: readonly string[]; readonly info: InfoOf<ReplyOf<M>> }> {
  const result = await findData(endpoint, ...input);
  const { keys = [], key_info: info = {} } = result ?? {};
  // the endpoint declares the type of the details
  return { keys, info: info as InfoOf<ReplyOf<M>> };
}

/**
 * Calls an endpoint and returns the `data` of the response, or undefined if the response is a 404
 * without an error message.
 */
export async function findData<M extends Method>(
  endpoint: Endpoint<M>,
  ...input: Arguments<M>
): Promise<ReplyOf<M> | undefined> {
  try {
    return await readData(endpoint, ...input);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && error.bare) return undefined;
    throw error;
  }
}
