import { runDurableObjectAlarm } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import { placementOf } from "../../src/engine/placement-rules.ts";
import { partitionName } from "../../src/engine/partition-stores.ts";
import type { Store } from "../../src/engine/ports.ts";
import { pkiPlacement } from "../../src/pki/config/row-placement.ts";
import { partitionedStore } from "../../src/store/partitions/partitioned-store.ts";
import { storeConformance } from "../conformance/store.ts";
import { partitionedRandom, spreadPlacement } from "../store/partitions/partitioned-random.ts";
import {
  hex,
  inside,
  issue,
  keysIn as keysInAll,
  listed,
  namesOf as namesOfAll,
  objectOf,
  ocspStatus,
  onCrl,
  pass,
  storeOf,
  withCalls,
} from "./partition-fixture.ts";
import { apiOf, newMount, bound, type Api } from "./worker-fixture.ts";

const count = 4;
const four = { config: { partitions: count } };
const namesOf = (uuid: string) => namesOfAll(uuid, count);
const keysIn = (uuid: string, prefix: string, partitions = count) =>
  keysInAll(uuid, prefix, partitions);

let opened = 0;
const stores = (): readonly Store[] => namesOf(`spread-${(opened += 1)}`).map(storeOf);
const spread = (): Store => partitionedStore(stores(), spreadPlacement, async () => undefined);
storeConformance("four Durable Objects", async () => spread(), { fixed: 20, fresh: 5, steps: 8 });
describe("four Durable Objects", () => {
  partitionedRandom(spread, { fixed: 20, fresh: 5 });
});

afterEach(() => vi.useRealTimers());

const partitionOf = (serial: string): number =>
  Number(placementOf(pkiPlacement, count).placeOf(`cert/${hex(serial)}`));
/** Returns those serial numbers that belong to a partition. */
const within = (serials: readonly string[], partition: number): readonly string[] =>
  serials.filter((serial) => partitionOf(serial) === partition);
const epochsOf = (uuid: string) =>
  Promise.all(namesOf(uuid).map(async (name) => storeOf(name).epoch?.()));
describe("a mount with four partitions", () => {
  it("issues with one call to one object, lists, searches and revokes, and its deletion clears all objects", async () => {
    const mount = await newMount(four);
    const { path, uuid } = mount;
    let calls: string[] = [];
    const api = apiOf(withCalls((name, method) => void calls.push(`${name} ${method}`)));
    await issue(mount, api, 1);
    const serials: string[] = [];
    const committed = new Set<string>();
    for (let n = 0; n < 40; n++) {
      calls = [];
      const [serial = ""] = await issue(mount, api, 1);
      const own = partitionName(uuid, partitionOf(serial));
      const ofMount = calls.filter((call) => call.startsWith(uuid));
      // a second after the last read, the isolate reads the epoch again
      expect(ofMount.filter((call) => call !== `${uuid} get`)).toEqual([`${own} commit`]);
      serials.push(serial);
      committed.add(own);
    }
    expect([...committed].toSorted()).toEqual(namesOf(uuid));

    expect(await listed(mount, api)).toEqual(expect.arrayContaining(serials.map(hex)));
    const found = await api("GET", `/v1/${path}/certs/search?list=true&role=web`);
    expect(found.data.keys).toHaveLength(41);

    const events = await api("GET", `/v1/sys/audit/events?list=true&endpoint=issue&mount=${path}`);
    const stored = Object.values(
      (events.data as unknown as { readonly key_info: Record<string, { store: string }> }).key_info,
    );
    expect(stored).toHaveLength(41);
    expect(new Set(stored.map(({ store }) => store))).toEqual(new Set(namesOf(uuid)));

    const revoked = [0, 1, 2, 3].flatMap((at) => within(serials, at).slice(0, 2));
    for (const serial_number of revoked)
      expect((await api("POST", `/v1/${path}/revoke`, { serial_number })).status).toBe(200);
    expect((await onCrl(mount)).toSorted()).toEqual(revoked.map(hex).toSorted());
    for (const serial of revoked)
      expect(await ocspStatus(mount, serial)).toMatchObject({ revokedAt: expect.any(Number) });
    const good = serials.find((serial) => !revoked.includes(serial)) ?? "";
    expect(await ocspStatus(mount, good)).toBe("good");
    expect((await api("GET", `/v1/sys/mounts/${path}/partitions`)).data).toEqual({
      count,
      can_grow: expect.any(Boolean),
      partitions: namesOf(uuid).map((store, number) => ({
        number,
        store,
        state: "ready",
        rows: expect.any(Number),
        bytes: expect.any(Number),
      })),
    });

    expect((await api("DELETE", `/v1/sys/mounts/${path}`)).status).toBe(204);
    expect((await keysIn(uuid, "")).map((keys) => keys.filter((key) => key !== "epoch"))).toEqual(
      namesOf(uuid).map(() => []),
    );
    pass(2000);
    await expect
      .poll(async () => {
        await runDurableObjectAlarm(objectOf("sys"));
        return (await keysIn(uuid, "")).flat();
      })
      .toEqual([]);
    expect((await api("POST", `/v1/${path}/issue/web`, { common_name: "a.test" })).status).toBe(
      404,
    );
  });

  it("runs the jobs of a partition in that partition's alarm", async () => {
    const mount = await newMount({ ...four, role: { generate_lease: true } });
    const { uuid, api } = mount;
    await issue(mount, api, 48);
    const jobsIn = async () =>
      (await keysIn(uuid, "job/")).map((keys) => keys.filter((key) => key.includes("/lease-end/")));
    expect((await keysIn(uuid, "lease/")).flat()).toHaveLength(48);
    for (const jobs of await jobsIn()) expect(jobs).toHaveLength(1);
    const [, , third = ""] = namesOf(uuid);
    const armed = await inside(third, (_, { storage }) => storage.getAlarm());
    expect(armed).toBeGreaterThan(Date.now());
    for (let hours = 0; (await keysIn(uuid, "lease/")).flat().length > 0; hours++) {
      expect(hours).toBeLessThan(4);
      pass(3_600_000);
      // the first partition schedules the leases of later hours
      await inside(hours === 0 ? third : uuid, (object) => object.alarm());
      expect((await jobsIn()).slice(1)).toEqual([[], [], []]);
    }
    expect(await jobsIn()).toEqual([[], [], [], []]);
    for (const name of namesOf(uuid)) await inside(name, (object) => object.alarm());
  });

  it("is tidied completely by the alarms of its first partition", async () => {
    const mount = await newMount(four);
    const { path, uuid, api } = mount;
    const serials = await issue(mount, api, 24);
    for (const serial_number of serials.slice(0, 8))
      expect((await api("POST", `/v1/${path}/revoke`, { serial_number })).status).toBe(200);
    pass(100 * 3_600_000);
    const tidy = { tidy_cert_store: true, tidy_revoked_certs: true, page_size: 5 };
    expect((await api("POST", `/v1/${path}/tidy`, tidy)).status).toBe(202);
    const status = async () => (await api("GET", `/v1/${path}/tidy-status`)).data;
    for (let looks = 0; (await status())["state"] === "Running"; looks++) {
      expect(looks).toBeLessThan(40);
      await inside(uuid, (object) => object.alarm());
      pass(60_000);
    }
    expect(await status()).toMatchObject({
      state: "Finished",
      cert_store_deleted_count: 24,
      revoked_cert_deleted_count: 8,
    });
    // only the root is left
    expect((await keysIn(uuid, "cert/")).flat()).toHaveLength(1);
  });

  it("is restored from a backup with the same number of partitions or another", async () => {
    const mount = await newMount(four);
    const { path, uuid, api } = mount;
    const serials = [...(await issue(mount, api, 24))];
    const revoked = serials.splice(0, 6);
    for (const serial_number of revoked)
      expect((await api("POST", `/v1/${path}/revoke`, { serial_number })).status).toBe(200);
    const before = await listed(mount, api);
    for (const partitions of [4, 16, 1, 4]) {
      const { bytes } = await api("GET", `/v1/sys/storage/snapshot/${path}`);
      expect((await api("DELETE", `/v1/sys/mounts/${path}`)).status).toBe(204);
      const at = `/v1/sys/storage/snapshot/${path}?partitions=${partitions}`;
      const restored = await api("POST", at, bytes);
      expect(restored.status, restored.text).toBe(200);
      const { data } = await api("GET", `/v1/sys/mounts/${path}/partitions`);
      expect(data).toMatchObject({ count: partitions });
      expect(await listed(mount, api)).toEqual(before);
      const spread = await keysIn(uuid, "cert/", 16);
      expect(spread.flat()).toHaveLength(before.length);
      expect(spread.slice(partitions).flat()).toEqual([]);
      // the object of the mount builds the CRL with its own view of the partitions
      const serial_number = serials.pop() ?? "";
      revoked.push(serial_number);
      expect((await api("POST", `/v1/${path}/revoke`, { serial_number })).status).toBe(200);
      expect((await onCrl(mount)).toSorted()).toEqual(revoked.map(hex).toSorted());
    }
  });

  it("has one log, and the alarm of any object adds the entries of all partitions to its tree", async () => {
    const mount = await newMount(four);
    const { path, uuid, api } = mount;
    const settings = { enabled: true, origin: `ca.test/v1/${path}/log` };
    expect((await api("POST", `/v1/${path}/config/log`, settings)).status).toBe(200);
    const serials = await issue(mount, api, 24);
    expect(new Set(serials.map(partitionOf)).size).toBe(count);
    pass(2000);
    await runDurableObjectAlarm(objectOf(partitionName(uuid, 1)));
    pass(2000);
    const entries = await Promise.all(
      serials.map(async (serial) => (await api("GET", `/v1/${path}/cert/${serial}`)).data),
    );
    const indexes: readonly unknown[] = entries.map(({ log_index }) => log_index);
    expect(indexes.toSorted((x, y) => Number(x) - Number(y))).toEqual([...serials.keys()]);
  });
});

describe("a mount with an unreachable partition", () => {
  it("serves what does not depend on that partition, and rejects configuration changes", async () => {
    const mount = await newMount(four);
    const { path, uuid } = mount;
    const serials = await issue(mount, mount.api, 24);
    const [, lost = ""] = namesOf(uuid);
    const api = apiOf(
      withCalls((name) => (name === lost ? Promise.reject(new Error("unreachable")) : undefined)),
    );
    for (const serial of serials) {
      const { status } = await api("GET", `/v1/${path}/cert/${serial}`);
      expect([partitionOf(serial), status]).toEqual([
        partitionOf(serial),
        partitionOf(serial) === 1 ? 503 : 200,
      ]);
    }
    const statuses = new Set<number>();
    for (let n = 0; n < 30; n++) {
      const { status } = await api("POST", `/v1/${path}/issue/web`, { common_name: "a.test" });
      statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual([200, 503]);
    const [reachable = ""] = within(serials, 2);
    expect((await api("POST", `/v1/${path}/revoke`, { serial_number: reachable })).status).toBe(
      200,
    );
    expect(await ocspStatus(mount, reachable)).toMatchObject({ revokedAt: expect.any(Number) });
    expect((await api("GET", `/v1/${path}/crl`)).status).toBe(200);
    expect((await api("GET", `/v1/${path}/certs?list=true`)).status).toBe(503);

    const write = (use: Api) =>
      use("POST", `/v1/${path}/roles/other`, { allow_any_name: true, key_type: "ec" });
    expect((await write(api)).status).toBe(503);
    expect((await mount.api("GET", `/v1/${path}/roles/other`)).status).toBe(404);
    expect((await api("GET", `/v1/sys/mounts/${path}/partitions`)).data).toMatchObject({
      partitions: ["ready", "unreachable", "ready", "ready"].map((state) => ({ state })),
    });
    const health = await api("GET", "/v1/sys/health");
    expect(JSON.parse(health.text)).toMatchObject({
      degraded: expect.arrayContaining([expect.objectContaining({ mount: `${path}/` })]),
    });

    // the next write that reaches all partitions repairs the epochs
    expect((await write(mount.api)).status).toBe(200);
    const before = await issue(mount, apiOf(withCalls(() => undefined)), 48);
    expect(new Set(before.map(partitionOf)).size).toBe(4);
  });

  it("continues after a writer was lost in the middle of a configuration change", async () => {
    const mount = await newMount(four);
    const { path, uuid } = mount;
    await issue(mount, mount.api, 1);
    let lost = false;
    const api = apiOf(
      withCalls((name, method) => {
        // the other partitions get the new epoch, the first one never does
        if (name !== uuid || method !== "commit") return undefined;
        lost = true;
        return Promise.reject(new Error("lost"));
      }),
    );
    const role = { allow_any_name: true, key_type: "ec", ttl: "1h" };
    expect((await api("POST", `/v1/${path}/roles/web`, role)).status).toBe(503);
    expect(lost).toBe(true);
    const epochs = await epochsOf(uuid);
    expect(epochs.slice(1)).toEqual([1, 2, 3].map(() => Number(epochs[0]) + 1));
    const serials = await issue(mount, apiOf({ ...bound }), 48);
    expect(new Set(serials.map(partitionOf)).size).toBe(4);
    const after = await epochsOf(uuid);
    expect(new Set(after)).toEqual(new Set([Number(epochs[0]) + 1]));
  });
});
