import { expect, it } from "vitest";
import { certificateLintIds } from "../../../src/lint/certificate.ts";
import { authority } from "../../support/authority.ts";

it("a dry run reports lint errors with their values, and the real call issues the certificate nevertheless", async () => {
  const a = authority();
  await a.root();
  await a.role("web", {
    cn_validations: ["disabled"],
    enforce_hostnames: false,
    country: "DEU",
    ou: "x".repeat(65),
    key_usage: [],
  });
  const asked = { role: "web", common_name: "a.test", ttl: 60 };
  const said = await a.pki.explainIssue(asked);
  expect(said).toMatchObject({ would_issue: true, lints_checked: certificateLintIds.length });
  expect(said.lint).toEqual(
    expect.arrayContaining([
      {
        severity: "error",
        id: "name-organizational-unit-long",
        section: "RFC 5280 A.1",
        rule: "Subject: organizational unit of 65 characters; at most 64 allowed",
      },
      {
        severity: "error",
        id: "name-country",
        section: "RFC 5280 A.1",
        rule: 'Subject: country "DEU" is not a two-letter code',
      },
    ]),
  );
  expect((await a.pki.issue(asked)).certificate).toContain("BEGIN CERTIFICATE");
});

it("a dry run that fails before the certificate is complete reports that it checked no lints", async () => {
  const a = authority();
  await a.root();
  await a.role("web", { allow_any_name: true });
  const said = await a.pki.explainSign({ role: "web", csr: "x", common_name: "a.test" });
  expect(said).toMatchObject({ would_issue: false, lint: [], lints_checked: 0 });
});
