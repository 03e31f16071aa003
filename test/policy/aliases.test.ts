import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpointLists } from "../../src/endpoints/all.ts";
import { admitsParameters } from "../../src/policy/parameters.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { text } from "../../src/wire/field.ts";
import { forSeeds } from "../base/seeds.ts";

const endpoints: readonly AnyEndpoint[] = Object.values(endpointLists).flat();
const aliases = endpoints.flatMap(({ id, body }) =>
  Object.entries(body).flatMap(([name, { alias }]) =>
    alias === undefined ? [] : [{ id, name, alias, body }],
  ),
);

type Values = readonly unknown[];
type Rules = Parameters<typeof admitsParameters>[0];
type Said = Readonly<Record<string, Values>>;
const rules = (denied: Said, allowed: Said, required: readonly string[]): Rules => ({
  denied: new Map(Object.entries(denied)),
  allowed: new Map(Object.entries(allowed)),
  required,
});
const none = {} as const;

describe("endpoint members with an alias", () => {
  it("are those whose description says so, and the other name is a member too", () => {
    const told = endpoints.flatMap(({ id, body }) =>
      Object.entries(body).flatMap(([name, { json }]) => {
        const text = String(json["description"]);
        const [, of] = /^(?:Same as|Another name of|Older name of) `(\w+)`/.exec(text) ?? [];
        return of === undefined ? [] : [`${id} ${name} ${of}`];
      }),
    );
    expect(aliases.map(({ id, name, alias }) => `${id} ${name} ${alias}`)).toEqual(told);
    expect(told).toContain("createToken lease ttl");
    expect(told).toContain("issue cert_metadata metadata");
    expect(aliases.filter(({ alias, body }) => !Object.hasOwn(body, alias))).toEqual([]);
  });

  it("are checked under both names, regardless of the name in the rule and in the request", () => {
    for (const { name, alias, body } of aliases) {
      for (const [told, sent] of [
        [name, alias],
        [alias, name],
      ] as const) {
        const upper = sent.toUpperCase();
        const admits = (rule: Rules, parameters: Readonly<Record<string, unknown>>): boolean =>
          admitsParameters(rule, parameters, body);
        expect(admits(rules({ [told]: [] }, none, []), { [sent]: "x" })).toBe(false);
        expect(admits(rules({ [told]: [] }, none, []), { [upper]: "x" })).toBe(false);
        expect(admits(rules({ [told]: ["x"] }, none, []), { [sent]: "x" })).toBe(false);
        expect(admits(rules({ [told]: ["x"] }, none, []), { [sent]: "y" })).toBe(true);
        expect(admits(rules(none, { [told]: ["x"] }, []), { [sent]: "x" })).toBe(true);
        expect(admits(rules(none, { [told]: ["x"] }, []), { [sent]: "y" })).toBe(false);
        expect(admits(rules(none, { [told]: ["x"], "*": [] }, []), { [sent]: "y" })).toBe(false);
        expect(admits(rules(none, none, [told]), { [sent]: "x" })).toBe(true);
        expect(admits(rules(none, none, [told]), { other: "x" })).toBe(false);
      }
    }
  });
});

describe("rules for a parameter with two names", () => {
  const declared = {
    a: text.optional("One name."),
    b: text.alias("a"),
  };
  const word = fc.constantFrom("1", "2", "3", "1h", "60m");
  const said = fc.dictionary(
    fc.constantFrom("a", "b", "c", "*"),
    fc.array(word, { maxLength: 2 }),
    { maxKeys: 3, noNullPrototype: true },
  );
  const written = fc.record({
    denied: said,
    allowed: said,
    required: fc.subarray(["a", "b", "c"]),
  });
  const first = (name: string): string => (name === "b" ? "a" : name);
  /**
   * Returns the rules as if there were one name only: the union of both, where an empty list means
   * any.
   */
  function merged(one: Said): Said {
    const out: Record<string, Values> = {};
    for (const [name, values] of Object.entries(one)) {
      const held = out[first(name)];
      const isAny = values.length === 0 || held?.length === 0;
      out[first(name)] = isAny ? [] : [...(held ?? []), ...values];
    }
    return out;
  }

  it("have the same result as for one name, in a naive implementation", () => {
    forSeeds(
      fc.property(
        written,
        fc.dictionary(fc.constantFrom("a", "c"), fc.oneof(word, fc.array(word)), {
          noNullPrototype: true,
        }),
        fc.boolean(),
        ({ denied, allowed, required }, sent, other) => {
          const naive = admitsParameters(
            rules(merged(denied), merged(allowed), required.map(first)),
            sent,
          );
          const renamed = Object.fromEntries(
            Object.entries(sent).map(([name, value]) => [
              other && name === "a" ? "b" : name,
              value,
            ]),
          );
          expect(admitsParameters(rules(denied, allowed, required), renamed, declared)).toBe(naive);
        },
      ),
    );
  });

  it("permit both names together only if each is permitted", () => {
    forSeeds(
      fc.property(written, word, word, ({ denied, allowed, required }, a, b) => {
        const rule = rules(
          denied,
          allowed,
          required.map(first).filter((name) => name === "a"),
        );
        const admits = (parameters: Readonly<Record<string, unknown>>): boolean =>
          admitsParameters(rule, parameters, declared);
        expect(admits({ a, b })).toBe(admits({ a }) && admits({ b }));
      }),
    );
  });
});
