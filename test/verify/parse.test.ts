import { X509Certificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { parseCertificate, parseCrl, parseCsr } from "../../src/verify/index.ts";
import { encodePem } from "../../src/base/pem.ts";
import { CaError } from "../../src/base/errors.ts";
import { parseCertificate as parseDer } from "../../src/x509/certificate.ts";
import { commonName, defined, makeCsr, makeKey } from "../x509/fixture.ts";
import {
  crlDistributionPoints,
  deltaIndicator,
  issuingDistributionPoint,
  keyUsage,
  subjectAltName,
} from "../x509/extensions.ts";
import { noNames } from "../../src/x509/san.ts";
import { crlOf, day, issue, now, usualChain } from "./hierarchy.ts";

const { root, intermediate } = await usualChain();
const names = {
  dns: ["www.example.com"],
  ip: ["192.0.2.1", "2001:db8::1"],
  email: ["me@example.com"],
  uri: ["https://example.com/"],
  other: [
    { oid: "1.3.6.1.4.1.311.20.2.3", value: "me@corp.example" },
    { oid: "1.2.3", value: "x" },
  ],
};
const leaf = await issue("www.example.com", intermediate, {
  names,
  serial: 0x010203,
  more: [crlDistributionPoints(["http://crl.test/1"])],
});
const rsa = await issue("RSA", intermediate, { key: await makeKey("RSA") });
const csr = await makeCsr(
  await makeKey("Ed25519"),
  commonName("csr"),
  defined([subjectAltName({ ...noNames, dns: ["a.test"] }, false), keyUsage(["DigitalSignature"])]),
);

describe("parseCertificate", () => {
  const parsed = parseCertificate(encodePem("CERTIFICATE", leaf.der));

  it("returns names by kind, dates, usages and identifiers", () => {
    const { subject, issuer, names: found, keyUsage: usage, extendedKeyUsage } = parsed;
    expect([subject.text, issuer.commonNames]).toEqual(["CN=www.example.com", ["Intermediate"]]);
    expect(found).toEqual({
      ...names,
      upn: ["me@corp.example"],
      other: [{ oid: "1.2.3", value: "x" }],
      directory: [],
      unreadable: [],
    });
    expect([parsed.notBefore, parsed.notAfter]).toEqual([
      new Date((now - 30 * day) * 1000),
      new Date((now + 30 * day) * 1000),
    ]);
    expect([[...(usage ?? [])], [...(extendedKeyUsage ?? [])]]).toEqual([
      ["DigitalSignature"],
      ["ServerAuth"],
    ]);
    expect([parsed.isCa, parsed.pathLength, parsed.version]).toEqual([false, undefined, 3]);
    expect([parsed.keyType, parsed.keyBits, parsed.signatureAlgorithm]).toEqual([
      "ec",
      256,
      "ECDSAWithSHA256",
    ]);
    expect([parsed.serialNumber, parsed.crlUrls]).toEqual(["01:02:03", ["http://crl.test/1"]]);
    const { isCa, pathLength, isSelfIssued } = parseCertificate(intermediate.der);
    expect([isCa, pathLength, isSelfIssued]).toEqual([true, 0, false]);
  });

  it("has the same fingerprint, key and PEM as Node's X509Certificate", () => {
    const node = new X509Certificate(leaf.der);
    expect(parsed.fingerprint256).toBe(node.fingerprint256);
    expect(Buffer.from(parsed.spki)).toEqual(
      node.publicKey.export({ type: "spki", format: "der" }),
    );
    expect(parsed.pem).toBe(node.toString().trim());
    expect(parseCertificate(node).fingerprint256).toBe(parsed.fingerprint256);
  });

  it.each([
    ["ec", leaf, {}, "ECDSA"],
    ["rsa", rsa, {}, "RSASSA-PKCS1-v1_5"],
    ["rsa with PSS", rsa, { pss: true, hash: "SHA-512" } as const, "RSA-PSS"],
  ])("imports the public key: %s", async (_, { der }, options, name) => {
    const key = await parseCertificate(der).publicKey(options);
    expect(key).toMatchObject({ type: "public", extractable: true, algorithm: { name } });
  });

  it("imports a key that verifies signatures of the private key", async () => {
    const key = await parseCertificate(rsa.der).publicKey();
    const signature = await rsa.key.sign(Uint8Array.of(1));
    const data = Uint8Array.of(1);
    expect(
      await crypto.subtle.verify(key.algorithm.name, key, Uint8Array.from(signature), data),
    ).toBe(true);
  });

  it("parses PEM after a byte order mark, or after text that begins with 0, as a string and as bytes", () => {
    const pem = encodePem("CERTIFICATE", leaf.der);
    for (const text of [`\uFEFF${pem}`, `0 s:CN=leaf\n${pem}`])
      for (const input of [text, new TextEncoder().encode(text)])
        expect(parseCertificate(input).der).toEqual(parseCertificate(leaf.der).der);
  });

  it("throws a CaError for an invalid certificate, and a TypeError for other types", () => {
    expect(() => parseCertificate("text")).toThrow(CaError);
    expect(() => parseCertificate(Uint8Array.of(1, 2))).toThrow(CaError);
    expect(() => parseCertificate(encodePem("X509 CRL", leaf.der))).toThrow("CERTIFICATE");
    // @ts-expect-error -- null is not a certificate
    expect(() => parseCertificate(null)).toThrow(TypeError);
    // @ts-expect-error -- nor is an object without bytes
    expect(() => parseCertificate({ raw: "text" })).toThrow(TypeError);
  });
});

describe("parseCsr", () => {
  it("returns the requested contents, and verifies the signature", async () => {
    const parsed = parseCsr(encodePem("CERTIFICATE REQUEST", csr));
    expect([parsed.subject.commonNames, parsed.names.dns, parsed.keyType]).toEqual([
      ["csr"],
      ["a.test"],
      "ed25519",
    ]);
    expect(parsed.keyUsage?.has("DigitalSignature")).toBe(true);
    expect(await parsed.verifySignature()).toBe(true);
    const last = csr.length - 1;
    const changed = csr.with(last, (csr[last] ?? 0) ^ 1);
    expect(await parseCsr(changed).verifySignature()).toBe(false);
  });
});

describe("parseCrl", () => {
  it("returns entries, numbers and scope", async () => {
    const delta = await crlOf(intermediate, [0x010203, 5], {
      number: 9,
      more: [deltaIndicator(4), issuingDistributionPoint(["http://crl.test/1"])],
    });
    const parsed = parseCrl(encodePem("X509 CRL", delta));
    expect(parsed.revoked).toEqual([
      {
        serialNumber: "01:02:03",
        revokedAt: new Date((now - 2 * day) * 1000),
        reason: "keyCompromise",
        invalidSince: undefined,
      },
      expect.objectContaining({ serialNumber: "05" }),
    ]);
    expect([parsed.number, parsed.baseNumber, parsed.issuer.text]).toEqual([
      9n,
      4n,
      "CN=Intermediate",
    ]);
    expect(parsed.scope).toEqual({
      urls: ["http://crl.test/1"],
      only: undefined,
      reasons: undefined,
      isIndirect: false,
    });
    const { subject } = parseDer(root.der);
    const plain = parseCrl(await crlOf(root, []));
    expect([plain.revoked, plain.baseNumber, plain.scope.urls]).toEqual([[], undefined, []]);
    expect(plain.issuer.der).toEqual(subject);
  });
});
