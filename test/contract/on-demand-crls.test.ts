import { describe, expect, it } from "vitest";
import { toBase64 } from "../../src/base/bytes.ts";
import { octets } from "../../src/base/der.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { algorithmName } from "../../src/x509/public-key.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { bytesOf, derOf, labelsOf, shown } from "../pki/reading.ts";
import { authority, refusal, start, warningsOf } from "../support/authority.ts";

const now = start / 1000;
const read = (pem: unknown) => parseCrl(derOf(pem));
const entries = (pem: unknown) =>
  [...eachRevoked(read(pem))].map(({ serial, revokedAt }) => [toBase64(serial), revokedAt]);
const oids = (pem: unknown) => read(pem).extensions.map(({ oid }) => oid);
async function ready() {
  const a = authority();
  await a.root();
  const sign = async (body: object, compat = false) =>
    a.call("POST", "pki/issuer/root/sign-revocation-list", body, { compat });
  const resign = async (body: object) =>
    a.call("POST", "pki/issuer/root/resign-crls", body, { compat: true });
  const list = async (revoked_certs: readonly object[]) =>
    String((await sign({ revoked_certs })).data["crl"]);
  return { ...a, sign, resign, list };
}
const entry = (serial_number: string, revocation_time: unknown, more: object = {}) => ({
  serial_number,
  revocation_time,
  ...more,
});

describe("CRLs that are signed on demand", () => {
  it("A 3.1 POST issuer/:ref/resign-crls, issuer/:ref/sign-revocation-list, A 3.11 format, B 1.10 resign-crls, B 1.10 format: are returned as PEM or DER, and are not stored", async () => {
    const { call, pki } = await ready();
    const held = (await call("GET", "pki/crl/pem")).text;
    for (const path of ["resign-crls", "sign-revocation-list"]) {
      const send = async (body: object) => call("POST", `pki/issuer/root/${path}`, body);
      const pem = String((await send({})).data["crl"]);
      expect([labelsOf(pem), pem.endsWith("\n")]).toEqual([["X509 CRL"], true]);
      expect(labelsOf((await send({ format: "PEM" })).data["crl"])).toEqual(["X509 CRL"]);
      for (const format of ["der", "DER"])
        expect(
          algorithmName(parseCrl(bytesOf((await send({ format })).data["crl"])).algorithm),
        ).toBe("ECDSAWithSHA256");
      const refused = await send({ format: "text" });
      expect([refused.status, refused.errors]).toEqual([
        400,
        ["unknown format value of text: use pem or der"],
      ]);
      for (const compat of [false, true]) {
        const none = await call("POST", `pki/issuer/none/${path}`, {}, { compat });
        expect([none.status, none.errors]).toEqual([
          400,
          ["failed to resolve issuer issuer_ref: unable to find PKI issuer for reference: none"],
        ]);
      }
    }
    expect((await call("GET", "pki/crl/pem")).text).toBe(held);
    await pki.patchIssuer({ issuer_ref: "root", usage: "issuing-certificates" });
    for (const path of ["resign-crls", "sign-revocation-list"])
      expect((await call("POST", `pki/issuer/root/${path}`, {})).errors.join()).toContain(
        "requested usage crl-signing",
      );
  });

  it("are signed with the revocation_signature_algorithm of the issuer", async () => {
    const { root, pki } = await ready();
    await root({ issuer_name: "rsa", key_type: "rsa" });
    await pki.patchIssuer({
      issuer_ref: "rsa",
      revocation_signature_algorithm: "SHA384WithRSAPSS",
    });
    expect(algorithmName(read((await pki.resignCrls({ issuer_ref: "rsa" })).crl).algorithm)).toBe(
      "SHA384WithRSAPSS",
    );
  });

  it("A 3.11 crl_number, A 3.11 delta_crl_base_number, A 3.11 next_update, B 1.10 crl_number, B 1.10 delta_crl_base_number, B 1.10 next_update: set the CRL number, the base CRL number and nextUpdate", async () => {
    const { sign } = await ready();
    const plain = (await sign({})).data["crl"];
    expect(read(plain)).toMatchObject({ thisUpdate: now, nextUpdate: now + 72 * 3600 });
    expect(oids(plain)).toEqual([extensionOid.authorityKeyIdentifier, extensionOid.crlNumber]);
    const delta = (await sign({ crl_number: "10", delta_crl_base_number: 7, next_update: "90m" }))
      .data["crl"];
    const found = read(delta).extensions;
    expect(read(delta).nextUpdate).toBe(now + 5400);
    expect(found.map(({ oid, critical, value }) => [oid, critical, value.at(-1)]).slice(1)).toEqual(
      [
        [extensionOid.crlNumber, false, 10],
        [extensionOid.deltaCrlIndicator, true, 7],
      ],
    );
    expect(oids((await sign({ delta_crl_base_number: 0 })).data["crl"])).toContain(
      extensionOid.deltaCrlIndicator,
    );
    const cases = [
      [{ crl_number: -1 }, "crl_number parameter must be 0 or greater"],
      [{ delta_crl_base_number: -2 }, "delta_crl_base_number parameter must be -1 or greater"],
      [{ next_update: "0" }, "next_update parameter must be greater than 0"],
      [{ next_update: "soon" }, 'invalid duration "soon"'],
    ] as const;
    for (const [body, text] of cases) expect((await sign(body)).errors).toEqual([text]);
  });

  it("A 3.11 crls, B 1.10 crls, B 1.10 merge: are merged into one CRL with the earliest time of each serial number, and must be signed by the issuer", async () => {
    const { list, resign } = await ready();
    const one = await list([
      entry("0a", 1000, {
        extensions: [{ id: "2.5.29.21", value: toBase64(Uint8Array.of(10, 1, 1)) }],
      }),
      entry("0b", 2000),
    ]);
    const two = await list([entry("0b", 1500), entry("0c", 3000)]);
    const merged = await resign({ crls: [one, two] });
    expect(entries(merged.data["crl"])).toEqual(
      [0x0a, 0x0b, 0x0c].map((serial, i) => [
        toBase64(Uint8Array.of(serial)),
        [1000, 1500, 3000][i],
      ]),
    );
    expect(shown(derOf(merged.data["crl"]))).not.toContain("\u0055\u001d\u0015");
    expect(merged.json["warnings"]).toEqual([
      expect.stringContaining("Duplicate serial 0b with different revocation times"),
    ]);
    expect((await resign({ crls: [one, one] })).json["warnings"]).toBeNull();
    const foreign = await (await ready()).list([]);
    expect((await resign({ crls: [one, foreign] })).errors).toEqual([
      "CRL index: 1 was not signed by requested issuer",
    ]);
    expect((await resign({ crls: ["no list"] })).errors).toEqual([
      "invalid crl; should be one PEM block only",
    ]);
    expect(
      (await resign({ crls: ["-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----"] })).errors,
    ).toEqual([expect.stringMatching(/^CRL index: 0 could not be parsed/)]);
  });

  it("are not merged if an entry removes a certificate from a CRL (RFC 5280 section 5.3.1)", async () => {
    const { list, resign } = await ready();
    const held = await list([entry("0a", 1000)]);
    const removing = await list([
      entry("0a", 2000, {
        extensions: [{ id: "2.5.29.21", value: toBase64(Uint8Array.of(10, 1, 8)) }],
      }),
    ]);
    const { status, errors } = await resign({ crls: [held, removing] });
    expect([status, ...errors]).toEqual([
      400,
      "CRL index: 1 has an entry removeFromCRL, which cannot be merged: 0a",
    ]);
  });

  it("A 3.12 sign-revocation-list, B 1.10 sign-revocation-list: accepts serial numbers and times in any format, and extensions of entries and of the CRL", async () => {
    const { sign } = await ready();
    const { data, status } = await sign({
      crl_number: "10",
      revoked_certs: [
        entry("0A:0b", "1000"),
        entry("0c-0D", 2000),
        entry("0e.0f 10", "2020-01-01T00:00:00Z", {
          extensions: [{ id: "1.2.3.4", critical: false, value: "" }],
        }),
        "passed over",
      ],
      extensions: [
        { id: "1.2.3.5", critical: true, value: toBase64(octets(Uint8Array.of(1))) },
        { id: "1.2.3.6", value: "" },
        { id: "1.2.3.7", critical: "true", value: "" },
        { id: "1.2.3.8", critical: 0, value: "" },
        { id: "1.2.3.9", critical: null, value: "" },
      ],
    });
    expect(status).toBe(200);
    expect(entries(data["crl"])).toEqual([
      [toBase64(Uint8Array.of(0x0a, 0x0b)), 1000],
      [toBase64(Uint8Array.of(0x0c, 0x0d)), 2000],
      [toBase64(Uint8Array.of(0x0e, 0x0f, 0x10)), Date.UTC(2020, 0, 1) / 1000],
    ]);
    expect(
      read(data["crl"])
        .extensions.slice(2)
        .map(({ oid, critical }) => [oid, critical]),
    ).toEqual([
      ["1.2.3.5", true],
      ["1.2.3.6", false],
      ["1.2.3.7", true],
      ["1.2.3.8", false],
      ["1.2.3.9", false],
    ]);
    const none = { revoked_certs: null, extensions: null };
    expect(entries((await sign(none)).data["crl"])).toEqual([]);
    const plain = { revoked_certs: [entry("0a", 1000, { extensions: null })] };
    expect(entries((await sign(plain)).data["crl"])).toEqual([
      [toBase64(Uint8Array.of(0x0a)), 1000],
    ]);
    const extension = { id: "1.2.3.5", value: "" };
    const bad: readonly object[] = [
      ...[
        extensionOid.authorityKeyIdentifier,
        extensionOid.crlNumber,
        extensionOid.deltaCrlIndicator,
      ].map((id) => ({ extensions: [{ id, value: "" }] })),
      { extensions: [extension, extension] },
      { extensions: [{ value: "" }] },
      { extensions: [{ id: "1.2.3.5" }] },
      { extensions: [{ id: "1.2.3.5", value: "?" }] },
      { extensions: [{ id: "1.2.3.5", value: "", critical: "no" }] },
      { revoked_certs: [entry("0a", 1, { extensions: [extension, extension] })] },
      ...["x", ["x"], { 0: extension }].map((extensions) => ({
        revoked_certs: [entry("0a", 1, { extensions })],
      })),
      { revoked_certs: [entry("0a", 1), entry("0A", 2)] },
      { revoked_certs: [{ serial_number: "0a" }] },
      { revoked_certs: [{ revocation_time: 1 }] },
      { revoked_certs: [entry("xyz", 1)] },
      { revoked_certs: [entry("0a", "yesterday")] },
      // RFC 5280 section 5.1.2.6 has no form for it, since UTCTime begins with 1950
      { revoked_certs: [entry("0a", "0001-01-01T00:00:00Z")] },
    ];
    for (const body of bad)
      for (const compat of [false, true])
        expect([body, (await sign(body, compat)).status]).toEqual([body, 400]);
  });
});

describe("settings of defaults", () => {
  it("A 3.1 GET/POST config/issuers, config/keys, A 3.13 item 1: can be read before anything is set", async () => {
    const a = authority();
    expect((await a.call("GET", "pki/config/issuers")).data).toEqual({
      default: "",
      default_follows_latest_issuer: false,
    });
    expect((await a.call("GET", "pki/config/keys")).data).toEqual({ default: "" });
    const root = await a.root();
    expect((await a.call("GET", "pki/config/issuers")).data["default"]).toBe(root.issuer_id);
    expect((await a.call("GET", "pki/config/keys")).data["default"]).toBe(root.key_id);
  });

  it("A 3.13 item 2: require a default in every write, keep the other flag, and warn of an issuer without a key", async () => {
    const a = authority();
    const root = await a.root();
    const invalid = "Invalid issuer specification; must be non-empty and can't be 'default'.";
    for (const input of [
      {},
      { default_follows_latest_issuer: true },
      { default: "DEFAULT" },
      { default: " " },
    ]) {
      const { status, errors } = await a.call("POST", "pki/config/issuers", input);
      expect([status, ...errors]).toEqual([400, invalid]);
    }
    expect(await refusal(a.pki.writeIssuersConfig({ default: "none" }))).toEqual([
      400,
      expect.stringMatching(/^Error resolving issuer reference: /),
    ]);
    await a.pki.writeIssuersConfig({ default: "root", default_follows_latest_issuer: true });
    expect(await a.pki.writeIssuersConfig({ default: root.issuer_id })).toEqual({
      default: root.issuer_id,
      default_follows_latest_issuer: true,
    });
    const { certificate } = await authority({ seed: 2 }).root();
    const [id = ""] =
      (await a.pki.importCertificates({ pem_bundle: certificate })).imported_issuers ?? [];
    expect(warningsOf(await a.pki.writeIssuersConfig({ default: id })).join()).toContain(
      "has no key associated with it",
    );
  });

  it("A 3.13 item 3: set the default key by the same rules", async () => {
    const a = authority();
    const first = await a.pki.generateCaKey({ key_type: "ec" });
    const second = await a.pki.generateCaKey({ key_type: "ec", key_name: "two" });
    expect((await a.pki.readKeysConfig({})).default).toBe(first.key_id);
    expect(await a.pki.writeKeysConfig({ default: "two" })).toMatchObject({
      default: second.key_id,
    });
    const invalid = "Invalid key specification; must be non-empty and can't be 'default'.";
    for (const input of [{}, { default: "default" }]) {
      const { status, errors } = await a.call("POST", "pki/config/keys", input);
      expect([status, ...errors]).toEqual([400, invalid]);
    }
    expect((await refusal(a.pki.writeKeysConfig({ default: "none" })))[0]).toBe(400);
  });
});
