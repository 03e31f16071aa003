import { expect, it } from "vitest";
import { exampleName } from "../../../demo/lib/role-text.ts";

it.each([
  ["names below a domain", { allowed_domains: ["a.test"], allow_subdomains: true }, "www.a.test"],
  ["the domain itself", { allowed_domains: ["a.test"], allow_bare_domains: true }, "a.test"],
  [
    "templates and patterns before a domain",
    {
      allowed_domains: ["{{identity.entity.name}}.a.test", "*.b.test", "c.test"],
      allow_subdomains: true,
    },
    "www.c.test",
  ],
  ["localhost only", { allow_localhost: true }, "localhost"],
  ["any name", { allow_any_name: true, allow_localhost: true }, "www.other.test"],
  ["nothing", {}, "www.other.test"],
])("exampleName suggests a name for a role that allows %s", (_, role, name) => {
  expect(exampleName(role, "www.other.test")).toBe(name);
});
