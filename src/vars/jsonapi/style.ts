import { CaError, errorCodeHeader, type Refusal, statusOfRefusal } from "../../base/errors.ts";
import type { Reply } from "../../wire/call.ts";
import type { RoutedCall, Outcome, RawReply, Style } from "../../wire/endpoint.ts";
import { isObject, lazyMembers, mediaType } from "./document.ts";
import { VarsError, type Fault } from "./fault.ts";
import { listPieces, sentPieces, type Pieces } from "./pieces.ts";

const noStore = { "cache-control": "no-store" } as const;
const documentType = `${mediaType}; charset=utf-8`;

/** An answer with a JSON:API document. */
const documentReply = (
  status: number,
  content: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status,
  headers: { "content-type": documentType, ...noStore, ...headers },
  body: JSON.stringify(content),
});

/** A refusal as a JSON:API `errors` document. Defects tell nothing of themselves. */
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
/** What RFC 9110 sections 11.6.1 and 10.2.3 demand or offer. */
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
  // a status that is a number makes clients drop title and detail
  const errors = faults.map((fault) => ({ status: String(status), ...fault }));
  return documentReply(status, { errors }, { [errorCodeHeader]: code, ...headers });
}

async function readMembers(asked: RoutedCall): Promise<Readonly<Record<string, unknown>>> {
  const { call } = asked;
  return call.method === "GET"
    ? Object.fromEntries(call.query)
    : lazyMembers(call, await asked.body());
}

/** Where what was made can be read from then on (RFC 9110 section 15.3.2). */
function locationOf(status: number, content: unknown): Readonly<Record<string, string>> {
  const data = status === 201 && isObject(content) ? content["data"] : undefined;
  const links = isObject(data) ? data["links"] : undefined;
  const self = isObject(links) ? links["self"] : undefined;
  return typeof self === "string" ? { location: self } : {};
}
/** JSON:API documents; nothing to show is 204. */
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

/** The same where a request without a body is as good as one with an empty document. */
export const bareJsonapi: Style = {
  ...jsonapi,
  read: async (asked) => ((await asked.body()).length === 0 ? {} : readMembers(asked)),
};

/** A list whose resources come in parts. */
export interface ListParts<T> {
  readonly data: AsyncIterable<Iterable<T>>;
}
/** JSON:API documents with a list of any length. */
export const listStyle: Style = {
  ...jsonapi,
  // this style is given only to endpoints whose handlers answer Parts
  reply: ({ data, headers }, asked) =>
    piecedReply(
      { "content-type": documentType, ...noStore, ...headers },
      listPieces((data as ListParts<unknown>).data),
      asked,
    ),
};
/** A text of any length with its own media type. */
interface LongText {
  readonly type: string;
  readonly pieces: Pieces;
}
/** Texts with their own media type; refusals as JSON:API documents. */
export const textStyle: Style = {
  ...jsonapi,
  reply: ({ data }, asked) => {
    // this style is given only to endpoints whose handlers answer a LongText
    const { type, pieces } = data as LongText;
    return piecedReply({ "content-type": type, ...noStore }, pieces, asked);
  },
};
/** A reply whose body is made while it is sent, unless only its headers are wanted. */
const piecedReply = async (
  headers: Reply["headers"],
  pieces: Pieces,
  { call, failed }: RoutedCall,
): Promise<Reply> => ({
  status: 200,
  headers,
  ...(call.head ? { body: null } : await sentPieces(pieces, failed)),
});

/** Bytes with their own media type; refusals as JSON:API documents. */
export const bytesStyle: Style = {
  ...jsonapi,
  reply: ({ data }) => {
    // this style is given only to endpoints whose handlers answer a RawReply
    const { type, bytes: body } = data as RawReply;
    return { status: 200, headers: { "content-type": type, ...noStore }, body };
  },
};
