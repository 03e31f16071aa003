import { describe, expect, it } from "vitest";
import { verify, type VerifyOptions } from "../../src/verify/index.ts";
import { readPkits, repositoryOf } from "./pkits.ts";

const pkits = readPkits();
const repository = repositoryOf(pkits);
const file = (name: string): Uint8Array =>
  pkits.certificates.get(name) ?? expect.unreachable(`no file ${name}`);
const anchor = file("TrustAnchorRootCertificate");
const at = new Date("2026-01-01T00:00:00Z");

const verdict = async (name: string, policies?: VerifyOptions["policies"]) =>
  verify(file(name), {
    anchors: [anchor],
    ...repository(file(name)),
    at,
    ...(policies && { policies }),
  });

/** Tests whose result differs from that of the suite, with the reason. */
const deviations: ReadonlyMap<string, readonly [code: string, why: string]> = new Map([
  ["ValidDSASignaturesTest4EE", ["weak_signature", "DSA is not supported, and SHA-1 is weak"]],
  ["ValidDSAParameterInheritanceTest5EE", ["weak_signature", "DSA is not supported"]],
  [
    "ValidGeneralizedTimenotBeforeDateTest4EE",
    ["malformed", "RFC 5280 section 4.1.2.5: UTCTime through 2049, which the suite predates"],
  ],
  ["ValidNameUIDsTest6EE", ["malformed", "unique identifiers, which RFC 5280 forbids to CAs"]],
  [
    "ValidNegativeSerialNumberTest14EE",
    ["revocation_unknown", "RFC 5280 section 4.1.2.2: the CRL lists a negative serial number"],
  ],
  [
    "ValidcRLIssuerTest30EE",
    ["revocation_unknown", "the certificate of the CRL's signer is covered by that CRL itself"],
  ],
]);

describe("PKITS", () => {
  const leaves = [...pkits.certificates.keys()].filter((name) =>
    /^(?:In)?[Vv]alid.*EE$/.test(name),
  );

  it("every certificate whose name states its result has the result of the suite", async () => {
    expect(leaves).toHaveLength(203);
    const wrong: string[] = [];
    for (const name of leaves) {
      const { ok, reasons } = await verdict(name);
      const [code] = deviations.get(name) ?? [];
      const isAsExpected = code
        ? !ok && reasons[0]?.code === code
        : ok === name.startsWith("Valid") && ok === (reasons.length === 0);
      if (!isAsExpected) wrong.push(`${name}: ${reasons.map(({ code }) => code).join(", ")}`);
    }
    expect(wrong).toEqual([]);
  });

  it("the same path is found among all certificates and CRLs of the suite", async () => {
    const all = [...pkits.certificates].filter(([name]) => !name.endsWith("EE"));
    const result = await verify(file("ValidSelfIssuedpathLenConstraintTest17EE"), {
      anchors: [anchor],
      intermediates: all.map(([, der]) => der),
      crls: [...pkits.crls.values()],
      at,
    });
    expect(result.reasons).toEqual([]);
    expect(result.chain).toHaveLength(6);
  });

  const policy = (n: number): string => `2.16.840.1.101.3.2.1.48.${n}`;
  const explicit = { requireExplicit: true };
  const accept = (...numbers: readonly number[]) => ({ accepted: numbers.map(policy) });

  // with the inputs listed in the document of the suite
  it.each<[test: string, name: string, policies: VerifyOptions["policies"], ok: boolean]>([
    ["4.8.1.1", "ValidCertificatePathTest1EE", explicit, true],
    ["4.8.1.2", "ValidCertificatePathTest1EE", { ...explicit, ...accept(1) }, true],
    ["4.8.1.3", "ValidCertificatePathTest1EE", { ...explicit, ...accept(2) }, false],
    ["4.8.1.4", "ValidCertificatePathTest1EE", { ...explicit, ...accept(1, 2) }, true],
    ["4.8.2.1", "AllCertificatesNoPoliciesTest2EE", {}, true],
    ["4.8.2.2", "AllCertificatesNoPoliciesTest2EE", explicit, false],
    ["4.8.3.1", "DifferentPoliciesTest3EE", {}, true],
    ["4.8.3.2", "DifferentPoliciesTest3EE", explicit, false],
    ["4.8.3.3", "DifferentPoliciesTest3EE", { ...explicit, ...accept(1, 2) }, false],
    ["4.8.4", "DifferentPoliciesTest4EE", {}, false],
    ["4.8.5", "DifferentPoliciesTest5EE", {}, false],
    ["4.8.6.1", "OverlappingPoliciesTest6EE", {}, true],
    ["4.8.6.2", "OverlappingPoliciesTest6EE", accept(1), true],
    ["4.8.6.3", "OverlappingPoliciesTest6EE", accept(2), false],
    ["4.8.7", "DifferentPoliciesTest7EE", {}, false],
    ["4.8.8", "DifferentPoliciesTest8EE", {}, false],
    ["4.8.9", "DifferentPoliciesTest9EE", {}, false],
    ["4.8.10.1", "AllCertificatesSamePoliciesTest10EE", {}, true],
    ["4.8.10.2", "AllCertificatesSamePoliciesTest10EE", accept(1), true],
    ["4.8.10.3", "AllCertificatesSamePoliciesTest10EE", accept(2), true],
    ["4.8.11.1", "AllCertificatesanyPolicyTest11EE", {}, true],
    ["4.8.11.2", "AllCertificatesanyPolicyTest11EE", accept(1), true],
    ["4.8.12", "DifferentPoliciesTest12EE", {}, false],
    ["4.8.13.1", "AllCertificatesSamePoliciesTest13EE", accept(1), true],
    ["4.8.13.2", "AllCertificatesSamePoliciesTest13EE", accept(2), true],
    ["4.8.13.3", "AllCertificatesSamePoliciesTest13EE", accept(3), true],
    ["4.8.14.1", "AnyPolicyTest14EE", accept(1), true],
    ["4.8.14.2", "AnyPolicyTest14EE", accept(2), false],
    ["4.8.15", "UserNoticeQualifierTest15EE", {}, true],
    ["4.8.16", "UserNoticeQualifierTest16EE", {}, true],
    ["4.8.17", "UserNoticeQualifierTest17EE", {}, true],
    ["4.8.18.1", "UserNoticeQualifierTest18EE", accept(1), true],
    ["4.8.18.2", "UserNoticeQualifierTest18EE", accept(2), true],
    ["4.8.19", "UserNoticeQualifierTest19EE", {}, true],
    ["4.8.20", "CPSPointerQualifierTest20EE", {}, true],
    ["4.10.1.1", "ValidPolicyMappingTest1EE", accept(1), true],
    ["4.10.1.2", "ValidPolicyMappingTest1EE", accept(2), false],
    ["4.10.1.3", "ValidPolicyMappingTest1EE", { inhibitMapping: true }, false],
    ["4.10.3.1", "ValidPolicyMappingTest3EE", accept(1), false],
    ["4.10.3.2", "ValidPolicyMappingTest3EE", accept(2), true],
    ["4.10.5.1", "ValidPolicyMappingTest5EE", accept(1), true],
    ["4.10.5.2", "ValidPolicyMappingTest5EE", accept(6), false],
    ["4.10.6.1", "ValidPolicyMappingTest6EE", accept(1), true],
    ["4.10.6.2", "ValidPolicyMappingTest6EE", accept(6), false],
    ["4.10.12.1", "ValidPolicyMappingTest12EE", accept(1), true],
    ["4.10.12.2", "ValidPolicyMappingTest12EE", accept(2), true],
    ["4.12.3.1", "inhibitAnyPolicyTest3EE", {}, true],
    ["4.12.3.2", "inhibitAnyPolicyTest3EE", { inhibitAny: true }, false],
  ])("%s: %s with %j is valid: %s", async (_, name, policies, ok) => {
    const result = await verdict(name, policies);
    expect(result.reasons.map(({ code }) => code)).toEqual(ok ? [] : ["policy"]);
  });
});
