import type { ApiCall } from "../../api/openapi-calls.ts";
import type { Schema } from "../../api/openapi.ts";
import { toText } from "../../lib/to-text.ts";

/** The schemas that other schemas reference, by name. */
export type NamedSchemas = Readonly<Record<string, Schema>>;

/**
 * A member of a request body, a query or a response. Its `name` is the full path, such as
 * `data.keys`.
 */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** Name of the envelope's schema, which is documented once. */
export const envelope = "Envelope";

const before = "#/components/schemas/";
const nameOf = ({ $ref = "" }: Schema): string => $ref.replace(before, "");
const resolved = (schema: Schema, named: NamedSchemas): Schema =>
  schema.$ref === undefined ? schema : (named[nameOf(schema)] ?? {});

/** Returns a schema and its component schemas, without the envelope. */
function partsOf(schema: Schema, named: NamedSchemas): readonly Schema[] {
  const { allOf = [], oneOf = [], ...own } = resolved(schema, named);
  return [
    own,
    ...[...allOf, ...oneOf]
      .filter((part) => nameOf(part) !== envelope)
      .flatMap((part) => partsOf(part, named)),
  ];
}

/**
 * Returns the members of an object and of nested objects with their paths, such as `data.keys`. In
 * a path, `*` represents any name and `[]` each entry.
 */
export function membersOf(schema: Schema, named: NamedSchemas, above = ""): readonly Member[] {
  return partsOf(schema, named).flatMap(
    ({ properties = {}, required = [], items, additionalProperties: each }) => [
      ...Object.entries(properties).flatMap(([name, member]) => {
        const below = membersOf(member, named, `${above}${name}.`);
        // An object that has members but no description does not need its own row.
        const own = below.length === 0 || member.description !== undefined;
        return [
          ...(own
            ? [{ name: above + name, required: required.includes(name), schema: member }]
            : []),
          ...below,
        ];
      }),
      ...(items ? membersOf(items, named, `${above.replace(/\.$/, "")}[].`) : []),
      ...(typeof each === "object" ? membersOf(each, named, `${above}*.`) : []),
    ],
  );
}

/** Formats a type: `string`, `list of string`, `integer or null`, or the allowed values. */
export function typeOf(schema: Schema, named: NamedSchemas): string {
  const { type, items = {}, enum: values, oneOf } = resolved(schema, named);
  if (values) return values.map(String).join(", ");
  const names =
    oneOf?.map((part) => typeOf(part, named)) ??
    [type ?? "any"]
      .flat()
      .map((name) => (name === "array" ? `list of ${typeOf(items, named)}` : name));
  return names.join(" or ");
}

/** Returns a placeholder for a value that the user replaces. */
export const placeholder = (schema: Schema = {}): string => toText(schema.enum?.[0], "…");

/**
 * Reports whether the console can send a call: the request and response bodies must be JSON or
 * empty.
 */
export function isSendable({ operation: { requestBody, responses = {} } }: ApiCall): boolean {
  const sent = Object.keys(requestBody?.content ?? {});
  const received = Object.keys(responses["200"]?.content ?? {});
  const isJson = (type: string): boolean => /\bjson\b/.test(type);
  return sent.every(isJson) && received.every(isJson);
}
