type Schema = Readonly<Record<string, unknown>>;
/** A function that returns a link to the description of a schema that is described elsewhere. */
export type LinkOf = (schema: Schema) => string | undefined;

/** Escapes text for a cell of a Markdown table. */
export const cell = (text: string): string => text.replace(/\n/g, " ").replace(/\|/g, "\\|");

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null;
/** Describes the type of a schema: `string`, `list of integer`, or the values of an enum. */
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

const rowOf = (name: string, schema: Schema, required: boolean, type: string): string => {
  const { default: standard, description } = schema;
  const stored = required
    ? "required"
    : standard === undefined ||
        standard === "" ||
        (Array.isArray(standard) && standard.length === 0)
      ? ""
      : `\`${JSON.stringify(standard)}\``;
  const text = typeof description === "string" ? description : "";
  return `| \`${name}\` | ${type} | ${stored} | ${cell(text)} |\n`;
};

/** The context of rows: whether they describe a request, and which schemas are links. */
interface Rows {
  readonly sent: boolean;
  readonly linkOf: LinkOf;
}

/** Returns the rows of a schema's members: `name.member`, `name[].member`, `name.*.member`. */
function below(name: string, schema: Schema, rows: Rows): readonly string[] {
  const { properties, required, items, additionalProperties: each } = schema;
  const demanded = Array.isArray(required) ? (required as readonly unknown[]) : [];
  return [
    ...(isSchema(properties)
      ? Object.entries(properties).flatMap(([member, inner]) =>
          isSchema(inner)
            ? rowsFor(
                `${name}${name === "" ? "" : "."}${member}`,
                inner,
                rows.sent && demanded.includes(member),
                rows,
              )
            : [],
        )
      : []),
    ...(isSchema(items) ? below(`${name}[]`, items, rows) : []),
    ...(isSchema(each) ? below(`${name}.*`, each, rows) : []),
  ];
}
function rowsFor(name: string, schema: Schema, required: boolean, rows: Rows): readonly string[] {
  const { items } = schema;
  const link = rows.linkOf(schema);
  const listed = isSchema(items) ? rows.linkOf(items) : undefined;
  const type = link ?? (listed === undefined ? typeText(schema) : `list of ${listed}`);
  return [
    ...(name === "" ? [] : [rowOf(name, schema, required, type)]),
    ...(link === undefined && listed === undefined ? below(name, schema, rows) : []),
  ];
}

/** Returns the rows for fields and their members. With `sent`, required fields are marked. */
export const fieldRows = (
  shape: Readonly<Record<string, { readonly json: Schema; readonly required: boolean }>>,
  sent: boolean,
  linkOf: LinkOf = () => undefined,
): readonly string[] =>
  Object.entries(shape).flatMap(([name, { json, required }]) =>
    rowsFor(name, json, sent && required, { sent, linkOf }),
  );

/** Returns a Markdown table with the rows. Omits a column that is empty in all of them. */
export function tableOf(title: string, rows: readonly string[]): string {
  const hasDefaults = rows.some((row) => !/^\|[^|]*\|[^|]*\|\s*\|/.test(row));
  const shown = hasDefaults
    ? rows
    : rows.map((row) => row.replace(/^(\|[^|]*\|[^|]*)\|\s*\|/, "$1|"));
  return hasDefaults
    ? `| ${title} | type | default | meaning |\n| --- | --- | --- | --- |\n${shown.join("")}`.trimEnd()
    : `| ${title} | type | meaning |\n| --- | --- | --- |\n${shown.join("")}`.trimEnd();
}

/** Formats a row as a sentence: `name` (type, default): meaning. */
export function sentenceOf(row: string): string {
  const [name = "", type = "", standard = "", meaning = ""] = row
    .replace(/^\| /, "")
    .split(/(?<!\\)\|/)
    .map((one) => one.trim().replaceAll("\\|", "|"));
  const about = [type, standard === "required" ? standard : standard && `default ${standard}`];
  const kind = about.filter(Boolean).join(", ");
  return `${name}${kind === "" ? "" : ` (${kind})`}${meaning === "" ? "." : `: ${meaning}`}`;
}
