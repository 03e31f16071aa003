import { describe, expect, it } from "vitest";
import { fingerprint } from "../../src/engine/sealing.ts";
import { createCa, memoryStore, sealedVault, type Stores } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { authority, clockAt, type Authority } from "../support/authority.ts";
import { faultyStores, unreachable } from "../support/faulty.ts";

const keyOf = (byte: number) => new Uint8Array(32).fill(byte);
const told =
  "the sealing key is not the key with which the stored secrets were sealed: set that key, or set it as the previous key";
const token = "token-of-the-first-user";
/** Returns an engine over the same stores with the key `current`, like a restart. */
const start = (stores: Stores, current: number, previous?: number): Authority =>
  authority({
    stores,
    seed: 100 + current,
    clock: clockAt(),
    vault: sealedVault({
      key: keyOf(current),
      ...(previous === undefined ? {} : { previous: keyOf(previous) }),
    }),
    apis: [varsApi],
    vars: { token },
  });
const vars = async (
  a: Authority,
  method: string,
  path: string,
  data?: object,
): Promise<{ readonly status: number; readonly json: Record<string, unknown> }> => {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/vnd.api+json" };
  const answer = await a.ca.fetch(
    new Request(`http://ca/api/v2/${path}`, {
      method,
      headers,
      ...(data ? { body: JSON.stringify({ data }) } : {}),
    }),
  );
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
};
/** Returns stores, and all rows of those that were opened. */
function watched(): { readonly stores: Stores; rows(): Promise<string> } {
  const held = memoryStore();
  const names = new Set<string>();
  return {
    stores: (name) => (names.add(name), held(name)),
    rows: async () => {
      const all = await Promise.all(
        [...names].sort().map(async (name) => [name, await held(name).list("")] as const),
      );
      return JSON.stringify(all.filter(([, rows]) => rows.length > 0));
    },
  };
}
async function filled(stores: Stores): Promise<Authority> {
  const a = start(stores, 1);
  await a.root();
  await a.role("web");
  await a.call("POST", "sys/mounts/other", { type: "pki" });
  return a;
}

describe("a wrong sealing key", () => {
  it("is reported by every call of either API, by health and by the seal status, and nothing is written", async () => {
    const { stores, rows } = watched();
    await filled(stores);
    const before = await rows();
    const b = start(stores, 2);
    expect(await vars(b, "GET", "account/details")).toMatchObject({
      status: 503,
      json: { errors: [{ status: "503", detail: told }] },
    });
    for (const [method, path, body] of [
      ["GET", "pki/ca/pem", undefined],
      ["GET", "sys/mounts", undefined],
      ["POST", "sys/mounts/more", { type: "pki" }],
      ["POST", "pki/issue/web", { common_name: "a.test" }],
      ["POST", "sys/rotate", {}],
      ["GET", "nowhere", undefined],
    ] as const) {
      const answer = await b.call(method, path, body);
      expect([path, answer.status, answer.errors]).toEqual([path, 503, [told]]);
    }
    await expect(b.pki.listIssuers({})).rejects.toMatchObject({ status: 503, errors: [told] });
    await expect(b.ca.tick()).rejects.toMatchObject({ code: "storage", message: told });
    await expect(b.ca.tickStore("sys")).rejects.toMatchObject({ code: "storage" });
    await expect(b.ca.run("sys", "crl", "x")).rejects.toMatchObject({ code: "storage" });
    const health = await b.call("GET", "sys/health", undefined, { token: "" });
    expect([health.status, health.json]).toEqual([
      503,
      expect.objectContaining({ initialized: true, sealed: true, warnings: [told] }),
    ]);
    expect(
      (await b.call("GET", "sys/health?sealedcode=299", undefined, { token: "" })).status,
    ).toBe(299);
    expect((await b.call("GET", "sys/seal-status", undefined, { token: "" })).json).toMatchObject({
      sealed: true,
    });
    expect(await rows()).toBe(before);
  });

  it("is detected in a store that has only variables", async () => {
    const { stores } = watched();
    expect((await vars(start(stores, 1), "GET", "account/details")).status).toBe(200);
    expect((await vars(start(stores, 2), "GET", "account/details")).status).toBe(503);
  });

  it("is detected by the stored secrets if there is no fingerprint, and the right one is accepted", async () => {
    const { stores, rows } = watched();
    const a = await filled(stores);
    await stores("sys").commit({ del: ["seal"] });
    const before = await rows();
    expect((await start(stores, 2).call("GET", "pki/ca/pem")).status).toBe(503);
    expect(await rows()).toBe(before);
    // written with another key, unnoticed at the time
    const { uuid } = await a.sys.readMount({ path: "other" });
    await stores(uuid).commit({
      put: [
        ["config/serial", await sealedVault({ key: keyOf(9) }).seal(keyOf(0), `${uuid}/serial`)],
      ],
    });
    expect((await start(stores, 1).call("GET", "pki/ca/pem")).status).toBe(200);
    expect(await stores("sys").get(["seal"])).toEqual([
      expect.objectContaining({ rev: expect.any(Number) as number }),
    ]);
    expect((await start(stores, 9).call("GET", "pki/ca/pem")).status).toBe(503);
  });

  it("is detected by variables if there is no fingerprint and no mount", async () => {
    const { stores } = watched();
    const a = start(stores, 1);
    const workspace = await vars(a, "POST", "organizations/default/workspaces", {
      type: "workspaces",
      attributes: { name: "demo" },
    });
    const id = (workspace.json["data"] as { readonly id: string }).id;
    const attributes = { key: "k", value: "secret", category: "env", sensitive: true };
    expect(
      (await vars(a, "POST", `workspaces/${id}/vars`, { type: "vars", attributes })).status,
    ).toBe(201);
    await a.call("DELETE", "sys/mounts/pki");
    await stores("sys").commit({ del: ["seal"] });
    expect((await vars(start(stores, 2), "GET", "account/details")).status).toBe(503);
    expect((await vars(start(stores, 1), "GET", "account/details")).status).toBe(200);
  });

  it("is not accepted while no fingerprint is stored and no mount can be read", async () => {
    const { stores, fault, calls } = faultyStores();
    const a = await filled(stores);
    const uuids = await Promise.all(
      ["pki", "other"].map(async (path) => (await a.sys.readMount({ path })).uuid),
    );
    await stores("sys").commit({ del: ["seal"] });
    for (const uuid of uuids) fault(uuid, unreachable);
    for (const key of [2, 1]) {
      const b = start(stores, key);
      expect((await b.call("GET", "sys/health", undefined, { token: "" })).json).toMatchObject({
        sealed: false,
      });
      calls();
      for (let i = 0; i < 10; i++) await b.call("GET", "sys/seal-status", undefined, { token: "" });
      expect(calls()).toEqual([]);
      const refused = await b.call("GET", "pki/ca/pem");
      expect([refused.status, refused.errors]).toEqual([503, ["the storage is unreachable"]]);
    }
    expect(await stores("sys").get(["seal"])).toEqual([undefined]);
    for (const uuid of uuids) fault(uuid, undefined);
    expect((await start(stores, 2).call("GET", "pki/ca/pem")).status).toBe(503);
    const again = start(stores, 1);
    expect((await again.call("GET", "pki/ca/pem")).status).toBe(200);
    expect(await stores("sys").get(["seal"])).toEqual([
      expect.objectContaining({ rev: expect.any(Number) as number }),
    ]);
  });

  it("is detected by the mounts that can be read, and a mount that cannot does not block the right one", async () => {
    const { stores, fault } = faultyStores();
    const a = await filled(stores);
    const { uuid } = await a.sys.readMount({ path: "other" });
    await stores("sys").commit({ del: ["seal"] });
    fault(uuid, unreachable);
    expect((await start(stores, 2).call("GET", "pki/ca/pem")).status).toBe(503);
    expect((await start(stores, 1).call("GET", "pki/ca/pem")).status).toBe(200);
    expect(await stores("sys").get(["seal"])).toEqual([undefined]);
  });

  it("is reported to an engine if another one stored a different fingerprint first", async () => {
    const { stores, fault } = faultyStores();
    const a = start(stores, 1);
    await a.call("DELETE", "sys/mounts/pki");
    await stores("sys").commit({ del: ["seal"] });
    fault("sys", (verb, batch) => {
      if (verb !== "commit" || !batch?.expect?.some(([key]) => key === "seal")) return undefined;
      fault("sys", undefined);
      return fingerprint(sealedVault({ key: keyOf(1) })).then(
        async (row) => void (await stores("sys").commit({ put: [row] })),
      );
    });
    expect((await start(stores, 2).call("GET", "sys/mounts")).errors).toEqual([told]);
  });

  it("is reported to the loser of two concurrent first starts with different keys", async () => {
    const { stores } = watched();
    const answers = await Promise.all(
      [1, 2].map((key) => start(stores, key).call("GET", "sys/mounts")),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503]);
  });

  it("is not reported if the storage is unreachable", async () => {
    const down = () => Promise.reject(new TypeError("down"));
    const b = authority({ stores: () => ({ get: down, list: down, commit: down }) });
    expect((await b.call("GET", "sys/health")).json).toMatchObject({ sealed: false });
  });
});

describe("sys/rotate", () => {
  it("makes the previous key unnecessary and invalid", async () => {
    const { stores } = watched();
    await filled(stores);
    expect((await start(stores, 2, 1).call("POST", "sys/rotate")).data).toEqual({ resealed: 4 });
    expect(
      (await start(stores, 2).call("POST", "pki/issue/web", { common_name: "a.test", ttl: "1h" }))
        .status,
    ).toBe(200);
    expect((await start(stores, 1).call("GET", "pki/ca/pem")).status).toBe(503);
  });

  it("skips secrets that neither key opens, lists them, and leaves them unchanged", async () => {
    const { stores } = watched();
    const a = await filled(stores);
    const { uuid } = await a.sys.readMount({ path: "other" });
    const foreign = await sealedVault({ key: keyOf(9) }).seal(keyOf(0), `${uuid}/serial`);
    await stores(uuid).commit({ put: [["config/serial", foreign]] });
    expect((await start(stores, 2, 1).call("POST", "sys/rotate")).data).toEqual({
      resealed: 3,
      unopened: ["other/config/serial"],
    });
    expect((await stores(uuid).get(["config/serial"]))[0]?.value).toEqual(foreign);
    expect(
      (await start(stores, 2).call("POST", "pki/issue/web", { common_name: "a.test", ttl: "1h" }))
        .status,
    ).toBe(200);
  });
});

describe("createCa", () => {
  it("rejects a durable store without a sealing key or vault, and names these options", () => {
    const held = memoryStore();
    for (const stores of [
      Object.assign((name: string) => held(name), { durable: true }),
      (name: string) => held(name),
    ])
      expect(() => createCa({ stores })).toThrow(
        /^createCa requires `sealingKey` or `vault`, because /,
      );
    createCa({ stores: Object.assign((name: string) => held(name), { durable: false }) });
    createCa({ stores: (name) => held(name), sealingKey: keyOf(1) });
    createCa({ stores: (name) => held(name), vault: sealedVault({ key: keyOf(1) }) });
  });
});
