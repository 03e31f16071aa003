import { describe, expect, it } from "vitest";
import { endpointLists } from "../../src/endpoints/all.ts";
import { admitsParameters } from "../../src/policy/parameters.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import type { Field } from "../../src/wire/field.ts";
import { threadTime } from "../support/spent.ts";
import { ofName, storedAsSent } from "./spellings.ts";

const { vars: _, ...lists } = endpointLists;
const endpoints: readonly AnyEndpoint[] = Object.values(lists).flat();
/** Endpoints whose callers are authorized by policies. */
const judged = endpoints.filter(({ access }) => access === "token" || access === "sudo");

type Rules = Parameters<typeof admitsParameters>[0];
const rules = (said: Partial<Record<keyof Rules, Readonly<Record<string, unknown>>>>): Rules => {
  const named = (of: keyof Rules) =>
    new Map(Object.entries(said[of] ?? {}).map(([name, value]) => [name, [value]]));
  return { denied: named("denied"), allowed: named("allowed"), required: [] };
};

/** Forms of one value, and another value. */
interface Spellings {
  readonly same: readonly unknown[];
  readonly other: unknown;
}
const duration = { same: [3600, "3600", "1h", "60m", "1h0m0s"], other: "2h" };
/** Returns forms of a value that its type parses, for any field. */
function ofKind({ json }: Field<unknown>): Spellings | undefined {
  const { type, format } = json;
  if (format === "seconds" || format === "go-duration") return duration;
  if (type === "boolean") return { same: [true, "true", "t", "T", "TRUE", 1, "1"], other: false };
  if (type === "integer") return { same: [31, "31", " 31", "0x1f", "037", "0o37"], other: 30 };
  return type === "number" ? { same: [5, "5", "5.0"], other: 4 } : undefined;
}
const isList = ({ json }: Field<unknown>): boolean => [json["type"]].flat().includes("array");
const isText = ({ json }: Field<unknown>): boolean => [json["type"]].flat().includes("string");

const fields = judged.flatMap(({ id, body }) =>
  Object.entries(body).map(([name, field]) => ({ id, name, field, body })),
);
const spellingsOf = (id: string, name: string, field: Field<unknown>): Spellings | undefined =>
  ofName[`${id}.${name}`] ?? (field.form ? ofName[name] : undefined) ?? ofKind(field);

describe("the normal forms of parameters (P 9.5.1)", () => {
  it("are declared for every string and list that is not stored as sent", () => {
    const unknown = fields.filter(
      ({ id, name, field }) =>
        (isText(field) || isList(field)) &&
        ofKind(field) === undefined &&
        field.form === undefined &&
        field.json["format"] !== "binary" &&
        !storedAsSent.has(name) &&
        !storedAsSent.has(`${id}.${name}`),
    );
    expect([...new Set(unknown.map(({ id, name }) => `${id}.${name}`))]).toEqual([]);
  });

  it("all have examples here", () => {
    const untried = fields.filter(
      ({ id, name, field }) => field.form && spellingsOf(id, name, field) === undefined,
    );
    expect([...new Set(untried.map(({ id, name }) => `${id}.${name}`))]).toEqual([]);
  });

  it("are the same for an alias and its parameter", () => {
    for (const { name, field, body, id } of fields)
      if (field.alias !== undefined)
        expect([id, name, field.form]).toEqual([id, name, body[field.alias]?.form]);
  });

  it("are what rules compare: a rule with one form applies to every other form that is sent", () => {
    const wrong: string[] = [];
    for (const { id, name, field, body } of fields) {
      const spellings = spellingsOf(id, name, field);
      if (!spellings) continue;
      const { same, other } = spellings;
      const check = (expected: boolean, of: "denied" | "allowed", rule: unknown, sent: unknown) => {
        const one = { ...rules({ [of]: { [name]: rule } }), required: [name] };
        if (admitsParameters(one, { [name]: sent }, body) !== expected)
          wrong.push(`${id}.${name} ${of} ${JSON.stringify(rule)}: ${JSON.stringify(sent)}`);
      };
      for (const rule of same) {
        check(true, "denied", rule, other);
        check(false, "allowed", rule, other);
        for (const sent of same) {
          check(false, "denied", rule, sent);
          check(true, "allowed", rule, sent);
          if (!isList(field) || typeof sent !== "string" || sent.startsWith("[")) continue;
          for (const list of [[sent], [other, sent], `${String(other)}, ${sent}`]) {
            check(false, "denied", rule, list);
            check(list.length === 1, "allowed", rule, list);
          }
        }
      }
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it("are computed in time linear in the length of the value", () => {
    const long = (character: string) => `a${character.repeat(100_000)}a`;
    const forms = new Set(fields.flatMap(({ field }) => field.form ?? []));
    const before = threadTime();
    for (const form of forms)
      for (const character of ["=", "/", " ", "-"])
        for (const value of [long(character), [long(character)]])
          try {
            form(value);
          } catch {
            // not a valid value of this field
          }
    expect(threadTime() - before).toBeLessThan(10_000);
  });

  it("are not computed for a value with more elements than rules permit", () => {
    let formed = 0;
    const form = (read: unknown) => {
      formed += Array.isArray(read) ? read.length : 1;
      return read;
    };
    const declared = { names: { parse: (raw: unknown) => raw, form } };
    const names = Array.from({ length: 5000 }, (_, at) => `${at}.example`);
    for (const sent of [names, names.join(","), JSON.stringify(names)]) {
      expect(admitsParameters(rules({ denied: { names: "x" } }), { names: sent }, declared)).toBe(
        false,
      );
      expect(admitsParameters(rules({ allowed: { names: "x*" } }), { names: sent }, declared)).toBe(
        false,
      );
    }
    // only for the values of the rules
    expect(formed).toBe(3);
  });
});
