import type { Bytes } from "../../src/base/bytes.ts";
import { requestOf, type Verb } from "./endpoint.ts";
import { listIssuers } from "./endpoints/pki.ts";
import { forgetRefused, place, type Place } from "../lib/place.ts";
import { createStore } from "../lib/store.ts";
import { closedHeader } from "../lib/closed-header.ts";
import { installWorker, reportFailure, hasNoCa } from "../lib/service-worker.ts";
import { visible } from "../lib/visible-text.ts";

/** An error from the server, or an error because the server did not respond (status 0). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: number;
  readonly call: string;
  /** Whether the response had no error message. */
  readonly bare: boolean;
  readonly request: string;
  /**
   * The permission that the token lacks, such as `list on pki/keys`. If this is set, the call was
   * not sent.
   */
  readonly lacks: string;
  constructor(
    status: number,
    text: string,
    call: string,
    { bare = false, request = "", lacks = "" } = {},
  ) {
    super(withoutPem(text));
    this.status = status;
    this.call = call;
    this.bare = bare;
    this.request = request;
    this.lacks = lacks;
  }
}

/** Removes PEM blocks from a message, because servers may quote their input. */
const withoutPem = (text: string): string =>
  text.replace(/:?\s*-----BEGIN ([A-Z0-9 ]+)-----[^]*?-----END \1-----;?/g, "");

/** The time since which the server has not responded; undefined while it responds. */
export const connectionLoss = createStore<{ since: Date | undefined }>({ since: undefined });

/** The last token that the server rejected as unknown. */
export const refusedToken = createStore({ token: "" });

/**
 * Records the loss of the connection, and returns the error for a call without a response. Browsers
 * do not disclose the cause to a page.
 */
export function noConnection({ kind, base }: Place, call: string): ApiError {
  if (kind === "worker") connectionLoss.set({ since: connectionLoss.get().since ?? new Date() });
  return new ApiError(0, `No connection to ${base}.`, call);
}

/**
 * Reports whether a change may have been applied despite an error, because the response was lost.
 */
export const isUnsure = (error: unknown): boolean =>
  error instanceof ApiError &&
  error.status === 0 &&
  /^(?:POST|PATCH|DELETE) /.test(error.call) &&
  !/\/explain\/|\/ocsp$/.test(error.call);

/**
 * Reports whether an error means that the server does not have the endpoint, because it is older
 * than this console.
 */
export const unknownCall = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 404 || error.status === 405);

/** Reports whether an error means that the token lacks permission for a call. */
export const isForbidden = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && !unknownToken(error);

/** A response: the warnings, and `data` of the envelope, or `auth` if it contains a token. */
export interface Reply<T> {
  readonly data: T;
  readonly warnings: readonly string[];
  /** The HTTP status of the response. Only `request` sets it, for responses with an envelope. */
  readonly status?: number;
}

/**
 * Reports whether a path would resolve outside `/v1/` or to a different path, because URL parsers
 * resolve dot segments.
 */
const isOutsideApi = (path: string): boolean =>
  /^\/|[\\#]|(?:^|\/)(?:\.|%2e){1,2}(?:[/?]|$)/i.test(path);

const typeOf = (verb: Verb, body: object): string =>
  body instanceof Blob
    ? body.type
    : verb === "PATCH"
      ? "application/merge-patch+json"
      : "application/json";

/** Returns the response of the CA in this browser while it has no issuers. */
const noIssuers = (): Response => Response.json({ errors: [] }, { status: 404 });

/** Sends a request to a server, by default the current one. */
export async function send(
  verb: Verb,
  path: string,
  body?: object,
  to = place.get(),
): Promise<Response> {
  const { kind, base, token } = to;
  if (kind === "browser") {
    const [address] = path.split("?");
    const isList = verb === "LIST" && address === requestOf(listIssuers, {}, "pki").path;
    if (isList && (await hasNoCa())) return noIssuers();
    await installWorker();
  }
  if (kind === "worker" && base === "")
    throw new ApiError(0, "Connect to a server first, under Settings.", "");
  // Workers reject the method LIST before any code runs. The query parameter is equivalent.
  const asQuery = verb === "LIST" && kind === "worker";
  if (isOutsideApi(path)) throw new ApiError(0, `${visible(path)}: not an API path.`, "");
  const headers = new Headers();
  if (token) headers.set("X-Service-Token", token);
  if (body) headers.set("Content-Type", typeOf(verb, body));
  const init: RequestInit = {
    method: asQuery ? "GET" : verb,
    headers,
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  };
  if (body) init.body = body instanceof Blob ? body : JSON.stringify(body);
  try {
    const response = await fetch(
      `${base}/v1/${path}${asQuery ? `${path.includes("?") ? "&" : "?"}list=true` : ""}`,
      init,
    );
    connectionLoss.set({ since: undefined });
    return response;
  } catch {
    throw noConnection(to, `${verb} /v1/${path}`);
  }
}

/** The envelope of every response under `/v1/`. */
export interface Envelope {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
  readonly warnings?: unknown;
  readonly auth?: unknown;
  readonly request_id?: unknown;
}

/**
 * Joins the lines of a message. Removes the heading of a list (`2 errors occurred:`) and the star
 * before each item.
 */
const sentence = (text: unknown): string =>
  String(text)
    .split("\n")
    .map((line) => line.replace(/^\s*\*\s/, "").trim())
    .filter((line) => line !== "" && !/^\d+ errors? occurred:$/.test(line))
    .join("; ");

/** Reports whether the media type of a response is JSON. */
export const isJson = (response: Response): boolean =>
  /\bjson\b/.test(response.headers.get("Content-Type") ?? "");

/**
 * Returns the error for a response that does not come from this API. The response usually comes
 * from a proxy or another site.
 */
export function notApi(response: Response, { base }: Place, call: string): ApiError {
  const page = /\bhtml\b/.test(response.headers.get("Content-Type") ?? "");
  return new ApiError(
    response.status,
    page
      ? `${base}: this address returned a web page, not the API.`
      : `${base}: this address is not a Sealwright API.`,
    call,
  );
}

/**
 * Returns `error`. If the response says that the browser's storage cannot be opened, also reports
 * this failure to the page.
 */
export function failed<T extends ApiError>(response: Response, error: T): T {
  if (response.headers.has(closedHeader)) reportFailure(error.message);
  return error;
}

/** Returns the error in a response, with the server's message. */
export async function refusal(response: Response, call: string): Promise<ApiError> {
  const text = await response.text();
  let envelope: Envelope = {};
  try {
    envelope = JSON.parse(text) as Envelope;
  } catch {
    // Some proxies respond with something other than JSON.
  }
  const errors = Array.isArray(envelope.errors)
    ? envelope.errors.map(sentence).filter(Boolean).join("; ")
    : "";
  const plain =
    errors ||
    { 403: "Permission denied.", 404: "Not found." }[response.status] ||
    `The server replied with status ${response.status}.`;
  // Status 404 without an error message means an empty list; for a missing mount it has a message.
  const bare = errors === "" && Array.isArray(envelope.errors);
  const request = typeof envelope.request_id === "string" ? envelope.request_id : "";
  return failed(response, new ApiError(response.status, visible(plain), call, { bare, request }));
}

/** Sends a request under `/v1/`. Set `bare` if the response has no envelope. */
export async function request(
  verb: Verb,
  path: string,
  body?: object,
  bare = false,
): Promise<Reply<unknown>> {
  const { token } = place.get();
  const response = await send(verb, path, body);
  if (!response.ok) {
    const error = await refusal(response, `${verb} /v1/${path}`);
    // After a reload, do not restore a token that the server has rejected.
    if (unknownToken(error)) {
      refusedToken.set({ token });
      forgetRefused();
    }
    throw error;
  }
  if (response.status !== 204 && !isJson(response))
    throw notApi(response, place.get(), `${verb} /v1/${path}`);
  const document: unknown = response.status === 204 ? {} : await response.json();
  return bare
    ? { data: document, warnings: [] }
    : { ...parseReply(document as Envelope), status: response.status };
}

/** Parses the envelope of a response. */
export function parseReply({ data, auth, warnings = [] }: Envelope): Reply<unknown> {
  const lines = Array.isArray(warnings)
    ? warnings.map(String)
    : typeof warnings === "string" && warnings !== ""
      ? warnings.split("\n")
      : [];
  return { data: auth ?? data, warnings: lines.map(visible) };
}

/**
 * Reads a path, and returns the bytes of the response. Returns undefined if the response is empty
 * or has status 404.
 */
export async function bytes(path: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const response = await send("GET", path);
  if (response.status === 204 || response.status === 404) return undefined;
  if (!response.ok) throw await refusal(response, `GET /v1/${path}`);
  const read = new Uint8Array(await response.arrayBuffer());
  return read.length === 0 ? undefined : read;
}

/**
 * Sends bytes and returns the response if it has the expected media type, regardless of its status,
 * because protocols such as OCSP report errors in their messages. Throws for any other response.
 */
export async function exchange(
  path: string,
  type: string,
  body: Bytes,
): Promise<Uint8Array<ArrayBuffer>> {
  const response = await send("POST", path, new Blob([body], { type }));
  const same = type.replace(/-request$/, "-response");
  if (response.headers.get("Content-Type") === same)
    return new Uint8Array(await response.arrayBuffer());
  throw await refusal(response, `POST /v1/${path}`);
}

/**
 * Reports whether an error means that the token is not valid, rather than that it lacks
 * permissions.
 */
export const unknownToken = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 403 && error.message.includes("invalid token");
