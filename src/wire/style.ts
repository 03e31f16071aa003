import { CaError, errorCodeHeader, type Refusal, statusOfRefusal } from "../base/errors.ts";
import { fromUtf8 } from "../base/bytes.ts";
import type { Dialect } from "./dialect.ts";
import type { Call, Reply } from "./call.ts";
import type { RoutedCall, Outcome, RawReply, RefusedCall, Style } from "./endpoint.ts";

const maxDepth = 64;
/** Default maximum number of members and list items in a body. */
const maxMembers = 20_000;

/**
 * Parses a body that is a JSON object or a form. An empty body has no members. So that policies and
 * logs see the same values as handlers, rejects (D 3):
 *
 * - values nested more than 64 levels deep,
 * - more than `max` members and list items,
 * - numbers beyond 2^53,
 * - duplicate members.
 *
 * `engine` is set for clients of `/v1`. Integers written with a decimal point or an exponent then
 * become strings, which integer fields reject (A 1.5), and a body `null` has no members.
 */
export function readJson(
  body: Uint8Array,
  type: string | null,
  engine = false,
  max = maxMembers,
): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  const text = decode(body);
  const first = /\S/.exec(text)?.[0];
  if (first === undefined) return {};
  if (
    first !== "{" &&
    first !== "[" &&
    type?.toLowerCase().startsWith("application/x-www-form-urlencoded")
  ) {
    if (hasMoreThan(text, "&", max - 1)) tooMany(max);
    return pairMembers(new URLSearchParams(text.trim()));
  }
  const odd = checkShape(text, max);
  let value: unknown;
  try {
    value = engine && odd ? JSON.parse(text, asWritten) : JSON.parse(text);
  } catch {
    failed("the text is not valid JSON");
  }
  if (value === null && engine) return {};
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return failed("the body must be a JSON object");
  // JSON.parse creates `__proto__` as an own member, so this cast is safe; only declared names are
  // read
  return value as Readonly<Record<string, unknown>>;
}
const failed = (why: string): never => {
  throw new CaError("malformed", `failed to decode JSON input: ${why}`);
};
const tooMany = (max: number): never => failed(`more than ${max} members and list items`);
/** Reports whether a character occurs more than `max` times in a string. */
function hasMoreThan(text: string, mark: string, max: number): boolean {
  let count = 0;
  for (let at = text.indexOf(mark); at >= 0 && count <= max; at = text.indexOf(mark, at + 1))
    count++;
  return count > max;
}
function decode(body: Uint8Array): string {
  try {
    return fromUtf8(body);
  } catch {
    return failed("the text is not valid UTF-8");
  }
}

/** Returns the members of a form or query. The values of a repeated name become a list. */
function pairMembers(pairs: URLSearchParams): Record<string, unknown> {
  // a single pass, because a lookup for each name would take quadratic time
  const members = new Map<string, string[]>();
  for (const [name, value] of pairs) {
    const values = members.get(name);
    if (values) values.push(value);
    else members.set(name, [value]);
  }
  return Object.fromEntries(
    [...members].map(([name, values]) => [name, values.length > 1 ? values : values[0]]),
  );
}

const [quote, comma, minus, backslash] = [0x22, 0x2c, 0x2d, 0x5c];
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Reviver that returns integers written with a decimal point or an exponent as strings, if the
 * JavaScript engine provides the source text.
 */
function asWritten(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === "number" && Number.isInteger(value) && /[.eE]/.test(context?.source ?? "")
    ? context?.source
    : value;
}

/**
 * Checks the nesting depth, the number of members, duplicates and large numbers in a JSON document.
 * Returns whether a number has a decimal point or an exponent. Leaves syntax errors to the parser.
 */
function checkShape(text: string, max: number): boolean {
  /** The keys read so far of each open object, or undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  let keyNext = false;
  let odd = false;
  let [members, scalars] = [0, 0];
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === quote) {
      scalars++;
      const end = stringEnd(text, i);
      if (keyNext) {
        members++;
        addKey(text.slice(i, end + 1), open.at(-1));
      }
      keyNext = false;
      i = end;
    } else if (c === openBrace || c === openBracket) {
      open.push(c === openBrace ? new Set() : undefined);
      if (open.length > maxDepth) failed(`nested more than ${maxDepth} levels deep`);
      keyNext = c === openBrace;
      if (!keyNext) members++;
    } else if (c === closeBrace || c === closeBracket) open.pop();
    else if (c === comma) {
      keyNext = open.at(-1) !== undefined;
      if (!keyNext) members++;
    } else if ((c >= 0x30 && c <= 0x39) || c === minus) {
      scalars++;
      const end = numberEnd(text, i);
      odd ||= /[.eE]/.test(text.slice(i, end));
      i = end - 1;
    }
    if (members > max) tooMany(max);
    // a member has at most two scalars, its key and its value; if there are more, commas are
    // missing
    if (scalars > 2 * max) failed("the text is not valid JSON");
  }
  return odd;
}
/** Adds a key to the keys of an object. Rejects a duplicate, even if its escapes differ. */
function addKey(quoted: string, keys: Set<string> | undefined): void {
  let key = quoted.slice(1, -1);
  if (key.includes("\\")) {
    try {
      key = String(JSON.parse(quoted));
    } catch {
      failed("the text is not valid JSON");
    }
  }
  if (keys?.has(key)) failed(`duplicate member ${key.slice(0, 64)}`);
  keys?.add(key);
}
function stringEnd(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c === backslash) i++;
    else if (c === quote) return i;
  }
  return text.length;
}
const numberText = /-?[0-9.eE+-]*/y;
/**
 * Returns the offset after a number. Rejects a number whose magnitude exceeds 2^53 - 1, because
 * parsers may round it.
 */
function numberEnd(text: string, start: number): number {
  numberText.lastIndex = start;
  const [digits = ""] = numberText.exec(text) ?? [];
  const value = Number(digits);
  // NaN means a syntax error, which the parser reports
  if (!Number.isNaN(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER)
    failed("a number exceeds 2^53");
  return start + digits.length;
}

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
