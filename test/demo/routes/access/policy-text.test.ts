import { expect, it } from "vitest";
import {
  faultyLine,
  grantsFullAccess,
  policyKind,
  policyPurpose,
  readyMount,
} from "../../../../demo/routes/access/policy-text.ts";
import { changedSettings, namesIn } from "../../../../demo/lib/settings.ts";

it("the line that a policy error names is located in the text", () => {
  const text = 'path "a" {\n  capabilities = ["raed"]\n}\n';
  const line = faultyLine("failed to parse policy: line 2: unknown capability", text);
  expect(line).toEqual({ number: 2, from: 11, to: 36 });
  expect(text.slice(line?.from, line?.to)).toBe('  capabilities = ["raed"]');
  expect(faultyLine("failed to parse policy: line 9: nothing", text)).toBeUndefined();
  expect(faultyLine("'policy' parameter not supplied or empty", text)).toBeUndefined();
});

it("built-in policies are distinguished from other policies", () => {
  const kinds = ["root", "default", "pki-admin", "acme-eab", "infra-x-user", "bulk-admin", "team"];
  expect(kinds.map((name) => policyKind(name, ["infra/x", "bulk"]))).toEqual([
    "built in",
    "built in",
    "ready",
    "ready",
    "ready",
    "ready",
    "",
  ]);
  expect(readyMount("bulk-admin", ["infra/x", "bulk"])).toBe("bulk");
  expect(readyMount("team", ["infra/x", "bulk"])).toBeUndefined();
});

it("the purposes of the policies of a mount name what the policies do not allow", () => {
  expect(policyPurpose("pki-admin", ["pki"])).toMatch(/Does not allow listing certificates/);
  expect(policyPurpose("lab-user", ["lab"])).toMatch(
    /revoking with the private key\. Does not allow listing certificates/,
  );
});

it("policy names are separated by lines and commas and keep their spaces", () => {
  const typed = " My Policy\n\nteam/a:bé, web ,\n";
  const names = ["My Policy", "team/a:bé", "web"];
  expect(namesIn(typed)).toEqual(names);
  expect(
    changedSettings({ token_policies: "" }, { token_policies: typed }, [
      { name: "token_policies", label: "Policies", kind: "policies" },
    ]),
  ).toEqual({ token_policies: names });
});

it.each([
  ['path "*" { capabilities = ["sudo"] }', true],
  [
    'path "a" { capabilities = ["read"] }\npath "+/*" {\n  capabilities = ["create", "update"]\n}',
    true,
  ],
  ['path "sys/policies/acl/*" { capabilities = ["update"] }', true],
  ['{"path": {"*": {"capabilities": ["update"]}}}', true],
  ['path "*" { capabilities = ["read", "list"] }', false],
  ['path "*" { capabilities = ["deny", "sudo"] }', false],
  ['# path "*" { capabilities = ["sudo"] }', false],
  ['path "pki/*" { capabilities = ["sudo"] }', false],
  ["path", false],
])("the policy %s grants full access: %s", (text, full) => {
  expect(grantsFullAccess(text)).toBe(full);
});
