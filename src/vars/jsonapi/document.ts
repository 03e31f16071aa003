import { CaError } from "../../base/errors.ts";
import { fromUtf8 } from "../../base/bytes.ts";
import type { Call } from "../../wire/call.ts";
import type { Field } from "../../wire/field.ts";
import { readJson } from "../../base/json-members.ts";
import { mediaTypeOf } from "../../wire/style.ts";
import { faultIn } from "./position.ts";
import { badJson, wrongMedia } from "./fault.ts";

/** Media type of JSON:API. */
export const mediaType = "application/vnd.api+json";
type Members = Readonly<Record<string, unknown>>;
/**
 * A function that returns a member of the request's document. The document is parsed when a handler
 * calls it, because the path is checked before the body (V 2.1).
 */
export type Lazy = () => unknown;

/** Declares a member of the request's document. `schema` describes the member. */
export const lazy = (schema: Readonly<Record<string, unknown>>): Field<Lazy, false> => ({
  required: false,
  json: schema,
  parse: (raw) => (typeof raw === "function" ? () => raw() as unknown : () => undefined),
});
/**
 * The members that the OpenAPI document declares as required. Handlers themselves check that they
 * are present.
 */
interface Required {
  /** Required members of the resource object. */
  readonly required?: readonly string[];
  /** Required attributes. */
  readonly attributes?: readonly string[];
  /** JSON Schemas of the relationships. */
  readonly relationships?: Readonly<Record<string, unknown>>;
}
/** Declares the `data` member as a resource object of the given type, with its attributes. */
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
        description: "Workspace of the resource, if it is not in the path.",
        ...(relationships ? { properties: relationships } : {}),
      },
    },
    ...(required ? { required } : {}),
  });
/**
 * Declares a member as required in the OpenAPI document. It is parsed on demand, so that the
 * handler can check the path before it reports that the member is missing.
 */
export const requiredMember = (field: Field<Lazy, false>): Field<Lazy, true> => ({
  ...field,
  required: true,
});
/**
 * Declares an optional query parameter, which may be empty. `allowed` contains the documented
 * values, if they are a fixed set.
 */
export const parameter = (
  description: string,
  allowed?: readonly string[],
): Field<string | undefined, false> => ({
  required: false,
  json: { type: "string", description, ...(allowed ? { enum: allowed } : {}) },
  parse: (raw) => (typeof raw === "string" ? raw : undefined),
});
/** Declares a member of a response. */
export const documentMember = <T>(
  schema: Readonly<Record<string, unknown>>,
  description: string,
): Field<T, true> => ({
  required: true,
  json: { ...schema, description },
  // responses are only written, never parsed
  parse: (raw) => raw as T,
});

/**
 * Returns the members of the body. The body is parsed when a member is first read. Reading a member
 * throws 415 for another media type, and 400 if the body is not a JSON object.
 */
export function lazyMembers(call: Call, body: Uint8Array): Members {
  let read: Members | undefined;
  const whole = () => (read ??= readDocument(call, body));
  return { data: () => whole()["data"], filter: () => whole()["filter"] };
}
function readDocument(call: Call, body: Uint8Array): Members {
  const demanded = call.method === "POST" || call.method === "PATCH";
  if (demanded && mediaTypeOf(call.headers.get("content-type")) !== mediaType) throw wrongMedia();
  if (body.every((byte) => byte <= 0x20)) throw badJson("the body is empty");
  try {
    return readJson(body, "application/json");
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    // does not show the name, because it may be part of a secret value if quotes are missing
    const why = error.message
      .replace(/^failed to decode JSON input: /, "")
      .replace(/^duplicate member [^]*$/, "duplicate member");
    throw badJson(`${why}${positionOf(why, body)}`);
  }
}
/**
 * Returns the position at which the body stops being a JSON object, as the end of an error message.
 * The parser's own message is not shown, because it quotes the surrounding text, which may be
 * secret.
 */
function positionOf(why: string, body: Uint8Array): string {
  if (why !== "the text is not valid JSON" && why !== "the body must be a JSON object") return "";
  const position = faultIn(fromUtf8(body));
  return position === undefined ? "" : ` at position ${position}`;
}

/** Reports whether a value is a JSON object. */
export const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Formats Unix milliseconds as RFC 3339 in UTC. */
export const timestamp = (milliseconds: number): string => new Date(milliseconds).toISOString();
