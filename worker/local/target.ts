import { get, type ClientRequest, type IncomingMessage } from "node:http";
import { get as getByTls } from "node:https";

/** A server to ask: the path of its Unix socket, or its address. */
export type Target = string | URL;

/** What goes with a request. */
export interface Asking {
  readonly headers?: Readonly<Record<string, string>>;
  /** Milliseconds without a byte, after which "timeout" is told. */
  readonly timeout: number;
  /** A server may have any certificate: nothing secret is sent. */
  readonly anyCertificate?: true;
}

/** Sends a GET of a path below the target. */
export function getFrom(
  target: Target,
  path: string,
  { headers = {}, timeout, anyCertificate }: Asking,
  answered: (answer: IncomingMessage) => void,
): ClientRequest {
  if (typeof target === "string")
    return get(
      { socketPath: target, path, headers: { host: "localhost", ...headers }, timeout },
      answered,
    );
  const at = new URL(`${target.pathname.replace(/\/$/, "")}${path}`, target);
  return at.protocol === "https:"
    ? getByTls(at, { headers, timeout, rejectUnauthorized: !anyCertificate }, answered)
    : get(at, { headers, timeout }, answered);
}
