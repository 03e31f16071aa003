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
import { printReply } from "../../src/wire/shape.ts";

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

describe("a string field", () => {
  const field = text.optional("");
  it("accepts strings unchanged, and converts numbers and booleans to strings", () => {
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
  it("parses null as an empty string, which counts as sent", () => {
    expect(read(field, null)).toBe("");
    expect(read(text.default("given", ""), null)).toBe("");
    expect(read(text.required(""), null)).toBe("");
  });
  it("rejects arrays and objects", () => {
    expect(why(field, ["a"])).toBe("expected type 'string', got unconvertible type 'array'");
    expect(why(field, {})).toBe("expected type 'string', got unconvertible type 'object'");
  });
});

describe("an integer field", () => {
  const field = int.optional("");
  it("accepts integers, and strings in base 2, 8, 10 and 16", () => {
    expect(
      [5, -5, "5", "+5", "-5", "0x1F", "0b101", "0o17", "017", "0", " 7 "].map((raw) =>
        read(field, raw),
      ),
    ).toEqual([5, -5, 5, 5, -5, 31, 5, 15, 15, 0, 7]);
  });
  it("parses an empty string and null as 0, and booleans as 1 and 0", () => {
    expect(["", null, true, false].map((raw) => read(field, raw))).toEqual([0, 0, 1, 0]);
  });
  it("rejects fractions, exponents in strings, invalid digits and numbers that are too large", () => {
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
  it("reports the received value, shortened, and only the type of arrays and objects", () => {
    expect(why(field, "x".repeat(100))).toBe(`expected type 'int', got value '${"x".repeat(64)}'`);
    expect(awkward.map((raw) => why(field, raw))).toEqual([
      "expected type 'int', got value 'object'",
      "expected type 'int', got value 'array'",
      "expected type 'int', got value 'object'",
    ]);
  });
});

describe("a boolean field", () => {
  const field = flag.optional("");
  it("accepts the forms that clients send, and nothing else", () => {
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
  it("rejects objects that cannot be converted to a string like any other object", () => {
    expect(awkward.map((raw) => why(field, raw))).toEqual([
      "cannot parse 'object' as bool",
      "cannot parse 'array' as bool",
      "cannot parse 'object' as bool",
    ]);
  });
});

describe("a duration field", () => {
  it("accepts seconds as number or string, days, and unit sequences truncated to whole seconds", () => {
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
  it("parses null as absent", () => {
    expect(read(duration.optional(""), null)).toBeUndefined();
    expect(read(duration.default(30, ""), null)).toBe(30);
    expect(() => read(seconds.required(""), null)).toThrow('missing required field "f"');
  });
  it("rejects negative, fractional and mixed values", () => {
    expect(why(duration.optional(""), -5)).toBe("cannot provide negative value '-5'");
    expect(why(duration.optional(""), "-5s")).toBe("cannot provide negative value '-5'");
    for (const raw of [1.5, "1d12h", "1h 30m", "h", "1w", true, [], {}])
      expect(why(duration.optional(""), raw)).not.toBe("");
  });
  it("is printed with the largest unit in the documented dialect", () => {
    const field = duration.optional("");
    expect([0, 45, 5400, 259_200].map((value) => field.print?.(value, documented, {}))).toEqual([
      "0s",
      "45s",
      "90m",
      "72h",
    ]);
    expect(field.print?.(5400, compat, {})).toBe(5400);
    for (const ttl of [null, undefined])
      expect(printReply({ ttl: field }, { ttl }, {}, documented)).toEqual({ ttl });
    expect(seconds.optional("").print).toBeUndefined();
  });
});

describe("a list field", () => {
  const field = list.optional("");
  it("accepts an array, whose members become trimmed strings and are not split", () => {
    expect(read(field, ["a,b", " c ", 1, true, null])).toEqual(["a,b", "c", "1", "1", ""]);
  });
  it("splits strings at commas, keeps empty members, and turns a number into one member", () => {
    expect(read(field, "a, b ,c")).toEqual(["a", "b", "c"]);
    expect(read(field, "a,,b")).toEqual(["a", "", "b"]);
    expect(read(field, 7)).toEqual(["7"]);
  });
  it("parses an empty string, null and [] as an empty list that was sent", () => {
    for (const raw of ["", null, []]) expect(read(list.default(["given"], ""), raw)).toEqual([]);
  });
  it("rejects objects, also as members", () => {
    expect(why(field, {})).toBe("expected a list");
    expect(why(field, [["a"]])).toBe("expected type 'string', got unconvertible type 'array'");
    for (const raw of awkward) expect(why(field, raw)).not.toBe("");
  });
  it("accepts a string as a single member if so declared", () => {
    expect(read(strings.optional(""), "a,b")).toEqual(["a,b"]);
    expect(read(strings.optional(""), "")).toEqual([]);
    expect(read(strings.optional(""), ["a", "b"])).toEqual(["a", "b"]);
  });
  it("keeps null if the documentation prints null for an empty list", () => {
    expect(read(listOrNull.optional(""), null)).toBeNull();
    expect(read(listOrNull.optional(""), "a")).toEqual(["a"]);
  });
});

describe("an object field", () => {
  it("accepts and copies objects, pairs also strings like name=value; everything else is rejected", () => {
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

describe("every kind of field", () => {
  it("distinguishes a missing required member from an invalid one", () => {
    for (const kind of [text, int, flag, seconds, list, map])
      expect(() => read<unknown>(kind.required(""), undefined)).toThrow(
        'Field validation failed: missing required field "f"',
      );
    expect(() => int.required("").parse("x", "key_bits")).toThrow(
      "Field validation failed: error converting input for field \"key_bits\": expected type 'int', got value 'x'",
    );
  });
  it("returns the default or undefined for an absent member", () => {
    expect(read(text.default("a", ""), undefined)).toBe("a");
    expect(read(text.optional(""), undefined)).toBeUndefined();
  });
  it("can be required in the schema and leave the error to the handler", () => {
    const field = text.requiredOr("", "A.");
    expect([field.required, field.json, read(field, undefined), read(field, "a")]).toEqual([
      true,
      { type: "string", description: "A." },
      "",
      "a",
    ]);
  });
  it("returns its JSON Schema with description and default", () => {
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
  it("prints a time as a string in the documented dialect only", () => {
    expect(expiration.required("").print?.(1_900_000_000, documented, {})).toBe("1900000000");
    expect(expiration.required("").print?.(1_900_000_000, library, {})).toBe(1_900_000_000);
    expect(read(expiration.required(""), "1900000000")).toBe(1_900_000_000);
    expect(instant.required("").print).toBeUndefined();
  });
  it("never repeats a secret in an error", () => {
    expect(why(secret.required(""), ["canary"])).not.toContain("canary");
    expect(secret.required("").secret).toBe(true);
  });
});
