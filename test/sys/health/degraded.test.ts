import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryStore, sealedVault } from "../../../src/index.ts";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import {
  faultyStores,
  full,
  readOnly,
  silent,
  unreachable,
  type Fault,
} from "../../support/faulty.ts";

interface Broken extends Authority {
  /** Sets or clears the fault of a mount's store. */
  breakMount(path: string, fault: Fault | undefined): Promise<void>;
  /** Returns the number of store calls since the last time. */
  asked(): number;
}
/** Creates an authority with the mounts `pki`, `a` and `b`, whose stores can fail. */
async function breakable(options: Parameters<typeof authority>[0] = {}): Promise<Broken> {
  const { stores, fault, calls } = faultyStores(options.stores);
  const made = authority({ ...options, stores });
  for (const path of ["a", "b"]) await made.call("POST", `sys/mounts/${path}`, { type: "pki" });
  const uuids = new Map<string, string>([["sys", "sys"]]);
  for (const path of ["pki", "a", "b"]) uuids.set(path, (await made.sys.readMount({ path })).uuid);
  return {
    ...made,
    breakMount: async (path, how) => fault(uuids.get(path) ?? "", how),
    asked: () => calls().length,
  };
}
const health = (a: Authority, query = "") =>
  a.call("GET", `sys/health${query}`, undefined, { token: "" });

afterEach(() => void vi.useRealTimers());

describe("a mount whose storage fails", () => {
  it("is listed with the known facts and a warning, and other mounts as usual", async () => {
    const a = await breakable();
    const before = await a.call("GET", "sys/mounts");
    await a.breakMount("a", unreachable);
    a.clock.advance(2);
    const listed = await a.call("GET", "sys/mounts", undefined, { compat: true });
    expect([listed.status, Object.keys(listed.data).sort()]).toEqual([
      200,
      ["a/", "b/", "cubbyhole/", "identity/", "pki/", "sys/"],
    ]);
    expect(listed.json["warnings"]).toEqual([
      "the mount a/ cannot be read: only its path, type and UUID are known",
    ]);
    const [shown, known] = [listed.data["a/"], before.data["a/"]] as {
      readonly uuid: string;
      readonly accessor: string;
    }[];
    expect(shown).toMatchObject({ uuid: known?.uuid, type: "pki", accessor: "" });
    expect({ ...listed.data, "a/": null }).toEqual({ ...before.data, "a/": null });
    for (const [path, status] of Object.entries({ a: 503, b: 200, pki: 200 }))
      expect((await a.call("GET", `sys/mounts/${path}`)).status).toBe(status);
  });

  it("does not stop the jobs of other mounts", async () => {
    const a = await breakable();
    await a.root();
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    await a.breakMount("a", unreachable);
    await expect(a.ca.tick()).resolves.toEqual(expect.any(Number));
  });
});

describe("sys/health", () => {
  it("lists each mount that cannot work with the reason, and nothing if all can", async () => {
    const a = await breakable();
    expect((await health(a)).json).not.toHaveProperty("degraded");
    await a.breakMount("a", unreachable);
    await a.breakMount("b", readOnly);
    a.clock.advance(1);
    const told = await health(a);
    expect([told.status, told.json["degraded"]]).toEqual([
      200,
      [
        { mount: "a/", reason: "storage cannot be read" },
        {
          mount: "b/",
          reason: "storage cannot be written to: nothing can be issued, revoked or configured",
        },
      ],
    ]);
    expect((await a.sys.health({})).degraded).toEqual(told.json["degraded"]);
    for (const path of ["a", "b"]) await a.breakMount(path, undefined);
    a.clock.advance(1);
    expect((await health(a)).json).not.toHaveProperty("degraded");
  });

  it("reports a full disk after a failed change, until a change succeeds or five minutes have passed", async () => {
    const a = await breakable();
    const change = (days: number) => a.call("POST", "a/config/crl", { expiry: `${days * 24}h` });
    const told = async () => (await health(a)).json["degraded"];
    await a.breakMount("a", full);
    expect((await change(4)).status).toBe(503);
    a.clock.advance(1);
    const reason = "storage cannot be written to: nothing can be issued, revoked or configured";
    expect(await told()).toEqual([{ mount: "a/", reason }]);
    a.clock.advance(300);
    expect(await told()).toBeUndefined();
    expect((await change(5)).status).toBe(503);
    a.clock.advance(1);
    expect(await told()).toEqual([{ mount: "a/", reason }]);
    await a.breakMount("a", undefined);
    expect((await change(6)).status).toBe(200);
    a.clock.advance(1);
    expect(await told()).toBeUndefined();
  });

  it("reports the sys store if it fails, and still responds", async () => {
    const a = await breakable();
    await a.breakMount("sys", unreachable);
    a.clock.advance(2);
    const told = await health(a);
    expect([told.status, told.json["initialized"], told.json["degraded"]]).toEqual([
      200,
      true,
      [{ mount: "sys/", reason: "storage cannot be read" }],
    ]);
  });

  it("reports a sealing key that cannot unseal the keys of a mount, and a store that lost its rows", async () => {
    const [stores, clock] = [memoryStore(), clockAt()];
    const first = await breakable({ stores, clock });
    const { uuid } = await first.sys.readMount({ path: "a" });
    const other = sealedVault({ key: new Uint8Array(32).fill(8) });
    const [serial] = await stores(uuid).get(["config/serial"]);
    await stores(uuid).commit({
      put: [["config/serial", await other.seal(new Uint8Array(32), `${uuid}/serial`)]],
    });
    const foreign = "the sealing key cannot decrypt the keys of this mount";
    expect((await health(first)).json["degraded"]).toEqual([{ mount: "a/", reason: foreign }]);
    await stores(uuid).commit({ put: [["config/serial", serial?.value]] });
    clock.advance(1);
    const lost = memoryStore();
    const second = authority({
      stores: (name) => (name === uuid ? lost : stores)(name),
      clock,
      seed: 2,
    });
    expect((await health(second)).json["degraded"]).toEqual([
      { mount: "a/", reason: "storage is empty: restore it from a backup, or delete the mount" },
    ]);
    await stores(uuid).commit({ clear: true, epoch: "next" });
    expect((await health(first)).json["degraded"]).toEqual([
      { mount: "a/", reason: "deletion of the mount was not completed: delete it again" },
    ]);
    // following the advice resolves the problem
    expect((await first.call("DELETE", "sys/mounts/a")).status).toBe(204);
    expect((await health(first)).json).not.toHaveProperty("degraded");
  });

  it("returns degradedcode while a mount is broken, and the usual status otherwise", async () => {
    const a = await breakable();
    for (const [query, status] of Object.entries({
      "?degradedcode=503": 200,
      "?degradedcode=503&activecode=299": 299,
    }))
      expect((await health(a, query)).status).toBe(status);
    await a.breakMount("a", unreachable);
    a.clock.advance(1);
    for (const [query, status] of Object.entries({
      "": 200,
      "?activecode=299": 299,
      "?degradedcode=503": 503,
      "?degradedcode=503&activecode=299": 503,
    }))
      expect([query, (await health(a, query)).status]).toEqual([query, status]);
    const head = await a.call("HEAD", "sys/health?degradedcode=503", undefined, { token: "" });
    expect([head.status, head.text]).toEqual([503, ""]);
    for (const code of ["", "ok", "99", "600"])
      expect([code, (await health(a, `?degradedcode=${code}`)).status]).toEqual([code, 400]);
  });

  it("does not wait for a store that does not respond", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const a = await breakable();
    await a.breakMount("a", silent);
    a.clock.advance(2);
    const answer = health(a);
    // the other mounts open a key in a thread, without timers
    while (vi.getTimerCount() !== 1) await new Promise((turn) => setImmediate(turn));
    await vi.advanceTimersByTimeAsync(2000);
    expect((await answer).json["degraded"]).toEqual([
      { mount: "a/", reason: "storage does not respond" },
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("probes the mounts at most once a second, for any number of calls, and writes nothing", async () => {
    const a = await breakable();
    await health(a);
    const rows = async () =>
      Promise.all(
        ["pki", "a", "b"].map(async (path) =>
          a.stores((await a.sys.readMount({ path })).uuid).list(""),
        ),
      );
    const before = await rows();
    a.clock.advance(1);
    a.asked();
    await health(a);
    const look = a.asked();
    await Promise.all(Array.from({ length: 50 }, () => health(a)));
    expect([look > 0, a.asked()]).toEqual([true, 0]);
    a.clock.advance(1);
    await Promise.all(Array.from({ length: 50 }, () => health(a)));
    // each of the fifty calls reads at most the rows with notices
    expect(a.asked()).toBeLessThanOrEqual(look + 50);
    expect(await rows()).toEqual(before);
  });

  it("probes a limited number of mounts in each round, and all of them in turn", async () => {
    const a = await breakable();
    for (let i = 0; i < 70; i++)
      await a.call("POST", `sys/mounts/m${String(i).padStart(2, "0")}`, { type: "pki" });
    await a.breakMount("pki", unreachable);
    const seen = [];
    for (let i = 0; i < 4; i++) {
      a.clock.advance(1);
      a.asked();
      seen.push((await health(a)).json["degraded"]);
      expect(a.asked()).toBeLessThan(400);
    }
    const named = [{ mount: "pki/", reason: "storage cannot be read" }];
    expect(seen).toEqual([undefined, undefined, named, named]);
  });
});
