import { expect, it } from "vitest";
import type { Stores } from "../../src/engine/ports.ts";
import { service, varsDocument, withWorkspace } from "./service.ts";

/** Returns stores whose commit number `at`, counted from 1, fails. */
function breaking(stores: Stores, at: number): Stores {
  let commits = 0;
  return (name) => {
    const store = stores(name);
    return {
      ...store,
      commit: (batch) =>
        ++commits === at ? Promise.reject(new Error("cut off")) : store.commit(batch),
    };
  };
}

it("an organization whose deletion was interrupted can be deleted again, which removes everything in it", async () => {
  for (let at = 1, cut = true; cut; at++) {
    const one = await withWorkspace();
    for (const name of ["second", "third"]) {
      const { data } = await one.call("POST", "/organizations/acme/workspaces", {
        data: { type: "workspaces", attributes: { name } },
      });
      await one.call(
        "POST",
        `/workspaces/${String(data["id"])}/vars`,
        varsDocument({ key: "s", value: "x", category: "env", sensitive: true }),
      );
    }
    await one.write({ key: "k", value: "v" });
    const team = await one.call("POST", "/organizations/acme/teams", {
      data: { type: "teams", attributes: { name: "devs" } },
    });
    await one.call("POST", `/teams/${String(team.data["id"])}/authentication-token`, { data: {} });
    await one.call("POST", "/organizations/acme/authentication-token", { data: {} });
    const other = service({ stores: breaking(one.stores, at), seed: 50 + at });
    cut = (await other.call("DELETE", "/organizations/acme")).status !== 204;
    const again = (await one.call("DELETE", "/organizations/acme")).status;
    expect([204, 404]).toContain(again);
    const left = (await one.stores("vars").list(""))
      .map(([key]) => key)
      .filter((key) => /^(?:var|varkey|wsname|workspace|vartoken|at|tokens|soletoken)\//.test(key));
    expect([at, left]).toEqual([at, []]);
    expect(at).toBeLessThan(20);
  }
});

/** Returns stores that limit the calls per request, as Workers do; `begin` starts a new request. */
function rationed(stores: Stores, max: number): { readonly stores: Stores; begin(): void } {
  let calls = 0;
  const counted = <T>(call: () => Promise<T>): Promise<T> =>
    ++calls > max ? Promise.reject(new Error("too many calls")) : call();
  return {
    begin: () => void (calls = 0),
    stores: (name) => {
      const store = stores(name);
      return {
        ...store,
        get: (keys) => counted(() => store.get(keys)),
        list: (prefix, page) => counted(() => store.list(prefix, page)),
        commit: (batch) => counted(() => store.commit(batch)),
      };
    },
  };
}
it("an organization too large to delete in one request shrinks with each attempt until it is deleted", async () => {
  const one = await withWorkspace();
  for (const [kind, count] of [
    ["teams", 60],
    ["workspaces", 40],
  ] as const)
    for (let i = 0; i < count; i++)
      await one.call("POST", `/organizations/acme/${kind}`, {
        data: { type: kind, attributes: { name: `n${i}` } },
      });
  const ration = rationed(one.stores, 100);
  const other = service({ stores: ration.stores, seed: 50 });
  const statuses: number[] = [];
  for (let i = 0; i < 12 && statuses.at(-1) !== 204; i++) {
    ration.begin();
    statuses.push((await other.call("DELETE", "/organizations/acme")).status);
  }
  expect(statuses.slice(-2)).toEqual([500, 204]);
  expect(
    (await one.stores("vars").list(""))
      .map(([key]) => key)
      .filter((key) => /^(?:team|teamname|wsname|workspace)\//.test(key)),
  ).toHaveLength(2);
});

it("a user whose deletion was interrupted can be deleted again, and no organization is left without an owner", async () => {
  for (let at = 1, cut = true; cut; at++) {
    const one = service();
    const made = await one.call("POST", "/admin/users", {
      data: { type: "users", attributes: { username: "leaver", email: "l@example.com" } },
    });
    const [id, token] = [String(made.data["id"]), String(made.data["attributes"]?.["token"])];
    for (const name of ["left1", "left2"])
      await one.call(
        "POST",
        "/organizations",
        { data: { type: "organizations", attributes: { name, email: "l@example.com" } } },
        { token },
      );
    const other = service({ stores: breaking(one.stores, at), seed: 50 + at });
    cut = (await other.call("DELETE", `/admin/users/${id}`)).status !== 204;
    expect([204, 404]).toContain((await one.call("DELETE", `/admin/users/${id}`)).status);
    for (const name of ["left1", "left2"])
      expect([at, name, (await one.call("GET", `/organizations/${name}`)).status]).toEqual([
        at,
        name,
        200,
      ]);
    expect((await one.stores("vars").list(`member/${id}/`)).length).toBe(0);
    expect(at).toBeLessThan(20);
  }
});
