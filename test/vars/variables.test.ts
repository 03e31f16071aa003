import { describe, expect, it } from "vitest";
import { service, varsDocument, withWorkspace, type Answer } from "./service.ts";

describe("/vars", () => {
  it("creates, lists, reads, changes and deletes a variable as documented", async () => {
    const { call, workspace } = await withWorkspace();
    const made = await call("POST", "/vars", {
      data: {
        type: "vars",
        attributes: {
          key: "some_key",
          value: "some_value",
          description: "some description",
          category: "iac",
          hcl: false,
          sensitive: false,
        },
        relationships: { workspace: { data: { id: workspace, type: "workspaces" } } },
      },
    });
    expect(made.status, made.text).toBe(201);
    const id = String(made.data["id"]);
    expect(id).toMatch(/^var-[1-9A-HJ-NP-Za-km-z]{16}$/);
    expect(made.headers.get("content-type")).toBe("application/vnd.api+json; charset=utf-8");
    expect(made.data).toEqual({
      id,
      type: "vars",
      attributes: {
        key: "some_key",
        value: "some_value",
        sensitive: false,
        category: "iac",
        hcl: false,
        "created-at": "2030-01-02T03:04:05.000Z",
        description: "some description",
        "version-id": expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      relationships: {
        configurable: {
          data: { id: workspace, type: "workspaces" },
          links: { related: "/api/v2/organizations/acme/workspaces/demo" },
        },
      },
      links: { self: `/api/v2/vars/${id}` },
    });
    const listed = await call(
      "GET",
      "/vars?filter[organization][name]=acme&filter%5Bworkspace%5D%5Bname%5D=demo",
    );
    expect(listed.json).toEqual({ data: [made.data] });
    const changed = await call("PATCH", `/vars/${id}`, varsDocument({ value: "new" }, { id }));
    expect(changed.status).toBe(200);
    expect(changed.data["attributes"]).toMatchObject({
      key: "some_key",
      value: "new",
      category: "iac",
    });
    expect(changed.data["attributes"]?.["version-id"]).not.toBe(
      made.data["attributes"]?.["version-id"],
    );
    expect((await call("GET", `/vars/${id}`)).data).toEqual(changed.data);
    const deleted = await call("DELETE", `/vars/${id}`);
    expect([deleted.status, deleted.text, deleted.headers.get("content-type")]).toEqual([
      204,
      "",
      null,
    ]);
    for (const method of ["GET", "DELETE"])
      expect((await call(method, `/vars/${id}`)).status).toBe(404);
  });
});

describe("a variable's attributes", () => {
  it("preserve key, value and description byte for byte", async () => {
    const { call, workspace } = await withWorkspace();
    const texts = [
      "  line1\nline2 \u00e9\n",
      "trailing newline\n",
      "\ttab\r\nreturn",
      "\u{1f512} \u{1d11e} \u5b57",
      "\ufeffmark",
      "e\u0301 is not \u00e9",
      "nul \u0000 inside",
      "\u2028 \u2029",
      '"quotes" \\ back',
      "",
    ];
    for (const [i, value] of texts.entries()) {
      const made = await call(
        "POST",
        `/workspaces/${workspace}/vars`,
        varsDocument({ key: ` k${i} \u{1f511}`, value, description: value, category: "env" }),
      );
      expect(made.status, made.text).toBe(201);
      const read = await call("GET", `/workspaces/${workspace}/vars/${String(made.data["id"])}`);
      expect(read.data["attributes"]).toMatchObject({
        key: ` k${i} \u{1f511}`,
        value,
        description: value,
      });
    }
  });
  it("have defaults, and distinguish an empty description from none", async () => {
    const { write } = await withWorkspace();
    expect((await write({ key: "a" })).data["attributes"]).toMatchObject({
      value: "",
      description: null,
      hcl: false,
      sensitive: false,
    });
    expect(
      (await write({ key: "b", description: "", value: null, hcl: null, sensitive: null })).data[
        "attributes"
      ],
    ).toMatchObject({
      value: "",
      description: "",
      hcl: false,
      sensitive: false,
    });
  });
  it("are not parsed as code", async () => {
    const { write } = await withWorkspace();
    expect(
      (await write({ key: "a", value: "{{ bare", hcl: true })).data["attributes"],
    ).toMatchObject({ value: "{{ bare", hcl: true });
    expect(
      (await write({ key: "a", value: "x", hcl: true, category: "env" })).data["attributes"],
    ).toMatchObject({ hcl: true });
  });
  it("change only if sent; null clears a description and a plain value", async () => {
    const { write, call, workspace } = await withWorkspace();
    const { data } = await write({ key: "a", value: "v", description: "d", hcl: true });
    const path = `/workspaces/${workspace}/vars/${String(data["id"])}`;
    expect(
      (await call("PATCH", path, varsDocument({ description: null }))).data["attributes"],
    ).toMatchObject({
      key: "a",
      value: "v",
      description: null,
      hcl: true,
    });
    expect(
      (
        await call(
          "PATCH",
          path,
          varsDocument({ key: null, category: null, hcl: null, value: null }),
        )
      ).data["attributes"],
    ).toMatchObject({
      key: "a",
      value: "",
      category: "terraform",
      hcl: true,
    });
  });
  it("get a new version with every successful update, even an empty one, and none with a failed one", async () => {
    const { write, call, workspace } = await withWorkspace();
    const made = await write({ key: "a" });
    const path = `/workspaces/${workspace}/vars/${String(made.data["id"])}`;
    const version = (answer: Answer) => String(answer.data["attributes"]?.["version-id"]);
    const seen = [version(made)];
    for (let i = 0; i < 3; i++)
      seen.push(version(await call("PATCH", path, { data: { type: "vars" } })));
    expect(new Set(seen).size).toBe(4);
    expect((await call("PATCH", path, varsDocument({ key: "" }))).status).toBe(422);
    expect(version(await call("GET", path))).toBe(seen[3]);
  });
  it("are listed by key in code point order, then by category", async () => {
    const { write, call, workspace } = await withWorkspace();
    const keys = ["b", "B", "a", "\u{10000}", "\uffee", "aa", "_"];
    for (const key of keys) await write({ key });
    await write({ key: "a", category: "env" });
    const { json } = await call("GET", `/workspaces/${workspace}/vars`);
    const listed = [
      ...(json["data"] as unknown as { attributes: { key: string; category: string } }[]),
    ].map(({ attributes }) => [attributes.key, attributes.category]);
    expect(listed.map(([key]) => key)).toEqual([
      "B",
      "_",
      "a",
      "a",
      "aa",
      "b",
      "\uffee",
      "\u{10000}",
    ]);
    expect(listed.filter(([key]) => key === "a").map(([, category]) => category)).toEqual([
      "env",
      "terraform",
    ]);
    expect(Object.keys(json)).toEqual(["data"]);
    const shown = await call("GET", `/workspaces/${workspace}`);
    expect(shown.data["relationships"]?.["vars"]?.["data"]).toHaveLength(8);
    expect(
      (await call("GET", `/workspaces/${workspace}/all-vars?page%5Bnumber%5D=2`)).json,
    ).toEqual(json);
  });
});

describe("the spelling of the category", () => {
  it("is that of the last write to the same endpoint", async () => {
    const { call, workspace } = await withWorkspace();
    const relationships = { workspace: { data: { type: "workspaces", id: workspace } } };
    const made = await call(
      "POST",
      "/vars",
      varsDocument({ key: "a", category: "iac", description: "" }, { relationships }),
    );
    const id = String(made.data["id"]);
    const spellings = async () => {
      const both = await Promise.all([
        call("GET", `/vars/${id}`),
        call("GET", `/workspaces/${workspace}/vars/${id}`),
      ]);
      return both.map(({ data }) => String(data["attributes"]?.["category"]));
    };
    expect(await spellings()).toEqual(["iac", "terraform"]);
    await call(
      "PATCH",
      `/workspaces/${workspace}/vars/${id}`,
      varsDocument({ category: "terraform" }),
    );
    expect(await spellings()).toEqual(["terraform", "terraform"]);
    await call("PATCH", `/workspaces/${workspace}/vars/${id}`, varsDocument({ category: "iac" }));
    expect(await spellings()).toEqual(["iac", "iac"]);
    await call("PATCH", `/vars/${id}`, varsDocument({ category: "env" }, { id }));
    expect(await spellings()).toEqual(["env", "env"]);
    await call("PATCH", `/vars/${id}`, varsDocument({ category: "terraform" }, { id }));
    expect(await spellings()).toEqual(["terraform", "iac"]);
  });
  it("can be fixed for all responses", async () => {
    const { write } = await withWorkspace({ categorySpelling: "iac" });
    expect((await write({ key: "a" })).data["attributes"]).toMatchObject({ category: "iac" });
  });
  it("does not make a different category", async () => {
    const { write } = await withWorkspace();
    expect((await write({ key: "a", category: "iac" })).status).toBe(201);
    expect((await write({ key: "a", category: "terraform" })).status).toBe(422);
    expect((await write({ key: "a", category: "env" })).status).toBe(201);
  });
});

describe("a rename", () => {
  it("releases the old key and occupies the new one, separately in each category", async () => {
    const { write, call, workspace } = await withWorkspace();
    const { data } = await write({ key: "a", value: "kept" });
    await write({ key: "b" });
    const path = `/workspaces/${workspace}/vars/${String(data["id"])}`;
    expect((await call("PATCH", path, varsDocument({ key: "b" }))).status).toBe(422);
    expect((await call("PATCH", path, varsDocument({ key: "a" }))).status).toBe(200);
    expect(
      (await call("PATCH", path, varsDocument({ key: "b", category: "env" }))).data["attributes"],
    ).toMatchObject({
      key: "b",
      category: "env",
      value: "kept",
    });
    expect((await write({ key: "a" })).status).toBe(201);
    expect((await call("PATCH", path, varsDocument({ category: "terraform" }))).status).toBe(422);
  });
  it("of a workspace or organization appears in links and changes nothing else", async () => {
    const { write, call, workspace } = await withWorkspace();
    const { data } = await write({ key: "a" });
    await call("PATCH", `/workspaces/${workspace}`, {
      data: { type: "workspaces", attributes: { name: "renamed" } },
    });
    await call("PATCH", "/organizations/acme", {
      data: { type: "organizations", attributes: { name: "acme2" } },
    });
    const read = await call("GET", `/workspaces/${workspace}/vars/${String(data["id"])}`);
    expect(read.data["relationships"]?.["configurable"]?.["links"]).toEqual({
      related: "/api/v2/organizations/acme2/workspaces/renamed",
    });
    expect(read.data["attributes"]).toEqual(data["attributes"]);
    expect((await call("GET", "/organizations/acme")).status).toBe(404);
    expect((await call("GET", "/organizations/acme2/workspaces/demo")).status).toBe(404);
  });
});

describe("GET /vars without a filter", () => {
  it("lists the variables of all workspaces, ordered by workspace", async () => {
    const { call, write } = await withWorkspace();
    await write({ key: "z" });
    for (const name of ["beta", "alpha"]) {
      const { data } = await call("POST", "/organizations/acme/workspaces", {
        data: { type: "workspaces", attributes: { name } },
      });
      await call(
        "POST",
        `/workspaces/${String(data["id"])}/vars`,
        varsDocument({ key: name, category: "env" }),
      );
    }
    const { json } = await call("GET", "/vars");
    expect(
      (json["data"] as unknown as { attributes: { key: string } }[]).map(
        ({ attributes }) => attributes.key,
      ),
    ).toEqual(["alpha", "beta", "z"]);
    expect((await service({ seed: 2 }).call("GET", "/vars")).json).toEqual({ data: [] });
  });
});

it("deleting a workspace or organization deletes its variables", async () => {
  const { call, write, stores } = await withWorkspace();
  const ids = [String((await write({ key: "a" })).data["id"])];
  const other = await call("POST", "/organizations/acme/workspaces", {
    data: { type: "workspaces", attributes: { name: "other" } },
  });
  const made = await call(
    "POST",
    `/workspaces/${String(other.data["id"])}/vars`,
    varsDocument({ key: "b", category: "env" }),
  );
  ids.push(String(made.data["id"]));
  expect((await call("DELETE", `/workspaces/${String(other.data["id"])}`)).status).toBe(204);
  expect((await call("GET", `/vars/${ids[1]}`)).status).toBe(404);
  expect((await call("DELETE", "/organizations/acme")).status).toBe(204);
  expect((await call("GET", `/vars/${ids[0]}`)).status).toBe(404);
  const left = (await stores("vars").list("")).map(([key]) => key.split("/")[0]);
  expect(new Set(left.filter((kind) => kind !== "audit" && kind !== "logged"))).toEqual(
    new Set(["installed", "member", "org", "orgname", "team", "teamname", "user", "username"]),
  );
});
