import { base64Members, commaMembers, pemLabels } from "../../src/client/der-source.ts";
import { comment } from "./comment.ts";

/** A JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;
/** The direction of a value. Some values may have more forms in requests than in replies. */
export type Way = "sent" | "replied";

const isSchema = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const schemas = (value: unknown): readonly Schema[] =>
  Array.isArray(value) ? value.filter(isSchema) : [];

/**
 * TypeScript types by format. For example, durations are accepted as a number of seconds or as a
 * string.
 */
const formats: Readonly<Record<string, Readonly<Record<Way, string>>>> = {
  binary: { sent: "Uint8Array", replied: "Uint8Array" },
  seconds: { sent: "number | string", replied: "number" },
  "go-duration": { sent: "number | string", replied: "number" },
  "unix-seconds": { sent: "number | string", replied: "number" },
};

/** Returns the TypeScript type of a JSON Schema. */
export function typeOf(schema: Schema, way: Way): string {
  const { const: only, enum: values, oneOf, anyOf, type, format } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) return union(values.map((value) => JSON.stringify(value)));
  if (oneOf ?? anyOf) return union(schemas(oneOf ?? anyOf).map((one) => typeOf(one, way)));
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one }, way)));
  const formatted = typeof format === "string" && type !== "null" ? formats[format] : undefined;
  if (formatted) return formatted[way];
  switch (type) {
    case "array":
      return arrayOf(schema, way);
    case "object":
      return objectOf(schema, way);
    case "integer":
    case "number":
      return "number";
    case "string":
    case "boolean":
    case "null":
      return type;
    default:
      return "unknown";
  }
}
const union = (types: readonly string[]): string => [...new Set(types)].join(" | ");

function arrayOf({ items }: Schema, way: Way): string {
  const item = isSchema(items) ? typeOf(items, way) : "unknown";
  const list = `readonly ${/[ |{]/.test(item) && !item.startsWith("Readonly<") ? `(${item})` : item}[]`;
  // the server splits a string at commas
  return way === "sent" && isSchema(items) && items["type"] === "string"
    ? `${item} | ${list}`
    : list;
}
function objectOf(schema: Schema, way: Way): string {
  const { properties, additionalProperties: each } = schema;
  if (isSchema(properties)) return `{\n${membersOf(schema, way)}}`;
  return `Readonly<Record<string, ${isSchema(each) ? typeOf(each, way) : "unknown"}>>`;
}

/** Returns the name of a member as source text, quoted if necessary. */
const key = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name));

/** Generates a member of an interface, with its doc comment. */
export const member = (
  name: string,
  schema: Schema,
  { way, optional }: { readonly way: Way; readonly optional: boolean },
): string =>
  `${comment(textOf(schema, way))}readonly ${key(name)}${optional ? "?" : ""}: ${
    way === "sent" ? sentType(name, typeOf(schema, way)) : typeOf(schema, way)
  }${optional && way === "sent" ? " | undefined" : ""};\n`;

/** Returns the type of a member of a request, including the forms that the client converts. */
function sentType(name: string, type: string): string {
  if (name in pemLabels && type === "string")
    return name === "csr"
      ? "string | DerSource"
      : "string | DerSource | readonly (string | DerSource)[]";
  if (name in pemLabels && type === "string | readonly string[]")
    return "string | DerSource | readonly (string | DerSource)[]";
  if (base64Members.has(name) && type === "string") return "string | DerSource";
  if (commaMembers.has(name) && type === "string") return "string | readonly string[]";
  return type;
}

/** Generates the members of an object schema, as source text. */
function membersOf({ properties, required, additionalProperties }: Schema, way: Way): string {
  const demanded = Array.isArray(required) ? required : [];
  return (
    Object.entries(isSchema(properties) ? properties : {})
      .map(([name, value]) =>
        member(name, isSchema(value) ? value : {}, { way, optional: !demanded.includes(name) }),
      )
      .join("") + (additionalProperties === true ? "readonly [name: string]: unknown;\n" : "")
  );
}

const units: Readonly<Record<string, Readonly<Record<Way, string>>>> = {
  seconds: { sent: "Seconds, or a duration such as `72h`.", replied: "Seconds." },
  "go-duration": { sent: "Seconds, or a duration such as `72h`.", replied: "Seconds." },
  "unix-seconds": { sent: "Unix seconds.", replied: "Unix seconds." },
};
/** Reports whether a default need not be mentioned. */
const saysNothing = (standard: unknown): boolean =>
  standard === undefined || standard === "" || (Array.isArray(standard) && standard.length === 0);
/** Returns the doc comment of a value: its description, unit and default. */
function textOf({ description = "", default: standard, format }: Schema, way: Way): string {
  const unit = typeof format === "string" ? units[format]?.[way] : undefined;
  const text = String(description);
  return [
    text,
    unit === undefined || (way === "replied" && /seconds/i.test(text)) ? "" : unit,
    way === "replied" || saysNothing(standard) ? "" : `Default: \`${JSON.stringify(standard)}\`.`,
  ]
    .filter(Boolean)
    .join(" ");
}
