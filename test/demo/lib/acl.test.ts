import { expect, it } from "vitest";
import { grantsBelow, isGranted, namesGranted, type Acl } from "../../../demo/lib/acl.ts";
import { isUnlimited } from "../../../demo/lib/unlimited-acl.ts";

const acl = (
  exact: Readonly<Record<string, readonly string[]>>,
  globs: Readonly<Record<string, readonly string[]>> = {},
): Acl => {
  const rules = (of: typeof exact): Acl["exact_paths"] =>
    Object.fromEntries(Object.entries(of).map(([path, capabilities]) => [path, { capabilities }]));
  return { root: false, exact_paths: rules(exact), glob_paths: rules(globs) };
};

it.each([
  ["an exact path before a pattern", acl({ "pki/keys": ["deny"] }, { "pki/": ["list"] }), false],
  ["a prefix", acl({}, { "pki/": ["list"] }), true],
  ["the longest of several patterns", acl({}, { "pki/ke": ["deny"], "pki/": ["list"] }), false],
  ["a wildcard segment", acl({}, { "+/keys/": ["list"] }), true],
  ["a wildcard segment and a prefix", acl({}, { "+/ke*": ["list"] }), true],
  ["the list path with a trailing slash", acl({ "pki/keys/": ["list"] }), true],
  ["a name in another case", acl({ "PKI/Keys": ["list"] }), true],
  ["a name in several cases", acl({ "PKI/Keys": ["list"], "PKI/KEYS": ["read"] }), true],
  ["no rule", acl({}), false],
])("the console evaluates list permission like the server's policies: %s", (_, rules, granted) => {
  expect(isGranted(rules, "list", "pki/keys/")).toBe(granted);
});

it("a token with every capability on * is unlimited, even if its other policies name paths", () => {
  const all = ["create", "read", "update", "patch", "delete", "list", "sudo"];
  const own = { "auth/token/lookup-self": ["read"] };
  expect(isUnlimited(acl(own, { "": all }))).toBe(true);
  expect(isUnlimited(acl(own, { "": all.slice(0, -1) }))).toBe(false);
  expect(isUnlimited(acl(own, { "pki/": all }))).toBe(false);
});

it("roles named in policies are offered, and views are available for roles behind patterns", () => {
  const named = acl({ "pki/issue/web": ["update"], "pki/issue/a/b": ["update"] });
  expect(namesGranted(named, "update", "pki/issue/")).toEqual(["web"]);
  expect(grantsBelow(named, "update", "pki/issue/")).toBe(true);
  for (const pattern of ["+/issue/web", "pki/+/web-*", "pki/issue/team-", "pki/"])
    expect(grantsBelow(acl({}, { [pattern]: ["update"] }), "update", "pki/issue/"), pattern).toBe(
      true,
    );
  for (const pattern of ["+/sign/web", "other/", "pki/+"])
    expect(grantsBelow(acl({}, { [pattern]: ["update"] }), "update", "pki/issue/"), pattern).toBe(
      false,
    );
});
