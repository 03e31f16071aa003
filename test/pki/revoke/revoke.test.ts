import { describe, expect, it } from "vitest";
import { authority, refusal, start, warningsOf, type Authority } from "../../support/authority.ts";
import { fromHex, toHex } from "../../../src/base/bytes.ts";
import { encodePem } from "../../../src/base/pem.ts";
import {
  assembleSigned,
  encodeTbsCertificate,
  parseCertificate,
} from "../../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { algorithmIdentifier } from "../../../src/x509/public-key.ts";
import { bitString, oid, sequence } from "../../../src/base/der.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { crafted } from "../crafted.ts";
import { derOf, keyOf, readCertificate, verified } from "../reading.ts";

const now = start / 1000;
async function withLeaf(role: object = {}) {
  const a = authority();
  const root = await a.root();
  await a.role("web", role);
  const leaf = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "100h" });
  return { a, root, leaf };
}
const listed = async (a: Authority) =>
  [...eachRevoked(parseCrl((await a.call("GET", "pki/crl")).bytes))].map(
    ({ serial, reason, revokedAt }) => ({ serial: toHex(serial), reason, revokedAt }),
  );
const plain = (serial: string) => serial.replaceAll(":", "");

describe("POST revoke", () => {
  it("B 1.1 serial_number, B 1.1 revocation_time, B 1.1 revocation_time_rfc3339, B 1.1 state: adds the certificate to the CRL by serial number, and openssl then rejects it", async () => {
    const { a, root, leaf } = await withLeaf();
    const crl = async () => (await a.call("GET", "pki/crl/pem")).text;
    expect(
      verified(leaf.certificate, { root: root.certificate, crls: [await crl()], at: start }),
    ).toContain("OK");
    const done = await a.pki.revoke({ serial_number: leaf.serial_number });
    expect(done).toEqual({
      revocation_time: now,
      revocation_time_rfc3339: "2030-01-02T03:04:05Z",
      state: "revoked",
    });
    const list = await crl();
    expect(() =>
      verified(leaf.certificate, { root: root.certificate, crls: [list], at: start }),
    ).toThrow(/certificate revoked/);
    expect(await a.pki.readCert({ serial: leaf.serial_number })).toMatchObject({
      revocation_time: now,
      revocation_time_rfc3339: "2030-01-02T03:04:05Z",
      issuer_id: root.issuer_id,
    });
    expect((await a.pki.listRevoked({})).keys).toEqual([leaf.serial_number]);
  });

  it("B 0 serial numbers: accepts a serial number with colons, with hyphens, in upper case, and without separators", async () => {
    const { a } = await withLeaf();
    for (const spell of [
      (s: string) => s,
      (s: string) => s.replaceAll(":", "-"),
      (s: string) => s.toUpperCase(),
      plain,
    ]) {
      const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
      expect((await a.pki.revoke({ serial_number: spell(serial_number) })).state).toBe("revoked");
      expect(
        (await a.pki.readCert({ serial: serial_number.replaceAll(":", "-") })).revocation_time,
      ).toBe(now);
    }
    expect(await listed(a)).toHaveLength(4);
  });

  it("B 1.1 certificate, B 1.1 bring your own, B 1.1 serial unknown: accepts a certificate, and stores it if it was not stored", async () => {
    const { a, leaf } = await withLeaf();
    expect((await a.pki.revoke({ certificate: `${leaf.certificate}\n` })).state).toBe("revoked");
    await a.role("web", { no_store: true });
    const lost = await a.pki.issue({ role: "web", common_name: "lost.test" });
    const unknown = await a.call("POST", "pki/revoke", { serial_number: lost.serial_number });
    expect([unknown.status, unknown.errors]).toEqual([
      400,
      [`certificate with serial ${lost.serial_number} not found.`],
    ]);
    expect((await a.pki.revoke({ certificate: lost.certificate })).state).toBe("revoked");
    expect((await a.pki.readCert({ serial: lost.serial_number })).certificate).toBe(
      lost.certificate,
    );
    expect((await listed(a)).map((entry) => entry.serial).sort()).toEqual(
      [plain(leaf.serial_number), plain(lost.serial_number)].sort(),
    );
  });

  it("B 1.1 rule 1: returns the first revocation time if repeated, and builds no CRL", async () => {
    const { a, leaf } = await withLeaf();
    const first = await a.pki.revoke({ serial_number: leaf.serial_number, reason: "superseded" });
    const before = (await a.call("GET", "pki/crl")).bytes;
    a.clock.advance(1000);
    expect(
      await a.pki.revoke({ serial_number: leaf.serial_number, reason: "keyCompromise" }),
    ).toEqual(first);
    expect((await a.call("GET", "pki/crl")).bytes).toEqual(before);
    a.clock.advance(360_000);
    expect(await a.pki.revoke({ certificate: leaf.certificate })).toEqual(first);
    expect(await listed(a)).toHaveLength(1);
  });

  it("B 1.1 rule 7: adds the given reason to the CRL entry, by its name in any case", async () => {
    const { a } = await withLeaf();
    for (const [reason, code] of [
      [undefined, undefined],
      ["", undefined],
      ["unspecified", undefined],
      ["keyCompromise", 1],
      ["CESSATIONOFOPERATION", 5],
      ["privilegewithdrawn", 9],
    ] as const) {
      const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
      await a.pki.revoke({ serial_number, reason });
      expect((await listed(a)).find((entry) => entry.serial === plain(serial_number))).toEqual({
        serial: plain(serial_number),
        reason: code,
        revokedAt: now,
      });
    }
  });

  it("B 1.1 rule 2: returns a warning without data for an expired certificate, unless the mount allows it", async () => {
    const { a, leaf } = await withLeaf();
    a.clock.advance(100 * 3600 - 1);
    const late = await a.call(
      "POST",
      "pki/revoke",
      { serial_number: leaf.serial_number },
      { compat: true },
    );
    expect([late.status, late.json["data"], late.json["warnings"]]).toEqual([
      200,
      null,
      [
        expect.stringMatching(
          new RegExp(
            `^certificate with serial ${leaf.serial_number} already expired; refusing to add to CRL\\. `,
          ),
        ),
      ],
    ]);
    expect((await a.call("LIST", "pki/certs/revoked")).status).toBe(404);
    await a.pki.writeCrlConfig({ allow_expired_cert_revocation: true });
    expect((await a.pki.revoke({ serial_number: leaf.serial_number })).state).toBe("revoked");
  });

  it("writes one entry for concurrent revocations of a certificate, which all return the same time", async () => {
    const { a, leaf } = await withLeaf();
    const replies = await Promise.all(
      Array.from({ length: 6 }, () => a.pki.revoke({ serial_number: leaf.serial_number })),
    );
    expect(new Set(replies.map((reply) => reply.revocation_time_rfc3339)).size).toBe(1);
    expect(await listed(a)).toHaveLength(1);
  });

  it("B 1.8 rule 4: adds a certificate whose issuer was deleted to the default issuer's CRL", async () => {
    const { a, leaf } = await withLeaf();
    const two = await a.root({ issuer_name: "two", common_name: "Second" });
    await a.pki.writeIssuersConfig({ default: "two" });
    const mounts = (await a.sys.listMounts({})) as unknown as Readonly<
      Record<string, { readonly uuid: string }>
    >;
    const store = a.stores(mounts["pki/"]?.uuid ?? "");
    const first =
      (await store.list("issuer/")).find(([key]) => key !== `issuer/${two.issuer_id}`)?.[0] ?? "";
    await store.commit({ epoch: "next", del: [first] });
    a.clock.advance(2);
    expect((await a.pki.revoke({ serial_number: leaf.serial_number })).state).toBe("revoked");
    expect((await listed(a)).map((entry) => entry.serial)).toEqual([plain(leaf.serial_number)]);
    expect(readCertificate(two.certificate).subject).toEqual(
      parseCrl((await a.call("GET", "pki/crl")).bytes).issuer,
    );
  });

  it("adds an intermediate to its parent's CRL", async () => {
    const a = authority();
    await a.root();
    const { csr } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    const signed = await a.pki.signIntermediate({ csr, ttl: "1h" });
    await a.pki.revoke({ serial_number: signed.serial_number });
    expect((await listed(a)).map((entry) => entry.serial)).toEqual([plain(signed.serial_number)]);
  });

  it("accepts a presented certificate whose key and names cannot be parsed, and lists it", async () => {
    const { a, leaf } = await withLeaf();
    await a.pki.importCertificates({ pem_bundle: await crafted({}) });
    // on secp256k1, and without a name where one is required
    const curve = sequence(oid("1.2.840.10045.2.1"), oid("1.3.132.0.10"));
    const certificate = await crafted({
      subject: "Old",
      issuer: "Outside",
      spki: sequence(curve, bitString(new Uint8Array(65))),
      extensions: [{ oid: extensionOid.subjectAltName, critical: false, value: sequence() }],
    });
    expect((await a.pki.revoke({ certificate })).state).toBe("revoked");
    const shown = { common_name: "Old", key_type: "", key_bits: 0, dns_names: [] };
    const { keys, key_info } = await a.pki.listCertDetails({});
    expect(keys).toContain(leaf.serial_number);
    expect(Object.values(key_info)).toContainEqual(expect.objectContaining(shown));
    for (const query of [{ name: "old" }, { san: "old" }, { state: "revoked" }]) {
      const found = Object.values((await a.pki.searchCerts(query)).key_info);
      expect(found).toEqual([expect.objectContaining(shown)]);
    }
  });
});

/** The reasons of RFC 5280 section 5.3.1 that revoke a certificate. */
const reasons =
  "unspecified, keyCompromise, cACompromise, affiliationChanged, superseded, cessationOfOperation, privilegeWithdrawn, aACompromise";

describe("a rejected revocation", () => {
  it.each([
    [{}, "The serial number or certificate to revoke must be provided."],
    [
      { serial_number: "01", certificate: "" },
      "Must provide either the certificate or the serial to revoke; not both.",
    ],
    [{ serial_number: "" }, "The serial number must be provided"],
    [{ serial_number: "AA-bb" }, "certificate with serial aa:bb not found."],
    [{ serial_number: "no hex" }, "certificate with serial no hex not found."],
    [
      { certificate: "" },
      "provided certificate data was too short; perhaps a path was passed to the API rather than the contents of a PEM file?",
    ],
    [{ certificate: "x".repeat(80) }, "certificate contains no PEM data"],
    [
      { certificate: `-----BEGIN CERTIFICATE-----\n${"A".repeat(80)}\n-----END CERTIFICATE-----` },
      expect.stringMatching(/^certificate could not be parsed: /),
    ],
    [
      { serial_number: "01", reason: "boredom" },
      `unknown revocation reason boredom: use one of ${reasons}`,
    ],
    [
      { serial_number: "01", reason: "removeFromCRL" },
      `unknown revocation reason removeFromCRL: use one of ${reasons}`,
    ],
    [
      { serial_number: "01", reason: "removefromcrl" },
      `unknown revocation reason removefromcrl: use one of ${reasons}`,
    ],
    [
      { serial_number: "01", reason: "certificateHold" },
      `unknown revocation reason certificateHold: use one of ${reasons}`,
    ],
    [
      { serial_number: {} },
      "Field validation failed: error converting input for field \"serial_number\": expected type 'string', got unconvertible type 'object'",
    ],
  ])("with %j returns 400", async (body, text) => {
    const { a } = await withLeaf();
    const answer = await a.call("POST", "pki/revoke", body);
    expect([answer.status, answer.errors]).toEqual([400, [text]]);
    expect((await a.call("LIST", "pki/certs/revoked")).status).toBe(404);
  });

  it("B 1.1 issuer's serial: names the issuer whose certificate was sent", async () => {
    const { a, root } = await withLeaf();
    for (const body of [{ serial_number: root.serial_number }, { certificate: root.certificate }])
      expect(await refusal(a.pki.revoke(body))).toEqual([
        400,
        `adding issuer (id: ${root.issuer_id}) to its own CRL is not allowed`,
      ]);
  });

  it("B 1.1 no issuer verifies: rejects a certificate of another mount or of an unknown issuer", async () => {
    const { a, leaf } = await withLeaf();
    await a.sys.createMount({ path: "other", type: "pki" });
    const other = a.ca.mount("other");
    await other.generateRoot({ common_name: "Root CA", key_type: "ec" });
    const text =
      "unable to verify signature on presented cert from any present issuer in this mount; certificates from previous CAs will need to have their issuing CA and key re-imported if revocation is necessary";
    expect(await refusal(other.revoke({ certificate: leaf.certificate }))).toEqual([400, text]);
    expect(await refusal(other.revoke({ serial_number: leaf.serial_number }))).toEqual([
      400,
      `certificate with serial ${leaf.serial_number} not found.`,
    ]);
    expect(await refusal(other.readCert({ serial: leaf.serial_number }))).toEqual([
      404,
      expect.any(String),
    ]);
    expect((await a.pki.readCert({ serial: leaf.serial_number })).revocation_time).toBe(0);
  });

  it("B 1.1 same serial, different bytes: rejects another certificate with the serial number of a stored one", async () => {
    const { a, leaf } = await withLeaf();
    const real = parseCertificate(derOf(leaf.certificate));
    const key = await keyOf("P-256");
    const algorithm = algorithmIdentifier(key.scheme);
    const tbs = encodeTbsCertificate({ ...real, algorithm, extensions: real.extensions });
    const forged = encodePem("CERTIFICATE", assembleSigned(tbs, algorithm, await key.sign(tbs)));
    expect(await refusal(a.pki.revoke({ certificate: forged }))).toEqual([
      400,
      "certificate with same serial but unequal value already present in this cluster's storage; refusing to revoke",
    ]);
    const other = encodePem(
      "CERTIFICATE",
      assembleSigned(
        encodeTbsCertificate({ ...real, serial: fromHex("0a0b"), algorithm }),
        algorithm,
        await key.sign(tbs),
      ),
    );
    expect((await refusal(a.pki.revoke({ certificate: other })))[1]).toContain(
      "unable to verify signature on presented cert",
    );
  });

  it("a successful revocation has no warnings", async () => {
    const { a, leaf } = await withLeaf();
    expect(warningsOf(await a.pki.revoke({ serial_number: leaf.serial_number }))).toEqual([]);
  });
});
