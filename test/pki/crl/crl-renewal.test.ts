import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { eachRevoked, parseCrl, type Crl } from "../../../src/x509/crl.ts";
import { readCrlNumber } from "../../support/crl-number.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import {
  authority,
  start,
  type Authority,
  type AuthorityOptions,
} from "../../support/authority.ts";
import { failing } from "./failing-commits.ts";

const hour = 3600;
const crlOf = async (a: Authority): Promise<Crl> =>
  parseCrl((await a.call("GET", "pki/crl")).bytes);
const numberOf = (crl: Crl): number =>
  readCrlNumber(
    crl.extensions.find(({ oid }) => oid === extensionOid.crlNumber)?.value ?? new Uint8Array(0),
  );
const serials = (crl: Crl): readonly string[] =>
  [...eachRevoked(crl)].map((entry) => toHex(entry.serial)).sort();
async function ready(options: AuthorityOptions = {}): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await a.role("web");
  return a;
}
async function revoked(a: Authority): Promise<string> {
  const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "9000h" });
  await a.pki.revoke({ serial_number });
  return serial_number.replaceAll(":", "");
}
const isCurrent = (a: Authority, crl: Crl): boolean =>
  crl.thisUpdate * 1000 <= a.clock.now && a.clock.now < (crl.nextUpdate ?? 0) * 1000;
const warnings = async (a: Authority): Promise<unknown> => {
  a.clock.advance(1);
  return (await a.call("GET", "sys/health", undefined, { token: "" })).json["warnings"];
};

it.each([0, 2])("the CRLs of a deleted issuer are removed, with %i shards", async (shards) => {
  const a = await ready();
  await a.root({ common_name: "Other CA", issuer_name: "other" });
  await a.pki.writeUrls({ crl_distribution_points: "http://ca.test/v1/pki/crl" });
  await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true, shards });
  await a.ca.tick();
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const setsOf = async (prefix: string): Promise<number> => {
    const rows = await a.stores(uuid).list(prefix);
    return new Set(rows.map(([key]) => /^[0-9a-f]+/.exec(key.slice(prefix.length))?.[0])).size;
  };
  const prefixes = ["crlstate/", "crlsum/", "crl/"];
  expect(await Promise.all(prefixes.map(setsOf))).toEqual([2, 2, 2]);
  await a.pki.deleteIssuer({ issuer_ref: "other" });
  for (let hours = 0; hours < 80; hours++) {
    a.clock.advance(hour);
    await a.ca.tick();
  }
  expect(await Promise.all(prefixes.map(setsOf))).toEqual([1, 1, 1]);
});

describe("a CRL close to its expiry", () => {
  it("B 1.8 rule 14: is re-signed by a tick, even without auto_rebuild", async () => {
    const a = await ready();
    const serial = await revoked(a);
    expect(a.wakes.at(-1)).toBe(start + 60 * hour * 1000);
    a.clock.advance(60 * hour);
    expect(await a.ca.tick()).toBe(start + 120 * hour * 1000);
    const crl = await crlOf(a);
    expect([numberOf(crl), serials(crl), crl.thisUpdate]).toEqual([
      3,
      [serial],
      start / 1000 + 60 * hour,
    ]);
  });

  it("is re-signed by the first read if jobs do not run, once for all readers", async () => {
    const a = await ready();
    const serial = await revoked(a);
    a.clock.advance(240 * hour);
    const lists = await Promise.all(Array.from({ length: 20 }, () => crlOf(a)));
    for (const crl of lists)
      expect([isCurrent(a, crl), serials(crl), numberOf(crl)]).toEqual([true, [serial], 3]);
    expect((await a.pki.readCrlCert({})).certificate).toContain("BEGIN X509 CRL");
    expect(numberOf(await crlOf(a))).toBe(3);
  });

  it("is re-signed halfway if the grace period is longer, and at most once a minute by ticks", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ expiry: "4h" });
    await a.pki.rotateCrl({});
    expect(a.wakes.at(-1)).toBe(start + 2 * hour * 1000);
    await a.pki.writeCrlConfig({ expiry: "2s" });
    await a.pki.rotateCrl({});
    expect(a.wakes.at(-1)).toBe(start + 60_000);
    const before = numberOf(await crlOf(a));
    a.clock.advance(1);
    expect(numberOf(await crlOf(a))).toBe(before);
    a.clock.advance(1);
    expect(numberOf(await crlOf(a))).toBe(before + 1);
  });

  it("stays unchanged if CRLs are disabled", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ disable: true });
    const before = numberOf(await crlOf(a));
    a.clock.advance(400 * hour);
    expect(await a.ca.tick()).toBeUndefined();
    expect(numberOf(await crlOf(a))).toBe(before);
  });

  it("is served while it cannot be re-signed, retried by a read every 30 seconds, and reported by sys/health", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    const serial = await revoked(a);
    a.clock.advance(61 * hour);
    [fail.on, fail.count] = [true, 0];
    for (let i = 0; i < 20; i++) expect(serials(await crlOf(a))).toEqual([serial]);
    expect(fail.count).toBe(1);
    expect(a.events.find(({ endpoint }) => endpoint === "renew crl")).toMatchObject({
      status: 500,
    });
    expect(await warnings(a)).toEqual([
      "A CRL is due to be rebuilt, but the build failed; the previous CRL is still served.",
    ]);
    a.clock.advance(30);
    await crlOf(a);
    expect(fail.count).toBe(2);
    // the CRL is valid for 72 hours
    a.clock.advance(12 * hour);
    expect(serials(await crlOf(a))).toEqual([serial]);
    expect(await warnings(a)).toEqual([
      "A CRL has expired, because it could not be rebuilt; it is still served, but clients that require a current CRL reject it.",
    ]);
    fail.on = false;
    a.clock.advance(30);
    expect(isCurrent(a, await crlOf(a))).toBe(true);
    expect(await warnings(a)).toBeUndefined();
  });

  it("is no longer reported by sys/health if it was stored although the reply was lost", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    await revoked(a);
    a.clock.advance(61 * hour);
    fail.on = true;
    await crlOf(a);
    expect(await warnings(a)).toHaveLength(1);
    a.clock.advance(30);
    fail.on = "reply";
    await crlOf(a);
    fail.on = false;
    a.clock.advance(30);
    expect(isCurrent(a, await crlOf(a))).toBe(true);
    expect(await warnings(a)).toBeUndefined();
  });

  it("is reported by sys/health while it is dated in the future", async () => {
    const a = await ready();
    a.clock.advance(hour);
    await a.call("GET", "pki/crl/rotate");
    expect(await warnings(a)).toBeUndefined();
    a.clock.advance(-hour);
    expect(await warnings(a)).toEqual([expect.stringContaining("A CRL is dated in the future")]);
    await a.call("GET", "pki/crl/rotate");
    a.clock.advance(1);
    expect(await warnings(a)).toBeUndefined();
  });

  it("is reported by sys/health before it expires if no job or read renews it", async () => {
    const a = await ready();
    await revoked(a);
    a.clock.advance(60 * hour + 2);
    expect(await warnings(a)).toBeUndefined();
    a.clock.advance(6 * hour);
    const text = "A CRL was due for renewal but was not renewed; it expires soon or has expired.";
    expect(await warnings(a)).toContain(text);
    a.clock.advance(400 * hour);
    expect(await warnings(a)).toContain(text);
    await crlOf(a);
    expect(await warnings(a)).toBeUndefined();
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    a.clock.advance(67 * hour);
    expect(await warnings(a)).toContain(text);
    await a.ca.tick();
    expect(await warnings(a)).toBeUndefined();
    a.clock.advance(70 * hour);
    await a.pki.writeCrlConfig({ disable: true });
    a.clock.advance(70 * hour);
    expect(await warnings(a)).not.toContain(text);
  });

  it("B 1.6 pending rebuild: is built by the first read or by a tick if its first build failed", async () => {
    for (const ticks of [false, true]) {
      const { stores, fail } = failing();
      const a = authority({ stores });
      fail.on = true;
      await a.root();
      expect((await a.call("GET", "pki/crl")).status).toBe(204);
      fail.on = false;
      a.clock.advance(31);
      if (ticks) await a.ca.tick();
      fail.on = ticks;
      expect(numberOf(await crlOf(a))).toBe(1);
    }
  });

  it.each(["revoke", "delete"])(
    "is built by a tick if an issuer was changed (%s) and the build failed, even with auto_rebuild",
    async (change) => {
      const { stores, fail } = failing();
      const a = await ready({ stores });
      const { id } = await a.intermediate();
      await a.pki.writeCrlConfig({ auto_rebuild: true });
      fail.on = true;
      if (change === "revoke") await a.pki.revokeIssuer({ issuer_ref: id });
      else await a.pki.deleteIssuer({ issuer_ref: id });
      fail.on = false;
      const before = numberOf(await crlOf(a));
      a.clock.advance(60);
      await a.ca.tick();
      const crl = await crlOf(a);
      expect([numberOf(crl), serials(crl).length]).toEqual([
        before + 1,
        change === "revoke" ? 1 : 0,
      ]);
    },
  );

  it("is cached no longer than it is valid", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ expiry: "40s" });
    await a.pki.rotateCrl({});
    a.clock.advance(15);
    expect((await a.call("GET", "pki/crl")).headers.get("cache-control")).toBe(
      "public, max-age=25",
    );
  });
});

describe("after the clock was ahead and was set back", () => {
  const ahead = 1000 * 24 * hour;

  it("a CRL dated ahead is re-signed by a read, with the next number", async () => {
    const a = await ready();
    a.clock.advance(ahead);
    const serial = await revoked(a);
    const before = numberOf(await crlOf(a));
    a.clock.advance(-ahead);
    const crl = await crlOf(a);
    expect([isCurrent(a, crl), serials(crl), numberOf(crl)]).toEqual([true, [serial], before + 1]);
  });

  it("auto_rebuild continues by jobs alone, with later revocations", async () => {
    const a = await ready();
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    a.clock.advance(ahead);
    await a.pki.rotateCrl({});
    a.clock.advance(-ahead);
    const serial = await revoked(a);
    expect(await a.ca.tick()).toBe(start + 60 * hour * 1000);
    const crl = await crlOf(a);
    expect([isCurrent(a, crl), serials(crl)]).toEqual([true, [serial]]);
    const later = await revoked(a);
    a.clock.advance(60 * hour);
    expect(await a.ca.tick()).toBe(start + 120 * hour * 1000);
    expect(serials(await crlOf(a))).toEqual([serial, later].sort());
  });

  it("a revocation whose CRL could not be built is on the next one, built by a job", async () => {
    const { stores, fail } = failing();
    const a = await ready({ stores });
    a.clock.advance(ahead);
    fail.on = true;
    const serial = await revoked(a);
    fail.on = false;
    a.clock.advance(-ahead);
    await a.ca.tick();
    a.clock.advance(1);
    expect(serials(await crlOf(a))).toEqual([serial]);
  });

  it("a reply that was wrapped at that time has expired and is removed, unless the clock was only slightly ahead", async () => {
    const a = await ready();
    const wrapped = async (): Promise<string> => {
      const { json } = await a.call(
        "POST",
        "pki/issue/web",
        { common_name: "a.test" },
        { header: { "x-service-wrap-ttl": "10m" } },
      );
      return (json["wrap_info"] as { readonly token: string }).token;
    };
    const unwrap = async (token: string) =>
      (await a.call("POST", "sys/wrapping/unwrap", { token })).status;
    a.clock.advance(ahead);
    const lost = await wrapped();
    a.clock.advance(-ahead + 300);
    const good = await wrapped();
    a.clock.advance(-300);
    await a.ca.tick();
    expect([await unwrap(lost), await unwrap(good)]).toEqual([400, 200]);
    expect(await a.stores("sys").list("wrapped/")).toEqual([]);
  });
});
