import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { certsOnly, readCertsOnly } from "../../src/archive/pkcs7.ts";
import { concat } from "../../src/base/bytes.ts";
import { explicit, integer, octets, oid, sequence, tlv } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { forSeeds } from "../base/seeds.ts";
import { itWith } from "../support/programs.ts";
import { makeCa, makeKey, openssl, opensslBytes, withFiles } from "../x509/fixture.ts";
import { attempt, mutated } from "../x509/mutated.ts";

const signer = await makeKey("P-256");
const certificates = await Promise.all(
  [3, 1, 2].map(async (n) => (await makeCa(signer, { serial: Uint8Array.of(n) })).der),
);
const [first = new Uint8Array()] = certificates;
const ders = (message: Uint8Array) => readCertsOnly(message).map(({ der }) => [...der]);

const data = sequence(oid("1.2.840.113549.1.7.1"));
/** Returns a PKCS#7 message with the given parts of SignedData. */
const message = (...parts: readonly Uint8Array[]) =>
  sequence(oid("1.2.840.113549.1.7.2"), explicit(0, sequence(...parts)));
const none = tlv(0x31);
const set = (...parts: readonly Uint8Array[]) => tlv(0xa0, ...parts);

describe("a certs-only PKCS#7 message", () => {
  it("contains the certificates in the given order", () => {
    expect(ders(certsOnly(certificates))).toEqual(certificates.map((der) => [...der]));
  });

  it("contains any list of certificates unchanged", () => {
    forSeeds(
      fc.property(fc.array(fc.constantFrom(...certificates), { minLength: 1 }), (list) => {
        expect(ders(certsOnly(list))).toEqual(list.map((der) => [...der]));
      }),
    );
  });

  itWith("openssl", "version")("is read by openssl, with the certificates in order", () => {
    const printed = openssl(["pkcs7", "-inform", "DER", "-print_certs"], certsOnly(certificates));
    const bodies = certificates.map((der) => encodePem("CERTIFICATE", der));
    expect(printed.match(/-----BEGIN[^]+?-----END CERTIFICATE-----/g)).toEqual(bodies);
    const cms = openssl(["cms", "-cmsout", "-print", "-inform", "DER"], certsOnly([first]));
    expect(cms).toContain("certificates:");
  });

  itWith("openssl", "version")("is read if openssl wrote it, and CRLs in it are skipped", () => {
    const pem = certificates.map((der) => encodePem("CERTIFICATE", der)).join("\n");
    withFiles({ "all.pem": pem }, (path) => {
      const written = opensslBytes([
        "crl2pkcs7",
        "-nocrl",
        "-outform",
        "DER",
        "-certfile",
        path("all.pem"),
      ]);
      expect(ders(written)).toEqual(certificates.map((der) => [...der]));
    });
    const crls = tlv(0xa1, sequence(integer(1)));
    expect(ders(message(integer(1), none, data, set(first), crls, none))).toEqual([[...first]]);
  });

  it.each<[string, Uint8Array, RegExp]>([
    [
      "content",
      message(
        integer(1),
        none,
        sequence(oid("1.2.840.113549.1.7.1"), explicit(0, octets(first))),
        set(first),
        none,
      ),
      /only messages that consist of certificates are accepted/,
    ],
    [
      "a content type other than data",
      message(integer(1), none, sequence(oid("1.2.3")), set(first), none),
      /only messages that consist of certificates are accepted/,
    ],
    [
      "a signer",
      message(integer(1), none, data, set(first), tlv(0x31, sequence(integer(1)))),
      /the signers are not empty, but only messages without signatures/,
    ],
    [
      "a digest algorithm",
      message(integer(1), tlv(0x31, sequence(oid("1.2.3"))), data, set(first), none),
      /the digest algorithms are not empty/,
    ],
    ["another version", message(integer(3), none, data, set(first), none), /the version is not 1/],
    ["no certificate", message(integer(1), none, data, none), /contains no certificate/],
    ["an empty set", message(integer(1), none, data, set(), none), /contains no certificate/],
    [
      "an attribute certificate",
      message(integer(1), none, data, set(tlv(0xa2, integer(1))), none),
      /contains an element that is not an X.509 certificate/,
    ],
    [
      "an element that is not a certificate",
      message(integer(1), none, data, set(sequence(integer(1))), none),
      /^certificate, Certificate: /,
    ],
    [
      "trailing data after the signers",
      message(integer(1), none, data, set(first), none, none),
      /trailing bytes/,
    ],
    [
      "a type other than SignedData",
      sequence(oid("1.2.840.113549.1.7.3"), explicit(0, sequence(integer(0)))),
      /is not SignedData/,
    ],
    ["trailing bytes", concat([certsOnly([first]), Uint8Array.of(0)]), /trailing bytes/],
    [
      "indefinite lengths",
      Uint8Array.of(0x30, 0x80, 0, 0),
      /indefinite lengths \(BER\) are not supported; convert the file/,
    ],
    [
      "an indefinite length inside",
      sequence(tlv(0x30), Uint8Array.of(0x30, 0x80, 0, 0)),
      /length that is indefinite or too long/,
    ],
    ["a length that is not minimal", Uint8Array.of(0x30, 0x81, 0x02, 0x05, 0x00), /not minimal/],
    ["no bytes", new Uint8Array(), /is missing/],
    [
      "more than 256 certificates",
      certsOnly(Array<Uint8Array>(257).fill(first)),
      /more than 256 certificates$/,
    ],
    ["more than 1 MiB", certsOnly([new Uint8Array(1024 * 1024)]), /larger than 1048576 bytes/],
  ])("is rejected with %s", (_, der, text) => {
    expect(() => readCertsOnly(der)).toThrow(
      expect.objectContaining({ code: "malformed", message: expect.stringMatching(text) }),
    );
  });

  it("with changed bytes is read, or rejected with a clear error", () => {
    forSeeds(
      fc.property(mutated(certsOnly(certificates)), (bytes) => {
        attempt(() => readCertsOnly(bytes));
      }),
    );
  });
});
