import { describe, expect, it } from "vitest";
import { CaError, memoryStore, type Store } from "../../../src/index.ts";
import { authority, type Authority, type AuthorityOptions } from "../../support/authority.ts";

const withRole = async (options: AuthorityOptions = {}) => {
  const a = authority({ stores: memoryStore(), ...options });
  await a.sys.createMount({ path: "big", type: "pki" });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({
    name: "web",
    key_type: "ed25519",
    allow_any_name: true,
    ttl: "24h",
    generate_lease: true,
  });
  const issue = async (count: number): Promise<readonly string[]> => {
    const serials: string[] = [];
    for (let n = 0; n < count; n++)
      serials.push((await big.issue({ role: "web", common_name: "a.test" })).serial_number);
    return serials;
  };
  /** Runs the due jobs, and lets some time pass. */
  const tick = async (): Promise<void> => {
    a.clock.now += 20;
    await a.ca.tick();
  };
  const growth = async () => (await a.ca.sys.readPartitions({ path: "big" })).growth;
  const finish = async (): Promise<void> => {
    for (let n = 0; n < 500 && (await growth()); n++) await tick();
  };
  return { ...a, big, issue, tick, growth, finish };
};
const grow = (a: Authority, count: unknown, path = "big") =>
  a.call("POST", `sys/mounts/${path}/partitions`, { count });
const stop = (a: Authority, path = "big") => a.call("DELETE", `sys/mounts/${path}/partitions`);
const listed = async ({ big }: Awaited<ReturnType<typeof withRole>>) =>
  ((await big.listCerts({})).keys ?? []).toSorted();

describe("a mount that gets more partitions", () => {
  it("serves all its certificates during and after the growth, from 1 to 4 to 16", async () => {
    const a = await withRole();
    const serials = [...(await a.issue(150))];
    for (const count of [4, 16]) {
      expect((await grow(a, count)).status).toBe(204);
      serials.push(...(await a.issue(5)));
      for (let n = 0; n < 1000 && (await a.growth()); n++) {
        await a.tick();
        const keys = await listed(a);
        expect(keys).toHaveLength(serials.length + 1);
        expect(keys).toEqual(expect.arrayContaining([...serials]));
        for (const serial of [...serials.slice(0, 5), ...serials.slice(-5)])
          expect((await a.big.readCert({ serial })).certificate).toContain("BEGIN");
      }
      const { growth, partitions } = await a.ca.sys.readPartitions({ path: "big" });
      expect([growth, partitions.length]).toEqual([undefined, count]);
      const counts = await Promise.all(
        partitions.map(async ({ store }) => (await a.stores(store).list("cert/")).length),
      );
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(serials.length + 1);
      expect(counts.filter((one) => one > 0).length).toBeGreaterThan(3);
      for (const serial of serials.slice(0, 10))
        expect((await a.big.readCert({ serial })).certificate).toContain("BEGIN");
    }
    expect((await a.sys.readMount({ path: "big" })).config.partitions).toBe(16);
    const revoked = await a.call("POST", "big/revoke", { serial_number: serials[0] });
    expect(revoked.status).toBe(200);
  });

  it("can be stopped and continued, and shows its progress", async () => {
    const a = await withRole();
    await a.issue(120);
    expect((await stop(a)).status).toBe(409);
    await grow(a, 4);
    await a.tick();
    const before = await a.growth();
    expect(before).toMatchObject({ state: "moving", from: 1 });
    expect(before?.moved).toBeGreaterThan(20);
    expect(before?.percent).toBeGreaterThan(0);
    expect((await stop(a)).status).toBe(204);
    await a.ca.sys.stopPartitions({ path: "big" });
    for (let n = 0; n < 10; n++) await a.tick();
    expect(await a.growth()).toEqual({ ...before, state: "stopped" });
    expect(await a.issue(3)).toHaveLength(3);
    expect(await listed(a)).toHaveLength(124);
    await a.ca.sys.growPartitions({ path: "big", count: 4 });
    await a.finish();
    expect(await a.growth()).toBeUndefined();
    expect(await listed(a)).toHaveLength(124);
  });

  it("continues in smaller steps if its storage rejects large ones", async () => {
    const memory = memoryStore();
    const stores = (name: string): Store => {
      const store = memory(name);
      const commit: Store["commit"] = async (batch) => {
        if ((batch.put ?? []).filter(([key]) => key.startsWith("cert/")).length > 10)
          throw new CaError("storage", "the batch is too large");
        return store.commit(batch);
      };
      return { ...store, commit };
    };
    const options = { durable: false as const, partitions: true };
    const a = await withRole({ stores: Object.assign(stores, options) });
    await a.issue(120);
    await grow(a, 4);
    for (let n = 0; n < 60 && (await a.growth()); n++) {
      a.clock.advance(700);
      await a.ca.tick();
    }
    expect(await a.growth()).toBeUndefined();
    expect(await listed(a)).toHaveLength(121);
  });

  it("is rejected with an invalid count, during another growth, and without a mount", async () => {
    const a = await withRole();
    const refused = async (count: unknown, path = "big") => {
      const { status, errors } = await grow(a, count, path);
      return [status, errors?.[0]];
    };
    expect(await refused(8)).toEqual([400, "invalid partitions 8: use 1, 4, 16 or 64"]);
    expect(await refused(undefined)).toEqual([400, "invalid partitions 0: use 1, 4, 16 or 64"]);
    expect(await refused(4, "none")).toEqual([400, "No secret engine mount at none/"]);
    expect(await stop(a, "none")).toMatchObject({
      status: 400,
      errors: ["No secret engine mount at none/"],
    });
    expect((await grow(a, 1)).status).toBe(204);
    expect((await grow(a, 4)).status).toBe(204);
    expect(await refused(16)).toEqual([
      409,
      "the mount is already growing to 4 partitions: wait until the growth is complete",
    ]);
    expect(await refused(1)).toEqual([
      400,
      "invalid count 1: the mount has 4 partitions; for fewer, back it up, delete it and restore it with partitions=1",
    ]);
  });

  it("is rejected on a storage that supports only one", async () => {
    const inner = memoryStore();
    const stores = Object.assign((name: string) => inner(name), { durable: false as const });
    const a = await withRole({ stores });
    const { status, errors } = await grow(a, 4);
    expect([status, errors]).toEqual([
      400,
      ["invalid partitions 4: the storage of this deployment supports only 1"],
    ]);
  });

  it("is rejected and unchanged on a storage that supports partitions but no growth", async () => {
    const inner = memoryStore();
    const open = (name: string): Store => {
      const { getWithIndex: _, ...store } = inner(name);
      return store;
    };
    const stores = Object.assign(open, { durable: false as const, partitions: true });
    const a = await withRole({ stores });
    const { status, errors } = await grow(a, 4);
    expect([status, errors]).toEqual([
      400,
      ["invalid count 4: the storage of this deployment cannot add partitions to a mount"],
    ]);
    expect((await stop(a)).status).toBe(409);
    expect(await a.ca.sys.readPartitions({ path: "big" })).toMatchObject({
      count: 1,
      can_grow: false,
    });
    expect(await a.issue(2)).toHaveLength(2);
  });
});
