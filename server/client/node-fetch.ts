import type { IncomingMessage } from "node:http";
import { request as requestByTls } from "node:https";
import { buffer } from "node:stream/consumers";
import type { Fetch } from "../../src/client/index.ts";
import { request as requestByHttp } from "./node-http.ts";
import { trustedRoots } from "./trusted-roots.ts";

/** The options of a connection. */
export interface ConnectionOptions {
  /** Path of a Unix socket to which to connect, regardless of the URL's host. */
  readonly socketPath?: string | undefined;
  /** Root certificate (PEM) to which the server's certificate must chain. */
  readonly ca?: string | undefined;
  /** PEM of a client certificate with its chain; `key` is the PEM of its private key. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
  /** Aborts requests, in addition to the signal of each request. */
  readonly signal?: AbortSignal | undefined;
  /** Accepts any server certificate; only for requests without secrets. */
  readonly anyCertificate?: true;
}

/** Returns a `fetch` with these connection options, which the platform's `fetch` lacks. */
export function fetchWith(options: ConnectionOptions): Fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    const { method = "GET", headers, body, signal } = init;
    const signals = [signal, options.signal].filter((one) => one instanceof AbortSignal);
    // the typed client sends only bytes
    const bytes = body instanceof Uint8Array ? body : undefined;
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const how = {
        method,
        headers: {
          ...Object.fromEntries(new Headers(headers)),
          ...(bytes ? { "content-length": bytes.length } : {}),
        },
        ...(signals.length > 0 ? { signal: AbortSignal.any(signals) } : {}),
        // no keep-alive, so that the process exits once the command has its response
        agent: false,
      };
      const { socketPath, ca = trustedRoots(), cert, key, anyCertificate } = options;
      const request =
        url.protocol === "https:"
          ? requestByTls(url, { ...how, ca, cert, key, rejectUnauthorized: !anyCertificate })
          : requestByHttp(url, { ...how, ...(socketPath === undefined ? {} : { socketPath }) });
      request.once("error", reject).once("response", resolve).end(bytes);
    });
    const received = await buffer(answer);
    const { statusCode: status = 0 } = answer;
    // `Response` does not accept a body with these statuses
    return new Response(status === 204 || status === 304 ? null : new Uint8Array(received), {
      status,
      headers: Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      ),
    });
  };
}
