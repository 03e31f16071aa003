import { describe, expect, it } from "vitest";
import { expressionOf, filtered } from "../../src/external/filter.ts";

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

describe("JMESPath expressions of external policy", () => {
  it.each([
    ["metadata.team", "web"],
    ["{ id: id, team: metadata.team }", { id: "e1", team: "web" }],
    ["aliases[?mount_accessor=='auth_userpass_1'].name | [0]", "alice"],
    ["keys(metadata) | sort(@)", ["floor", "team"]],
    ["join(', ', aliases[*].name)", "alice"],
    ["nothing", null],
  ])("take of an entity what %s says", (expression, left) => {
    expect(filtered(expression, entity)).toEqual(left);
  });
  it("take of 500 groups their names", () => {
    expect(filtered("[*].name", groups)).toEqual(groups.map(({ name }) => name));
    expect(filtered("[?starts_with(name, 'group 49')].id", groups)).toHaveLength(11);
    expect(filtered("sort_by(@, &name)[:2].name", groups)).toEqual(["group 0", "group 1"]);
  });

  it.each([
    ["metadata.", "is not valid"],
    ["[", "is not valid"],
    ["a".repeat(1001), "is longer than 1000 characters"],
    ["nothing(@)", "the function nothing, which is not known"],
    ["a.b[*].{c: nothing(@)}", "the function nothing, which is not known"],
    ["map(&pad_left(@, `1000000000`), @)", "the function pad_left, which is not taken"],
    ["replace(@, 'a', 'aaaa')", "the function replace, which is not taken"],
    ["join(name, @)", "no literal"],
    ["let $a = @ in [$a, $a]", "`let`, which is not taken"],
  ])("are refused where they are %s", (expression, text) => {
    expect(() => expressionOf(expression)).toThrow(text);
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
  ])("that would take very much work end soon: %#", (expression) => {
    expressionOf(expression);
    const begun = performance.now();
    expect(() => filtered(expression, groups)).toThrow(
      expect.objectContaining({ code: "policy_failed" }),
    );
    expect(performance.now() - begun).toBeLessThan(1500);
  });

  it("that do not fit an entity fail, and never leave everything", () => {
    for (const expression of ["length(nothing)", "sum(metadata)", "abs(name)"])
      expect(() => filtered(expression, entity)).toThrow("cannot be applied");
  });
});
