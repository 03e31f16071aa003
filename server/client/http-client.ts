import type { ClientRequest, IncomingMessage } from "node:http";
import { request as requestByTls } from "node:https";
import { request } from "./node-http.ts";
import { trustedRoots } from "./trusted-roots.ts";

/** The path of a server's Unix socket, or its URL. */
export type Target = string | URL;

/** The options of a request. */
interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Time without any data after which the request emits `timeout` (ms). */
  readonly timeout: number;
  /** Accepts any server certificate; only for requests without secrets. */
  readonly anyCertificate?: true;
  /** Root certificate (PEM) to which the server's certificate must chain. */
  readonly ca?: string;
  /** The body of a POST. If absent, the request is a GET. */
  readonly body?: Uint8Array;
}

/** Sends a request to a server. */
export function sendRequest(
  target: Target,
  path: string,
  options: RequestOptions,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  const sent = openRequest(target, path, options, answered);
  sent.end(options.body);
  return sent;
}
function openRequest(
  target: Target,
  path: string,
  { headers = {}, timeout, anyCertificate, ca, body }: RequestOptions,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  const how = {
    method: body ? "POST" : "GET",
    timeout,
    headers: { ...headers, ...(body ? { "content-length": body.length } : {}) },
  };
  if (typeof target === "string")
    return request(
      { ...how, socketPath: target, path, headers: { host: "localhost", ...how.headers } },
      answered,
    );
  const at = new URL(`${target.pathname.replace(/\/$/, "")}${path}`, target);
  return at.protocol === "https:"
    ? requestByTls(
        at,
        { ...how, ca: ca ?? trustedRoots(), rejectUnauthorized: !anyCertificate },
        answered,
      )
    : request(at, how, answered);
}

/** Timeout (ms) that is longer than any response takes while the database is reachable. */
export const replyTimeout = 5_000;

/**
 * Timeout (ms) of a server's requests to itself while it starts. It is long, because a late
 * response skips a check, and starting on a busy machine is slow.
 */
const ownReplyTimeout = 60_000;
/**
 * Fetches JSON from a starting server. Resolves with undefined if the response is missing, late or
 * not JSON.
 */
export function fetchJson(
  target: Target,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<unknown> {
  return new Promise((resolve) => {
    const request = sendRequest(target, path, { headers, timeout: ownReplyTimeout }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => (text += part));
      answer.once("error", () => resolve(undefined));
      answer.once("end", () => resolve(parseIfJson(text)));
    });
    request.once("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
    request.once("close", () => resolve(undefined));
  });
}

/** Parses JSON. Returns undefined if the text is not JSON. */
export function parseIfJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
