import type { IncomingRequest, Peer } from "../../src/index.ts";
import { headersFor, redirect, servePage, type Assets } from "../../src/host/page.ts";
import { varsApi } from "../../src/vars/index.ts";
import type { Authority } from "./authority.ts";
import { isClocked } from "./clock.ts";
import type { Response as PlainResponse } from "../http/response.ts";

/** The authority and the console that a server serves. */
export interface Site {
  readonly authority: Authority;
  /** The console at `/demo/`; absent if it was not built. */
  readonly assets?: Assets;
  /** Test hook: sets the clock (Unix ms) and resolves once the due jobs have run. */
  setClock?(now: number): Promise<void>;
}

const isEngine = /^\/(?:v1|\.well-known\/est)\//;

/** Responds to any request to a server. Never rejects. */
export async function respond(
  { authority, assets, setClock }: Site,
  request: IncomingRequest,
  peer: Peer,
): Promise<PlainResponse> {
  const { method, url } = request;
  const { pathname } = url;
  const { ca, allowedOrigins } = authority;
  if (isEngine.test(pathname) || varsApi.answers(pathname))
    return ca.respond(request, { allowedOrigins, peer });
  if (pathname === "/demo" || pathname.startsWith("/demo/"))
    return plain(await servePage(platformRequest(request), url, assets));
  if (pathname === "/") return plain(redirect("/demo/", url));
  if (isClocked && setClock && method === "PUT" && pathname === "/test/clock")
    return clockResponse(request, setClock);
  return json(404, { errors: [] }, headersFor(url));
}

/** Converts a request for the console, which has no body, to the platform's `Request`. */
const platformRequest = ({ method, url, headers }: IncomingRequest): Request => {
  const names = ["accept-encoding", "if-none-match"];
  const sent = names.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as [string, string]];
  });
  // the Request constructor rejects some methods, which the console does not use
  const requestMethod = method === "GET" || method === "HEAD" ? method : "POST";
  return new Request(url.origin + url.pathname + url.search, {
    method: requestMethod,
    headers: sent,
  });
};

async function plain(response: Response): Promise<PlainResponse> {
  const { "content-length": _, ...headers } = Object.fromEntries(response.headers);
  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers, body };
}

async function clockResponse(
  { body }: IncomingRequest,
  setClock: NonNullable<Site["setClock"]>,
): Promise<PlainResponse> {
  const text = new TextDecoder().decode(await body.read(1000, "too large"));
  const { now }: { readonly now?: unknown } = JSON.parse(text);
  if (typeof now !== "number")
    return json(400, { errors: ["now must be a number of Unix milliseconds"] });
  await setClock(now);
  return { status: 204, headers: {}, body: null };
}

const json = (status: number, body: unknown, headers = {}): PlainResponse => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
});
