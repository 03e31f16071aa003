import { describe, expect, it } from "vitest";
import { spkiOf } from "../../src/algorithms/form.ts";
import { keyAlgorithms } from "../../src/algorithms/table.ts";
import { integer, nullValue, oid, readDer, sequence } from "../../src/base/der.ts";
import { certificateLintIds, lintCertificate } from "../../src/lint/certificate.ts";
import { extensionOid as ext } from "../../src/x509/oid.ts";
import {
  ca,
  certificate,
  dns,
  ecKey,
  name,
  rsaKey,
  usages,
  withExtension,
  x,
  type Changes,
} from "./build.ts";
import { extensionExamples, notice, policies, policy } from "./extension-examples.ts";
import { fieldExamples } from "./field-examples.ts";

const fired = new Set<string>();
function findings(changes: Changes) {
  const found = lintCertificate(certificate(changes));
  for (const { id } of found) fired.add(id);
  return found;
}

/** Extensions that must be critical or must not be, and the wrong value. */
const flags: readonly (readonly [id: string, type: string, critical: boolean])[] = [
  ["authority-key-identifier-critical", ext.authorityKeyIdentifier, true],
  ["subject-key-identifier-critical", ext.subjectKeyIdentifier, true],
  ["key-usage-not-critical", ext.keyUsage, false],
  ["policy-mappings-not-critical", ext.policyMappings, false],
  ["issuer-alt-name-critical", ext.issuerAltName, true],
  ["subject-directory-attributes-critical", ext.subjectDirectoryAttributes, true],
  ["name-constraints-not-critical", ext.nameConstraints, false],
  ["policy-constraints-not-critical", ext.policyConstraints, false],
  ["crl-distribution-points-critical", ext.crlDistributionPoints, true],
  ["inhibit-any-policy-not-critical", ext.inhibitAnyPolicy, false],
  ["freshest-crl-critical", ext.freshestCrl, true],
  ["authority-info-access-critical", ext.authorityInfoAccess, true],
  ["subject-info-access-critical", ext.subjectInfoAccess, true],
  ["tls-feature-critical", ext.tlsFeature, true],
  ["ct-poison-not-critical", ext.ctPoison, false],
  ["acme-identifier-not-critical", ext.acmeIdentifier, false],
  ["ocsp-no-check-critical", ext.ocspNoCheck, true],
  ["no-rev-avail-critical", ext.noRevAvail, true],
];
const parsed: readonly (readonly [id: string, type: string])[] = [
  ["authority-key-identifier", ext.authorityKeyIdentifier],
  ["subject-key-identifier", ext.subjectKeyIdentifier],
  ["key-usage", ext.keyUsage],
  ["certificate-policies", ext.certificatePolicies],
  ["policy-mappings", ext.policyMappings],
  ["subject-alt-name", ext.subjectAltName],
  ["issuer-alt-name", ext.issuerAltName],
  ["subject-directory-attributes", ext.subjectDirectoryAttributes],
  ["basic-constraints", ext.basicConstraints],
  ["name-constraints", ext.nameConstraints],
  ["policy-constraints", ext.policyConstraints],
  ["ext-key-usage", ext.extKeyUsage],
  ["crl-distribution-points", ext.crlDistributionPoints],
  ["inhibit-any-policy", ext.inhibitAnyPolicy],
  ["freshest-crl", ext.freshestCrl],
  ["authority-info-access", ext.authorityInfoAccess],
  ["subject-info-access", ext.subjectInfoAccess],
  ["private-key-usage-period", ext.privateKeyUsagePeriod],
  ["tls-feature", ext.tlsFeature],
  ["ct-timestamps", ext.ctTimestamps],
  ["acme-identifier", ext.acmeIdentifier],
  ["ocsp-no-check", ext.ocspNoCheck],
  ["no-rev-avail", ext.noRevAvail],
];

describe("certificate lints", () => {
  it("a valid leaf, a valid CA and a valid RSA key have no findings", () => {
    expect(findings({})).toEqual([]);
    expect(findings(ca())).toEqual([]);
    expect(findings({ spki: rsaKey() })).toEqual([]);
  });

  it.each([...fieldExamples, ...extensionExamples])(
    "%s reports the defect (%#)",
    (id, changes, text) => {
      expect(findings(changes).find((one) => one.id === id)?.rule).toBe(text);
    },
  );

  it.each(
    keyAlgorithms
      .filter(({ identifier }) => identifier.parameters.length === 0)
      .map((algorithm) => [algorithm.name, algorithm] as const),
  )(
    "keys and signatures of %s must have no parameters, and its keys one length",
    (_, algorithm) => {
      const { identifier, keyOctets = 0, schemes } = algorithm;
      const key = new Uint8Array(keyOctets);
      const ids = (changes: Changes) => findings(changes).map(({ id }) => id);
      const withParameters = { identifier: { ...identifier, parameters: nullValue } };
      expect(ids({ spki: spkiOf(withParameters, key) })).toContain("key-parameters-present");
      expect(ids({ spki: spkiOf(algorithm, new Uint8Array(keyOctets + 1)) })).toContain(
        "key-length",
      );
      const agreement = withExtension(ext.keyUsage, usages.agreement, true);
      expect(ids({ spki: spkiOf(algorithm, key), ...agreement })).toContain(
        "key-usage-without-signing",
      );
      for (const { der } of schemes) {
        const type = readDer(der[0], "").enter("").oid("");
        expect(ids({ algorithm: sequence(oid(type), nullValue) })).toContain(
          "signature-parameters-present",
        );
      }
    },
  );

  it.each([
    ["EC", ecKey()],
    ["RSA", rsaKey()],
  ])("a key usage without signatures is accepted for %s keys, which can do more", (_, spki) => {
    const agreement = withExtension(ext.keyUsage, usages.agreement, true);
    expect(findings({ spki, ...agreement }).map(({ id }) => id)).not.toContain(
      "key-usage-without-signing",
    );
  });

  it.each(flags)("%s reports the wrong critical flag", (id, type, critical) => {
    const found = findings(withExtension(type, nullValue, critical));
    expect(found.find((one) => one.id === id)?.rule).toContain(
      critical ? " is critical" : " is not critical",
    );
    expect(findings(withExtension(type, nullValue, !critical)).map((one) => one.id)).not.toContain(
      id,
    );
  });

  it.each(parsed)("%s-malformed reports a value that cannot be parsed", (id, type) => {
    const found = findings(withExtension(type, Uint8Array.of(0x30, 0x05, 0)));
    expect(found.find((one) => one.id === `${id}-malformed`)).toMatchObject({ severity: "error" });
  });

  it("names with digits in the last label, and a notice of 200 characters, have no findings", () => {
    const san = (text: string): Changes => ({
      subject: name(["2.5.4.10", "A"]),
      ...withExtension(ext.subjectAltName, dns(text)),
    });
    for (const text of ["a1.test", "1.a2", "0x.test"]) expect(findings(san(text))).toEqual([]);
    expect(findings(notice(x(200)))).toEqual([]);
  });

  it("a defect is reported by one lint only", () => {
    const found = findings(policies(policy("1.2.3"), policy("1.2.3")));
    expect(found.map(({ id }) => id)).toEqual(["policy-repeated"]);
  });

  it("long values that resemble the start of a defect take linear time", () => {
    // quadratic time would be minutes
    const [stars, dots, colons] = ["*", ".", ":"].map((one) => one.repeat(400_000));
    const labels = Array.from({ length: 20_000 }, (_, i) => `${i}.test`);
    const values: readonly Changes[] = [
      withExtension(ext.subjectAltName, dns(`${stars}.*`, `xn--${x(400_000)}-`)),
      { subject: name(["2.5.4.3", `${dots}@`], ["2.5.4.3", `${colons}g`]) },
      withExtension(ext.subjectAltName, dns(...labels)),
      withExtension(ext.subjectAltName, dns(`xn--${"0ca".repeat(300_000)}`)),
    ];
    const ids = values.map((changes) => findings(changes).map(({ id }) => id));
    expect(ids.map((found) => found.includes("dns-long"))).toEqual([true, false, false, true]);
    expect(ids[0]).toContain("dns-wildcard-position");
  });

  it("findings are sorted by severity, errors first", () => {
    const found = findings({
      serial: integer(0),
      ...withExtension(ext.keyUsage, usages.certAndCrl),
    });
    const order = ["error", "warning", "info"];
    expect(found.map(({ severity }) => severity)).toEqual(
      found.map(({ severity }) => severity).toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    );
    expect(new Set(found.map(({ severity }) => severity)).size).toBeGreaterThan(1);
  });

  it("every lint has a unique id and a test above in which it reports a finding", () => {
    expect(new Set(certificateLintIds).size).toBe(certificateLintIds.length);
    expect(certificateLintIds.filter((id) => !fired.has(id))).toEqual([]);
  });
});
