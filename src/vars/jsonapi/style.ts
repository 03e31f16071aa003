import { CaError, statusOfRefusal } from "../../base/errors.ts";
import type { Call, Outcome, RawReply, Reply, Style } from "../../wire/endpoint.ts";
import { isObject, lazyMembers, mediaType } from "./document.ts";
import { VarsError, type Fault } from "./fault.ts";
import { listPieces, piecedReply, type Pieces } from "./pieces.ts";

const noStore = { "cache-control": "no-store" } as const;
const documentType = `${mediaType}; charset=utf-8`;

/** An answer with a JSON:API document. */
export const documentReply = (
  status: number,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status,
  headers: { "content-type": documentType, ...noStore, ...headers },
  body: JSON.stringify(content),
});

/** A refusal as a JSON:API `errors` document. Defects tell nothing of themselves. */
export function refuseDocument(error: unknown): Reply {
  if (!(error instanceof CaError)) return errorsReply(500, [{ title: "internal error" }]);
  const status = statusOfRefusal(error.code, false);
  return errorsReply(status, faultsOf(error, status), refusalHeaders(status, error.retryAfter));
}
function faultsOf(error: CaError, status: number): readonly Fault[] {
  if (error instanceof VarsError) return error.faults;
  return status === 404
    ? [{ title: "not found" }]
    : [{ title: error.code.replaceAll("_", " "), detail: error.message }];
}
/** What RFC 9110 sections 11.6.1 and 10.2.3 demand or offer. */
function refusalHeaders(status: number, retryAfter: number): Readonly<Record<string, string>> {
  if (status === 401) return { "www-authenticate": "Bearer" };
  return status === 429 || status === 503 ? { "retry-after": String(retryAfter) } : {};
}
const errorsReply = (
  status: number,
  faults: readonly Fault[],
  headers: Readonly<Record<string, string>> = {},
): Reply =>
  // a status that is a number makes clients drop title and detail
  documentReply(
    status,
    { errors: faults.map((fault) => ({ status: String(status), ...fault })) },
    headers,
  );

function readMembers(call: Call): Readonly<Record<string, unknown>> {
  return call.method === "GET" ? Object.fromEntries(call.query) : lazyMembers(call);
}

const styleOf = (status: 200 | 201): Style => ({
  name: "jsonapi",
  read: readMembers,
  reply: ({ data }) =>
    data === undefined
      ? { status: 204, headers: noStore, body: null }
      : documentReply(status, data),
  refuse: refuseDocument,
});
/** JSON:API documents with status 200; nothing to show is 204. */
export const jsonapi = styleOf(200);
/** JSON:API documents with status 201. */
export const created = styleOf(201);

/** The same where a request without a body is as good as one with an empty document. */
export const createdBare: Style = {
  ...created,
  read: (call) => (call.body.length === 0 ? {} : readMembers(call)),
};

/** A list whose resources come in parts. */
export interface Parts<T> {
  readonly data: AsyncIterable<Iterable<T>>;
}
/** JSON:API documents with a list of any length. */
export const list: Style = {
  ...jsonapi,
  // this style is given only to endpoints whose handlers answer Parts
  reply: ({ data }) =>
    piecedReply(documentType, noStore, listPieces((data as Parts<unknown>).data)),
};
/** A text of any length with its own media type. */
export interface LongText {
  readonly type: string;
  readonly pieces: Pieces;
}
/** Texts with their own media type; refusals as JSON:API documents. */
export const text: Style = {
  ...jsonapi,
  reply: ({ data }: Outcome) => {
    // this style is given only to endpoints whose handlers answer a LongText
    const { type, pieces } = data as LongText;
    return piecedReply(type, noStore, pieces);
  },
};

/** Bytes with their own media type; refusals as JSON:API documents. */
export const bytes: Style = {
  ...jsonapi,
  reply: ({ data }) => {
    // this style is given only to endpoints whose handlers answer a RawReply
    const { type, bytes: body } = data as RawReply;
    return { status: 200, headers: { "content-type": type, ...noStore }, body };
  },
};

/** When `/vars` became deprecated: 2020-01-01, Unix seconds (RFC 9745 section 2). */
const deprecatedSince = 1_577_836_800;
/**
 * Headers of the deprecated surface: since when, and where the same thing lies now (RFC 5829
 * section 3.3).
 */
export const deprecation = (
  successor = "/api/v2/workspaces",
): Readonly<Record<string, string>> => ({
  deprecation: `@${deprecatedSince}`,
  link: `<${successor}>; rel="successor-version"`,
});
const deprecated = (style: Style): Style => ({
  ...style,
  reply: (outcome, call, endpoint, requestId) => {
    const reply = style.reply(outcome, call, endpoint, requestId);
    return { ...reply, headers: { ...reply.headers, ...deprecation(successorOf(outcome.data)) } };
  },
});
/** The scoped path of the one variable that a document shows. */
function successorOf(content: unknown): string | undefined {
  const data = isObject(content) ? content["data"] : undefined;
  const relationships = isObject(data) ? data["relationships"] : undefined;
  const configurable = isObject(relationships) ? relationships["configurable"] : undefined;
  const workspace = isObject(configurable) ? configurable["data"] : undefined;
  if (!isObject(data) || !isObject(workspace)) return undefined;
  return `/api/v2/workspaces/${String(workspace["id"])}/vars/${String(data["id"])}`;
}
/** Documents of the deprecated surface, with status 200. */
export const oldJsonapi = deprecated(jsonapi);
/** Lists of the deprecated surface. */
export const oldList = deprecated(list);
/** Documents of the deprecated surface, with status 201. */
export const oldCreated = deprecated(created);
