import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/engine/ports.ts";
import { errorsOf, service, varsDocument, withWorkspace, type Service } from "./service.ts";

/** Returns a service that records its store reads as `get` or `list`, without their keys. */
function watched(stores: Stores, seed: number): Service & { readonly reads: string[] } {
  const reads: string[] = [];
  const watching: Stores = (name) => {
    const store = stores(name);
    return {
      ...store,
      get: (keys) => (reads.push("get"), store.get(keys)),
      list: (prefix, page) => (reads.push("list"), store.list(prefix, page)),
    };
  };
  return { ...service({ stores: watching, seed }), reads };
}
/**
 * Returns the tokens of a user outside the organization and of a member of a team without
 * permissions.
 */
async function outsiders(one: Service): Promise<readonly string[]> {
  const tokens = [];
  for (const username of ["stranger", "member"]) {
    const made = await one.call("POST", "/admin/users", {
      data: { type: "users", attributes: { username, email: "u@example.com" } },
    });
    tokens.push(String(made.data["attributes"]?.["token"]));
  }
  const team = await one.call("POST", "/organizations/acme/teams", {
    data: { type: "teams", attributes: { name: "blind" } },
  });
  await one.call("POST", `/teams/${String(team.data["id"])}/relationships/users`, {
    data: [{ type: "users", id: "member" }],
  });
  return tokens;
}

describe("hidden objects return the same error after the same store reads as missing ones", () => {
  const patch = varsDocument({ value: "x" });
  it.each([
    ["a variable", "GET", "/vars/VAR", "/vars/var-1111111111111111", undefined],
    ["an update of a variable", "PATCH", "/vars/VAR", "/vars/var-1111111111111111", patch],
    [
      "a variable, compared with one of a missing workspace",
      "GET",
      "/workspaces/WS/vars/VAR",
      "/workspaces/ws-1111111111111111/vars/VAR",
      undefined,
    ],
    [
      "a variable, compared with a missing one of its workspace",
      "GET",
      "/workspaces/WS/vars/VAR",
      "/workspaces/WS/vars/var-1111111111111111",
      undefined,
    ],
    [
      "an update of a variable of a workspace",
      "PATCH",
      "/workspaces/WS/vars/VAR",
      "/workspaces/WS/vars/var-1111111111111111",
      patch,
    ],
    [
      "the variables of a workspace",
      "GET",
      "/workspaces/WS/vars",
      "/workspaces/ws-1111111111111111/vars",
      undefined,
    ],
    ["a workspace", "GET", "/workspaces/WS", "/workspaces/ws-1111111111111111", undefined],
    ["an organization", "GET", "/organizations/acme", "/organizations/nope", undefined],
    [
      "a workspace by name",
      "GET",
      "/organizations/acme/workspaces/demo",
      "/organizations/acme/workspaces/nope",
      undefined,
    ],
    [
      "a workspace in a filter",
      "GET",
      "/vars?filter[organization][name]=acme&filter[workspace][name]=demo",
      "/vars?filter[organization][name]=acme&filter[workspace][name]=nope",
      undefined,
    ],
  ])("%s", async (_, method, hidden, missing, body) => {
    const one = await withWorkspace();
    const id = String((await one.write({ key: "k", value: "v" })).data["id"]);
    const [stranger = "", member = ""] = await outsiders(one);
    // members see their organization
    for (const [i, token] of (hidden === "/organizations/acme"
      ? [stranger]
      : [stranger, member]
    ).entries()) {
      const other = watched(one.stores, 20 + i);
      await other.call("GET", "/account/details", undefined, { token });
      const cost = async (path: string) => {
        other.reads.length = 0;
        const answer = await other.call(
          method,
          path.replace("WS", one.workspace).replace("VAR", id),
          body,
          { token },
        );
        // reads that finish after the response count too
        await new Promise((resolve) => setImmediate(resolve));
        return [answer.status, answer.text, ...other.reads];
      };
      const first = await cost(hidden);
      expect(first[0]).toBe(404);
      expect(await cost(missing)).toEqual(first);
      // once more, with warm caches
      expect(await cost(hidden)).toEqual(first);
    }
  });
});

it("the cache drops tokens and workspace sizes one second after their use", async () => {
  const { call, clock, system, workspace, write } = await withWorkspace();
  const made = await call("POST", "/organizations/acme/authentication-token", { data: {} });
  const token = String(made.data["attributes"]?.["token"]);
  await call("GET", "/organizations", undefined, { token });
  await write({ key: "k", value: "v" });
  const kept = () => system.storeContext("vars").cache.ids;
  expect(kept()).toEqual(expect.arrayContaining([token, workspace]));
  clock.now += 1000;
  await call("POST", `/workspaces/${workspace}/vars`, varsDocument({ key: "k2", category: "env" }));
  const second = await call("POST", "/organizations/default/workspaces", {
    data: { type: "workspaces", attributes: { name: "w" } },
  });
  await write({ key: "k3" });
  clock.now += 1000;
  await call(
    "POST",
    `/workspaces/${String(second.data["id"])}/vars`,
    varsDocument({ key: "k", category: "env" }),
  );
  expect(kept()).not.toContain(token);
  expect(kept()).not.toContain(workspace);
});

describe("a workspace is limited to 10,000 variables, because every list is one response", () => {
  const bulk = (from: number, count: number) => ({
    data: Array.from({ length: count }, (_, i) => ({
      type: "vars",
      attributes: { key: `k${from + i}`, category: "env" },
    })),
  });
  const many = [
    {
      status: "422",
      title: "invalid attribute",
      detail: "Key cannot be added (maximum is 10000 variables in a workspace)",
      source: { pointer: "/data/attributes/key" },
    },
  ];
  it("for single and bulk writes, but updates still succeed", async () => {
    const { call, write, workspace } = await withWorkspace();
    const path = `/workspaces/${workspace}/vars/bulk`;
    for (let i = 0; i < 19; i++)
      expect((await call("POST", path, bulk(500 * i, 500))).status).toBe(200);
    expect((await call("POST", path, bulk(9500, 499))).status).toBe(200);
    expect((await call("POST", path, bulk(9999, 2))).status).toBe(422);
    const last = await write({ key: "last" });
    expect(last.status).toBe(201);
    expect(errorsOf(await write({ key: "more" }))).toEqual(many);
    expect((await call("POST", path, bulk(0, 500))).status).toBe(200);
    expect(
      (
        await call(
          "PATCH",
          `/vars/${String(last.data["id"])}`,
          varsDocument({ value: "v" }, { id: String(last.data["id"]) }),
        )
      ).status,
    ).toBe(200);
    await call("DELETE", `/vars/${String(last.data["id"])}`);
    expect((await write({ key: "more" })).status).toBe(201);
  });
  it("for concurrent writes together", async () => {
    const { call, workspace } = await withWorkspace();
    const path = `/workspaces/${workspace}/vars/bulk`;
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) => call("POST", path, bulk(500 * i, 500))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array<number>(20).fill(200),
      ...Array<number>(4).fill(422),
    ]);
    expect((await call("GET", `/workspaces/${workspace}/vars`)).json["data"]).toHaveLength(10_000);
  });
});
