import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/engine/ports.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { errorsOf, requestOf, service, varsDocument, withWorkspace } from "./service.ts";

const workspaceOf = (attributes: object, relationships?: object) => ({
  data: { type: "workspaces", attributes, ...(relationships ? { relationships } : {}) },
});
const userOf = (username: string) => ({
  data: { type: "users", attributes: { username, email: "u@example.com" } },
});

describe("a workspace managed by a Terraform provider", () => {
  it("converts the legacy `operations` to an execution mode, so that the next plan is empty", async () => {
    const { call } = await withWorkspace();
    const made = await call(
      "POST",
      "/organizations/acme/workspaces",
      workspaceOf({ name: "w", operations: false }),
    );
    expect(made.data["attributes"]).toMatchObject({ operations: false, "execution-mode": "local" });
    const path = `/workspaces/${String(made.data["id"])}`;
    const patched = async (attributes: object) =>
      (await call("PATCH", path, workspaceOf(attributes))).data["attributes"];
    expect(await patched({ operations: true })).toMatchObject({
      operations: true,
      "execution-mode": "remote",
    });
    expect(await patched({ "execution-mode": "agent", operations: false })).toMatchObject({
      operations: true,
      "execution-mode": "agent",
    });
    expect(await patched({ operations: true })).toMatchObject({
      operations: true,
      "execution-mode": "agent",
    });
    expect(await patched({ description: "d" })).toMatchObject({
      operations: true,
      "execution-mode": "agent",
    });
  });
  it("has the default execution mode of its organization unless it sets one", async () => {
    const { call, workspace } = await withWorkspace();
    await call("PATCH", "/organizations/acme", {
      data: { type: "organizations", attributes: { "default-execution-mode": "local" } },
    });
    const path = `/workspaces/${workspace}`;
    const local = { "execution-mode": "local", operations: false };
    expect((await call("GET", path)).data["attributes"]).toMatchObject(local);
    const listed = await call("GET", "/organizations/acme/workspaces");
    expect(listed.json).toMatchObject({ data: [{ attributes: local }] });
    const remote = { "execution-mode": "remote", operations: true };
    await call("PATCH", path, workspaceOf({ operations: true }));
    expect((await call("GET", path)).data["attributes"]).toMatchObject(remote);
    const made = workspaceOf({ name: "w", operations: true });
    const reply = await call("POST", "/organizations/acme/workspaces", made);
    expect(reply.data["attributes"]).toMatchObject(remote);
  });
  it("stores and returns project-remote-state and inherits-project-auto-destroy, which newer providers compare", async () => {
    const { call, workspace } = await withWorkspace();
    const path = `/workspaces/${workspace}`;
    expect((await call("GET", path)).data["attributes"]).toMatchObject({
      "project-remote-state": false,
      "inherits-project-auto-destroy": false,
    });
    const settings = { "project-remote-state": true, "inherits-project-auto-destroy": true };
    await call("PATCH", path, workspaceOf(settings));
    expect((await call("GET", path)).data["attributes"]).toMatchObject(settings);
  });
  it("accepts an empty list of tags in updates, and rejects tags instead of dropping them", async () => {
    const { call, workspace } = await withWorkspace();
    for (const path of ["tag-bindings", "relationships/tag-bindings"].map(
      (end) => `/workspaces/${workspace}/${end}`,
    )) {
      expect((await call("PATCH", path, { data: [] })).status).toBe(204);
      const refused = await call("PATCH", path, {
        data: [{ type: "tag-bindings", attributes: { key: "k", value: "v" } }],
      });
      expect(refused.status).toBe(422);
      expect(errorsOf(refused)).toEqual([
        {
          status: "422",
          title: "invalid request",
          detail: "tags are not supported",
          source: { pointer: "/data" },
        },
      ]);
      expect((await call("PATCH", path, { data: {} })).status).toBe(422);
      expect((await call("GET", path)).json["data"]).toEqual([]);
    }
    expect(
      (await call("PATCH", `/workspaces/ws-1111111111111111/tag-bindings`, { data: [] })).status,
    ).toBe(404);
  });
});

describe("requests of old clients", () => {
  it("may have a null relationship; the filter then selects the workspace", async () => {
    const { call } = await withWorkspace();
    const filter = { workspace: { name: "demo" }, organization: { name: "acme" } };
    const document = varsDocument(
      { key: "k", description: "", category: "env" },
      { relationships: { workspace: null } },
    );
    expect((await call("POST", "/vars", { ...document, filter })).status).toBe(201);
    expect((await call("POST", "/vars", document)).status).toBe(422);
  });
  it("get 404 for OPTIONS without an Origin header, as for any unknown method", async () => {
    const { send } = service();
    const answer = await send(requestOf("OPTIONS", "/vars", undefined));
    expect([answer.status, answer.text, answer.headers.get("tfp-api-version")]).toEqual([
      404,
      '{"errors":[{"status":"404","title":"not found"}]}',
      "2.6",
    ]);
  });
});

it("an error about malformed JSON repeats no part of the body, not even what looks like a member name", async () => {
  const { send, workspace } = await withWorkspace();
  // unescaped quotes: two pieces of the value look like names
  const body = `{"data":{"type":"vars","attributes":{"key":"k","category":"env","value":"a","hunter2","hunter2"}}}`;
  const answer = await send(requestOf("POST", `/workspaces/${workspace}/vars`, body));
  expect(answer.status).toBe(400);
  expect(answer.text).not.toContain("hunter2");
});

/** Returns stores that run `meanwhile` once, after the first listing of a principal's tokens. */
function interrupted(stores: Stores, meanwhile: () => Promise<unknown>): Stores {
  let done = false;
  return (name) => {
    const store = stores(name);
    return {
      ...store,
      list: async (prefix, page) => {
        const rows = await store.list(prefix, page);
        if (prefix.startsWith("tokens/") && !done) {
          done = true;
          await meanwhile();
        }
        return rows;
      },
    };
  };
}
describe("a token created while its owner is deleted", () => {
  it("has no access if the owner is a user", async () => {
    const one = await withWorkspace();
    const made = await one.call("POST", "/admin/users", userOf("leaver"));
    const [user, token] = [String(made.data["id"]), String(made.data["attributes"]?.["token"])];
    let late = "";
    const meanwhile = async () => {
      const answer = await one.call(
        "POST",
        `/users/${user}/authentication-tokens`,
        { data: {} },
        { token },
      );
      late = String(answer.data["attributes"]?.["token"]);
    };
    const other = service({ stores: interrupted(one.stores, meanwhile), seed: 3 });
    expect((await other.call("DELETE", `/admin/users/${user}`)).status).toBe(204);
    expect(late).toMatch(/atlasv1/);
    one.clock.now += 1000;
    for (const each of [late, token])
      expect((await one.call("GET", "/account/details", undefined, { token: each })).status).toBe(
        401,
      );
  });
  it("has no access if the owner is a team", async () => {
    const one = await withWorkspace();
    const team = String(
      (
        await one.call("POST", "/organizations/acme/teams", {
          data: { type: "teams", attributes: { name: "devs" } },
        })
      ).data["id"],
    );
    let late = "";
    const meanwhile = async () => {
      late = String(
        (await one.call("POST", `/teams/${team}/authentication-token`, { data: {} })).data[
          "attributes"
        ]?.["token"],
      );
    };
    const other = service({ stores: interrupted(one.stores, meanwhile), seed: 3 });
    expect((await other.call("DELETE", `/teams/${team}`)).status).toBe(204);
    expect(late).toMatch(/atlasv1/);
    one.clock.now += 1000;
    expect((await one.call("GET", "/account/details", undefined, { token: late })).status).toBe(
      401,
    );
  });
});

/** Returns stores that count reads. */
function counted(stores: Stores): { readonly stores: Stores; reads: number } {
  const count: ReturnType<typeof counted> = {
    reads: 0,
    stores: (name) => {
      const store = stores(name);
      return {
        ...store,
        get: (keys) => ((count.reads += 1), store.get(keys)),
        list: (prefix, page) => ((count.reads += 1), store.list(prefix, page)),
      };
    },
  };
  return count;
}
it("lists of many workspaces read permissions once, not once per workspace, because Workers limit the subrequests of a request", async () => {
  const one = await withWorkspace({ stores: memoryStore() });
  const many = 60;
  for (let i = 1; i < many; i++)
    await one.call("POST", "/organizations/acme/workspaces", workspaceOf({ name: `w${i}` }));
  await one.call(
    "POST",
    `/workspaces/${one.workspace}/vars`,
    varsDocument({ key: "k", category: "env" }),
  );
  const team = await one.call("POST", "/organizations/acme/teams", {
    data: {
      type: "teams",
      attributes: { name: "readers", "organization-access": { "read-workspaces": true } },
    },
  });
  const made = await one.call("POST", `/teams/${String(team.data["id"])}/authentication-token`, {
    data: {},
  });
  for (const sent of [{ token: String(made.data["attributes"]?.["token"]) }, {}]) {
    const count = counted(one.stores);
    const other = service({ stores: count.stores, seed: 9 });
    await other.call("GET", "/account/details", undefined, sent);
    count.reads = 0;
    const page = await other.call(
      "GET",
      "/organizations/acme/workspaces?page%5Bsize%5D=5",
      undefined,
      sent,
    );
    expect([page.status, page.json["meta"]?.["pagination"]?.["total-count"]]).toEqual([200, many]);
    expect(count.reads).toBeLessThan(20);
    count.reads = 0;
    const all = await other.call("GET", "/vars", undefined, sent);
    expect(all.json["data"]).toHaveLength(1);
    expect(count.reads).toBeLessThan(many + 20);
  }
});
