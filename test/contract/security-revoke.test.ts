import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { serialText } from "../../src/base/ids.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier, parsePublicKey } from "../../src/x509/public-key.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { crlDistributionPoints } from "../../src/x509/distribution-points.ts";
import { ecdsaToDer } from "../../src/algorithms/nist-curves.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, refusal, start, warningsOf, type Authority } from "../support/authority.ts";
import { certify, commonName, type TestKey } from "../x509/fixture.ts";
import { derOf, request, shown, valueOf } from "../pki/reading.ts";

const plain = (serial: string) => serial.replaceAll(":", "");
async function listed(a: Authority, issuer: string) {
  const { bytes } = await a.call("GET", `pki/issuer/${issuer}/crl/der`);
  return [...eachRevoked(parseCrl(bytes))].map(({ serial }) => toHex(serial));
}

describe("certificates that may be revoked", () => {
  it("security row 62: not those of another mount, issuers, unknown or expired ones; a repeated revocation returns the first", async () => {
    const a = authority();
    const root = await a.root();
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "1h" });
    const other = authority({ seed: 2 });
    await other.root();
    await other.role("web");
    const theirs = await other.pki.issue({ role: "web", common_name: "a.test" });
    for (const body of [
      {},
      { serial_number: leaf.serial_number, certificate: leaf.certificate },
      { certificate: theirs.certificate },
      { serial_number: theirs.serial_number },
      { serial_number: root.serial_number },
      { certificate: root.certificate },
    ])
      expect((await a.call("POST", "pki/revoke", body)).status).toBe(400);
    const first = await a.pki.revoke({ serial_number: leaf.serial_number });
    a.clock.advance(7200);
    expect(await a.pki.revoke({ certificate: leaf.certificate })).toEqual(first);
    const late = await a.pki.issue({ role: "web", common_name: "b.test", ttl: "1h" });
    a.clock.advance(3600);
    expect((await a.call("POST", "pki/revoke", late)).status).toBe(400);
    const ended = await a.call("POST", "pki/revoke", { serial_number: late.serial_number });
    expect([ended.status, ended.json["data"]]).toEqual([200, null]);
    expect((await a.pki.listRevoked({})).keys).toEqual([leaf.serial_number]);
  });

  it("security row 63: if two issuers used the same serial number, only the issuer of the presented certificate lists it", async () => {
    const a = authority();
    const serial = Uint8Array.of(5, 5, 5);
    const made = async (name: string, seed: number) => {
      const { pem, signer } = await caOf(name, seed);
      const { imported_issuers } = await a.pki.importBundle({ pem_bundle: pem });
      const leaf = await certify(signer, {
        serial,
        algorithm: algorithmIdentifier(signer.scheme),
        issuer: encodeName(commonName(name)),
        notBefore: start / 1000,
        notAfter: start / 1000 + 1000,
        subject: encodeName(commonName("leaf")),
        spki: signer.key.spki,
        extensions: [],
      });
      return { id: imported_issuers?.[0] ?? "", leaf: encodePem("CERTIFICATE", leaf) };
    };
    const [one, two] = [await made("One", 11), await made("Two", 12)];
    expect((await a.pki.revoke({ certificate: two.leaf })).state).toBe("revoked");
    expect([await listed(a, one.id), await listed(a, two.id)]).toEqual([[], ["050505"]]);
    expect((await a.pki.readCert({ serial: "050505" })).issuer_id).toBe(two.id);
    expect(await refusal(a.pki.revoke({ certificate: one.leaf }))).toEqual([
      400,
      "certificate with same serial but unequal value already present in this cluster's storage; refusing to revoke",
    ]);
    expect(await listed(a, one.id)).toEqual([]);
  });
});
/** Creates a CA, and returns its certificate and key as PEM and a function that signs with it. */
async function caOf(name: string, seed: number) {
  const { pki } = authority({ seed });
  const { certificate, private_key: pem = "" } = await pki.generateExportedRoot({
    common_name: name,
    key_type: "ec",
    ttl: "100h",
    private_key_format: "pkcs8",
  });
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", derOf(pem).slice(), algorithm, false, [
    "sign",
  ]);
  const { spki } = parseCertificate(derOf(certificate));
  const signer: TestKey = {
    key: parsePublicKey(spki),
    scheme: { name: "ECDSA", hash: "SHA-256" },
    sign: async (data) =>
      ecdsaToDer(new Uint8Array(await crypto.subtle.sign(algorithm, key, data.slice()))),
  };
  return { pem: `${certificate}\n${pem}`, signer };
}

describe("certificates with noRevAvail", () => {
  it("security row 69: have no CRL distribution points and OCSP servers, whatever the mount's URLs are, and can be revoked", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeUrls({
      issuing_certificates: "http://a.test/ca",
      crl_distribution_points: "http://a.test/crl",
      delta_crl_distribution_points: "http://a.test/delta",
      ocsp_servers: "http://a.test/ocsp",
    });
    const noRevAvail = {
      oid: extensionOid.noRevAvail,
      critical: false,
      value: Uint8Array.of(5, 0),
    };
    const csr = await request({ cn: "a.test", extensions: [noRevAvail] });
    const signed = await a.pki.signVerbatim({ csr, ttl: "1h" });
    const certificate = parseCertificate(derOf(signed.certificate));
    const oids = certificate.extensions.map(({ oid }) => oid);
    expect(oids).toContain(extensionOid.noRevAvail);
    expect(oids).not.toContain(extensionOid.crlDistributionPoints);
    expect(oids).not.toContain(extensionOid.freshestCrl);
    const access = shown(valueOf(certificate, extensionOid.authorityInfoAccess));
    expect(access).toContain("http://a.test/ca");
    expect(access).not.toContain("ocsp");
    await a.pki.revoke({ serial_number: signed.serial_number });
    expect(await listed(a, "root")).toEqual([plain(serialText(certificate.serial))]);

    const points = crlDistributionPoints(["http://own.test/crl"]);
    const both = await request({ cn: "a.test", extensions: [noRevAvail, points] });
    expect((await refusal(a.pki.signVerbatim({ csr: both, ttl: "1h" })))[0]).toBe(400);
  });
});

describe("leaves of a replaced or deleted issuer", () => {
  it("security row 84: can be revoked after the issuer was replaced, or deleted without its key", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const issued = () => a.pki.issue({ role: "web", common_name: "a.test", ttl: "100h" });
    const [one, two, three] = [await issued(), await issued(), await issued()];
    const next = await a.pki.rotateRoot({ common_name: "Next", key_type: "ec", ttl: "80000h" });
    await a.pki.replaceRoot({ default: next.issuer_id });
    await a.pki.revoke({ serial_number: one.serial_number });
    expect(await listed(a, "root")).toEqual([plain(one.serial_number)]);
    expect(await listed(a, next.issuer_id)).toEqual([]);
    await a.pki.writeIssuersConfig({ default: "root" });
    const gone = await a.pki.deleteIssuer({ issuer_ref: "root" });
    expect(warningsOf(gone).join()).toContain("default issuer");
    await a.pki.writeIssuersConfig({ default: next.issuer_id });
    for (const body of [{ serial_number: two.serial_number }, { certificate: three.certificate }])
      expect((await a.pki.revoke(body)).state).toBe("revoked");
    expect((await listed(a, next.issuer_id)).toSorted()).toEqual(
      [one, two, three].map(({ serial_number }) => plain(serial_number)).toSorted(),
    );
    expect((await a.pki.listKeys({})).keys).toHaveLength(2);
  });
});
