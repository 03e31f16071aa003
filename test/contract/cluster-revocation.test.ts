import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { crafted } from "../pki/crafted.ts";
import { authority, refusal, warningsOf, type Authority } from "../support/authority.ts";

const plain = (serial: string) => serial.replaceAll(":", "");
async function ready(crl: object = { auto_rebuild: true, cross_cluster_revocation: true }) {
  const a = authority();
  await a.root();
  await a.role("web");
  await a.role("lost", { no_store: true });
  await a.pki.writeCrlConfig(crl);
  const { cluster_id } = (await a.call("GET", "sys/health")).json;
  return { a, cluster: cluster_id };
}
const lost = (a: Authority) => a.pki.issue({ role: "lost", common_name: "lost.test", ttl: "100h" });
const queue = (a: Authority, query = "") => a.call("LIST", `pki/certs/revocation-queue${query}`);

describe("revocation of a certificate that is not stored here", () => {
  it("B 1.1 rule 8, B 1.3 LIST certs/revocation-queue: is queued as pending, listed, and confirmed by presenting the certificate", async () => {
    const { a, cluster } = await ready();
    expect((await queue(a)).status).toBe(404);
    const { serial_number, certificate } = await lost(a);
    const asked = () =>
      a.call(
        "POST",
        "pki/revoke",
        { serial_number: serial_number.toUpperCase(), reason: "superseded" },
        { compat: true },
      );
    for (let again = 0; again < 2; again++) {
      const { status, json } = await asked();
      expect([status, json["data"], json["warnings"]]).toEqual([
        200,
        { state: "pending" },
        [
          `certificate with serial ${serial_number} not found; the revocation is queued until the certificate is stored here.`,
        ],
      ]);
      a.clock.advance(5);
    }
    expect((await queue(a)).data).toEqual({
      keys: [serial_number],
      key_info: { [serial_number]: { requesting_cluster: cluster } },
    });
    expect((await a.call("LIST", "pki/certs/revoked")).status).toBe(404);
    expect((await a.pki.revoke({ certificate })).state).toBe("revoked");
    expect((await queue(a)).data["key_info"]).toEqual({
      [serial_number]: {
        requesting_cluster: cluster,
        confirmed: true,
        confirmation_cluster: cluster,
      },
    });
    expect((await asked()).json["data"]).toMatchObject({ state: "revoked" });
    await a.pki.rotateCrl();
    const list = parseCrl((await a.call("GET", "pki/crl")).bytes);
    expect([...eachRevoked(list)].map(({ serial }) => toHex(serial))).toEqual([
      plain(serial_number),
    ]);
  });

  it("is confirmed by a revocation with the private key, which cannot itself be queued", async () => {
    const { a } = await ready();
    const { serial_number, certificate, private_key = "" } = await lost(a);
    const text = `certificate with serial ${serial_number} not found, and cross-cluster revocation not supported with key revocation.`;
    expect(await refusal(a.pki.revokeWithKey({ serial_number, private_key }))).toEqual([400, text]);
    expect((await queue(a)).status).toBe(404);
    await a.pki.revoke({ serial_number });
    await a.pki.revokeWithKey({ certificate, private_key });
    expect((await a.pki.listRevocationQueue({})).key_info[serial_number]).toMatchObject({
      confirmed: true,
    });
  });

  it("is not queued for an invalid serial number, an issuer or a presented certificate, or if disabled", async () => {
    const { a } = await ready();
    const ca = await crafted({});
    const [id = ""] = (await a.pki.importCertificates({ pem_bundle: ca })).imported_issuers ?? [];
    const issuer = (await a.pki.listIssuers({})).key_info[id]?.serial_number;
    const other = await authority({ seed: 2 }).root();
    for (const body of [
      { serial_number: "no number" },
      { serial_number: "aa".repeat(21) },
      { serial_number: issuer },
      { certificate: other.certificate },
    ])
      expect((await a.call("POST", "pki/revoke", body)).status).toBe(400);
    await a.pki.writeCrlConfig({ cross_cluster_revocation: false });
    expect(await refusal(a.pki.revoke({ serial_number: "0a:0b" }))).toEqual([
      400,
      "certificate with serial 0a:0b not found.",
    ]);
    expect((await queue(a)).status).toBe(404);
  });

  it("is rejected if 1000 others are queued, and the queue is listed in pages", async () => {
    const { a } = await ready();
    const { uuid } = await a.sys.readMount({ path: "pki" });
    const serials = Array.from({ length: 1000 }, (_, n) => `7f${n.toString(16).padStart(4, "0")}`);
    const store = a.stores(uuid);
    for (const serial of serials)
      await store.commit({ put: [[`revocation-queue/${serial}`, { at: 1 }]] });
    const full = await a.call("POST", "pki/revoke", { serial_number: "0a:0b" });
    expect([full.status, full.errors]).toEqual([
      429,
      [
        "the queue of revocation requests for unknown certificates is full (1000): run tidy with tidy_revocation_queue to remove old requests",
      ],
    ]);
    expect((await a.pki.revoke({ serial_number: "7f0001" })).state).toBe("pending");
    const page = await queue(a, "?after=7f:00:01&limit=2");
    expect(page.data["keys"]).toEqual(["7f:00:02", "7f:00:03"]);
    expect((await a.pki.listRevocationQueue({})).keys).toHaveLength(1000);
    expect(
      (await a.call("LIST", "pki/certs/revocation-queue", undefined, { token: "" })).status,
    ).toBe(403);
  });

  it("returns the original time if the certificate was revoked before it was removed", async () => {
    const { a } = await ready({});
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    const first = await a.pki.revoke({ serial_number });
    const { uuid } = await a.sys.readMount({ path: "pki" });
    await a.stores(uuid).commit({ del: [`cert/${plain(serial_number)}`] });
    a.clock.advance(5);
    expect(await a.pki.revoke({ serial_number })).toEqual(first);
    expect((await a.pki.listRevoked({})).keys).toEqual([serial_number]);
  });
});

describe("unified revocation list", () => {
  it("B 1.1 rule 9, B 1.3 LIST certs/unified-revoked: lists local revocations under the deployment's uuid while unified_crl is on", async () => {
    const { a, cluster } = await ready({ auto_rebuild: true, unified_crl: true });
    expect((await a.call("LIST", "pki/certs/unified-revoked")).status).toBe(404);
    const serials: string[] = [];
    for (let i = 0; i < 3; i++) {
      const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
      expect(warningsOf(await a.pki.revoke({ serial_number }))).toEqual([]);
      serials.push(serial_number);
    }
    serials.sort();
    const { data } = await a.call("LIST", "pki/certs/unified-revoked");
    expect(data).toEqual({
      keys: serials,
      key_info: Object.fromEntries(
        serials.map((serial) => [serial, { revoking_clusters: [cluster] }]),
      ),
    });
    expect(data["keys"]).toEqual((await a.pki.listRevoked({})).keys);
    const page = await a.pki.listUnifiedRevoked({ after: serials[0], limit: 1 });
    expect(page.keys).toEqual([serials[1]]);
    await a.pki.writeCrlConfig({ unified_crl: false });
    expect((await a.call("LIST", "pki/certs/unified-revoked")).status).toBe(404);
  });
});
