import { CaError } from "../base/errors.ts";
import { parseIntegerText } from "../base/integer-text.ts";
import { parseBoolean } from "../base/parse-boolean.ts";
import { parseDuration, shortDuration } from "../base/duration.ts";
import type { Field, Parsed, Shape } from "./field-type.ts";

/**
 * Parses a raw value. Throws `invalid_field` with a reason, to which the caller adds the name of
 * the field.
 */
type ReadValue<T> = (raw: unknown) => T;
/** Throws `invalid_field` for a value. The field adds its name to the reason. */
export const unfitValue = (why: string): never => {
  throw new CaError("invalid_field", why);
};

const typeName = (raw: unknown) =>
  raw === null ? "null" : Array.isArray(raw) ? "array" : typeof raw;
/**
 * Describes a value in an error message. For lists and objects, this is only the type, because
 * converting them to a string may fail.
 */
const valueText = (raw: unknown): string =>
  typeof raw === "string" || typeof raw === "number" ? String(raw).slice(0, 64) : typeName(raw);

/** Parses a string. Converts numbers and booleans. */
export const readText: ReadValue<string> = (raw) => {
  if (typeof raw === "string") return raw;
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean") return raw ? "1" : "0";
  if (raw === null) return "";
  return unfitValue(`expected type 'string', got unconvertible type '${typeName(raw)}'`);
};
/** Parses an integer, which may also be a string in base 2, 8, 10 or 16. */
const readInt: ReadValue<number> = (raw) => {
  const n =
    typeof raw === "string"
      ? parseIntegerText(raw.trim())
      : typeof raw === "boolean"
        ? Number(raw)
        : raw === null
          ? 0
          : raw;
  return typeof n === "number" && Number.isSafeInteger(n)
    ? n
    : unfitValue(`expected type 'int', got value '${valueText(raw)}'`);
};
/** Parses a number, which may also be a string. */
const readNumber: ReadValue<number> = (raw) => {
  const n = typeof raw === "string" && raw.trim() !== "" ? Number(raw) : raw;
  return typeof n === "number" && Number.isFinite(n)
    ? n
    : unfitValue(`expected type 'float64', got value '${valueText(raw)}'`);
};
/** Parses a boolean in any form that clients send. */
export const readFlag: ReadValue<boolean> = (raw) => {
  if (typeof raw === "boolean") return raw;
  if (raw === null) return false;
  const text = typeof raw === "number" ? String(raw) : raw;
  const value = text === "" ? false : typeof text === "string" ? parseBoolean(text) : undefined;
  return value ?? unfitValue(`cannot parse '${valueText(raw)}' as bool`);
};
/** Parses a list of strings. Splits a single string at commas. */
const readList: ReadValue<readonly string[]> = (raw) => {
  if (raw === null || raw === "") return [];
  if (Array.isArray(raw)) return raw.map((item: unknown) => readText(item).trim());
  if (typeof raw === "object") return unfitValue("expected a list");
  return readText(raw)
    .split(",")
    .map((item) => item.trim());
};

/** Parses an object and returns a copy. */
const readMap = (raw: unknown): Readonly<Record<string, unknown>> =>
  typeof raw === "object" && raw !== null && !Array.isArray(raw)
    ? { ...raw }
    : unfitValue("expected a map");

/** Parses a string, or a list of strings, of the form `name=value`. */
function readPairs(raw: string | readonly unknown[]): Readonly<Record<string, string>> {
  const texts: readonly unknown[] = typeof raw === "string" ? [raw] : raw;
  return Object.fromEntries(
    texts.map((one) => {
      const at = typeof one === "string" ? one.indexOf("=") : -1;
      return typeof one === "string" && at > 0
        ? [one.slice(0, at), one.slice(at + 1)]
        : unfitValue("expected a map, or strings like name=value");
    }),
  );
}

export type { Field, Parsed, Sent, Shape } from "./field-type.ts";

/** The allowed values of a field, or of each item of a list. */
type AllowedValues = readonly (string | number)[];
/**
 * Constructors for fields of one kind. `allowed` only documents the allowed values; handlers check
 * them.
 */
export interface FieldKind<T> {
  required(doc: string, allowed?: AllowedValues): Field<T, true>;
  /**
   * Declares a required field. If the field is absent, its value is `missing`, and the handler
   * reports the error.
   */
  requiredOr(missing: T, doc: string, allowed?: AllowedValues): Field<T, true>;
  optional(doc: string, allowed?: AllowedValues): Field<T | undefined, false>;
  default(value: T, doc: string, allowed?: AllowedValues): Field<T, false>;
  /** Declares an alias of another member. Policies treat both as the same member. */
  alias(of: string): Field<T | undefined, false>;
}
/** Options of a field kind. */
interface Extra<T> {
  readonly secret?: boolean;
  readonly print?: NonNullable<Field<T>["print"]>;
  /** Whether a JSON null counts as absent. */
  readonly nullAbsent?: boolean;
  /** Converts a default value for the JSON Schema, if it has a different form there. */
  readonly standard?: (value: T) => unknown;
}

/** Returns the field kind with the given JSON Schema and parser. */
export function fieldKind<T>(
  json: Readonly<Record<string, unknown>>,
  read: ReadValue<T>,
  { secret, print, nullAbsent, standard = (value) => value }: Extra<T> = {},
): FieldKind<T> {
  const shared = {
    ...(secret ? { secret } : {}),
    ...(print ? { print } : {}),
  };
  const field = <V extends T | undefined, R extends boolean>(
    required: R,
    schema: Readonly<Record<string, unknown>>,
    missing: (at: string) => V,
  ): Field<T | V, R> => ({
    ...shared,
    required,
    json: { ...json, ...schema },
    parse(raw, at) {
      if (raw === undefined || (raw === null && nullAbsent === true)) return missing(at);
      try {
        return read(raw);
      } catch (error) {
        if (!(error instanceof CaError)) throw error;
        throw new CaError(
          "invalid_field",
          `Field validation failed: error converting input for field "${at}": ${error.message}`,
        );
      }
    },
  });
  const optional: FieldKind<T>["optional"] = (doc, allowed) =>
    field(false, schemaParts(json, doc, allowed), () => undefined);
  return {
    required: (doc, allowed) =>
      field(true, schemaParts(json, doc, allowed), (at) =>
        unfitValue(`Field validation failed: missing required field "${at}"`),
      ),
    requiredOr: (missing, doc, allowed) =>
      field(true, schemaParts(json, doc, allowed), () => missing),
    optional,
    default: (value, doc, allowed) =>
      field(false, { default: standard(value), ...schemaParts(json, doc, allowed) }, () => value),
    alias: (of) => ({ ...optional(`Same as \`${of}\`.`), alias: of }),
  };
}
/** Returns the parts of a field's JSON Schema that depend on the field rather than on its kind. */
const schemaParts = (
  { items }: Readonly<Record<string, unknown>>,
  description: string,
  allowed?: AllowedValues,
): Readonly<Record<string, unknown>> => ({
  description,
  ...(allowed === undefined
    ? {}
    : typeof items === "object"
      ? { items: { ...items, enum: allowed } }
      : { enum: allowed }),
});

type Sameness = <F extends { readonly json: object }>(field: F) => F;
const changed = <T>(of: FieldKind<T>, more: Sameness): FieldKind<T> => ({
  required: (...args) => more(of.required(...args)),
  requiredOr: (...args) => more(of.requiredOr(...args)),
  optional: (...args) => more(of.optional(...args)),
  default: (...args) => more(of.default(...args)),
  alias: (...args) => more(of.alias(...args)),
});
/** Returns a copy of a field kind with a more specific JSON Schema. */
export const describedBy = <T>(
  of: FieldKind<T>,
  schema: Readonly<Record<string, unknown>>,
): FieldKind<T> => changed(of, (field) => ({ ...field, json: { ...field.json, ...schema } }));
/** Returns a copy of a field kind whose values have a normal form. */
export const withNormalForm = <T>(of: FieldKind<T>, form: (read: T) => unknown): FieldKind<T> =>
  changed(of, (field) => ({ ...field, form }));

/** A string. Also accepts numbers and booleans. */
export const text = fieldKind({ type: "string" }, readText);
/** A string that is never logged. */
export const secret = fieldKind({ type: "string" }, readText, { secret: true });
/** A boolean. Also accepts 1 and 0, and strings such as "true", "t" and "0". */
export const flag = fieldKind({ type: "boolean" }, readFlag);
/** An integer up to 2^53. Also accepts strings in base 2, 8, 10 or 16. */
export const int = fieldKind({ type: "integer" }, readInt);
/** A number. Also accepts strings. */
export const number = fieldKind({ type: "number" }, readNumber);
/** A list of strings. Also accepts a single string, which is split at commas. */
export const list = fieldKind<readonly string[]>(
  { type: "array", items: { type: "string" } },
  readList,
);
/** A list of strings. Also accepts a single string, as a list with one element. */
export const strings = fieldKind<readonly string[]>(
  { type: "array", items: { type: "string" } },
  (raw) => (typeof raw === "string" && raw !== "" ? [raw] : readList(raw)),
);
/** A time span in seconds. Also accepts a duration such as "72h". Responses contain an integer. */
export const seconds = fieldKind<number>(
  { type: "integer", format: "seconds" },
  (raw) => parseDuration(raw) ?? 0,
  { nullAbsent: true },
);
/**
 * A time span in seconds. In responses of the documented dialect, it has the largest unit that
 * divides it.
 */
export const duration = fieldKind<number>(
  { type: "string", format: "go-duration" },
  (raw) => parseDuration(raw) ?? 0,
  {
    nullAbsent: true,
    print: (value, dialect) => (dialect.durations === "text" ? shortDuration(value) : value),
    standard: shortDuration,
  },
);
/** A time in Unix seconds. In responses of the documented dialect, it is a string. */
export const expiration = fieldKind<number>({ type: "string", format: "unix-seconds" }, readInt, {
  print: (value, dialect) => (dialect.expiration === "text" ? String(value) : value),
});
/** A time in Unix seconds, which responses of the documented dialect omit. */
export const compatExpiration = fieldKind<number>(
  { type: "integer", format: "unix-seconds" },
  readInt,
  {
    print: (value, dialect) => (dialect.expiration === "text" ? undefined : value),
  },
);
/** A time in Unix seconds. */
export const instant = fieldKind<number>({ type: "integer", format: "unix-seconds" }, readInt);
/** A list of strings, or null where the API specification requires null for an empty list. */
export const listOrNull = fieldKind<readonly string[] | null>(
  { type: ["array", "null"], items: { type: "string" } },
  (raw) => (raw === null ? null : readList(raw)),
);
/** A JSON object. Null counts as absent, because clients send it for an unset map. */
export const map = fieldKind<Readonly<Record<string, unknown>>>({ type: "object" }, readMap, {
  nullAbsent: true,
});
/**
 * A JSON object. Also accepts a string `name=value`, or a list of them, which command-line clients
 * send.
 */
export const pairs = fieldKind<Readonly<Record<string, unknown>>>(
  { type: "object" },
  (raw) => (typeof raw === "string" || Array.isArray(raw) ? readPairs(raw) : readMap(raw)),
  { nullAbsent: true },
);
/** A JSON object, or null where the API specification requires null for an empty object. */
const mapOrNull = fieldKind<Readonly<Record<string, unknown>> | null>(
  { type: ["object", "null"] },
  (raw) => (raw === null ? null : map.required("").parse(raw, "")),
);
/** A string, or null where clients expect null. */
export const textOrNull = fieldKind<string | null>({ type: ["string", "null"] }, (raw) =>
  raw === null ? null : readText(raw),
);
/** The body of a request, as bytes. */
export const bytes = fieldKind<Uint8Array>({ type: "string", format: "binary" }, (raw) =>
  raw instanceof Uint8Array ? raw : unfitValue("expected bytes"),
);
/** An integer, or null. */
export const intOrNull = fieldKind<number | null>({ type: ["integer", "null"] }, (raw) =>
  raw === null ? null : readInt(raw),
);
/** A boolean, or null. */
export const flagOrNull = fieldKind<boolean | null>({ type: ["boolean", "null"] }, (raw) =>
  raw === null ? null : readFlag(raw),
);
/** A time span in seconds, which may be negative. The endpoint decides whether to reject it. */
export const signedSeconds = fieldKind<number>(
  { type: "integer", format: "seconds" },
  (raw) => {
    const positive =
      typeof raw === "number"
        ? Math.abs(raw)
        : typeof raw === "string"
          ? raw.replace(/^-/, "")
          : raw;
    const size = parseDuration(positive) ?? 0;
    return positive === raw ? size : 0 - size;
  },
  { nullAbsent: true },
);
/** A list of objects. Null counts as absent. */
export const objects = fieldKind<readonly Readonly<Record<string, unknown>>[]>(
  { type: "array", items: { type: "object" } },
  (raw) =>
    Array.isArray(raw)
      ? raw.filter(
          (item): item is Readonly<Record<string, unknown>> =>
            typeof item === "object" && item !== null,
        )
      : raw === null
        ? []
        : unfitValue("expected a list of objects"),
);
/**
 * Returns the JSON Schema of an object. `always` contains the names of members that are always
 * present, by default the required members.
 */
export function schemaOf(
  shape: Shape,
  always: readonly string[] = Object.keys(shape).filter((name) => shape[name]?.required),
): Readonly<Record<string, unknown>> {
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, field.json]),
  );
  return { type: "object", properties, ...(always.length ? { required: always } : {}) };
}
/** Returns the members of a shape as members that a response may omit. */
export const optionalMembers = <S extends Shape>(shape: S) =>
  // the copies differ from the members only in `required`
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, { ...field, required: false }]),
  ) as unknown as {
    readonly [K in keyof S]: S[K] extends Field<infer T> ? Field<T | undefined, false> : never;
  };
/** A list of objects of one shape, for responses. */
export const listOf = <S extends Shape>(shape: S) =>
  fieldKind<readonly Parsed<S>[]>(
    { type: "array", items: schemaOf(shape) },
    // the client parses a response of this server, which wrote its members with this shape
    (raw) => (Array.isArray(raw) ? (raw as readonly Parsed<S>[]) : []),
  );
/** Objects of one shape by name, for responses. */
export const records = <S extends Shape>(shape: S) =>
  fieldKind<Readonly<Record<string, Parsed<S>>>>(
    { type: "object", additionalProperties: schemaOf(shape) },
    // the client parses a response of this server, which wrote its members with this shape
    (raw) =>
      typeof raw === "object" && raw !== null ? (raw as Readonly<Record<string, Parsed<S>>>) : {},
  );
const membersOf = (...of: Parameters<typeof schemaOf>): Readonly<Record<string, unknown>> => {
  const { type: _type, ...members } = schemaOf(...of);
  return members;
};
/** A JSON object described by a shape, or null. */
export const mapOfOrNull = (shape: Shape) => describedBy(mapOrNull, membersOf(shape));
/** A JSON object described by a shape. Its members are not parsed. */
export const mapOf = (...of: Parameters<typeof schemaOf>) => describedBy(map, membersOf(...of));
/** A list of objects described by a shape. Their members are not parsed. */
export const objectsOf = (shape: Shape) => describedBy(objects, { items: schemaOf(shape) });
const textValues = { additionalProperties: { type: "string" } } as const;
/** Strings by name. */
export const texts = describedBy(map, textValues);
/** Strings by name. Also accepts the forms that command-line clients send; see `pairs`. */
export const textPairs = describedBy(pairs, textValues);
/** Strings by name, or null where the API specification requires null for an empty object. */
export const textsOrNull = describedBy(mapOrNull, textValues);
/** Objects by name, described by a shape. Their members are not parsed. */
export const mapsOf = (...of: Parameters<typeof schemaOf>) =>
  describedBy(map, { additionalProperties: schemaOf(...of) });
/** Strings or nulls by name. */
export const textsOrNulls = describedBy(map, {
  additionalProperties: { type: ["string", "null"] },
});
/** Lists of strings by name. */
export const lists = describedBy(map, {
  additionalProperties: { type: "array", items: { type: "string" } },
});
const single = ["string", "number", "boolean", "object", "null"] as const;
/** Lists of values of any type by name. */
export const anyLists = describedBy(map, {
  additionalProperties: { type: "array", items: { type: single } },
});
/** Integers by name. */
export const counts = describedBy(map, { additionalProperties: { type: "integer" } });
