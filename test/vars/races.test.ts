import { describe, expect, it } from "vitest";
import { memoryStore, type Store, type Stores } from "../../src/index.ts";
import { seeded } from "../support/authority.ts";
import { mixedStores } from "../support/mixed.ts";
import {
  firstToken,
  service,
  varsDocument,
  withWorkspace,
  type Answer,
  type Service,
} from "./service.ts";

/**
 * Creates two services over one store with asynchronous operations, in an order that a seed
 * determines.
 */
async function twoServices(seed: number): Promise<readonly [Service, Service, workspace: string]> {
  const { open, start } = mixedStores(seed);
  const one = await withWorkspace({ stores: open, seed });
  start();
  return [one, service({ stores: open, seed: seed + 1000 }), one.workspace];
}

/** Returns stores that run `call` to completion before the first write of variables data. */
function interposed(
  stores: Stores,
  call: () => Promise<Answer>,
): { readonly stores: Stores; answer(): Answer | undefined } {
  let told: Answer | undefined;
  let waiting = true;
  return {
    stores: (name) => {
      const store = stores(name);
      const commit: Store["commit"] = async (batch) => {
        // writes of last-used-at do not count
        if (waiting && (batch.put ?? []).some(([key]) => !key.startsWith("vartoken/"))) {
          waiting = false;
          told = await call();
        }
        return store.commit(batch);
      };
      return { ...store, commit };
    },
    answer: () => told,
  };
}

describe("concurrent requests", () => {
  it.each([1, 2, 3])(
    "that create one key, through two services, create one variable (seed %i)",
    async (seed) => {
      const [one, other, workspace] = await twoServices(seed);
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? one : other).call(
            "POST",
            `/workspaces/${workspace}/vars`,
            varsDocument({ key: "k", value: String(i), category: "env" }),
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([
        201,
        ...Array<number>(9).fill(422),
      ]);
      expect(
        answers
          .filter(({ status }) => status === 422)
          .every(({ text }) => text.includes("Key has already been taken")),
      ).toBe(true);
      const { json } = await one.call("GET", `/workspaces/${workspace}/vars`);
      expect(json["data"]).toEqual([answers.find(({ status }) => status === 201)?.data]);
    },
  );
  it.each([4, 5])("that create ten different keys all succeed (seed %i)", async (seed) => {
    const [one, other, workspace] = await twoServices(seed);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        (i % 2 ? one : other).call(
          "POST",
          `/workspaces/${workspace}/vars`,
          varsDocument({ key: `k${i}`, category: "env" }),
        ),
      ),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
  });
  it("that change one variable all succeed, each with its own version", async () => {
    const { call, write, workspace } = await withWorkspace();
    const path = `/workspaces/${workspace}/vars/${String((await write({ key: "k" })).data["id"])}`;
    const members = ["value", "description", "hcl", "category"] as const;
    const sent = Array.from({ length: 100 }, (_, i) => {
      const member = members[i % 4] ?? "value";
      return {
        [member]: member === "hcl" ? true : member === "category" ? "env" : `${member} ${i}`,
      };
    });
    const answers = await Promise.all(
      sent.map((attributes) => call("PATCH", path, varsDocument(attributes))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(100).fill(200));
    expect(new Set(answers.map(({ data }) => data["attributes"]?.["version-id"])).size).toBe(100);
    const { data } = await call("GET", path);
    expect(data["attributes"]).toMatchObject({ hcl: true, category: "env" });
    expect(answers.map((answer) => JSON.stringify(answer.data))).toContain(JSON.stringify(data));
  });
  it.each([6, 7, 8])(
    "that rename variables to one key succeed once, and each key row refers to its variable (seed %i)",
    async (seed) => {
      const [one, other, workspace] = await twoServices(seed);
      const ids = [];
      for (let i = 0; i < 6; i++)
        ids.push(
          String(
            (
              await one.call(
                "POST",
                `/workspaces/${workspace}/vars`,
                varsDocument({ key: `k${i}`, category: "env" }),
              )
            ).data["id"],
          ),
        );
      const answers = await Promise.all(
        ids.map((id, i) =>
          (i % 2 ? one : other).call(
            "PATCH",
            `/workspaces/${workspace}/vars/${id}`,
            varsDocument({ key: "same" }),
          ),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422, 422, 422]);
      const { store } = one.system.storeContext("vars");
      const keys = (await store.list(`varkey/${workspace}/`)).map(
        ([, row]) => row.value as { id: string; key: string },
      );
      expect(keys.map(({ key }) => key).sort()).toEqual(expect.arrayContaining(["same"]));
      expect(keys).toHaveLength(6);
      for (const { id, key } of keys)
        expect((await one.call("GET", `/vars/${id}`)).data["attributes"]).toMatchObject({ key });
    },
  );
  it.each([9, 10, 11, 12])(
    "that create variables leave no rows behind if the workspace is deleted (seed %i)",
    async (seed) => {
      const [one, other, workspace] = await twoServices(seed);
      const creates = Array.from({ length: 8 }, (_, i) =>
        other.call(
          "POST",
          `/workspaces/${workspace}/vars`,
          varsDocument({ key: `k${i}`, category: "env", value: "v" }),
        ),
      );
      const [end, ...made] = await Promise.all([
        one.call("DELETE", `/workspaces/${workspace}`),
        ...creates,
      ]);
      expect(end.status).toBe(204);
      expect(made.every(({ status }) => status === 201 || status === 404)).toBe(true);
      const rows = (await one.system.storeContext("vars").store.list("")).map(([key]) => key);
      expect(rows.filter((key) => key.startsWith("var/") || key.startsWith("varkey/"))).toEqual([]);
    },
  );
  it.each([14, 15, 16, 17])(
    "that grant access and create tokens leave no rows behind if the team or workspace is deleted (seed %i)",
    async (seed) => {
      const [one, other, workspace] = await twoServices(seed);
      const places = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          one.call("POST", "/organizations/acme/workspaces", {
            data: { type: "workspaces", attributes: { name: `w${i}` } },
          }),
        ),
      );
      const workspaces = [workspace, ...places.map(({ data }) => String(data["id"]))];
      const teams = await Promise.all(
        ["a", "b", "c"].map((name) =>
          one.call("POST", "/organizations/acme/teams", {
            data: { type: "teams", attributes: { name } },
          }),
        ),
      );
      const [kept = "", ...ended] = teams.map(({ data }) => String(data["id"]));
      const access = (team: string, place: string) => ({
        data: {
          type: "team-workspaces",
          attributes: { access: "read" },
          relationships: {
            team: { data: { type: "teams", id: team } },
            workspace: { data: { type: "workspaces", id: place } },
          },
        },
      });
      const made = [kept, ...ended].flatMap((team) =>
        workspaces.map((place) => other.call("POST", "/team-workspaces", access(team, place))),
      );
      const tokens = ended.map((team) =>
        other.call("POST", `/teams/${team}/authentication-token`, { data: {} }),
      );
      const ends = [
        ...ended.map((team) => one.call("DELETE", `/teams/${team}`)),
        one.call("DELETE", `/workspaces/${workspace}`),
      ];
      expect((await Promise.all(ends)).map(({ status }) => status)).toEqual([204, 204, 204]);
      const statuses = (await Promise.all([...made, ...tokens])).map(({ status }) => status);
      expect(statuses.filter((status) => ![201, 404].includes(status))).toEqual([]);
      const rows = (await one.system.storeContext("vars").store.list(""))
        .filter(([key]) => !key.startsWith("audit/"))
        .map((row) => JSON.stringify(row));
      expect(
        rows.filter((row) => [...ended, workspace].some((gone) => row.includes(gone))),
      ).toEqual([]);
      expect(rows.filter((row) => row.startsWith(`["access/${kept}/`))).toHaveLength(6);
    },
  );
  it("to another service see changes of workspaces and organizations at once", async () => {
    const one = await withWorkspace();
    const other = service({ stores: one.stores, seed: 7 });
    for (const path of [
      `/workspaces/${one.workspace}`,
      "/organizations/acme",
      "/organizations/acme/workspaces/demo",
    ])
      await other.call("GET", path);
    await one.call("PATCH", `/workspaces/${one.workspace}`, {
      data: { type: "workspaces", attributes: { description: "new" } },
    });
    await one.call("PATCH", "/organizations/acme", {
      data: { type: "organizations", attributes: { email: "new@example.com" } },
    });
    expect(
      (await other.call("GET", `/workspaces/${one.workspace}`)).data["attributes"]?.["description"],
    ).toBe("new");
    const listed = await other.call("GET", "/organizations/acme/workspaces");
    expect(listed.json["data"]?.["0"]?.["attributes"]?.["description"]).toBe("new");
    expect((await other.call("GET", "/organizations/acme")).data["attributes"]?.["email"]).toBe(
      "new@example.com",
    );
  });
  it("to another service with a revoked token are rejected after at most one second", async () => {
    const one = await withWorkspace();
    const other = service({ stores: one.stores, seed: 7, clock: one.clock });
    const made = await one.call("POST", "/organizations/acme/authentication-token", { data: {} });
    const token = String(made.data["attributes"]?.["token"]);
    const ask = async () =>
      (await other.call("GET", `/workspaces/${one.workspace}/vars`, undefined, { token })).status;
    expect(await ask()).toBe(200);
    await one.call("DELETE", "/organizations/acme/authentication-token");
    one.clock.now += 1000;
    expect(await ask()).toBe(401);
  });
  it("at the first start create one user and one organization", async () => {
    const [one, other] = await twoServices(13);
    await one.system.storeContext("vars").store.commit({ clear: true });
    // otherwise the service would report the rows as lost
    await one.stores("sys").commit({ del: ["used/vars"] });
    const own = memoryStore();
    const services = [
      other,
      service({
        stores: (name) => (name === "vars" ? one.system.storeContext(name).store : own(name)),
        seed: 99,
      }),
    ];
    const accounts = await Promise.all(
      services.flatMap(({ call }) => [
        call("GET", "/account/details"),
        call("GET", "/organizations"),
      ]),
    );
    expect(accounts.every(({ status }) => status === 200)).toBe(true);
    expect(accounts[0]?.text).toBe(accounts[2]?.text);
    expect(accounts[1]?.text).toBe(accounts[3]?.text);
  });
  it("that write large values do not exceed the limit of the workspace together", async () => {
    const { call, workspace, stores } = await withWorkspace();
    const value = "x".repeat(256 * 1024);
    const answers = await Promise.all(
      Array.from({ length: 80 }, (_, i) =>
        call(
          "POST",
          `/workspaces/${workspace}/vars`,
          varsDocument({ key: `k${i}`, category: "env", value }),
        ),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(64);
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(16);
    expect((await stores("vars").list("var/", { values: false })).length).toBe(64);
  });
  it.each([21, 22, 23, 24, 25, 26])(
    "that create, rename, write in bulk and delete leave one key and size per variable (seed %i)",
    async (seed) => {
      const [one, other, workspace] = await twoServices(seed);
      const path = `/workspaces/${workspace}/vars`;
      const random = seeded(seed + 500);
      const below = (count: number) => (random(1)[0] ?? 0) % count;
      const ids: string[] = [];
      const attributes = () => ({
        key: `k${below(5)}`,
        category: below(2) ? "env" : "iac",
        value: "v".repeat(below(40)),
        ...(below(5) ? {} : { sensitive: true }),
      });
      const step = async (): Promise<number> => {
        const { call } = below(2) ? one : other;
        const id = ids[below(ids.length || 1)] ?? "none";
        const what = below(8);
        if (what < 3 || id === "none") {
          const made = await call("POST", path, varsDocument(attributes()));
          if (made.status === 201) ids.push(String(made.data["id"]));
          return made.status;
        }
        if (what < 6)
          return (await call("PATCH", `${path}/${id}`, varsDocument(attributes()))).status;
        if (what === 6) return (await call("DELETE", `${path}/${id}`)).status;
        const wanted = new Map(
          Array.from({ length: 3 }, attributes).map((each) => [
            each.key + each.category,
            varsDocument(each).data,
          ]),
        );
        return (await call("POST", `${path}/bulk`, { data: [...wanted.values()] })).status;
      };
      const seen = new Set<number>();
      for (let round = 0; round < 12; round++)
        for (const status of await Promise.all(Array.from({ length: 12 }, step))) seen.add(status);
      expect([...seen].filter((status) => ![200, 201, 204, 404, 422].includes(status))).toEqual([]);
      expect(seen.size).toBe(5);
      const { store } = one.system.storeContext("vars");
      const rows = (await store.list("var/")).map(
        ([, row]) =>
          row.value as { id: string; key: string; kind: string; value: string | Uint8Array },
      );
      const keys = (await store.list(`varkey/${workspace}/`)).map(
        ([, row]) => row.value as { id: string; key: string; kind: string; size: number },
      );
      const opened = await Promise.all(
        rows.map(async ({ id, key, kind, value }) => ({
          id,
          key,
          kind,
          size:
            typeof value === "string"
              ? value.length
              : (await one.system.ports.vault.unseal(value, `vars/${id}/value`)).length,
        })),
      );
      const byId = (some: readonly { readonly id: string }[]) =>
        some.toSorted((a, b) => (a.id < b.id ? -1 : 1));
      expect(byId(keys)).toEqual(byId(opened));
      expect(new Set(rows.map(({ key, kind }) => `${kind} ${key}`)).size).toBe(rows.length);
    },
  );
  it("that create two organizations for a user with 99 create one", async () => {
    const one = service();
    const make = ({ call }: Service, name: string) =>
      call("POST", "/organizations", {
        data: { type: "organizations", attributes: { name, email: "a@example.com" } },
      });
    // `default` exists too
    for (let i = 0; i < 98; i++) expect((await make(one, `n${i}`)).status).toBe(201);
    const between = interposed(one.stores, () => make(one, "meanwhile"));
    const late = await make(service({ stores: between.stores, seed: 2 }), "late");
    expect([between.answer()?.status, late.status, late.text]).toEqual([
      201,
      422,
      expect.stringContaining("at most 100 organizations"),
    ]);
    expect((await one.call("GET", "/organizations/late")).status).toBe(404);
  });
  it("that rename a team and leave its organization keep the new name without that member", async () => {
    const one = await withWorkspace();
    const user = await one.call("POST", "/admin/users", {
      data: { type: "users", attributes: { username: "leaver", email: "l@example.com" } },
    });
    const token = String(user.data["attributes"]?.["token"]);
    const made = await one.call("POST", "/organizations/acme/teams", {
      data: { type: "teams", attributes: { name: "before" } },
    });
    const team = `/teams/${String(made.data["id"])}`;
    expect(
      (
        await one.call("POST", `${team}/relationships/users`, {
          data: [{ type: "users", id: "leaver" }],
        })
      ).status,
    ).toBe(204);
    const between = interposed(one.stores, () =>
      one.call("PATCH", team, { data: { type: "teams", attributes: { name: "after" } } }),
    );
    const leaving = service({ stores: between.stores, seed: 2 });
    expect(
      (await leaving.call("DELETE", "/account/organizations/acme", undefined, { token })).status,
    ).toBe(204);
    expect(between.answer()?.status).toBe(200);
    const { data } = await one.call("GET", team);
    expect([data["attributes"]?.["name"], data["relationships"]?.["users"]?.["data"]]).toEqual([
      "after",
      [],
    ]);
  });
  it("that create organizations with the same name create one", async () => {
    const { call } = service();
    const document = {
      data: { type: "organizations", attributes: { name: "same", email: "a@example.com" } },
    };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        call("POST", "/organizations", document, { token: firstToken }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422]);
  });
});
