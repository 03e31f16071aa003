/** JSON for tests: nested members are read by a path. */
export type Json = Readonly<Record<string, unknown>>;

/** A reply with its body. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  readonly json: Json;
  /** Returns the text at a path such as `auth.client_token`. Throws if there is none. */
  at(path: string): string;
}
/** Differences from a request with the root token and a JSON body. */
export interface AskOptions {
  readonly body?: unknown;
  /** "" for none. */
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
/** Sends a request to a server; a path without a leading slash is below `/v1`. */
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Reply>;

/** Returns a function that sends requests to a server, using a function like `fetch`. */
export function askBy(
  fetch: (request: Request) => Promise<Response>,
  address: string,
  root: string,
): Ask {
  return async (method, path, { body, token = root, headers = {} } = {}) => {
    const request = new Request(`${address}${path.startsWith("/") ? path : `/v1/${path}`}`, {
      method,
      headers: {
        ...(token === "" ? {} : tokenHeader(path, token)),
        ...(body !== undefined && !(body instanceof Uint8Array)
          ? { "content-type": "application/json" }
          : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: bodyOf(body) }),
    });
    return replyOf(await fetch(request), `${method} ${path}`);
  };
}

const tokenHeader = (path: string, token: string): Record<string, string> =>
  path.startsWith("/api/") ? { authorization: `Bearer ${token}` } : { "x-service-token": token };
const bodyOf = (body: unknown): string | Uint8Array<ArrayBuffer> =>
  body instanceof Uint8Array
    ? new Uint8Array(body)
    : typeof body === "string"
      ? body
      : JSON.stringify(body);

async function replyOf(response: Response, what: string): Promise<Reply> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const json = (/\bjson\b/.test(response.headers.get("content-type") ?? "") && text !== ""
    ? JSON.parse(text)
    : {}) as unknown as Json;
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    json,
    at(path) {
      const value = memberAt(json, path);
      if (typeof value !== "string")
        throw new Error(`${what}: ${response.status} has no ${path}: ${text.slice(0, 300)}`);
      return value;
    },
  };
}

/** Returns the value at a path such as `data.keys`. */
export const memberAt = (json: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) =>
        typeof value === "object" && value !== null ? (value as Json)[name] : undefined,
      json,
    );

/** Sends a request that must succeed. */
export async function done(send: Ask, ...request: Parameters<Ask>): Promise<Reply> {
  const reply = await send(...request);
  if (reply.status >= 300)
    throw new Error(`${request[0]} ${request[1]}: ${reply.status} ${reply.text.slice(0, 400)}`);
  return reply;
}
