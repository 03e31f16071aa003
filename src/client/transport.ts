import type { Answer, ClientCall, Signal, Transport } from "./call.ts";

/** The platform's own `fetch`. */
export type Fetch = typeof globalThis extends { fetch: infer F }
  ? F
  : (url: string, init: object) => Promise<object>;

/** Options of a client's HTTP transport. */
export interface TransportOptions {
  /**
   * Header for the token: `x-service-token` (the default), `x-vault-token`, or `authorization` with
   * `Bearer`. With the latter two, a missing issuer or key is refused with status 500, as clients
   * that use them expect.
   */
  readonly header?: "x-service-token" | "x-vault-token" | "authorization";
  /**
   * Milliseconds after which a call rejects with a `TimeoutError`, including retries; none by
   * default.
   */
  readonly timeout?: number;
  /** Aborts all calls. */
  readonly signal?: Signal;
  /**
   * Number of retries after status 503: 2 by default, 0 for none. A call that changes something is
   * only retried if the response has `Retry-After`: the server has then done nothing yet. A change
   * of the variables API is never retried.
   */
  readonly retries?: number;
  /** Replaces the platform's `fetch`. */
  readonly fetch?: Fetch;
}

/** Maximum time in milliseconds for which `Retry-After` is honoured. */
const maxWait = 30_000;

/**
 * Returns an HTTP transport to a remote authority; `url` is its address, with or without a trailing
 * slash. The token, or the result of a function called for each call, is sent in one header and,
 * because redirects are not followed, nowhere else. Calls of the variables API always send it as
 * `Bearer`.
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

/** Returns the signal that aborts a call; undefined if nothing does. */
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
  // bytes in our own buffer, never in shared memory
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

/** Returns the milliseconds after which a call is retried; undefined if it is not. */
function waitAfter(
  { method, bearer }: ClientCall,
  { status, headers }: Answer,
  tried: number,
): number | undefined {
  if (status !== 503) return undefined;
  const named = millisecondsOf(headers["retry-after"] ?? "");
  // an authority sends `Retry-After` if it has changed nothing; the variables API also does
  // otherwise
  if (method !== "GET" && method !== "LIST" && (named === undefined || bearer)) return undefined;
  const wait = named ?? 500 * 2 ** tried;
  return wait <= maxWait ? wait : undefined;
}
/**
 * Parses Retry-After: seconds, or a date (RFC 9110 section 10.2.3); undefined for other values.
 * Platforms parse almost any text with a digit as a date, such as "-5".
 */
function millisecondsOf(named: string): number | undefined {
  if (/^\d+$/.test(named)) return Number(named) * 1000;
  const at = /^[A-Z][a-z]+, .* GMT$/.test(named) ? Date.parse(named) : NaN;
  return Number.isNaN(at) ? undefined : Math.max(at - Date.now(), 0);
}

/** Waits, unless a signal aborts; then rejects with its reason. */
const pause = (milliseconds: number, signal: AbortSignal | null): Promise<void> =>
  new Promise((resolve, reject) => {
    const ended = (): void => {
      clearTimeout(timer);
      // the reason of a signal is chosen by its owner, and need not be an error
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", ended, { once: true });
  });
