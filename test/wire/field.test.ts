import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { readCredentials } from "../../src/v1/api.ts";
import { library } from "../../src/wire/dialect.ts";
import {
  duration,
  expiration,
  flag,
  instant,
  int,
  list,
  listOrNull,
  map,
  pairs,
  seconds,
  secret,
  strings,
  text,
  type Field,
} from "../../src/wire/field.ts";

/** Returns the error for a value, without the name of the field. */
function why(field: Field<unknown>, raw: unknown): string {
  try {
    field.parse(raw, "f");
  } catch (error) {
    if (error instanceof CaError && error.code === "invalid_field")
      return error.message.replace(
        'Field validation failed: error converting input for field "f": ',
        "",
      );
    throw error;
  }
  throw new Error(`${JSON.stringify(raw)} was accepted`);
}
const read = <T>(field: Field<T>, raw: unknown): T => field.parse(raw, "f");
const sent = (header: string) => ({ get: (name: string) => (name === header ? "t" : null) });
const documented = readCredentials(sent("x-service-token")).dialect;
const compat = readCredentials(sent("x-vault-token")).dialect;
/** JSON values without a text form. */
const awkward = [
  JSON.parse('{"toString":1,"valueOf":1}'),
  [JSON.parse('{"toString":1}')],
  Object.create(null),
] as const;

describe("a string", () => {
  const field = text.optional("");
  it("takes text as it is and makes text of numbers and booleans", () => {
    expect([" a ", "", 12, 1.5, -3, true, false].map((raw) => read(field, raw))).toEqual([
      " a ",
      "",
      "12",
      "1.5",
      "-3",
      "1",
      "0",
    ]);
  });
  it("reads null as the empty text, which counts as sent", () => {
    expect(read(field, null)).toBe("");
    expect(read(text.default("given", ""), null)).toBe("");
    expect(read(text.required(""), null)).toBe("");
  });
  it("refuses lists and objects", () => {
    expect(why(field, ["a"])).toBe("expected type 'string', got unconvertible type 'array'");
    expect(why(field, {})).toBe("expected type 'string', got unconvertible type 'object'");
  });
});

describe("an integer", () => {
  const field = int.optional("");
  it("takes whole numbers, and text in base 2, 8, 10 and 16", () => {
    expect(
      [5, -5, "5", "+5", "-5", "0x1F", "0b101", "0o17", "017", "0", " 7 "].map((raw) =>
        read(field, raw),
      ),
    ).toEqual([5, -5, 5, 5, -5, 31, 5, 15, 15, 0, 7]);
  });
  it("reads the empty text and null as 0, booleans as 1 and 0", () => {
    expect(["", null, true, false].map((raw) => read(field, raw))).toEqual([0, 0, 1, 0]);
  });
  it("rejects fractions, exponents in text, other digits and numbers that are too large", () => {
    for (const raw of [
      1.5,
      "1.5",
      "1e3",
      "09",
      "0b2",
      "0xg",
      "ten",
      "1 000",
      2 ** 53,
      "9007199254740992",
      {},
      [1],
    ])
      expect(why(field, raw)).toMatch(/^expected type 'int', got value '/);
  });
  it("reports the received value, shortened, and of lists and objects only the type", () => {
    expect(why(field, "x".repeat(100))).toBe(`expected type 'int', got value '${"x".repeat(64)}'`);
    expect(awkward.map((raw) => why(field, raw))).toEqual([
      "expected type 'int', got value 'object'",
      "expected type 'int', got value 'array'",
      "expected type 'int', got value 'object'",
    ]);
  });
});

describe("a boolean", () => {
  const field = flag.optional("");
  it("takes the spellings that clients send, and nothing else", () => {
    for (const raw of [true, 1, "1", "t", "T", "TRUE", "true", "True"])
      expect(read(field, raw)).toBe(true);
    for (const raw of [false, 0, "0", "f", "F", "FALSE", "false", "False", "", null])
      expect(read(field, raw)).toBe(false);
    for (const raw of [
      "yes",
      "no",
      "on",
      "tRUE",
      " true",
      2,
      -1,
      1.5,
      [],
      {},
      "constructor",
      "__proto__",
    ])
      expect(why(field, raw)).toMatch(/^cannot parse '.*' as bool$/);
  });
  it("refuses objects that make no text of themselves like any other object", () => {
    expect(awkward.map((raw) => why(field, raw))).toEqual([
      "cannot parse 'object' as bool",
      "cannot parse 'array' as bool",
      "cannot parse 'object' as bool",
    ]);
  });
});

describe("a duration", () => {
  it("takes seconds as number or text, days, and unit sequences cut to whole seconds", () => {
    const values = {
      3600: 3600,
      "": 0,
      "90": 90,
      "2d": 172_800,
      "1h30m": 5400,
      "1.5h": 5400,
      "2160h0m0s": 7_776_000,
      "1500ms": 1,
      "999ms": 0,
    };
    for (const field of [seconds.optional(""), duration.optional("")])
      for (const [raw, value] of Object.entries(values)) expect(read(field, raw)).toBe(value);
    expect(read(duration.optional(""), 60)).toBe(60);
  });
  it("reads null as not sent", () => {
    expect(read(duration.optional(""), null)).toBeUndefined();
    expect(read(duration.default(30, ""), null)).toBe(30);
    expect(() => read(seconds.required(""), null)).toThrow('missing required field "f"');
  });
  it("refuses negative, fractional and mixed values", () => {
    expect(why(duration.optional(""), -5)).toBe("cannot provide negative value '-5'");
    expect(why(duration.optional(""), "-5s")).toBe("cannot provide negative value '-5'");
    for (const raw of [1.5, "1d12h", "1h 30m", "h", "1w", true, [], {}])
      expect(why(duration.optional(""), raw)).not.toBe("");
  });
  it("is printed with the largest unit where the dialect is the documented one", () => {
    const field = duration.optional("");
    expect([0, 45, 5400, 259_200].map((value) => field.print?.(value, documented, {}))).toEqual([
      "0s",
      "45s",
      "90m",
      "72h",
    ]);
    expect(field.print?.(5400, compat, {})).toBe(5400);
    expect(field.print?.(undefined, documented, {})).toBeUndefined();
    expect(seconds.optional("").print).toBeUndefined();
  });
});

describe("a list of strings", () => {
  const field = list.optional("");
  it("takes an array, whose members become trimmed text and are not split", () => {
    expect(read(field, ["a,b", " c ", 1, true, null])).toEqual(["a,b", "c", "1", "1", ""]);
  });
  it("splits text at commas, keeps empty members, and makes one member of a number", () => {
    expect(read(field, "a, b ,c")).toEqual(["a", "b", "c"]);
    expect(read(field, "a,,b")).toEqual(["a", "", "b"]);
    expect(read(field, 7)).toEqual(["7"]);
  });
  it("reads the empty text, null and [] as an empty list that was sent", () => {
    for (const raw of ["", null, []]) expect(read(list.default(["given"], ""), raw)).toEqual([]);
  });
  it("refuses objects, also inside", () => {
    expect(why(field, {})).toBe("expected a list");
    expect(why(field, [["a"]])).toBe("expected type 'string', got unconvertible type 'array'");
    for (const raw of awkward) expect(why(field, raw)).not.toBe("");
  });
  it("takes text as one member where it is declared so", () => {
    expect(read(strings.optional(""), "a,b")).toEqual(["a,b"]);
    expect(read(strings.optional(""), "")).toEqual([]);
    expect(read(strings.optional(""), ["a", "b"])).toEqual(["a", "b"]);
  });
  it("keeps null where the documents print null for none", () => {
    expect(read(listOrNull.optional(""), null)).toBeNull();
    expect(read(listOrNull.optional(""), "a")).toEqual(["a"]);
  });
});

describe("an object", () => {
  it("is accepted completely and copied; everything else is rejected", () => {
    const raw: unknown = JSON.parse('{"a":1,"__proto__":{"polluted":true}}');
    const found = read(map.optional(""), raw);
    expect(Object.keys(found ?? {})).toEqual(["a", "__proto__"]);
    expect((found as { polluted?: unknown }).polluted).toBeUndefined();
    expect(read(pairs.optional(""), "a=b=c")).toEqual({ a: "b=c" });
    expect(read(pairs.optional(""), ["a=b", "c="])).toEqual({ a: "b", c: "" });
    expect(read(pairs.optional(""), { a: 1 })).toEqual({ a: 1 });
    for (const other of ["a", "=b", ["a=b", 1]])
      expect(why(pairs.optional(""), other)).toBe("expected a map, or strings like name=value");
    for (const other of [[], "a=b", 1]) expect(why(map.optional(""), other)).toBe("expected a map");
    expect(read(map.optional(""), null)).toBeUndefined();
  });
});

describe("every kind", () => {
  it("distinguishes a missing required member from an invalid one", () => {
    for (const kind of [text, int, flag, seconds, list, map])
      expect(() => read<unknown>(kind.required(""), undefined)).toThrow(
        'Field validation failed: missing required field "f"',
      );
    expect(() => int.required("").parse("x", "key_bits")).toThrow(
      "Field validation failed: error converting input for field \"key_bits\": expected type 'int', got value 'x'",
    );
  });
  it("gives the default or nothing for a member that was not sent", () => {
    expect(read(text.default("a", ""), undefined)).toBe("a");
    expect(read(text.optional(""), undefined)).toBeUndefined();
  });
  it("can be demanded of callers and leave the refusal to a handler", () => {
    const field = text.requiredOr("", "A.");
    expect([field.required, field.json, read(field, undefined), read(field, "a")]).toEqual([
      true,
      { type: "string", description: "A." },
      "",
      "a",
    ]);
  });
  it("describes itself as JSON Schema with its text and default", () => {
    expect(duration.default(5400, "").json["default"]).toBe("90m");
    expect(int.default(5, "How many.").json).toEqual({
      type: "integer",
      default: 5,
      description: "How many.",
    });
    expect(list.required("Names.").json).toEqual({
      type: "array",
      items: { type: "string" },
      description: "Names.",
    });
  });
  it("prints a moment as text in the documented dialect only", () => {
    expect(expiration.required("").print?.(1_900_000_000, documented, {})).toBe("1900000000");
    expect(expiration.required("").print?.(1_900_000_000, library, {})).toBe(1_900_000_000);
    expect(read(expiration.required(""), "1900000000")).toBe(1_900_000_000);
    expect(instant.required("").print).toBeUndefined();
  });
  it("never repeats a secret in a refusal", () => {
    expect(why(secret.required(""), ["canary"])).not.toContain("canary");
    expect(secret.required("").secret).toBe(true);
  });
});
