import { request, type ClientRequest, type IncomingMessage } from "node:http";
import { request as requestByTls } from "node:https";

/** A server to ask: the path of its Unix socket, or its address. */
export type Target = string | URL;

/** What goes with a request. */
export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds without a byte, after which "timeout" is told. */
  readonly timeout: number;
  /** A server may have any certificate: nothing secret is sent. */
  readonly anyCertificate?: true;
  /** It is a POST of this. */
  readonly body?: Uint8Array;
}

/** Sends a GET of a path below the target, or a POST. */
export function sendTo(
  target: Target,
  path: string,
  asking: Asking,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  const asked = opened(target, path, asking, answered);
  asked.end(asking.body);
  return asked;
}
function opened(
  target: Target,
  path: string,
  { headers = {}, timeout, anyCertificate, body }: Asking,
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
    ? requestByTls(at, { ...how, rejectUnauthorized: !anyCertificate }, answered)
    : request(at, how, answered);
}
