import { describe, expect, it } from "vitest";
import {
  encodeTbsCertificate,
  assembleSigned,
  parseCertificate,
} from "../../src/x509/certificate.ts";
import { encodeName } from "../../src/x509/name.ts";
import { verify, type VerifyOptions } from "../../src/verify/index.ts";
import { commonName } from "../x509/fixture.ts";
import { bitString, integer, nullValue, oid, sequence } from "../../src/base/der.ts";
import {
  at,
  crlOf,
  day,
  issue,
  now,
  ocspOf,
  usualChain,
  type Member,
  type Traits,
} from "./hierarchy.ts";

const { root, intermediate } = await usualChain();
const serial = 77;
const leaf = await issue("leaf", intermediate, { serial });
const usual: VerifyOptions = { anchors: root.der, intermediates: intermediate.der, at };

/** Returns the codes of the reasons, each with the common name of the certificate concerned. */
async function reasons(
  member: Pick<Member, "der">,
  options: Partial<VerifyOptions> = {},
): Promise<readonly string[]> {
  const result = await verify(member.der, { ...usual, ...options });
  return result.reasons.map(
    ({ code, certificate }) => `${code} ${certificate?.subject.commonNames[0]}`,
  );
}
const unknown = { oid: "1.2.3.4", critical: true, value: sequence() };
const ocspSigning = "1.3.6.1.5.5.7.3.9";

describe("a CA elsewhere below the root with the name of the issuer", async () => {
  const elsewhere = await issue("Elsewhere", root, { ca: true });
  const twin = await issue("Intermediate", elsewhere, { ca: true });
  const intermediates = [intermediate.der, elsewhere.der, twin.der];
  const others = [await crlOf(root, []), await crlOf(elsewhere, [])];
  const newer = { thisUpdate: now - 60 };
  const given = async (...crls: readonly Uint8Array[]) =>
    reasons(leaf, { intermediates, crls: [...others, ...crls] });

  it("cannot hide a revocation with a newer CRL", async () => {
    const [hiding, bad] = [await crlOf(twin, [], newer), await crlOf(intermediate, [serial])];
    for (const crls of [
      [bad, hiding],
      [hiding, bad],
    ])
      expect(await given(...crls)).toEqual(["revoked leaf"]);
    expect(await given(hiding)).toEqual(["revocation_unknown leaf"]);
  });

  it("cannot revoke with a CRL or an OCSP response", async () => {
    const accusing = await crlOf(twin, [serial], newer);
    expect(await given(await crlOf(intermediate, []), accusing)).toEqual([]);
    const revoked = { revokedAt: now - day, reason: 1 };
    const ocsp = await ocspOf(leaf, twin, revoked);
    expect(await reasons(leaf, { intermediates, ocsp, revocation: "available" })).toEqual([]);
  });

  it("is not mistaken for the issuer, nor the issuer for it", async () => {
    const below = await issue("below", twin);
    expect(await reasons(below, { intermediates: intermediate.der })).toEqual([
      "issuer_unknown below",
    ]);
    expect(await reasons(below, { intermediates })).toEqual([]);
  });
});

describe("a new key of the issuer", () => {
  it("may sign CRLs for certificates of the old key, if it is certified by the same CA or by the old key", async () => {
    const certified = await issue("Intermediate", root, { ca: true });
    const rolled = await issue("Intermediate", intermediate, { ca: true });
    for (const signer of [certified, rolled]) {
      const crls = [
        await crlOf(root, []),
        await crlOf(signer, [serial]),
        await crlOf(intermediate, []),
      ];
      const options = { intermediates: [intermediate.der, signer.der], crls: crls.slice(0, 2) };
      expect(await reasons(leaf, { ...options, revocation: "available" })).toEqual([
        "revoked leaf",
      ]);
    }
  });
});

describe("OCSP responses with the certificate of a responder", () => {
  const by = (signer: Member, ...more: readonly Member[]) => ({
    signer,
    certificates: [signer, ...more].map(({ der }) => der),
  });
  const responder = (issuer: Member, traits: Traits = {}) =>
    issue("Responder", issuer, { purposes: [ocspSigning], ...traits });

  it.each<[string, () => Promise<ReturnType<typeof by>>]>([
    [
      "with an unknown critical extension",
      async () => by(await responder(intermediate, { more: [unknown] })),
    ],
    ["that has expired", async () => by(await responder(intermediate, { notAfter: now - 1 }))],
    [
      "that may not sign",
      async () => by(await responder(intermediate, { usage: ["KeyEncipherment"] })),
    ],
    [
      "of a responder",
      async () => {
        const first = await responder(intermediate);
        return by(await responder(first), first);
      },
    ],
    ["of the root", async () => by(await responder(root))],
  ])("%s are ignored", async (_, options) => {
    const ocsp = await ocspOf(leaf, intermediate, "good", await options());
    expect(await reasons(leaf, { ocsp, revocation: "leaf" })).toEqual(["revocation_unknown leaf"]);
  });
});

describe("an unknown critical extension", () => {
  it("of a CRL makes the CRL unusable", async () => {
    const crl = await crlOf(intermediate, [], { more: [unknown] });
    expect(await reasons(leaf, { crls: crl, revocation: "leaf" })).toEqual([
      "revocation_unknown leaf",
    ]);
  });

  it("of any certificate in the path is rejected", async () => {
    const odd = await issue("Odd root", undefined, { ca: true, more: [unknown] });
    const ca = await issue("Odd CA", root, { ca: true, more: [unknown] });
    expect(await reasons(await issue("end", odd), { anchors: odd.der })).toEqual([
      "unknown_critical_extension Odd root",
    ]);
    expect(await reasons(await issue("end", ca), { intermediates: ca.der })).toEqual([
      "unknown_critical_extension Odd CA",
    ]);
  });
});

describe("a malformed or costly certificate", () => {
  it("with a repeated extension, or with different inner and outer signature algorithms, is rejected", async () => {
    const twice = await issue("twice", intermediate, {
      more: [
        { oid: "1.2.3.5", critical: false, value: sequence() },
        { oid: "1.2.3.5", critical: false, value: sequence() },
      ],
    });
    const { der } = leaf;
    const other = der.slice();
    const last = Buffer.from(other).lastIndexOf(Buffer.from("2a8648ce3d040302", "hex"));
    other[last + 7] = 3;
    for (const one of [twice.der, other])
      expect((await verify(one, usual)).reasons.map(({ code }) => code)).toEqual(["malformed"]);
  });

  it("signed with a key that is too large is rejected without verifying the signature", async () => {
    const modulus = new Uint8Array(2048).fill(0xff);
    const rsa = sequence(oid("1.2.840.113549.1.1.1"), nullValue);
    const spki = sequence(rsa, bitString(sequence(integer(modulus), integer(65537))));
    const name = encodeName(commonName("Large"));
    const fields = (subject: string, key: Uint8Array) => ({
      serial: Uint8Array.of(1),
      algorithm: sequence(oid("1.2.840.113549.1.1.11"), nullValue),
      issuer: name,
      notBefore: now - day,
      notAfter: now + day,
      subject: encodeName(commonName(subject)),
      spki: key,
      extensions: [],
    });
    const signed = (subject: string, key: Uint8Array) =>
      assembleSigned(
        encodeTbsCertificate(fields(subject, key)),
        fields(subject, key).algorithm,
        new Uint8Array(2048).fill(1),
      );
    const end = { der: signed("end", parseCertificate(leaf.der).spki) };
    expect(await reasons(end, { intermediates: signed("Large", spki) })).toEqual([
      "unsupported_signature end",
    ]);
  });
});

describe("names below a constrained CA", () => {
  const below = async (ca: Traits, names: Traits["names"]) => {
    const issuer = await issue("CA", root, { ca: true, ...ca });
    return reasons(await issue("leaf", issuer, { names: names ?? {} }), {
      intermediates: issuer.der,
    });
  };
  it.each<[Traits, Traits["names"]]>([
    [{ permitted: { dns: ["ok.test"] } }, { dns: ["evilok.test"] }],
    [{ permitted: { dns: ["ok.test"] } }, { dns: ["ok.test", "ok.test.evil.test"] }],
    [{ permitted: { dns: ["ok.test"] } }, { dns: ["*.test"] }],
    [{ excluded: { dns: ["no.test"] } }, { dns: ["*.test"] }],
    [{ excluded: { dns: ["no.test"] } }, { dns: ["NO.test"] }],
    [{ permitted: { ip: ["10.0.0.0/8"] } }, { ip: ["11.0.0.1"] }],
    [{ excluded: { ip: ["10.0.0.0/8"] } }, { ip: ["::ffff:10.0.0.1"] }],
    [{ permitted: { email: ["ok.test"] } }, { email: ["a@sub.ok.test"] }],
    [{ permitted: { email: ["a@ok.test"] } }, { email: ["b@ok.test"] }],
    [{ excluded: { email: [".no.test"] } }, { email: ["a@x.NO.test"] }],
    [{ permitted: { uri: ["ok.test"] } }, { uri: ["https://ok.test@evil.test/"] }],
    [{ permitted: { uri: ["ok.test"] } }, { uri: ["https://evil.test/ok.test"] }],
    [{ permitted: { uri: [".ok.test"] } }, { uri: ["https://192.0.2.1/"] }],
    [{ permitted: { uri: ["ok.test"] } }, { uri: ["urn:ok.test"] }],
  ])("%j exclude %j", async (ca, names) => {
    expect(await below(ca, names)).toEqual(["name_constraints leaf"]);
  });
});

describe("a DNS name", () => {
  it.each([
    "192.0.2.1",
    "www.example.com\0",
    "www.example.com.evil.test",
    "www.example.com:443",
    "*",
  ])("%j is not matched", async (name) => {
    const one = await issue("one", intermediate, { names: { dns: ["www.example.com"] } });
    expect(await reasons(one, { name })).toEqual(["name_mismatch one"]);
  });
});
