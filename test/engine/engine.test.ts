import { keys } from "../../src/pki/rows/records.ts";
import { describe, expect, it } from "vitest";
import {
  authority,
  clockAt,
  refusal,
  seeded,
  start,
  type Authority,
  type AuthorityOptions,
} from "../support/authority.ts";
import { CaError } from "../../src/base/errors.ts";
import { toHex } from "../../src/base/bytes.ts";
import { jobs, mountTypes } from "../../src/endpoints.ts";
import { kindOf } from "../../src/engine/store-context.ts";
import type { Mount } from "../../src/engine/mount.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import type { Ports, Store, Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { Mounts } from "../../src/engine/mounts.ts";
import { eachRevoked, parseCrl } from "../../src/x509/crl.ts";

const key = new Uint8Array(32).fill(7);
/** Creates engines over the mount `pki` of the same stores. */
async function engines(count: number): Promise<{
  readonly all: readonly Mount[];
  readonly store: Store;
  readonly clock: { now: number };
}> {
  const clock = clockAt();
  const stores = memoryStore();
  const ports: Ports = {
    stores,
    now: () => clock.now,
    random: seeded(1),
    vault: sealedVault({ key, random: seeded(2) }),
    authenticate: async () => undefined,
  };
  const all: Mount[] = [];
  let name = "";
  for (let i = 0; i < count; i++) {
    const system = new Mounts(ports, { types: Object.values(mountTypes), jobs });
    name = (await system.mounts()).get("pki")?.uuid ?? "";
    all.push(system.mount(name));
  }
  return { all, store: stores(name), clock };
}
const pick = (all: readonly Mount[], i: number): Mount => {
  const engine = all[i];
  if (!engine) throw new Error("no such engine");
  return engine;
};
/** Creates two authorities over one store with one clock, like two isolates. */
function pair(): { readonly a: Authority; readonly b: Authority } {
  const clock = clockAt();
  const stores = memoryStore();
  return { a: authority({ clock, stores }), b: authority({ clock, stores, seed: 2 }) };
}
const putRole = (engine: Mount, name: string) =>
  engine.configure(() => ({ reply: undefined, batch: { put: [[`role/${name}`, { name }]] } }));

describe("a decision", () => {
  it("is computed again if the configuration changed before its commit, and commits once", async () => {
    const { all, store } = await engines(2);
    let made = 0;
    const reply = await pick(all, 0).decide(async (config) => {
      if (made++ === 0) await putRole(pick(all, 1), "r");
      return {
        reply: config.epoch,
        batch: { expect: [["cert/01", null]], put: [["cert/01", made]] },
      };
    });
    expect([made, reply, (await store.get(["cert/01"]))[0]?.value]).toEqual([2, 2, 2]);
  });

  it("that rejects is computed again if the configuration changed, and may then succeed", async () => {
    const { all } = await engines(2);
    let made = 0;
    const reply = await pick(all, 0).decide(async (config) => {
      if (made++ === 0) await putRole(pick(all, 1), "r");
      if (!(await config.row(keys.role("r")))) throw new CaError("unknown_role", "unknown role: r");
      return { reply: "granted" };
    });
    expect([reply, made]).toEqual(["granted", 2]);
  });

  it("without a change is confirmed like any other", async () => {
    const { all } = await engines(2);
    const seen: number[] = [];
    await pick(all, 0).decide(async (config) => {
      seen.push(config.epoch);
      if (seen.length === 1) await putRole(pick(all, 1), "r");
      return { reply: undefined };
    });
    expect(seen).toEqual([1, 2]);
  });

  it("fails as busy after five attempts", async () => {
    const { all } = await engines(2);
    let made = 0;
    const endless = pick(all, 0).decide(async () => {
      await putRole(pick(all, 1), `r${made++}`);
      return { reply: undefined };
    });
    await expect(endless).rejects.toMatchObject({ code: "busy" });
    expect(made).toBe(5);
  });

  it("that fails because of a defect stores nothing and is not retried", async () => {
    const { all, store } = await engines(1);
    let made = 0;
    await expect(
      pick(all, 0).decide(() => {
        made++;
        throw new TypeError("a defect");
      }),
    ).rejects.toThrow("a defect");
    expect([made, (await store.list("cert/")).length]).toEqual([1, 0]);
  });

  it("that loses to a concurrent one with the same key is computed again", async () => {
    const { all } = await engines(2);
    const take = (engine: Mount) =>
      engine.decide(async (config) => {
        const [held] = await engine.store.get(["cert/01"]);
        return held
          ? { reply: "second" }
          : {
              reply: "first",
              batch: {
                epoch: config.epoch,
                expect: [["cert/01", null] as const],
                put: [["cert/01", 1] as const],
              },
            };
      });
    expect((await Promise.all([take(pick(all, 0)), take(pick(all, 1))])).sort()).toEqual([
      "first",
      "second",
    ]);
  });
});

describe("a change of configuration", () => {
  it("loses no concurrent change of the same row", async () => {
    const { all, store } = await engines(3);
    const add = (engine: Mount) =>
      engine.configure(async (config) => {
        const [row] = await engine.store.get(["config/urls"]);
        const count = (row?.value as { n: number } | undefined)?.n ?? 0;
        return {
          reply: undefined,
          batch: {
            expect: [["config/urls", row?.rev ?? null]],
            put: [["config/urls", { n: count + 1 }]],
          },
          config,
        };
      });
    await Promise.all(Array.from({ length: 12 }, (_, i) => add(pick(all, i % 3))));
    expect((await store.get(["config/urls"]))[0]?.value).toEqual({ n: 12 });
  });

  it("that is exact is computed again after any other change", async () => {
    const { all } = await engines(2);
    const seen: number[] = [];
    await pick(all, 0).configure(
      async (config) => {
        seen.push(config.epoch);
        if (seen.length === 1) await putRole(pick(all, 1), "other");
        return { reply: undefined, batch: { put: [["role/r", {}]] } };
      },
      { exact: true },
    );
    expect(seen).toEqual([1, 2]);
  });

  it("reaches its own engine at once, others within a second, and issuance everywhere at once", async () => {
    const { a, b } = pair();
    await a.root();
    await a.role("web");
    expect((await b.pki.readRole({ name: "web" })).allow_any_name).toBe(true);
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
    await a.role("web", { allow_any_name: false });
    expect((await a.pki.readRole({ name: "web" })).allow_any_name).toBe(false);
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).errors).toEqual([
      "common name a.test not allowed by this role",
    ]);
    await a.role("web");
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
    await a.pki.deleteRole({ name: "web" });
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).errors).toEqual([
      "unknown role: web",
    ]);
    const held = await a.pki.readCluster({});
    expect(await b.pki.readCluster({})).toEqual(held);
    await a.pki.writeCluster({ path: "https://a.test/v1/pki" });
    a.clock.advance(0.999);
    expect([await b.pki.readCluster({}), (await a.pki.readCluster({})).path]).toEqual([
      held,
      "https://a.test/v1/pki",
    ]);
    a.clock.advance(0.001);
    expect((await b.pki.readCluster({})).path).toBe("https://a.test/v1/pki");
  });

  it("is not hidden by a read into the cache that started before it", async () => {
    const engine = pick((await engines(1)).all, 0);
    let give = (): void => undefined;
    const texts = kindOf<string>();
    const { cache } = engine.storeContext;
    const slow = cache.recent(
      texts,
      "it",
      () => new Promise<string>((resolve) => (give = () => resolve("old"))),
    );
    await putRole(engine, "r");
    give();
    expect(await slow).toBe("old");
    expect(await cache.recent(texts, "it", async () => "new")).toBe("new");
    expect(await cache.recent(texts, "it", async () => "not asked")).toBe("new");
  });

  it("is not hidden by a configuration read that started before it", async () => {
    const inner = memoryStore();
    let gate: Promise<void> | undefined;
    const stores: Stores = (name) => {
      const store = inner(name);
      const list: Store["list"] = async (prefix, page) => {
        const found = await store.list(prefix, page);
        if (prefix === "config/") await gate;
        return found;
      };
      return { get: (keys) => store.get(keys), list, commit: (batch) => store.commit(batch) };
    };
    const a = authority({ stores });
    await a.pki.readCluster({});
    a.clock.advance(1);
    await authority({ stores, clock: a.clock, seed: 2 }).role("other");
    let open = (): void => undefined;
    gate = new Promise<void>((resolve) => (open = resolve));
    const slow = a.pki.readCluster({});
    for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
    gate = undefined;
    await a.pki.writeCluster({ path: "https://a.test/v1/pki" });
    open();
    await slow;
    expect((await a.pki.readCluster({})).path).toBe("https://a.test/v1/pki");
  });

  it("applies at once to issuance with no_store roles, too", async () => {
    const { a, b } = pair();
    await a.root();
    await a.role("web", { no_store: true });
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(200);
    await a.pki.deleteRole({ name: "web" });
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).status).toBe(400);
  });

  it("is visible within a second even if the clock was set back", async () => {
    const { a, b } = pair();
    await b.pki.readCluster({});
    a.clock.advance(-3600);
    await a.pki.writeCluster({ path: "https://a.test/v1/pki" });
    a.clock.advance(1);
    expect((await b.pki.readCluster({})).path).toBe("https://a.test/v1/pki");
  });

  it("such as a revocation is on the CRL of its own engine at once, and of another within a second", async () => {
    const { a, b } = pair();
    await a.root();
    await a.role("web");
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    const serials = async (from: Authority) =>
      [...eachRevoked(parseCrl((await from.call("GET", "pki/crl")).bytes))].map((entry) =>
        toHex(entry.serial),
      );
    expect(await serials(b)).toEqual([]);
    await a.pki.revoke({ serial_number });
    expect([await serials(a), await serials(b)]).toEqual([[serial_number.replaceAll(":", "")], []]);
    a.clock.advance(1);
    expect(await serials(b)).toEqual([serial_number.replaceAll(":", "")]);
  });
});

/** Returns stores whose commits of certificates a test can delay or fail. */
function slow(): {
  readonly stores: Stores;
  gate: Promise<void> | undefined;
  fail: Error | undefined;
} {
  const inner = memoryStore();
  const control: { stores: Stores; gate: Promise<void> | undefined; fail: Error | undefined } = {
    gate: undefined,
    fail: undefined,
    stores: (name) => {
      const store = inner(name);
      return {
        get: (keys) => store.get(keys),
        list: (prefix, page) => store.list(prefix, page),
        commit: async (batch) => {
          if (batch.put?.some(([row]) => row.startsWith("cert/"))) {
            await control.gate;
            if (control.fail !== undefined) throw control.fail;
          }
          return store.commit(batch);
        },
      };
    },
  };
  return control;
}

describe("a certificate", () => {
  it("security row 81: is stored before it is returned", async () => {
    const control = slow();
    const a = authority({ stores: control.stores });
    await a.root();
    await a.role("web");
    let open = (): void => undefined;
    control.gate = new Promise<void>((resolve) => (open = resolve));
    let answered = false;
    const issuing = a
      .call("POST", "pki/issue/web", { common_name: "a.test" })
      .finally(() => (answered = true));
    for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBe(false);
    open();
    expect((await issuing).status).toBe(200);
  });

  it("security row 90: is not returned if it could not be stored, and only the log has the reason", async () => {
    const control = slow();
    const a = authority({ stores: control.stores });
    await a.root();
    await a.role("web");
    control.fail = new Error("secret path /var/x");
    const answer = await a.call("POST", "pki/issue/web", { common_name: "a.test" });
    expect([answer.status, answer.json]).toEqual([500, { errors: ["internal error"] }]);
    expect(a.events.at(-1)).toMatchObject({ endpoint: "issue", status: 500, cause: control.fail });
    control.fail = new CaError("storage", "the store is away; try again");
    expect(await a.call("POST", "pki/issue/web", { common_name: "a.test" })).toMatchObject({
      status: 503,
      errors: ["the store is away; try again"],
    });
    control.fail = undefined;
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
  });

  it("is not issued if the random source, the vault or the signer fails", async () => {
    for (const broken of ["random", "unseal", "signer", "sign"] as const) {
      let armed = false;
      const fail = (): void => {
        if (armed) throw new Error(`${broken} fails`);
      };
      const vault = sealedVault({ key, random: seeded(3) });
      const random = seeded(4);
      const surroundings: AuthorityOptions = {
        random: (bytes) => (broken === "random" && fail(), random(bytes)),
        vault: {
          seal: (secret, binding) => vault.seal(secret, binding),
          unseal: async (sealed, binding) => (
            broken === "unseal" && fail(),
            vault.unseal(sealed, binding)
          ),
          signer: async (sealed, binding, spki) => {
            if (broken === "signer") fail();
            const signer = await vault.signer(sealed, binding, spki);
            return {
              ...signer,
              sign: async (scheme, data) => (
                broken === "sign" && fail(),
                signer.sign(scheme, data)
              ),
            };
          },
        },
      };
      const a = authority(surroundings);
      await a.root();
      await a.role("web");
      // another isolate, with cold caches
      const other = authority({ ...surroundings, stores: a.stores, clock: a.clock });
      armed = true;
      const answer = await other.call("POST", "pki/issue/web", { common_name: "a.test" });
      expect([broken, answer.status, answer.text.includes("CERTIFICATE")]).toEqual([
        broken,
        500,
        false,
      ]);
      armed = false;
      expect((await a.pki.listCerts({})).keys).toHaveLength(1);
      // failures are not cached
      expect([
        broken,
        (await other.call("POST", "pki/issue/web", { common_name: "a.test" })).status,
      ]).toEqual([broken, 200]);
    }
  });
});

describe("jobs", () => {
  it("run when they are due, and tick returns the next due time", async () => {
    const { all, clock } = await engines(1);
    const engine = pick(all, 0);
    await engine.store.commit({
      put: [
        ["job/000000000000001/crl/none", { kind: "crl", id: "none" }],
        [
          `job/${String(clock.now + 5000).padStart(15, "0")}/crl/other`,
          { kind: "crl", id: "other" },
        ],
      ],
    });
    expect(await engine.storeContext.tick()).toBe(clock.now + 5000);
    clock.now += 5000;
    expect(await engine.storeContext.tick()).toBeUndefined();
  });

  it("of several mounts run in one tick", async () => {
    const a = authority();
    await a.root();
    await a.sys.createMount({ path: "other", type: "pki" });
    const other = a.ca.mount("other");
    await other.generateRoot({ common_name: "R", key_type: "ec" });
    await a.pki.writeCrlConfig({ auto_rebuild: true });
    a.clock.advance(10);
    await other.writeCrlConfig({ auto_rebuild: true });
    expect(await a.ca.tick()).toBe(start + 60 * 3600 * 1000);
  });

  it("of a mount whose store fails do not delay those of other mounts, and are retried", async () => {
    const a = authority();
    await a.root();
    await a.sys.createMount({ path: "other", type: "pki" });
    await a.ca.mount("other").generateRoot({ common_name: "R", key_type: "ec" });
    const stores = await Promise.all(
      ["pki", "other"].map(async (path) =>
        a.stores(String((await a.call("GET", `sys/mounts/${path}`)).data["uuid"])),
      ),
    );
    const key = `job/${String(a.clock.now).padStart(15, "0")}/crl/none`;
    const waiting = () =>
      Promise.all(stores.map(async (store) => Number((await store.get([key]))[0] !== undefined)));
    const renewal = start + 60 * 3600 * 1000;
    for (const broken of stores) {
      for (const store of stores) await store.commit({ put: [[key, { kind: "crl", id: "none" }]] });
      const { list } = broken;
      broken.list = () => Promise.reject(new Error("the disk is gone"));
      expect(await a.ca.tick()).toBe(a.clock.now + 30_000);
      broken.list = list;
      expect(await waiting()).toEqual(stores.map((store) => Number(store === broken)));
      expect(a.events.at(-1)?.endpoint).toBe("job tick");
      a.clock.advance(30);
      expect(await a.ca.tick()).toBe(renewal);
      expect(await waiting()).toEqual([0, 0]);
    }
  });

  it("that fail are retried after half a minute", async () => {
    const { all, clock } = await engines(1);
    const engine = pick(all, 0);
    await engine.store.commit({
      put: [["job/000000000000001/unknown/x", { kind: "unknown", id: "x" }]],
    });
    expect(await engine.storeContext.tick()).toBe(clock.now + 30_000);
  });

  it("that fail repeatedly wait twice as long each time, up to ten minutes, and are neither lost nor run early", async () => {
    const { all, clock } = await engines(1);
    const engine = pick(all, 0);
    await engine.store.commit({
      put: [["job/000000000000001/unknown/x", { kind: "unknown", id: "x" }]],
    });
    const waits: number[] = [];
    for (let turn = 0; turn < 7; turn++) {
      const next = (await engine.storeContext.tick()) ?? 0;
      waits.push((next - clock.now) / 1000);
      clock.now = next - 1;
      expect(await engine.storeContext.tick()).toBe(next);
      clock.now = next;
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
    expect(await engine.store.list("job/")).toHaveLength(1);
  });
});

describe("calls", () => {
  it("to an unknown path get 404, and those with an unsupported method get 405", async () => {
    const a = authority();
    expect(await a.call("GET", "nowhere/x")).toMatchObject({
      status: 404,
      errors: ['no handler for route "nowhere/x". route entry not found.'],
    });
    expect(await a.call("GET", "pki/nothing")).toMatchObject({
      status: 404,
      errors: ["1 error occurred:\n\t* unsupported path\n\n"],
    });
    expect(await a.call("DELETE", "pki/ca")).toMatchObject({
      status: 405,
      errors: ["1 error occurred:\n\t* unsupported operation\n\n"],
    });
  });

  it("without permission are rejected with the same text on every path", async () => {
    const a = authority();
    for (const [method, path] of [
      ["POST", "pki/roles/x"],
      ["PUT", "pki/roles/x"],
      ["DELETE", "pki/roles/x"],
      ["POST", "pki/root/generate/internal"],
    ] as const)
      expect(
        await a.call(method, path, method === "DELETE" ? undefined : {}, { token: "reader" }),
      ).toMatchObject({
        status: 403,
        errors: ["1 error occurred:\n\t* permission denied\n\n"],
      });
    expect(await a.call("POST", "sys/rotate", {}, { token: "operator" })).toMatchObject({
      status: 403,
    });
  });

  it("through the typed client reject with the status and text of the refusal", async () => {
    expect(await refusal(authority().pki.issue({ role: "none" }))).toEqual([
      400,
      "unknown role: none",
    ]);
  });
});
