import { describe, expect, it } from "vitest";
import type { Entity } from "../../src/engine/ports.ts";
import { capabilitiesOf, compileAcl, rootPolicy } from "../../src/policy/index.ts";
import { parsePolicy } from "../../src/policy/policy.ts";
import { threadTime } from "../support/spent.ts";

const named = (name: string, text: string) => ({ name, ...parsePolicy(text) });
const acl = (...texts: readonly string[]) =>
  compileAcl(texts.map((text, at) => named(`p${at}`, text)));
const update = (parameters: Readonly<Record<string, unknown>>, wrapTtl?: number) =>
  ({ capability: "update", path: "a", parameters, wrapTtl }) as const;
/** Reports whether a policy with this rule for the path `a` permits parameters. */
const takes = (says: string, parameters: Readonly<Record<string, unknown>>, wrapTtl?: number) =>
  acl(`path "a" { capabilities = ["update"] ${says} }`).permits(update(parameters, wrapTtl));

describe("several policies", () => {
  it("grant the union of their capabilities on a pattern, and nothing if one denies", () => {
    const table = acl(
      'path "a" { capabilities = ["read"] } path "b/*" { capabilities = ["read"] }',
      'path "a" { capabilities = ["update"] } path "b/*" { capabilities = ["deny"] }',
      'path "/a" { capabilities = ["list"] } path "b/*" { capabilities = ["sudo"] }',
    );
    expect(capabilitiesOf(table, "a")).toEqual(["list", "read", "update"]);
    expect(table.explain("read", "a")?.policies).toEqual(["p0", "p1", "p2"]);
    expect(capabilitiesOf(table, "b/c")).toEqual(["deny"]);
    expect(table.explain("sudo", "b/c")).toMatchObject({ policies: ["p1"], pattern: "b/*" });
  });

  it("combine their parameters: an empty list means any value, and the smaller TTL limits apply", () => {
    const [one, other] = [
      'path "a" { capabilities = ["update"] allowed_parameters = { x = ["1"] y = ["1"] } required_parameters = ["x"] max_wrapping_ttl = 60 }',
      'path "a" { capabilities = ["update"] allowed_parameters = { x = ["2"] y = [] } denied_parameters = { y = ["9"] } min_wrapping_ttl = 10 max_wrapping_ttl = 120 }',
    ];
    for (const texts of [
      [one, other],
      [other, one],
    ]) {
      const table = acl(...texts);
      expect(table.permits(update({ x: "1" }, 60))).toBe(true);
      expect(table.permits(update({ x: "2", y: "any" }, 10))).toBe(true);
      expect(table.permits(update({ x: "2", y: "9" }, 10))).toBe(false);
      expect(table.permits(update({ x: "3" }, 10))).toBe(false);
      expect(table.permits(update({ y: "1" }, 10))).toBe(false);
      expect(table.permits(update({ x: "1" }, 61))).toBe(false);
      expect(table.permits(update({ x: "1" }, 9))).toBe(false);
      expect(table.permits(update({ x: "1" }))).toBe(false);
    }
  });

  it("grant everything if root is one of them", () => {
    const table = compileAcl([named("p", 'path "*" { capabilities = ["deny"] }'), rootPolicy]);
    expect(table.root).toBe(true);
    expect(table.can("sudo", "anything")).toBe(true);
    expect(table.permits(update({ x: 1 }))).toBe(true);
    expect(capabilitiesOf({ ...table, policies: ["root"] }, "anything")).toEqual(["root"]);
    expect(capabilitiesOf(compileAcl([]), "anything")).toEqual(["deny"]);
  });
});

describe("names matched by a wildcard pattern", () => {
  const caseless = (path: string) => [
    { at: path.split("/").length - 1, isRest: false, form: (text: string) => text.toLowerCase() },
  ];
  const judging = acl(
    'path "+/+/*" { capabilities = ["read"] }',
    `path "+/entity/name/Boss" { capabilities = ["deny"] }
     path "+/+/name/Ops*" { capabilities = ["deny"] }
     path "sys/+/acl/Secret" { capabilities = ["deny"] }
     path "+/policies/acl/Hidden" { capabilities = ["deny"] }`,
  );

  it.each([
    ["identity/entity/name/boss", false],
    ["identity/entity/name/bosses", true],
    ["identity/group/name/ops-berlin", false],
    ["sys/policies/acl/secret", false],
    ["sys/policies/acl/hidden", false],
    ["sys/policies/acl/other", true],
  ])("are case-insensitive in %s: %s", (path, granted) => {
    expect(judging.can("read", path, caseless(path))).toBe(granted);
  });
  it.each([
    ["kv/entity/name/boss", true],
    ["kv/entity/name/Boss", false],
    ["kv/policies/acl/hidden", true],
  ])("are case-sensitive in %s, if its names are: %s", (path, granted) => {
    expect(judging.can("read", path)).toBe(granted);
  });

  it("do not prevent a pattern from reaching a prefix", () => {
    const one = acl('path "+/entity/name/Boss" { capabilities = ["read"] }');
    expect(one.reaches("identity/entity/")).toBe(true);
  });
});

describe("parameter rules", () => {
  it.each([
    // required
    ['required_parameters = ["X"]', { x: "" }, true],
    ['required_parameters = ["x"]', {}, false],
    // the endpoint would ignore the name in this case
    ['required_parameters = ["x"]', { X: "1" }, false],
    ['required_parameters = ["constructor"]', {}, false],
    ['required_parameters = ["__proto__"]', {}, false],
    ['required_parameters = ["__proto__"]', JSON.parse('{"__proto__":1}'), true],
    // none sent
    ['denied_parameters = { "*" = [] }', {}, true],
    ["allowed_parameters = { x = [] }", {}, true],
    // denied
    ['denied_parameters = { "*" = [] }', { x: "1" }, false],
    ["denied_parameters = { x = [] }", { x: "1" }, false],
    ["denied_parameters = { X = [] }", { x: "1" }, false],
    ["denied_parameters = { x = [] }", { X: "1" }, false],
    ["denied_parameters = { x = [] }", { y: "1" }, true],
    ['denied_parameters = { x = ["1", "evil*"] }', { x: "2" }, true],
    ['denied_parameters = { x = ["1", "evil*"] }', { x: "evil.example" }, false],
    ['denied_parameters = { x = ["evil"] }', { x: "good, evil" }, false],
    ['denied_parameters = { x = ["evil"] }', { x: ["good", "evil"] }, false],
    ['denied_parameters = { x = ["evil"] }', { x: ["good,evil"] }, false],
    ['denied_parameters = { x = ["evil"] }', { x: '["good", "evil"]' }, false],
    ['denied_parameters = { x = ["evil"] }', { x: ["good"] }, true],
    // endpoints trim the elements of lists
    ['denied_parameters = { x = ["evil"] }', { x: " evil" }, false],
    ['denied_parameters = { x = ["evil"] }', { x: ["good", "evil\t"] }, false],
    ['denied_parameters = { x = ["evil"] }', { x: '["good", " evil"]' }, false],
    ['denied_parameters = { x = ["evil*"] }', { x: [" evil.example"] }, false],
    ["denied_parameters = { __proto__ = [] }", JSON.parse('{"__proto__":1}'), false],
    ["denied_parameters = { x = [] }", { toString: "1" }, true],
    // other forms of a denied value
    ["denied_parameters = { x = [true] }", { x: "t" }, false],
    ["denied_parameters = { x = [true] }", { x: 1 }, false],
    ['denied_parameters = { x = ["true"] }', { x: "TRUE" }, false],
    ["denied_parameters = { x = [false] }", { x: "" }, false],
    ["denied_parameters = { x = [true] }", { x: false }, true],
    ["denied_parameters = { x = [3600] }", { x: "1h" }, false],
    ['denied_parameters = { x = ["1h"] }', { x: 3600 }, false],
    ['denied_parameters = { x = ["1h"] }', { x: "60m" }, false],
    ["denied_parameters = { x = [8] }", { x: "010" }, false],
    ["denied_parameters = { x = [31] }", { x: " 0x1f" }, false],
    ["denied_parameters = { x = [31] }", { x: 30 }, true],
    // allowed
    ["allowed_parameters = { x = [] }", { x: "any" }, true],
    ["allowed_parameters = { x = [] }", { X: "any" }, true],
    ["allowed_parameters = { x = [] }", { x: "any", y: "1" }, false],
    ['allowed_parameters = { x = ["1"] "*" = [] }', { x: "1", y: "1" }, true],
    ['allowed_parameters = { x = ["1"] "*" = [] }', { x: "2", y: "1" }, false],
    ['allowed_parameters = { "*" = ["1"] }', { y: "1" }, false],
    ['allowed_parameters = { "*" = [] }', { y: "1" }, true],
    ['allowed_parameters = { x = ["*.example.com"] }', { x: "a.example.com" }, true],
    ['allowed_parameters = { x = ["*.example.com"] }', { x: "evil, a.example.com" }, false],
    ['allowed_parameters = { x = ["a*"] }', { x: "ab,evil" }, false],
    ['allowed_parameters = { x = ["a*"] }', { x: ["ab", "ac"] }, true],
    ['allowed_parameters = { x = ["a*"] }', { x: ["ab", "evil"] }, false],
    ['allowed_parameters = { x = ["a*"] }', { x: ["ab,evil"] }, false],
    ['allowed_parameters = { x = ["a*"] }', { x: '["ab","evil"]' }, false],
    ['allowed_parameters = { x = ["*a*"] }', { x: "bab" }, true],
    ['allowed_parameters = { x = ["a*b"] }', { x: "axb" }, false],
    ['allowed_parameters = { x = ["a*b"] }', { x: "a*b" }, true],
    ['allowed_parameters = { x = ["a,b"] }', { x: "a,b" }, true],
    ['allowed_parameters = { x = ["a"] }', { x: [] }, false],
    ['allowed_parameters = { x = ["a"] }', { x: "" }, false],
    ['allowed_parameters = { x = ["a"] }', { x: null }, false],
    ['allowed_parameters = { x = ["a"] }', { x: { a: 1 } }, false],
    ["allowed_parameters = { x = [{ a = 1 }] }", { x: { a: 1 } }, true],
    ["allowed_parameters = { x = [3600] }", { x: "3600" }, true],
    ['allowed_parameters = { x = ["3600"] }', { x: 3600 }, true],
    ['allowed_parameters = { x = ["1h"] }', { x: 3600 }, false],
    ["allowed_parameters = { x = [true] }", { x: "true" }, true],
    ["allowed_parameters = { x = [] }", JSON.parse('{"__proto__":1}'), false],
    ["allowed_parameters = { x = [] }", { constructor: 1 }, false],
    // both
    ["allowed_parameters = { x = [] } denied_parameters = { x = [] }", { x: 1 }, false],
  ])("with %s, %j: %s", (says, parameters, verdict) => {
    expect(takes(says, parameters as Record<string, unknown>)).toBe(verdict);
  });

  it("apply to reads and writes, not to lists and deletes", () => {
    const table = acl(
      'path "a" { capabilities = ["create", "read", "update", "patch", "list", "delete"] required_parameters = ["x"] }',
    );
    const verdicts = (["create", "read", "update", "patch", "list", "delete"] as const).map(
      (capability) => table.permits({ capability, path: "a", parameters: {} }),
    );
    expect(verdicts).toEqual([false, false, false, false, true, true]);
  });

  it("with hundreds of values are checked quickly, also against nested lists", () => {
    const values = Array.from({ length: 500 }, (_, at) => `"v${at}*"`).join();
    const table = acl(
      `path "a" { capabilities = ["update"] denied_parameters = { x = [${values}] } }`,
    );
    const before = threadTime();
    for (const [x, verdict] of [
      [`[${"[".repeat(100_000)}${"]".repeat(100_000)}]`, true],
      [",".repeat(900), true],
      [Array.from({ length: 900 }, (_, at) => `w${at}`), true],
      // more elements than any rule allows
      [",".repeat(100_000), false],
      [Array.from({ length: 20_000 }, (_, at) => `w${at}`), false],
    ] as const)
      expect(table.permits(update({ x }))).toBe(verdict);
    expect(threadTime() - before).toBeLessThan(5000);
  });

  it("require the smaller of two minimum wrapping TTLs", () => {
    const says = (min: number) =>
      `path "a" { capabilities = ["update"] min_wrapping_ttl = ${min} max_wrapping_ttl = 100 }`;
    const asked = { capability: "update", path: "a", parameters: {} } as const;
    for (const texts of [
      [says(10), says(60)],
      [says(60), says(10)],
    ]) {
      const table = acl(...texts);
      expect(table.permits({ ...asked, wrapTtl: 10 })).toBe(true);
      expect(table.permits({ ...asked, wrapTtl: 9 })).toBe(false);
    }
  });

  it("require wrapping within the TTL limits", () => {
    const says = 'min_wrapping_ttl = "10s" max_wrapping_ttl = "1m"';
    expect([undefined, 9, 10, 60, 61].map((ttl) => takes(says, {}, ttl))).toEqual([
      false,
      false,
      true,
      true,
      false,
    ]);
    // two policies whose limits exclude each other
    const table = acl(
      'path "a" { capabilities = ["update"] min_wrapping_ttl = 60 }',
      'path "a" { capabilities = ["update"] max_wrapping_ttl = 10 }',
    );
    expect([5, 10, 30, 60].map((ttl) => table.permits(update({}, ttl)))).not.toContain(true);
  });
});

const person: Entity = {
  id: "e1",
  name: "ada",
  metadata: {
    team: "web",
    path: "x/y",
    star: "*",
    "dotted.key": "d",
    empty: "",
    kelvin: "\u212aate",
  },
  aliases: {
    acc_1: {
      id: "a1",
      name: "ada@example.com",
      metadata: { sub: "s/t", plus: "+" },
      custom_metadata: { place: "p/q" },
    },
  },
  groups: [{ id: "g1", name: "ops", metadata: { room: "r1" } }],
};
const paths = (template: string, entity: Partial<Entity> = {}) => {
  const table = compileAcl([named("p", `path "${template}" { capabilities = ["read"] }`)], {
    ...person,
    ...entity,
  });
  return [...table.rules.exact.values(), ...table.rules.wild].map(
    ({ pattern, capabilities }) => `${pattern} ${capabilities.join()}`,
  );
};

describe("a policy template", () => {
  it.each([
    ["u/{{identity.entity.id}}/*", "u/e1/* read"],
    ["u/{{ identity.entity.name }}", "u/ada read"],
    ["u/x-{{identity.entity.name}}-{{identity.entity.metadata.team}}/+", "u/x-ada-web/+ read"],
    ["u/{{identity.entity.metadata.dotted.key}}", "u/d read"],
    ["u/{{identity.entity.aliases.acc_1.name}}", "u/ada@example.com read"],
    ["u/{{identity.entity.aliases.acc_1.id}}", "u/a1 read"],
    ["u/{{identity.groups.ids.g1.name}}", "u/ops read"],
    ["u/{{identity.groups.names.ops.id}}", "u/g1 read"],
    ["u/{{identity.groups.names.ops.metadata.room}}", "u/r1 read"],
    // slashes in values set by an operator are intended
    ["u/{{identity.entity.metadata.path}}/z", "u/x/y/z read"],
    ["u/{{identity.entity.aliases.acc_1.custom_metadata.place}}", "u/p/q read"],
  ])("%s is replaced: %s", (template, shown) => {
    expect(paths(template)).toEqual([shown]);
  });

  it.each([
    "u/{{identity.entity.metadata.none}}",
    "u/{{identity.entity.metadata.empty}}",
    "u/{{identity.entity.metadata.constructor}}",
    "u/{{identity.entity.metadata.__proto__}}",
    "u/{{identity.entity.aliases.acc_2.name}}",
    "u/{{identity.entity.aliases.constructor.name}}",
    "u/{{identity.groups.ids.g2.name}}",
    "u/{{identity.groups.names.ops.metadata.none}}",
  ])("%s without a value removes its rule", (template) => {
    expect(paths(template)).toEqual([]);
  });
  it("removes its rule for callers without an entity", () => {
    const policy = named("p", 'path "u/{{identity.entity.id}}" { capabilities = ["read"] }');
    expect(compileAcl([policy]).rules.exact.size).toBe(0);
  });

  it.each([
    ["u/{{identity.entity.metadata.star}}", "u/* deny"],
    ["u/{{identity.entity.aliases.acc_1.metadata.plus}}/x", "u/+/x deny"],
    ["u/{{identity.entity.aliases.acc_1.metadata.sub}}/x", "u/s/t/x deny"],
    // the sign for kelvin is a k in names that ignore case
    ["u/{{identity.entity.metadata.kelvin}}", "u/\u212aate deny"],
  ])("%s with special characters in the value denies: %s", (template, shown) => {
    expect(paths(template)).toEqual([shown]);
  });
  it("with a name that would lead into another folder denies there and grants nothing", () => {
    const policy = named("p", 'path "u/{{identity.entity.name}}/*" { capabilities = ["read"] }');
    for (const name of ["+", "*", "bob/in", "a\u0000b", "../bob"]) {
      const table = compileAcl([policy], { ...person, name });
      for (const path of ["u/bob/in/x", "u/bob/x", `u/${name}/x`])
        expect([name, path, table.can("read", path)]).toEqual([name, path, false]);
    }
  });
  it("is replaced once: a value is not itself a template", () => {
    expect(paths("u/{{identity.entity.name}}", { name: "{{identity.entity.id}}" })).toEqual([
      "u/{{identity.entity.id}} read",
    ]);
  });
});

describe("a mount prefix", () => {
  it.each([
    ['path "pki/issue/web" { capabilities = ["update"] }', true],
    ['path "pki/*" { capabilities = ["read"] }', true],
    ['path "pki" { capabilities = ["read"] }', true],
    ['path "p*" { capabilities = ["list"] }', true],
    ['path "*" { capabilities = ["read"] }', true],
    ['path "+/issue/+" { capabilities = ["update"] }', true],
    ['path "+/*" { capabilities = ["update"] }', true],
    ['path "pki/" { capabilities = ["deny"] } path "*" { capabilities = ["read"] }', true],
    ['path "pki/*" { capabilities = ["deny"] } path "pki/ca" { capabilities = ["read"] }', true],
    ["", false],
    ['path "pki/*" { capabilities = ["deny"] }', false],
    ['path "pki/*" { capabilities = [] }', false],
    ['path "pki/*" { capabilities = ["deny"] } path "*" { capabilities = ["read"] }', false],
    ['path "pki/*" { capabilities = ["deny"] } path "+/ca" { capabilities = ["read"] }', false],
    ['path "pkis/issue" { capabilities = ["read"] }', false],
    ['path "pk" { capabilities = ["read"] }', false],
    ['path "+/+" { capabilities = ["deny"] }', false],
    ['path "other/+" { capabilities = ["read"] }', false],
  ])("is reached by %s: %s", (text, reached) => {
    expect(acl(text).reaches("pki/")).toBe(reached);
  });
  it("of several segments is compared with a pattern as far as the pattern goes", () => {
    const reaches = (text: string) =>
      acl(`path "${text}" { capabilities = ["read"] }`).reaches("auth/my/users/");
    for (const text of ["auth/+/users/login", "auth/*", "auth/my/u*", "+/+/+/x*", "auth/my/users"])
      expect([text, reaches(text)]).toEqual([text, true]);
    for (const text of ["auth/my", "auth/+", "auth/my/+/+/x*", "auth/your/*", "auth/my/users2/x"])
      expect([text, reaches(text)]).toEqual([text, text === "auth/my/+/+/x*"]);
  });
});
