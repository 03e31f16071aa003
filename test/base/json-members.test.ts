import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { resignCrls, signRevocationList } from "../../src/pki/crl/unstored-crls.ts";
import { readJson } from "../../src/base/json-members.ts";

const bytes = (body: string) => new TextEncoder().encode(body);
const read = (body: string | Uint8Array, type: string | null = "application/json") =>
  readJson(typeof body === "string" ? bytes(body) : body, type);
function why(body: string | Uint8Array, type?: string): string {
  try {
    read(body, type);
  } catch (error) {
    if (error instanceof CaError && error.code === "malformed")
      return error.message.replace("failed to decode JSON input: ", "");
    throw error;
  }
  throw new Error("the body was accepted");
}
const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

describe("security row 54: a JSON body", () => {
  it("may be empty or blank, and then has no members", () => {
    expect(read("")).toEqual({});
    expect(read(" \r\n\t")).toEqual({});
  });
  it("must be an object, for every media type", () => {
    expect(read('{"a":1}', null)).toEqual({ a: 1 });
    expect(read('{"a":1}', "text/plain")).toEqual({ a: 1 });
    for (const body of ["[]", "1", '"a"', "null", "true"])
      expect(why(body)).toBe("the body must be a JSON object");
  });
  it("may be null, as clients of the CA engine send it for no members", () => {
    expect(readJson(new TextEncoder().encode(" null\n"), "application/json", true)).toEqual({});
  });
  it("is rejected if it is not JSON", () => {
    for (const body of [
      "{",
      '{"a"}',
      '{"a":1,}',
      "{'a':1}",
      '{"a":01}',
      '{"a":-}',
      '{"a":1}x',
      '{"a":"\n"}',
      '\ufeff{"a":1}',
      '{"\\x":1}',
      '{"a":NaN}',
      "}",
      "]]",
      '{"a',
    ]) {
      expect(why(body), body).toBe("the text is not valid JSON");
    }
  });
  it("is rejected if it is not UTF-8", () => {
    for (const body of [
      [0x7b, 0xff, 0x7d],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
    ])
      expect(why(Uint8Array.from(body))).toBe("the text is not valid UTF-8");
  });
  it("may be nested 64 levels deep", () => {
    expect(read(nested(64))).toHaveProperty("a");
    expect(why(nested(65))).toBe("nested more than 64 levels deep");
    expect(why(nested(100_000))).toBe("nested more than 64 levels deep");
    expect(read(JSON.stringify({ a: "[".repeat(100) }))).toHaveProperty("a");
  });
  it("may contain integers up to 2^53", () => {
    expect(read('{"a":9007199254740991,"b":-9007199254740991,"c":0.5,"d":1e3}')).toEqual({
      a: 9007199254740991,
      b: -9007199254740991,
      c: 0.5,
      d: 1000,
    });
    for (const number of [
      "9007199254740993",
      "-9007199254740993",
      "1e400",
      "-1e400",
      "1e300",
      "123456789012345678901234567890",
    ]) {
      expect(why(`{"a":{"b":[${number}]}}`), number).toBe("a number exceeds 2^53");
    }
    expect(read('{"a":"9007199254740993"}')).toEqual({ a: "9007199254740993" });
  });
  it("is rejected with a duplicate member, in any form and at any depth", () => {
    for (const body of [
      '{"ttl":1,"ttl":2}',
      '{"ttl":1,"\\u0074tl":2}',
      '{"a":{"ttl":1,"ttl":2}}',
      '{"a":[{"ttl":1,"x":[],"ttl":2}]}',
      '{"ttl":{},"a":[1,{"b":2}],"ttl":1}',
    ]) {
      expect(why(body), body).toBe("duplicate member ttl");
    }
    expect(
      read('{"a":{"b":1},"b":{"a":1},"c":[{"a":1},{"a":2}],"d":"\\"a\\":1,\\"a\\""}'),
    ).toHaveProperty("d");
  });
  it("may contain 20,000 members and list items in total, at any depth", () => {
    const items = (count: number) => Array.from({ length: count }, (_, i) => i).join();
    const members = (count: number) =>
      Array.from({ length: count }, (_, i) => `"k${i}":true`).join();
    const shapes: readonly ((count: number) => string)[] = [
      (count) => `{${members(count)}}`,
      (count) => `{"a":{${members(count - 1)}}}`,
      (count) => `{"a":[${items(count - 1)}]}`,
      (count) => `{"a":[${items(9_998)}],"b":{${members(count - 10_000)}}}`,
      (count) =>
        `{"a":[${Array.from({ length: (count - 1) / 3 }, () => `[{"b":"c,d[{"}]`).join()}]}`,
    ];
    for (const shape of shapes) {
      const [whole, over] = [shape(19_999), shape(20_002)];
      expect(read(whole), whole.slice(0, 40)).toEqual(JSON.parse(whole));
      expect(why(over), over.slice(0, 40)).toBe("more than 20000 members and list items");
    }
    expect(read(`{${members(20_000)}}`)).toHaveProperty("k19999");
    expect(why(`{${members(20_001)}}`)).toBe("more than 20000 members and list items");
    const large = bytes(`{"a":[${items(100_000)}]}`);
    for (const { bodyLimits } of [resignCrls, signRevocationList])
      expect(readJson(large, null, true, bodyLimits?.members)).toHaveProperty("a");
    expect(() => readJson(large, null, true, undefined)).toThrow("20000 members");
  });
  it.each([
    ["members", (i: number) => `"k${i}":1,`, "more than 20000 members and list items"],
    ["numbers", () => "1,", "more than 20000 members and list items"],
    ["words", () => "true,", "more than 20000 members and list items"],
    ["lists", () => "[],", "more than 20000 members and list items"],
    ["numbers without commas", () => "1 ", "the text is not valid JSON"],
    ["strings without commas", () => '""', "the text is not valid JSON"],
    ["signs", () => "- ", "the text is not valid JSON"],
  ])("with too many %s is parsed only up to the limit", (name, unit, reason) => {
    const many = Array.from({ length: 50_000 }, (_, i) => unit(i)).join("");
    // parsing further would lead to another error
    expect(why(`{"a":${name === "members" ? "{" : "["}${many}${nested(100)}`)).toBe(reason);
  });
  it("has integers with a point or an exponent as text on request", () => {
    const body = bytes('{"a":1e3,"b":[1.0,-2E0,1.5],"c":1000,"d":"1e3"}');
    expect(readJson(body, null, true)).toEqual({
      a: "1e3",
      b: ["1.0", "-2E0", 1.5],
      c: 1000,
      d: "1e3",
    });
    expect(readJson(body, null)).toEqual({ a: 1000, b: [1, -2, 1.5], c: 1000, d: "1e3" });
  });
  it("may have a member __proto__ like any other", () => {
    const members = read('{"__proto__":{"admin":true},"a":1}');
    expect(Object.keys(members)).toEqual(["__proto__", "a"]);
    expect((members as { admin?: unknown }).admin).toBeUndefined();
    expect(({} as { admin?: unknown }).admin).toBeUndefined();
    expect(why('{"__proto__":1,"__proto__":2}')).toBe("duplicate member __proto__");
  });
});

describe("a form body", () => {
  const form = "application/x-www-form-urlencoded";
  it("is parsed if the media type is a form and the first character is not JSON", () => {
    expect(read("a=1&b=x+y%21&a=2", form)).toEqual({ a: ["1", "2"], b: "x y!" });
    expect(read("a=1", `${form}; charset=utf-8`)).toEqual({ a: "1" });
    expect(read(' {"a":1}', form)).toEqual({ a: 1 });
    expect(why("a=1", "application/json")).toBe("the text is not valid JSON");
  });
  it("may have a member __proto__ like any other", () => {
    expect(Object.keys(read("__proto__=1", form))).toEqual(["__proto__"]);
  });
  it("may have 20,000 members", () => {
    const body = (count: number) => Array.from({ length: count }, (_, i) => `a${i}=1`).join("&");
    expect(Object.keys(read(body(20_000), form))).toHaveLength(20_000);
    expect(why(body(20_001), form)).toBe("more than 20000 members and list items");
  });
});
