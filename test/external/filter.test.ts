import { TreeInterpreter } from "@jmespath-community/jmespath";
import { describe, expect, it } from "vitest";
import { parseExpression, applyExpression } from "../../src/external/filter.ts";

const entity = {
  id: "e1",
  name: "alice",
  metadata: { team: "web", floor: "3" },
  aliases: [{ mount_accessor: "auth_userpass_1", name: "alice" }],
};
const groups = Array.from({ length: 500 }, (_, i) => ({
  id: `g${i}`,
  name: `group ${i}`,
  metadata: { level: String(i) },
}));

/** Returns an expression for a string of 500 letters, doubled the given number of times. */
const text = (doubled: number): string =>
  `map(&'a',@)|join('',@)${"|join('',[@,@])".repeat(doubled)}`;

/**
 * Returns the cost of applying an expression, independent of the machine: values that are visited
 * or counted, and pairs of characters that searches in strings may compare.
 */
function workOf(run: () => void): { readonly steps: number; readonly compared: number } {
  const work = { steps: 0, compared: 0 };
  // the interpreter exports only an instance of its class
  const interpreter = Object.getPrototypeOf(TreeInterpreter) as object;
  const counted = (on: object, name: string, cost: (self: unknown, first: unknown) => void) => {
    const own = Reflect.get(on, name) as (...given: unknown[]) => unknown;
    Reflect.set(on, name, function (this: unknown, ...given: unknown[]) {
      cost(this, given[0]);
      return own.apply(this, given);
    });
    return () => void Reflect.set(on, name, own);
  };
  const pairs = (self: unknown, sought: unknown) => {
    const { length } = String(self);
    work.compared += length * (typeof sought === "string" ? sought.length : length);
  };
  const restored = [
    counted(interpreter, "visit", () => void work.steps++),
    counted(Object, "values", () => void work.steps++),
    ...["includes", "indexOf", "lastIndexOf", "split", "replace"].map((name) =>
      counted(String.prototype, name, pairs),
    ),
  ];
  try {
    run();
  } finally {
    for (const restore of restored) restore();
  }
  return work;
}

describe("JMESPath expressions of an external policy", () => {
  it.each([
    ["metadata.team", "web"],
    ["{ id: id, team: metadata.team }", { id: "e1", team: "web" }],
    ["aliases[?mount_accessor=='auth_userpass_1'].name | [0]", "alice"],
    ["keys(metadata) | sort(@)", ["floor", "team"]],
    ["join(', ', aliases[*].name)", "alice"],
    ["nothing", null],
  ])("select the expected part of an entity: %s", (expression, left) => {
    expect(applyExpression(expression, entity)).toEqual(left);
  });
  it("select the names of 500 groups", () => {
    expect(applyExpression("[*].name", groups)).toEqual(groups.map(({ name }) => name));
    expect(applyExpression("[?starts_with(name, 'group 49')].id", groups)).toHaveLength(11);
    expect(applyExpression("sort_by(@, &name)[:2].name", groups)).toEqual(["group 0", "group 1"]);
  });

  it.each([
    ["metadata.", "is not valid"],
    ["[", "is not valid"],
    ["a".repeat(1001), "is longer than 1000 characters"],
    ["nothing(@)", "the unknown function nothing"],
    ["a.b[*].{c: nothing(@)}", "the unknown function nothing"],
    ["map(&pad_left(@, `1000000000`), @)", "the function pad_left, which is not supported"],
    ["replace(@, 'a', 'aaaa')", "the function replace, which is not supported"],
    ["join(name, @)", "not a literal"],
    ["let $a = @ in [$a, $a]", "`let`, which is not supported"],
  ])("are rejected if they are invalid or unsupported: %s", (expression, text) => {
    expect(() => parseExpression(expression)).toThrow(text);
  });

  it.each([
    [`@${"|[@,@]".repeat(160)}`],
    [`@${"|[@,@][]".repeat(120)}`],
    ["[*].[$,$,$][].[$,$,$][].[$,$,$][]"],
    [`${"to_string([".repeat(70)}@${"])".repeat(70)}`],
    ["map(&map(&map(&[$,$],$),$),$)"],
    ["sort_by(@, &length(to_string($)))"],
    ["[?contains(to_string($), to_string($))].[$]"],
    ["zip($,$,$,$) | [].[$] | [].[$]"],
    ["group_by(map(&{a: name, b: $}, $), &a)"],
    ["[*].constructor"],
    [`${text(7)}|contains(join('',[@,@,@,@]),join('',[@,'b',@]))`],
    [`${text(7)}|split(join('',[@,@,@,@]),join('',[@,'b',@]))`],
    [`${text(7)}|find_first(join('',[@,@,@,@]),join('',[@,'b',@]))`],
    [`${text(7)}|find_last(join('',[@,@,@,@]),join('',[@,'b']))`],
    [`${text(8)}|trim(join('',[@,'b']),'a')`],
    [`${text(8)}|trim_right(join('',[@,'b']),'a')`],
    [`${text(2)}|map(&contains(join('',[@,@,@,@]),join('',[@,'b',@])),[${"@,".repeat(100)}@])`],
  ])("are aborted before they do an excessive amount of work: %#", (expression) => {
    parseExpression(expression);
    const work = workOf(() =>
      expect(() => applyExpression(expression, groups)).toThrow(
        expect.objectContaining({ code: "policy_failed" }),
      ),
    );
    expect(work.steps).toBeLessThan(1_000_000);
    expect(work.compared).toBeLessThan(1_000_000_000);
  });
  it("an expression that searches strings of an entity is applied", () => {
    const long = { name: "a".repeat(4000), metadata: { team: "  web " } };
    expect(applyExpression("contains(name, 'ab')", long)).toBe(false);
    expect(applyExpression("trim(metadata.team)", long)).toBe("web");
    expect(applyExpression("split(name, 'b') | length(@)", long)).toBe(1);
  });

  it("an expression that does not match the types of an entity fails, and never selects everything", () => {
    for (const expression of ["length(nothing)", "sum(metadata)", "abs(name)"])
      expect(() => applyExpression(expression, entity)).toThrow("cannot be applied");
  });
});
