import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { crafted } from "../pki/crafted.ts";
import { authority, start, warningsOf, type Authority } from "../support/authority.ts";

const plain = (serial = "") => serial.replaceAll(":", "");
async function ready() {
  const a = authority();
  const root = await a.root();
  const below = await a.intermediate();
  const serial = (await a.pki.listIssuers({})).key_info[below.id]?.serial_number ?? "";
  a.clock.advance(5);
  return { a, root, below, serial };
}
const listed = async (a: Authority, path: string) =>
  [...eachRevoked(parseCrl((await a.call("GET", path)).bytes))].map(({ serial }) => toHex(serial));

describe("revoking an issuer", () => {
  it("B 1.2 effects: removes the issuing usage permanently, revokes the stored certificate, and rebuilds all CRLs even with auto_rebuild", async () => {
    const { a, below, serial } = await ready();
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    await a.role("web", { issuer_ref: below.id });
    const lists = ["root", below.id].map((id) => `pki/issuer/${id}/crl/der`);
    const timesOf = () =>
      Promise.all(
        lists.map(async (path) => parseCrl((await a.call("GET", path)).bytes).thisUpdate),
      );
    const before = await timesOf();
    a.clock.advance(60);
    await a.pki.revokeIssuer({ issuer_ref: below.id });
    expect(await timesOf()).toEqual([start / 1000 + 65, start / 1000 + 65]);
    expect(before).not.toContain(start / 1000 + 65);
    expect((await a.pki.listRevoked({})).keys).toEqual([serial]);
    expect((await a.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(400);
    const written = await a.call("POST", `pki/issuer/${below.id}`, {
      usage: "issuing-certificates,crl-signing",
    });
    expect(written.status).toBe(400);
  });

  it("B 1.2 response: returns the issuer as a read does, with the time in both forms", async () => {
    const { a, below } = await ready();
    const { status, data } = await a.call("POST", `pki/issuer/${below.id}/revoke`);
    expect(status).toBe(200);
    expect(data).toEqual((await a.call("GET", `pki/issuer/${below.id}`)).data);
    expect(data).toMatchObject({
      revoked: true,
      revocation_time: start / 1000 + 5,
      revocation_time_rfc3339: "2030-01-02T03:04:10Z",
    });
  });

  it("B 1.2 already revoked: returns the first revocation without warnings", async () => {
    const { a } = await ready();
    const { warnings: _, ...first } = (await a.pki.revokeIssuer({
      issuer_ref: "root",
    })) as Readonly<Record<string, unknown>>;
    a.clock.advance(60);
    const again = await a.pki.revokeIssuer({ issuer_ref: "root" });
    expect(again).toEqual(first);
    expect(warningsOf(again)).toEqual([]);
  });

  it("B 1.2 warnings: for a self-signed issuer, one without a parent in the mount, and the default", async () => {
    const { a, below } = await ready();
    const begins = (issuer_ref: string) =>
      a.pki
        .revokeIssuer({ issuer_ref })
        .then((told) => warningsOf(told).map((text) => text.split(/[.;]/, 1)[0]));
    const selfSigned = "This issuer is a self-signed (potentially root) certificate";
    const alone = "This issuer lacks another parent issuer within the mount";
    const isDefault = "This issuer is currently configured as the default issuer for this mount";
    const far = await crafted({ subject: "Far", issuer: "Farther" });
    const [id = ""] = (await a.pki.importCertificates({ pem_bundle: far })).imported_issuers ?? [];
    expect(await begins(id)).toEqual([alone]);
    expect(await begins(below.id)).toEqual([]);
    expect(await begins("root")).toEqual([selfSigned, alone, isDefault]);
  });

  it("B 1.2 other issuers' lists: the certificate is on the CRLs of all issuers whose key verifies it, not on its own and on no delta CRL", async () => {
    const { a, below, serial } = await ready();
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    await a.pki.revokeIssuer({ issuer_ref: below.id });
    expect(await listed(a, "pki/issuer/root/crl/der")).toEqual([plain(serial)]);
    expect(await listed(a, `pki/issuer/${below.id}/crl/der`)).toEqual([]);
    await a.pki.rotateDeltaCrl({});
    expect(await listed(a, "pki/issuer/root/crl/delta/der")).toEqual([]);
    await a.pki.revokeIssuer({ issuer_ref: "root" });
    expect(await listed(a, "pki/issuer/root/crl/der")).toEqual([plain(serial)]);
  });

  it("B 1.2 unknown ref: returns 400, and in the compat dialect 500 with the same message", async () => {
    const { a } = await ready();
    for (const [compat, status] of [
      [false, 400],
      [true, 500],
    ] as const) {
      const answer = await a.call("POST", "pki/issuer/nobody/revoke", {}, { compat });
      expect([answer.status, answer.errors]).toEqual([
        status,
        ["unable to find PKI issuer for reference: nobody"],
      ]);
    }
  });
});

describe("LIST certs", () => {
  it("B 1.3 contents of certs: issued and stored certificates, generated roots and those presented for revocation, but no imported issuers", async () => {
    const a = authority();
    const root = await a.root();
    await a.role("web");
    await a.role("lost", { no_store: true });
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    const lost = await a.pki.issue({ role: "lost", common_name: "b.test" });
    await a.pki.importCertificates({ pem_bundle: await crafted({}) });
    const keys = async () => (await a.pki.listCerts({})).keys;
    const kept = [root.serial_number, leaf.serial_number].toSorted();
    expect(await keys()).toEqual(kept);
    await a.pki.revoke({ certificate: lost.certificate });
    expect(await keys()).toEqual([...kept, lost.serial_number].toSorted());
  });
});
