import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { spreadOf } from "../../../src/engine/placement.ts";
import type { Store } from "../../../src/engine/ports.ts";
import { findExtension, parseCertificate } from "../../../src/x509/certificate.ts";
import { eachRevoked, parseCrl, type Crl } from "../../../src/x509/crl.ts";
import {
  readCrlDistributionPoints,
  readIssuingDistributionPoint,
} from "../../../src/x509/distribution-points.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { authority, type Authority, type AuthorityOptions } from "../../support/authority.ts";

const base = "http://ca.test/v1/pki";
const day = 86_400;

/** Creates an authority that spreads new certificates over this many shards. */
async function sharded(shards: number, options: AuthorityOptions = {}): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await a.role("web", { max_ttl: "9000h" });
  await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
  await a.pki.writeCrlConfig({ shards });
  return a;
}
const storeOf = async (a: Authority): Promise<Store> =>
  a.stores((await a.call("GET", "sys/mounts/pki")).data["uuid"] as string);
const issued = async (a: Authority, ttl = "900h", role = "web") => {
  const { certificate, serial_number } = await a.pki.issue({ role, common_name: "a.test", ttl });
  return { pem: certificate, serial: serial_number, points: pointsOf(certificate) };
};
function pointsOf(pem: string): readonly string[] {
  const [block] = decodePem(pem);
  const found =
    block && findExtension(parseCertificate(block.der), extensionOid.crlDistributionPoints);
  return found ? readCrlDistributionPoints(found.value) : [];
}
/** Returns the response at a URL in a certificate. */
const at = (a: Authority, address: string | undefined) =>
  a.call("GET", (address ?? "").replace("http://ca.test/v1/", ""), undefined, { token: "" });
async function listAt(a: Authority, address: string | undefined): Promise<Crl> {
  const { status, bytes } = await at(a, address);
  expect([address, status]).toEqual([address, 200]);
  return parseCrl(bytes);
}
const serials = (list: Crl): readonly string[] =>
  [...eachRevoked(list)].map(({ serial }) => toHex(serial)).toSorted();
const namesOf = (list: Crl) => {
  const found = list.extensions.find(({ oid }) => oid === extensionOid.issuingDistributionPoint);
  return found && { critical: found.critical, names: readIssuingDistributionPoint(found.value) };
};
/** The published CRLs, shared by several engines. */
const published = new Map<string, Uint8Array>();
const kept = () => ({
  put: async (key: string, bytes: Uint8Array) => void published.set(key, bytes),
  get: async (key: string) => published.get(key),
  delete: async (key: string) => void published.delete(key),
});
const bare = (serial: string): string => serial.replaceAll(":", "");

describe("a certificate in a shard", () => {
  it("names the CRL of its shard, whose issuing distribution point has the same name, and is on it once revoked", async () => {
    const a = await sharded(4);
    const seen = new Set<string>();
    for (let i = 0; i < 24; i++) {
      const { serial, points } = await issued(a);
      expect(points).toHaveLength(1);
      const [point] = points;
      const number = spreadOf(bare(serial)) % 4;
      expect(point).toBe(`${base}/crl/shard/4-${number}`);
      seen.add(point ?? "");
      const before = await listAt(a, point);
      expect(namesOf(before)).toEqual({ critical: true, names: [point] });
      expect(serials(before)).not.toContain(bare(serial));
      await a.pki.revoke({ serial_number: serial });
      expect(serials(await listAt(a, point))).toContain(bare(serial));
    }
    expect(seen.size).toBe(4);
    const all = [...seen].map(async (point) => serials(await listAt(a, point)));
    expect((await Promise.all(all)).flat()).toHaveLength(24);
  });

  it("names it by every configured URL, each of which returns its own format", async () => {
    const a = await sharded(2);
    const { issuer_id } = (await a.call("GET", "pki/issuer/root")).data;
    await a.pki.writeUrls({
      crl_distribution_points: [
        `${base}/crl`,
        `${base}/crl/pem`,
        `${base}/issuer/${String(issuer_id)}/crl/der`,
        `${base}/issuer/${String(issuer_id)}/crl/pem`,
        `${base}/issuer/${String(issuer_id)}/crl/`,
      ],
    });
    const { points } = await issued(a);
    const [, der] = await Promise.all([listAt(a, points[0]), at(a, points[0])]);
    expect(namesOf(parseCrl(der.bytes))?.names).toEqual(points);
    for (const [i, point] of points.entries()) {
      const { bytes, headers, text, status } = await at(a, point);
      expect([point, status]).toEqual([point, 200]);
      const isPem = point.includes("/pem/");
      expect(headers.get("content-type")).toBe(
        isPem ? "application/x-pem-file" : "application/pkix-crl",
      );
      const found = isPem ? decodePem(text)[0]?.der : bytes;
      expect([i, found]).toEqual([i, der.bytes]);
      const etag = headers.get("etag") ?? "";
      const again = await a.call("GET", point.replace("http://ca.test/v1/", ""), undefined, {
        token: "",
        header: { "if-none-match": etag },
      });
      expect(again.status).toBe(304);
    }
  });

  it("names it before a query or fragment, and only by HTTP URLs", async () => {
    const a = await sharded(2, { publish: kept() });
    const other = "ldap://dir.test/cn=ca?certificateRevocationList;binary";
    await a.pki.writeUrls({
      crl_distribution_points: [other, `${base}/crl?from=leaf`, `${base}/crl/#list`],
    });
    const { pem, points, serial } = await issued(a);
    expect(points.map((point) => point.replace(/2-[01]/, "2-i"))).toEqual([
      `${base}/crl/shard/2-i?from=leaf`,
      `${base}/crl/shard/2-i#list`,
    ]);
    await a.pki.revoke({ certificate: pem });
    const list = await listAt(a, points[0]);
    expect([serials(list), namesOf(list)?.names]).toEqual([[bare(serial)], points]);
    // an engine that reads it first uses the published bytes
    const second = authority({ stores: a.stores, clock: a.clock, publish: kept() });
    expect(serials(await listAt(second, points[0]))).toEqual([bare(serial)]);
    expect(second.events.filter(({ endpoint }) => endpoint === "read crl")).toEqual([]);
    // without an HTTP URL, the complete CRL covers the certificate
    await a.pki.writeUrls({ crl_distribution_points: [other] });
    const whole = await issued(a);
    expect(whole.points).toEqual([other]);
    await a.pki.revoke({ serial_number: whole.serial });
    expect(serials(parseCrl((await a.call("GET", "pki/crl")).bytes))).toContain(bare(whole.serial));
  });

  it("names it by unified CRL URLs, which return it", async () => {
    const a = await sharded(2);
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    const unified = ["unified-crl", "issuer/root/unified-crl/der", "issuer/root/unified-crl"];
    await a.pki.writeUrls({
      crl_distribution_points: unified.map((path) => `${base}/${path}`),
      delta_crl_distribution_points: unified.map((path) =>
        `${base}/${path}`.replace(/unified-crl/, "unified-crl/delta"),
      ),
    });
    const { points, serial } = await issued(a);
    await a.pki.revoke({ serial_number: serial });
    await a.pki.rotateCrl({});
    for (const point of points) expect(serials(await listAt(a, point))).toEqual([bare(serial)]);
    for (const path of ["unified-crl", "issuer/root/unified-crl"])
      for (const kind of ["", "/delta"])
        for (const form of ["", "/pem"]) {
          const local = await at(
            a,
            `${base}/${path.replace("unified-", "")}${kind}${form}/shard/2-1`,
          );
          const found = await at(a, `${base}/${path}${kind}${form}/shard/2-1`);
          expect([path, kind, form, found.status]).toEqual([path, kind, form, 200]);
          expect(found.bytes).toEqual(local.bytes);
        }
  });

  it("has a CRL that the typed client reads in each format", async () => {
    const a = await sharded(2);
    const [shard, issuer_ref] = ["2-1", "root"];
    const [der, pem] = [expect.any(Uint8Array), expect.stringContaining("BEGIN X509 CRL")];
    expect(await a.pki.readShardCrl({ shard })).toEqual(der);
    expect(await a.pki.readIssuerShardCrl({ shard, issuer_ref })).toEqual(der);
    expect(await a.pki.readShardCrlPem({ shard })).toEqual(pem);
    expect(await a.pki.readIssuerShardCrlPem({ shard, issuer_ref })).toEqual(pem);
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    expect(await a.pki.readShardDelta({ shard })).toEqual(der);
    expect(await a.pki.readIssuerShardDelta({ shard, issuer_ref })).toEqual(der);
    expect(await a.pki.readShardDeltaPem({ shard })).toEqual(pem);
    expect(await a.pki.readIssuerShardDeltaPem({ shard, issuer_ref })).toEqual(pem);
  });

  it("has a CRL path that returns 204 for other shards, and 404 if the name is not that of a shard", async () => {
    const a = await sharded(2);
    for (const shard of ["2-2", "3-0", "256-255", "999-998"])
      expect([shard, (await a.call("GET", `pki/crl/shard/${shard}`)).status]).toEqual([shard, 204]);
    for (const shard of ["0-0", "2-01", "x", "2", "1000-1"])
      expect([shard, (await a.call("GET", `pki/crl/shard/${shard}`)).status]).toEqual([shard, 404]);
    expect((await a.call("GET", "pki/issuer/none/crl/shard/2-1")).status).toBe(404);
    expect((await a.call("GET", "pki/issuer/none/crl/pem/shard/2-1")).status).toBe(404);
  });

  it("names no CRL without a configured URL, and the complete CRL stays", async () => {
    const a = await sharded(4);
    await a.pki.writeUrls({ crl_distribution_points: [] });
    const { serial, points } = await issued(a);
    expect(points).toEqual([]);
    await a.ca.tick();
    await a.pki.revoke({ serial_number: serial });
    expect(serials(parseCrl((await a.call("GET", "pki/crl")).bytes))).toEqual([bare(serial)]);
  });

  it("is on the CRL of its shard if it is that of a revoked issuer", async () => {
    const a = await sharded(4);
    const { id, certificate } = await a.intermediate();
    const points = pointsOf(certificate);
    expect(points[0]).toMatch(/\/crl\/shard\/4-[0-3]$/);
    await a.pki.revokeIssuer({ issuer_ref: id });
    const [block] = decodePem(certificate);
    const serial = toHex(parseCertificate(block?.der ?? new Uint8Array()).serial);
    expect(serials(await listAt(a, points[0]))).toEqual([serial]);
    await a.pki.rotateCrl({});
    expect(serials(await listAt(a, points[0]))).toEqual([serial]);
    expect(a.events.filter(({ endpoint }) => endpoint === "crl entries")).toEqual([]);
  });

  it("is on the delta CRL of its shard, which has the same distribution point and which the complete CRL names", async () => {
    const a = await sharded(2);
    await a.pki.writeUrls({ delta_crl_distribution_points: [`${base}/crl/delta`] });
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    const { serial, points } = await issued(a);
    const whole = await listAt(a, points[0]);
    const freshest = whole.extensions.find(({ oid }) => oid === extensionOid.freshestCrl);
    const [address] = freshest ? readCrlDistributionPoints(freshest.value) : [];
    expect(address).toBe((points[0] ?? "").replace("/crl/", "/crl/delta/"));
    await a.pki.revoke({ serial_number: serial });
    expect(serials(await listAt(a, points[0]))).toEqual([]);
    a.clock.advance(15 * 60 + 1);
    const delta = await listAt(a, address);
    expect([serials(delta), namesOf(delta)]).toEqual([[bare(serial)], namesOf(whole)]);
    await a.pki.rotateCrl({});
    expect(serials(await listAt(a, points[0]))).toEqual([bare(serial)]);
    expect(serials(await listAt(a, address))).toEqual([]);
    for (const path of ["crl/delta/shard/3-0", "issuer/root/crl/delta/shard/3-0"])
      expect((await a.call("GET", `pki/${path}`)).status).toBe(204);
    for (const path of ["crl/delta/shard", "crl/delta/pem/shard", "crl/delta/der/shard"])
      expect((await a.call("GET", `pki/issuer/none/${path}/2-0`)).status).toBe(404);
  });

  it("has new URLs in the CRL of its shard as soon as they are configured", async () => {
    const a = await sharded(2);
    const before = await Promise.all(Array.from({ length: 8 }, () => issued(a)));
    await a.pki.writeUrls({ crl_distribution_points: ["http://other.test/v1/pki/crl"] });
    const after = await Promise.all(Array.from({ length: 8 }, () => issued(a)));
    for (const { points } of [...before, ...after]) {
      const path = (points[0] ?? "").replace("http://other.test", "http://ca.test");
      expect(namesOf(await listAt(a, path))?.names).toContain(points[0]);
    }
    // until every certificate with an old URL has expired
    a.clock.advance(8 * 7 * day);
    await a.ca.tick();
    const { points } = await issued(a);
    const path = (points[0] ?? "").replace("http://other.test", "http://ca.test");
    expect(namesOf(await listAt(a, path))?.names).toEqual(points);
  });

  it("is on the CRL that it names when it is presented, even if it was not stored", async () => {
    const a = await sharded(4);
    await a.role("brief", { no_store: true });
    const { pem, serial, points } = await issued(a, "900h", "brief");
    expect((await a.call("GET", `pki/cert/${serial}`)).status).toBe(404);
    await a.pki.revoke({ certificate: pem });
    expect(serials(await listAt(a, points[0]))).toEqual([bare(serial)]);
    await a.pki.rotateCrl({});
    expect(a.events.filter(({ endpoint }) => endpoint === "crl entries")).toEqual([]);
  });
});

describe("the number of shards", () => {
  it("causes a warning while certificates would name no CRL by HTTP", async () => {
    const a = authority();
    await a.root();
    const told = async (body: object) =>
      (await a.call("POST", "pki/config/crl", body)).json["warnings"] || undefined;
    const warning =
      "shards has no effect yet, because new certificates contain no HTTP URL of a CRL: set crl_distribution_points with POST config/urls or POST config/urls/defaults.";
    expect(await told({ shards: 16 })).toBe(warning);
    await a.pki.writeUrls({ crl_distribution_points: ["ldap://ca.test/cn=a"] });
    expect(await told({ shards: 64 })).toBe(warning);
    expect(await told({ expiry: "80h" })).toBeUndefined();
    expect(await told({ shards: 0 })).toBeUndefined();
    await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
    expect(await told({ shards: 16 })).toBeUndefined();
  });

  it("is checked against the expanded placeholders of distribution points", async () => {
    const a = authority();
    const told = async () =>
      (await a.call("POST", "pki/config/crl", { shards: 16 })).json["warnings"] || undefined;
    const template = "{{cluster_aia_path}}/issuer/{{issuer_id}}/crl/der";
    const urls = { enable_templating: true, crl_distribution_points: [template] };
    await a.pki.writeUrls(urls);
    // the mount has no URL yet to which they could expand
    expect(await told()).toMatch(/no effect yet/);
    await a.call("POST", "pki/config/cluster", { path: base, aia_path: base });
    expect(await told()).toBeUndefined();
    await a.root();
    expect(await told()).toBeUndefined();
    await a.pki.writeUrls({ crl_distribution_points: ["ldap://ca.test/{{issuer_id}}"] });
    expect(await told()).toMatch(/no effect yet/);
    await a.call("POST", "pki/issuer/default", {
      enable_aia_url_templating: true,
      crl_distribution_points: template,
    });
    expect(await told()).toBeUndefined();
  });

  it("must be between 0 and 256, and nothing changes otherwise", async () => {
    const a = await sharded(3);
    for (const shards of [-1, 257, 1e9]) {
      const refused = await a.call("POST", "pki/config/crl", { shards, expiry: "5h" });
      expect([refused.status, refused.errors]).toEqual([
        400,
        [`shards must be between 0 and 256, got ${shards}`],
      ]);
    }
    expect((await a.call("GET", "pki/config/crl")).data).toMatchObject({
      shards: 3,
      expiry: "72h",
    });
    expect((await a.call("POST", "pki/config/crl", { shards: 256 })).data["shards"]).toBe(256);
  });

  it("can be changed, and the old CRLs stay until the last certificate that names them has expired", async () => {
    const a = await sharded(2);
    const old = await issued(a, "240h");
    await a.pki.writeCrlConfig({ shards: 3 });
    const young = await issued(a, "8000h");
    expect(young.points[0]).toMatch(/\/shard\/3-/);
    await a.pki.revoke({ serial_number: old.serial });
    expect(serials(await listAt(a, old.points[0]))).toEqual([bare(old.serial)]);
    // renewed while it is needed, even though nothing is revoked
    for (let i = 0; i < 4; i++) {
      a.clock.advance(2 * day);
      await a.ca.tick();
      const { nextUpdate = 0 } = await listAt(a, old.points[0]);
      expect(nextUpdate * 1000).toBeGreaterThan(a.clock.now);
    }
    a.clock.advance(14 * day);
    expect((await at(a, old.points[0])).status).toBe(204);
    await a.ca.tick();
    a.clock.advance(3 * day);
    await a.ca.tick();
    expect((await at(a, old.points[0])).status).toBe(204);
    const states = (await (await storeOf(a)).list("crlstate/")).map(([key]) => key);
    expect(states.filter((key) => /-2-\d$/.test(key))).toEqual([]);
    expect(states.filter((key) => /-3-\d$/.test(key))).toHaveLength(3);
    expect((await at(a, young.points[0])).status).toBe(200);
  });

  it("keeps the complete CRL while a certificate names no shard, and then removes it permanently", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { max_ttl: "9000h" });
    const old = await issued(a, "100h");
    await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
    await a.pki.writeCrlConfig({ shards: 2 });
    const young = await issued(a, "4000h");
    for (const { serial } of [old, young]) await a.pki.revoke({ serial_number: serial });
    const complete = async () => serials(parseCrl((await a.call("GET", "pki/crl")).bytes));
    expect(await complete()).toEqual([old.serial, young.serial].map(bare).toSorted());
    a.clock.advance(12 * day);
    await a.ca.tick();
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    for (const _ of [1, 2]) {
      await a.pki.rotateCrl({});
      a.clock.advance(3 * day);
      await a.ca.tick();
    }
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    expect((await (await storeOf(a)).list("crlstate/")).map(([key]) => key)).toHaveLength(2);
    // without shards it exists again, with the next number
    await a.pki.writeCrlConfig({ shards: 0 });
    await a.ca.tick();
    expect(await complete()).toEqual([old.serial, young.serial].map(bare).toSorted());
    expect(a.events.filter(({ endpoint }) => endpoint === "crl entries")).toEqual([]);
  });

  it("clears the notices in sys/health of a removed CRL", async () => {
    const a = await sharded(1);
    await a.pki.writeCrlConfig({ max_crl_entries: 0, shards: 1 });
    const { serial } = await issued(a, "100h");
    await a.pki.revoke({ serial_number: serial });
    const warnings = async () => {
      a.clock.advance(1);
      return (await a.call("GET", "sys/health")).json["warnings"];
    };
    expect(await warnings()).toHaveLength(1);
    await a.pki.writeCrlConfig({ shards: 2 });
    a.clock.advance(14 * day);
    for (let i = 0; i < 3; i++) {
      await a.ca.tick();
      a.clock.advance(3600);
    }
    const states = (await (await storeOf(a)).list("crlstate/")).map(([key]) => key);
    expect(states.filter((key) => key.endsWith("-1-0"))).toEqual([]);
    expect(await warnings()).toBeUndefined();
  });

  it("removes the complete CRL immediately if no certificate needs it", async () => {
    const a = await sharded(2);
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
    const { points, serial } = await issued(a);
    await a.pki.revoke({ serial_number: serial });
    expect(serials(await listAt(a, points[0]))).toEqual([bare(serial)]);
    expect((await a.call("GET", "pki/crl")).status).toBe(204);
  });
});
