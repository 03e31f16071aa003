import { expect, it } from "vitest";
import type { storedRows } from "../../src/vars/rows/stored.ts";
import { withWorkspace, varsDocument } from "./service.ts";

/** The fields that rows of an older version have, by kind of row. */
const kept = {
  installed: ["installed", "user"],
  user: ["user/", "id", "username", "email", "admin"],
  organization: ["org/", "id", "name", "email"],
  workspace: ["workspace/", "id", "organization", "name"],
  team: ["team/", "id", "organization", "name", "owners"],
  access: ["access/", "id", "team", "workspace"],
  token: ["vartoken/", "id", "principal", "expires"],
  variable: ["var/", "id", "workspace", "key", "value"],
  key: ["varkey/", "id", "key", "kind"],
} as const satisfies Readonly<
  Record<keyof typeof storedRows, readonly [prefix: string, ...members: readonly string[]]>
>;

async function older() {
  const a = await withWorkspace();
  await a.write({ key: "plain", value: "one", description: "text", hcl: true });
  const named = (
    await a.call("POST", "/organizations/acme/teams", {
      data: { type: "teams", attributes: { name: "ops", visibility: "organization" } },
    })
  ).data;
  const team = String(named["id"]);
  const relationships = {
    team: { data: { type: "teams", id: team } },
    workspace: { data: { type: "workspaces", id: a.workspace } },
  };
  const given = await a.call("POST", "/team-workspaces", {
    data: { type: "team-workspaces", attributes: { access: "write" }, relationships },
  });
  const token = await a.call("POST", `/teams/${team}/authentication-token`, {
    data: { type: "authentication-tokens", attributes: {} },
  });
  expect([given.status, token.status]).toEqual([201, 201]);
  const secret = String(token.data["attributes"]?.["token"]);
  expect(
    (await a.call("GET", `/workspaces/${a.workspace}/vars`, undefined, { token: secret })).status,
  ).toBe(200);
  const store = a.stores("vars");
  const put: [string, unknown][] = [];
  for (const [prefix, ...members] of Object.values(kept)) {
    const rows = await store.list(prefix);
    expect([prefix, rows.length]).not.toEqual([prefix, 0]);
    for (const [key, { value }] of rows)
      put.push([
        key,
        Object.fromEntries(
          Object.entries(value as object).filter(([name]) =>
            (members as readonly string[]).includes(name),
          ),
        ),
      ]);
  }
  await store.commit({ put });
  a.clock.advance(2);
  return { a, team, secret, access: String(given.data["id"]) };
}

it("rows stored before some fields existed are read with defaults, and grant nothing", async () => {
  const { a, team, secret, access } = await older();
  const variable = (await a.call("GET", `/workspaces/${a.workspace}/vars`)).data[0]?.["attributes"];
  expect(variable).toMatchObject({
    key: "plain",
    value: "one",
    category: "terraform",
    hcl: false,
    sensitive: false,
    description: null,
  });
  expect((await a.call("GET", "/organizations/acme")).data["attributes"]).toMatchObject({
    name: "acme",
    email: "a@example.com",
  });
  expect((await a.call("GET", `/workspaces/${a.workspace}`)).data["attributes"]).toMatchObject({
    name: "demo",
  });
  expect((await a.call("GET", `/teams/${team}`)).data["attributes"]).toMatchObject({
    name: "ops",
    visibility: "secret",
    "allow-member-token-management": false,
    "users-count": 0,
  });
  expect((await a.call("GET", `/team-workspaces/${access}`)).data["attributes"]).toMatchObject({
    access: "custom",
    variables: "none",
  });
  expect(
    (await a.call("GET", `/workspaces/${a.workspace}/vars`, undefined, { token: secret })).status,
  ).toBe(404);
});

it("rows stored before some fields existed can be changed and deleted", async () => {
  const { a, team, access } = await older();
  const id = String((await a.call("GET", `/workspaces/${a.workspace}/vars`)).data[0]?.["id"]);
  const changed = async (path: string, type: string, attributes: object) =>
    (await a.call("PATCH", path, { data: { type, attributes } })).data["attributes"];
  expect(
    (
      await a.call(
        "PATCH",
        `/workspaces/${a.workspace}/vars/${id}`,
        varsDocument({ value: "two" }, {}),
      )
    ).data["attributes"],
  ).toMatchObject({
    value: "two",
  });
  expect((await a.write({ key: "second", value: "three" })).status).toBe(201);
  expect(
    await changed(`/workspaces/${a.workspace}`, "workspaces", { description: "new" }),
  ).toMatchObject({ description: "new" });
  expect(
    await changed("/organizations/acme", "organizations", { email: "b@example.com" }),
  ).toMatchObject({ email: "b@example.com" });
  expect(await changed(`/teams/${team}`, "teams", { visibility: "organization" })).toMatchObject({
    visibility: "organization",
  });
  expect(
    await changed(`/team-workspaces/${access}`, "team-workspaces", { access: "read" }),
  ).toMatchObject({ access: "read" });
  expect((await a.call("DELETE", `/teams/${team}`)).status).toBe(204);
});
