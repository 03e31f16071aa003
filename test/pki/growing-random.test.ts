import { expect, it } from "vitest";
import { memoryStore, type Stores } from "../../src/index.ts";
import { toHex } from "../../src/base/bytes.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { partitionName } from "../../src/engine/partition-stores.ts";
import { chanceOf } from "../store/partitions/growing-world.ts";
import { authority, seeded, type Authority } from "../support/authority.ts";
import { assignFormerly } from "../support/former-shard.ts";

// The same calls go to a mount that grows from 1 to 4 to 16 partitions and to one that does not.
// Their serial numbers differ, so certificates are compared by the order in which they were issued.

interface Side {
  a: Authority;
  readonly stores: Stores;
  /** Continues after a crash: a new engine must not repeat a deleted serial number. */
  readonly random: (bytes: number) => Uint8Array;
  readonly serials: string[];
  /** Number of shards of CRLs; 0 for none. */
  readonly shards: number;
}
async function sideOf(shards: number): Promise<Side> {
  const stores = memoryStore();
  const random = seeded(1);
  const a = authority({ stores, random });
  await a.sys.createMount({ path: "big", type: "pki" });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ed25519", ttl: "700h" });
  for (const [name, ttl] of [
    ["short", "1h"],
    ["long", "300h"],
  ] as const)
    await big.writeRole({ name, key_type: "ed25519", allow_any_name: true, ttl });
  await big.writeUrls({ crl_distribution_points: ["http://ca.test/v1/big/crl"] });
  await big.writeCrlConfig({ shards });
  return { a, stores, random, serials: [], shards };
}
const tick = async ({ a }: Side): Promise<void> => {
  a.clock.advance(1);
  await a.ca.tick();
};
/** Opens the stores in a new engine, as after a crash. */
function reopen(side: Side): void {
  const { now } = side.a.clock;
  side.a = authority({ stores: side.stores, random: side.random });
  side.a.clock.now = now;
}

type Call = (side: Side) => Promise<unknown>;
const issue =
  (role: string, isFormer: boolean): Call =>
  async (side) => {
    const { a, serials } = side;
    const common_name = `n${serials.length}.test`;
    const { serial_number } = await a.ca.mount("big").issue({ role, common_name });
    serials.push(serial_number);
    if (isFormer) await makeFormer(side, serial_number.replaceAll(":", ""));
  };
/** Changes a stored certificate as if an earlier version had assigned its shard. */
async function makeFormer({ a, stores, shards }: Side, serial: string): Promise<void> {
  const { uuid } = await a.ca.sys.readMount({ path: "big" });
  for (let partition = 0; partition < 16; partition++) {
    const store = stores(partitionName(uuid, partition));
    const [row] = await store.get([`cert/${serial}`]);
    if (row) await assignFormerly(store, serial, shards);
  }
}
const revoke =
  (n: number): Call =>
  async ({ a, serials }) =>
    (await a.call("POST", "big/revoke", { serial_number: serials[n % serials.length] ?? "" }))
      .status;
const revokeRole =
  (role: string): Call =>
  async ({ a }) => {
    const done = await a.ca.mount("big").revokeFound({ role });
    return [done.revoked, done.already_revoked, done.expired];
  };
const crl: Call = async ({ a, serials, shards }) => {
  const plain = serials.map((serial) => serial.replaceAll(":", ""));
  const paths = Array.from({ length: shards }, (_, i) => `crl/shard/${shards}-${i}`);
  const listed: number[] = [];
  for (const path of shards === 0 ? ["crl"] : paths) {
    const list = parseCrl((await a.call("GET", `big/${path}`)).bytes);
    listed.push(...[...eachRevoked(list)].map(({ serial }) => plain.indexOf(toHex(serial))));
  }
  return listed.toSorted((x, y) => x - y);
};
const tidy: Call = async (side) => {
  side.a.clock.advance(2 * 3600);
  const settings = { tidy_cert_store: true, tidy_revoked_certs: true, safety_buffer: "1s" };
  await side.a.call("POST", "big/tidy", settings);
  for (let n = 0; n < 20; n++) await tick(side);
};
const listing: Call = async ({ a, serials }) => {
  const keys = (await a.ca.mount("big").listCerts({})).keys ?? [];
  return keys.map((serial) => serials.indexOf(serial)).toSorted((x, y) => x - y);
};
const search: Call = async (side) => {
  const found: number[] = [];
  for (let cursor = ""; ;) {
    const big = side.a.ca.mount("big");
    const page = await big.searchCerts({ limit: 3, cursor, order: "newest" });
    found.push(...page.keys.map((serial) => side.serials.indexOf(serial)));
    cursor = page.cursor;
    if (cursor === "") return found.toSorted((x, y) => x - y);
    // rows may move between two pages
    await tick(side);
  }
};
const statuses: Call = async ({ a, serials }) =>
  Promise.all(
    serials.map(async (serial) => {
      const { status, data } = await a.call("GET", `big/cert/${serial}`);
      return [status, Number(data["revocation_time"] ?? 0) > 0];
    }),
  );

async function play(seed: number): Promise<number> {
  const random = chanceOf(seed);
  const shards = [0, 4, 16][Math.abs(seed) % 3] ?? 0;
  const [growing, plain] = [await sideOf(shards), await sideOf(shards)];
  const pick = (n: number): number => Math.floor(random() * n);
  const both = async (name: string, call: Call): Promise<void> => {
    const [one, other] = [await call(growing), await call(plain)];
    expect([seed, name, one]).toEqual([seed, name, other]);
  };
  let count = 1;
  for (let step = 0; step < 24; step++) {
    const kind = random();
    if (kind < 0.35)
      await both("issue", issue(random() < 0.5 ? "short" : "long", shards > 0 && random() < 0.3));
    else if (kind < 0.5 && growing.serials.length > 0) await both("revoke", revoke(pick(100)));
    else if (kind < 0.53) await both("revoke role", revokeRole(random() < 0.5 ? "short" : "long"));
    else if (kind < 0.57) await both("CRL", crl);
    else if (kind < 0.62) await both("list", listing);
    else if (kind < 0.68) await both("search", search);
    else if (kind < 0.72) await both("tidy", tidy);
    else if (kind < 0.78) reopen(growing);
    else if (kind < 0.9) {
      const { status } = await growing.a.call("POST", "sys/mounts/big/partitions", {
        count: count === 1 ? 4 : 16,
      });
      if (status === 204) count = count === 1 ? 4 : 16;
    } else await both("tick", tick);
  }
  for (let n = 0; n < 30; n++) await both("tick", tick);
  await both("list", listing);
  await both("search", search);
  await both("CRL", crl);
  await both("read", statuses);
  const at = await growing.a.ca.sys.readPartitions({ path: "big" });
  expect([seed, at.count, at.growth]).toEqual([seed, count, undefined]);
  return count;
}

const [fixed, fresh] = [30, 10];
it(`a growing mount returns the same results as one with a single partition in ${fixed} fixed sequences`, async () => {
  const counts: number[] = [];
  for (let seed = 1; seed <= fixed; seed++) counts.push(await play(seed));
  expect(counts.filter((count) => count > 1).length).toBeGreaterThan(fixed / 2);
  expect(counts.filter((count) => count === 16).length).toBeGreaterThan(fixed / 10);
});
const seeds = [...crypto.getRandomValues(new Int32Array(fresh))];
it(`a growing mount returns the same results as one with a single partition in ${fresh} new sequences (seeds ${seeds.join(" ")})`, async () => {
  for (const seed of seeds) await play(seed);
});
