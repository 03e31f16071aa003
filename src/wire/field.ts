import { CaError } from "../base/errors.ts";
import { parseDuration, shortDuration } from "../base/duration.ts";
import type { Dialect } from "./dialect.ts";

/** One declared value: how to read it from the wire, how to print it, and how to describe it. */
export interface Field<T, Required extends boolean = boolean> {
  readonly required: Required;
  /** Never logged. */
  readonly secret?: boolean;
  /** JSON Schema of the value. */
  readonly json: Readonly<Record<string, unknown>>;
  /**
   * Reads a wire value; `undefined` stands for a member that was not sent. Throws
   * `CaError("invalid_field")` that names `at`.
   */
  parse(raw: unknown, at: string): T;
  /** The value in a reply, where a dialect prints it differently; `sent`: the request. */
  print?(value: T, dialect: Dialect, sent: Readonly<Record<string, unknown>>): unknown;
  /** Members of the request by which it is printed. */
  readonly printedBy?: readonly string[];
}
/** The fields of a body or a reply by name. */
export type Shape = Readonly<Record<string, Field<unknown>>>;
type Flat<T> = { [K in keyof T]: T[K] } & {};
type Optional<S extends Shape> = {
  [K in keyof S]: S[K] extends Field<infer T> ? (undefined extends T ? K : never) : never;
}[keyof S];
/** The values that a shape yields. */
export type Parsed<S extends Shape> = Flat<
  { readonly [K in Exclude<keyof S, Optional<S>>]: S[K] extends Field<infer T> ? T : never } & {
    readonly [K in Optional<S>]?: S[K] extends Field<infer T> ? T : never;
  }
>;
/** What a caller may send: required fields must be there, the others may be left out. */
export type Sent<S extends Shape> = Flat<
  { readonly [K in keyof S as S[K]["required"] extends true ? K : never]: Wire<S[K]> } & {
    readonly [K in keyof S as S[K]["required"] extends true ? never : K]?: Wire<S[K]> | undefined;
  }
>;
type Wire<F> =
  F extends Field<infer T>
    ? NonNullable<T> extends readonly string[]
      ? string | readonly string[]
      : NonNullable<T> extends number
        ? number | string
        : NonNullable<T>
    : never;

type Read<T> = (raw: unknown) => T;
interface FieldKind<T> {
  required(doc: string): Field<T, true>;
  /**
   * Demanded of callers; what is missing reads as `missing`, which the handler refuses in words of
   * its own.
   */
  needed(missing: T, doc: string): Field<T, true>;
  optional(doc: string): Field<T | undefined, false>;
  default(value: T, doc: string): Field<T, false>;
}

/** Thrown by the readers below; `parse` adds the name of the field. */
const unfit = (why: string): never => {
  throw new CaError("invalid_field", why);
};

interface Extra<T> {
  readonly secret?: boolean;
  readonly print?: (value: T, dialect: Dialect) => unknown;
  /** True for kinds where a JSON null means "not sent". */
  readonly nullAbsent?: boolean;
  /** A default as the JSON Schema's type has it, where that is not the value itself. */
  readonly standard?: (value: T) => unknown;
}

function kind<T>(json: Record<string, unknown>, read: Read<T>, extra: Extra<T> = {}): FieldKind<T> {
  const checked = (raw: unknown, at: string): T => {
    try {
      return read(raw);
    } catch (error) {
      if (!(error instanceof CaError)) throw error;
      throw new CaError(
        "invalid_field",
        `Field validation failed: error converting input for field "${at}": ${error.message}`,
      );
    }
  };
  const absent = (raw: unknown) => raw === undefined || (raw === null && extra.nullAbsent === true);
  const { print } = extra;
  const shared = extra.secret ? { secret: true } : {};
  const printed = print
    ? {
        print: (value: T | undefined, dialect: Dialect) =>
          value === undefined || value === null ? value : print(value, dialect),
      }
    : {};
  return {
    required: (doc) => ({
      ...shared,
      ...printed,
      required: true,
      json: { ...json, description: doc },
      parse: (raw, at) =>
        absent(raw)
          ? unfit(`Field validation failed: missing required field "${at}"`)
          : checked(raw, at),
    }),
    needed: (missing, doc) => ({
      ...shared,
      ...printed,
      required: true,
      json: { ...json, description: doc },
      parse: (raw, at) => (absent(raw) ? missing : checked(raw, at)),
    }),
    optional: (doc) => ({
      ...shared,
      ...printed,
      required: false,
      json: { ...json, description: doc },
      parse: (raw, at) => (absent(raw) ? undefined : checked(raw, at)),
    }),
    default: (value, doc) => ({
      ...shared,
      ...printed,
      required: false,
      json: { ...json, default: extra.standard ? extra.standard(value) : value, description: doc },
      parse: (raw, at) => (absent(raw) ? value : checked(raw, at)),
    }),
  };
}

const typeName = (raw: unknown) =>
  raw === null ? "null" : Array.isArray(raw) ? "array" : typeof raw;
/**
 * What a text may say of a value that does not fit: lists and objects only by their kind, because
 * making text of them can fail.
 */
const shown = (raw: unknown): string =>
  typeof raw === "string" || typeof raw === "number" ? String(raw).slice(0, 64) : typeName(raw);

const readText: Read<string> = (raw) => {
  if (typeof raw === "string") return raw;
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean") return raw ? "1" : "0";
  if (raw === null) return "";
  return unfit(`expected type 'string', got unconvertible type '${typeName(raw)}'`);
};
const readInt: Read<number> = (raw) => {
  const n =
    typeof raw === "string"
      ? integerText(raw.trim())
      : typeof raw === "boolean"
        ? Number(raw)
        : raw === null
          ? 0
          : raw;
  return typeof n === "number" && Number.isSafeInteger(n)
    ? n
    : unfit(`expected type 'int', got value '${shown(raw)}'`);
};
/** Integer text with the base it announces: 0x1f, 0b1, 0o17, 017. */
function integerText(text: string): number {
  if (text === "") return 0;
  const match = /^([+-]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO]?[0-7]+|0|[1-9][0-9]*)$/.exec(text);
  if (!match) return NaN;
  const digits = match[2] ?? "";
  const value = /^0[0-7]/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
  return match[1] === "-" ? -value : value;
}
const flags: Readonly<Record<string, boolean>> = {
  "": false,
  "1": true,
  t: true,
  T: true,
  TRUE: true,
  true: true,
  True: true,
  "0": false,
  f: false,
  F: false,
  FALSE: false,
  false: false,
  False: false,
};
const readFlag: Read<boolean> = (raw) => {
  if (typeof raw === "boolean") return raw;
  if (raw === null) return false;
  const text = typeof raw === "number" ? String(raw) : raw;
  const value = typeof text === "string" && Object.hasOwn(flags, text) ? flags[text] : undefined;
  return value ?? unfit(`cannot parse '${shown(raw)}' as bool`);
};
const readList: Read<readonly string[]> = (raw) => {
  if (raw === null || raw === "") return [];
  if (Array.isArray(raw)) return raw.map((item: unknown) => readText(item).trim());
  if (typeof raw === "object") return unfit("expected a list");
  return readText(raw)
    .split(",")
    .map((item) => item.trim());
};

/** A string; numbers and booleans become their text. */
export const text = kind({ type: "string" }, readText);
/** A string that is never logged. */
export const secret = kind({ type: "string" }, readText, { secret: true });
/** A boolean; also 1, 0, "true", "t", "0" and the like. */
export const flag = kind({ type: "boolean" }, readFlag);
/** A whole number up to 2^53; also as text in base 2, 8, 10 or 16. */
export const int = kind({ type: "integer" }, readInt);
/** A list of strings; text is split at commas. */
export const list = kind<readonly string[]>({ type: "array", items: { type: "string" } }, readList);
/** A list of strings of which text is one element. */
export const strings = kind<readonly string[]>(
  { type: "array", items: { type: "string" } },
  (raw) => (typeof raw === "string" && raw !== "" ? [raw] : readList(raw)),
);
/** Seconds; also a duration text such as "72h". Replies print a whole number. */
export const seconds = kind<number>(
  { type: "integer", format: "seconds" },
  (raw) => parseDuration(raw) ?? 0,
  { nullAbsent: true },
);
/**
 * Seconds, which replies of the documented dialect print with the largest suffix that divides them.
 */
export const duration = kind<number>(
  { type: "string", format: "go-duration" },
  (raw) => parseDuration(raw) ?? 0,
  {
    nullAbsent: true,
    print: (value, dialect) => (dialect.durations === "text" ? shortDuration(value) : value),
    standard: shortDuration,
  },
);
/** Unix seconds, which replies of the documented dialect print as text. */
export const expiration = kind<number>({ type: "string", format: "unix-seconds" }, readInt, {
  print: (value, dialect) => (dialect.expiration === "text" ? String(value) : value),
});
/** Unix seconds, which replies of the documented dialect leave out. */
export const compatExpiration = kind<number>({ type: "integer", format: "unix-seconds" }, readInt, {
  print: (value, dialect) => (dialect.expiration === "text" ? undefined : value),
});
/** Unix seconds. */
export const instant = kind<number>({ type: "integer", format: "unix-seconds" }, readInt);
/** A list of strings, or null where the documents print null for none. */
export const listOrNull = kind<readonly string[] | null>(
  { type: ["array", "null"], items: { type: "string" } },
  (raw) => (raw === null ? null : readList(raw)),
);
/** Any JSON object; null, which clients send for a map they do not set, is none. */
export const map = kind<Readonly<Record<string, unknown>>>(
  { type: "object" },
  (raw) =>
    typeof raw === "object" && raw !== null && !Array.isArray(raw)
      ? { ...raw }
      : unfit("expected a map"),
  { nullAbsent: true },
);
/** A JSON object, or null where the documents print null for none. */
export const mapOrNull = kind<Readonly<Record<string, unknown>> | null>(
  { type: ["object", "null"] },
  (raw) => (raw === null ? null : map.required("").parse(raw, "")),
);
/** A string, or null where clients look for null. */
export const textOrNull = kind<string | null>({ type: ["string", "null"] }, (raw) =>
  raw === null ? null : readText(raw),
);
/** Objects in a list, in replies. */
export const objects = kind<readonly Readonly<Record<string, unknown>>[]>(
  { type: "array", items: { type: "object" } },
  (raw) =>
    Array.isArray(raw)
      ? raw.filter(
          (item): item is Readonly<Record<string, unknown>> =>
            typeof item === "object" && item !== null,
        )
      : unfit("expected a list of objects"),
);
/** JSON Schema of an object of a shape. */
export function schemaOf(shape: Shape): Readonly<Record<string, unknown>> {
  const required = Object.keys(shape).filter((name) => shape[name]?.required);
  const properties = Object.fromEntries(
    Object.entries(shape).map(([name, field]) => [name, field.json]),
  );
  return { type: "object", properties, ...(required.length ? { required } : {}) };
}
/** Objects of one shape in a list, in replies. */
export const listOf = <S extends Shape>(shape: S) =>
  kind<readonly Parsed<S>[]>(
    { type: "array", items: schemaOf(shape) },
    // a reply of our own, read back by the client: its members were written by this shape
    (raw) => (Array.isArray(raw) ? (raw as readonly Parsed<S>[]) : []),
  );
/** Objects of one shape by name, in replies. */
export const records = <S extends Shape>(shape: S) =>
  kind<Readonly<Record<string, Parsed<S>>>>(
    { type: "object", additionalProperties: schemaOf(shape) },
    // a reply of our own, read back by the client: its members were written by this shape
    (raw) =>
      typeof raw === "object" && raw !== null ? (raw as Readonly<Record<string, Parsed<S>>>) : {},
  );
