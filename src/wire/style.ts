import { CaError, statusOfRefusal } from "../base/errors.ts";
import { printWarnings } from "./dialect.ts";
import { membersTaken, pairMembers, readJson } from "./json.ts";
import type { AnyEndpoint, Call, Outcome, RawReply, Reply, Style } from "./endpoint.ts";

const jsonHeaders = { "content-type": "application/json", "cache-control": "no-store" } as const;
const json = (status: number, body: unknown): Reply => ({
  status,
  headers: jsonHeaders,
  body: JSON.stringify(body) + "\n",
});
const empty = (status: number): Reply => ({
  status,
  headers: { "cache-control": "no-store" },
  body: null,
});

/** The status of a refusal of a call; a defect is 500. */
const statusOf = (error: unknown, call: Call): number =>
  error instanceof CaError
    ? statusOfRefusal(error.code, isRead(call), call.dialect.compatStatus)
    : 500;
const textOf = (error: unknown): string =>
  error instanceof CaError ? error.message : "internal error";
const isRead = (call: Call) => call.method === "GET" || call.method === "LIST";

/** Body members of a JSON object or a form; media type is not required (P 9.1.1). */
function readMembers(call: Call): Readonly<Record<string, unknown>> {
  if (isRead(call) || call.method === "DELETE") return queryMembers(call.query);
  if (call.method === "PATCH") demandMergePatch(call.header("content-type"));
  return readJson(call.body, call.header("content-type"), true, membersTaken(call.path));
}
function queryMembers(query: URLSearchParams): Readonly<Record<string, unknown>> {
  if (query.size === 0) return {};
  const { list: _, help: __, ...members } = pairMembers(query);
  return members;
}
function demandMergePatch(type: string | null): void {
  if (type === null || type === "")
    throw new CaError(
      "malformed",
      "PATCH requires Content-Type of application/merge-patch+json, provided none",
    );
  if (type.split(";", 1)[0]?.trim().toLowerCase() !== "application/merge-patch+json")
    throw new CaError(
      "unsupported_media",
      `PATCH requires Content-Type of application/merge-patch+json, provided ${type.slice(0, 100)}`,
    );
}

/** Tells when to try again what is refused for now only (RFC 9110 section 10.2.3). */
const withRetry = (reply: Reply, error: unknown): Reply =>
  error instanceof CaError && error.code === "busy"
    ? { ...reply, headers: { ...reply.headers, "retry-after": String(error.retryAfter) } }
    : reply;

const refuseEnvelope = (error: unknown, call: Call): Reply => {
  const text = textOf(error);
  return withRetry(json(statusOf(error, call), { errors: text === "" ? [] : [text] }), error);
};

function replyEnvelope(
  { data, warnings, lease, modified, wrapInfo }: Outcome,
  call: Call,
  endpoint: AnyEndpoint,
  requestId: string,
): Reply {
  if (data === undefined && warnings.length === 0)
    return isRead(call) ? json(404, { errors: [] }) : empty(204);
  const dated =
    modified === undefined
      ? undefined
      : { ...jsonHeaders, "last-modified": new Date(modified).toUTCString() };
  if (dated && unmodified(call, modified, undefined))
    return { status: 304, headers: dated, body: null };
  const reply = json(200, {
    request_id: requestId,
    lease_id: lease?.id ?? "",
    renewable: false,
    lease_duration: lease?.seconds ?? 0,
    data: data ?? null,
    wrap_info: wrapInfo ?? null,
    warnings: printWarnings(warnings, call.dialect),
    auth: null,
    mount_type: "pki",
    ...(endpoint.hoist && typeof data === "object" ? data : {}),
  });
  return dated ? { ...reply, headers: dated } : reply;
}

/**
 * The envelope of the CA engine: `{ request_id, lease_id, data, warnings, … }`, refusals as `{
 * errors: [text] }`.
 */
export const envelope: Style = {
  name: "envelope",
  read: readMembers,
  reply: replyEnvelope,
  refuse: refuseEnvelope,
};

/** An answer without envelope: `data` is the whole JSON document. */
export const plain: Style = {
  ...envelope,
  name: "plain",
  reply: ({ data }, call) =>
    data === undefined ? (isRead(call) ? json(404, { errors: [] }) : empty(204)) : json(200, data),
};

/**
 * Bytes with their own media type; nothing to show is 204. Judges If-None-Match and
 * If-Modified-Since (RFC 9110 section 13).
 */
export const raw: Style & { readonly name: "raw" } = {
  name: "raw",
  read: readMembers,
  refuse: refuseEnvelope,
  reply: ({ data }, call) => {
    if (data === undefined) return empty(204);
    // the raw style is given only to endpoints whose handlers answer a RawReply
    const { type, bytes, modified, maxAge, etag } = data as RawReply;
    const headers: Record<string, string> = {
      "content-type": type,
      "cache-control": maxAge === undefined ? "no-store" : `public, max-age=${maxAge}`,
    };
    if (modified !== undefined) headers["last-modified"] = new Date(modified).toUTCString();
    if (etag !== undefined) headers["etag"] = etag;
    if (unmodified(call, modified, etag)) return { status: 304, headers, body: null };
    return { status: 200, headers, body: bytes };
  },
};
function unmodified(call: Call, modified: number | undefined, etag: string | undefined): boolean {
  const match = call.header("if-none-match");
  // If-Modified-Since counts only where If-None-Match was not sent (RFC 9110 section 13.2.2)
  if (match !== null)
    return (
      match.trim() === "*" ||
      match.split(",").some((tag) => etag !== undefined && tag.trim().replace(/^W\//, "") === etag)
    );
  const since = Date.parse(call.header("if-modified-since") ?? "");
  return (
    modified !== undefined && !Number.isNaN(since) && Math.floor(modified / 1000) * 1000 <= since
  );
}
