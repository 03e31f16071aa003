import { describe, expect, it } from "vitest";
import { sealedVault } from "../../../src/index.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { parsePublicKey } from "../../../src/x509/public-key.ts";
import { findExtension } from "../../../src/x509/certificate.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { openssl } from "../../keys/openssl.ts";
import {
  authority,
  clockAt,
  refusal,
  seeded,
  start,
  type Authority,
} from "../../support/authority.ts";
import { withFiles } from "../../x509/fixture.ts";
import { readCertificate } from "../reading.ts";
import { storedPki } from "../../../src/pki/rows/records.ts";

const day = 86_400;
const iso = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
const root = { issuer_ref: "root" };
async function storeOf(a: Authority) {
  const { uuid } = (await a.call("GET", "sys/mounts/pki")).data as { readonly uuid: string };
  return a.stores(uuid);
}
async function responderRows(a: Authority) {
  return (await (await storeOf(a)).list("config/responder/")).map(([key, { value }]) => ({
    key,
    row: storedPki.responder(value),
  }));
}
const jobsOf = async (a: Authority): Promise<readonly string[]> =>
  (await (await storeOf(a)).list("job/"))
    .map(([key]) => key)
    .filter((key) => key.includes("/ocsp-responder/"));

/** Imports an issuer with its key from another authority, and returns its id. */
async function elsewhere(a: Authority, subject: string, ...extensions: readonly string[]) {
  const config = [
    "[req]",
    "distinguished_name=dn",
    "x509_extensions=ca",
    "[dn]",
    "[ca]",
    "basicConstraints=critical,CA:true",
    "subjectKeyIdentifier=hash",
    ...extensions,
    "[above]",
    "O=Elsewhere",
    "",
  ].join("\n");
  const key = openssl(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]);
  const certificate = withFiles({ "ca.cnf": config, "ca.key": key }, (path) =>
    openssl(
      ["req", "-x509", "-new", "-config", path("ca.cnf"), "-key", path("ca.key")].concat([
        "-subj",
        subject,
        "-days",
        "9999",
      ]),
    ),
  );
  const taken = await a.pki.importBundle({ pem_bundle: `${certificate}${key}` });
  return taken.imported_issuers?.[0] ?? "";
}

describe("the OCSP responder of an issuer", () => {
  it.each([
    [{ key_type: "ec" }, "ec", 256],
    [{ key_type: "ec", key_bits: 384 }, "ec", 256],
    [{ key_type: "rsa" }, "rsa", 2048],
    // few OCSP clients support Ed25519
    [{ key_type: "ed25519" }, "ec", 256],
  ])(
    "below %j has its own key and a certificate for OCSP signing only",
    async (kind, type, bits) => {
      const a = authority();
      const ca = await a.root({ organization: "Example", ...kind });
      await a.pki.writeUrls({
        crl_distribution_points: "http://a.test/crl",
        ocsp_servers: "http://a.test/ocsp",
        issuing_certificates: "http://a.test/ca",
      });
      const made = await a.pki.makeResponder(root);
      expect(made).toEqual({
        certificate: expect.stringMatching(/^-----BEGIN CERTIFICATE-----\n/),
        serial_number: expect.stringMatching(/^([0-9a-f]{2}:){19}[0-9a-f]{2}$/),
        not_before: iso(start / 1000 - 30),
        not_after: iso(start / 1000 + 30 * day),
        key_type: type,
        key_bits: bits,
        next_renewal: iso(start / 1000 + 20 * day - 10),
        active: true,
      });
      expect(await a.pki.readResponder(root)).toEqual(made);
      const text = openssl(["x509", "-noout", "-text"], made.certificate);
      expect(text).toMatch(/Extended Key Usage:\s*\n\s*OCSP Signing\n/);
      expect(text).toMatch(/Key Usage: critical\s*\n\s*Digital Signature\n/);
      expect(text).toMatch(/OCSP No Check:\s/);
      expect(text).toMatch(/Subject: O *= *Example, CN *= *Root CA OCSP responder\n/);
      expect(text).not.toMatch(/a\.test|CA:TRUE/);
      const certificate = readCertificate(made.certificate);
      expect(toHex(certificate.issuer)).toBe(toHex(readCertificate(ca.certificate).subject));
      expect(
        toHex(findExtension(certificate, extensionOid.ocspNoCheck)?.value ?? new Uint8Array()),
      ).toBe("0500");
      const [held] = await responderRows(a);
      expect(parsePublicKey(certificate.spki).keyBits).toEqual(
        parsePublicKey(held?.row.key.spki ?? new Uint8Array()).keyBits,
      );
      // its certificate is listed by the mount, but its key is not
      expect((await a.pki.listCerts({})).keys).toContain(made.serial_number);
      expect((await a.pki.listKeys({})).keys).toEqual([ca.key_id]);
      expect((await a.pki.listCertDetails({})).key_info[made.serial_number]).toMatchObject({
        common_name: "Root CA OCSP responder",
        issuer: ca.issuer_id,
      });
    },
  );

  it("accepts another key type, and rejects an unknown type or size", async () => {
    const a = authority();
    await a.root({ key_type: "rsa" });
    const made = await a.pki.makeResponder({ ...root, key_type: "ec", key_bits: 384 });
    expect([made.key_type, made.key_bits]).toEqual(["ec", 384]);
    for (const wrong of [
      { key_type: "dsa" },
      { key_type: "any" },
      { key_type: "rsa", key_bits: 1024 },
      { key_bits: 257 },
    ])
      expect(await refusal(a.pki.makeResponder({ ...root, ...wrong }))).toEqual([
        400,
        expect.any(String),
      ]);
    expect(await a.pki.readResponder(root)).toEqual(made);
  });

  it("is replaced by another POST, and deleted by DELETE, with its issuer, and with all issuers", async () => {
    const a = authority();
    await a.root();
    expect(await refusal(a.pki.readResponder(root))).toEqual([404, expect.any(String)]);
    const one = await a.pki.makeResponder(root);
    const two = await a.pki.makeResponder({ issuer_ref: "default" });
    expect(two.serial_number).not.toBe(one.serial_number);
    expect(await a.pki.readResponder(root)).toEqual(two);
    expect(await responderRows(a)).toHaveLength(1);
    expect((await a.call("DELETE", "pki/issuer/root/ocsp-responder")).status).toBe(204);
    expect(await responderRows(a)).toEqual([]);
    expect((await a.call("GET", "pki/issuer/root/ocsp-responder")).status).toBe(404);
    for (const ref of ["root", "nobody"])
      expect((await a.call("DELETE", `pki/issuer/${ref}/ocsp-responder`)).status).toBe(204);
    // issued certificates stay
    expect((await a.pki.listCerts({})).keys).toEqual(
      expect.arrayContaining([one.serial_number, two.serial_number]),
    );
    await a.pki.makeResponder(root);
    await a.pki.deleteIssuer(root);
    expect(await responderRows(a)).toEqual([]);
    await a.root({ issuer_name: "again" });
    await a.pki.makeResponder({ issuer_ref: "again" });
    await a.pki.deleteRoot({});
    expect(await responderRows(a)).toEqual([]);
    await a.pki.deleteResponder({ issuer_ref: "again" });
  });

  it("is rejected for an issuer that is unknown, keyless, without the usage, revoked or expired, and nothing is stored", async () => {
    const a = authority();
    await a.root();
    await a.root({ issuer_name: "without", common_name: "Without usage" });
    await a.pki.patchIssuer({
      issuer_ref: "without",
      usage: ["crl-signing", "issuing-certificates"],
    });
    await a.root({ issuer_name: "revoked", common_name: "Revoked" });
    await a.pki.revokeIssuer({ issuer_ref: "revoked" });
    const { certificate } = await authority({ seed: 4 }).root({ common_name: "Keyless" });
    const [keyless = ""] = (await a.pki.setSigned({ certificate })).imported_issuers ?? [];
    await a.root({ issuer_name: "short", common_name: "Short", ttl: "1h" });
    a.clock.advance(3700);
    const before = (await a.pki.listCerts({})).keys;
    for (const [ref, text] of [
      ["nobody", "unable to find PKI issuer for reference: nobody"],
      ["without", /requested usage ocsp-signing for issuer/],
      ["revoked", /^issuer .* is revoked and cannot delegate OCSP$/],
      [keyless, /unable to fetch corresponding key for issuer/],
      ["short", /^issuer .* expired at 2030-01-02T04:04:05Z$/],
    ] as const) {
      const answer = await a.call("POST", `pki/issuer/${ref}/ocsp-responder`, {});
      expect([answer.status, answer.errors]).toEqual([
        400,
        [typeof text === "string" ? text : expect.stringMatching(text)],
      ]);
    }
    expect((await a.call("GET", "pki/issuer/nobody/ocsp-responder")).status).toBe(404);
    expect((await a.pki.listCerts({})).keys).toEqual(before);
    expect(await responderRows(a)).toEqual([]);
    for (const method of ["POST", "GET", "DELETE"])
      expect(
        (await a.call(method, "pki/issuer/root/ocsp-responder", undefined, { token: "" })).status,
      ).toBe(403);
  });

  it("is rejected if the issuer's chain does not allow its purpose or its name, or the issuer lacks keyCertSign", async () => {
    const a = authority();
    for (const [extension, text] of [
      [
        "extendedKeyUsage=serverAuth",
        /does not allow the extended key usage 1\.3\.6\.1\.5\.5\.7\.3\.9/,
      ],
      ["nameConstraints=critical,excluded;dirName:above", /name constraints \(4\.2\.1\.10\)/],
      ["keyUsage=critical,cRLSign", /the key usage of the issuer.s certificate lacks keyCertSign/],
    ] as const) {
      const issuer_ref = await elsewhere(a, "/O=Elsewhere/CN=A CA", extension);
      const [status, why] = await refusal(a.pki.makeResponder({ issuer_ref }));
      expect([status, why]).toEqual([400, expect.stringMatching(text)]);
    }
    expect(await responderRows(a)).toEqual([]);
  });

  it("expires no later than its issuer, and is not renewed then", async () => {
    const a = authority();
    await a.root({ ttl: "240h" });
    const made = await a.pki.makeResponder(root);
    expect([made.not_after, made.next_renewal]).toEqual([iso(start / 1000 + 10 * day), ""]);
    expect(await jobsOf(a)).toEqual([]);
  });

  it("has a common name of at most 64 characters, even if the issuer has none", async () => {
    const a = authority();
    await a.root({ common_name: "ä".repeat(64) });
    const { serial_number } = await a.pki.makeResponder(root);
    expect((await a.pki.listCertDetails({})).key_info[serial_number]?.common_name).toBe(
      `${"ä".repeat(49)} OCSP responder`,
    );
    const issuer_ref = await elsewhere(a, "/O=Only this");
    const { certificate } = await a.pki.makeResponder({ issuer_ref });
    expect(readCertificate(certificate).text.subject).toBe("CN=OCSP responder,O=Only this");
  });
});

describe("the renewal of a responder", () => {
  const ready = async () => {
    const a = authority();
    await a.root();
    const made = await a.pki.makeResponder(root);
    const renewed = async () => {
      await a.ca.tick();
      return a.pki.readResponder(root);
    };
    return { a, made, renewed };
  };

  it("creates a new key and certificate in the last third of the lifetime, repeatedly", async () => {
    const { a, made, renewed } = await ready();
    a.clock.advance(20 * day - 60);
    expect(await renewed()).toEqual(made);
    a.clock.advance(60);
    const second = await renewed();
    expect(second).toMatchObject({
      not_after: iso(start / 1000 + 50 * day),
      next_renewal: iso(start / 1000 + 40 * day - 10),
      active: true,
    });
    expect(second.serial_number).not.toBe(made.serial_number);
    expect(toHex(readCertificate(second.certificate).spki)).not.toBe(
      toHex(readCertificate(made.certificate).spki),
    );
    expect((await a.pki.listCerts({})).keys).toHaveLength(3);
    expect(await jobsOf(a)).toHaveLength(1);
    a.clock.advance(20 * day);
    expect((await renewed()).serial_number).not.toBe(second.serial_number);
  });

  it("catches up after the expiry, and keeps the requested key size", async () => {
    const a = authority();
    await a.root();
    await a.pki.makeResponder({ ...root, key_type: "ec", key_bits: 384 });
    a.clock.advance(90 * day);
    expect((await a.pki.readResponder(root)).active).toBe(false);
    await a.ca.tick();
    expect(await a.pki.readResponder(root)).toMatchObject({
      key_bits: 384,
      active: true,
      not_after: iso(start / 1000 + 120 * day),
    });
  });

  it("skips a responder that was deleted, revoked or replaced, or whose issuer was revoked", async () => {
    const gone = await ready();
    await gone.a.pki.deleteResponder(root);
    gone.a.clock.advance(25 * day);
    await gone.a.ca.tick();
    expect([await responderRows(gone.a), await jobsOf(gone.a)]).toEqual([[], []]);

    const revoked = await ready();
    await revoked.a.pki.revoke({ serial_number: revoked.made.serial_number });
    revoked.a.clock.advance(2);
    expect(await revoked.a.pki.readResponder(root)).toEqual({ ...revoked.made, active: false });
    revoked.a.clock.advance(25 * day);
    expect(await revoked.renewed()).toEqual({ ...revoked.made, active: false });
    expect(await jobsOf(revoked.a)).toEqual([]);
    expect((await revoked.a.pki.makeResponder(root)).active).toBe(true);

    const anew = await ready();
    anew.a.clock.advance(15 * day);
    const later = await anew.a.pki.makeResponder(root);
    anew.a.clock.advance(6 * day);
    expect(await anew.renewed()).toEqual(later);
    anew.a.clock.advance(15 * day);
    expect((await anew.renewed()).serial_number).not.toBe(later.serial_number);

    const ended = await ready();
    await ended.a.pki.revokeIssuer(root);
    expect(await ended.a.pki.readResponder(root)).toEqual({ ...ended.made, active: false });
    ended.a.clock.advance(25 * day);
    expect((await ended.renewed()).serial_number).toBe(ended.made.serial_number);
    expect(await jobsOf(ended.a)).toEqual([]);
  });

  it("waits while the issuer lacks the usage, and continues a day after it is restored", async () => {
    const { a, made, renewed } = await ready();
    await a.pki.patchIssuer({ ...root, usage: ["crl-signing"] });
    a.clock.advance(25 * day);
    expect((await renewed()).serial_number).toBe(made.serial_number);
    await a.pki.patchIssuer({ ...root, usage: ["ocsp-signing"] });
    a.clock.advance(day);
    // the issuer still lacks issuing-certificates
    expect((await renewed()).serial_number).not.toBe(made.serial_number);
  });

  it("happens once: two engines over one store create one certificate", async () => {
    const { a } = await ready();
    const b = authority({ stores: a.stores, clock: a.clock, seed: 7 });
    a.clock.advance(21 * day);
    await Promise.all([a.ca.tick(), b.ca.tick()]);
    expect((await a.pki.listCerts({})).keys).toHaveLength(3);
    expect(await jobsOf(a)).toHaveLength(1);
  });
});

describe("the key of a responder", () => {
  it("is sealed, and resealed with the other keys under a new sealing key", async () => {
    const clock = clockAt();
    const key = (fill: number) => new Uint8Array(32).fill(fill);
    const old = authority({ clock, vault: sealedVault({ key: key(1), random: seeded(1) }) });
    await old.root();
    const made = await old.pki.makeResponder(root);
    const { stores } = old;
    const [before] = await responderRows(old);
    const both = authority({
      clock,
      stores,
      seed: 2,
      vault: sealedVault({ key: key(2), previous: key(1), random: seeded(2) }),
    });
    // the CA's key, that of the serial numbers, and this one
    expect((await both.call("POST", "sys/rotate")).data).toEqual({ resealed: 4 });
    const [after] = await responderRows(both);
    expect(toHex(after?.row.key.sealed ?? key(0))).not.toBe(
      toHex(before?.row.key.sealed ?? key(0)),
    );
    const next = authority({
      clock,
      stores,
      seed: 3,
      vault: sealedVault({ key: key(2), random: seeded(3) }),
    });
    expect(await next.pki.readResponder(root)).toEqual(made);
  });

  it("is not used if damaged or next to another certificate, which an error reports, until a job replaces it", async () => {
    const a = authority();
    await a.root();
    await a.root({ issuer_name: "two", common_name: "Two" });
    await a.pki.makeResponder(root);
    await a.pki.makeResponder({ issuer_ref: "two" });
    const store = await storeOf(a);
    const [one, two] = await responderRows(a);
    if (!one || !two) throw new Error("two responders were made");
    const put = async (row: object) => {
      await store.commit({ epoch: "next", put: [[one.key, row]] });
      a.clock.advance(2);
    };
    const ref = { issuer_ref: one.row.issuer };
    const flipped = (bytes: Uint8Array, at: number) => bytes.with(at, (bytes[at] ?? 0) ^ 1);
    for (const row of [
      { ...one.row, der: flipped(one.row.der, one.row.der.length - 3) },
      { ...one.row, der: two.row.der },
      { ...one.row, key: two.row.key },
      { ...one.row, key: { ...one.row.key, sealed: two.row.key.sealed } },
      { ...one.row, key: { ...one.row.key, sealed: flipped(one.row.key.sealed, 40) } },
    ]) {
      await put(row);
      expect((await a.pki.readResponder(ref)).active).toBe(false);
    }
    await put({ ...one.row, der: one.row.der.subarray(0, 90) });
    const answer = await a.call("GET", `pki/issuer/${one.row.issuer}/ocsp-responder`);
    expect([answer.status, answer.errors]).toEqual([
      500,
      ["the stored certificate of the responder was altered in storage; create a new responder"],
    ]);
    await put(one.row);
    expect((await a.pki.readResponder(ref)).active).toBe(true);
    await put({ ...one.row, der: one.row.der.subarray(0, 90) });
    a.clock.advance(21 * day);
    await a.ca.tick();
    expect((await a.pki.readResponder(ref)).active).toBe(true);
  });
});
