import { describe, expect, it } from "vitest";
import { capabilitiesOf, compileAcl } from "../../src/policy/index.ts";
import { parsePolicy } from "../../src/policy/policy.ts";
import { seeded } from "../support/authority.ts";
import { decisive, type Written } from "./naive.ts";
import { threadTime } from "../support/spent.ts";

const acl = (...texts: readonly string[]) =>
  compileAcl(texts.map((text, at) => ({ name: `p${at}`, ...parsePolicy(text) })));
const read = (pattern: string) => `path "${pattern}" { capabilities = ["read", "list"] }\n`;

/** Generates patterns and paths from few names, so that they often match, including unusual ones. */
function world(seed: number) {
  const random = seeded(seed);
  const below = (max: number) => ((random(1)[0] ?? 0) * 256 + (random(1)[0] ?? 0)) % max;
  const one = <T>(of: readonly T[]): T => of[below(of.length)] as T; // never empty
  const segments = (wild: boolean) =>
    Array.from({ length: 1 + below(4) }, () =>
      one(
        wild
          ? ["a", "b", "ab", "a+b", "+", "+", "+a", "a*b", ""]
          : ["a", "b", "ab", "abc", "a+b", "+", "*"],
      ),
    );
  const pattern = (): string => {
    const text = segments(true).join("/");
    return text.endsWith("+") || below(2) === 0 ? text : `${text}*`;
  };
  const patterns = [...new Set(Array.from({ length: 1 + below(12) }, pattern))].filter(
    (text) => text !== "" && !text.startsWith("/") && !text.includes("+*"),
  );
  const paths = Array.from({ length: 40 }, () => segments(false).join("/") + one(["", "", "/"]));
  return { patterns, paths };
}
const fixed = Array.from({ length: 200 }, (_, at) => at + 1);
const fresh = Array.from({ length: 50 }, () => Math.floor(Math.random() * 2 ** 31));

describe("the policy rule for a path", () => {
  it.each([...fixed, ...fresh])(
    "is the one that a search of all the rules finds, seed %i",
    (seed) => {
      const { patterns, paths } = world(seed);
      const rules: readonly Written[] = patterns.map((pattern) => ({ pattern, mark: pattern }));
      const table = acl(...patterns.map(read));
      for (const path of paths)
        for (const list of [false, true])
          expect([seed, path, list, table.explain(list ? "list" : "read", path)?.pattern]).toEqual([
            seed,
            path,
            list,
            decisive(rules, path, list)?.mark,
          ]);
    },
  );

  it.each([
    // a later first wildcard
    ["a/b/+", "a/b/*", "a/b/c", "a/b/+"],
    ["a/+/c", "a/*", "a/b/c", "a/+/c"],
    ["a/b*", "a/+", "a/bc", "a/b*"],
    ["a/b/*", "a/+/c", "a/b/c", "a/b/*"],
    // fewer wildcards for segments
    ["a/+/c/d", "a/+/+/d", "a/b/c/d", "a/+/c/d"],
    // longer
    ["a/+/cd*", "a/+/c*", "a/b/cde", "a/+/cd*"],
    // later in the alphabet
    ["a/+/b/+", "a/+/+/c", "a/x/b/c", "a/+/b/+"],
    // exact
    ["a/b", "a/+", "a/b", "a/b"],
  ])("among %s and %s for %s is %s", (one, other, path, winner) => {
    for (const texts of [
      [one, other],
      [other, one],
    ])
      expect(acl(...texts.map(read)).explain("read", path)?.pattern).toBe(winner);
  });

  it("treats a star before the end, and a plus within a segment, literally", () => {
    const table = acl(read("a/*/c") + read("a+b/c") + read("+d"));
    expect(table.can("read", "a/x/c")).toBe(false);
    expect(table.can("read", "a/*/c")).toBe(true);
    expect(table.can("read", "aXb/c")).toBe(false);
    expect(table.can("read", "a+b/c")).toBe(true);
    expect(table.can("read", "xd")).toBe(false);
    expect(table.can("read", "+d")).toBe(true);
  });

  it("for a list is the one for the path with a slash, then without it, then a pattern", () => {
    const list = (pattern: string) => `path "${pattern}" { capabilities = ["list"] }\n`;
    const none = (pattern: string) => `path "${pattern}" { capabilities = ["deny"] }\n`;
    expect(acl(list("pki/roles")).can("list", "pki/roles")).toBe(true);
    expect(acl(list("pki/roles/")).can("list", "pki/roles")).toBe(true);
    expect(acl(list("pki/roles/")).can("read", "pki/roles")).toBe(false);
    expect(acl(list("pki/roles/*")).can("list", "pki/roles")).toBe(true);
    expect(acl(list("pki/roles*")).can("list", "pki/roles")).toBe(true);
    expect(acl(list("pki/+/")).can("list", "pki/roles")).toBe(true);
    expect(acl(list("pki/+")).can("list", "pki/roles")).toBe(false);
    expect(acl(list("pki/roles/") + none("pki/roles")).can("list", "pki/roles")).toBe(true);
    expect(acl(list("pki/roles") + none("pki/roles/")).can("list", "pki/roles")).toBe(false);
    expect(acl(list("pki/*") + none("pki/roles")).can("list", "pki/roles")).toBe(false);
  });

  it("applies alone: a narrower rule that grants less takes precedence", () => {
    const table = acl(`
      path "pki/*" { capabilities = ["read", "update", "sudo"] }
      path "pki/issue/+" { capabilities = ["update"] }
      path "pki/issue/admin" { capabilities = ["deny"] }
      path "pki/issue/none" { }`);
    expect(capabilitiesOf(table, "pki/roles")).toEqual(["read", "sudo", "update"]);
    expect(capabilitiesOf(table, "pki/issue/web")).toEqual(["update"]);
    expect(capabilitiesOf(table, "pki/issue/admin")).toEqual(["deny"]);
    expect(capabilitiesOf(table, "pki/issue/none")).toEqual(["deny"]);
    expect(table.can("read", "pki/issue/web")).toBe(false);
  });

  it("is found quickly: 6,000 rules cost little more than ten", () => {
    const many = (count: number) =>
      acl(
        Array.from({ length: count / 2 }, (_, at) => read(`pki/issue/r${at}`)).join(""),
        Array.from({ length: count / 4 }, (_, at) => read(`pki/+/q${at}`)).join(""),
        Array.from({ length: count / 4 }, (_, at) => read(`pki/sign/p${at}*`)).join(""),
      );
    const [few, lots] = [many(12), many(6000)];
    const time = (table: typeof few) => {
      const before = threadTime();
      for (let at = 0; at < 20_000; at++) {
        table.can("read", "pki/issue/r2");
        table.can("read", "pki/x/q1");
        table.can("read", "pki/sign/p1x");
        table.can("read", "pki/none/of/these");
      }
      return threadTime() - before;
    };
    time(few);
    expect(time(lots)).toBeLessThan(10 * time(few) + 50);
  });
});
