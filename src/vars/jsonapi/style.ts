import { CaError, errorCodeHeader, type Refusal, statusOfRefusal } from "../../base/errors.ts";
import type { Reply } from "../../wire/call.ts";
import type { RoutedCall, Outcome, RawReply, Style } from "../../wire/endpoint.ts";
import { isObject, lazyMembers, mediaType } from "./document.ts";
import { VarsError, type Fault } from "./fault.ts";
import { listPieces, sentPieces, type Pieces } from "./pieces.ts";

const noStore = { "cache-control": "no-store" } as const;
const documentType = `${mediaType}; charset=utf-8`;

/** Returns a response with a JSON:API document. */
const documentReply = (
  status: number,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status,
  headers: { "content-type": documentType, ...noStore, ...headers },
  body: JSON.stringify(content),
});

/** Returns an error as a JSON:API `errors` document. It reveals nothing about internal errors. */
function refuseDocument(error: unknown): Reply {
  if (!(error instanceof CaError))
    return errorsReply("server_internal", [{ title: "internal error" }]);
  const status = statusOfRefusal(error.code, false);
  return errorsReply(error.code, faultsOf(error, status), refusalHeaders(status, error.retryAfter));
}
function faultsOf(error: CaError, status: number): readonly Fault[] {
  if (error instanceof VarsError) return error.faults;
  return status === 404
    ? [{ title: "not found" }]
    : [{ title: error.code.replaceAll("_", " "), detail: error.message }];
}
/**
 * Returns the headers that RFC 9110 requires or suggests for an error: WWW-Authenticate (section
 * 11.6.1) or Retry-After (section 10.2.3).
 */
function refusalHeaders(status: number, retryAfter: number): Readonly<Record<string, string>> {
  if (status === 401) return { "www-authenticate": "Bearer" };
  return status === 429 || status === 503 ? { "retry-after": String(retryAfter) } : {};
}
function errorsReply(
  code: Refusal,
  faults: readonly Fault[],
  headers: Readonly<Record<string, string>> = {},
): Reply {
  const status = statusOfRefusal(code, false);
  // the status is a string, because clients drop title and detail if it is a number
  const errors = faults.map((fault) => ({ status: String(status), ...fault }));
  return documentReply(status, { errors }, { [errorCodeHeader]: code, ...headers });
}

async function readMembers(routed: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  const { call } = routed;
  return call.method === "GET"
    ? Object.fromEntries(call.query)
    : lazyMembers(call, await routed.body());
}

/** Returns the URL of a created resource (RFC 9110 section 15.3.2). */
function locationOf(status: number, content: unknown): Readonly<Record<string, string>> {
  const data = status === 201 && isObject(content) ? content["data"] : undefined;
  const links = isObject(data) ? data["links"] : undefined;
  const self = isObject(links) ? links["self"] : undefined;
  return typeof self === "string" ? { location: self } : {};
}
/** Style for JSON:API documents. If there is no content, the status is 204. */
export const jsonapi = {
  name: "jsonapi",
  accepts: { POST: mediaType, PATCH: mediaType },
  read: readMembers,
  reply: ({ data, status, headers }: Outcome): Reply =>
    data === undefined
      ? { status: 204, headers: { ...noStore, ...headers }, body: null }
      : documentReply(status, data, { ...locationOf(status, data), ...headers }),
  refuse: refuseDocument,
} as const satisfies Style;

/**
 * Style for JSON:API documents in which a request without a body is equivalent to an empty
 * document.
 */
export const bareJsonapi: Style = {
  ...jsonapi,
  read: async (routed) => ((await routed.body()).length === 0 ? {} : readMembers(routed)),
};

/** A list whose resources arrive in parts. */
export interface ListParts<T> {
  readonly data: AsyncIterable<Iterable<T>>;
}
/** Style for JSON:API documents with a list of any length. */
export const listStyle: Style = {
  ...jsonapi,
  // only endpoints whose handlers return ListParts have this style
  reply: ({ data, headers }, routed) =>
    piecedReply(
      { "content-type": documentType, ...noStore, ...headers },
      listPieces((data as ListParts<unknown>).data),
      routed,
    ),
};
/** Text of any length, with its media type. */
interface LongText {
  readonly type: string;
  readonly pieces: Pieces;
}
/** Style for text of any length with its own media type. Errors are JSON:API documents. */
export const textStyle: Style = {
  ...jsonapi,
  reply: ({ data }, routed) => {
    // only endpoints whose handlers return a LongText have this style
    const { type, pieces } = data as LongText;
    return piecedReply({ "content-type": type, ...noStore }, pieces, routed);
  },
};
/** Returns a response whose body is generated while it is sent. A HEAD request gets no body. */
const piecedReply = async (
  headers: Reply["headers"],
  pieces: Pieces,
  { call, failed }: RoutedCall,
): Promise<Reply> => ({
  status: 200,
  headers,
  ...(call.head ? { body: null } : await sentPieces(pieces, failed)),
});

/** Style for bytes with their own media type. Errors are JSON:API documents. */
export const bytesStyle: Style = {
  ...jsonapi,
  reply: ({ data }) => {
    // only endpoints whose handlers return a RawReply have this style
    const { type, bytes: body } = data as RawReply;
    return { status: 200, headers: { "content-type": type, ...noStore }, body };
  },
};
