import "reflect-metadata";
import { X509Certificate } from "@peculiar/x509";
import { AsnConvert } from "@peculiar/asn1-schema";
import { Certificate as AsnCertificate } from "@peculiar/asn1-x509";
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { concat, fromHex, asBytes, toHex } from "../../src/base/bytes.ts";
import {
  boolean,
  explicit,
  integer,
  octets,
  oid,
  sequence,
  time,
  tlv,
} from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier, verifySignature, keyIdentifier } from "../../src/x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../src/x509/key-identifiers.ts";
import {
  assembleSigned,
  certificateEnd,
  certificateNames,
  encodeTbsCertificate,
  findExtension,
  isCa,
  parseCertificate,
  type TbsFields,
} from "../../src/x509/certificate.ts";
import * as extension from "./extensions.ts";
import { extKeyUsageOrder } from "../../src/x509/usage.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { noNames } from "../../src/x509/san.ts";
import { itWith } from "../support/programs.ts";
import {
  certify,
  commonName,
  defined,
  hasOpenssl,
  makeCa,
  makeKey,
  openssl,
  withFiles,
} from "./fixture.ts";

const ca = await makeKey("P-256");
const { der: caDer, fields: caFields } = await makeCa(ca);

const names = {
  ...noNames,
  dns: ["www.example.com", "*.example.com"],
  email: ["me@example.com"],
  ip: ["192.0.2.1", "2001:db8::1"],
  uri: ["https://example.com/a"],
};
const leafFields: TbsFields = {
  ...caFields,
  serial: fromHex("00ff020304050607080910111213141516171819"),
  subject: encodeName(commonName("www.example.com")),
  notAfter: Date.UTC(9999, 11, 31, 23, 59, 59) / 1000,
  extensions: defined([
    extension.keyUsage(["DigitalSignature", "KeyAgreement", "DecipherOnly"]),
    extension.extKeyUsage(extKeyUsageOrder(["clientauth", "ServerAuth", "unknown"])),
    extension.basicConstraints(false),
    extension.subjectKeyIdentifier(Uint8Array.of(1, 2, 3)),
    extension.authorityKeyIdentifier(await keyIdentifier(ca.key.spki)),
    extension.authorityInfoAccess(["http://ocsp.example.com"], ["http://ca.example.com/ca.cer"]),
    extension.subjectAltName(names, false),
    extension.certificatePolicies([
      "1.2.3",
      { oid: "1.2.4", cps: "https://example.com/cps", notice: "Höflich" },
    ]),
    extension.crlDistributionPoints(["http://a.example.com/1.crl", "http://b.example.com/2.crl"]),
    extension.freshestCrl(["http://a.example.com/delta.crl"]),
  ]),
};
const leafDer = await certify(ca, leafFields);

describe("an encoded certificate", () => {
  it("is parsed field by field, and re-encoded to the same bytes", () => {
    const leaf = parseCertificate(leafDer);
    expect({ ...leaf, serial: toHex(leaf.serial) }).toMatchObject({
      version: 3,
      serial: "00ff020304050607080910111213141516171819",
      notBefore: 1790000000,
    });
    expect(leaf.extensions).toEqual(leafFields.extensions);
    expect(encodeTbsCertificate(leaf)).toEqual(leaf.tbs);
    expect(assembleSigned(leaf.tbs, leaf.algorithm, leaf.signature)).toEqual(leafDer);
  });

  it("contains the issuer's name byte for byte and matching key identifiers", () => {
    const root = parseCertificate(caDer);
    expect(parseCertificate(leafDer).issuer).toEqual(root.subject);
    const [subjectKey, authorityKey] = [
      findExtension(root, extensionOid.subjectKeyIdentifier),
      findExtension(root, extensionOid.authorityKeyIdentifier),
    ];
    expect(readAuthorityKeyIdentifier(authorityKey?.value ?? new Uint8Array(0))).toEqual(
      readSubjectKeyIdentifier(subjectKey?.value ?? new Uint8Array(0)),
    );
    expect(isCa(root)).toBe(true);
    expect(isCa(parseCertificate(leafDer))).toBe(false);
  });

  it("has the same notAfter in certificateEnd, which parses nothing else", () => {
    for (const der of [leafDer, caDer])
      expect(certificateEnd(der)).toBe(parseCertificate(der).notAfter);
    expect(() => certificateEnd(leafDer.subarray(0, 20))).toThrow(
      expect.objectContaining({ code: "malformed" }),
    );
  });

  it("has all its names in certificateNames", () => {
    expect(certificateNames(parseCertificate(leafDer))).toEqual({
      ...names,
      common: ["www.example.com"],
    });
    expect(certificateNames(parseCertificate(caDer))).toEqual({ ...noNames, common: ["Test CA"] });
  });

  it("is parsed the same by @peculiar/x509, which verifies its signature", async () => {
    const [root, leaf] = [
      new X509Certificate(asBytes(caDer)),
      new X509Certificate(asBytes(leafDer)),
    ];
    expect(leaf.serialNumber).toBe(
      "00ff020304050607080910111213141516171819".replace(
        /^00/,
        leaf.serialNumber.startsWith("00") ? "00" : "",
      ),
    );
    expect(leaf.notBefore.getTime()).toBe(1790000000_000);
    expect(leaf.notAfter.toISOString()).toBe("9999-12-31T23:59:59.000Z");
    expect(leaf.subject).toBe("CN=www.example.com");
    expect(leaf.extensions.map(({ type, critical }) => [type, critical])).toEqual(
      leafFields.extensions.map(({ oid: type, critical }) => [type, critical]),
    );
    expect(await leaf.verify({ publicKey: root.publicKey, signatureOnly: true })).toBe(true);
    expect(await root.isSelfSigned()).toBe(true);
  });

  it("is re-encoded to the same bytes by asn1-x509", () => {
    for (const der of [caDer, leafDer]) {
      const parsed = AsnConvert.parse(asBytes(der), AsnCertificate);
      // The cached bytes would make this comparison meaningless.
      delete (parsed as { tbsCertificateRaw?: unknown }).tbsCertificateRaw;
      expect(toHex(new Uint8Array(AsnConvert.serialize(parsed)))).toBe(toHex(der));
    }
  });

  itWith("openssl", "version")("is printed as expected and verified by openssl", () => {
    const text = openssl(
      ["x509", "-inform", "DER", "-noout", "-text", "-nameopt", "RFC2253"],
      leafDer,
    );
    for (const line of [
      "Version: 3 (0x2)",
      "ff:02:03:04:05:06:07:08:09:10:11:12:13:14:15:16:17:18:19",
      "Signature Algorithm: ecdsa-with-SHA256",
      "Not After : Dec 31 23:59:59 9999 GMT",
      "X509v3 Key Usage: critical\n                Digital Signature, Key Agreement, Decipher Only",
      "TLS Web Server Authentication, TLS Web Client Authentication",
      "X509v3 Basic Constraints: critical\n                CA:FALSE",
      "OCSP - URI:http://ocsp.example.com",
      "CA Issuers - URI:http://ca.example.com/ca.cer",
      "DNS:www.example.com, DNS:*.example.com, email:me@example.com, IP Address:192.0.2.1, IP Address:2001:DB8:0:0:0:0:0:1, URI:https://example.com/a",
      "CPS: https://example.com/cps",
      "URI:http://b.example.com/2.crl",
      "X509v3 Freshest CRL",
    ]) {
      expect(text).toContain(line);
    }
    withFiles(
      { "ca.pem": encodePem("CERTIFICATE", caDer), "leaf.pem": encodePem("CERTIFICATE", leafDer) },
      (path) =>
        expect(
          openssl([
            "verify",
            "-attime",
            "1795000000",
            "-x509_strict",
            "-CAfile",
            path("ca.pem"),
            path("leaf.pem"),
          ]),
        ).toContain("OK"),
    );
  });

  itWith("go", "version")("is parsed and verified by Go", () => {
    const program = `package main
import ("crypto/x509";"encoding/pem";"fmt";"os")
func read(name string) *x509.Certificate {
  data, err := os.ReadFile(name); if err != nil { panic(err) }
  block, _ := pem.Decode(data)
  c, err := x509.ParseCertificate(block.Bytes); if err != nil { panic(err) }
  return c
}
func main() {
  ca, leaf := read(os.Args[1]), read(os.Args[2])
  if err := leaf.CheckSignatureFrom(ca); err != nil { panic(err) }
  fmt.Println(leaf.SerialNumber.Text(16), int(leaf.KeyUsage), int(leaf.ExtKeyUsage[0]), int(leaf.ExtKeyUsage[1]), leaf.DNSNames, leaf.EmailAddresses, leaf.IPAddresses, leaf.URIs[0], leaf.OCSPServer, leaf.CRLDistributionPoints, leaf.NotAfter.Unix(), ca.IsCA, ca.Subject.Organization)
}`;
    withFiles(
      {
        "main.go": program,
        "ca.pem": encodePem("CERTIFICATE", caDer),
        "leaf.pem": encodePem("CERTIFICATE", leafDer),
      },
      (path) => {
        const printed = execFileSync(
          "go",
          ["run", path("main.go"), path("ca.pem"), path("leaf.pem")],
          // as the other programs in Go, which share what is compiled
          { encoding: "utf8", env: { ...process.env, CGO_ENABLED: "0" } },
        );
        expect(printed.trim()).toBe(
          "ff020304050607080910111213141516171819 273 1 2 [www.example.com *.example.com] [me@example.com] [192.0.2.1 2001:db8::1] https://example.com/a " +
            "[http://ocsp.example.com] [http://a.example.com/1.crl http://b.example.com/2.crl] 253402300799 true [Prüfstelle & Söhne]",
        );
      },
    );
    // The first run compiles the Go standard library.
  });

  it.each(["P-384", "P-521", "Ed25519", "RSA", "RSA-PSS"] as const)(
    "signed by %s verifies here and in openssl",
    async (kind) => {
      const signer = await makeKey(kind);
      const { der } = await makeCa(signer);
      const parsed = parseCertificate(der);
      expect(
        await verifySignature(signer.key.spki, parsed.algorithm, parsed.tbs, parsed.signature),
      ).toBe(true);
      if (!hasOpenssl) return;
      withFiles({ "ca.pem": encodePem("CERTIFICATE", der) }, (path) =>
        expect(
          openssl([
            "verify",
            "-attime",
            "1795000000",
            "-x509_strict",
            "-check_ss_sig",
            "-CAfile",
            path("ca.pem"),
            path("ca.pem"),
          ]),
        ).toContain("OK"),
      );
    },
  );
});

describe("parseCertificate", () => {
  const { algorithm, issuer, spki } = caFields;
  const validity = sequence(time(0), time(1));
  const version = explicit(0, integer(2));
  const constraints = sequence(oid("2.5.29.19"), octets(sequence()));
  const wrap = (tbs: Uint8Array, outer: Uint8Array = algorithm): Uint8Array =>
    assembleSigned(tbs, outer, new Uint8Array(64));
  const body = (...parts: readonly Uint8Array[]): Uint8Array => wrap(sequence(...parts));
  const start = [integer(1), algorithm, issuer, validity, issuer, spki];

  it("accepts a version 1 certificate", () =>
    expect(parseCertificate(body(...start))).toMatchObject({ version: 1, extensions: [] }));

  it.each([
    ["extensions in version 1", body(...start, explicit(3, sequence(constraints))), /version 1/],
    ["a version 1 written out", body(explicit(0, integer(0)), ...start), /DER omits/],
    ["version 4", body(explicit(0, integer(3)), ...start), /neither 2 nor 3/],
    [
      "a negative serial number",
      body(version, fromHex("0201ff"), ...start.slice(1)),
      /serial number is negative/,
    ],
    [
      "a serial number with zeros in front",
      body(version, fromHex("02020001"), ...start.slice(1)),
      /minimal/,
    ],
    [
      "duplicate extensions",
      body(version, ...start, explicit(3, sequence(constraints, constraints))),
      /duplicate extension 2\.5\.29\.19/,
    ],
    ["an empty list of extensions", body(version, ...start, explicit(3, sequence())), /is empty/],
    [
      "critical FALSE written out",
      body(
        version,
        ...start,
        explicit(3, sequence(sequence(oid("1.2.3"), boolean(false), octets(version)))),
      ),
      /critical FALSE/,
    ],
    [
      "unique identifiers",
      body(version, ...start, tlv(0x81, Uint8Array.of(0, 1))),
      /unique identifiers/,
    ],
    [
      "two algorithms",
      wrap(sequence(version, ...start), algorithmIdentifier({ name: "Ed25519" })),
      /differs from signatureAlgorithm/,
    ],
    [
      "something after the extensions",
      body(version, ...start, explicit(3, sequence(constraints)), integer(1)),
      /trailing bytes/,
    ],
    [
      "a time with an offset",
      body(
        version,
        integer(1),
        algorithm,
        issuer,
        sequence(time(0), tlv(0x17, new Uint8Array(17).fill(48))),
        issuer,
        spki,
      ),
      /notAfter/,
    ],
    ["a byte after its end", concat([caDer, Uint8Array.of(0)]), /trailing bytes/],
    ["bytes missing", caDer.subarray(0, caDer.length - 1), /truncated/],
    ["nothing", new Uint8Array(0), /missing/],
  ])("refuses %s", (_, der, message) => {
    expect(() => parseCertificate(der)).toThrow(CaError);
    expect(() => parseCertificate(der)).toThrow(message);
  });

  it("rejects a certificate with 100,000 names as too large", () => {
    const large = extension.subjectAltName(
      { ...noNames, dns: Array.from({ length: 100_000 }, (_, i) => `host-${i}.example.com`) },
      false,
    );
    expect(() =>
      parseCertificate(
        body(version, ...start, explicit(3, extension.encodeExtensions(defined([large])))),
      ),
    ).toThrow(/larger than/);
  });
});
