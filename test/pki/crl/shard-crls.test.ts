import { describe, expect, it } from "vitest";
import { toHex } from "../../../src/base/bytes.ts";
import { decodePem } from "../../../src/base/pem.ts";
import { findExtension, parseCertificate } from "../../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../../src/x509/crl.ts";
import { readCrlDistributionPoints } from "../../../src/x509/distribution-points.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { authority, seeded, type Authority } from "../../support/authority.ts";
import { faultyStores, unreachable } from "../../support/faulty.ts";

const base = "http://ca.test/v1/pki";
const day = 86_400;
async function prepared(a: Authority, shards: number): Promise<Authority> {
  await a.root();
  await a.role("web", { max_ttl: "9000h" });
  await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
  await a.pki.writeCrlConfig({ shards });
  return a;
}
function pointOf(pem: string): string {
  const [block] = decodePem(pem);
  const { crlDistributionPoints } = extensionOid;
  const found = block && findExtension(parseCertificate(block.der), crlDistributionPoints);
  return (found && readCrlDistributionPoints(found.value)[0]) ?? "";
}
const uuidOf = async (a: Authority): Promise<string> =>
  (await a.call("GET", "sys/mounts/pki")).data["uuid"] as string;
async function issued(a: Authority, role = "web", ttl = "900h") {
  const { certificate: pem, serial_number: serial } = await a.pki.issue({
    role,
    common_name: "a.test",
    ttl,
  });
  return { pem, serial, point: pointOf(pem) };
}
/** Returns the serial numbers in the CRL at a URL; undefined if there is none. */
async function listedAt(a: Authority, address: string): Promise<readonly string[] | undefined> {
  const { status, bytes } = await a.call("GET", address.replace("http://ca.test/v1/", ""));
  if (status === 204) return undefined;
  expect([address, status]).toEqual([address, 200]);
  return [...eachRevoked(parseCrl(bytes))].map(({ serial }) => toHex(serial)).toSorted();
}

describe("security row 65: certificates and the CRLs of shards", () => {
  it("agree for stored and unstored, revoked and valid certificates, and any changes of the number of shards", async () => {
    const seed = Math.floor(Math.random() * 2 ** 30);
    process.stdout.write(`seed ${seed}\n`);
    const random = seeded(seed);
    const below = (n: number): number => (((random(1)[0] ?? 0) << 8) + (random(1)[0] ?? 0)) % n;
    const a = await prepared(authority({ seed }), 1 + below(8));
    await a.role("brief", { no_store: true });
    await a.pki.writeCrlConfig({ auto_rebuild: below(2) === 0 });
    const revoked = new Map<string, string[]>();
    const points = new Set<string>();
    for (let i = 0; i < 60; i++) {
      if (below(12) === 0) await a.pki.writeCrlConfig({ shards: below(4) * below(9) });
      const role = below(4) === 0 ? "brief" : "web";
      const { pem, serial, point } = await issued(a, role);
      points.add(point);
      if (below(2) === 0) continue;
      await a.pki.revoke(role === "web" ? { serial_number: serial } : { certificate: pem });
      revoked.set(point, [...(revoked.get(point) ?? []), serial.replaceAll(":", "")]);
    }
    await a.pki.rotateCrl({});
    a.clock.advance(1);
    const whole = `${base}/crl`;
    for (const point of points)
      if (point !== whole)
        expect([point, await listedAt(a, point)]).toEqual([
          point,
          (revoked.get(point) ?? []).toSorted(),
        ]);
    const complete = await listedAt(a, whole);
    if (complete !== undefined) expect(complete).toEqual([...revoked.values()].flat().toSorted());
    else expect(points.has(whole)).toBe(false);
    expect(a.events.filter(({ endpoint }) => endpoint === "crl entries")).toEqual([]);
  });

  it("agree if a new certificate names no CRL: the complete CRL is created for it", async () => {
    const a = await prepared(authority(), 3);
    expect(await listedAt(a, `${base}/crl`)).toBeUndefined();
    await a.pki.writeUrls({ crl_distribution_points: [] });
    const plain = await issued(a);
    await a.ca.tick();
    const states = await a.stores(await uuidOf(a)).list("crlstate/");
    expect(states.filter(([key]) => !key.includes("-"))).toHaveLength(1);
    await a.pki.revoke({ serial_number: plain.serial });
    expect(await listedAt(a, `${base}/crl`)).toEqual([plain.serial.replaceAll(":", "")]);
  });
});

describe("issuing with shards", () => {
  it("reads the store as often as without shards, and records once which CRL is needed", async () => {
    const { stores, calls } = faultyStores();
    const a = await prepared(authority({ stores }), 4);
    for (let i = 0; i < 3; i++) await issued(a);
    const needs = async () => (await a.stores(await uuidOf(a)).list("crlneed/")).length;
    expect(await needs()).toBe(1);
    calls();
    await issued(a);
    const sharded = calls();
    await a.pki.writeCrlConfig({ shards: 0 });
    for (let i = 0; i < 3; i++) await issued(a);
    calls();
    await issued(a);
    expect(sharded).toEqual(calls());
    expect(sharded).toHaveLength(1);
    expect(await needs()).toBe(1);
  });

  it("records it again if the certificate that recorded it could not be stored", async () => {
    const { stores, fault } = faultyStores();
    const a = await prepared(authority({ stores }), 2);
    const uuid = await uuidOf(a);
    fault(uuid, (verb) => (verb === "commit" ? unreachable() : undefined));
    await expect(issued(a)).rejects.toThrow("storage");
    fault(uuid, undefined);
    expect(await a.stores(uuid).list("crlneed/")).toEqual([]);
    await issued(a);
    expect(await a.stores(uuid).list("crlneed/")).toHaveLength(1);
  });
});

describe("CRLs of shards over time", () => {
  it("are unpublished when their shards expire or the mount is deleted", async () => {
    const published = new Map<string, Uint8Array>();
    const a = await prepared(
      authority({
        publish: {
          put: async (key, bytes) => void published.set(key, bytes),
          get: async (key) => published.get(key),
          delete: async (key) => void published.delete(key),
        },
      }),
      2,
    );
    const { point } = await issued(a, "web", "24h");
    expect(await listedAt(a, point)).toEqual([]);
    const lists = () => new Set([...published.keys()].map((key) => key.split("/")[2]));
    await a.pki.writeCrlConfig({ shards: 3 });
    expect([...lists()].filter((list) => list?.includes("-"))).toHaveLength(5);
    for (let i = 0; i < 8; i++) {
      a.clock.advance(2 * day);
      await a.ca.tick();
    }
    for (let i = 0; i < 3; i++) {
      a.clock.advance(600);
      await a.ca.tick();
    }
    expect([...lists()].map((list) => list?.split("-").slice(1).join("-")).toSorted()).toEqual([
      "3-0",
      "3-1",
      "3-2",
    ]);
    expect(await listedAt(a, point)).toBeUndefined();
    await a.sys.deleteMount({ path: "pki" });
    for (let i = 0; i < 3; i++) {
      a.clock.advance(600);
      await a.ca.tick();
    }
    expect([...published.keys()]).toEqual([]);
  });

  it("stay for certificates that were not stored, as long as the mount allows them to be valid", async () => {
    const a = authority();
    await a.root();
    await a.role("brief", { no_store: true });
    await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
    const { pem, serial, point } = await issued(a, "brief", "700h");
    expect(point).toBe(`${base}/crl`);
    await a.pki.writeCrlConfig({ shards: 2 });
    await a.ca.tick();
    expect(await listedAt(a, point)).toEqual([]);
    a.clock.advance(20 * day);
    await a.pki.revoke({ certificate: pem });
    expect(await listedAt(a, point)).toEqual([serial.replaceAll(":", "")]);
  });

  it("clear their notices in sys/health when they are removed", async () => {
    const { stores, fault } = faultyStores();
    const a = await prepared(authority({ stores }), 2);
    await issued(a, "web", "24h");
    await a.pki.writeCrlConfig({ shards: 3 });
    const uuid = await uuidOf(a);
    a.clock.advance(3 * day - 3600);
    fault(uuid, (verb) => (verb === "commit" ? unreachable() : undefined));
    await a.ca.tick();
    fault(uuid, undefined);
    const notices = async () =>
      (await stores("sys").list("notice/")).filter(([key]) => /-2-\d$/.test(key)).length;
    expect(await notices()).toBe(2);
    for (let i = 0; i < 3; i++) {
      a.clock.advance(7 * day);
      await a.ca.tick();
    }
    expect(await notices()).toBe(0);
  });

  it("stay for unstored certificates even if their role is deleted or they exceed the mount's maximum TTL", async () => {
    const a = await prepared(authority(), 0);
    await a.role("brief", { no_store: true });
    const one = await issued(a, "brief", "900h");
    const two = await a.call("POST", "pki/issue/brief", {
      common_name: "a.test",
      not_after: "2039-01-01T00:00:00Z",
    });
    await a.pki.deleteRole({ name: "brief" });
    await a.call("POST", "sys/mounts/pki/tune", { max_lease_ttl: "100h" });
    await a.pki.writeCrlConfig({ shards: 2 });
    a.clock.advance(30 * day);
    await a.ca.tick();
    expect(await listedAt(a, one.point)).toEqual([]);
    a.clock.advance(3000 * day);
    await a.ca.tick();
    const long = two.data as { readonly certificate: string; readonly serial_number: string };
    await a.pki.revoke({ certificate: long.certificate });
    expect(await listedAt(a, pointOf(long.certificate))).toEqual([
      long.serial_number.replaceAll(":", ""),
    ]);
  });

  it("stay for a re-signed self-issued certificate, and for one whose row is damaged", async () => {
    const other = authority({ seed: 2 });
    await other.root();
    const { certificate } = (await other.call("GET", "pki/cert/ca")).data as {
      readonly certificate: string;
    };
    const a = await prepared(authority(), 0);
    const again = await a.pki.signSelfIssued({ certificate });
    await a.pki.writeCrlConfig({ shards: 2 });
    await a.ca.tick();
    expect(await listedAt(a, pointOf(again.certificate))).toEqual([]);
    const b = await prepared(authority(), 0);
    const { serial, point } = await issued(b);
    const store = b.stores(await uuidOf(b));
    const key = `cert/${serial.replaceAll(":", "")}`;
    const index = { not_after: b.clock.now / 1000 + 900 * 3600 };
    await store.commit({ put: [[key, { der: Uint8Array.of(1, 2), crc: 3 }, index]] });
    await b.pki.writeCrlConfig({ shards: 2 });
    await b.ca.tick();
    expect(await listedAt(b, point)).toEqual([]);
    expect((await store.get(["crlneeds"]))[0]?.value).toEqual({ known: true });
  });

  it("stay for certificates that were examined while the configuration changed", async () => {
    const a = await prepared(authority(), 0);
    const { point } = await issued(a);
    const store = a.stores(await uuidOf(a));
    const { commit } = store;
    let changed = 0;
    store.commit = async (batch) =>
      batch.put?.some(([key]) => key.endsWith("/before")) && changed++ === 0
        ? undefined
        : commit(batch);
    await a.pki.writeCrlConfig({ shards: 2 });
    for (let i = 0; i < 3; i++) {
      a.clock.advance(1);
      await a.ca.tick();
    }
    expect(changed).toBeGreaterThan(0);
    expect(await listedAt(a, point)).toEqual([]);
    expect((await store.get(["crlneeds"]))[0]?.value).toEqual({ known: true });
  });

  it("are built again if the clock was ahead and is set back", async () => {
    for (const [before, ahead] of [
      [4, 8],
      [0, 4],
    ] as const) {
      const a = await prepared(authority(), before);
      const { point, serial } = await issued(a);
      a.clock.advance(400 * day);
      await a.pki.writeCrlConfig({ shards: ahead });
      for (let i = 0; i < 3; i++) {
        a.clock.advance(60);
        await a.ca.tick();
      }
      expect(await listedAt(a, point)).toBeUndefined();
      a.clock.advance(-399 * day);
      await a.ca.tick();
      await a.pki.revoke({ serial_number: serial });
      expect(await listedAt(a, point)).toEqual([serial.replaceAll(":", "")]);
    }
  });

  it("continue the numbers of a former CRL, and never reuse a number", async () => {
    const a = await prepared(authority(), 0);
    for (let i = 0; i < 3; i++) await a.pki.rotateCrl({});
    const store = a.stores(await uuidOf(a));
    const numberOf = async () => {
      const [, row] = (await store.list("crlstate/")).find(([key]) => !key.includes("-")) ?? [];
      return (row?.value as { readonly number: number } | undefined)?.number;
    };
    const before = (await numberOf()) ?? 0;
    await a.pki.writeCrlConfig({ shards: 2 });
    expect(await numberOf()).toBeUndefined();
    await a.pki.writeCrlConfig({ shards: 0 });
    expect(await numberOf()).toBeGreaterThan(before);
  });

  it("are built before a change returns, at most a hundred, and the others soon afterwards", async () => {
    let puts = 0;
    const published = new Map<string, Uint8Array>();
    const a = authority({
      publish: {
        put: async (key, bytes) => {
          puts++;
          published.set(key, bytes);
        },
        get: async (key) => published.get(key),
      },
    });
    await prepared(a, 0);
    await a.pki.writeCrlConfig({ auto_rebuild: true, enable_delta: true });
    puts = 0;
    await a.pki.writeCrlConfig({ shards: 256 });
    // CRLs and deltas: a run on Workers may access KV a thousand times
    expect(puts).toBeGreaterThan(0);
    expect(puts).toBeLessThanOrEqual(200);
    // reading a CRL that does not exist yet builds it
    expect(await listedAt(a, `${base}/crl/shard/256-99`)).toEqual([]);
    for (let i = 0; i < 4; i++) {
      a.clock.advance(1);
      await a.ca.tick();
    }
    const states = await a.stores(await uuidOf(a)).list("crlstate/");
    expect(states.filter(([key]) => /-256-\d+$/.test(key))).toHaveLength(256);
    expect(states.filter(([key]) => key.endsWith(".delta"))).toHaveLength(256);
  });

  it("are built before a change returns even if CRLs of an earlier change are left", async () => {
    const a = await prepared(authority(), 256);
    await a.pki.writeCrlConfig({ shards: 128 });
    const states = await a.stores(await uuidOf(a)).list("crlstate/");
    expect(states.filter(([key]) => /-128-\d+$/.test(key)).length).toBeGreaterThan(0);
  });

  it("are built even if another one cannot be built", async () => {
    const a = await prepared(authority(), 0);
    for (let i = 0; i < 2; i++) {
      const { serial } = await issued(a);
      await a.pki.revoke({ serial_number: serial });
    }
    await a.pki.writeCrlConfig({ max_crl_entries: 1 });
    a.clock.advance(70 * 3600);
    await a.pki.writeCrlConfig({ shards: 2 });
    const states = await a.stores(await uuidOf(a)).list("crlstate/");
    expect(states.map(([key]) => key.replace(/^[^-]*/, "")).toSorted()).toEqual([
      "",
      "-2-0",
      "-2-1",
    ]);
  });

  it("stay for a certificate that only a later page of a listing contains", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { max_ttl: "9000h" });
    for (let i = 0; i < 40; i++) await issued(a, "web", i === 17 ? "8000h" : "24h");
    const uuid = await uuidOf(a);
    const store = a.stores(uuid);
    const { list } = store;
    // simulates a listing that returns at most ten rows
    store.list = (prefix, page = {}) =>
      list(prefix, prefix === "cert/" && page.values === false ? { ...page, limit: 10 } : page);
    await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
    await a.pki.writeCrlConfig({ shards: 2 });
    a.clock.advance(30 * day);
    await a.ca.tick();
    expect(await listedAt(a, `${base}/crl`)).toBeDefined();
  });
});
