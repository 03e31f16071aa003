import type { Ca, HttpOptions } from "../../src/index.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { findEndpoint, patternFor, variables } from "./places.ts";

type Members = Readonly<Record<string, unknown>>;
/** A successful request and its response. */
export interface GrantedRequest {
  readonly endpoint: AnyEndpoint;
  readonly method: string;
  /** Path pattern under `base`, with parameter names, as declared in routes. */
  readonly shape: string;
  readonly base: string;
  /** Parameters in the path and the query. */
  readonly parameters: Members;
  /** JSON document in the request, if any. */
  readonly body: Members | undefined;
  readonly status: number;
  /** Media type of the response without parameters; empty if the response has no body. */
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Returns a response header. Throws if it is absent. */
  header(name: string): string;
  /** JSON document in the response, if any. */
  readonly document: unknown;
  /**
   * Returns the string at a path in the response, such as `data.keys.0`. Throws if there is none.
   */
  text(path: string): string;
}
/** Options for sending a request. */
export interface SendOptions {
  readonly token?: string;
  readonly header?: Readonly<Record<string, string>>;
  /** Path of the mount or the login method, if it is not the usual one. */
  readonly at?: string;
  readonly peer?: NonNullable<HttpOptions["peer"]>;
}
/** A function that calls the endpoint with an ID. Rejects with the server's error. */
export type Send = (id: string, input?: Members, manner?: SendOptions) => Promise<GrantedRequest>;
/** The tokens for the authority and for its variables API. */
export interface Tokens {
  readonly engine: string;
  readonly variables: string;
}

/**
 * Returns a function that sends requests to an authority and passes each successful request to
 * `hear`.
 */
export const sender =
  (ca: Ca, tokens: Tokens, hear: (came: GrantedRequest) => void): Send =>
  async (id, input = {}, manner = {}) => {
    const { base, endpoint } = findEndpoint(id);
    const asked = prepareRequest(endpoint, input, manner.at ?? base);
    const { token = base === variables ? tokens.variables : tokens.engine } = manner;
    const request = new Request(`http://127.0.0.1:8787${asked.address}`, {
      method: asked.verb,
      headers: { ...asked.headers, ...credential(base, token), ...manner.header },
      ...(asked.sent === undefined ? {} : { body: asked.sent }),
    });
    const response = await ca.fetch(request, manner.peer ? { peer: manner.peer } : {});
    const came = await cameOf(response, asked);
    if (came.status >= 400)
      throw new Error(
        `${id}: ${asked.address} ${came.status} ${new TextDecoder().decode(came.bytes)}`,
      );
    hear(came);
    return came;
  };

const credential = (base: string, token: string): Readonly<Record<string, string>> =>
  token === ""
    ? {}
    : base === variables
      ? { authorization: `Bearer ${token}` }
      : { "x-service-token": token };

const encoded = (value: unknown): string =>
  String(value).split("/").map(encodeURIComponent).join("/");

/** A request to send: the members of `GrantedRequest`, and the HTTP request. */
interface PreparedRequest extends Pick<
  GrantedRequest,
  "endpoint" | "method" | "shape" | "base" | "parameters" | "body"
> {
  readonly address: string;
  readonly verb: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sent: BodyInit | undefined;
}
function prepareRequest(endpoint: AnyEndpoint, input: Members, base: string): PreparedRequest {
  const { method, path: shape, names } = patternFor(endpoint, input);
  const { whole, accepts, name: style } = endpoint.style;
  const writes = method === "POST" || method === "PATCH";
  const isBody = (name: string) =>
    !names.includes(name) &&
    (whole === undefined ? writes || (style === "jsonapi" && method === "DELETE") : name === whole);
  const part = (inBody: boolean) =>
    Object.fromEntries(Object.entries(input).filter(([name]) => isBody(name) === inBody));
  const [body, parameters] = [part(true), part(false)];
  const query = new URLSearchParams(
    Object.entries(parameters)
      .filter(([name]) => !names.includes(name))
      .map(([name, value]) => [name, String(value)]),
  );
  if (method === "LIST") query.set("list", "true");
  const path = base + shape.replace(/:(\w+)\+?/g, (_, name: string) => encoded(input[name]));
  const bytes = whole === undefined ? undefined : body[whole];
  const document = bytes === undefined && Object.keys(body).length > 0 ? body : undefined;
  const media = accepts[method] ?? accepts["POST"] ?? "application/json";
  return {
    endpoint,
    method,
    shape,
    base,
    parameters,
    body: document,
    address: `${path}${query.size ? `?${query}` : ""}`,
    verb: method === "LIST" ? "GET" : method,
    headers: bytes === undefined && !document ? {} : { "content-type": media },
    // an endpoint that accepts no document accepts bytes as its body
    sent: document ? JSON.stringify(document) : (bytes as BodyInit | undefined),
  };
}

async function cameOf(response: Response, asked: PreparedRequest): Promise<GrantedRequest> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const type = (response.headers.get("content-type") ?? "").replace(/;.*/, "");
  const text = new TextDecoder().decode(bytes);
  const document: unknown = /\bjson$/.test(type) && text !== "" ? JSON.parse(text) : undefined;
  const { endpoint, method, shape, base, parameters, body } = asked;
  return {
    endpoint,
    method,
    shape,
    base,
    parameters,
    body,
    status: response.status,
    type: bytes.length === 0 ? "" : type,
    bytes,
    document,
    header(name) {
      const value = response.headers.get(name);
      if (value === null) throw new Error(`${endpoint.id}: the response has no header ${name}`);
      return value;
    },
    text(path) {
      let at = document;
      for (const name of path.split("."))
        at =
          typeof at === "object" && at !== null
            ? Object.entries(at).find(([key]) => key === name)?.[1]
            : undefined;
      if (typeof at !== "string") throw new Error(`${endpoint.id}: no text at ${path}: ${text}`);
      return at;
    },
  };
}
