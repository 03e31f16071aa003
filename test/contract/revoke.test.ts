import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { toHex } from "../../src/base/bytes.ts";
import { encodePem } from "../../src/base/pem.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { authority, start, warningsOf, type Authority } from "../support/authority.ts";
import { crafted } from "../pki/crafted.ts";
import { derOf } from "../pki/reading.ts";

async function withLeaf(options: Parameters<typeof authority>[0] = {}) {
  const a = authority(options);
  const root = await a.root();
  await a.role("web");
  const leaf = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "100h" });
  return { a, root, leaf };
}
/** Issues a certificate that the mount does not store. */
async function unstored(a: Authority, ttl = "100h") {
  await a.role("lost", { no_store: true });
  return a.pki.issue({ role: "lost", common_name: "lost.test", ttl });
}
const revoke = (a: Authority, body: object) => a.call("POST", "pki/revoke", body, { compat: true });
const refused = async (a: Authority, body: object) => {
  const { status, errors } = await revoke(a, body);
  return [status, errors];
};
const plain = (serial: string) => serial.replaceAll(":", "");
const listed = async (a: Authority, path = "pki/crl") =>
  [...eachRevoked(parseCrl((await a.call("GET", path)).bytes))].map(({ serial }) => toHex(serial));
/** Returns all rows of the mount. */
async function rowsOf(a: Authority) {
  const { uuid } = await a.sys.readMount({ path: "pki" });
  return [...(await a.stores(uuid).list(""))];
}

describe("a rejected revocation", () => {
  const block = (der: Uint8Array) => encodePem("CERTIFICATE", der);
  it("B 0 error texts, B 1.1 neither given: has the error that clients match", async () => {
    const { a } = await withLeaf();
    for (const body of [{}, { reason: "superseded" }])
      expect(await refused(a, body)).toEqual([
        400,
        ["The serial number or certificate to revoke must be provided."],
      ]);
  });

  it("B 1.1 both given: even if one is empty or null", async () => {
    const { a, leaf } = await withLeaf();
    for (const body of [
      { serial_number: leaf.serial_number, certificate: leaf.certificate },
      { serial_number: leaf.serial_number, certificate: "" },
      { serial_number: "", certificate: leaf.certificate },
      { serial_number: null, certificate: null },
    ])
      expect(await refused(a, body)).toEqual([
        400,
        ["Must provide either the certificate or the serial to revoke; not both."],
      ]);
  });

  it("B 1.1 serial_number empty: has its own error", async () => {
    const { a } = await withLeaf();
    for (const serial_number of ["", null])
      expect(await refused(a, { serial_number })).toEqual([
        400,
        ["The serial number must be provided"],
      ]);
  });

  it("B 1.1 certificate too short, B 1.1 no PEM block, B 1.1 unparsable: each have their own error", async () => {
    const { a, leaf } = await withLeaf();
    const der = new Uint8Array(derOf(leaf.certificate));
    for (const [certificate, text] of [
      ["", /^provided certificate data was too short; /],
      ["/etc/ssl/certs/a.pem", /^provided certificate data was too short; /],
      ["x".repeat(75), /^certificate contains no PEM data$/],
      [leaf.certificate.replace("-----BEGIN", "----BEGIN"), /^certificate contains no PEM data$/],
      [block(der.subarray(0, der.length - 1)), /^certificate could not be parsed: /],
      [block(new Uint8Array(100)), /^certificate could not be parsed: /],
      [(await a.call("GET", "pki/crl/pem")).text, /^certificate could not be parsed: /],
    ] as const)
      expect(await refused(a, { certificate })).toEqual([400, [expect.stringMatching(text)]]);
  });

  it("B 1.1 issuer's serial: also for an imported issuer, which is not among the mount's certificates", async () => {
    const { a } = await withLeaf();
    const certificate = await crafted({});
    const { imported_issuers } = await a.pki.importCertificates({ pem_bundle: certificate });
    const [id = ""] = imported_issuers ?? [];
    const serial_number = (await a.pki.listIssuers({})).key_info[id]?.serial_number;
    for (const body of [{ serial_number }, { certificate }])
      expect(await refused(a, body)).toEqual([
        400,
        [`adding issuer (id: ${id}) to its own CRL is not allowed`],
      ]);
  });

  it("changes no row", async () => {
    const { a, leaf, root } = await withLeaf();
    const before = await rowsOf(a);
    for (const body of [
      {},
      { serial_number: "" },
      { serial_number: "01" },
      { serial_number: root.serial_number },
      { certificate: "x" },
      { certificate: await crafted({}) },
      { serial_number: leaf.serial_number, reason: "boredom" },
    ])
      expect((await revoke(a, body)).status).toBe(400);
    expect(await rowsOf(a)).toEqual(before);
  });
});

describe("the checks of a revocation", () => {
  it("B 1.1 processing order: arguments, then the certificate, then whether it may be revoked; a presented one is stored before its expiry is checked", async () => {
    const { a, root } = await withLeaf();
    expect(await refused(a, { reason: "boredom" })).toEqual([
      400,
      ["The serial number or certificate to revoke must be provided."],
    ]);
    expect(await refused(a, { serial_number: "01", reason: "boredom" })).toEqual([
      400,
      [expect.stringMatching(/^unknown revocation reason boredom/)],
    ]);
    // the certificate of an unknown issuer: its signature is verified first
    const other = authority({ seed: 2 });
    const { certificate } = await other.root();
    expect(await refused(a, { certificate })).toEqual([
      400,
      [expect.stringMatching(/^unable to verify signature on presented cert/)],
    ]);
    expect((await refused(a, { certificate: root.certificate }))[1]).toEqual([
      expect.stringMatching(/^adding issuer/),
    ]);
    const lost = await unstored(a, "1h");
    a.clock.advance(3601);
    const late = await revoke(a, { certificate: lost.certificate });
    expect([late.status, late.json["data"]]).toEqual([200, null]);
    expect((await a.pki.readCert({ serial: lost.serial_number })).certificate).toBe(
      lost.certificate,
    );
    expect((await a.call("LIST", "pki/certs/revoked")).status).toBe(404);
  });
});

describe("a revocation", () => {
  it("B 1.1 bring your own: accepts certificates of every issuer of the mount, even one without key or usage, expired or renamed", async () => {
    const away = authority({ seed: 3 });
    const outside = await away.pki.generateExportedRoot({
      common_name: "Outside CA",
      key_type: "ec",
      ttl: "200h",
    });
    await away.role("web");
    const leaves = await Promise.all(
      ["a.test", "b.test"].map((common_name) =>
        away.pki.issue({ role: "web", common_name, ttl: "150h" }),
      ),
    );
    const { a } = await withLeaf();
    const { imported_issuers } = await a.pki.importCertificates({
      pem_bundle: outside.certificate,
    });
    const [id = ""] = imported_issuers ?? [];
    await a.pki.patchIssuer({ issuer_ref: id, usage: "read-only" });
    const [first, second] = leaves;
    const shown = await a.pki.revoke({ certificate: first?.certificate ?? "" });
    expect(shown.state).toBe("revoked");
    const read = await a.pki.readCert({ serial: first?.serial_number ?? "" });
    expect([read.certificate, read.issuer_id]).toEqual([first?.certificate, id]);
    expect((await a.pki.listCerts({})).keys).toContain(first?.serial_number);

    // the same key under another name
    const renamed = authority({ seed: 4 });
    const [key_ref = ""] =
      (await renamed.pki.importBundle({ pem_bundle: outside.private_key ?? "" })).imported_keys ??
      [];
    await renamed.pki.generateRootFromKey({ key_ref, common_name: "New name", ttl: "1h" });
    renamed.clock.advance(7200);
    expect((await renamed.pki.revoke({ certificate: second?.certificate ?? "" })).state).toBe(
      "revoked",
    );
  });

  it("B 1.1 rule 3: is possible after the issuer has expired", async () => {
    const { a, root } = await withLeaf();
    await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior: "permit" });
    await a.role("long", { max_ttl: "87600h" });
    const leaf = await a.pki.issue({ role: "long", common_name: "a.test", ttl: "85000h" });
    a.clock.advance(81_000 * 3600);
    expect(root.expiration).toBeLessThan(a.clock.now / 1000);
    expect((await a.pki.revoke({ serial_number: leaf.serial_number })).state).toBe("revoked");
    expect(await listed(a)).toEqual([plain(leaf.serial_number)]);
  });

  it("B 1.1 rule 4: stores the time, the reason, the issuer that verifies the certificate, and a presented certificate", async () => {
    const { a, root } = await withLeaf();
    const lost = await unstored(a);
    a.clock.now += 7;
    await a.pki.revoke({ certificate: lost.certificate, reason: "superseded" });
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const [cert, revoked] = await a
      .stores(uuid)
      .get([`cert/${plain(lost.serial_number)}`, `revoked/${plain(lost.serial_number)}`]);
    expect(revoked?.value).toMatchObject({ at: start + 7, issuer: root.issuer_id, reason: 4 });
    expect(cert?.value).toMatchObject({
      der: new Uint8Array(derOf(lost.certificate)),
      issuer: root.issuer_id,
    });
  });

  it("B 1.1 rule 5: rebuilds the CRL at once, unless auto_rebuild is on", async () => {
    const { a, leaf } = await withLeaf();
    await a.pki.revoke({ serial_number: leaf.serial_number });
    expect(await listed(a)).toEqual([plain(leaf.serial_number)]);
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    const before = (await a.call("GET", "pki/crl")).bytes;
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "b.test" });
    expect(warningsOf(await a.pki.revoke({ serial_number }))).toEqual([]);
    expect((await a.call("GET", "pki/crl")).bytes).toEqual(before);
    await a.pki.rotateCrl();
    expect(await listed(a)).toHaveLength(2);
  });

  it("B 1.1 CRL rebuild fails: causes a warning, and the revocation remains", async () => {
    const { a, leaf } = await withLeaf();
    await a.pki.writeCrlConfig({ max_crl_entries: 0 });
    const { status, json } = await revoke(a, { serial_number: leaf.serial_number });
    expect([status, json["warnings"]]).toEqual([
      200,
      ["Warning 1 during CRL rebuild: CRL would contain 1 entries, more than max_crl_entries (0)"],
    ]);
    expect((await a.pki.listRevoked({})).keys).toEqual([leaf.serial_number]);
    await a.pki.writeCrlConfig({ max_crl_entries: -1 });
    await a.pki.rotateCrl();
    expect(await listed(a)).toEqual([plain(leaf.serial_number)]);
  });

  it("B 1.1 rule 6: on a mount that is being removed succeeds without effect", async () => {
    const stores = memoryStore();
    const { a, leaf } = await withLeaf({ stores });
    expect((await a.call("GET", "pki/ca")).status).toBe(200);
    const other = authority({ stores, seed: 2 });
    await other.sys.deleteMount({ path: "pki" });
    // this engine has not noticed the deletion yet
    const answer = await revoke(a, { serial_number: leaf.serial_number });
    expect([answer.status, answer.text]).toEqual([204, ""]);
    a.clock.advance(2);
    expect((await revoke(a, { serial_number: leaf.serial_number })).status).toBe(404);
  });

  it("B 1.1 revocation_time, B 1.1 revocation_time_rfc3339, B 1.1 state, B 0 rfc3339nano: the time is returned in both forms, without trailing zeros of the second", async () => {
    const { a, leaf } = await withLeaf();
    for (const [ms, shown] of [
      [120, "2030-01-02T03:04:05.12Z"],
      [1000, "2030-01-02T03:04:06Z"],
    ] as const) {
      a.clock.now = start + ms;
      const { serial_number } = await a.pki.issue({ role: "web", common_name: "b.test" });
      expect((await revoke(a, { serial_number })).data).toEqual({
        revocation_time: Math.floor((start + ms) / 1000),
        revocation_time_rfc3339: shown,
        state: "revoked",
      });
      expect((await a.pki.readCert({ serial: serial_number })).revocation_time_rfc3339).toBe(shown);
    }
    expect((await a.pki.readCert({ serial: leaf.serial_number })).revocation_time_rfc3339).toBe("");
  });
});
