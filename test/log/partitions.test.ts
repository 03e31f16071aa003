import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { fromBase64 } from "../../src/base/bytes.ts";
import { memoryStore, type Stores } from "../../src/index.ts";
import { entryPrefix, stepPrefix } from "../../src/log/rows/records.ts";
import { isEntryOf, parseEntry, type Entry } from "../../src/log/tree/entry.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { derOf } from "../pki/reading.ts";
import { authority, type Authority } from "../support/authority.ts";
import { temporaryDirectory } from "../support/server.ts";
import { gathered } from "../sys/backup/kept.ts";
import { faultyStores, follower, settle, sourceOf, storeName } from "./partition-world.ts";

const folder = temporaryDirectory();
const many = Array.from({ length: 60 }, (_, n) => n);
const origin = "ca.test/v1/big/log";
/** Creates an authority with a mount `big` that has a log and the given number of partitions. */
async function logging(partitions: number, inner?: Stores) {
  const world = faultyStores(inner);
  const a = authority({ stores: world.stores });
  await a.sys.createMount({ path: "big", type: "pki", config: { partitions } });
  const big = a.ca.mount("big");
  const { verifier_key } = await big.writeLogConfig({ enabled: true, origin });
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  const { uuid } = await a.sys.readMount({ path: "big" });
  const issue = async (count: number, by: Authority = a): Promise<readonly Issued[]> => {
    const issued: Issued[] = [];
    for (let n = 0; n < count; n++)
      issued.push(await by.ca.mount("big").issue({ role: "web", common_name: "a.test" }));
    return issued;
  };
  return { a, big, uuid, world, issue, log: follower(verifier_key), verifier_key };
}
interface Issued {
  readonly certificate: string;
  readonly serial_number: string;
}
const certificatesIn = (entries: readonly Entry[]): number =>
  entries.filter(({ type }) => type === "certificate").length;
const typesOf = (entries: readonly Entry[]): readonly string[] => entries.map(({ type }) => type);

/** Checks index, entry and proof of a certificate, and returns the index. */
async function indexOf(a: Authority, { serial_number, certificate }: Issued): Promise<number> {
  const { data } = await a.call("GET", `big/cert/${serial_number}`);
  const entry = fromBase64(String(data["log_entry"])) ?? new Uint8Array();
  expect(isEntryOf(parseEntry(entry), derOf(certificate))).toBe(true);
  expect(data["log_proof"]).toContain(`index ${String(data["log_index"])}\n`);
  return Number(data["log_index"]);
}

describe("the log of a mount with partitions", () => {
  it("has one tree with the entries of all partitions", async () => {
    const { a, uuid, world, issue, log } = await logging(4);
    const issued: Issued[] = [];
    for (let n = 0; n < 3; n++) {
      issued.push(...(await issue(12)));
      await settle(a);
      expect((await log.follow(sourceOf(a, "big"))).fault).toBeUndefined();
    }
    const own = await Promise.all(
      [0, 1, 2, 3].map((at) => world.inner(storeName(uuid, at)).list(entryPrefix)),
    );
    for (const rows of own) expect(rows.length).toBeGreaterThan(2);
    // the root, its CRL and the certificates
    expect(log.entries).toHaveLength(38);
    expect(own.flat()).toHaveLength(38);
    const indexes = await Promise.all(issued.map((one) => indexOf(a, one)));
    expect(new Set(indexes).size).toBe(36);
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it("spans several tiles with several entries per row, and has one tree if two servers sequence it concurrently", async () => {
    const inner = sqliteStore(join(folder, "log.db"));
    onTestFinished(() => inner.close());
    const { a, uuid, world, issue, log } = await logging(4, inner);
    const other = authority({ stores: world.stores, clock: a.clock, seed: 2 });
    for (let n = 0; n < 3; n++) {
      await Promise.all([a, other].map((by) => Promise.all(many.map(() => issue(1, by)))));
      a.clock.advance(1);
      await Promise.all([a.ca.tick(), other.ca.tick()]);
      expect((await log.follow(sourceOf(other, "big"))).fault).toBeUndefined();
    }
    await settle(a);
    expect((await log.follow(sourceOf(a, "big"))).fault).toBeUndefined();
    expect(log.entries).toHaveLength(362);
    const third = await inner(storeName(uuid, 3)).list(entryPrefix);
    expect(third.some(([, { value }]) => Array.isArray(value))).toBe(true);
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });

  it("continues without a partition that cannot be read, and adds its entries later", async () => {
    const { a, big, uuid, world, issue, log } = await logging(4);
    const issued = [...(await issue(16))];
    await settle(a);
    await log.follow(sourceOf(a, "big"));
    const read = async () => (await a.call("GET", "big/log/tile/entries/000.p/18")).status;
    expect(await read()).toBe(200);
    issued.push(...(await issue(16)));
    await big.writeLogConfig({ entries: "hashes" });
    const third = world.inner(storeName(uuid, 3));
    const before = (await third.list(entryPrefix)).length;
    expect(before).toBeGreaterThan(3);
    world.unreachable.add(storeName(uuid, 3));
    // a tick of this process lists the jobs of all partitions, but an object of the Worker does not
    a.clock.advance(1);
    await a.ca.run(uuid, "log-sequence", "tree");
    a.clock.advance(1);
    const checkpoint = await a.call("GET", "big/log/checkpoint");
    const size = Number(checkpoint.text.split("\n")[1]);
    expect(size).toBeGreaterThan(18);
    expect(size).toBeLessThan(34);
    expect(await read()).toBe(503);
    world.unreachable.clear();
    await settle(a, 5);
    expect((await log.follow(sourceOf(a, "big"))).fault).toBeUndefined();
    expect(log.entries).toHaveLength(35);
    // the change of the setting follows all entries that were committed before it
    expect(typesOf(log.entries).indexOf("hashes")).toBe(34);
    for (const one of issued) await indexOf(a, one);
  });
});

describe("a mount with a log that gets more partitions", () => {
  it("continues its tree while it issues, also in a process that does not know the growth yet", async () => {
    const { a, world, issue, log } = await logging(1);
    const other = authority({ stores: world.stores, clock: a.clock, seed: 2 });
    const issued = [...(await issue(100)), ...(await issue(20, other))];
    await settle(a);
    expect((await log.follow(sourceOf(a, "big"))).fault).toBeUndefined();
    for (const count of [4, 16]) {
      await a.ca.sys.growPartitions({ path: "big", count });
      for (let n = 0; n < 200; n++) {
        const { growth } = await a.ca.sys.readPartitions({ path: "big" });
        if (!growth) break;
        if (n < 20) issued.push(...(await issue(1)), ...(await issue(1, other)));
        a.clock.now += 1100;
        await (n % 2 ? a : other).ca.tick();
        expect((await log.follow(sourceOf(n % 3 ? a : other, "big"))).fault).toBeUndefined();
      }
      issued.push(...(await issue(16)));
    }
    await settle(other);
    expect((await log.follow(sourceOf(a, "big"))).fault).toBeUndefined();
    expect(log.entries).toHaveLength(issued.length + 2);
    const indexes = await Promise.all(issued.map((one) => indexOf(other, one)));
    expect(new Set(indexes).size).toBe(issued.length);
    expect(a.events.filter(({ status }) => status >= 500)).toEqual([]);
  });
});

describe("a backup of a mount with a log and partitions", () => {
  it.each([
    [4, [1]],
    [4, [4]],
    [4, [16, 1]],
    [1, [4]],
    [4, [1, 4]],
    [16, [4, 1]],
  ])(
    "of %i partitions is restored into %j with the same tree, which continues",
    async (from, to) => {
      const { a, uuid, issue, log } = await logging(from);
      const issued = [...(await issue(20))];
      await settle(a);
      expect((await log.follow(sourceOf(a, "big"))).fault).toBeUndefined();
      // these entries are not in the tree of the backup
      issued.push(...(await issue(10)));
      let [before, restored] = [a, a];
      for (const partitions of to) {
        restored = authority({ stores: memoryStore(), clock: a.clock, seed: partitions });
        await restored.ca.restore("big", await gathered(before.ca.backup("big")), { partitions });
        await settle(restored);
        expect((await log.follow(sourceOf(restored, "big"))).fault).toBeUndefined();
        // all entries of the backup precede the mark; the restored mount then builds a CRL
        const types = typesOf(log.entries);
        const mark = types.lastIndexOf("restored");
        expect(certificatesIn(log.entries.slice(0, mark))).toBe(1 + issued.length);
        expect(new Set(types.slice(mark + 1))).toEqual(new Set(["crl"]));
        for (let n = 0; n < 8; n++)
          issued.push(await restored.ca.mount("big").issue({ role: "web", common_name: "a.test" }));
        await settle(restored);
        expect((await log.follow(sourceOf(restored, "big"))).fault).toBeUndefined();
        before = restored;
      }
      expect(certificatesIn(log.entries)).toBe(1 + issued.length);
      for (const one of issued) await indexOf(restored, one);
      const steps = await restored.stores(uuid).list(stepPrefix, { limit: 1 });
      expect(steps).toHaveLength(1);
    },
  );

  it("older than the tree forks the log, and followers detect it", async () => {
    const { a, issue, log } = await logging(4);
    await issue(10);
    const parts = await gathered(a.ca.backup("big"));
    await issue(10);
    await settle(a);
    await log.follow(sourceOf(a, "big"));
    const restored = authority({ stores: memoryStore(), clock: a.clock, seed: 3 });
    await restored.ca.restore("big", parts, { partitions: 1 });
    await settle(restored);
    expect((await log.follow(sourceOf(restored, "big"))).fault?.kind).toBe("shrunk");
    for (let n = 0; n < 12; n++)
      await restored.ca.mount("big").issue({ role: "web", common_name: "a.test" });
    await settle(restored);
    expect((await log.follow(sourceOf(restored, "big"))).fault?.kind).toBe("fork");
  });
});
