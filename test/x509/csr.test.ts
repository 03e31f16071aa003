import "reflect-metadata";
import { Pkcs10CertificateRequest } from "@peculiar/x509";
import { AsnConvert } from "@peculiar/asn1-schema";
import { CertificationRequest } from "@peculiar/asn1-csr";
import { beforeEach, describe, expect, it } from "vitest";
import { asBytes, toHex } from "../../src/base/bytes.ts";
import { integer, oid, directoryString, sequence, set, tlv } from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { decodePem } from "../../src/base/pem.ts";
import { assembleSigned } from "../../src/x509/certificate.ts";
import { encodeCsrInfo, parseCsr, verifyCsr } from "../../src/x509/csr.ts";
import { encodeExtensions } from "../../src/x509/extension.ts";
import { extKeyUsage, keyUsage } from "../../src/x509/usage.ts";
import { subjectAltName, noNames, parseSan } from "../../src/x509/san.ts";
import { encodeName, nameText } from "../../src/x509/name.ts";
import { needs } from "../support/programs.ts";
import {
  commonName,
  defined,
  hasOpenssl,
  makeCsr,
  makeKey,
  openssl,
  opensslBytes,
  withFiles,
} from "./fixture.ts";

const key = await makeKey("P-256");
const extensions = defined([
  keyUsage(["DigitalSignature"]),
  extKeyUsage(["1.3.6.1.5.5.7.3.1"]),
  subjectAltName({ ...noNames, dns: ["a.example.com"] }, false),
]);

describe("an encoded CSR", () => {
  it.each(["P-256", "P-384", "P-521", "Ed25519", "RSA", "RSA-PSS"] as const)(
    "signed by %s verifies here, in openssl and in @peculiar/x509",
    async (kind) => {
      const der = await makeCsr(await makeKey(kind), commonName("a.example.com"), extensions);
      expect(await verifyCsr(parseCsr(der))).toBe(true);
      if (hasOpenssl)
        expect(openssl(["req", "-inform", "DER", "-verify", "-noout", "-text"], der)).toContain(
          "DNS:a.example.com",
        );
      const other = new Pkcs10CertificateRequest(asBytes(der));
      expect(other.subject).toBe("CN=a.example.com");
      expect(other.extensions.map(({ type }) => type)).toEqual(
        extensions.map(({ oid: type }) => type),
      );
      expect(await other.verify()).toBe(true);
    },
  );

  it("is parsed, and re-encoded to the same bytes by asn1-csr", async () => {
    for (const asked of [extensions, []]) {
      const der = await makeCsr(key, commonName("a.example.com"), asked);
      const csr = parseCsr(der);
      expect(csr.extensions).toEqual(asked);
      expect(encodeCsrInfo(csr)).toEqual(csr.info);
      const parsed = AsnConvert.parse(asBytes(der), CertificationRequest);
      delete (parsed as { certificationRequestInfoRaw?: unknown }).certificationRequestInfoRaw;
      expect(toHex(new Uint8Array(AsnConvert.serialize(parsed)))).toBe(toHex(der));
    }
  });

  it("does not verify with a changed signature or another key", async () => {
    const der = await makeCsr(key, commonName("a.example.com"), []);
    const at = der.length - 1;
    const changed = der.map((byte, i) => (i === at ? byte ^ 1 : byte));
    expect(await verifyCsr(parseCsr(changed))).toBe(false);
    const other = await makeKey("P-256");
    const swapped = { ...parseCsr(der), spki: other.key.spki };
    expect(await verifyCsr(swapped)).toBe(false);
  });
});

describe("a CSR made by openssl", () => {
  beforeEach((context) => needs(context, "openssl", "version"));
  it.each(["rsa:2048", "ec -pkeyopt ec_paramgen_curve:P-384", "ed25519"])(
    "with a key of %s parses and verifies, with its names and its other attributes",
    async (kind) => {
      const config = `[req]\ndistinguished_name=dn\nattributes=attributes\nreq_extensions=ext\nprompt=no\nstring_mask=utf8only
[dn]\nC=DE\nO=Prüfstelle\nCN=www.example.com\n[attributes]\nchallengePassword=secret1\n[ext]\nsubjectAltName=DNS:www.example.com,IP:192.0.2.1,otherName:1.2.3;UTF8:hello\nbasicConstraints=CA:FALSE`;
      const pem = withFiles({ "req.cnf": config }, (path) =>
        openssl([
          "req",
          "-new",
          "-utf8",
          "-nodes",
          "-config",
          path("req.cnf"),
          "-newkey",
          ...kind.split(" "),
          "-keyout",
          path("key.pem"),
        ]),
      );
      const csr = parseCsr(decodePem(pem)[0]?.der ?? new Uint8Array(0));
      expect(nameText(csr.subject)).toBe("CN=www.example.com,O=Prüfstelle,C=DE");
      expect(csr.extensions.map(({ oid: type }) => type)).toEqual(["2.5.29.17", "2.5.29.19"]);
      expect(parseSan(csr.extensions[0]?.value ?? new Uint8Array(0))).toEqual({
        ...noNames,
        dns: ["www.example.com"],
        ip: ["192.0.2.1"],
        other: [{ oid: "1.2.3", value: "hello" }],
      });
      expect(await verifyCsr(csr)).toBe(true);
    },
  );

  it("signed with SHA-1 parses but does not verify", async () => {
    const pem = withFiles({}, (path) =>
      openssl([
        "req",
        "-new",
        "-sha1",
        "-nodes",
        "-subj",
        "/CN=old",
        "-newkey",
        "rsa:2048",
        "-keyout",
        path("key.pem"),
      ]),
    );
    expect(await verifyCsr(parseCsr(decodePem(pem)[0]?.der ?? new Uint8Array(0)))).toBe(false);
  });

  it("with a P-224 key verifies, and does not verify if changed", async () => {
    const der = withFiles({}, (path) => {
      openssl(["ecparam", "-name", "secp224r1", "-genkey", "-noout", "-out", path("key.pem")]);
      return opensslBytes([
        "req",
        "-new",
        "-key",
        path("key.pem"),
        "-subj",
        "/CN=small",
        "-outform",
        "DER",
      ]);
    });
    const csr = parseCsr(der);
    expect(await verifyCsr(csr)).toBe(true);
    expect(
      await verifyCsr({ ...csr, info: csr.info.map((byte, i) => (i === 20 ? byte ^ 1 : byte)) }),
    ).toBe(false);
  });

  it("with a P-224 key and SHA-512 verifies", async () => {
    const der = withFiles({}, (path) => {
      openssl(["ecparam", "-name", "secp224r1", "-genkey", "-noout", "-out", path("key.pem")]);
      return opensslBytes([
        "req",
        "-new",
        "-sha512",
        "-key",
        path("key.pem"),
        "-subj",
        "/CN=small",
        "-outform",
        "DER",
      ]);
    });
    expect(await verifyCsr(parseCsr(der))).toBe(true);
  });
});

describe("parseCsr", () => {
  const subject = encodeName(commonName("a"));
  const wrap = (...parts: readonly Uint8Array[]): Uint8Array =>
    assembleSigned(sequence(...parts), sequence(oid("1.2.3")), new Uint8Array(8));
  const request = sequence(oid("1.2.840.113549.1.9.14"), set(encodeExtensions(extensions)));
  const start = [integer(0), subject, key.key.spki];

  it("accepts a request without attributes", () =>
    expect(parseCsr(wrap(...start)).extensions).toEqual([]));

  it.each([1, 2])("accepts version %i, which some clients copy from certificates", (version) =>
    expect(parseCsr(wrap(integer(version), ...start.slice(1))).subject).toEqual(subject),
  );

  it("ignores other attributes", () => {
    const password = sequence(oid("1.2.840.113549.1.9.7"), set(directoryString("secret")));
    expect(parseCsr(wrap(...start, tlv(0xa0, password, request))).extensions).toHaveLength(3);
  });

  it.each([
    ["another version", wrap(integer(3), ...start.slice(1)), /version is not 1, 2 or 3/],
    [
      "two requests for extensions",
      wrap(...start, tlv(0xa0, request, request)),
      /more than one attribute/,
    ],
    [
      "two lists of extensions",
      wrap(
        ...start,
        tlv(
          0xa0,
          sequence(
            oid("1.2.840.113549.1.9.14"),
            set(encodeExtensions(extensions), encodeExtensions(extensions)),
          ),
        ),
      ),
      /trailing bytes/,
    ],
    [
      "duplicate extensions",
      wrap(
        ...start,
        tlv(
          0xa0,
          sequence(
            oid("1.2.840.113549.1.9.14"),
            set(encodeExtensions([...extensions, ...extensions])),
          ),
        ),
      ),
      /duplicate extension/,
    ],
    [
      "more than 64 KiB",
      wrap(...start, tlv(0xa0, sequence(oid("1.2.3"), set(tlv(0x04, new Uint8Array(65_536)))))),
      /larger than 65536/,
    ],
    [
      "10,000 nested sets",
      wrap(
        ...start,
        tlv(
          0xa0,
          Array.from({ length: 10_000 }).reduce<Uint8Array>((inner) => set(inner), set()),
        ),
      ),
      /deeper than 32/,
    ],
  ])("refuses %s", (_, der, message) => {
    expect(() => parseCsr(der)).toThrow(CaError);
    expect(() => parseCsr(der)).toThrow(message);
  });
});
