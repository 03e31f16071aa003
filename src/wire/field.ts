import { parseDuration, shortDuration } from "../base/duration.ts";
import { describedBy, kind } from "./field-kind.ts";
import type { Parsed, Shape } from "./field-type.ts";
import {
  readFlag,
  readInt,
  readList,
  readMap,
  readNumber,
  readPairs,
  readText,
  unfit,
} from "./read-value.ts";

export { formed } from "./field-kind.ts";
export type { Field, Parsed, Sent, Shape } from "./field-type.ts";

/** A string; numbers and booleans become their text. */
export const text = kind({ type: "string" }, readText);
/** A string that is never logged. */
export const secret = kind({ type: "string" }, readText, { secret: true });
/** A boolean; also 1, 0, "true", "t", "0" and the like. */
export const flag = kind({ type: "boolean" }, readFlag);
/** A whole number up to 2^53; also as text in base 2, 8, 10 or 16. */
export const int = kind({ type: "integer" }, readInt);
/** A number; also as text. */
export const number = kind({ type: "number" }, readNumber);
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
export const map = kind<Readonly<Record<string, unknown>>>({ type: "object" }, readMap, {
  nullAbsent: true,
});
/** A JSON object; also texts `name=value`, one or a list of them, as command lines send it. */
export const pairs = kind<Readonly<Record<string, unknown>>>(
  { type: "object" },
  (raw) => (typeof raw === "string" || Array.isArray(raw) ? readPairs(raw) : readMap(raw)),
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
/** Bytes, where the body of a request is nothing else. */
export const bytes = kind<Uint8Array>({ type: "string", format: "binary" }, (raw) =>
  raw instanceof Uint8Array ? raw : unfit("expected bytes"),
);
/** A whole number, or null where there is none. */
export const intOrNull = kind<number | null>({ type: ["integer", "null"] }, (raw) =>
  raw === null ? null : readInt(raw),
);
/** A boolean, or null where there is none. */
export const flagOrNull = kind<boolean | null>({ type: ["boolean", "null"] }, (raw) =>
  raw === null ? null : readFlag(raw),
);
/** Seconds as `seconds` has them, and negative ones, for a refusal of the endpoint's own. */
export const signedSeconds = kind<number>(
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
/** Objects in a list; null is none. */
export const objects = kind<readonly Readonly<Record<string, unknown>>[]>(
  { type: "array", items: { type: "object" } },
  (raw) =>
    Array.isArray(raw)
      ? raw.filter(
          (item): item is Readonly<Record<string, unknown>> =>
            typeof item === "object" && item !== null,
        )
      : raw === null
        ? []
        : unfit("expected a list of objects"),
);
/**
 * JSON Schema of an object of a shape. `always`: what each object has; the required fields unless
 * said.
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
const membersOf = (...of: Parameters<typeof schemaOf>): Readonly<Record<string, unknown>> => {
  const { type: _type, ...members } = schemaOf(...of);
  return members;
};
/** The same, or null where there is none. */
export const mapOfOrNull = (shape: Shape) => describedBy(mapOrNull, membersOf(shape));
/** A JSON object whose members are told by a shape; its handler reads them. */
export const mapOf = (...of: Parameters<typeof schemaOf>) => describedBy(map, membersOf(...of));
/** Objects in a list, told by a shape; their handler reads them. */
export const objectsOf = (shape: Shape) => describedBy(objects, { items: schemaOf(shape) });
const textValues = { additionalProperties: { type: "string" } } as const;
/** Texts by name. */
export const texts = describedBy(map, textValues);
/** Texts by name, also as command lines send them. */
export const textPairs = describedBy(pairs, textValues);
/** Texts by name, or null where the documents print null for none. */
export const textsOrNull = describedBy(mapOrNull, textValues);
/** Objects by name, told by a shape; they are given as they are. */
export const mapsOf = (...of: Parameters<typeof schemaOf>) =>
  describedBy(map, { additionalProperties: schemaOf(...of) });
/** Texts by name, null for what is not there. */
export const textsOrNulls = describedBy(map, {
  additionalProperties: { type: ["string", "null"] },
});
/** Lists of texts by name. */
export const lists = describedBy(map, {
  additionalProperties: { type: "array", items: { type: "string" } },
});
const single = ["string", "number", "boolean", "object", "null"] as const;
/** Lists of values of any kind by name. */
export const anyLists = describedBy(map, {
  additionalProperties: { type: "array", items: { type: single } },
});
/** Numbers by name. */
export const counts = describedBy(map, { additionalProperties: { type: "integer" } });
