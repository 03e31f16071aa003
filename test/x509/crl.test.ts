import "reflect-metadata";
import { X509Crl, X509Certificate } from "@peculiar/x509";
import { AsnConvert } from "@peculiar/asn1-schema";
import { CertificateList } from "@peculiar/asn1-x509";
import { describe, expect, it } from "vitest";
import { colonHex, concat, asBytes, toHex } from "../../src/base/bytes.ts";
import { explicit, integer, sequence, time } from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { encodePem } from "../../src/base/pem.ts";
import { assembleSigned } from "../../src/x509/certificate.ts";
import {
  eachRevoked,
  encodeRevokedEntry,
  encodeTbsCrl,
  parseCrl,
  revocationReasons,
  type RevokedEntry,
  crlNumber,
  deltaIndicator,
} from "../../src/x509/crl.ts";
import { verifySignature } from "../../src/x509/public-key.ts";
import { authorityKeyIdentifier } from "../../src/x509/key-identifiers.ts";
import { encodeExtensions } from "../../src/x509/extension.ts";
import { readCrlNumber } from "../support/crl-number.ts";
import { itWith } from "../support/programs.ts";
import { makeCa, makeKey, openssl, withFiles } from "./fixture.ts";

const ca = await makeKey("P-256");
const { der: caDer, fields } = await makeCa(ca);
const revoked: readonly RevokedEntry[] = [
  { serial: Uint8Array.of(0xff, 1), revokedAt: 1790000001 },
  { serial: Uint8Array.of(2), revokedAt: 2600000000, reason: revocationReasons.keyCompromise },
  { serial: Uint8Array.of(3), revokedAt: 1790000003, reason: revocationReasons.unspecified },
  { serial: Uint8Array.of(4), revokedAt: 1790000004, reason: revocationReasons.aACompromise },
];
const common = {
  algorithm: fields.algorithm,
  issuer: fields.subject,
  thisUpdate: 1790000100,
  nextUpdate: 1790600000,
};

async function makeCrl(
  pages: readonly Uint8Array[],
  extensions = [authorityKeyIdentifier(Uint8Array.of(1)), crlNumber(300)],
): Promise<Uint8Array> {
  const tbs = encodeTbsCrl({ ...common, pages, extensions });
  return assembleSigned(tbs, common.algorithm, await ca.sign(tbs));
}

const crlDer = await makeCrl(revoked.map(encodeRevokedEntry));

describe("an encoded CRL", () => {
  it("is parsed with its entries in order, and with reasons only where one was given", () => {
    const crl = parseCrl(crlDer);
    expect(crl).toMatchObject({ thisUpdate: common.thisUpdate, nextUpdate: common.nextUpdate });
    expect(crl.extensions.map((one) => one.oid)).toEqual(["2.5.29.35", "2.5.29.20"]);
    expect(readCrlNumber(crl.extensions[1]?.value ?? new Uint8Array(0))).toBe(300);
    expect(
      [...eachRevoked(crl)].map(({ serial, revokedAt, reason }) => [
        colonHex(serial),
        revokedAt,
        reason,
      ]),
    ).toEqual([
      ["00:ff:01", 1790000001, undefined],
      ["02", 2600000000, 1],
      ["03", 1790000003, undefined],
      ["04", 1790000004, 10],
    ]);
  });

  it("is re-encoded from its entries to the same bytes", () => {
    const crl = parseCrl(crlDer);
    expect(encodeTbsCrl({ ...common, pages: [crl.entries], extensions: crl.extensions })).toEqual(
      crl.tbs,
    );
    expect(concat([...eachRevoked(crl)].map((entry) => entry.der))).toEqual(crl.entries);
    expect(concat([...eachRevoked(crl)].map(encodeRevokedEntry))).toEqual(crl.entries);
  });

  it("omits revokedCertificates if it has no entries", async () => {
    for (const pages of [[], [new Uint8Array(0)]]) {
      const crl = parseCrl(await makeCrl(pages));
      expect(crl.entries).toHaveLength(0);
      expect([...eachRevoked(crl)]).toEqual([]);
    }
  });

  it("has a critical delta CRL indicator", () => {
    expect(deltaIndicator(5)).toMatchObject({ oid: "2.5.29.27", critical: true });
    expect(readCrlNumber(deltaIndicator(5).value)).toBe(5);
  });

  it("verifies here and in @peculiar/x509, and is re-encoded to the same bytes by asn1-x509", async () => {
    const crl = parseCrl(crlDer);
    expect(await verifySignature(ca.key.spki, crl.algorithm, crl.tbs, crl.signature)).toBe(true);
    const other = new X509Crl(asBytes(crlDer));
    expect(await other.verify({ publicKey: new X509Certificate(asBytes(caDer)) })).toBe(true);
    expect(other.entries.map(({ reason }) => reason)).toEqual([undefined, 1, undefined, 10]);
    const parsed = AsnConvert.parse(asBytes(crlDer), CertificateList);
    delete (parsed as { tbsCertListRaw?: unknown }).tbsCertListRaw;
    expect(toHex(new Uint8Array(AsnConvert.serialize(parsed)))).toBe(toHex(crlDer));
  });

  itWith("openssl", "version")("is printed and verified by openssl", () => {
    const text = withFiles({ "ca.pem": encodePem("CERTIFICATE", caDer) }, (path) =>
      openssl(["crl", "-inform", "DER", "-noout", "-text", "-CAfile", path("ca.pem")], crlDer),
    );
    for (const line of [
      "Version 2 (0x1)",
      "X509v3 CRL Number: \n                300",
      "Serial Number: FF01",
      "Key Compromise",
      "Revocation Date: May 22 14:13:20 2052 GMT",
    ]) {
      expect(text).toContain(line);
    }
    withFiles(
      { "ca.pem": encodePem("CERTIFICATE", caDer), "crl.pem": encodePem("X509 CRL", crlDer) },
      (path) =>
        expect(() =>
          openssl(["crl", "-in", path("crl.pem"), "-noout", "-verify", "-CAfile", path("ca.pem")]),
        ).not.toThrow(),
    );
  });

  it("with 100,000 entries is encoded from pages and parsed entry by entry", () => {
    const page = concat(
      Array.from({ length: 1000 }, (_, i) =>
        encodeRevokedEntry({
          serial: Uint8Array.of(1, i >> 8, i & 255),
          revokedAt: 1790000000 + i,
        }),
      ),
    );
    const pages = Array.from({ length: 100 }, () => page);
    const crl = parseCrl(
      assembleSigned(
        encodeTbsCrl({ ...common, pages, extensions: [] }),
        common.algorithm,
        new Uint8Array(64),
      ),
    );
    let count = 0;
    for (const { revokedAt } of eachRevoked(crl)) count += revokedAt === 1790000999 ? 1 : 0;
    expect(count).toBe(100);
    expect(crl.entries).toHaveLength(100 * page.length);
  });
});

describe("parseCrl", () => {
  const head = [common.algorithm, common.issuer, time(0)] as const;
  const wrap = (...parts: readonly Uint8Array[]): Uint8Array =>
    assembleSigned(sequence(...parts), common.algorithm, new Uint8Array(64));

  it("accepts version 1 and a CRL without nextUpdate", () => {
    expect(parseCrl(wrap(...head, time(1)))).toMatchObject({
      thisUpdate: 0,
      nextUpdate: 1,
      extensions: [],
    });
    expect(parseCrl(wrap(integer(1), ...head))).not.toHaveProperty("nextUpdate");
  });

  it.each([
    ["another version", wrap(integer(2), ...head), /version is not 2/],
    [
      "extensions in version 1",
      wrap(...head, explicit(0, encodeExtensions([crlNumber(1)]))),
      /version 1/,
    ],
    ["an empty list of entries", wrap(integer(1), ...head, sequence()), /empty instead of absent/],
    [
      "something at the end",
      wrap(integer(1), ...head, explicit(0, encodeExtensions([crlNumber(1)])), integer(1)),
      /trailing bytes/,
    ],
  ])("refuses %s", (_, der, message) => {
    expect(() => parseCrl(der)).toThrow(CaError);
    expect(() => parseCrl(der)).toThrow(message);
  });

  it("reports a malformed entry when the iteration reaches it", () => {
    const crl = parseCrl(
      wrap(
        integer(1),
        ...head,
        sequence(
          encodeRevokedEntry({ serial: Uint8Array.of(1), revokedAt: 0 }),
          sequence(integer(1)),
        ),
      ),
    );
    const entries = eachRevoked(crl);
    expect(entries.next().done).toBe(false);
    expect(() => entries.next()).toThrow(CaError);
  });
});

it("encodeRevokedEntry throws a TypeError for an undefined reason code", () => {
  expect(() => encodeRevokedEntry({ serial: Uint8Array.of(1), revokedAt: 0, reason: 7 })).toThrow(
    TypeError,
  );
});
