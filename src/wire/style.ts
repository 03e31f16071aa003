import { CaError, errorCodeHeader, type Refusal, statusOfRefusal } from "../base/errors.ts";
import { pairMembers, readJson } from "../base/json-members.ts";
import type { Dialect } from "./dialect.ts";
import type { Call, Reply } from "./call.ts";
import type { RoutedCall, Outcome, RawReply, RefusedCall, Style } from "./endpoint.ts";

const jsonHeaders = Object.freeze({
  "content-type": "application/json",
  "cache-control": "no-store",
} as const);
/** Status codes of responses that have no body (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
const bare = new Set([204, 205, 304]);
const json = (status: number, body: unknown): Reply => ({
  status,
  headers: jsonHeaders,
  body: bare.has(status) ? null : JSON.stringify(body) + "\n",
});
const notFound = (): Reply => ({
  status: 404,
  headers: { ...jsonHeaders, [errorCodeHeader]: "not_found" satisfies Refusal },
  body: '{"errors":[]}\n',
});
const emptyHeaders = Object.freeze({ "cache-control": "no-store" } as const);
const empty = (status: number): Reply => ({ status, headers: emptyHeaders, body: null });

const inOneLine = (text: string): string =>
  text.includes("\n")
    ? text
        .split("\n")
        .map((line) => line.trim())
        .join(" ")
    : text.trim();

/**
 * Returns the warnings of a response in a dialect: a string with one warning per line, or a list.
 * Returns "" or null if there are none.
 */
function printWarnings(warnings: readonly string[], dialect: Dialect): unknown {
  if (dialect.warnings === "list") return warnings.length ? warnings : null;
  return warnings.map(inOneLine).join("\n");
}

/** Returns the status of an error, which is 500 if it is not a CaError. */
const statusOf = (error: unknown, call: Call): number =>
  error instanceof CaError
    ? statusOfRefusal(error.code, isRead(call), call.dialect.compatStatus)
    : 500;
const codeOf = (error: unknown) => (error instanceof CaError ? error.code : "server_internal");
const textOf = (error: unknown): string =>
  error instanceof CaError ? error.message : "internal error";
const isRead = (call: Call) => call.method === "GET" || call.method === "LIST";

/**
 * Parses the members of a request: the query of a read, and otherwise the body as a JSON object or
 * a form, regardless of the media type (P 9.1.1).
 */
async function readMembers(routed: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  const { call, endpoint } = routed;
  // bodies of DELETE requests are ignored
  if (isRead(call) || call.method === "DELETE") {
    if (call.query.size === 0) return {};
    const { list: _, help: __, ...members } = pairMembers(call.query);
    return members;
  }
  const type = call.headers.get("content-type");
  if (call.method === "PATCH") requireMergePatch(type);
  return readJson(await routed.body(), type, true, endpoint.bodyLimits?.members);
}
const accepts = { POST: "application/json", PATCH: "application/merge-patch+json" } as const;
function requireMergePatch(type: string | null): void {
  const refuse = (code: "malformed" | "unsupported_media", provided: string) => {
    throw new CaError(
      code,
      `PATCH requires Content-Type of ${accepts.PATCH}, provided ${provided}`,
    );
  };
  if (type === null || type === "") refuse("malformed", "none");
  else if (mediaTypeOf(type) !== accepts.PATCH) refuse("unsupported_media", type.slice(0, 100));
}
/**
 * Returns the media type in a Content-Type header, if there is one, in lower case and without
 * parameters.
 */
export const mediaTypeOf = (header: string | null): string | undefined =>
  header?.split(";", 1)[0]?.trim().toLowerCase();

/**
 * Returns the headers that tell the client when to retry after a temporary error (RFC 9110 section
 * 10.2.3).
 */
const retryHeaders = (error: unknown): Readonly<Record<string, string>> =>
  error instanceof CaError && error.code === "busy"
    ? { "retry-after": String(error.retryAfter) }
    : {};

const refuseEnvelope = (error: unknown, { call, requestId }: RefusedCall): Reply => {
  const text = textOf(error);
  const reply = json(statusOf(error, call), { errors: text === "" ? [] : [text] });
  // the request ID is in a header, because the body has no member for it
  const headers = {
    ...jsonHeaders,
    [errorCodeHeader]: codeOf(error),
    "x-request-id": requestId,
    ...retryHeaders(error),
  };
  return { ...reply, headers };
};

function replyEnvelope(
  { data, warnings, lease, auth, modified, sharesDate, status, headers, wrapInfo }: Outcome,
  { call, endpoint, target, requestId }: RoutedCall,
): Reply {
  if (data === undefined && warnings.length === 0 && !auth)
    return isRead(call) ? notFound() : empty(204);
  const dated = modified === undefined ? undefined : new Date(modified).toUTCString();
  const own =
    headers || dated !== undefined
      ? { ...jsonHeaders, ...(dated === undefined ? {} : { "last-modified": dated }), ...headers }
      : undefined;
  if (own && unmodified(call, { modified, sharesDate }))
    return { status: 304, headers: own, body: null };
  const reply = json(status, {
    // the data is spread first, so that names chosen by users never override members of the
    // envelope
    ...(endpoint.hoist && typeof data === "object" ? data : {}),
    request_id: requestId,
    lease_id: lease?.id ?? "",
    renewable: false,
    lease_duration: lease?.seconds ?? 0,
    data: data ?? null,
    wrap_info: wrapInfo ?? null,
    warnings: printWarnings(warnings, call.dialect),
    auth: auth ?? null,
    mount_type: target.type,
  });
  return own ? { ...reply, headers: own } : reply;
}

/**
 * The `/v1` envelope `{ request_id, lease_id, data, warnings, … }`. Errors are `{ errors: [text]
 * }`.
 */
export const envelope = {
  name: "envelope",
  isStrict: true,
  accepts,
  read: readMembers,
  reply: replyEnvelope,
  refuse: refuseEnvelope,
} as const satisfies Style;

/**
 * The `/v1` envelope for endpoints whose declared response is in `auth`, which the handler sets
 * with `auth`.
 */
export const authEnvelope = { ...envelope, contents: "auth" } as const satisfies Style;

/** The style for responses without an envelope: `data` is the whole JSON document. */
export const plain = {
  ...envelope,
  name: "plain",
  reply: ({ data, status, headers }: Outcome, { call }: RoutedCall): Reply => {
    if (data === undefined) return isRead(call) ? notFound() : empty(204);
    const reply = json(status, data);
    return headers ? { ...reply, headers: { ...jsonHeaders, ...headers } } : reply;
  },
} as const satisfies Style;

/**
 * The style for responses with their own media type. The status is 204 if there are no bytes.
 * Evaluates If-None-Match and If-Modified-Since (RFC 9110 section 13).
 */
export const raw = {
  name: "raw",
  isStrict: true,
  accepts,
  read: readMembers,
  refuse: refuseEnvelope,
  reply: ({ data }: Outcome, { call }: RoutedCall): Reply => {
    if (data === undefined) return empty(204);
    // only endpoints whose handlers return a RawReply use this style
    const { type, bytes, modified, sharesDate, maxAge, etag, since } = data as RawReply;
    const headers: Record<string, string> = {
      "content-type": type,
      "cache-control": maxAge === undefined ? "no-store" : `public, max-age=${maxAge}`,
    };
    if (modified !== undefined) headers["last-modified"] = new Date(modified).toUTCString();
    if (etag !== undefined) headers["etag"] = etag;
    if (unmodified(call, { modified, sharesDate, etag }))
      return { status: 304, headers, body: null };
    // frozen, because responses sent from the cache share their headers
    return since === undefined
      ? { status: 200, headers, body: bytes }
      : { status: 200, headers: Object.freeze(headers), body: bytes, since };
  },
} as const satisfies Style;
/** The validators of a response (RFC 9110 section 8.8). */
interface Validators extends Pick<Outcome, "modified" | "sharesDate"> {
  readonly etag?: string | undefined;
}
function unmodified(call: Call, { modified, sharesDate, etag }: Validators): boolean {
  const match = call.headers.get("if-none-match");
  // If-Modified-Since is ignored if If-None-Match was sent (RFC 9110 section 13.2.2)
  if (match !== null)
    return (
      match.trim() === "*" ||
      match.split(",").some((tag) => etag !== undefined && tag.trim().replace(/^W\//, "") === etag)
    );
  const since = Date.parse(call.headers.get("if-modified-since") ?? "");
  if (modified === undefined || Number.isNaN(since)) return false;
  const second = Math.floor(modified / 1000) * 1000;
  return sharesDate ? second < since : second <= since;
}
