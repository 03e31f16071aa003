type Json = Readonly<Record<string, unknown>>;

const kindOf = (value: unknown): string =>
  value === null
    ? "null"
    : Array.isArray(value)
      ? "array"
      : Number.isInteger(value)
        ? "integer"
        : typeof value;
/** Reports whether a value has a type of JSON Schema: an integer is a number too. */
const isOf = (types: unknown, kind: string): boolean =>
  [types].flat().some((type) => type === kind || (type === "number" && kind === "integer"));

/** Resolves a reference in a document. */
export function referred(document: Json, part: Json): Json {
  const { $ref } = part;
  if (typeof $ref !== "string") return part;
  let at: unknown = document;
  for (const name of $ref.slice(2).split("/")) at = (at as Json)[name];
  return referred(document, at as Json);
}

/**
 * Returns the places where a value violates its schema, for the part of JSON Schema that our
 * documents use.
 */
export function misfits(document: Json, schema: Json, value: unknown, at = "$"): readonly string[] {
  const { type, items, properties, required, additionalProperties, allOf, oneOf, ...own } =
    referred(document, schema);
  const parts = (allOf ?? []) as readonly Json[];
  const faults = [
    ...parts.flatMap((part) => misfits(document, part, value, at)),
    ...(oneOf === undefined ||
    (oneOf as readonly Json[]).filter((one) => misfits(document, one, value).length === 0)
      .length === 1
      ? []
      : [`${at} fits not one`]),
    ...(type === undefined || isOf(type, kindOf(value)) ? [] : [`${at} is ${kindOf(value)}`]),
    ...(!Array.isArray(own["enum"]) || own["enum"].includes(value)
      ? []
      : [`${at} is ${JSON.stringify(value)}, none of its words`]),
    ...(own["const"] === undefined || own["const"] === value ? [] : [`${at} is another`]),
  ];
  if (Array.isArray(value))
    return [
      ...faults,
      ...value.flatMap((one, i) => misfits(document, (items ?? {}) as Json, one, `${at}[${i}]`)),
    ];
  if (typeof value !== "object" || value === null) return faults;
  const declared = (properties ?? {}) as Readonly<Record<string, Json>>;
  const others = typeof additionalProperties === "object" ? (additionalProperties as Json) : {};
  return [
    ...faults,
    ...((required ?? []) as readonly string[])
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => `${at} lacks ${name}`),
    ...Object.entries(value).flatMap(([name, one]) =>
      misfits(document, declared[name] ?? others, one, `${at}.${name}`),
    ),
  ];
}
