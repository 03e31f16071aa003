import type { Answer, ClientCall, Signal, Transport } from "./call.ts";

/** The platform's own `fetch`. */
export type Fetch = typeof globalThis extends { fetch: infer F }
  ? F
  : (url: string, init: object) => Promise<object>;

/** Options of a client's HTTP transport. */
export interface TransportOptions {
  /**
   * Header for the token: `x-service-token` (the default), `x-vault-token`, or `authorization` with
   * `Bearer`. With the latter two, the status for a missing issuer or key is 500, as clients that
   * use these headers expect.
   */
  readonly header?: "x-service-token" | "x-vault-token" | "authorization";
  /**
   * Milliseconds after which a call, including its retries, rejects with a `TimeoutError`. By
   * default, there is no timeout.
   */
  readonly timeout?: number;
  /** Aborts all calls. */
  readonly signal?: Signal;
  /**
   * Number of retries after status 503; 2 by default. A call that changes something is only retried
   * if the response has `Retry-After`, because the server has then changed nothing. A change in the
   * variables API is never retried.
   */
  readonly retries?: number;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** Maximum delay for `Retry-After` in milliseconds. */
const maxWait = 30_000;

/**
 * Returns an HTTP transport to a remote authority with this URL, which may end with a slash.
 * `token` is the token, or a function that is called for each call and returns the token. It is
 * sent in one header and to no other server, because redirects are not followed. For the variables
 * API, it is always sent as `Bearer`.
 */
export function httpTransport(
  url: string,
  token: string | (() => string | Promise<string>),
  options: TransportOptions = {},
): Transport {
  const base = url.replace(/\/+$/, "");
  const { retries = 2 } = options;
  return async (call) => {
    const signal = signalOf([options.signal, call.signal], call.timeout ?? options.timeout);
    for (let tried = 0; ; tried++) {
      const currentToken = typeof token === "string" ? token : await token();
      const request = requestOf(call, tokenHeader(call, currentToken, options));
      const answer = await answerTo(
        base + call.path + queryOf(call),
        { ...request, signal },
        options,
      );
      const wait = tried < retries ? waitAfter(call, answer, tried) : undefined;
      if (wait === undefined) return answer;
      // a signal that is already aborted fires no event
      signal?.throwIfAborted();
      await pause(wait, signal);
    }
  };
}

/** Returns the signal that aborts a call, or undefined if there is none. */
function signalOf(
  signals: readonly (AbortSignal | undefined)[],
  timeout: number | undefined,
): AbortSignal | null {
  const all = [...signals, timeout === undefined ? undefined : AbortSignal.timeout(timeout)].filter(
    (signal) => signal !== undefined,
  );
  return all.length > 1 ? AbortSignal.any(all) : (all[0] ?? null);
}

const tokenHeader = (
  { bearer }: ClientCall,
  token: string,
  { header = "x-service-token" }: TransportOptions,
): Readonly<Record<string, string>> =>
  bearer || header === "authorization" ? { authorization: `Bearer ${token}` } : { [header]: token };

const requestOf = (
  { method, type, body, wrapTtl }: ClientCall,
  headers: Readonly<Record<string, string>>,
): RequestInit => ({
  // not every platform supports the method LIST
  method: method === "LIST" ? "GET" : method,
  redirect: "manual",
  headers: {
    ...headers,
    ...(wrapTtl === undefined ? {} : { "x-service-wrap-ttl": wrapTtl }),
    ...(type === undefined ? {} : { "content-type": type }),
  },
  // these bytes are in a buffer of this module, and never in shared memory
  ...(body === undefined ? {} : { body: body as BodyInit }),
});
function queryOf({ method, query }: ClientCall): string {
  const all = method === "LIST" ? [...query, ["list", "true"] as const] : query;
  return all.length === 0 ? "" : `?${new URLSearchParams(all.map((one) => [...one]))}`;
}

async function answerTo(
  url: string,
  request: RequestInit,
  { fetch: send = fetch }: TransportOptions,
): Promise<Answer> {
  const response = await send(url, request);
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: response.status === 204 ? null : new Uint8Array(await response.arrayBuffer()),
  };
}

/** Returns the milliseconds after which a call is retried, or undefined if it is not retried. */
function waitAfter(
  { method, bearer }: ClientCall,
  { status, headers }: Answer,
  tried: number,
): number | undefined {
  if (status !== 503) return undefined;
  const named = millisecondsOf(headers["retry-after"] ?? "");
  // an authority sends `Retry-After` only if it has changed nothing, except for the variables API
  if (method !== "GET" && method !== "LIST" && (named === undefined || bearer)) return undefined;
  const wait = named ?? 500 * 2 ** tried;
  return wait <= maxWait ? wait : undefined;
}
/**
 * Parses Retry-After, which contains seconds or a date (RFC 9110 section 10.2.3). Returns undefined
 * for other values, even if `Date.parse` accepts them, such as "-5".
 */
function millisecondsOf(named: string): number | undefined {
  if (/^\d+$/.test(named)) return Number(named) * 1000;
  const at = /^[A-Z][a-z]+, .* GMT$/.test(named) ? Date.parse(named) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

/** Waits. If a signal aborts, rejects with its reason. */
const pause = (milliseconds: number, signal: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const ended = (): void => {
      clearTimeout(timer);
      // the owner of a signal chooses its reason, which need not be an error
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", ended, { once: true });
  });
