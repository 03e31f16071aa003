import { describe, expect, it } from "vitest";
import { fromHex, toHex } from "../../src/base/bytes.ts";
import {
  absentPart,
  boolean,
  explicit,
  generalizedTime,
  integer,
  octets,
  oid,
  sequence,
  tlv,
} from "../../src/base/der.ts";
import { assembleSigned, parseCertificate } from "../../src/x509/certificate.ts";
import { encodeExtensions } from "../../src/x509/extension.ts";
import { encodePem } from "../../src/base/pem.ts";
import {
  encodeCertId,
  encodeOcspRequest,
  issuerHashes,
  maxOcspRequest,
  parseOcspRequest,
} from "../../src/x509/ocsp-request.ts";
import { ocspOid } from "../../src/x509/oid.ts";
import {
  parseOcspResponse,
  signedAnswers,
  encodeOcspFailure,
  encodeOcspResponse,
  encodeResponderCertificates,
  encodeResponseData,
  ocspFailures,
  type OcspFailure,
} from "../../src/x509/ocsp-response.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import { hasOpenssl, makeCa, makeKey, openssl, opensslBytes, withFiles } from "./fixture.ts";
import { threadTime } from "../support/spent.ts";

const signer = await makeKey("P-256");
const { der } = await makeCa(signer);
const ca = parseCertificate(der);
const serial = fromHex("01ff80");
const sha1Id = await encodeCertId("SHA-1", ca, serial);
const sha256Id = await encodeCertId("SHA-256", ca, Uint8Array.of(0x80));
const nonce = (length: number) => new Uint8Array(length).fill(7);

describe("an OCSP request", () => {
  it("is parsed with its CertIDs in order, each with its original bytes", () => {
    const { certIds, nonce: none } = parseOcspRequest(encodeOcspRequest([sha1Id, sha256Id]));
    expect(none).toBeUndefined();
    expect(certIds.map((one) => toHex(one.der))).toEqual([sha1Id, sha256Id].map(toHex));
    expect(certIds.map((one) => toHex(one.serial))).toEqual(["01ff80", "0080"]);
    expect(certIds.map((one) => one.hash)).toEqual(["1.3.14.3.2.26", "2.16.840.1.101.3.4.2.1"]);
  });

  it("identifies an issuer by the hashes of its name and its key", async () => {
    const { nameHash, keyHash } = await issuerHashes("SHA-1", ca);
    const [certId] = parseOcspRequest(encodeOcspRequest([sha1Id])).certIds;
    expect([certId?.nameHash, certId?.keyHash]).toEqual([nameHash, keyHash]);
  });

  it.each([1, 16, 32, 128])("may have a nonce of %i bytes", (length) => {
    const asked = encodeOcspRequest([sha1Id], nonce(length));
    expect(parseOcspRequest(asked).nonce).toEqual(nonce(length));
  });

  it.each([0, 129])("is rejected with a nonce of %i bytes (RFC 9654)", (length) => {
    const asked = encodeOcspRequest([sha1Id], nonce(length));
    expect(() => parseOcspRequest(asked)).toThrow(/the nonce must have/);
  });

  const list = sequence(sequence(sha1Id));
  const extension = (type: string, critical: boolean, value = octets(nonce(4))) =>
    sequence(sequence(oid(type), critical ? boolean(true) : absentPart, octets(value)));
  it.each<[string, Uint8Array]>([
    ["a signature", sequence(sequence(list), explicit(0, sequence()))],
    ["a requestor name", sequence(sequence(explicit(1, tlv(0x82)), list))],
    ["its version in full", sequence(sequence(explicit(0, integer(0)), list))],
    ["a critical nonce", sequence(sequence(list, explicit(2, extension(ocspOid.nonce, true))))],
    ["an unknown extension", sequence(sequence(list, explicit(2, extension("1.2.3", false))))],
    [
      "an unknown extension of one certificate",
      sequence(sequence(sequence(sequence(sha1Id, explicit(0, extension("1.2.3", false)))))),
    ],
  ])("is read with %s", (_, asked) => {
    expect(parseOcspRequest(asked).certIds).toHaveLength(1);
  });

  it.each<[string, Uint8Array]>([
    ["nothing", absentPart],
    ["an empty list", sequence(sequence(sequence()))],
    ["another version", sequence(sequence(explicit(0, integer(1)), list))],
    ["bytes after it", Uint8Array.of(...sequence(sequence(list)), 0)],
    ["a length that is indefinite", fromHex(`3080${toHex(sequence(list))}0000`)],
    ["a length that is not minimal", fromHex("308103308101")],
    ["a negative serial number", encodeOcspRequest([withSerial(tlv(0x02, Uint8Array.of(0x80)))])],
    ["no serial number", encodeOcspRequest([withSerial(absentPart)])],
    [
      "an unknown critical extension",
      sequence(sequence(list, explicit(2, extension("1.2.3", true)))),
    ],
    [
      "an unknown critical extension of one certificate",
      sequence(sequence(sequence(sequence(sha1Id, explicit(0, extension("1.2.3", true)))))),
    ],
    [
      "a nonce that is no OCTET STRING",
      sequence(sequence(list, explicit(2, extension(ocspOid.nonce, false, nonce(4))))),
    ],
    ["more bytes than are read", encodeOcspRequest([sha1Id], nonce(maxOcspRequest))],
    ["10,000 certificates", encodeOcspRequest(Array.from({ length: 10_000 }, () => sha1Id))],
    ["a mebibyte", new Uint8Array(1024 * 1024).fill(0x30)],
  ])("is refused with %s, soon", (_, asked) => {
    const times = Array.from({ length: 5 }, () => {
      const begun = threadTime();
      expect(() => parseOcspRequest(asked)).toThrow(/^OCSP /);
      return threadTime() - begun;
    });
    expect(Math.min(...times)).toBeLessThan(20);
  });

  it("is rejected if truncated at any byte", () => {
    const asked = encodeOcspRequest([sha1Id], nonce(8));
    for (let end = 0; end < asked.length; end++)
      expect(() => parseOcspRequest(asked.subarray(0, end))).toThrow(/^OCSP /);
  });

  it.runIf(hasOpenssl).each(["sha1", "sha256", "sha384", "sha512"])(
    "made by openssl with %s is parsed",
    async (hash) => {
      const pem = encodePem("CERTIFICATE", der);
      const asked = withFiles({ "ca.pem": pem }, (path) => {
        const args = ["ocsp", "-issuer", path("ca.pem"), `-${hash}`, "-serial", "0x01ff80"];
        openssl([...args, "-nonce", "-reqout", path("request")]);
        return opensslBytes([
          "asn1parse",
          "-inform",
          "DER",
          "-in",
          path("request"),
          "-noout",
          "-out",
          "-",
        ]);
      });
      const { certIds, nonce: sent } = parseOcspRequest(asked);
      const name = hash.toUpperCase().replace("SHA", "SHA-") as "SHA-1";
      expect(toHex(certIds[0]?.der ?? absentPart)).toBe(
        toHex(await encodeCertId(name, ca, serial)),
      );
      expect(sent?.length).toBeGreaterThanOrEqual(16);
    },
  );
});

function withSerial(element: Uint8Array): Uint8Array {
  const hash = sequence(oid("1.3.14.3.2.26"));
  return sequence(hash, octets(nonce(20)), octets(nonce(20)), element);
}

const algorithm = algorithmIdentifier(signer.scheme);
const producedAt = 1790000000;
const responses = [
  { certId: sha1Id, status: "good" },
  { certId: sha256Id, status: { revokedAt: 1780000000, reason: 1 } },
  { certId: sha1Id, status: { revokedAt: 1780000001, reason: 0 } },
  { certId: sha256Id, status: "unknown" },
] as const;
async function answered(
  certificates: readonly Uint8Array[] = [],
  responder: Parameters<typeof encodeResponseData>[0]["responder"] = { name: ca.subject },
): Promise<Uint8Array> {
  const tbs = encodeResponseData({
    responder,
    producedAt,
    nextUpdate: producedAt + 60,
    responses,
    nonce: nonce(5),
  });
  const after = encodeResponderCertificates(certificates);
  return encodeOcspResponse(assembleSigned(tbs, algorithm, await signer.sign(tbs), after));
}

describe("an OCSP response", () => {
  it("is parsed as it was encoded", async () => {
    const read = signedAnswers(await answered());
    expect(read.producedAt).toBe(producedAt);
    expect(read.responder).toEqual({ name: ca.subject });
    expect(read.nonce).toEqual(nonce(5));
    expect(read.certificates).toEqual([]);
    expect(
      read.answers.map(({ certId, status, thisUpdate, nextUpdate }) => [
        toHex(certId.der),
        status,
        thisUpdate,
        nextUpdate,
      ]),
    ).toEqual(
      responses.map(({ certId, status }) => [toHex(certId), status, producedAt, producedAt + 60]),
    );
  });

  it("may contain certificates, and identify its responder by key hash", async () => {
    const read = signedAnswers(await answered([der], { keyHash: nonce(20) }));
    expect(read.certificates).toEqual([der]);
    expect(read.responder).toEqual({ keyHash: nonce(20) });
  });

  it("omits the reason `unspecified` (security row 65)", async () => {
    const read = signedAnswers(await answered());
    expect(toHex(read.tbs)).not.toContain("a0030a0100");
    expect(toHex(read.tbs)).toContain("a0030a0101");
  });

  it.each(Object.keys(ocspFailures) as OcspFailure[])("can be the failure %s", (failure) => {
    expect(parseOcspResponse(encodeOcspFailure(failure))).toEqual({ failure });
    expect(() => signedAnswers(encodeOcspFailure(failure))).toThrow(failure);
  });

  it("is rejected if truncated at any byte", async () => {
    const whole = await answered([der]);
    for (let end = 0; end < whole.length; end++)
      expect(() => parseOcspResponse(whole.subarray(0, end))).toThrow(/^OCSP /);
  });

  it("is rejected if a single response or the whole has a critical extension other than the nonce", () => {
    const extensions = (type: string, critical: boolean) =>
      explicit(1, encodeExtensions([{ oid: type, critical, value: octets(nonce(5)) }]));
    const response = (ofAnswer: Uint8Array, ofResponse: Uint8Array) => {
      const time = generalizedTime(producedAt);
      const one = sequence(responses[0]?.certId ?? nonce(1), tlv(0x80), time, ofAnswer);
      const tbs = sequence(explicit(1, ca.subject), time, sequence(one), ofResponse);
      return encodeOcspResponse(assembleSigned(tbs, algorithm, nonce(64)));
    };
    const none = new Uint8Array(0);
    for (const [type, critical] of [
      ["1.2.3.4", false],
      [ocspOid.nonce, true],
    ] as const)
      for (const der of [
        response(extensions(type, critical), none),
        response(none, extensions(type, critical)),
      ])
        expect(signedAnswers(der).answers).toHaveLength(1);
    const unknown = extensions("1.2.3.4", true);
    for (const der of [response(unknown, none), response(none, unknown)])
      expect(() => signedAnswers(der)).toThrow(/unknown critical extension 1\.2\.3\.4/);
  });

  it("is parsed only if its version is 1", () => {
    const time = generalizedTime(producedAt);
    const one = sequence(responses[0]?.certId ?? nonce(1), tlv(0x80), time);
    const response = (version: number) => {
      const head = [explicit(0, integer(version)), explicit(1, ca.subject), time];
      const tbs = sequence(...head, sequence(one));
      return encodeOcspResponse(assembleSigned(tbs, algorithm, nonce(64)));
    };
    expect(signedAnswers(response(0)).answers).toHaveLength(1);
    expect(() => signedAnswers(response(1))).toThrow(/the version is not 1/);
  });

  it.runIf(hasOpenssl)("is parsed by openssl", async () => {
    const files = { "ca.pem": encodePem("CERTIFICATE", der), response: await answered() };
    const text = withFiles(files, (path) =>
      openssl(["ocsp", "-respin", path("response"), "-noverify", "-resp_text"]),
    );
    expect(text).toContain("Cert Status: revoked");
    expect(text).toContain("Revocation Reason: keyCompromise (0x1)");
    expect(text).toContain("OCSP Nonce");
  });
});
