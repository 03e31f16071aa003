import { fromUtf8, utf8 } from "../base/bytes.ts";
import type { Answer, CallOptions, ClientCall, Transport, WrapInfo } from "./call.ts";
import { toMember } from "./der-source.ts";
import { isObject, parseBody, refusalOf, RefusedError } from "./refused.ts";
import { routeOf, type Route, type Spelling, type Table } from "./table.ts";

/** A client whose replies are wrapped in tokens. */
export type Wrapped<C> = {
  readonly [K in keyof C]: C[K] extends (...args: infer A) => Promise<unknown>
    ? (...args: A) => Promise<WrapInfo>
    : never;
};

/**
 * Returns a typed client of the endpoints under `base` (such as `/v1/sys`) over any transport. Its
 * methods throw `RefusedError`, and `TypeError` if a path parameter is missing or invalid. Replies
 * contain `warnings` in addition to their own members. A listing without entries has no `keys`.
 */
export const client = <C>(table: Table<C>, base: string, send: Transport): C =>
  // the table was generated with its type
  methodsOf(table, { base, send, read: readReply }) as C;

/**
 * Returns a client of the same endpoints whose replies are wrapped for `ttl`, such as "5m". Its
 * methods return the wrapping token and its details, and `unwrap` of the table `sys` returns the
 * reply once. Also throws `RefusedError` for a reply that is not wrapped, such as an empty reply.
 */
export const wrappedClient = <C>(
  table: Table<C>,
  base: string,
  send: Transport,
  ttl: string,
): Wrapped<C> =>
  // as above, with a different reply
  methodsOf(table, {
    base,
    send: (call) => send({ ...call, wrapTtl: ttl }),
    isWrapped: true,
    read: readWrapInfo,
  }) as Wrapped<C>;

type Members = Readonly<Record<string, unknown>>;
/** The state that the methods of a client share. */
interface Shared {
  readonly base: string;
  readonly send: Transport;
  /** Whether replies are wrapped, in which case an empty listing has no reply. */
  readonly isWrapped?: boolean;
  read(route: Route, answer: Answer): unknown;
}
/**
 * Reports whether an error means a listing without entries, for which the API returns 404 without a
 * message.
 */
const isEmptyListing = ({ method }: ClientCall, { code, errors }: RefusedError): boolean =>
  method === "LIST" && code === "not_found" && errors.length === 0;
const methodsOf = (table: Readonly<Record<string, string>>, shared: Shared): unknown =>
  Object.fromEntries(
    Object.entries(table).map(([name, line]) => {
      let route: Route | undefined;
      const method = async (input: Members = {}, options: CallOptions = {}) => {
        // most methods of a client are never called
        route ??= routeOf(name, line);
        const call = callOf(route, input, shared.base);
        options.signal?.throwIfAborted();
        const answer = await shared.send({ ...call, ...options });
        // redirects are not followed, because the token would be sent to their target
        if (answer.status >= 200 && answer.status < 300) return shared.read(route, answer);
        const refusal = refusalOf(answer, call.path);
        if (shared.isWrapped || !isEmptyListing(call, refusal)) throw refusal;
        return route.hasInfo ? { keys: [], key_info: {} } : { keys: [] };
      };
      return [name, method];
    }),
  );

function callOf(route: Route, input: Members, base: string): ClientCall {
  const { method, path, names } = spellingFor(route, input);
  const url = path.replace(/:(\w+)(\+?)/g, (_, name: string, many: string) =>
    encoded(name, String(input[name]), many !== "" && !route.isRest),
  );
  const members = Object.entries(input).filter(
    ([name, value]) => !names.includes(name) && value !== undefined,
  );
  const call = { method, path: base + url, bearer: route.style === "jsonapi" };
  if (route.whole && method === "POST")
    return { ...call, ...wholeBody(route, route.whole, members) };
  return hasDocument(route, method, members)
    ? { ...call, query: [], type: typeOf(route, method), body: utf8(textOf(route, members)) }
    : { ...call, query: queryOf(members) };
}
type Entries = readonly (readonly [name: string, value: unknown])[];
const textOf = ({ converts }: Route, members: Entries): string =>
  JSON.stringify(
    Object.fromEntries(
      members.map(([name, value]) => [
        name,
        !converts || converts.includes(name) ? toMember(name, value) : value,
      ]),
    ),
  );
const queryOf = (members: Entries): ClientCall["query"] =>
  members.map(([name, value]) => [name, String(value)]);

/** Reports whether the members are sent in the body. In JSON:API, this includes those of DELETE. */
const hasDocument = ({ style }: Route, method: string, members: Entries): boolean =>
  method === "POST" ||
  method === "PATCH" ||
  (method === "DELETE" && style === "jsonapi" && members.length > 0);
const typeOf = ({ style }: Route, method: string): string =>
  style === "jsonapi"
    ? "application/vnd.api+json"
    : method === "PATCH"
      ? "application/merge-patch+json"
      : "application/json";

/** Returns a request whose body is one member, with the other members in the query. */
function wholeBody(
  { name }: Route,
  [whole, type]: readonly [name: string, type: string],
  members: Entries,
): Pick<ClientCall, "query" | "type" | "body"> {
  const { [whole]: body } = Object.fromEntries(members);
  if (!(body instanceof Uint8Array)) throw new TypeError(`${name} needs ${whole}`);
  return { query: queryOf(members.filter(([member]) => member !== whole)), type, body };
}

/**
 * Encodes a path parameter. Rejects values that URL parsers would remove or interpret as a
 * different path.
 */
function encoded(name: string, value: string, many: boolean): string {
  const segments = many ? value.split("/") : [value];
  if (segments.some((segment) => segment === "" || segment === "." || segment === ".."))
    throw new TypeError(`${name} cannot be ${JSON.stringify(value)}`);
  return segments.map(encodeURIComponent).join("/");
}

/** Returns the path pattern with the most parameters for which the input has values. */
function spellingFor({ name, spellings }: Route, input: Members): Spelling {
  const best = spellings.find(({ names }) => names.every((one) => input[one] !== undefined));
  if (!best) throw new TypeError(`${name} requires ${spellings.at(-1)?.names.join(", ")}`);
  return best;
}

function readReply(route: Route, { status, headers, body }: Answer): unknown {
  if (body === null || status === 204) return undefined;
  if (route.raw === "text") return typeof body === "string" ? body : fromUtf8(body);
  if (route.raw) {
    const bytes = typeof body === "string" ? utf8(body) : body;
    return route.raw === "bytes" ? bytes : { type: headers["content-type"] ?? "", bytes };
  }
  const document = parseBody(body);
  if (!isObject(document)) throw badResponse(status, "the response is not from this API");
  const read = route.isOpen ? (data: Members) => data : withNumbers;
  if (route.style !== "envelope") return read(document);
  const { [route.holds]: data, warnings } = document;
  const texts = warningsOf(warnings);
  if (!isObject(data) && texts.length === 0) return data ?? undefined;
  return {
    ...(isObject(data) ? read(data) : {}),
    ...(texts.length ? { warnings: texts } : {}),
  };
}
/** Parses warnings, which are a list, or a string with one line for each warning. */
const warningsOf = (warnings: unknown): readonly string[] =>
  typeof warnings === "string"
    ? warnings.split("\n").filter(Boolean)
    : Array.isArray(warnings)
      ? warnings.map(String)
      : [];

const seconds = { s: 1, m: 60, h: 3600 } as const;
/** Parses a duration that has a unit, as in one dialect. Returns other strings unchanged. */
const durationOf = (text: string): number | string => {
  const [, amount, unit] = /^(\d+)([smh])$/.exec(text) ?? [];
  // the pattern allows only these three units
  return unit === undefined ? text : Number(amount) * seconds[unit as keyof typeof seconds];
};
/** The members that are strings in one dialect and numbers in the other, with their parsers. */
const numbers: Readonly<Record<string, (text: string) => unknown>> = {
  expiration: (text) => (/^\d+$/.test(text) ? Number(text) : text),
  ttl: durationOf,
  max_ttl: durationOf,
  not_before_duration: durationOf,
};
/** Converts the members that are strings in one dialect to numbers. */
function withNumbers(data: Members): Members {
  const out: Record<string, unknown> = { ...data };
  for (const [name, read] of Object.entries(numbers))
    if (typeof out[name] === "string") out[name] = read(out[name]);
  return out;
}
/** Reads the `wrap_info` of a wrapped reply. */
function readWrapInfo(_: Route, { status, body }: Answer): WrapInfo {
  const document = body === null ? undefined : parseBody(body);
  const info = isObject(document) ? document["wrap_info"] : undefined;
  if (!isObject(info) || typeof info["token"] !== "string")
    throw badResponse(status, "the reply was not wrapped");
  // an authority's `wrap_info` has these members
  return info as unknown as WrapInfo;
}
const badResponse = (status: number, text: string): RefusedError =>
  new RefusedError(status, [text], { code: "bad_response" });
