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
  ["the first of several patterns", acl({}, { "pki/ke": ["deny"], "pki/": ["list"] }), false],
  ["a segment of any name", acl({}, { "+/keys/": ["list"] }), true],
  ["a segment of any name before a prefix", acl({}, { "+/ke*": ["list"] }), true],
  ["the path of the listing with its slash", acl({ "pki/keys/": ["list"] }), true],
  ["another case of a name", acl({ "PKI/Keys": ["list"] }), true],
  ["several cases of a name", acl({ "PKI/Keys": ["list"], "PKI/KEYS": ["read"] }), true],
  ["nothing", acl({}), false],
])("the console allows a listing as the policies do: by %s", (_, rules, granted) => {
  expect(isGranted(rules, "list", "pki/keys/")).toBe(granted);
});

it("a token with every capability on * is not limited, even if its other policies name paths", () => {
  const all = ["create", "read", "update", "patch", "delete", "list", "sudo"];
  const own = { "auth/token/lookup-self": ["read"] };
  expect(isUnlimited(acl(own, { "": all }))).toBe(true);
  expect(isUnlimited(acl(own, { "": all.slice(0, -1) }))).toBe(false);
  expect(isUnlimited(acl(own, { "pki/": all }))).toBe(false);
});

it("roles that policies name are offered, and views stay for roles behind patterns", () => {
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
