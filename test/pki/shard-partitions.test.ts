import { describe, expect, it } from "vitest";
import { decodePem } from "../../src/base/pem.ts";
import { fromHex, toHex } from "../../src/base/bytes.ts";
import { serialKey } from "../../src/base/ids.ts";
import { jobPrefix } from "../../src/base/row-keys.ts";
import type { Mount } from "../../src/engine/mount.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import { type Placement, spreadOf } from "../../src/engine/placement.ts";
import type { Batch } from "../../src/engine/ports.ts";
import type { Snapshot } from "../../src/engine/snapshot.ts";
import { memoryStore, type Store, type Stores } from "../../src/index.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { namedShard, shardOf } from "../../src/pki/issuer/crl-retention.ts";
import { revokeChange } from "../../src/pki/revoke/revocation.ts";
import { storedPki } from "../../src/pki/rows/records.ts";
import { findExtension, parseCertificate } from "../../src/x509/certificate.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import {
  crlDistributionPoints,
  readCrlDistributionPoints,
} from "../../src/x509/distribution-points.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, seeded, type Authority } from "../support/authority.ts";
import { faultyStores, unreachable } from "../support/faulty.ts";
import { assignFormerly, formerShard } from "../support/former-shard.ts";
import { partitionedStores } from "../support/partitioned-stores.ts";
import { fresh, gathered } from "../sys/backup/kept.ts";
import { crafted } from "./crafted.ts";

const base = "http://ca.test/v1/pki";
const hour = 3600;

interface Issued {
  /** Hexadecimal. */
  readonly serial: string;
  readonly point: string;
}
async function issue(a: Authority, ttl = "8000h"): Promise<Issued> {
  const { certificate } = await a.pki.issue({ role: "web", common_name: "a.test", ttl });
  const parsed = parseCertificate(decodePem(certificate)[0]?.der ?? new Uint8Array());
  const points = findExtension(parsed, extensionOid.crlDistributionPoints);
  const [point = ""] = points ? readCrlDistributionPoints(points.value) : [];
  return { serial: toHex(parsed.serial), point };
}
const issueMany = async (a: Authority, count: number): Promise<readonly Issued[]> => {
  const all: Issued[] = [];
  while (all.length < count) all.push(await issue(a));
  return all;
};
const revoke = (a: Authority, { serial }: Issued) =>
  a.call("POST", "pki/revoke", { serial_number: serial });
async function crlAt(a: Authority, point: string) {
  const { status, bytes } = await a.call("GET", point.replace("http://ca.test/v1/", ""));
  expect([point, status]).toEqual([point, 200]);
  const crl = parseCrl(bytes);
  return {
    thisUpdate: crl.thisUpdate,
    serials: [...eachRevoked(crl)].map(({ serial }) => toHex(serial)).toSorted(),
  };
}
const repairs = ({ events }: Authority): number =>
  events.filter(({ endpoint }) => endpoint === "crl entries").length;
const partitionOf = ({ serial }: Issued, count: number): number =>
  Number(placementOf(pkiPlacement, count).placeOf(`cert/${serial}`));

/** A mount with shards. */
async function prepared(stores: Stores, shards: number) {
  const a = authority({ stores });
  await a.root();
  await a.role("web", { max_ttl: "9000h" });
  await a.pki.writeUrls({ crl_distribution_points: [`${base}/crl`] });
  await a.pki.writeCrlConfig({ shards });
  const uuid = String((await a.call("GET", "sys/mounts/pki")).data["uuid"]);
  return { a, uuid, store: stores(uuid) };
}
/** A mount with shards, and with partitions whose stores can fail. */
async function sharded(partitions: number, shards: number) {
  const faulty = faultyStores();
  const { stores } = partitionedStores(partitions, faulty.stores);
  const { a, uuid, store } = await prepared(stores, shards);
  return {
    a,
    store,
    fault: (partition: number, isLost: boolean) =>
      faulty.fault(`${uuid}.${partition}`, isLost ? unreachable : undefined),
    /** Returns the partitions called since the last read, except the home. */
    called: () =>
      new Set(
        faulty.calls().flatMap((call) => {
          const [, partition] = /^\S+\.(\d+) /.exec(call) ?? [];
          return partition === undefined ? [] : [Number(partition)];
        }),
      ),
  };
}
/** Changes a certificate as if an earlier version had issued it. */
async function madeFormerly(store: Store, one: Issued, shards: number): Promise<Issued> {
  const shard = await assignFormerly(store, one.serial, shards);
  return { ...one, point: `${base}/crl/shard/${shard}` };
}

describe("the shard of a new certificate", () => {
  const signing = {
    urls: {
      issuing_certificates: [],
      crl_distribution_points: [`${base}/crl`],
      delta_crl_distribution_points: [],
      ocsp_servers: [],
    },
  };
  const random = seeded(7);
  const serials = Array.from({ length: 2000 }, () => random(20));

  it.each([1, 2, 4, 8, 16, 32, 64, 128, 256])(
    "of %i is in the partition of the certificate for every number of partitions up to that, and all are used",
    (shards) => {
      const seen = new Set<number>();
      for (const serial of serials) {
        const [count, number = -1] = (shardOf(serial, { ...signing, shards }) ?? "")
          .split("-")
          .map(Number);
        seen.add(number);
        expect(count).toBe(shards);
        const step = Math.min(shards, 64);
        expect(number % step).toBe(spreadOf(serialKey(serial)) % step);
      }
      expect([seen.size, Math.max(...seen)]).toEqual([shards, shards - 1]);
    },
  );

  it.each([3, 6, 100, 255])("of %i depends only on the serial number", (shards) => {
    for (const serial of serials) {
      expect(shardOf(serial, { ...signing, shards })).toBe(formerShard(toHex(serial), shards));
    }
  });
});

describe("the CRL of a shard in a mount with partitions", () => {
  it.each([
    [4, 4],
    [16, 16],
    [4, 64],
  ])("of %i is built from one partition, with %i shards", async (partitions, shards) => {
    const { a, called } = await sharded(partitions, shards);
    const issued = await issueMany(a, 6);
    const revoked: Issued[] = [];
    for (const one of issued) {
      called();
      await revoke(a, one);
      revoked.push(one);
      const partition = partitionOf(one, partitions);
      expect([...called()]).toEqual(partition === 0 ? [] : [partition]);
      const own = revoked.filter(({ point }) => point === one.point);
      expect((await crlAt(a, one.point)).serials).toEqual(
        own.map(({ serial }) => serial).toSorted(),
      );
      // a scheduled build, which reads all revocations
      a.clock.advance(100 * hour);
      called();
      await crlAt(a, one.point);
      expect([...called()]).toEqual(partition === 0 ? [] : [partition]);
    }
    expect(repairs(a)).toBe(0);
  });

  it("is built from the partitions of its slots if there are fewer shards", async () => {
    const { a, called } = await sharded(16, 4);
    const [one] = await issueMany(a, 1);
    if (!one) throw new TypeError("no certificate");
    called();
    await revoke(a, one);
    const shard = partitionOf(one, 16) % 4;
    for (const partition of called()) expect(partition % 4).toBe(shard);
    expect((await crlAt(a, one.point)).serials).toEqual([one.serial]);
  });

  it("is built while another partition cannot be reached", async () => {
    const { a, fault } = await sharded(4, 4);
    const issued = await issueMany(a, 24);
    const lost = issued.filter((one) => partitionOf(one, 4) === 2);
    const others = issued.filter((one) => partitionOf(one, 4) !== 2);
    expect(lost.length * others.length).toBeGreaterThan(0);
    for (const one of issued.slice(0, 12)) await revoke(a, one);
    a.clock.advance(100 * hour);
    fault(2, true);
    for (const one of others) {
      await revoke(a, one);
      const { serials, thisUpdate } = await crlAt(a, one.point);
      expect(serials).toContain(one.serial);
      expect(thisUpdate * 1000).toBeGreaterThan(a.clock.now - hour * 1000);
    }
    for (const { point } of lost)
      expect((await crlAt(a, point)).thisUpdate * 1000).toBeLessThan(a.clock.now - hour * 1000);
    fault(2, false);
    a.clock.advance(60);
    for (const one of lost) {
      await revoke(a, one);
      expect((await crlAt(a, one.point)).serials).toContain(one.serial);
    }
    expect(repairs(a)).toBe(0);
  });

  it.each([
    ["revoked one by one", false],
    ["found by a search", true],
  ])(
    "has certificates of earlier versions, which may be in any partition, %s",
    async (_, isSearch) => {
      const { a, store } = await sharded(4, 4);
      const issued: Issued[] = [];
      for (const one of await issueMany(a, 24))
        issued.push(issued.length % 2 === 0 ? one : await madeFormerly(store, one, 4));
      if (isSearch) await a.pki.revokeFound({ role: "web" });
      else for (const one of issued) await revoke(a, one);
      const check = async () => {
        for (const point of new Set(issued.map((one) => one.point))) {
          const own = issued.filter((one) => one.point === point);
          expect((await crlAt(a, point)).serials).toEqual(
            own.map(({ serial }) => serial).toSorted(),
          );
        }
      };
      await check();
      a.clock.advance(100 * hour);
      await check();
      await a.pki.rotateCrl({});
      await check();
      expect(repairs(a)).toBe(0);
    },
  );

  it.each([true, false])(
    "is complete after a restore from a backup with certificates of earlier versions (with the row about slots: %s)",
    async (isKept) => {
      const { a, store } = await prepared(partitionedStores(4).stores, 4);
      const issued: Issued[] = [];
      for (const one of await issueMany(a, 16)) issued.push(await madeFormerly(store, one, 4));
      for (const one of issued) await revoke(a, one);
      // as if the backup had read the home before the revocations
      if (!isKept) {
        const rows = await store.list("crlspread/");
        expect(rows.length).toBe(4);
        await store.commit({ put: rows.map(([key]) => [key, { wide: false }]) });
      }
      const backup = await gathered(a.ca.backup("pki"));
      for (const count of [1, 4, 16]) {
        const stores = count === 1 ? memoryStore() : partitionedStores(count).stores;
        const b = fresh({ stores, clock: a.clock });
        await b.ca.restore("pki", backup);
        await b.pki.rotateCrl({});
        for (const point of new Set(issued.map((one) => one.point))) {
          const own = issued.filter((one) => one.point === point);
          expect((await crlAt(b, point)).serials).toEqual(
            own.map(({ serial }) => serial).toSorted(),
          );
        }
        expect(repairs(b)).toBe(0);
      }
    },
  );
});

it("a job of a shard from before its mount grew is deleted after its run", async () => {
  const a = authority({ stores: memoryStore() });
  await a.sys.createMount({ path: "big", type: "pki", config: { partitions: 4 } });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ed25519", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "300h" });
  await big.writeUrls({ crl_distribution_points: ["http://ca.test/v1/big/crl"] });
  await big.writeCrlConfig({ shards: 16, auto_rebuild: true, enable_delta: true });
  for (let n = 0; n < 12; n++) {
    const { serial_number } = await big.issue({ role: "web", common_name: "a.test" });
    await big.revoke({ serial_number });
  }
  await a.ca.sys.growPartitions({ path: "big", count: 16 });
  for (let n = 0; n < 300; n++) {
    if (!(await a.ca.sys.readPartitions({ path: "big" })).growth) break;
    a.clock.now += 20;
    await a.ca.tick();
  }
  const { partitions } = await a.ca.sys.readPartitions({ path: "big" });
  const jobs = async () => {
    const rows = await Promise.all(partitions.map(({ store }) => a.stores(store).list(jobPrefix)));
    return rows.map((some) => some.filter(([key]) => key.includes("/crl-delta/")).length);
  };
  // put in the partitions that the mount then had
  const before = await jobs();
  expect(before.slice(1, 4)).not.toContain(0);
  expect(before.slice(4).every((count) => count === 0)).toBe(true);
  a.clock.advance(hour);
  for (let n = 0; n < 3; n++) {
    await a.ca.tick();
    a.clock.advance(1);
  }
  expect(await jobs()).toEqual(partitions.map(() => 0));
});

it("an entry is appended where its mount has entries when the row about slots is checked", async () => {
  const commits: Batch[] = [];
  const store: Pick<Store, "get"> & { placement?: Placement } = { get: async () => [undefined] };
  const ca = {
    store,
    storeContext: { commit: async (batch: Batch) => void commits.push(batch) },
  };
  const serial = fromHex("0102030405060708");
  const shard = `16-${(spreadOf(serialKey(serial)) + 1) % 16}`;
  const revoked = storedPki.revoked({ crl_set: "set", shard });
  // the parts of a mount and its configuration that the change uses
  const changed = revokeChange(
    ca as unknown as Mount,
    {} as Snapshot,
    { serial, notAfter: 0 },
    revoked,
  );
  // another call of the process notices the growth
  store.placement = placementOf(pkiPlacement, 16);
  const { append } = await changed;
  expect([append.map(([prefix]) => prefix), commits]).toEqual([[`crlpage/set-${shard}/`], []]);
});

it("a number of shards that spreads each CRL over several partitions causes a warning", async () => {
  const { a } = await sharded(16, 16);
  const warned = async (body: object) =>
    (await a.call("POST", "pki/config/crl", body)).json["warnings"] ?? "";
  const warning =
    "each CRL is built from several of the 16 partitions; to build each from one, set shards to a power of two of at least 16.";
  for (const shards of [1, 8, 24])
    expect([shards, await warned({ shards })]).toEqual([shards, warning]);
  for (const shards of [0, 16, 64])
    expect([shards, await warned({ shards })]).toEqual([shards, ""]);
  expect(await warned({ expiry: "100h" })).toBe("");
});

it("a certificate that is not stored may name the shard that this or an earlier version assigned", async () => {
  for (let n = 0; n < 8; n++) {
    const named = await Promise.all(
      Array.from({ length: 4 }, async (_, i) => {
        const point = crlDistributionPoints([`${base}/crl/shard/4-${i}`]);
        const [block] = decodePem(await crafted({ extensions: [point] }));
        const certificate = parseCertificate(block?.der ?? new Uint8Array());
        const serial = serialKey(certificate.serial);
        const isOwn = spreadOf(serial) % 4 === i || formerShard(serial, 4) === `4-${i}`;
        return [isOwn ? `4-${i}` : undefined, namedShard(certificate)];
      }),
    );
    for (const [expected, actual] of named) expect(actual).toBe(expected);
  }
});
