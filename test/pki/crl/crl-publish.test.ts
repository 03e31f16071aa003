import { expect, it } from "vitest";
import { jobRow } from "../../../src/engine/jobs.ts";
import { keys } from "../../../src/pki/rows/records.ts";
import { memoryStore, type Stores } from "../../../src/index.ts";
import { authority, start, type Authority } from "../../support/authority.ts";
import { faultyStores, unreachable } from "../../support/faulty.ts";

const minutes = (count: number): number => count * 60;
/** Creates an authority whose publisher can remove superseded CRLs. */
async function ready(
  broken: { on: boolean } = { on: false },
  stores: Stores = memoryStore(),
): Promise<{ readonly a: Authority; readonly lies: Map<string, Uint8Array> }> {
  const lies = new Map<string, Uint8Array>();
  const a = authority({
    stores,
    publish: {
      put: async (key, bytes) => void lies.set(key, bytes),
      get: async (key) => lies.get(key),
      delete: async (key) => {
        if (broken.on) throw new Error("the bucket is away");
        lies.delete(key);
      },
    },
  });
  await a.root();
  await a.role("web");
  return { a, lies };
}
async function revoked(a: Authority): Promise<void> {
  const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "900h" });
  await a.pki.revoke({ serial_number });
}
const numbers = (lies: ReadonlyMap<string, unknown>): readonly number[] =>
  [...lies.keys()].map((key) => Number(key.split("/")[3])).toSorted((x, y) => x - y);

it("a superseded CRL stays published for at least five minutes, and is removed within ten", async () => {
  const { a, lies } = await ready();
  for (let i = 0; i < 10; i++) {
    await revoked(a);
    a.clock.advance(10);
  }
  expect(numbers(lies)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  a.clock.advance(minutes(3));
  await a.ca.tick();
  expect(lies.size).toBe(11);
  a.clock.advance(minutes(7));
  await a.ca.tick();
  expect(numbers(lies)).toEqual([11]);
  expect((await a.call("GET", "pki/crl")).bytes).toEqual([...lies.values()][0]);
});

it("many superseded CRLs are removed in a few steps, until none is left", async () => {
  const { a, lies } = await ready();
  for (let i = 0; i < 90; i++) await a.pki.rotateCrl({});
  a.clock.advance(minutes(8));
  await a.pki.rotateCrl({});
  const ticks: number[] = [];
  for (
    let next = await a.ca.tick();
    next !== undefined && next < start + minutes(60) * 1000;
    next = await a.ca.tick()
  ) {
    a.clock.now = Math.max(a.clock.now, next);
    ticks.push(lies.size);
  }
  expect(numbers(lies)).toEqual([92]);
  expect(ticks.length).toBeLessThan(12);
});

it("superseded CRLs of one issuer are removed in time, whatever another issuer publishes", async () => {
  const { a, lies } = await ready();
  const { uuid } = await a.sys.readMount({ path: "pki" });
  const store = a.stores(uuid);
  const superseded = (set: string, at: number, count: number) =>
    Array.from({ length: count }, (_, i) => [keys.superseded(set, i), { chunks: 1, at }] as const);
  const { now } = a.clock;
  await store.commit({
    put: [
      ...superseded("a", now, 30),
      ...superseded("b", now - minutes(10) * 1000, 25),
      ...superseded("c", now, 3),
      jobRow({ due: now, now }, "crl-unpublish", "lists"),
    ],
  });
  lies.set(`${uuid}/${keys.crlChunk("b", 24, 0)}`, new Uint8Array(1));
  for (let i = 0; i < 5; i++) {
    await a.ca.tick();
    a.clock.now += 1;
  }
  expect(await store.list(keys.superseded("b", 0).slice(0, -10))).toEqual([]);
  expect(numbers(lies)).toEqual([1]);
  expect((await store.list("superseded/")).length).toBe(33);
  a.clock.advance(minutes(10));
  for (let i = 0; i < 5; i++) {
    await a.ca.tick();
    a.clock.now += 1;
  }
  expect(await store.list("superseded/")).toEqual([]);
});

it("a failed removal is logged and retried", async () => {
  const broken = { on: true };
  const { a, lies } = await ready(broken);
  await revoked(a);
  a.clock.advance(minutes(10));
  await a.ca.tick();
  expect(a.events.find(({ endpoint }) => endpoint === "job crl-unpublish")).toMatchObject({
    status: 500,
    cause: new Error("the bucket is away"),
  });
  expect(numbers(lies)).toEqual([1, 2]);
  broken.on = false;
  a.clock.advance(30);
  await a.ca.tick();
  expect(numbers(lies)).toEqual([2]);
});

it("the published CRLs of a deleted mount are removed five minutes later", async () => {
  const { a, lies } = await ready();
  await revoked(a);
  await a.sys.createMount({ path: "other", type: "pki" });
  await a.ca.mount("other").generateRoot({ common_name: "Other", key_type: "ec" });
  const other = [...lies.keys()].at(-1) ?? "";
  await a.sys.deleteMount({ path: "pki" });
  expect(lies.size).toBe(3);
  expect(a.wakes.at(-1)).toBe(start + minutes(5) * 1000);
  a.clock.advance(minutes(5));
  await a.ca.tick();
  expect([...lies.keys()]).toEqual([other]);
  expect(await a.stores("sys").list("unpublish/")).toEqual([]);
});

it("the published CRLs of a mount are removed only once its interrupted deletion is completed", async () => {
  const { stores, fault } = faultyStores();
  const { a, lies } = await ready(undefined, stores);
  await revoked(a);
  const { uuid } = await a.sys.readMount({ path: "pki" });
  // interrupted before its rows are deleted, and after
  for (const [store, broken] of [
    [uuid, "clear"],
    ["sys", "del"],
  ] as const) {
    fault(store, (verb, batch) =>
      verb === "commit" && batch?.[broken] ? unreachable() : undefined,
    );
    await expect(a.sys.deleteMount({ path: "pki" })).rejects.toMatchObject({ status: 503 });
    fault(store, undefined);
    a.clock.advance(minutes(5));
    await a.ca.tickStore("sys");
    expect(numbers(lies)).toEqual([1, 2]);
    if (store === uuid)
      expect((await a.call("GET", "pki/crl")).bytes).toEqual([...lies.values()].at(-1));
  }
  expect((await stores(uuid).list("")).map(([key]) => key)).toEqual(["epoch"]);
  await a.sys.deleteMount({ path: "pki" });
  a.clock.advance(minutes(5));
  await a.ca.tickStore("sys");
  expect(numbers(lies)).toEqual([]);
  expect(await stores("sys").list("unpublish/")).toEqual([]);
});

it("a CRL superseded by a clock that was ahead is removed at the next run", async () => {
  const { a, lies } = await ready();
  a.clock.advance(minutes(60));
  await revoked(a);
  a.clock.advance(-minutes(60));
  const { uuid } = await a.sys.readMount({ path: "pki" });
  await a.ca.run(uuid, "crl-unpublish", "lists");
  expect(numbers(lies)).toEqual([2]);
});

it("published bytes that differ from the CRL are not served: the store is read instead, and an event is logged", async () => {
  const { a, lies } = await ready();
  await revoked(a);
  const [key = "", list = new Uint8Array()] = [...lies].at(-1) ?? [];
  lies.set(
    key,
    list.map((byte, i) => (i === list.length - 1 ? byte ^ 1 : byte)),
  );
  expect(lies.get(key)).not.toEqual(list);
  for (let reads = 0; reads < 2; reads++)
    expect((await a.call("GET", "pki/crl")).bytes).toEqual(list);
  expect(a.events.filter(({ endpoint }) => endpoint === "read crl")).toMatchObject([
    { status: 500, cause: new Error("the published bytes of a CRL do not match its stored state") },
  ]);
});

it("published bytes that differ from the CRL are not served after its issuer was deleted, if another issuer has the key", async () => {
  const { a, lies } = await ready();
  const { keys } = await a.pki.listIssuers({});
  const names = { common_name: "Root CA", key_ref: "default" };
  const { issuer_id: other } = await a.pki.generateRootFromKey(names);
  await a.pki.patchIssuer({ issuer_ref: other, usage: "read-only" });
  await revoked(a);
  for (const issuer_ref of keys) await a.pki.deleteIssuer({ issuer_ref });
  const [key = "", list = new Uint8Array()] = [...lies].at(-1) ?? [];
  lies.set(key, list.toReversed());
  expect((await a.call("GET", `pki/issuer/${other}/crl/der`)).bytes).toEqual(list);
});
