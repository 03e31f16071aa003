import type { Choices, Settings } from "./settings.ts";

/** JSON Schema of a part of an answer. */
export type Schema = Readonly<Record<string, unknown>>;

const of = (type: string | readonly string[]): Schema => ({ type });
/** A string. */
export const text = of("string");
/** True or false. */
export const flag = of("boolean");
/** A whole number. */
export const wholeNumber = of("integer");
/** A string, or null. */
export const textOrNull = of(["string", "null"]);

/** Members of one schema. */
export const membersOf = (
  names: readonly string[],
  schema: Schema,
): Readonly<Record<string, Schema>> => Object.fromEntries(names.map((name) => [name, schema]));
/** An object whose members are all there, but for those of `sometimes`. */
export const object = (
  properties: Readonly<Record<string, Schema>>,
  sometimes: Readonly<Record<string, Schema>> = {},
): Schema => ({
  type: "object",
  properties: { ...properties, ...sometimes },
  required: Object.keys(properties),
});
/** A list of one schema. */
export const listOf = (items: Schema): Schema => ({ type: "array", items });
/** What settings are shown as, by their defaults. */
export const settingSchemas = (
  defaults: Settings,
  choices: Choices,
): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    Object.entries(defaults).map(([name, standard]) => [name, shownAs(standard, choices[name])]),
  );
function shownAs(standard: unknown, choice: Choices[string] | undefined): Schema {
  if (typeof choice === "object") return { enum: choice };
  if (standard === null) return choice === "number" ? of(["number", "null"]) : textOrNull;
  if (Array.isArray(standard)) return listOf(text);
  return typeof standard === "object"
    ? { type: "object", additionalProperties: flag }
    : of(typeof standard);
}

const identity = (type: string): Schema => object({ id: text, type: { const: type } });
/** A relationship to one resource of a type. */
export const toOne = (type: string): Schema =>
  object({ data: identity(type) }, { links: { type: "object", additionalProperties: text } });
/** One to any number of them. */
export const toMany = (type: string): Schema => object({ data: listOf(identity(type)) });
/** A resource as it is answered. `related`: what can be relied on among its relationships. */
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
