import { describe, expect, it } from "vitest";
import { lint } from "../../../src/pki/request/lint.ts";
import type { Template } from "../../../src/pki/request/template.ts";
import { authority } from "../../support/authority.ts";
import { keyOf, noNames, rdn } from "../reading.ts";

const urls = {
  issuing_certificates: ["http://a.test/"],
  crl_distribution_points: ["http://a.test/crl"],
  delta_crl_distribution_points: [],
  ocsp_servers: [],
};
type Given = Partial<Omit<Template, "names">> & {
  readonly names?: Partial<Template["names"]>;
  readonly kind?: "leaf";
};
async function found(
  { names = {}, ...given }: Given,
  key: "P-256" | "RSA" | "Ed25519" = "P-256",
  at = urls,
): Promise<readonly string[]> {
  const template: Template = {
    kind: "leaf",
    subject: [rdn("commonName", "a.test")],
    names: { ...noNames, dns: ["a.test"], ...names },
    notBefore: 0,
    notAfter: 1,
    spki: (await keyOf(key)).key.spki,
    keyUsage: ["DigitalSignature"],
    extKeyUsage: ["1.3.6.1.5.5.7.3.1"],
    ...given,
  };
  return lint(template, at as Parameters<typeof lint>[1]).map(
    ({ severity, rule }) => `${severity}: ${rule}`,
  );
}
const long = "x".repeat(65);

describe("the findings about a certificate", () => {
  it("are none for a sound one", async () => {
    expect(await found({})).toEqual([]);
  });

  it.each([
    [
      "a long common name",
      { subject: [rdn("commonName", long)] },
      "error: a common name has at most 64 characters",
    ],
    [
      "a long organization",
      { subject: [rdn("organization", long)] },
      "error: an organization has at most 64 characters",
    ],
    [
      "a long unit",
      { subject: [rdn("organizationalUnit", long)] },
      "error: an organizational unit has at most 64 characters",
    ],
    [
      "a long locality",
      { subject: [rdn("locality", "x".repeat(129))] },
      "error: a locality has at most 128 characters",
    ],
    [
      "a long province",
      { subject: [rdn("province", "x".repeat(129))] },
      "error: a province has at most 128 characters",
    ],
    [
      "a long serial number",
      { subject: [rdn("serialNumber", long)] },
      "error: a subject serial number has at most 64 characters",
    ],
    [
      "a country of three letters",
      { subject: [rdn("country", "DEU")] },
      "error: a country has two letters",
    ],
    [
      "no name at all",
      { subject: [], names: { dns: [] }, extKeyUsage: [] },
      "error: a certificate without subject has alternative names",
    ],
    [
      "a server without names",
      { names: { dns: [] } },
      "warning: a server is named by alternative names; clients do not read the common name",
    ],
    [
      "a name that is no host name",
      { names: { dns: ["a_b.test"] } },
      "warning: a DNS name is a host name",
    ],
    [
      "an address as a name",
      { names: { dns: ["192.0.2.1"] } },
      "error: an address is not a DNS name",
    ],
    [
      "an address in octal",
      { names: { dns: ["0300.0.2.1"] } },
      "error: an address is not a DNS name",
    ],
    [
      "an address in hexadecimal",
      { names: { dns: ["0xC0.0x2.1."] } },
      "error: an address is not a DNS name",
    ],
    [
      "an address as one number",
      { names: { dns: ["3221225985"] } },
      "error: an address is not a DNS name",
    ],
    [
      "a policy that stands twice",
      { policies: ["1.2.3", { oid: "1.2.3", cps: "https://a.test" }] },
      "error: no policy is repeated",
    ],
    [
      "a long notice",
      { policies: [{ oid: "1.2.3", notice: "x".repeat(201) }] },
      "warning: the text of a notice has at most 200 characters",
    ],
    [
      "a wildcard inside",
      { names: { dns: ["f*o.a.test"] } },
      "warning: a wildcard is the whole first label",
    ],
    [
      "mail outside ASCII",
      { names: { email: ["ü@a.test"] } },
      "warning: an e-mail address is ASCII",
    ],
    [
      "an EC key that enciphers",
      { keyUsage: ["KeyEncipherment"] },
      "warning: an EC key cannot encipher keys",
    ],
    [
      "any purpose and others",
      { extKeyUsage: ["2.5.29.37.0", "1.2.3"] },
      "warning: any purpose stands alone",
    ],
    [
      "encipherOnly alone",
      { keyUsage: ["EncipherOnly"] },
      "warning: encipherOnly and decipherOnly go with key agreement",
    ],
    ["no usage", { keyUsage: [] }, "warning: a certificate says what its key is for"],
  ] as const)("include %s", async (_, given, expected) => {
    expect(await found(given as Given)).toContain(expected);
  });

  it("are empty for a name whose last label only contains a number, for different policies and for a short notice", async () => {
    const policies = ["1.2.3", { oid: "1.2.4", notice: "x".repeat(200) }] as const;
    expect(await found({ names: { dns: ["a1.test", "1.a2", "0x.test"] }, policies })).toEqual([]);
  });

  it("depend on the kind of key, and on the addresses", async () => {
    expect(await found({ keyUsage: ["KeyAgreement"] }, "RSA")).toContain(
      "warning: an RSA key cannot be used for key agreement",
    );
    expect(await found({ keyUsage: ["KeyEncipherment"] }, "RSA")).toEqual([]);
    expect(await found({ keyUsage: ["KeyAgreement"] }, "Ed25519")).toContain(
      "warning: an Ed25519 key can only sign",
    );
    const none = { ...urls, issuing_certificates: [], crl_distribution_points: [] };
    expect(await found({}, "P-256", none)).toEqual([
      "info: a certificate says where its issuer's certificate is",
      "info: a certificate says where its revocation can be looked up",
    ]);
  });

  it("never reject: errors of lint are issued all the same", async () => {
    const a = authority();
    await a.root();
    await a.role("web", {
      cn_validations: ["disabled"],
      enforce_hostnames: false,
      country: "DEU",
      ou: long,
      key_usage: [],
    });
    const asked = { role: "web", common_name: "a.test", ttl: 60 };
    const said = await a.pki.explainIssue(asked);
    expect(said).toMatchObject({ would_issue: true });
    const findings = said.lint as readonly {
      readonly severity: string;
      readonly section: string;
      readonly rule: string;
    }[];
    expect(findings.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining([
        "an organizational unit has at most 64 characters",
        "a country has two letters",
      ]),
    );
    for (const { severity, section } of findings)
      expect([["error", "warning", "info"].includes(severity), /^RFC \d+ /.test(section)]).toEqual([
        true,
        true,
      ]);
    expect((await a.pki.issue(asked)).certificate).toContain("BEGIN CERTIFICATE");
  });
});
