import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import {
  duration,
  expiration,
  flag,
  instant,
  int,
  list,
  listOrNull,
  map,
  records,
  seconds,
  secret,
  strings,
  text,
} from "../../src/wire/field.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { readJson } from "../../src/base/json-members.ts";
import { envelope } from "../../src/wire/style.ts";
import { forSeeds } from "../base/seeds.ts";
import { bench } from "./fixture.ts";

const utf8 = (value: string) => new TextEncoder().encode(value);
/** Runs a function that may throw only a CaError. */
function refuses(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
  }
}
const safe = fc
  .jsonValue({ maxDepth: 5 })
  .filter((value) => !/\d{16}|e\+?\d{2}/.test(JSON.stringify(value)));

describe("random input", () => {
  it("readJson parses every JSON object like JSON.parse", () => {
    forSeeds(
      fc.property(fc.dictionary(fc.string(), safe), (value) => {
        const body = JSON.stringify(value);
        expect(readJson(utf8(body), null)).toEqual(JSON.parse(body));
      }),
    );
  });
  it("readJson parses or rejects any text", () => {
    const pieces = fc.array(
      fc.constantFrom(
        "{",
        "}",
        "[",
        "]",
        '"',
        "a",
        ":",
        ",",
        "1",
        "-",
        "e9",
        "\\",
        "\\u0061",
        "\\ud800",
        " ",
        "null",
        "true",
        "\u0000",
        "é",
        ".5",
      ),
      { maxLength: 40 },
    );
    forSeeds(
      fc.property(
        fc.oneof(
          pieces.map((parts) => parts.join("")),
          fc.string({ unit: "binary" }),
        ),
        (body) => {
          refuses(() => readJson(utf8(`{${body}`), null));
          refuses(() => readJson(utf8(body), "application/x-www-form-urlencoded"));
        },
      ),
    );
  });
  it("fields accept any JSON value or reject it with the field name", () => {
    const kinds = [
      text,
      secret,
      flag,
      int,
      list,
      strings,
      seconds,
      duration,
      expiration,
      instant,
      listOrNull,
      map,
      records({ a: int.required("") }),
    ];
    const awkward = fc.constantFrom<unknown>(
      JSON.parse('{"toString":1,"valueOf":2}'),
      [JSON.parse('{"toString":null}')],
      JSON.parse('{"__proto__":null}'),
      -0,
      2 ** 53,
      "\u0000",
    );
    forSeeds(
      fc.property(fc.oneof(fc.jsonValue({ maxDepth: 3 }), awkward), (raw) => {
        for (const kind of kinds)
          for (const field of [kind.required(""), kind.optional("")]) {
            try {
              field.parse(raw, "the_field");
            } catch (error) {
              expect(error).toBeInstanceOf(CaError);
              expect((error as CaError).message).toContain('"the_field"');
            }
          }
      }),
    );
  });
  it("any path gets a response other than an internal error, and the executed path is the authorized one", async () => {
    const seen: string[] = [];
    const run = async (_: unknown, value: string) => void seen.push(value);
    const shared = { access: "token", style: envelope, doc: "", body: {}, reply: {} } as const;
    const { fetch, asked } = bench([
      endpoint({
        ...shared,
        id: "named",
        at: ["GET /named/:name"],
        run: (ca, input) => run(ca, input.name),
      }),
      endpoint({
        ...shared,
        id: "free",
        at: ["GET /free/:free"],
        run: (ca, input) => run(ca, input.free),
      }),
    ]);
    const piece = fc.constantFrom(
      "/",
      "//",
      ".",
      "..",
      "%2e",
      "%2E%2e",
      "%2f",
      "%5c",
      "%252f",
      "%00",
      "%",
      "%zz",
      ";",
      "\\",
      "a",
      "named",
      "free",
      "%20",
      "%C3%A9",
      "é",
      "?",
      "#",
      "ocsp/",
      "%6eamed",
      "+",
      "~",
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("/v1/pki/named/", "/v1/pki/free/", "/v1/pki/", "/v1/"),
        fc.array(piece, { maxLength: 8 }),
        async (base, parts) => {
          seen.length = asked.length = 0;
          const { status } = await fetch("GET", base + parts.join(""));
          expect([400, 404, 405]).toContain(status);
          for (const value of seen)
            expect([`pki/named/${value}`, `pki/free/${value}`]).toContain(asked[0]?.[1]);
        },
      ),
      { seed: 20_261_121, numRuns: 1000 },
    );
  });
});
