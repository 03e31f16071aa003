import type { Choices, Settings } from "./settings.ts";

/** JSON Schema for a part of a response. */
export type Schema = Readonly<Record<string, unknown>>;

const of = (type: string | readonly string[]): Schema => ({ type });
/** Schema of a string. */
export const text = of("string");
/** Schema of a boolean. */
export const flag = of("boolean");
/** Schema of an integer. */
export const wholeNumber = of("integer");
/** Schema of a string or null. */
export const textOrNull = of(["string", "null"]);

/** Returns members that all have the same schema. */
export const membersOf = (
  names: readonly string[],
  schema: Schema,
): Readonly<Record<string, Schema>> => Object.fromEntries(names.map((name) => [name, schema]));
/** Returns the schema of an object. All members are required, except those in `sometimes`. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  sometimes: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: "object",
  properties: { ...properties, ...sometimes },
  required: Object.keys(properties),
});
/** Returns the schema of a list. */
export const listOf = (items: Schema): Schema => ({ type: "array", items });
/** Returns the schemas of settings, derived from their defaults. */
export const settingSchemas = (
  defaults: Settings,
  choices: Choices,
): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, standard]) => [name, schemaOf(standard, choices[name])]),
  );
function schemaOf(standard: unknown, choice: Choices[string] | undefined): Schema {
  if (typeof choice === "object") return { enum: choice };
  if (standard === null) return choice === "number" ? of(["number", "null"]) : textOrNull;
  if (Array.isArray(standard)) return listOf(text);
  return typeof standard === "object"
    ? { type: "object", additionalProperties: flag }
    : of(typeof standard);
}

const identity = (type: string): Schema => object({ id: text, type: { const: type } });
/** Returns the schema of a relationship to one resource. */
export const toOne = (type: string): Schema =>
  object({ data: identity(type) }, { links: { type: "object", additionalProperties: text } });
/** Returns the schema of a relationship to any number of resources. */
export const toMany = (type: string): Schema => object({ data: listOf(identity(type)) });
/**
 * Returns the schema of a resource in a response. `related` contains the schemas of its
 * relationships.
 */
export const resource = (
  type: string,
  attributes: Schema,
  related?: Readonly<Record<string, Schema>>,
): Schema =>
  object(
    {
      id: text,
      type: { const: type },
      attributes,
      ...(related
        ? { relationships: { type: "object", properties: related, additionalProperties: true } }
        : {}),
    },
    { links: { type: "object", additionalProperties: text } },
  );
