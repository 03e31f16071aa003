import { describe, expect, it } from "vitest";
import { authority, start } from "../../support/authority.ts";
import { X509Certificate } from "../peculiar.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { derOf, labelsOf, readCertificate, shown } from "../reading.ts";

describe("the CA certificate", () => {
  it("B 1.4 cert/ca/raw, B 1.5 ca, B 1.5 ca/pem, B 1.5 ca_chain, B 1.6 json, B 1.6 pem, B 1.6 der: is empty before there is an issuer, and then readable by anyone in every format", async () => {
    const a = authority();
    const open = (path: string, header = {}) =>
      a.call("GET", `pki/${path}`, undefined, { token: "", header });
    for (const path of [
      "ca",
      "ca/pem",
      "ca_chain",
      "cert/ca/raw",
      "cert/ca/raw/pem",
      "crl",
      "crl/pem",
    ])
      expect(await open(path)).toMatchObject({ status: 204, text: "" });
    const root = await a.root();
    const between = await a.intermediate();
    await a.pki.writeIssuersConfig({ default: between.id });
    const der = new Uint8Array(derOf(between.certificate));
    for (const path of ["ca", "cert/ca/raw"])
      expect(await open(path)).toMatchObject({ status: 200, bytes: der });
    for (const path of ["ca/pem", "cert/ca/raw/pem"])
      expect((await open(path)).text).toBe(between.certificate);
    const chain = await open("ca_chain");
    expect([chain.headers.get("content-type"), chain.text]).toEqual([
      "application/pkix-cert",
      `${between.certificate}\n${root.certificate}`,
    ]);
    const named = await open("issuer/root/der");
    expect([
      named.headers.get("content-type"),
      named.headers.get("cache-control"),
      named.bytes,
    ]).toEqual([
      "application/pkix-cert",
      "public, max-age=60",
      new Uint8Array(derOf(root.certificate)),
    ]);
    expect((await open("issuer/root/pem")).text).toBe(root.certificate);
    expect((await open("issuer/default/json")).data).toEqual({
      certificate: `${between.certificate}\n`,
      ca_chain: [`${between.certificate}\n`, `${root.certificate}\n`],
      issuer_id: between.id,
      issuer_name: "",
    });
    expect((await open("ca", { "if-modified-since": new Date(start).toUTCString() })).status).toBe(
      304,
    );
    expect(labelsOf((await open("ca_chain")).text)).toHaveLength(2);
  });

  it("B 1.4 cert/ca, B 1.4 cert/ca_chain: is returned as JSON by its aliases, like its chain and its CRL", async () => {
    const a = authority();
    const open = (path: string, header = {}) =>
      a.call("GET", `pki/cert/${path}`, undefined, { token: "", header });
    for (const path of ["ca", "ca_chain", "crl"])
      expect(await open(path)).toMatchObject({ status: 404, errors: [] });
    const root = await a.root();
    const between = await a.intermediate();
    await a.pki.writeIssuersConfig({ default: between.id });
    const unrevoked = { revocation_time: 0, revocation_time_rfc3339: "" };
    const chain = `${between.certificate}\n${root.certificate}`;
    expect((await open("ca")).data).toEqual({ certificate: between.certificate, ...unrevoked });
    expect((await open("ca_chain")).data).toEqual({
      certificate: chain,
      ...unrevoked,
      ca_chain: chain,
    });
    expect((await open("crl")).data).toEqual({
      certificate: (await a.call("GET", "pki/crl/pem")).text.trim(),
      ...unrevoked,
    });
    // the time alone does not identify a CRL that was built twice in a second
    const since = { "if-modified-since": new Date(start + 1000).toUTCString() };
    for (const path of ["ca", "ca_chain", "crl"])
      expect((await open(path, since)).status).toBe(304);
    expect((await open("crl/raw")).status).toBe(404);
  });

  it("has a new Last-Modified if its chain changes", async () => {
    const away = authority({ seed: 5 });
    const root = await away.root();
    const a = authority();
    const { csr } = await a.pki.generateIntermediate({ common_name: "Between", key_type: "ec" });
    const { certificate } = await away.pki.signIntermediate({ csr });
    await a.pki.setSigned({ certificate });
    a.clock.advance(10);
    const before = (await a.call("GET", "pki/ca_chain")).headers.get("last-modified") ?? "";
    expect(
      (await a.call("GET", "pki/ca_chain", undefined, { header: { "if-modified-since": before } }))
        .status,
    ).toBe(304);
    await a.pki.setSigned({ certificate: root.certificate });
    const after = await a.call("GET", "pki/ca_chain", undefined, {
      header: { "if-modified-since": before },
    });
    expect([after.status, labelsOf(after.text).length, after.headers.get("last-modified")]).toEqual(
      [200, 2, new Date(start + 10_000).toUTCString()],
    );
  });

  it("can be read through the typed client", async () => {
    const a = authority();
    const root = await a.root();
    const bytes = new Uint8Array(derOf(root.certificate));
    expect(await a.pki.readCa({})).toEqual(bytes);
    for (const reply of [
      await a.pki.readCaPem({}),
      await a.pki.readCaChain({}),
      await a.pki.readIssuerPem({ issuer_ref: "root" }),
    ])
      expect(reply).toBe(root.certificate);
    expect(await a.pki.readIssuerDer({ issuer_ref: "root" })).toEqual(bytes);
    expect((await a.pki.readIssuerJson({ issuer_ref: "root" })).issuer_id).toBe(root.issuer_id);
    for (const reply of [await a.pki.readCaCert({}), await a.pki.readChainCert({})])
      expect(reply.certificate).toBe(root.certificate);
    expect((await a.pki.readCrlCert({})).certificate).toContain("X509 CRL");
    expect((await a.pki.readIssuerCrl({ issuer_ref: "root" })).crl).toContain("X509 CRL");
    expect(await a.pki.readCrlPem({})).toContain("BEGIN X509 CRL");
  });

  it("is readable by anonymous callers, who can change nothing and cause no work", async () => {
    const a = authority();
    await a.root();
    const before = a.events.length;
    for (const [method, path] of [
      ["GET", "pki/crl/rotate"],
      ["POST", "pki/root/generate/internal"],
      ["POST", "pki/revoke"],
      ["POST", "pki/config/crl"],
      ["DELETE", "sys/mounts/pki"],
      ["POST", "sys/rotate"],
      ["DELETE", "pki/roles/x"],
    ] as const) {
      expect(
        await a.call(method, path, method === "POST" ? {} : undefined, { token: "" }),
      ).toMatchObject({
        status: 403,
        errors: [expect.stringContaining("permission denied")],
      });
      expect(
        await a.call(method, path, method === "POST" ? {} : undefined, { token: "wrong" }),
      ).toMatchObject({
        status: 403,
        errors: ["2 errors occurred:\n\t* permission denied\n\t* invalid token\n\n"],
      });
    }
    expect(a.events.slice(before).every((event) => event.status === 403)).toBe(true);
    for (const [method, path] of [
      ["GET", "pki/crl"],
      ["GET", "pki/ca"],
      ["GET", "sys/health"],
      ["GET", "pki/issuer/root/crl"],
    ] as const)
      expect((await a.call(method, path, undefined, { token: "" })).status).toBe(200);
    // the only pending job is the renewal of the CRL
    expect(await a.ca.tick()).toBe(start + 60 * 3600 * 1000);
  });
});

describe("a leaf certificate", () => {
  it("has the same serial number, names, times and extensions in another parser", async () => {
    const a = authority();
    const root = await a.root();
    await a.pki.writeUrls({
      issuing_certificates: "http://ca.test/ca",
      ocsp_servers: "http://ca.test/ocsp",
      crl_distribution_points: "http://ca.test/crl",
    });
    await a.role("web", {
      organization: "Ü & Co",
      country: "DE",
      policy_identifiers: '[{"oid":"1.2.3","cps":"https://a.test/cps","notice":"n"}]',
      basic_constraints_valid_for_non_ca: true,
    });
    const leaf = await a.pki.issue({
      role: "web",
      common_name: "a.test",
      alt_names: "*.b.test,u@a.test",
      ip_sans: "192.0.2.1",
      ttl: "1h",
    });
    const [other, ours] = [
      new X509Certificate(leaf.certificate),
      readCertificate(leaf.certificate),
    ];
    expect(other.serialNumber).toBe(leaf.serial_number.replaceAll(":", ""));
    expect([other.notBefore.getTime(), other.notAfter.getTime()]).toEqual([
      start - 30_000,
      start + 3_600_000,
    ]);
    expect([other.subject, other.issuer]).toEqual(["C=DE, O=Ü & Co, CN=a.test", "CN=Root CA"]);
    expect(other.extensions.map((extension) => [extension.type, extension.critical])).toEqual(
      ours.extensions.map((extension) => [extension.oid, extension.critical]),
    );
    expect(other.extensions.map((extension) => toHex(new Uint8Array(extension.value)))).toEqual(
      ours.extensions.map((extension) => toHex(extension.value)),
    );
    expect(
      await other.verify({
        publicKey: new X509Certificate(root.certificate).publicKey,
        signatureOnly: true,
      }),
    ).toBe(true);
    expect(
      JSON.parse(JSON.stringify(other.getExtension(extensionOid.subjectAltName))),
    ).toHaveProperty("names", [
      { type: "dns", value: "a.test" },
      { type: "dns", value: "*.b.test" },
      { type: "email", value: "u@a.test" },
      { type: "ip", value: "192.0.2.1" },
    ]);
  });

  it("has years before 2050 in two digits and later ones in four", async () => {
    const a = authority();
    await a.root({ ttl: undefined, not_after: "9999-12-31T23:59:59Z" });
    await a.role("web");
    const ending = async (not_after: string) =>
      shown(
        derOf((await a.pki.issue({ role: "web", common_name: "a.test", not_after })).certificate),
      );
    expect(await ending("2049-12-31T23:59:59Z")).toContain("491231235959Z");
    expect(await ending("2050-01-01T00:00:00Z")).toContain("20500101000000Z");
    expect(await ending("9999-12-31T23:59:59Z")).toContain("99991231235959Z");
  });

  it("has a unique, positive serial number of 20 octets, of which at least 64 bits are random", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { no_store: true });
    const serials = await Promise.all(
      Array.from(
        { length: 200 },
        async () => (await a.pki.issue({ role: "web", common_name: "a.test" })).serial_number,
      ),
    );
    expect(new Set(serials).size).toBe(200);
    expect(new Set(serials.map((serial) => serial.slice(0, 24))).size).toBe(200);
    // in a mount with partitions, the last digit selects the partition
    const last = process.env["SEALWRIGHT_TEST_PARTITIONS"] ? "[0-9a-f]" : "0";
    for (const serial of serials)
      expect(serial).toMatch(new RegExp(`^[0-7][0-9a-f](:[0-9a-f]{2}){18}:[0-9a-f]${last}$`));
  });
});

describe("PEM input", () => {
  it("is accepted with CRLF, with text or parameters before it, and with blank lines after it", async () => {
    const a = authority();
    const root = await a.root();
    const lines = encodePem("CERTIFICATE", derOf(root.certificate)).split("\n");
    for (const text of [
      lines.join("\r\n"),
      `Bag Attributes\n  x: y\n${lines.join("\n")}`,
      `${lines.join("\n")}\n\n\n  \n`,
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${lines.join("\n")}`,
    ])
      expect((await a.pki.setSigned({ certificate: text })).existing_issuers).toEqual([
        root.issuer_id,
      ]);
  });
});
