import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import type { DurableObjectState } from "@cloudflare/workers-types";
import { afterEach, describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { createCa, sealedVault, type Signer } from "../../src/index.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";
import { remoteStore } from "../../worker/store.ts";
import {
  apiOf,
  bound,
  memoryKv,
  newMount,
  secrets,
  withoutOnce,
  type Api,
  type Mount,
} from "./worker-fixture.ts";

const hour = 3_600_000;
interface Instance {
  alarm(): Promise<void>;
  once(name: string, kind: string, id: string): Promise<unknown>;
}
const inside = <R>(
  mount: Mount,
  run: (object: Instance, state: DurableObjectState) => Promise<R>,
): Promise<R> => runInDurableObject(mount.stub(), run);

afterEach(() => vi.useRealTimers());
/** Advances the clock by `ms`. Timers and alarms are unaffected. */
function pass(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms });
}

interface Seen {
  readonly number: number;
  readonly serials: readonly string[];
}
async function crl({ store }: Mount): Promise<Seen> {
  const [[key, row] = []] = await store.list("crlstate/");
  const state = row?.value as { readonly number: number; readonly chunks: number };
  const set = key?.slice("crlstate/".length) ?? "";
  const chunks = await store.list(`crl/${set}/${String(state.number).padStart(10, "0")}/`);
  const der = chunks.flatMap(([, { value }]) => [...(value as Uint8Array)]);
  return {
    number: state.number,
    serials: [...eachRevoked(parseCrl(Uint8Array.from(der)))].map(({ serial }) => toHex(serial)),
  };
}
/** Returns the kinds of the scheduled jobs, except the removal of superseded CRLs. */
const jobs = async ({ store }: Mount): Promise<readonly string[]> =>
  (await store.list("job/"))
    .map(([key]) => key.split("/")[2] ?? "")
    .filter((kind) => kind !== "crl-unpublish");
/** Jobs that every CRL build schedules: its renewal. */
const waiting = ["crl-renewal"];
async function issued(mount: Mount): Promise<string> {
  const leaf = await mount.api("POST", `/v1/${mount.path}/issue/web`, { common_name: "a.test" });
  expect(leaf.status, leaf.text).toBe(200);
  return leaf.data["serial_number"] ?? "";
}
const hex = (serial: string): string => serial.replaceAll(":", "");
async function revoke(mount: Mount, serial: string, api: Api = mount.api): Promise<string> {
  const answer = await api("POST", `/v1/${mount.path}/revoke`, { serial_number: serial });
  expect(answer.status, answer.text).toBe(200);
  return answer.warnings;
}

describe("a revocation whose CRL build failed", () => {
  it("is stored with a warning, and the alarm builds its CRL once, even if it fires again", async () => {
    const mount = await newMount();
    const before = await crl(mount);
    const serial = await issued(mount);
    expect(await revoke(mount, serial, apiOf(withoutOnce()))).toContain(
      "Warning 1 during CRL rebuild",
    );
    expect(
      (await mount.api("GET", `/v1/${mount.path}/cert/${serial}`)).data["revocation_time"],
    ).not.toBe(0);
    expect(await crl(mount)).toEqual(before);
    expect(await jobs(mount)).toEqual(["crl", ...waiting]);
    pass(20_000);
    expect(await runDurableObjectAlarm(mount.stub())).toBe(true);
    const built = { number: before.number + 1, serials: [hex(serial)] };
    expect(await crl(mount)).toEqual(built);
    expect(await jobs(mount)).toEqual(waiting);
    await inside(mount, (object) => object.alarm());
    await inside(
      mount,
      async (object) => void (await Promise.all([object.alarm(), object.alarm()])),
    );
    expect(await crl(mount)).toEqual(built);
  });

  it("stays scheduled when the object is evicted before the alarm", async () => {
    const mount = await newMount();
    const { number } = await crl(mount);
    const serials = [await issued(mount), await issued(mount)];
    for (const serial of serials) {
      await revoke(mount, serial, apiOf(withoutOnce()));
      await evictDurableObject(mount.stub());
    }
    // the alarm of an earlier job may be about to fire
    expect(await inside(mount, async (_, { storage }) => storage.getAlarm())).not.toBeNull();
    pass(20_000);
    expect(await runDurableObjectAlarm(mount.stub())).toBe(true);
    expect(await crl(mount)).toEqual({ number: number + 1, serials: serials.map(hex) });
  });

  it("keeps its job when another build that began earlier finishes later", async () => {
    const mount = await newMount();
    const object = () => bound.MOUNT.get(bound.MOUNT.idFromName(mount.uuid));
    const [first, second] = [await issued(mount), await issued(mount)];
    const vault = sealedVault({
      key: Uint8Array.from(atob(secrets.SEALING_KEY), (c) => c.charCodeAt(0)),
    });
    let [reached, go] = [() => {}, () => {}];
    const signing = new Promise<void>((resolve) => (reached = resolve));
    const held = new Promise<void>((resolve) => (go = resolve));
    const slow = async (...args: Parameters<typeof vault.signer>): Promise<Signer> => {
      const signer = await vault.signer(...args);
      return {
        ...signer,
        platform: signer.platform,
        spki: signer.spki,
        sign: async (scheme, data) => (reached(), await held, signer.sign(scheme, data)),
      };
    };
    const ca = createCa({
      stores: (name) =>
        remoteStore(
          name === mount.uuid ? object : () => bound.MOUNT.get(bound.MOUNT.idFromName(name)),
          name,
        ),
      vault: { ...vault, seal: vault.seal, unseal: vault.unseal, signer: slow },
    });
    const at = Date.now() - (Date.now() % 10_000) + 10_100;
    pass(at - Date.now());
    // both revocations share one job within ten seconds
    const earlier = ca.mount(mount.path).revoke({ serial_number: first });
    await signing;
    await revoke(mount, second, apiOf(withoutOnce()));
    go();
    await earlier;
    expect((await crl(mount)).serials).toEqual([hex(first)]);
    expect(await jobs(mount)).toEqual(["crl", ...waiting]);
    pass(20_000);
    await inside(mount, (instance) => instance.alarm());
    expect((await crl(mount)).serials).toEqual([hex(first), hex(second)]);
  });
});

describe("an object whose clock stayed ahead after a correction", () => {
  const stateOf = async ({ store }: Mount) => {
    const [[key, row] = []] = await store.list("crlstate/");
    // rows with this prefix have these members
    const state = row?.value as { readonly number: number; readonly this_update: number };
    return { set: key?.slice("crlstate/".length) ?? "", ...state };
  };

  it("dates CRLs, jobs and the work of its alarm by its callers' time", async () => {
    const mount = await newMount();
    const right = Date.now();
    pass(20 * 24 * hour);
    expect((await mount.api("GET", `/v1/${mount.path}/crl/rotate`)).status).toBe(200);
    const wrong = await stateOf(mount);
    expect(wrong.this_update).toBeGreaterThan(right / 1000 + 1000);
    const object = () => bound.MOUNT.get(bound.MOUNT.idFromName(mount.uuid));
    const store = remoteStore(object, mount.uuid, () => right);
    // the due time of a change that the Worker makes with the right time
    const due = right + hour;
    const later = `job/${String(due).padStart(16, "0")}/crl-renewal/later`;
    await store.commit({ put: [[later, { kind: "crl-renewal", id: "later", planned: right }]] });
    await inside(mount, (object) => object.alarm());
    const built = await stateOf(mount);
    expect(built.number).toBe(wrong.number + 1);
    expect(built.this_update).toBe(Math.floor(right / 1000));
    // not due by the right time
    expect((await store.get([later]))[0]).toBeDefined();
    for (const [, { value }] of await store.list("job/"))
      expect((value as { readonly planned: number }).planned).toBeLessThanOrEqual(right);
    const alarm = await inside(mount, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeLessThanOrEqual(due);
    // a request that began before the correction changes nothing
    await object().epoch?.();
    expect(await object().once(mount.uuid, "crl", wrong.set, right + 1000)).toBeNull();
    expect((await stateOf(mount)).this_update).toBe(Math.floor(right / 1000) + 1);
  });
});

describe("auto_rebuild", () => {
  it("renews the CRL by alarm within the grace period before its expiry, while enabled", async () => {
    const mount = await newMount();
    const config = `/v1/${mount.path}/config/crl`;
    expect(
      (
        await mount.api("POST", config, {
          auto_rebuild: true,
          expiry: "72h",
          auto_rebuild_grace_period: "12h",
        })
      ).status,
    ).toBe(200);
    const { number } = await crl(mount);
    const serial = await issued(mount);
    await revoke(mount, serial);
    expect(await crl(mount)).toEqual({ number, serials: [] });
    pass(59 * hour);
    await inside(mount, (object) => object.alarm());
    expect((await crl(mount)).number).toBe(number);
    pass(1.1 * hour);
    expect(await runDurableObjectAlarm(mount.stub())).toBe(true);
    expect(await crl(mount)).toEqual({ number: number + 1, serials: [hex(serial)] });
    // superseded CRLs are removed; the next alarm is at most a day away, however late the renewal
    pass(0.5 * hour);
    expect(await runDurableObjectAlarm(mount.stub())).toBe(true);
    expect(await inside(mount, (_, { storage }) => storage.getAlarm())).toSatisfy(
      (at: number) => Math.abs(at - Date.now() - 24 * hour) < hour,
    );
    await evictDurableObject(mount.stub());
    pass(61 * hour);
    expect(await runDurableObjectAlarm(mount.stub())).toBe(true);
    expect((await crl(mount)).number).toBe(number + 2);
    // without auto_rebuild, CRLs are renewed before they expire too
    await mount.api("POST", config, { auto_rebuild: false });
    const last = await crl(mount);
    pass(61 * hour);
    await inside(mount, (object) => object.alarm());
    expect(await crl(mount)).toEqual({ ...last, number: last.number + 1 });
  });

  it("continues after a clock that was ahead is corrected, whether or not the object was evicted", async () => {
    for (const stopped of [true, false]) {
      const mount = await newMount();
      pass(1000 * 24 * hour);
      expect(
        (await mount.api("POST", `/v1/${mount.path}/config/crl`, { auto_rebuild: true })).status,
      ).toBe(200);
      expect((await mount.api("GET", `/v1/${mount.path}/crl/rotate`)).status).toBe(200);
      await inside(mount, (object) => object.alarm());
      vi.useRealTimers();
      expect(await inside(mount, (_, { storage }) => storage.getAlarm())).toBeGreaterThan(
        Date.now() + 900 * 24 * hour,
      );
      const { number } = await crl(mount);
      const serial = await issued(mount);
      await revoke(mount, serial);
      expect(await crl(mount)).toEqual({ number, serials: [] });
      if (stopped) await evictDurableObject(mount.stub());
      else await issued(mount);
      expect(await inside(mount, (_, { storage }) => storage.getAlarm())).toSatisfy(
        (at: number) => at < Date.now() + 5000,
      );
      expect(await runDurableObjectAlarm(mount.stub())).toBe(true);
      expect(await crl(mount)).toEqual({ number: number + 1, serials: [hex(serial)] });
      expect(await inside(mount, (_, { storage }) => storage.getAlarm())).toSatisfy(
        (at: number) => at < Date.now() + 25 * hour,
      );
    }
  });
});

describe("a CRL number", () => {
  it("never identifies two different CRLs, even if the object is aborted during builds", async () => {
    const kv = memoryKv();
    const before = bound.PUBLISHED;
    Object.assign(bound, { PUBLISHED: kv });
    try {
      const mount = await newMount();
      const told = new Set<string>();
      let last = (await crl(mount)).number;
      for (let turn = 0; turn < 12; turn++) {
        const serials = [await issued(mount), await issued(mount), await issued(mount)];
        const working = serials.map(async (serial) => {
          const answer = await mount.api("POST", `/v1/${mount.path}/revoke`, {
            serial_number: serial,
          });
          if (answer.status === 200) told.add(hex(serial));
        });
        for (let wait = 0; wait < turn; wait++) await scheduler.wait(0);
        await inside(mount, async (_, state) => state.abort("stopped by the test")).catch(
          () => undefined,
        );
        await Promise.allSettled(working);
        const { number } = await crl(mount);
        expect(number).toBeGreaterThanOrEqual(last);
        last = number;
      }
      expect((await mount.api("GET", `/v1/${mount.path}/crl/rotate`)).status).toBe(200);
      const end = await crl(mount);
      expect(end.number).toBe(last + 1);
      expect([...told].filter((serial) => !end.serials.includes(serial))).toEqual([]);
      expect(new Set(end.serials).size).toBe(end.serials.length);
      expect(told.size).toBeGreaterThan(12);
      expect(kv.rewritten).toEqual([]);
    } finally {
      Object.assign(bound, { PUBLISHED: before });
    }
  });
});
