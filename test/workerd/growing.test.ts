import { evictDurableObject, runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { partitionKeys } from "../../src/engine/partition-layout.ts";
import { placementOf } from "../../src/engine/placement-rules.ts";
import { partitionName } from "../../src/engine/partition-stores.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import {
  hex,
  inside,
  issue,
  keysIn,
  listed,
  namesOf,
  objectOf,
  ocspStatus,
  onCrl,
  pass,
  storeOf,
  withCalls,
} from "./partition-fixture.ts";
import { bound, isolate, newMount, type Api, type Mount } from "./worker-fixture.ts";

// the clock stands an hour ahead, so that no alarm fires unless a test calls it
beforeEach(() => pass(3_600_000));
afterEach(() => vi.useRealTimers());

interface Partitions {
  readonly count: number;
  readonly growth?: { readonly state: string; readonly from: number; readonly moved: number };
  readonly partitions: readonly { readonly state: string }[];
}
const partitionsOf = async ({ path }: Mount, api: Api): Promise<Partitions> =>
  (await api("GET", `/v1/sys/mounts/${path}/partitions`)).data as unknown as Partitions;
const grow = ({ path }: Mount, api: Api, count: number) =>
  api("POST", `/v1/sys/mounts/${path}/partitions`, { count });
const stop = ({ path }: Mount, api: Api) => api("DELETE", `/v1/sys/mounts/${path}/partitions`);
/** Runs a step of the growth in the object of the mount, after the caches of isolates expired. */
async function step({ uuid }: Mount): Promise<void> {
  pass(2000);
  await inside(uuid, (object) => object.alarm());
}
async function finish(mount: Mount, api: Api): Promise<void> {
  for (let steps = 0; (await partitionsOf(mount, api)).growth; steps++) {
    expect(steps).toBeLessThan(100);
    await step(mount);
  }
}
const partitionOf = (serial: string, count: number): number =>
  Number(placementOf(pkiPlacement, count).placeOf(`cert/${hex(serial)}`));
async function search({ path }: Mount, api: Api): Promise<readonly string[]> {
  const found: string[] = [];
  for (let cursor = ""; ;) {
    const page = await api(
      "GET",
      `/v1/${path}/certs/search?list=true&role=web&limit=40&cursor=${encodeURIComponent(cursor)}`,
    );
    expect(page.status, page.text).toBe(200);
    found.push(...page.data.keys.map(hex));
    cursor = page.data["cursor"] ?? "";
    if (cursor === "") return found.toSorted();
  }
}
const revoke = async ({ path }: Mount, api: Api, serial_number: string): Promise<void> => {
  const { status, text } = await api("POST", `/v1/${path}/revoke`, { serial_number });
  expect(status, text).toBe(200);
};

/** The certificates of a mount, and the isolates that use it. */
interface Used {
  readonly mount: Mount;
  readonly serials: string[];
  readonly revoked: string[];
  /** Isolates that notice each growth by themselves. */
  readonly isolates: readonly Api[];
}
/** Uses the mount in isolates that have cached different numbers of partitions. */
async function use({ mount, serials, revoked, isolates }: Used): Promise<void> {
  const { path } = mount;
  const [one, other] = isolates as readonly [Api, Api];
  const fresh = isolate();
  serials.push(...(await issue(mount, one, 1)), ...(await issue(mount, fresh, 1)));
  const good = serials.filter((serial) => !revoked.includes(serial));
  const [first = "", last = ""] = [good[0], good.at(-1)];
  await revoke(mount, other, first);
  await revoke(mount, fresh, last);
  revoked.push(first, last);
  const all = serials.map(hex).toSorted();
  for (const api of [other, isolate()])
    expect((await listed(mount, api)).filter((one) => all.includes(one)).toSorted()).toEqual(all);
  expect(await search(mount, one)).toEqual(all);
  // an isolate may cache a CRL for a second
  pass(2000);
  expect((await onCrl(mount)).toSorted()).toEqual(revoked.map(hex).toSorted());
  for (const serial of [first, last])
    expect(await ocspStatus(mount, serial)).toMatchObject({ revokedAt: expect.any(Number) });
  for (const serial of [good[1] ?? "", good.at(-2) ?? ""]) {
    expect(await ocspStatus(mount, serial)).toBe("good");
    const { status, data } = await other("GET", `/v1/${path}/cert/${serial}`);
    expect([status, data["revocation_time"]]).toEqual([200, 0]);
  }
}

describe("a mount whose number of partitions grows", () => {
  it("issues, revokes, lists and searches in every isolate after each step, from 1 to 4 to 16", async () => {
    const mount = await newMount();
    const { uuid } = mount;
    const isolates = [isolate(), isolate()];
    const serials = [...(await issue(mount, isolate(), 120))];
    const used: Used = { mount, serials, revoked: [], isolates };
    let mixed = 0;
    for (const to of [4, 16]) {
      const begun = await grow(mount, isolate(), to);
      expect(begun.status, begun.text).toBe(204);
      for (;;) {
        await use(used);
        const { count, growth, partitions } = await partitionsOf(mount, isolate());
        expect([count, partitions.map(({ state }) => state)]).toEqual([
          to,
          namesOf(uuid, to).map(() => "ready"),
        ]);
        if (!growth) break;
        if (growth.moved > 0 && growth.moved < serials.length / 2) mixed += 1;
        await step(mount);
      }
      const places = await keysIn(uuid, "cert/", 16);
      // the root's certificate is stored in the first partition
      expect(places.flat()).toHaveLength(serials.length + 1);
      for (const serial of serials) expect(places[partitionOf(serial, to)]).toContain(hex(serial));
    }
    expect(mixed).toBeGreaterThan(0);
  });

  it("resumes growing after its objects were evicted, and after the growth was stopped", async () => {
    const mount = await newMount();
    const { uuid } = mount;
    const [one, other] = [isolate(), isolate()];
    const serials = [...(await issue(mount, one, 110))];
    expect((await stop(mount, one)).status).toBe(409);
    await grow(mount, one, 4);
    await step(mount);
    for (const name of namesOf(uuid, 4)) await evictDurableObject(objectOf(name));
    expect((await stop(mount, other)).status).toBe(204);
    const { growth } = await partitionsOf(mount, isolate());
    expect(growth).toMatchObject({ state: "stopped", from: 1 });
    expect(growth?.moved).toBeGreaterThan(0);
    for (let n = 0; n < 3; n++) await step(mount);
    expect((await partitionsOf(mount, one)).growth).toEqual(growth);
    serials.push(...(await issue(mount, other, 3)));
    expect(await listed(mount, isolate())).toHaveLength(serials.length + 1);
    expect((await grow(mount, one, 16)).status).toBe(409);
    expect((await grow(mount, isolate(), 4)).status).toBe(204);
    while ((await partitionsOf(mount, one)).growth) {
      for (const name of namesOf(uuid, 4)) await evictDurableObject(objectOf(name));
      await step(mount);
    }
    expect((await listed(mount, other)).toSorted()).toEqual(
      expect.arrayContaining(serials.map(hex)),
    );
    expect((await keysIn(uuid, "cert/", 4)).flat()).toHaveLength(serials.length + 1);
  });

  it("makes at most 50 subrequests per request and alarm while growing from 1 to 4", async () => {
    const mount = await newMount();
    await issue(mount, mount.api, 110);
    let calls = 0;
    const counted = withCalls(() => void calls++);
    const { MOUNT } = bound;
    await evictDurableObject(objectOf(mount.uuid));
    expect((await grow(mount, isolate(counted), 4)).status).toBe(204);
    const counts = [calls];
    while ((await partitionsOf(mount, mount.api)).growth) {
      pass(2000);
      calls = 0;
      await inside(mount.uuid, async (object) => {
        Object.assign(bound, { MOUNT: counted.MOUNT });
        await object.alarm().finally(() => Object.assign(bound, { MOUNT }));
      });
      counts.push(calls);
    }
    expect(counts.length).toBeGreaterThan(3);
    expect(Math.min(...counts.slice(0, 3))).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(50);
  });

  it("lists the audit events of all partitions in an isolate that knew only one", async () => {
    const mount = await newMount();
    const { path, uuid } = mount;
    const [one, other] = [isolate(), isolate()];
    await issue(mount, other, 2);
    await grow(mount, one, 4);
    // enough that each partition gets at least one
    await issue(mount, one, 48);
    pass(2000);
    const at = `/v1/sys/audit/events?list=true&endpoint=issue&mount=${path}`;
    const { data } = await other("GET", at);
    const info = (data as unknown as { readonly key_info: Record<string, { store: string }> })
      .key_info;
    const stores = Object.values(info).map(({ store }) => store);
    expect(stores).toHaveLength(50);
    expect(new Set(stores)).toEqual(new Set(namesOf(uuid, 4)));
  });

  it("hands the jobs of an added partition to the object of the mount", async () => {
    const mount = await newMount({ role: { generate_lease: true } });
    const { uuid, api } = mount;
    await issue(mount, api, 8);
    await grow(mount, api, 4);
    await issue(mount, api, 24);
    await finish(mount, api);
    expect((await keysIn(uuid, "lease/", 4)).flat()).toHaveLength(32);
    const third = partitionName(uuid, 3);
    expect(await inside(third, (_, { storage }) => storage.getAlarm())).not.toBeNull();
    for (let hours = 0; (await keysIn(uuid, "lease/", 4)).flat().length > 0; hours++) {
      expect(hours).toBeLessThan(6);
      pass(3_600_000);
      for (const name of namesOf(uuid, 4)) await inside(name, (object) => object.alarm());
    }
  });

  it("serves what does not depend on an unreachable object, also in a new isolate", async () => {
    const mount = await newMount();
    const { path, uuid } = mount;
    const serials = await issue(mount, mount.api, 30);
    await grow(mount, mount.api, 4);
    await finish(mount, mount.api);
    const lost = partitionName(uuid, 2);
    const api = isolate(
      withCalls((name) => (name === lost ? Promise.reject(new Error("unreachable")) : undefined)),
    );
    for (const serial of serials.slice(0, 16)) {
      const { status } = await api("GET", `/v1/${path}/cert/${serial}`);
      const partition = partitionOf(serial, 4);
      expect([partition, status]).toEqual([partition, partition === 2 ? 503 : 200]);
    }
    const statuses = new Set<number>();
    for (let n = 0; n < 24; n++) {
      const { status } = await api("POST", `/v1/${path}/issue/web`, { common_name: "a.test" });
      statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual([200, 503]);
    const health = await api("GET", "/v1/sys/health");
    expect(JSON.parse(health.text)).toMatchObject({
      degraded: [expect.objectContaining({ mount: `${path}/` })],
    });
  });
});

describe("a mount whose growth was interrupted", () => {
  /** Returns an isolate whose calls fail if `isLost` is true for the object and the method. */
  const failing = (isLost: (name: string, method: string) => boolean): Api =>
    isolate(
      withCalls((name, method) =>
        isLost(name, method) ? Promise.reject(new Error("unreachable")) : undefined,
      ),
    );

  it("keeps one partition if an object was unreachable, and its deletion clears the prepared ones", async () => {
    const mount = await newMount();
    const { path, uuid, api } = mount;
    await issue(mount, api, 4);
    const lost = partitionName(uuid, 5);
    const refused = await grow(
      mount,
      failing((name) => name === lost),
      16,
    );
    expect(refused.status, refused.text).toBe(503);
    expect(await partitionsOf(mount, isolate())).toMatchObject({ count: 1 });
    const prepared = await storeOf(partitionName(uuid, 3)).get([partitionKeys.layout]);
    expect(prepared[0]?.value).toEqual({ count: 1 });
    await issue(mount, isolate(), 4);
    expect(await listed(mount, api)).toHaveLength(9);
    await removed(mount, isolate(), 16);
    expect((await api("POST", `/v1/${path}/issue/web`, { common_name: "a.test" })).status).toBe(
      404,
    );
  });

  it("grows at the next attempt, also to a different number", async () => {
    const mount = await newMount();
    const { uuid, api } = mount;
    const serials = await issue(mount, api, 12);
    // the first partition commits that it will prepare others, but not that they are ready
    let commits = 0;
    const halfway = failing(
      (name, method) => name === uuid && method === "commit" && ++commits > 1,
    );
    expect((await grow(mount, halfway, 16)).status).toBe(503);
    for (const to of [4, 16]) {
      expect((await grow(mount, isolate(), to)).status).toBe(204);
      await finish(mount, isolate());
      expect((await listed(mount, isolate())).toSorted()).toEqual(
        expect.arrayContaining(serials.map(hex)),
      );
    }
    const places = await keysIn(uuid, "cert/", 16);
    for (const serial of serials) expect(places[partitionOf(serial, 16)]).toContain(hex(serial));
  });

  it("is deleted completely in mid-growth by an isolate that knows only one partition", async () => {
    const mount = await newMount();
    const { api } = mount;
    const outdated = isolate();
    await issue(mount, api, 110);
    await issue(mount, outdated, 1);
    await grow(mount, api, 4);
    await inside(mount.uuid, (object) => object.alarm());
    expect((await partitionsOf(mount, api)).growth?.moved).toBeGreaterThan(0);
    await removed(mount, outdated, 4);
  });
});

/** Deletes a mount, and asserts that its objects are empty after the jobs of `sys`. */
async function removed({ path, uuid }: Mount, api: Api, count: number): Promise<void> {
  expect((await api("DELETE", `/v1/sys/mounts/${path}`)).status).toBe(204);
  // dropping the objects requires their number
  expect((await keysIn(uuid, "", count)).flat().filter((key) => key !== "epoch")).toEqual([
    "partition-stores",
  ]);
  // calls of the growth may be pending for a minute
  pass(61_000);
  await expect
    .poll(async () => {
      await runDurableObjectAlarm(objectOf("sys"));
      await inside("sys", (object) => object.alarm());
      return (await keysIn(uuid, "", count)).flat();
    })
    .toEqual([]);
}
