import type { ApiCall } from "../../api/openapi-calls.ts";
import type { Schema } from "../../api/openapi.ts";
import { plain } from "../../lib/format.ts";

/** Schemas that others reference, by name. */
export type NamedSchemas = Readonly<Record<string, Schema>>;

/** A value in a body, a query or a reply, and its path. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** The envelope of every reply with data, which is documented once. */
export const envelope = "Envelope";

const before = "#/components/schemas/";
const nameOf = ({ $ref = "" }: Schema): string => $ref.replace(before, "");
const resolved = (schema: Schema, named: NamedSchemas): Schema =>
  schema.$ref === undefined ? schema : (named[nameOf(schema)] ?? {});

/** Returns a schema and the ones it is composed of, except the envelope. */
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
 * Returns the members of an object and of nested objects, by path: `data.keys`; a star matches any
 * name, `[]` each entry.
 */
export function membersOf(schema: Schema, named: NamedSchemas, above = ""): readonly Member[] {
  return partsOf(schema, named).flatMap(
    ({ properties = {}, required = [], items, additionalProperties: each }) => [
      ...Object.entries(properties).flatMap(([name, member]) => {
        const below = membersOf(member, named, `${above}${name}.`);
        // An object that only contains others needs no separate row.
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

/** Returns the placeholder of a value to fill in. */
export const placeholder = (schema: Schema = {}): string => plain(schema.enum?.[0], "…");

/** Reports whether the console can send a call: what it sends and gets is JSON, or nothing. */
export function isSendable({ operation: { requestBody, responses = {} } }: ApiCall): boolean {
  const sent = Object.keys(requestBody?.content ?? {});
  const received = Object.keys(responses["200"]?.content ?? {});
  const isJson = (type: string): boolean => /\bjson\b/.test(type);
  return sent.every(isJson) && received.every(isJson);
}
