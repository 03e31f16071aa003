import type { Schema } from "../../api/openapi.ts";
import { plain } from "../../lib/format.ts";

/** Schemas that others refer to, by name. */
export type NamedSchemas = Readonly<Record<string, Schema>>;

/** A value in a body, a query or a reply, and the way to it. */
export interface Member {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** The envelope around every reply with data, which is documented once. */
export const envelope = "Envelope";

const before = "#/components/schemas/";
const nameOf = ({ $ref = "" }: Schema): string => $ref.replace(before, "");
const found = (schema: Schema, named: NamedSchemas): Schema =>
  schema.$ref === undefined ? schema : (named[nameOf(schema)] ?? {});

/** A schema and those that it is put together from, but for the envelope. */
function partsOf(schema: Schema, named: NamedSchemas): readonly Schema[] {
  const { allOf = [], oneOf = [], ...own } = found(schema, named);
  return [
    own,
    ...[...allOf, ...oneOf]
      .filter((part) => nameOf(part) !== envelope)
      .flatMap((part) => partsOf(part, named)),
  ];
}

/**
 * Members of an object and of the objects in them, by the way to each: `data.keys`; a star stands
 * for any name, `[]` for each entry.
 */
export function membersOf(schema: Schema, named: NamedSchemas, above = ""): readonly Member[] {
  return partsOf(schema, named).flatMap(
    ({ properties = {}, required = [], items, additionalProperties: each }) => [
      ...Object.entries(properties).flatMap(([name, member]) => {
        const below = membersOf(member, named, `${above}${name}.`);
        // An object that only holds others says nothing of its own.
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

/** `string`, `list of string`, `integer or null`, or the values there are. */
export function typeOf(schema: Schema, named: NamedSchemas): string {
  const { type, items = {}, enum: values, oneOf } = found(schema, named);
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
