import type { Shape } from "../../src/wire/field.ts";

type Schema = Readonly<Record<string, unknown>>;

/** A text as it stands in a cell of a table. */
export const cell = (text: string): string => text.replace(/\n/g, " ").replace(/\|/g, "\\|");

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
/** `string`, `list of integer`, or the words of a closed set. */
function typeText(schema: Schema): string {
  const { type, items, enum: words, const: only, format } = schema;
  if (typeof only === "string") return `\`${only}\``;
  if (Array.isArray(words))
    return words.map((word) => (word === "" ? "empty" : `\`${String(word)}\``)).join(", ");
  if (format === "seconds" || format === "go-duration") return "duration";
  if (format === "unix-seconds") return "Unix seconds";
  if (format === "binary") return "bytes";
  const names = [type ?? "any"]
    .flat()
    .map((name) =>
      name === "array"
        ? `list of ${isSchema(items) ? typeText(items) : "any"}`
        : JSON.stringify(name).replaceAll('"', ""),
    );
  return names.join(" or ");
}

const rowOf = (name: string, schema: Schema, required: boolean): string => {
  const { default: standard, description } = schema;
  const held = required
    ? "required"
    : standard === undefined ||
        standard === "" ||
        (Array.isArray(standard) && standard.length === 0)
      ? ""
      : `\`${JSON.stringify(standard)}\``;
  const text = typeof description === "string" ? description : "";
  return `| \`${name}\` | ${typeText(schema)} | ${held} | ${cell(text)} |\n`;
};

/** Rows of what lies inside of a schema: `name.member`, `name[].member`, `name.*.member`. */
function below(name: string, schema: Schema, sent: boolean): readonly string[] {
  const { properties, required, items, additionalProperties: each } = schema;
  const demanded = Array.isArray(required) ? (required as readonly unknown[]) : [];
  return [
    ...(isSchema(properties)
      ? Object.entries(properties).flatMap(([member, inner]) =>
          isSchema(inner)
            ? rowsFor(
                `${name}${name === "" ? "" : "."}${member}`,
                inner,
                sent && demanded.includes(member),
                sent,
              )
            : [],
        )
      : []),
    ...(isSchema(items) ? below(`${name}[]`, items, sent) : []),
    ...(isSchema(each) ? below(`${name}.*`, each, sent) : []),
  ];
}
const rowsFor = (
  name: string,
  schema: Schema,
  required: boolean,
  sent: boolean,
): readonly string[] => [
  ...(name === "" ? [] : [rowOf(name, schema, required)]),
  ...below(name, schema, sent),
];

/** Rows of fields and of what lies in them. `sent`: with what is demanded. */
export const fieldRows = (shape: Shape, sent: boolean): readonly string[] =>
  Object.entries(shape).flatMap(([name, { json, required }]) =>
    rowsFor(name, json, sent && required, sent),
  );

/** A table of rows; a column that is empty in all of them is left out. */
export function tableOf(title: string, rows: readonly string[]): string {
  const hasDefaults = rows.some((row) => !/^\|[^|]*\|[^|]*\|\s*\|/.test(row));
  const shown = hasDefaults
    ? rows
    : rows.map((row) => row.replace(/^(\|[^|]*\|[^|]*)\|\s*\|/, "$1|"));
  return hasDefaults
    ? `| ${title} | type | default | meaning |\n| --- | --- | --- | --- |\n${shown.join("")}`.trimEnd()
    : `| ${title} | type | meaning |\n| --- | --- | --- |\n${shown.join("")}`.trimEnd();
}
