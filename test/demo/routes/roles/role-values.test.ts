import { expect, it } from "vitest";
import type { Explanation } from "../../../../demo/lib/issuance-findings.ts";
import { fresh, groups } from "../../../../demo/routes/roles/fields.ts";
import { presets } from "../../../../demo/lib/role-presets.ts";
import { setsOf } from "../../../../demo/lib/role-text.ts";
import {
  changesOf,
  isPreset,
  roleOf,
  valuesOf,
  withPreset,
  wrongRole,
} from "../../../../demo/routes/roles/role-values.ts";
import { extKeyUsageLabels, keyUsageLabels } from "../../../../demo/lib/key-usages.ts";
import { createCa, memoryStore } from "../../../../src/index.ts";
import { roleFields } from "../../../../src/pki/leaf/role.ts";
import { extKeyUsageOrder, isForCas, keyUsageName, keyUsages } from "../../../../src/x509/usage.ts";
import { readCertificate } from "../../../pki/reading.ts";

it("the role editor has every field of a role once", () => {
  const edited = groups.flatMap(({ fields }) => fields.map(([name]) => name));
  expect(edited.toSorted()).toEqual(Object.keys(roleFields).toSorted());
});

it("a role is not changed by the controls of the editor, even with spaces and commas in values", async () => {
  const ca = createCa({ stores: memoryStore() });
  await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: 31_536_000 });
  const fields = {
    organization: ["Fernhill, Ltd", "A B C"],
    street_address: ["1 Long Lane"],
    allowed_domains: ["a.test", "b.test"],
    allowed_other_sans: ["1.2.3.4;UTF8:some one"],
    policy_identifiers: ['{"oid":"1.2.3","notice":"be, careful"}', "1.2.4"],
    ttl: 5400,
    max_ttl: 7_776_000,
    key_type: "ec" as const,
    not_after_bound: "ttl-limited",
  };
  const role = (await ca.pki.writeRole({ name: "any", ...fields })) as Readonly<
    Record<string, unknown>
  >;
  expect(changesOf(valuesOf(role), role)).toEqual({});
  const { allow_token_displayname: _, ...again } = (await ca.pki.writeRole({
    name: "any",
    ...(roleOf(valuesOf(role)) as object),
  })) as Readonly<Record<string, unknown>>;
  expect(role).toMatchObject(again);
});

it("lists in the editor have one entry per line, and also accept commas", () => {
  const values = valuesOf({ ...fresh, allowed_domains: ["a.test", "b.test"] });
  expect(values["allowed_domains"]).toBe("a.test\nb.test");
  const pasted = roleOf({ ...values, allowed_domains: "a.test, b.test\n c.test\n" });
  expect(pasted.allowed_domains).toEqual(["a.test", "b.test", "c.test"]);
});

it("the checkboxes use the names of usages that the API accepts", () => {
  expect(keyUsageLabels.map(([name]) => keyUsageName(name))).toEqual(
    keyUsages.filter((name) => !isForCas(name)),
  );
  const flagged = ["ServerAuth", "ClientAuth", "CodeSigning", "EmailProtection"];
  const known = extKeyUsageOrder([...flagged, ...extKeyUsageLabels.map(([name]) => name)]);
  expect(known.length).toBe(flagged.length + extKeyUsageLabels.length);
});

it.each([
  ["web", "www.example.org", ["DigitalSignature"], ["1.3.6.1.5.5.7.3.1"]],
  ["client", "db.example.org", ["DigitalSignature"], ["1.3.6.1.5.5.7.3.2"]],
  ["both", "api.example.org", ["DigitalSignature"], ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"]],
  ["device", "Ann Müller", ["DigitalSignature"], ["1.3.6.1.5.5.7.3.2"]],
  ["mail", "someone@example.org", ["DigitalSignature", "KeyEncipherment"], ["1.3.6.1.5.5.7.3.4"]],
  ["code", "Fernhill Ltd", ["DigitalSignature"], ["1.3.6.1.5.5.7.3.3"]],
])(
  "a role of the preset %s issues for %s with the intended usages, without lint findings",
  async (id, name, usages, purposes) => {
    const ca = createCa({ stores: memoryStore() });
    await ca.pki.generateRoot({ common_name: "Root", key_type: "ec", ttl: 315_360_000 });
    const preset = presets.find((one) => one.id === id)?.fields ?? {};
    const values = withPreset({ ...valuesOf(fresh), allowed_domains: "example.org" }, preset);
    expect(isPreset(values, preset)).toBe(true);
    expect(presets.filter(({ fields }) => isPreset(values, fields)).length).toBe(1);
    expect(wrongRole(values)).toEqual({});
    await ca.pki.writeRole({ name: "made", ...(roleOf(values) as object) });
    const asked = { role: "made", common_name: name, exclude_cn_from_sans: name.includes(" ") };
    const said = (await ca.pki.explainIssue(asked)) as unknown as Explanation;
    expect(said.lint.filter(({ severity }) => severity !== "info")).toEqual([]);
    const { certificate } = (await ca.pki.issue(asked)) as { certificate: string };
    expect(readCertificate(certificate)).toMatchObject({ usage: usages, purposes });
  },
);

it("every preset states its settings in a sentence, which matches the summary of its role", () => {
  expect(presets.map(({ fields }) => setsOf(fields))).toEqual([
    "TLS servers; digital signature; ECDSA P-256; 90 days by default, at most 13 months",
    "TLS servers and TLS clients; digital signature; ECDSA P-256; 30 days by default, at most 90 days",
    "TLS clients; digital signature; ECDSA P-256; 30 days by default, at most 90 days",
    "TLS clients; digital signature; ECDSA P-256; 12 months by default, at most 12 months",
    "email; digital signature and key encipherment; RSA 3072; 12 months by default, at most 24 months",
    "code signing; digital signature; ECDSA P-256; 12 months by default, at most 3 years",
  ]);
  for (const { fields } of presets)
    expect(setsOf(roleOf(withPreset(valuesOf(fresh), fields)))).toBe(setsOf(fields));
});

it("the role editor sends only changed fields", () => {
  const role = {
    ttl: "720h",
    max_ttl: "2160h",
    allowed_domains: ["a.test"],
    allow_subdomains: true,
  };
  const values = { ...valuesOf(role), allowed_domains: "a.test b.test", allow_subdomains: false };
  expect(changesOf(values, role)).toEqual({
    allowed_domains: ["a.test", "b.test"],
    allow_subdomains: false,
  });
  expect(changesOf({ ...valuesOf(role), ttl: "7d" }, role)).toEqual({ ttl: 604_800 });
});

it("an invalid duration, time or key size and a default above the maximum are reported", () => {
  expect(
    wrongRole({
      ttl: "soon",
      not_after: "2027-02-31",
      not_after_bound: "later",
      key_type: "rsa",
      key_bits: "1024",
    }),
  ).toEqual({
    ttl: expect.stringContaining("not a duration") as string,
    not_after: expect.stringContaining("not a time") as string,
    not_after_bound: expect.stringContaining("not a time") as string,
    key_bits: "1024: not a size for this key type",
  });
  expect(
    wrongRole({
      not_after: "",
      not_after_bound: "2027-12-31T00:00:00Z",
      key_type: "ec",
      key_bits: "0",
    }),
  ).toEqual({});
  expect(wrongRole({ ttl: "90d", max_ttl: "30d" })).toEqual({
    ttl: "The default exceeds the maximum (30d)",
  });
});
