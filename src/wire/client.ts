import { CaError, type Refusal, refusals } from "../base/errors.ts";
import { utf8 } from "../base/bytes.ts";
import { library } from "./dialect.ts";
import type { WrapInfo } from "./wrapped.ts";
import type { Call, Reply } from "./call.ts";
import type { Client, WrappedClient } from "./client-types.ts";
import type { AnyEndpoint } from "./endpoint.ts";
import { isObject, parseBody, refusalOf, RefusedError } from "./refused.ts";
import { parametersOf, spellings } from "./spelling.ts";

/** Carries a call to an authority and brings the reply back. */
export type Transport = (call: Call) => Promise<Reply>;
/**
 * A typed client of the endpoints below `base` (such as `/v1/sys`) over any transport. Its methods
 * throw `RefusedError`, and `TypeError` where a parameter of the path is missing or cannot stand in
 * one. The tables of endpoints bring the engine with them (about 71 kB compressed), because
 * handlers are part of them; this module alone is 2 kB.
 */
export function client<const Es extends readonly AnyEndpoint[]>(
  endpoints: Es,
  base: string,
  send: Transport,
): Client<Es> {
  // built from the same list that the type is built from
  return methodsOf(endpoints, base, send, readReply) as unknown as Client<Es>;
}

/**
 * A client of the same endpoints whose replies are put behind wrapping tokens for `ttl`, such as
 * "5m": its methods give the token and what is told of it, and `unwrap` of the table `sys` gives
 * the reply, once. Throws `RefusedError` also for a reply that is not wrapped, such as an empty
 * one.
 */
export function wrappedClient<const Es extends readonly AnyEndpoint[]>(
  endpoints: Es,
  base: string,
  send: Transport,
  ttl: string,
): WrappedClient<Es> {
  // built from the same list that the type is built from
  return methodsOf(
    endpoints,
    base,
    (call) => send({ ...call, wrapTtl: ttl }),
    readWrapInfo,
  ) as unknown as WrappedClient<Es>;
}

type Read = (endpoint: AnyEndpoint, reply: Reply) => unknown;
const methodsOf = (
  endpoints: readonly AnyEndpoint[],
  base: string,
  send: Transport,
  read: Read,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    endpoints.map((endpoint) => {
      const known = { endpoint, spelled: spelledFor(endpoint), base, send };
      const method = async (input: Readonly<Record<string, unknown>> = {}) =>
        read(endpoint, await invoke(known, input));
      return [endpoint.id, method];
    }),
  );

/** One way to spell an endpoint's address. */
interface Spelled {
  readonly method: string;
  readonly path: string;
  /** The parameters of the path. */
  readonly names: readonly string[];
}
/** Every spelling, those with the most parameters first. */
const spelledFor = (endpoint: AnyEndpoint): readonly Spelled[] =>
  spellings(endpoint)
    .map(([method, path]) => ({ method, path, names: parametersOf(path) }))
    .sort((a, b) => b.names.length - a.names.length);

const noQuery = new URLSearchParams();

/** What a method of a client knows of itself. */
interface Known {
  readonly endpoint: AnyEndpoint;
  readonly spelled: readonly Spelled[];
  readonly base: string;
  readonly send: Transport;
}
async function invoke(
  { endpoint, spelled, base, send }: Known,
  input: Readonly<Record<string, unknown>>,
): Promise<Reply> {
  const { method, path, names } = spellingFor(endpoint, spelled, input);
  const url = path.replace(/:(\w+)(\+?)/g, (_, name: string, many: string) =>
    encoded(name, String(input[name]), many !== "" && !endpoint.rawRest),
  );
  const members = Object.entries(input).filter(
    ([name, value]) => !names.includes(name) && value !== undefined,
  );
  const writes = method === "POST" || method === "PATCH";
  const query = writes
    ? noQuery
    : new URLSearchParams(members.map(([name, value]) => [name, String(value)]));
  const type = endpoint.style.accepts[method] ?? "application/json";
  const reply = await send({
    method,
    path: base + url,
    query,
    header: (name) => (name.toLowerCase() === "content-type" ? type : null),
    body: writes ? bodyOf(endpoint, Object.fromEntries(members)) : new Uint8Array(0),
    token: undefined,
    dialect: library,
  });
  // a redirection is not followed, because it would carry the token to wherever it leads
  if (reply.status < 200 || reply.status >= 300) throw refusalOf(reply, method, base + url);
  return reply;
}

function bodyOf(
  { style: { whole }, id }: AnyEndpoint,
  members: Readonly<Record<string, unknown>>,
): Uint8Array {
  if (whole === undefined) return utf8(JSON.stringify(members));
  const { [whole]: body } = members;
  if (!(body instanceof Uint8Array)) throw new TypeError(`${id} needs ${whole}`);
  return body;
}

/**
 * A parameter as it stands in a path. What a URL would swallow or take for another path is refused.
 */
function encoded(name: string, value: string, many: boolean): string {
  const segments = many ? value.split("/") : [value];
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new TypeError(`${name} cannot be ${JSON.stringify(value)}`);
  return segments.map(encodeURIComponent).join("/");
}

/** The spelling with the most parameters that the input has values for. */
function spellingFor(
  endpoint: AnyEndpoint,
  spelled: readonly Spelled[],
  input: Readonly<Record<string, unknown>>,
): Spelled {
  const best = spelled.find(({ names }) => names.every((name) => input[name] !== undefined));
  if (!best)
    throw new TypeError(
      `${endpoint.id} needs ${parametersOf(spellings(endpoint)[0]?.[1] ?? "").join(", ")}`,
    );
  return best;
}

function readReply(endpoint: AnyEndpoint, reply: Reply): unknown {
  if (reply.body === null || reply.status === 204) return undefined;
  if (endpoint.style.name === "raw")
    return {
      type: reply.headers["content-type"] ?? "",
      bytes: typeof reply.body === "string" ? utf8(reply.body) : reply.body,
    };
  const document = parseBody(reply.body);
  if (!isObject(document))
    throw new RefusedError(reply.status, ["the response is not one of this API"]);
  const { [endpoint.style.holds ?? "data"]: data, warnings } =
    endpoint.style.name === "envelope" ? document : { data: document, warnings: undefined };
  const texts =
    typeof warnings === "string"
      ? warnings.split("\n").filter(Boolean)
      : Array.isArray(warnings)
        ? warnings.map(String)
        : [];
  if (!isObject(data) && texts.length === 0) return data ?? undefined;
  const out: Record<string, unknown> = { ...(isObject(data) ? data : {}) };
  // a dialect may print such a field as text: it reads both; the others come as they are
  for (const [name, field] of Object.entries(endpoint.reply))
    if (field.print && out[name] !== undefined) out[name] = field.parse(out[name], name);
  return texts.length ? { ...out, warnings: texts } : out;
}
/** What stands in the place of a wrapped reply. */
function readWrapInfo(_: AnyEndpoint, { status, body }: Reply): WrapInfo {
  const document = body === null ? undefined : parseBody(body);
  const info = isObject(document) ? document["wrap_info"] : undefined;
  if (!isObject(info) || typeof info["token"] !== "string")
    throw new RefusedError(status, ["the reply was not wrapped"]);
  // an authority tells of a token in these members
  return info as unknown as WrapInfo;
}
/**
 * A transport over HTTP to an authority elsewhere: `url` is its address; the token goes into
 * `X-Service-Token` and, because redirections are not followed, nowhere else.
 */
export const httpTransport =
  (url: string, token: string | (() => string), send: typeof fetch = fetch): Transport =>
  async (call) => {
    const query = new URLSearchParams(call.query);
    if (call.method === "LIST") query.set("list", "true");
    const search = query.size ? `?${query}` : "";
    const writes = call.method === "POST" || call.method === "PATCH";
    const response = await send(`${url.replace(/\/+$/, "")}${call.path}${search}`, {
      method: call.method === "LIST" ? "GET" : call.method,
      redirect: "manual",
      headers: {
        "x-service-token": typeof token === "string" ? token : token(),
        ...(call.wrapTtl === undefined ? {} : { "x-service-wrap-ttl": call.wrapTtl }),
        ...(writes ? { "content-type": call.header("content-type") ?? "" } : {}),
      },
      // bytes of our own, never shared memory
      ...(writes ? { body: call.body as BodyInit } : {}),
    });
    const body = response.status === 204 ? null : new Uint8Array(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  };
export { CaError, refusals, RefusedError, type Refusal };
