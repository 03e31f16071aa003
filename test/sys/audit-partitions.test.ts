import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { authority, type Authority } from "../support/authority.ts";
import { fresh, gathered } from "./backup/kept.ts";

// Each partition of a mount numbers its audit events separately. A restored mount has all of
// them, in logs with the same names and numbers, regardless of its number of partitions.

/** Returns an authority whose mount `big` has partitions, a root and a role. */
async function spread(partitions: number): Promise<Authority & { readonly uuid: string }> {
  const a = authority({ stores: memoryStore() });
  await a.sys.createMount({ path: "big", type: "pki", config: { partitions } });
  const big = a.ca.mount("big");
  await big.generateRoot({ common_name: "Root CA", key_type: "ec", ttl: "700h" });
  await big.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true, ttl: "24h" });
  const { uuid } = await a.sys.readMount({ path: "big" });
  return { ...a, uuid };
}
/** Issues certificates one second apart, and returns their serial numbers. */
async function issue(a: Authority, count: number): Promise<readonly string[]> {
  const serials: string[] = [];
  for (let n = 0; n < count; n++) {
    a.clock.advance(1);
    serials.push(
      (await a.ca.mount("big").issue({ role: "web", common_name: "a.test" })).serial_number,
    );
  }
  return serials;
}
type Info = Readonly<Record<string, unknown>>;
/** Returns the events in the stores of a mount, newest first, by ID. */
async function eventsOf(a: Authority, uuid: string): Promise<ReadonlyMap<string, Info>> {
  const events = new Map<string, Info>();
  for (let after = ""; ;) {
    const query = `list=true&limit=50&mount=big&after=${after}`;
    const { status, data } = await a.call("GET", `sys/audit/events?${query}`);
    if (status === 404) return events;
    for (const [id, info] of Object.entries(data["key_info"] as Readonly<Record<string, Info>>)) {
      if (String(info["store"]).startsWith(uuid)) events.set(id, info);
      after = id;
    }
  }
}
/** Returns the stores of events. */
const storesIn = (events: ReadonlyMap<string, Info>): ReadonlySet<unknown> =>
  new Set([...events.values()].map(({ store }) => store));
/** Requires that no number occurs twice in a log, and that numbers increase with time. */
function expectOrder(events: ReadonlyMap<string, Info>): void {
  const newest = new Map<string, number>();
  for (const { store, log, number } of events.values()) {
    const name = `${String(store)}/${String(log)}`;
    expect(Number(number)).toBeLessThan(newest.get(name) ?? Infinity);
    newest.set(name, Number(number));
  }
}
const backupOf = (a: Authority): Promise<Uint8Array[]> =>
  gathered(a.ca.backup("big", { partBytes: 4000 }));
async function finish(a: Authority): Promise<void> {
  for (let n = 0; n < 100; n++) {
    a.clock.now += 20;
    await a.ca.tick();
    if (!(await a.ca.sys.readPartitions({ path: "big" })).growth) return;
  }
  throw new Error("the growth does not end");
}

describe("a backup of a mount with partitions", () => {
  it.each([
    [4, 4],
    [4, 16],
    [4, 1],
    [16, 4],
  ])(
    "has the events of all %d partitions, which %d partitions list in the same order with the same numbers",
    async (before, after) => {
      const a = await spread(before);
      await issue(a, 60);
      const events = await eventsOf(a, a.uuid);
      expect(storesIn(events).size).toBeGreaterThan(3);
      expectOrder(events);
      const b = fresh({ clock: a.clock });
      await b.ca.restore("big", await backupOf(a), { partitions: after });
      expect(await eventsOf(b, a.uuid)).toEqual(events);
      await issue(b, 40);
      const later = await eventsOf(b, a.uuid);
      expect(later.size).toBe(events.size + 40);
      expect(new Map([...later].slice(40))).toEqual(events);
      expectOrder(later);
      const counted = await b.call("GET", "sys/audit/counts?mount=big");
      expect(counted.data["counts"]).toContainEqual(
        expect.objectContaining({ endpoint: "issue", count: 100 }),
      );
    },
  );

  it("keeps all events when it is restored into fewer partitions, grown, and restored again", async () => {
    const a = await spread(4);
    const uuid = a.uuid;
    await issue(a, 40);
    const b = fresh({ clock: a.clock });
    await b.ca.restore("big", await backupOf(a), { partitions: 1 });
    await issue(b, 10);
    await b.ca.sys.growPartitions({ path: "big", count: 4 });
    await finish(b);
    await issue(b, 40);
    const events = await eventsOf(b, uuid);
    expectOrder(events);
    expect([...events.values()].filter(({ endpoint }) => endpoint === "issue")).toHaveLength(90);
    const c = fresh({ clock: b.clock, seed: 3 });
    await c.ca.restore("big", await backupOf(b));
    expect(await eventsOf(c, uuid)).toEqual(events);
    // the mount now has these partitions itself
    expect(await c.stores(uuid).list("audit.")).toEqual([]);
    const d = fresh({ clock: b.clock, seed: 4 });
    await d.ca.restore("big", await backupOf(c), { partitions: 1 });
    expect(await eventsOf(d, uuid)).toEqual(events);
    await d.sys.deleteMount({ path: "big" });
    expect((await d.stores(uuid).list("")).map(([key]) => key)).toEqual(["epoch"]);
  });

  it("has the event of each certificate in it, even if more are issued during the backup", async () => {
    const a = await spread(4);
    const issued = [...(await issue(a, 30))];
    const parts: Uint8Array[] = [];
    for await (const part of a.ca.backup("big", { partBytes: 1000 })) {
      parts.push(part);
      issued.push(...(await issue(a, 1)));
    }
    const b = fresh({ clock: a.clock });
    await b.ca.restore("big", parts);
    const events = await eventsOf(b, a.uuid);
    expectOrder(events);
    const audited = new Set(
      [...events.values()].map(({ fields }) => (fields as Info | undefined)?.["serial"]),
    );
    const { keys } = await b.ca.mount("big").listCerts({});
    // all except the root
    const restored = issued.filter((serial) => keys.includes(serial));
    expect(restored).toHaveLength(keys.length - 1);
    expect(restored.length).toBeLessThan(issued.length);
    expect(restored.filter((serial) => !audited.has(serial.replaceAll(":", "")))).toEqual([]);
  });

  it("restored into fewer partitions lets the sink continue after the events that it has received", async () => {
    const a = await spread(4);
    await issue(a, 30);
    const b = fresh({ clock: a.clock });
    const sent: Record<string, number> = {};
    for (const { store, log, number } of (await eventsOf(a, a.uuid)).values()) {
      const name = `${String(store)}/${String(log)}`;
      sent[name] = Math.max(sent[name] ?? 0, Number(number));
    }
    await b.ca.restore("big", await backupOf(a), { partitions: 1 });
    await b.call("POST", "sys/audit/sink", { url: "https://sink.test/" });
    const waiting = async (): Promise<number> => {
      a.clock.advance(60);
      const { text } = await b.call("GET", "sys/metrics?format=prometheus");
      return Number(/^sealwright_audit_sink_lag_events (\d+)$/m.exec(text)?.[1]);
    };
    const put = (cursors: Readonly<Record<string, number>>) =>
      b.stores("sys").commit({ put: [["auditsent", { sent: cursors, count: 0, at: 0 }]] });
    await put(sent);
    const others = await waiting();
    const third = Object.entries(sent).find(([log]) => log.includes(".3/"));
    const [name, last] = third ?? ["", 0];
    expect(last).toBeGreaterThan(2);
    await put({ ...sent, [name]: last - 2 });
    expect(await waiting()).toBe(others + 2);
  });
});
