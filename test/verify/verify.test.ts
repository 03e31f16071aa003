import "reflect-metadata";
import { X509Certificate as NodeCertificate } from "node:crypto";
import * as peculiar from "@peculiar/x509";
import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { explicit, sequence, tlv } from "../../src/base/der.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { dnsName, emailName, uriName } from "../../src/x509/san.ts";
import { verifier, verify, type ReasonCode, type VerifyOptions } from "../../src/verify/index.ts";
import { SealwrightError } from "../../src/base/errors.ts";
import { deltaIndicator, issuingDistributionPoint } from "../x509/extensions.ts";
import { commonName } from "../x509/fixture.ts";
import {
  at,
  clientAuth,
  crlOf,
  day,
  issue,
  now,
  ocspOf,
  serverAuth,
  usualChain,
  withBrokenSignature,
  type Member,
  type Traits,
} from "./hierarchy.ts";
import { threadTime } from "../support/spent.ts";

const { root, intermediate, leaf } = await usualChain();
const usual: VerifyOptions = { anchors: [root.der], intermediates: [intermediate.der], at };

/** Returns the codes of the reasons, each with the common name of the certificate concerned. */
async function reasons(
  member: Pick<Member, "der">,
  options: Partial<VerifyOptions> = {},
): Promise<readonly string[]> {
  const result = await verify(member.der, { ...usual, ...options });
  expect(result.ok).toBe(result.reasons.length === 0);
  return result.reasons.map(
    ({ code, certificate }) => `${code} ${certificate?.subject.commonNames[0]}`,
  );
}

describe("verify", () => {
  it("returns the chain from the certificate to the anchor", async () => {
    const { ok, chain, reasons: none } = await verify(leaf.der, usual);
    expect({ ok, none }).toEqual({ ok: true, none: [] });
    expect(chain.map(({ subject }) => subject.text)).toEqual([
      "CN=leaf",
      "CN=Intermediate",
      "CN=Root",
    ]);
  });

  const pem = encodePem("CERTIFICATE", leaf.der);
  it.each<[string, Parameters<typeof verify>[0]]>([
    ["PEM", pem],
    ["PEM as bytes", new TextEncoder().encode(pem)],
    ["an ArrayBuffer", Uint8Array.from(leaf.der).buffer],
    ["a certificate of @peculiar/x509", new peculiar.X509Certificate(pem)],
    ["a certificate of Node", new NodeCertificate(pem)],
  ])("accepts %s", async (_, given) => {
    expect((await verify(given, usual)).ok).toBe(true);
  });

  it("verifies the first certificate of a PEM bundle, and uses the others as intermediates but never as anchors", async () => {
    const bundle = (...all: readonly Member[]) =>
      all.map(({ der }) => encodePem("CERTIFICATE", der)).join("\n");
    const alone = { anchors: root.der, at };
    const text = `Subject: CN=leaf\n${bundle(leaf, intermediate)}`;
    for (const given of [text, new TextEncoder().encode(text)])
      expect((await verify(given, alone)).chain).toHaveLength(3);
    const [other] = [await issue("Other root", undefined, { ca: true })];
    const { ok } = await verify(bundle(leaf, intermediate, root), { anchors: other.der, at });
    expect(ok).toBe(false);
    const check = verifier(alone);
    expect((await check(bundle(leaf, intermediate))).ok).toBe(true);
    expect((await check(leaf.der)).ok).toBe(false);
  });

  it("accepts several certificates in one PEM, and a single certificate instead of an array", async () => {
    const both = [root, intermediate].map(({ der }) => encodePem("CERTIFICATE", der)).join("\n");
    expect(await reasons(leaf, { anchors: both, intermediates: [] })).toEqual([]);
  });

  it("accepts an intermediate as anchor, and a certificate that is itself an anchor", async () => {
    expect(await reasons(leaf, { anchors: intermediate.der, intermediates: [] })).toEqual([]);
    expect(await reasons(leaf, { anchors: leaf.der })).toEqual([]);
  });

  it("verifier: parses its options once for many certificates, with separate limits for each", async () => {
    const check = verifier(usual);
    const other = await issue("other", intermediate);
    for (const { der } of [leaf, other, leaf]) expect((await check(der)).ok).toBe(true);
    expect(() => verifier({ ...usual, purpose: "server" })).toThrow(TypeError);
  });

  it("rejects only if it is misused", async () => {
    const wrong = [
      // @ts-expect-error -- an unknown option
      verify(leaf.der, { ...usual, anchor: root.der }),
      verify(leaf.der, { ...usual, at: new Date(NaN) }),
      verify(leaf.der, { ...usual, purpose: "server" }),
      // @ts-expect-error -- no mode
      verify(leaf.der, { ...usual, revocation: "required" }),
      // @ts-expect-error -- an unknown policy option
      verify(leaf.der, { ...usual, policies: { acceptable: ["1.2.3"] } }),
      // @ts-expect-error -- a number is not a certificate
      verify(5, usual),
    ];
    for (const one of wrong) await expect(one).rejects.toThrow(TypeError);
    await expect(verify(leaf.der, { ...usual, anchors: [] })).rejects.toThrow(SealwrightError);
    await expect(verify("no PEM", usual)).rejects.toThrow(SealwrightError);
    const { ok, chain, reasons: why } = await verify(new Uint8Array(5), usual);
    expect([ok, chain, why.map(({ code }) => code)]).toEqual([false, [], ["malformed"]]);
  });

  it("ignores anchors, intermediates, CRLs and OCSP responses that cannot be parsed", async () => {
    const junk = Uint8Array.of(0x30, 1);
    const options = { crls: [junk], ocsp: [junk], revocation: "available" } as const;
    const all = { anchors: [junk, root.der], intermediates: [junk, intermediate.der], ...options };
    expect(await reasons(leaf, all)).toEqual([]);
  });
});

describe("certification paths", () => {
  it("have different reasons for a missing issuer, an unknown root and a wrong signature", async () => {
    const other = await issue("Other root", undefined, { ca: true });
    expect(await reasons(leaf, { intermediates: [] })).toEqual(["issuer_unknown leaf"]);
    expect(
      await reasons(leaf, { anchors: other.der, intermediates: [intermediate.der, root.der] }),
    ).toEqual(["untrusted_root Root"]);
    const broken = { ...leaf, der: withBrokenSignature(leaf.der) };
    expect(await reasons(broken)).toEqual(["bad_signature leaf"]);
  });

  it("are found past a cross-signed loop and an expired twin", async () => {
    const a = await issue("A", undefined, { ca: true });
    const b = await issue("B", a, { ca: true });
    const aByB = await issue("A", b, { ca: true, key: a.key });
    const bByRoot = await issue("B", root, { ca: true, key: b.key });
    const expired = await issue("B", root, { ca: true, key: b.key, notAfter: now - day });
    const end = await issue("end", aByB);
    const result = await verify(end.der, {
      ...usual,
      intermediates: [a.der, b.der, aByB.der, expired.der, bByRoot.der],
    });
    expect(result.reasons).toEqual([]);
    expect(result.chain.map(({ subject }) => subject.commonNames[0])).toEqual([
      "end",
      "A",
      "B",
      "Root",
    ]);
  });

  it("are searched with bounded work among hostile certificates", async () => {
    const key = root.key;
    // each of them may have signed every other: 12! paths
    const names = Array.from({ length: 12 }, (_, i) => `H${i}`);
    const members = names.map((name) => ({ name, key, der: root.der }));
    const hostile: Uint8Array[] = [];
    for (const one of names)
      for (const [i, other] of members.entries()) {
        const named = await issue(names[i] ?? "", undefined, { ca: true, key });
        hostile.push((await issue(one, { ...other, der: named.der }, { ca: true })).der);
      }
    const top = await issue("H0", undefined, { ca: true, key });
    const end = await issue("end", { ...top, key });
    const began = threadTime();
    const { ok, reasons: why } = await verify(end.der, { ...usual, intermediates: hostile });
    expect(ok).toBe(false);
    expect(why.map(({ code }) => code)).not.toContain("malformed");
    expect(threadTime() - began).toBeLessThan(20_000);
  });
});

describe("a certification path", () => {
  const caOf = (traits: Traits) => issue("CA", root, { ca: true, ...traits });
  const below = async (ca: Traits, traits: Traits = {}, options: Partial<VerifyOptions> = {}) => {
    const issuer = await caOf(ca);
    return reasons(await issue("leaf", issuer, traits), {
      intermediates: [issuer.der],
      ...options,
    });
  };
  const name = { name: "www.example.com" };
  const unknown = { oid: "1.2.3.4", critical: true, value: sequence() };

  it.each<[string, Traits, Traits, Partial<VerifyOptions>, readonly string[]]>([
    ["of usual certificates", {}, {}, name, []],
    ["with an expired leaf", {}, { notAfter: now - 1 }, {}, ["expired leaf"]],
    ["with an expired CA", { notAfter: now - 1 }, {}, {}, ["expired CA"]],
    ["with a future leaf", {}, { notBefore: now + 1 }, {}, ["not_yet_valid leaf"]],
    ["at the last second", {}, { notAfter: now }, {}, []],
    ["without basic constraints", { basic: undefined }, {}, {}, ["not_a_ca CA"]],
    ["of a CA that may not sign", { usage: ["CRLSign"] }, {}, {}, ["key_usage CA"]],
    ["for another name", {}, { names: { dns: ["a.test"] } }, name, ["name_mismatch leaf"]],
    ["for another purpose", {}, { purposes: [clientAuth] }, name, ["purpose leaf"]],
    ["of a CA for another purpose", { purposes: [clientAuth] }, {}, name, ["purpose CA"]],
    ["of a CA for this purpose", { purposes: [serverAuth] }, {}, name, []],
    ["with a usage for nothing", {}, { usage: ["CRLSign"] }, name, ["key_usage leaf"]],
    [
      "with a usage for nothing, the purpose given as an object identifier",
      {},
      { usage: ["CRLSign"] },
      { purpose: serverAuth },
      ["key_usage leaf"],
    ],
    ["for the purpose anyExtendedKeyUsage", {}, {}, { purpose: "2.5.29.37.0" }, []],
    ["with an unknown extension", {}, { more: [unknown] }, {}, ["unknown_critical_extension leaf"]],
    ["with names outside", { permitted: { dns: ["a.test"] } }, {}, {}, ["name_constraints leaf"]],
    ["with names inside", { permitted: { dns: ["example.com"] } }, {}, {}, []],
    ["with excluded names", { excluded: { dns: [""] } }, {}, {}, ["name_constraints leaf"]],
    ["with a long path", { pathLength: 0 }, { ca: true, purposes: [serverAuth] }, {}, []],
  ])("%s", async (_, ca, traits, options, expected) => {
    expect(await below(ca, traits, options)).toEqual(expected);
  });

  it("may not be longer than a CA allows", async () => {
    const first = await caOf({ pathLength: 0 });
    const second = await issue("Second", first, { ca: true });
    const end = await issue("end", second);
    const options = { intermediates: [first.der, second.der] };
    expect(await reasons(end, options)).toEqual(["path_too_long CA"]);
  });

  it("is rejected if names and constraints would take too long to compare", async () => {
    const many = (suffix: string) => Array.from({ length: 400 }, (_, i) => `n${i}.${suffix}`);
    const ca = { permitted: { dns: many("example.com") } };
    expect(await below(ca, { names: { dns: many("example.com") } })).toEqual(["too_complex CA"]);
  });
});

describe("a name", () => {
  const names = {
    dns: ["example.com", "*.example.com", "*", "f*.example.org", "xn--bcher-kva.example"],
    ip: ["192.0.2.1", "2001:db8::1"],
    email: ["Me@Example.com"],
    uri: ["spiffe://example.com/a"],
  };
  it.each<[string, boolean]>([
    ["example.com", true],
    ["EXAMPLE.com", true],
    ["example.com.", true],
    ["www.example.com", true],
    ["a.www.example.com", false],
    ["*.example.com", false],
    ["org", false],
    ["foo.example.org", false],
    ["bücher.example", true],
    ["192.0.2.1", true],
    ["192.0.2.2", false],
    ["[2001:db8:0::1]", true],
    ["2001:db8::2", false],
    ["Me@example.COM", true],
    ["me@example.com", false],
    ["spiffe://example.com/a", true],
    ["spiffe://example.com/A", false],
    ["", false],
  ])("%j is matched: %s", async (name, is) => {
    const member = await issue("names", intermediate, { names });
    expect(await reasons(member, { name })).toEqual(is ? [] : ["name_mismatch names"]);
  });

  it("is not matched by the common name", async () => {
    const member = await issue("www.example.com", intermediate, { names: {} });
    expect(await reasons(member, { name: "www.example.com" })).toEqual([
      "name_mismatch www.example.com",
    ]);
  });
});

const serial = 77;
const member = await issue("leaf", intermediate, { serial });
const rootCrl = await crlOf(root, []);
const good = await crlOf(intermediate, []);
const bad = await crlOf(intermediate, [serial]);
const responder = await issue("Responder", intermediate, {
  purposes: ["1.3.6.1.5.5.7.3.9"],
  serial: 78,
});
const stranger = await issue("Responder", root, { purposes: ["1.3.6.1.5.5.7.3.9"] });
const plain = await issue("Responder", intermediate);

describe("the revocation status", () => {
  const unknown = ["revocation_unknown leaf"];
  const revoked = ["revoked leaf"];

  it("must be known for every certificate below the anchor if evidence is given", async () => {
    expect(await reasons(member, { crls: [rootCrl, good] })).toEqual([]);
    expect(await reasons(member, { crls: [good] })).toEqual(["revocation_unknown Intermediate"]);
    const { reasons: why } = await verify(member.der, { ...usual, crls: [good] });
    expect(why[0]?.message).toMatch(
      /^the revocation status of CN=Intermediate \(serial number (?:[\da-f]{2}:)+[\da-f]{2}\) is unknown: /,
    );
    expect(await reasons(member, { crls: [good], revocation: "leaf" })).toEqual([]);
    expect(await reasons(member, { crls: [], revocation: "available" })).toEqual([]);
  });

  it("is reported along with other reasons", async () => {
    const expired = await issue("leaf", intermediate, { serial, notAfter: now - 1 });
    expect(await reasons(expired, { crls: [rootCrl, bad] })).toEqual([
      "expired leaf",
      "revoked leaf",
    ]);
  });

  it("is taken from a CRL for a revoked certificate, even if the CRL has expired", async () => {
    expect(await reasons(member, { crls: [rootCrl, bad] })).toEqual(revoked);
    const old = { thisUpdate: now - 3 * day, nextUpdate: now - day };
    const stale = await crlOf(intermediate, [serial], old);
    expect(await reasons(member, { crls: [rootCrl, stale] })).toEqual(revoked);
    const empty = await crlOf(intermediate, [], old);
    expect(await reasons(member, { crls: [rootCrl, empty] })).toEqual(unknown);
  });

  it("is not hidden by an older CRL that is still valid, in any order", async () => {
    const older = await crlOf(intermediate, [], { thisUpdate: now - 2 * day });
    for (const crls of [
      [rootCrl, older, bad],
      [rootCrl, bad, older],
    ])
      expect(await reasons(member, { crls })).toEqual(revoked);
  });

  it("is taken from the delta CRL with the highest number, in any order", async () => {
    const delta = (number: number, reason: number) =>
      crlOf(intermediate, [serial], { number, reason, more: [deltaIndicator(1)] });
    const [lifted, again] = [await delta(2, 8), await delta(3, 1)];
    for (const deltas of [
      [lifted, again],
      [again, lifted],
    ])
      expect(await reasons(member, { crls: [rootCrl, good, ...deltas] })).toEqual(revoked);
  });

  it("is not hidden by intermediates that exhaust the limit of signature verifications", async () => {
    const { spki } = parseCertificate(intermediate.der);
    const end = Buffer.from(intermediate.der).indexOf(spki) + spki.length;
    // as likely issuers as the real one, which is tried last, after 198 of at most 200 verifications
    const junk = Array.from({ length: 198 }, (_, n) => {
      const der = intermediate.der.slice();
      der[end - 1] = n;
      der[end - 2] = n ^ 0x55;
      return der;
    });
    const given = { crls: [bad], revocation: "available" } as const;
    expect(await reasons(member, given)).toEqual(revoked);
    const intermediates = [...junk, intermediate.der];
    expect(await reasons(member, { ...given, intermediates })).toEqual(["too_complex leaf"]);
  });

  it("is not taken from a CRL signed with another key, or for other distribution points", async () => {
    const other = { ...intermediate, key: root.key };
    const forged = await crlOf(other, [serial]);
    const scoped = await crlOf(intermediate, [serial], {
      more: [issuingDistributionPoint(["http://crl.test/1"])],
    });
    for (const crl of [forged, scoped, withBrokenSignature(bad)])
      expect(await reasons(member, { crls: [rootCrl, crl] })).toEqual(unknown);
  });

  const pointNames: readonly (readonly [string, (text: string) => Uint8Array])[] = [
    ["URI", uriName],
    ["DNS name", dnsName],
    ["email address", emailName],
    ["directory name", (text) => tlv(0xa4, encodeName(commonName(text)))],
  ];
  it.each(pointNames)(
    "is taken from a CRL for a distribution point of the certificate: its %s",
    async (kind, encode) => {
      const text = "crl@ca.test";
      const point = (name: Uint8Array) => sequence(explicit(0, explicit(0, name)));
      const value = sequence(point(encode(text)));
      const points = { oid: extensionOid.crlDistributionPoints, critical: false, value };
      const pointed = await issue("leaf", intermediate, { serial, more: [points] });
      const from = async (name: Uint8Array) => {
        const scope = {
          oid: extensionOid.issuingDistributionPoint,
          critical: true,
          value: point(name),
        };
        const crl = await crlOf(intermediate, [serial], { more: [scope] });
        return reasons(pointed, { crls: [rootCrl, crl] });
      };
      expect(await from(encode("other.test"))).toEqual(unknown);
      for (const [other, encodeOther] of pointNames)
        expect([other, await from(encodeOther(text))]).toEqual([
          other,
          other === kind ? revoked : unknown,
        ]);
    },
  );

  it("includes delta CRLs that extend the complete CRL", async () => {
    const delta = (serials: readonly number[], base: number, reason = 1) =>
      crlOf(intermediate, serials, { number: 2, reason, more: [deltaIndicator(base)] });
    expect(await reasons(member, { crls: [rootCrl, good, await delta([serial], 1)] })).toEqual(
      revoked,
    );
    expect(await reasons(member, { crls: [rootCrl, bad, await delta([serial], 1, 8)] })).toEqual(
      [],
    );
    // the base is newer than the complete CRL
    expect(await reasons(member, { crls: [rootCrl, bad, await delta([serial], 2, 8)] })).toEqual(
      revoked,
    );
    expect(await reasons(member, { crls: [rootCrl, await delta([serial], 1)] })).toEqual(unknown);
  });

  const leafOnly = { revocation: "leaf" } as const;
  const by = (signer: Member) => ({ signer, certificates: [signer.der] });
  const time = { revokedAt: now - day, reason: 1 };

  it.each<[string, Parameters<typeof ocspOf>[2], Parameters<typeof ocspOf>[3], readonly string[]]>([
    ["good", "good", {}, []],
    ["good, named by SHA-256 and key", "good", { hash: "SHA-256", byKey: true }, []],
    ["revoked", time, {}, revoked],
    ["unknown", "unknown", {}, unknown],
    ["out of date", "good", { producedAt: now - 3 * day, nextUpdate: now - day }, unknown],
    ["from the future", "good", { producedAt: now + 3600 }, unknown],
    ["an hour old without an end", "good", { nextUpdate: undefined }, []],
    ["old without an end", "good", { producedAt: now - 2 * day, nextUpdate: undefined }, unknown],
    ["of a responder", "good", by(responder), []],
    ["of a responder, revoked", time, by(responder), revoked],
    ["of a responder of another CA", "good", by(stranger), unknown],
    ["of a certificate that is none of a responder", "good", by(plain), unknown],
    ["of another key", "good", { signer: { ...intermediate, key: root.key } }, unknown],
  ])("is taken from an OCSP response: %s", async (_, status, options, expected) => {
    const response = await ocspOf(member, intermediate, status, options);
    expect(await reasons(member, { ocsp: response, ...leafOnly })).toEqual(expected);
  });

  it("is not taken from the response of a revoked responder", async () => {
    const response = await ocspOf(member, intermediate, time, by(responder));
    const crls = [await crlOf(intermediate, [78])];
    expect(await reasons(member, { ocsp: response, ...leafOnly })).toEqual(revoked);
    expect(await reasons(member, { ocsp: response, crls, ...leafOnly })).toEqual([]);
  });

  it("is not taken from an OCSP response about another certificate", async () => {
    const response = await ocspOf(leaf, intermediate, "good");
    expect(await reasons(member, { ocsp: response, ...leafOnly })).toEqual(unknown);
  });
});

describe("reasons", () => {
  it("have a readable message", async () => {
    const member = await issue("leaf", intermediate, { names: { dns: ["a.test"] } });
    const { reasons: why } = await verify(member.der, { ...usual, name: "b.test" });
    expect(why.map(({ code, message }): readonly [ReasonCode, string] => [code, message])).toEqual([
      ["name_mismatch", "is not valid for b.test, but for a.test"],
    ]);
  });
});
