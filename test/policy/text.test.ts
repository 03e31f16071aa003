import { describe, expect, it } from "vitest";
import { CaError } from "../../src/base/errors.ts";
import { capabilitiesOf, compileAcl } from "../../src/policy/index.ts";
import { parsePolicy } from "../../src/policy/policy.ts";
import { threadTime } from "../support/spent.ts";

const why = (text: string): string => {
  try {
    parsePolicy(text);
  } catch (error) {
    if (error instanceof CaError && error.code === "malformed") return error.message;
    throw error;
  }
  return "taken";
};
const acl = (text: string) => compileAcl([{ name: "p", ...parsePolicy(text) }]);

describe("the text of a policy", () => {
  it("is HCL with comments, blocks, lists and maps, or JSON", () => {
    const hcl = `
      # who may issue
      name = "web"
      path "/pki/issue/web" { // a slash before it means nothing
        capabilities = [
          "update", /* and */ "create",
        ]
        allowed_parameters = { "common_name" = ["*.example.com"], ttl = [3600, "1h"] }
        required_parameters = ["common_name"]
        min_wrapping_ttl = "1m"
        max_wrapping_ttl = 90
        comment = "\\u0041 \\"quoted\\" one"
      }
      path "old/*" { policy = "read" }`;
    const json = JSON.stringify({
      name: "web",
      path: {
        "/pki/issue/web": {
          capabilities: ["update", "create"],
          allowed_parameters: { common_name: ["*.example.com"], ttl: [3600, "1h"] },
          required_parameters: ["common_name"],
          min_wrapping_ttl: "1m",
          max_wrapping_ttl: 90,
          comment: 'A "quoted" one',
        },
        "old/*": { policy: "read" },
      },
    });
    expect(parsePolicy(hcl)).toEqual(parsePolicy(json));
    for (const text of [hcl, json]) {
      expect(capabilitiesOf(acl(text), "pki/issue/web")).toEqual(["create", "update"]);
      expect(capabilitiesOf(acl(text), "old/thing")).toEqual(["list", "read"]);
      expect(capabilitiesOf(acl(text), "else")).toEqual(["deny"]);
    }
  });

  it("may have maps written as blocks, and may be empty", () => {
    expect(parsePolicy("").rules).toEqual([]);
    expect(parsePolicy("{}").rules).toEqual([]);
    expect(
      parsePolicy('path "a" { capabilities = ["read"] denied_parameters { ttl = [] } }'),
    ).toEqual(parsePolicy('path "a" { capabilities = ["read"], denied_parameters = {"TTL"=[]} }'));
  });

  it.each([
    ["read", ["list", "read"]],
    ["write", ["create", "delete", "list", "read", "update"]],
    ["sudo", ["create", "delete", "list", "read", "sudo", "update"]],
    ["deny", ["deny"]],
  ])("with policy = %s grants the same as in older policies", (word, capabilities) => {
    expect(capabilitiesOf(acl(`path "a" { policy = "${word}" }`), "a")).toEqual(capabilities);
  });

  it.each([
    [
      'path "a" {\n capabilities = ["read"]\n capabilities = ["list"]\n}',
      3,
      'duplicate attribute "capabilities"',
    ],
    ['{"path":{"a":{},\n"a":{}}}', 2, 'duplicate attribute "a"'],
    ['{"path":{"a":{"\\u0070olicy":"read",\n"policy":"deny"}}}', 2, 'duplicate attribute "policy"'],
    [
      'path "a" { capabilities = ["read"]\n allowed_parameters = { a = []\n A = [] } }',
      3,
      'duplicate parameter "a"',
    ],
    ['\npath "a" {\n capability = ["read"] }', 3, 'unknown key "capability" in path "a"'],
    ['path "a" { control_group = {} }', 1, 'unknown key "control_group" in path "a"'],
    ['path "a" { expiration = "2030-01-01T00:00:00Z" }', 1, 'unknown key "expiration" in path "a"'],
    ['path "a" { __proto__ = [] }', 1, 'unknown key "__proto__" in path "a"'],
    ['path "a" { constructor = [] }', 1, 'unknown key "constructor" in path "a"'],
    ['paths "a" {}', 1, 'unknown key "paths"'],
    ['path "a" "b" {}', 1, "a path must have exactly one pattern"],
    ['path "" {}', 1, "the path is empty"],
    ['path "a" {\n\n capabilities = ["raed"] }', 3, 'unknown capability "raed"'],
    ['path "a" { capabilities = ["constructor"] }', 1, 'unknown capability "constructor"'],
    [
      'path "a" { policy = "toString" }',
      1,
      'invalid policy "toString"; use deny, read, write or sudo',
    ],
    ['path "a" { capabilities = "read" }', 1, "expected a list"],
    ['path "a" { allowed_parameters = ["ttl"] }', 1, "expected a map"],
    ['path "a" { allowed_parameters = { ttl = "1h" } }', 1, "expected a list"],
    ['path "a" { capabilities = ["read" "list"] }', 1, 'unexpected "\\""'],
    ['path "a" { capabilities = ["read"', 1, "the text ends unexpectedly"],
    ['path "a" {', 1, "the text ends unexpectedly"],
    ['path "a" }', 1, 'unexpected "}"'],
    ['path "a" {} }', 1, 'unexpected "}"'],
    ['path "a', 1, "the string is not closed, or contains a control character"],
    ['path "a\n" {}', 1, "the string is not closed, or contains a control character"],
    ['path "a\u0000" {}', 1, "the string is not closed, or contains a control character"],
    ['path "a\\u0000" {}', 1, "the path must not contain control characters"],
    ['path "a\\x" {}', 1, "unknown escape \\x"],
    ['path "\\ud800" {}', 1, "the string contains an unpaired surrogate"],
    ["/* path", 1, "the comment is not closed"],
    ['path "a" { comment = <<EOF\nx\nEOF\n}', 1, "heredocs are not supported"],
    ['{"path":{"a":{"capabilities":["read",]}}}', 1, 'unexpected "]"'],
    ['{"path":{}} # no JSON', 1, 'unexpected "#"'],
    ['{"path":{"a":{}} "name":"x"}', 1, 'unexpected "\\""'],
    [
      'path "a" { min_wrapping_ttl = "2h"\n max_wrapping_ttl = "1h" }',
      1,
      "min_wrapping_ttl is greater than max_wrapping_ttl",
    ],
    ['path "a" {\n max_wrapping_ttl = "soon" }', 2, 'invalid duration "soon"'],
    ['path "a/+*" {}', 1, "the path contains +*, but a star cannot follow a segment wildcard"],
    ['path "a/+*/b" {}', 1, "the path contains +*, but a star cannot follow a segment wildcard"],
    ['path "a/{{identity.entity.id}" {}', 1, "the path has an unmatched {{ or }}"],
    ['path "a/identity.entity.id}}" {}', 1, "the path has an unmatched {{ or }}"],
    [
      'path "a/{{identity.entity.password}}" {}',
      1,
      "unknown template {{identity.entity.password}}",
    ],
    ['path "a/{{constructor}}" {}', 1, "unknown template {{constructor}}"],
    [
      'path "a/{{identity.entity.custom_metadata.x}}" {}',
      1,
      "unknown template {{identity.entity.custom_metadata.x}}",
    ],
    [`path "${"a".repeat(1025)}" {}`, 1, "the path must have at most 1024 characters"],
    [" ".repeat(262_145), 1, "the text must have at most 262144 characters"],
  ])("%j is rejected with line and reason", (text, line, reason) => {
    expect(why(text)).toBe(`failed to parse policy: line ${line}: ${reason}`);
  });

  it("is rejected if nested too deeply, and parsed in time linear in its length", () => {
    for (const text of [
      `path "a" { allowed_parameters = { a = ${"[".repeat(100_000)}`,
      `path "a" ${"{a ".repeat(80_000)}`,
      '{"a":'.repeat(50_000),
      `path "a" { comment = "${"\\\\".repeat(100_000)}`,
      `/*${"*".repeat(200_000)}`,
      `path "a" { capabilities = [${'"read",'.repeat(30_000)}`,
      `path "${"{{".repeat(100_000)}" {}`,
      `path "${"{{identity.entity.metadata.".repeat(9000)}" {}`,
    ]) {
      const before = threadTime();
      expect(why(text)).toMatch(/^failed to parse policy: line 1: /);
      expect(threadTime() - before).toBeLessThan(1000);
    }
  });
});
