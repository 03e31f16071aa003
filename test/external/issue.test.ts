import { createPrivateKey, createPublicKey } from "node:crypto";
import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { X509Certificate } from "../pki/peculiar.ts";
import { keyOf, readCertificate, request, sanOf, verified } from "../pki/reading.ts";
import { start } from "../support/authority.ts";
import { extKeyUsage, keyUsage } from "../x509/extensions.ts";
import { openssl, withFiles } from "../x509/fixture.ts";
import {
  caExtensions,
  deciding,
  freshSerial,
  plainCsr,
  undecided,
  type Deciding,
} from "./deciding.ts";
import { primeKey } from "../x509/prime-key.ts";

const hex = (bytes: Uint8Array): string =>
  Buffer.from(bytes)
    .toString("hex")
    .replace(/..(?!$)/g, "$&:");
const rootOf = async ({ a }: Deciding): Promise<string> =>
  String((await a.call("GET", "pki/cert/ca")).data["certificate"]);

describe("issue, sign and sign-intermediate with an external policy (B 7.2)", () => {
  it("issueByPolicy generates a key, sends the service a CSR with an empty subject, and returns key and certificate", async () => {
    const it = await deciding();
    const serial = freshSerial();
    it.answer = (asked) => it.yes(asked, { serial });
    const { status, json, data } = await it.post("external-policy/issue/servers", {
      key_type: "ec",
      color: "blue",
      nested: { a: [1, true, null] },
    });
    expect([status, json["warnings"], json["lease_id"], json["lease_duration"]]).toEqual([
      200,
      "",
      "",
      0,
    ]);
    const [asked] = it.asked;
    const { csr, ...sent } = asked?.user_request_key_values ?? {};
    expect(sent).toEqual({ color: "blue", nested: { a: [1, true, null] } });
    expect(asked?.vault_request_values).toMatchObject({
      policy_name: "servers",
      issuance_mode: "issue",
      vault_generated_private_key: true,
    });
    expect(
      withFiles({ "csr.pem": `${String(csr)}\n` }, (path) =>
        openssl(["req", "-in", path("csr.pem"), "-noout", "-subject", "-verify"]),
      ).trim(),
    ).toMatch(/^subject=\s*$/);
    const leaf = readCertificate(data["certificate"]);
    expect([data["serial_number"], leaf.text.subject, leaf.names?.dns, data["expiration"]]).toEqual(
      [hex(serial), "CN=a.example", ["a.example"], String(start / 1000 + 86_400)],
    );
    const own = createPublicKey(createPrivateKey(String(data["private_key"])));
    expect([data["private_key_type"], hex(own.export({ type: "spki", format: "der" }))]).toEqual([
      "ec",
      hex(leaf.spki),
    ]);
    expect(verified(data["certificate"], { root: await rootOf(it), at: start })).toMatch(/OK/);
    expect((await it.a.call("GET", `pki/cert/${hex(serial)}`)).data["certificate"]).toBe(
      data["certificate"],
    );
    expect(it.asked).toHaveLength(1);
  });

  it("in the compat dialect return a number for expiration, a list of warnings, and the statuses that its clients expect", async () => {
    const it = await deciding();
    it.answer = (asked) => it.yes(asked, {}, { warnings: ["only today", "and never again"] });
    const csr = await plainCsr();
    const { json, data } = await it.post("external-policy/sign", { csr }, true);
    expect([json["warnings"], data["expiration"]]).toEqual([
      ["only today", "and never again"],
      start / 1000 + 86_400,
    ]);
    const { json: documented } = await it.post("external-policy/sign", { csr });
    expect(documented["warnings"]).toBe("only today\nand never again");
    const gone = { csr, issuer: 1 };
    const at = "issuer/nobody/external-policy/sign";
    expect([(await it.post(at, gone)).status, (await it.post(at, gone, true)).status]).toEqual([
      400, 500,
    ]);
  });

  it("D 1 row 8: a common name of more than 64 characters is rejected, or issued with a warning in the compat dialect", async () => {
    const it = await deciding();
    const [csr, subject] = [await plainCsr(), "x".repeat(65)];
    for (const form of ["sign", "issue", "sign-intermediate"]) {
      const extensions = form === "sign-intermediate" ? { extensions: caExtensions() } : {};
      it.answer = (asked) => it.yes(asked, { subject, ...extensions });
      const body = form === "issue" ? { key_type: "ec" } : { csr };
      const before = await it.certificates();
      const refused = await it.post(`external-policy/${form}`, body);
      expect([form, refused.status, refused.text]).toEqual([
        form,
        400,
        expect.stringContaining("the common name has 65 characters"),
      ]);
      expect(await it.certificates()).toEqual(before);
      const { status, json } = await it.post(`external-policy/${form}`, body, true);
      expect([form, status, json["warnings"]]).toEqual([
        form,
        200,
        expect.arrayContaining([expect.stringContaining("the common name has 65 characters")]),
      ]);
    }
  });

  it("signByPolicy keeps the subject, names, extensions, serial number and validity of the template, and sets issuer and URLs", async () => {
    const it = await deciding();
    await it.a.pki.writeUrls({
      issuing_certificates: ["http://ca.example/ca"],
      crl_distribution_points: ["http://ca.example/crl"],
      ocsp_servers: ["http://ca.example/ocsp"],
    });
    const own = { oid: "1.2.3.4", critical: false, value: Uint8Array.of(5, 0) };
    const foreign = (oid: string) => ({ oid, critical: false, value: Uint8Array.of(0x30, 0) });
    it.answer = (asked) =>
      it.yes(asked, {
        from: -5,
        until: 500,
        extensions: [
          foreign("2.5.29.35"),
          { oid: "2.5.29.31", critical: false, value: Buffer.from("nonsense") },
          own,
          keyUsage(["DigitalSignature"]),
          sanOf({ dns: ["a.example"], uri: ["urn:a"] }),
        ],
      });
    const { data } = await it.sign();
    const read = new X509Certificate(String(data["certificate"]));
    const leaf = readCertificate(data["certificate"]);
    expect([leaf.notBefore, leaf.notAfter].map((at) => at - start / 1000)).toEqual([-5, 500]);
    expect(leaf.extensions.find(({ oid }) => oid === own.oid)?.value).toEqual(own.value);
    expect(leaf.names?.uri).toEqual(["urn:a"]);
    expect([...leaf.order].sort()).toEqual(
      ["1.2.3.4", "2.5.29.14", "2.5.29.15", "2.5.29.17", "2.5.29.31", "2.5.29.35"]
        .concat("1.3.6.1.5.5.7.1.1")
        .sort(),
    );
    expect(read.toString("text")).toMatch(/http:\/\/ca\.example\/crl/);
    expect(read.toString("text")).toMatch(/http:\/\/ca\.example\/ocsp/);
    expect(verified(data["certificate"], { root: await rootOf(it), at: start })).toMatch(/OK/);
    expect(data["private_key"]).toBeUndefined();
  });

  it("signByPolicy issues an OCSP responder certificate if the template is one: the service acts for the operator", async () => {
    const it = await deciding();
    const nocheck = { oid: "1.3.6.1.5.5.7.48.1.5", critical: false, value: Uint8Array.of(5, 0) };
    it.answer = (asked) =>
      it.yes(asked, {
        extensions: [
          keyUsage(["DigitalSignature"]),
          extKeyUsage(["1.3.6.1.5.5.7.3.9"]),
          nocheck,
          sanOf({ dns: ["ocsp.example"] }),
        ],
      });
    const leaf = readCertificate((await it.sign()).data["certificate"]);
    expect(leaf.purposes).toEqual(["1.3.6.1.5.5.7.3.9"]);
    expect(leaf.order).toContain(nocheck.oid);
  });

  it("sign with the template's signature algorithm if the issuer's key supports it, or else with the default", async () => {
    const it = undecided();
    await it.a.root({ key_type: "rsa" });
    await it.a.call("POST", "pki/config/external-policy", { enabled: true });
    const algorithmOf = async (by: Parameters<typeof keyOf>[0], bits = 0) => {
      const key =
        bits === 0 ? await keyOf(by) : await (await import("../x509/fixture.ts")).makeKey(by, bits);
      it.answer = (asked) => it.yes(asked, { by: key });
      const { data } = await it.sign();
      const read = new X509Certificate(String(data["certificate"])).signatureAlgorithm;
      return `${read.name} ${read.hash.name}`;
    };
    expect(await algorithmOf("RSA-PSS", 512)).toBe("RSA-PSS SHA-512");
    expect(await algorithmOf("RSA", 384)).toBe("RSASSA-PKCS1-v1_5 SHA-384");
    expect(await algorithmOf("P-256")).toBe("RSASSA-PKCS1-v1_5 SHA-256");
    expect(await algorithmOf("Ed25519")).toBe("RSASSA-PKCS1-v1_5 SHA-256");
  });

  it("signIntermediateByPolicy signs a CA certificate, with which its chain starts", async () => {
    const it = await deciding();
    it.answer = (asked) => it.yes(asked, { subject: "Sub CA", extensions: caExtensions(0) });
    const { status, data, text } = await it.post("external-policy/sign-intermediate/cas", {
      csr: await plainCsr(),
    });
    expect(status, text).toBe(200);
    const made = readCertificate(data["certificate"]);
    expect([made.basic, made.usage, made.text.subject]).toEqual([
      { ca: true, pathLength: 0 },
      ["CertSign", "CRLSign"],
      "CN=Sub CA",
    ]);
    const chain = data["ca_chain"] as readonly string[];
    expect([chain[0], chain.length]).toEqual([data["certificate"], 2]);
    expect(it.asked[0]?.vault_request_values).toMatchObject({
      issuance_mode: "ica",
      policy_name: "cas",
      vault_generated_private_key: false,
    });
    expect(await it.certificates()).toContain(data["serial_number"]);
  });

  it("do not store a certificate that the service excludes from storage, and create a lease if it requests one", async () => {
    const it = await deciding();
    const before = await it.certificates();
    it.answer = (asked) => it.yes(asked, {}, { store_certificate: false });
    expect((await it.sign()).status).toBe(200);
    it.answer = (asked) =>
      it.yes(asked, { extensions: caExtensions() }, { store_certificate: false });
    const csr = await plainCsr();
    expect((await it.post("external-policy/sign-intermediate", { csr })).status).toBe(200);
    expect(await it.certificates()).toEqual(before);
    it.answer = (asked) => it.yes(asked, {}, { generate_lease: true });
    const { json } = await it.post("external-policy/sign/web", { csr });
    expect(json["lease_id"]).toMatch(/^pki\/external-policy\/sign\/web\/[0-9a-f-]{36}$/);
    expect(json["lease_duration"]).toBe(86_400);
    const leased = await it.a.call("POST", "sys/leases/lookup", { lease_id: json["lease_id"] });
    expect(leased.status).toBe(200);
  });

  it("use the issuer that the service chooses, even if the path names another one", async () => {
    const it = await deciding();
    const { id } = await it.a.intermediate();
    it.answer = (asked) => it.yes(asked, {}, { issuer_ref: id });
    const csr = await plainCsr();
    const { data } = await it.post("issuer/root/external-policy/sign", { csr });
    expect(readCertificate(data["certificate"]).text.issuer).toBe("CN=Intermediate CA");
    const config = it.asked[0]?.vault_request_values;
    expect(config).toMatchObject({ requested_issuer_name: "root" });
    expect(config?.policy_name).toBeUndefined();
  });

  it("support the formats of the endpoints without a policy, and omit roots from the chain on request", async () => {
    const it = await deciding();
    const der = await it.sign({ format: "der", remove_roots_from_chain: true });
    expect(
      encodePem("CERTIFICATE", Buffer.from(String(der.data["certificate"]), "base64")),
    ).toMatch(/^-----BEGIN/);
    expect(der.data["ca_chain"]).toBeUndefined();
    const bundle = await it.post("external-policy/issue", {
      key_type: "ed25519",
      format: "pem_bundle",
      private_key_format: "pkcs8",
    });
    expect(String(bundle.data["certificate"])).toMatch(/^-----BEGIN PRIVATE KEY-----/);
    expect(bundle.data["private_key_type"]).toBe("ed25519");
    for (const [path, body] of [
      ["issue", { format: "x" }],
      ["issue", { private_key_format: "x" }],
      ["issue", { key_type: "dsa" }],
      ["sign", { format: "" }],
      ["sign-intermediate", { format: "x" }],
    ] as const)
      expect((await it.post(`external-policy/${path}`, body)).status).toBe(400);
    expect(it.asked).toHaveLength(2);
  });

  it("do not call the service if the policy is disabled, the issuer missing, or the CSR invalid", async () => {
    const it = await deciding();
    const csr = await plainCsr();
    const broken = csr.replace(/(.{4})\n-----END/, "AAAA\n-----END");
    const weak = await request({ cn: "a.test", key: primeKey() });
    for (const body of [{}, { csr: "no" }, { csr: broken }, { csr: weak }])
      for (const path of ["sign", "sign-intermediate"])
        expect((await it.post(`external-policy/${path}`, body)).status).toBe(400);
    expect((await it.post("issuer/nobody/external-policy/sign", { csr })).status).toBe(400);
    await it.a.call("POST", "pki/config/external-policy", { enabled: false });
    for (const path of ["issue", "sign", "sign-intermediate"]) {
      const { status, errors } = await it.post(`external-policy/${path}`, { csr });
      expect([status, errors]).toEqual([400, ["external policy is not enabled in this mount"]]);
    }
    expect(it.asked).toEqual([]);
  });
});
