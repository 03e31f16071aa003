import { describe, expect, it } from "vitest";
import { fromHex, utf8 } from "../../src/base/bytes.ts";
import { sequence, oid, bitString } from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { encodePem } from "../../src/base/pem.ts";
import { describeCertificate } from "../../src/describe/describe.ts";
import * as extension from "../x509/extensions.ts";
import { encodeName } from "../../src/x509/name.ts";
import { noNames } from "../../src/x509/san.ts";
import { certify, commonName, defined, makeCa, makeKey } from "../x509/fixture.ts";

const signer = await makeKey("P-256");
const { fields } = await makeCa(signer);
const base = { ...fields, subject: encodeName(commonName("www.example.com")) };

describe("describeCertificate", () => {
  it("describes names, validity, key and extensions", async () => {
    const der = await certify(signer, {
      ...base,
      extensions: defined([
        extension.keyUsage(["DigitalSignature", "KeyAgreement"]),
        extension.extKeyUsage(["1.3.6.1.5.5.7.3.1", "1.2.3"]),
        extension.basicConstraints(true, 1),
        extension.subjectKeyIdentifier(fromHex("0a0b")),
        extension.authorityKeyIdentifier(fromHex("0c0d")),
        extension.authorityInfoAccess(["http://o"], ["http://i"]),
        extension.subjectAltName(
          {
            ...noNames,
            dns: ["www.example.com", "b"],
            ip: ["::1"],
            other: [{ oid: "1.2.3", value: "x" }],
            directory: [base.subject],
          },
          false,
        ),
        extension.nameConstraints({ permitted: { dns: ["a"] }, excluded: { ip: ["10.0.0.0/8"] } }),
        extension.crlDistributionPoints(["http://c"]),
        { oid: "1.2.3.4", critical: true, value: fromHex("0500") },
      ]),
    });
    const description = describeCertificate(der);
    expect(description).toMatchObject({
      subject: "CN=www.example.com",
      issuer: "CN=Test CA,O=Prüfstelle & Söhne,C=DE",
      serial: "01:02:03",
      notBefore: 1790000000,
      notAfter: 2600000000,
      key: "EC P-256",
      signatureAlgorithm: "ECDSAWithSHA256",
      names: ["www.example.com", "b", "::1"],
    });
    expect(
      description.extensions.map(({ name, critical, value }) => [name, critical, value.join("; ")]),
    ).toEqual([
      ["Key Usage", true, "DigitalSignature; KeyAgreement"],
      ["Ext Key Usage", false, "ServerAuth; 1.2.3"],
      ["Basic Constraints", true, "Certificate authority; Path length: 1"],
      ["Subject Key Identifier", false, "0a:0b"],
      ["Authority Key Identifier", false, "0c:0d"],
      ["Authority Info Access", false, "OCSP: http://o; Issuer: http://i"],
      [
        "Subject Alt Name",
        false,
        "DNS: www.example.com; DNS: b; IP: ::1; Other 1.2.3: x; Directory: CN=www.example.com",
      ],
      ["Name Constraints", true, "Permitted DNS: a; Excluded IP: 10.0.0.0/8"],
      ["CRL Distribution Points", false, "http://c"],
      ["1.2.3.4", true, "0500"],
    ]);
  });

  it("shows unknown values in hexadecimal or by OID", async () => {
    const spki = sequence(sequence(oid("1.2.3")), bitString(Uint8Array.of(1)));
    const der = await certify(signer, {
      ...base,
      spki,
      extensions: [{ oid: "2.5.29.17", critical: false, value: fromHex("3000") }],
    });
    const description = describeCertificate(der);
    expect(description.key).toBe("unknown type 1.2.3");
    expect(description.names).toEqual(["www.example.com"]);
    expect(description.extensions).toEqual([
      { oid: "2.5.29.17", name: "Subject Alt Name", critical: false, value: ["3000"] },
    ]);
  });

  it("describes RSA and Ed25519 keys", async () => {
    for (const [kind, text] of [
      ["RSA", "RSA 2048"],
      ["Ed25519", "Ed25519"],
    ] as const) {
      const { der } = await makeCa(await makeKey(kind));
      expect(describeCertificate(der).key).toBe(text);
    }
  });

  it("accepts PEM as a string or as bytes, and describes its first certificate", async () => {
    const [der, other] = [
      await certify(signer, base),
      await certify(signer, { ...base, subject: encodeName(commonName("other")) }),
    ];
    const pem = `# a note\n${encodePem("CERTIFICATE REQUEST", other)}\n${encodePem("CERTIFICATE", der)}\n${encodePem("CERTIFICATE", other)}`;
    for (const given of [pem, utf8(encodePem("CERTIFICATE", der))])
      expect(describeCertificate(given)).toEqual(describeCertificate(der));
  });
  it.each([
    ["DER", fromHex("3000")],
    ["nothing", new Uint8Array(0)],
    ["text", "www.example.com"],
    ["empty text", ""],
    ["another block", encodePem("CERTIFICATE REQUEST", fromHex("3000"))],
  ])("rejects %s that is not a certificate", (_, given) =>
    expect(() => describeCertificate(given)).toThrow(CaError),
  );
  it.each([[undefined], [null], [1], [{}], [new ArrayBuffer(8)], [[0x30]]])(
    "throws a TypeError that names the accepted types for %j",
    (given) =>
      expect(() => describeCertificate(given as unknown as string)).toThrow(
        new TypeError("describeCertificate requires a certificate as PEM text or as a Uint8Array"),
      ),
  );
});
