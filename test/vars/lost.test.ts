import { describe, expect, it } from "vitest";
import { createCa, memoryStore, type Ca, type Stores } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { record } from "../support/authority.ts";
import { faultyStores, readOnly, unreachable } from "../support/faulty.ts";
import { errorsOf, firstToken, service, withWorkspace } from "./service.ts";

const lost =
  "the data of the variables API is missing; restore its store from a backup or start over with POST /v1/sys/begin-anew";
/** Returns the same stores, but with an empty one for the variables. */
function emptied(stores: Stores): Stores {
  const empty = memoryStore();
  return (name) => (name === "vars" ? empty : stores)(name);
}
const caOver = (stores: Stores, now: () => number = Date.now): Ca =>
  createCa({
    stores,
    now,
    sealingKey: new Uint8Array(32).fill(7),
    authenticate: async (token) =>
      token === "root" || token === "reader"
        ? { id: token, can: (capability) => token === "root" || capability !== "sudo" }
        : undefined,
    apis: [varsApi],
    vars: { token: firstToken },
    log: record,
  });
const health = async (ca: Ca): Promise<unknown> =>
  (
    (await (await ca.fetch(new Request("http://ca.test/v1/sys/health"))).json()) as {
      readonly degraded?: unknown;
    }
  ).degraded;
const details = async (ca: Ca): Promise<number> => {
  const headers = { authorization: `Bearer ${firstToken}` };
  return (await ca.fetch(new Request("http://ca.test/api/v2/account/details", { headers }))).status;
};

describe("variables whose store lost its rows", () => {
  it("return 503 with the reason to callers with a token, and are not recreated", async () => {
    const one = await withWorkspace();
    const stores = emptied(one.stores);
    const other = service({ stores, seed: 2 });
    for (const [method, path, body] of [
      ["GET", "/organizations", undefined],
      ["GET", `/workspaces/${one.workspace}/vars`, undefined],
      [
        "POST",
        "/organizations",
        { data: { type: "organizations", attributes: { name: "new", email: "a@example.com" } } },
      ],
    ] as const) {
      const answer = await other.call(method, path, body);
      expect([answer.status, errorsOf(answer)]).toEqual([
        503,
        [{ status: "503", title: "storage", detail: lost }],
      ]);
    }
    expect(await stores("vars").list("")).toEqual([]);
    // after a restore, they are unchanged
    expect(
      (await service({ stores: one.stores, seed: 3 }).call("GET", `/workspaces/${one.workspace}`))
        .status,
    ).toBe(200);
  });

  it("are reported by sys/health before the first call, until they are restored", async () => {
    const [stores, clock] = [memoryStore(), { now: Date.now() }];
    const now = () => clock.now;
    const first = caOver(stores, now);
    expect(await health(first)).toBeUndefined();
    expect(await details(first)).toBe(200);
    clock.now += 1000;
    expect(await health(first)).toBeUndefined();
    const without = emptied(stores);
    const second = caOver(without, now);
    expect(await health(second)).toEqual([{ mount: "/api/v2/", reason: lost }]);
    for (const [key, row] of await stores("vars").list(""))
      await without("vars").commit({ put: [[key, row.value]] });
    clock.now += 1000;
    expect([await health(second), await details(second)]).toEqual([undefined, 200]);
  });

  it("are distinguished from an unreadable store and from variables that were never used", async () => {
    const clock = { now: Date.now() };
    const { stores, fault } = faultyStores();
    const ca = caOver(stores, () => clock.now);
    await details(ca);
    fault("vars", unreachable);
    expect(await health(ca)).toEqual([{ mount: "/api/v2/", reason: "storage cannot be read" }]);
    const unused = faultyStores();
    const fresh = caOver(unused.stores);
    expect(await health(fresh)).toBeUndefined();
    // an unused store is not even opened
    expect(unused.calls().filter((call) => call.startsWith("vars "))).toEqual([]);
    expect(await details(fresh)).toBe(200);
  });
});

describe("POST sys/begin-anew", () => {
  const begin = async (ca: Ca, body: object = { path: "api/v2/" }, token = "root") => {
    const answer = await ca.fetch(
      new Request("http://ca.test/v1/sys/begin-anew", {
        method: "POST",
        headers: { "x-vault-token": token },
        body: JSON.stringify(body),
      }),
    );
    return [answer.status, await answer.text()] as const;
  };
  /** Creates an authority that has lost the rows of variables in use. */
  const bereft = async () => {
    const [stores, clock] = [memoryStore(), { now: Date.now() }];
    await details(caOver(stores));
    const without = emptied(stores);
    return { stores, without, clock, ca: caOver(without, () => clock.now) };
  };

  it("creates the first user and an empty organization again, after which the health is good", async () => {
    const { ca, clock } = await bereft();
    expect([await details(ca), await health(ca)]).toEqual([
      503,
      [{ mount: "/api/v2/", reason: lost }],
    ]);
    expect(await begin(ca)).toEqual([204, ""]);
    clock.now += 1000;
    expect([await details(ca), await health(ca)]).toEqual([200, undefined]);
    expect((await begin(ca))[0]).toBe(409);
  });
  it("takes effect within a second on an engine that has served the lost rows", async () => {
    const [stores, clock] = [memoryStore(), { now: Date.now() }];
    const [warm, other] = [caOver(stores, () => clock.now), caOver(stores, () => clock.now)];
    expect(await details(warm)).toBe(200);
    await stores("vars").commit({ clear: true });
    clock.now += 1000;
    expect(await details(warm)).toBe(503);
    expect((await begin(other, { path: "/api/v2/" }))[0]).toBe(204);
    expect(await details(other)).toBe(200);
    const headers = { authorization: `Bearer ${firstToken}` };
    const asked = new Request("http://ca.test/api/v2/organizations/default", { headers });
    expect((await warm.fetch(asked)).status).toBe(200);
  });
  it("returns 409 and changes nothing if all or some of the rows exist", async () => {
    const { stores, without } = await bereft();
    const rows = await stores("vars").list("");
    expect((await begin(caOver(stores)))[0]).toBe(409);
    expect(await stores("vars").list("")).toEqual(rows);
    const [key, row] = rows.find(([name]) => name !== "installed") ?? ["", undefined];
    await without("vars").commit({ put: [[key, row?.value]] });
    const ca = caOver(without);
    expect([(await begin(ca))[0], await details(ca)]).toEqual([409, 503]);
  });
  it("requires sudo, and the path of the lost rows", async () => {
    const { ca } = await bereft();
    expect((await begin(ca, undefined, "reader"))[0]).toBe(403);
    expect((await begin(ca, undefined, firstToken))[0]).toBe(403);
    expect((await begin(ca, { path: "pki/" }))[0]).toBe(404);
    expect((await begin(ca, {}))[0]).toBe(400);
    expect(await details(ca)).toBe(503);
  });
  it("returns 503 if the store cannot be read", async () => {
    const { stores, fault } = faultyStores();
    const ca = caOver(stores);
    await details(ca);
    fault("vars", unreachable);
    expect((await begin(ca))[0]).toBe(503);
    fault("vars", undefined);
    expect(await details(ca)).toBe(200);
  });
});

describe("the record that variables are in use", () => {
  const noteIn = async (stores: Stores) => (await stores("sys").get(["used/vars"]))[0];
  it("is written once, also for variables from before it was introduced", async () => {
    const one = await withWorkspace();
    await one.stores("sys").commit({ del: ["used/vars"] });
    expect(
      (await service({ stores: one.stores, seed: 2 }).call("GET", `/workspaces/${one.workspace}`))
        .status,
    ).toBe(200);
    const noted = await noteIn(one.stores);
    expect(noted).toBeDefined();
    await service({ stores: one.stores, seed: 3 }).call("GET", "/organizations");
    expect(await noteIn(one.stores)).toEqual(noted);
    const after = service({ stores: emptied(one.stores), seed: 4 });
    expect((await after.call("GET", "/organizations")).status).toBe(503);
  });
  it("makes later requests independent of the sys store", async () => {
    const { stores, calls } = faultyStores();
    const { call, clock } = service({ stores });
    await call("GET", "/organizations");
    const asked = async () => {
      calls();
      clock.now += 10_000;
      await call("GET", "/organizations");
      return calls().filter((each) => each.startsWith("sys ")).length;
    };
    expect([await asked(), await asked()]).toEqual([0, 0]);
  });
  it("is written later if the sys store is read-only; until then, variables can be read", async () => {
    const { stores, fault } = faultyStores();
    await withWorkspace({ stores });
    await stores("sys").commit({ del: ["used/vars"] });
    fault("sys", readOnly);
    const again = service({ stores, seed: 2 });
    expect((await again.call("GET", "/organizations")).status).toBe(200);
    expect(await noteIn(stores)).toBeUndefined();
    fault("sys", undefined);
    again.clock.now += 1000;
    await again.call("GET", "/organizations");
    expect(await noteIn(stores)).toBeDefined();
  });
});
