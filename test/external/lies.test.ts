import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { derOf, sanOf } from "../pki/reading.ts";
import { basicConstraints, keyUsage, type Extension } from "../x509/extensions.ts";
import { makeKey, openssl, withFiles } from "../x509/fixture.ts";
import { send, statusOf } from "../pki/ocsp/asking.ts";
import {
  caExtensions,
  deciding,
  freshSerial,
  plainCsr,
  templateFor,
  type Deciding,
  type Template,
} from "./deciding.ts";

const bytes = (length: number, first: number): Uint8Array =>
  new Uint8Array(length).fill(9).fill(first, 0, 1);
const ext = (oid: string, value: readonly number[], critical = false): Extension => ({
  oid,
  critical,
  value: Uint8Array.from(value),
});
const san = sanOf({ dns: ["a.example"] });
/** Asserts that a request is rejected with 400 and the reason, and that nothing is stored. */
async function refused(it: Deciding, path: string, told: RegExp): Promise<void> {
  const before = await it.certificates();
  const { status, errors } = await it.post(`external-policy/${path}`, { csr: await plainCsr() });
  expect([status, String(errors)]).toEqual([400, expect.stringMatching(told)]);
  expect(await it.certificates()).toEqual(before);
}

describe("a template that an external policy must not use (B 7.4, security row 57)", () => {
  const other = makeKey("P-256");
  it.each<readonly [string, Template | (() => Promise<Template>), RegExp]>([
    ["the basic constraints of a CA", { extensions: caExtensions() }, /is for a CA certificate/],
    [
      "the key usage keyCertSign",
      { extensions: [keyUsage(["CertSign"]), san] },
      /only a CA may sign/,
    ],
    ["the key usage cRLSign", { extensions: [keyUsage(["CRLSign"]), san] }, /only a CA may sign/],
    [
      "the Netscape certificate type of a CA",
      { extensions: [san, ext("2.16.840.1.113730.1.1", [3, 2, 2, 4])] },
      /an extension copied to a leaf must not give the leaf the rights of a CA/,
    ],
    ["name constraints", { extensions: [san, ext("2.5.29.30", [0x30, 0])] }, /./],
    [
      "a key other than that of the CSR",
      async () => ({ spki: (await other).key.spki }),
      /a different public key/,
    ],
    ["an expired validity", { from: -90, until: -30 }, /expired at/],
    ["a validity that ends now", { until: 0 }, /expired at/],
    [
      "a validity of zero seconds",
      { from: 100, until: 100 },
      /notBefore must be earlier than notAfter/,
    ],
    [
      "a validity beyond that of the issuer",
      { until: 81_000 * 3600 },
      /beyond the expiration of the CA/,
    ],
    ["a serial number of 7 octets", { serial: bytes(7, 1) }, /at least 64 bits/],
    ["a serial number of 21 octets", { serial: bytes(21, 1) }, /at most 20 octets/],
    [
      "a serial number of 20 octets with the first bit set",
      { serial: bytes(20, 0x80) },
      /at most 20 octets/,
    ],
    ["the serial number 0", { serial: new Uint8Array(1) }, /positive/],
    [
      "an unknown critical extension",
      { extensions: [san, ext("1.2.3.4", [5, 0], true)] },
      /unknown critical extension 1\.2\.3\.4/,
    ],
    [
      "a precertificate",
      { extensions: [san, ext("1.3.6.1.4.1.11129.2.4.3", [5, 0], true)] },
      /precertificate/,
    ],
    [
      "neither a subject nor alternative names",
      { subject: [], extensions: [keyUsage(["DigitalSignature"])] },
      /a certificate with an empty subject must have alternative names/,
    ],
    ["a NUL in a name", { names: { dns: ["a\0.example"] } }, /control character/],
    ["a line break in the subject", { subject: "a\nb" }, /control character/],
    [
      "an IPv4 address in 16 octets",
      {
        extensions: [
          ext(
            "2.5.29.17",
            [0x30, 18, 0x87, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 1, 2, 3, 4],
          ),
        ],
      },
      /./,
    ],
    ["a label that is too long", { names: { dns: [`${"a".repeat(64)}.example`] } }, /too long/],
    ["6,000 names", { names: { dns: Array.from({ length: 6000 }, (_, i) => `${i}.a`) } }, /./],
    ["an empty extended key usage", { extensions: [san, ext("2.5.29.37", [0x30, 0])] }, /./],
    ["a malformed key usage", { extensions: [san, ext("2.5.29.15", [3, 2, 0, 0xa0])] }, /./],
    ["malformed alternative names", { extensions: [ext("2.5.29.17", [0x30, 1, 0])] }, /./],
    ["an empty key identifier", { extensions: [san, ext("2.5.29.14", [4, 0])] }, /./],
  ])("is rejected for a leaf with %s", async (_, template, told) => {
    const it = await deciding();
    const given = typeof template === "function" ? await template() : template;
    it.answer = (asked) => it.yes(asked, given);
    await refused(it, "sign", told);
  });

  it.each<readonly [string, Template, RegExp]>([
    ["no basic constraints of a CA", {}, /not for a CA certificate/],
    [
      "a key usage without keyCertSign",
      { extensions: [basicConstraints(true), keyUsage(["DigitalSignature"])] },
      /a CA must have the key usage keyCertSign/,
    ],
    [
      "the path length of its signer",
      { extensions: caExtensions(1) },
      /path length constraint must be less than the issuer's/,
    ],
    [
      "no path length",
      { extensions: caExtensions() },
      /path length constraint must be less than the issuer's/,
    ],
    ["no subject", { subject: [], extensions: caExtensions(0) }, /must have a subject/],
    [
      "an unknown critical extension",
      { extensions: [...caExtensions(0), ext("1.2.3.4", [5, 0], true)] },
      /unknown critical/,
    ],
    ["noRevAvail", { extensions: [...caExtensions(0), ext("2.5.29.56", [5, 0])] }, /RFC 9608/],
    [
      "a name of a type that name constraints do not compare",
      { extensions: [...caExtensions(0), ext("2.5.29.17", [0x30, 4, 0x88, 2, 0x2a, 3])] },
      /name constraints/,
    ],
    [
      "a validity that has ended",
      { extensions: caExtensions(0), from: -90, until: -30 },
      /expired at/,
    ],
  ])("is rejected for an intermediate CA with %s", async (_, template, told) => {
    const it = await deciding();
    const { id } = await it.a.intermediate({ max_path_length: 1 });
    it.answer = (asked) => it.yes(asked, template, { issuer_ref: id });
    await refused(it, "sign-intermediate", told);
  });

  it("a template that is malformed or too large is rejected as an invalid response", async () => {
    const it = await deciding();
    const before = await it.certificates();
    const duplicated = { extensions: [san, san, keyUsage(["DigitalSignature"])] };
    const trailing = async (csr: string) =>
      Buffer.concat([await templateFor(csr), Buffer.of(5, 0)]);
    const negative = async (csr: string) => {
      const der = Buffer.from(await templateFor(csr, { serial: bytes(16, 0x41) }));
      der[der.indexOf(Buffer.of(0x02, 16, 0x41)) + 2] = 0x81;
      return der;
    };
    const large = { oid: "1.2.3.4", critical: false, value: new Uint8Array(66_000) };
    const huge = { extensions: [san, large] };
    for (const make of [
      (csr: string) => templateFor(csr, duplicated),
      (csr: string) => templateFor(csr, huge),
      trailing,
      negative,
    ]) {
      it.answer = async (asked) => ({
        ...(await it.yes(asked)),
        certificate: pem(await make(asked.user_request_key_values.csr)),
      });
      const { status, errors } = await it.sign();
      expect([status, errors]).toEqual([
        500,
        ["the external policy service returned no valid response"],
      ]);
    }
    expect(await it.certificates()).toEqual(before);
  });

  it("the issuer that the service names must exist and be allowed to issue certificates", async () => {
    const it = await deciding();
    await it.a.pki.patchIssuer({ issuer_ref: "root", usage: ["read-only", "crl-signing"] });
    it.answer = (asked) => it.yes(asked, {}, { issuer_ref: "root" });
    await refused(it, "sign", /requested usage issuing-certificates/);
    it.answer = (asked) => it.yes(asked, {}, { issuer_ref: "no\nbody" });
    await refused(it, "sign", /^[^\n]*comes with an invalid issuer_ref$/);
  });

  it("a CA certificate expires no later than its signer, and a leaf as leaf_not_after_behavior specifies", async () => {
    const it = await deciding();
    const end = parseCertificate(
      derOf((await it.a.call("GET", "pki/cert/ca")).data["certificate"]),
    ).notAfter;
    it.answer = (asked) => it.yes(asked, { extensions: caExtensions(), until: 90_000 * 3600 });
    const ca = await it.post("external-policy/sign-intermediate", { csr: await plainCsr() });
    it.answer = (asked) => it.yes(asked, { until: 90_000 * 3600 });
    await it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "truncate" });
    const leaf = await it.sign();
    expect([ca.data["expiration"], leaf.data["expiration"]]).toEqual([String(end), String(end)]);
    await it.a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "permit" });
    expect(Number((await it.sign()).data["expiration"])).toBeGreaterThan(end);
  });

  it("the name constraints of the issuer apply to templates", async () => {
    const it = await deciding();
    const { id } = await it.a.intermediate({ permitted_dns_domains: ["b.example"] });
    it.answer = (asked) => it.yes(asked, {}, { issuer_ref: id });
    await refused(it, "sign", /name constraints/);
  });
});
const pem = (der: Uint8Array): string =>
  `-----BEGIN CERTIFICATE-----\n${Buffer.from(der).toString("base64")}\n-----END CERTIFICATE-----\n`;

describe("serial numbers that an external policy chooses (RFC 5280 section 4.1.2.2)", () => {
  it("are kept and found again if their first bit is set", async () => {
    const it = await deciding();
    it.answer = (asked) => it.yes(asked, { serial: bytes(19, 0x80) });
    const { status, data } = await it.sign();
    expect([status, String(data["serial_number"]).slice(0, 5)]).toEqual([200, "80:09"]);
    const path = `pki/cert/${String(data["serial_number"])}`;
    expect((await it.a.call("GET", path)).data["certificate"]).toBe(data["certificate"]);
    expect(parseCertificate(derOf(data["certificate"])).serial).toHaveLength(20);
  });

  it("are issued once each, to consecutive and concurrent requests", async () => {
    const it = await deciding();
    const serial = freshSerial();
    it.answer = (asked) => it.yes(asked, { serial });
    const both = await Promise.all([it.sign(), it.sign(), it.sign()]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const { status, errors } = await it.sign();
    expect([status, String(errors)]).toEqual([400, expect.stringMatching(/has already been used/)]);
    // even if the certificate is not to be stored
    it.answer = (asked) => it.yes(asked, { serial }, { store_certificate: false });
    expect((await it.sign()).status).toBe(400);
    it.answer = (asked) => it.yes(asked, { serial, extensions: caExtensions() });
    expect(
      (await it.post("external-policy/sign-intermediate", { csr: await plainCsr() })).status,
    ).toBe(400);
    expect(it.asked).toHaveLength(6);
  });

  it("are rejected if the mount has generated or revoked them, or if an issuer has them", async () => {
    const it = await deciding();
    await it.a.role("web", { no_store: true });
    const drawn = await it.a.pki.issue({ role: "web", common_name: "a.example" });
    it.answer = (asked) => it.yes(asked, { serial: freshSerial() }, { store_certificate: false });
    const unstored = await it.sign();
    await it.a.pki.revoke({ certificate: String(unstored.data["certificate"]) });
    const root = parseCertificate(
      derOf((await it.a.call("GET", "pki/cert/ca")).data["certificate"]),
    );
    for (const used of [
      root.serial,
      parseCertificate(derOf(drawn.certificate)).serial,
      parseCertificate(derOf(unstored.data["certificate"])).serial,
    ]) {
      it.answer = (asked) => it.yes(asked, { serial: used });
      await refused(it, "sign", /has already been used/);
    }
  });

  it("appear in OCSP responses and CRLs as openssl reads them, if their first bit is set", async () => {
    const it = await deciding();
    it.answer = (asked) => it.yes(asked, { serial: bytes(19, 0xff) });
    const { data } = await it.sign();
    const root = String((await it.a.call("GET", "pki/cert/ca")).data["certificate"]);
    const files = { "leaf.pem": `${String(data["certificate"])}\n`, "root.pem": `${root}\n` };
    const ask = withFiles(files, (path) => {
      const pair = ["-issuer", path("root.pem"), "-cert", path("leaf.pem")];
      openssl(["ocsp", "-no_nonce", ...pair, "-reqout", path("request.der")]);
      return readFileSync(path("request.der"));
    });
    const statusNow = async () => {
      const { bytes: der } = await send(it.a, ask);
      const told = withFiles({ "answer.der": der }, (path) =>
        openssl(["ocsp", "-respin", path("answer.der"), "-noverify", "-resp_text"]),
      );
      return /Cert Status: (\w+)/.exec(told)?.[1];
    };
    expect(await statusNow()).toBe("good");
    const serial_number = String(data["serial_number"]);
    expect((await it.a.call("POST", "pki/revoke", { serial_number })).status).toBe(200);
    expect(await statusNow()).toBe("revoked");
    const crl = await it.a.call("GET", "pki/crl/pem", undefined, { token: "" });
    expect(openssl(["crl", "-noout", "-text"], crl.text)).toContain(
      `Serial Number: ${serial_number.replaceAll(":", "").toUpperCase()}`,
    );
  });

  it("of certificates that are not stored are unknown to OCSP, unless they are revoked", async () => {
    const it = await deciding();
    it.answer = (asked) => it.yes(asked, {}, { store_certificate: false });
    const { data } = await it.sign();
    const issuer = String((await it.a.call("GET", "pki/cert/ca")).data["certificate"]);
    const wanted = { issuer, serial: String(data["serial_number"]) };
    expect(await statusOf(it.a, wanted)).toBe("unknown");
    const { status } = await it.a.call("POST", "pki/revoke", { certificate: data["certificate"] });
    expect([status, await statusOf(it.a, wanted)]).toEqual([
      200,
      { reason: 0, revokedAt: it.a.clock.now / 1000 },
    ]);
  });

  it("are revoked and listed like those that the mount generates", async () => {
    const it = await deciding();
    const { data } = await it.sign();
    const serial_number = String(data["serial_number"]);
    expect((await it.a.call("POST", "pki/revoke", { serial_number })).status).toBe(200);
    const listed = await it.a.call("LIST", "pki/certs/revoked");
    expect(listed.data["keys"]).toEqual([serial_number]);
  });
});
