import { CaError } from "../../base/errors.ts";
import { fromUtf8 } from "../../base/bytes.ts";
import type { Call } from "../../wire/call.ts";
import type { Field } from "../../wire/field.ts";
import { readJson } from "../../wire/json.ts";
import { mediaTypeOf } from "../../wire/style.ts";
import { faultIn } from "./position.ts";
import { badJson, wrongMedia } from "./fault.ts";

/** Media type of JSON:API. */
export const mediaType = "application/vnd.api+json";
type Members = Readonly<Record<string, unknown>>;
/**
 * A member of the request's document, read when a handler asks: what the path names is judged
 * before the body (V 2.1).
 */
export type Lazy = () => unknown;

/** Declares a member of the document; `schema` describes it. */
export const lazy = (schema: Readonly<Record<string, unknown>>): Field<Lazy, false> => ({
  required: false,
  json: schema,
  parse: (raw) => (typeof raw === "function" ? () => raw() as unknown : () => undefined),
});
/** Names that a description says are required; handlers check them, with faults of their own. */
interface Required {
  /** Members of the resource object. */
  readonly required?: readonly string[];
  /** Attributes. */
  readonly attributes?: readonly string[];
  /** JSON Schemas of the relationships. */
  readonly relationships?: Readonly<Record<string, unknown>>;
}
/** Declares `data` of a resource type and its attributes. */
export const dataOf = (
  type: string,
  attributes: Readonly<Record<string, unknown>> = {},
  { required, attributes: demanded, relationships }: Required = {},
): Field<Lazy, false> =>
  lazy({
    type: "object",
    description: `A resource object of type \`${type}\`.`,
    properties: {
      type: { const: type },
      id: { type: "string" },
      attributes: {
        type: "object",
        properties: attributes,
        ...(demanded ? { required: demanded } : {}),
      },
      relationships: {
        type: "object",
        description: "What it belongs to, where the path does not say.",
        ...(relationships ? { properties: relationships } : {}),
      },
    },
    ...(required ? { required } : {}),
  });
/**
 * Declares a member that a description calls required. It is read on demand like any other, so that
 * its absence is refused by the handler, after the path.
 */
export const requiredMember = (field: Field<Lazy, false>): Field<Lazy, true> => ({
  ...field,
  required: true,
});
/**
 * A query parameter; absent means `undefined`, and one that is there may be empty. `words`: what is
 * documented of a closed set.
 */
export const parameter = (
  description: string,
  words?: readonly string[],
): Field<string | undefined, false> => ({
  required: false,
  json: { type: "string", description, ...(words ? { enum: words } : {}) },
  parse: (raw) => (typeof raw === "string" ? raw : undefined),
});
/** A member of an answer. */
export const documentMember = <T>(
  schema: Readonly<Record<string, unknown>>,
  description: string,
): Field<T, true> => ({
  required: true,
  json: { ...schema, description },
  // answers are only written here, never read
  parse: (raw) => raw as T,
});

/** The body's members, each read on demand. Throws 415 and 400 then. */
export function lazyMembers(call: Call, body: Uint8Array): Members {
  let read: Members | undefined;
  const whole = () => (read ??= readDocument(call, body));
  return { data: () => whole()["data"], filter: () => whole()["filter"] };
}
function readDocument(call: Call, body: Uint8Array): Members {
  const demanded = call.method === "POST" || call.method === "PATCH";
  if (demanded && mediaTypeOf(call.header("content-type")) !== mediaType) throw wrongMedia();
  if (body.every((byte) => byte <= 0x20)) throw badJson("the body is empty");
  try {
    return readJson(body, "application/json");
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    // where quotes are missing, what looks like a member's name may be part of a value
    const why = error.message
      .replace(/^failed to decode JSON input: /, "")
      .replace(/^duplicate member [^]*$/, "duplicate member");
    throw badJson(`${why}${positionOf(why, body)}`);
  }
}
/**
 * Where the text stops being an object, for what was refused for being none. The parser's own
 * message is not shown: it quotes the text around, which may be a secret.
 */
function positionOf(why: string, body: Uint8Array): string {
  if (why !== "the text is not valid JSON" && why !== "the body must be a JSON object") return "";
  const position = faultIn(fromUtf8(body));
  return position === undefined ? "" : ` at position ${position}`;
}

/** Says whether a value is a JSON object. */
export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Unix milliseconds as RFC 3339 in UTC. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();
