import { describe, expect, it } from "vitest";
import { errorsOf, requestOf, service, withWorkspace, type Answer, type Json } from "./service.ts";

const document = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships ? { relationships } : {}) },
});
const details = (answer: Answer) =>
  (errorsOf(answer) as { detail: string }[]).map(({ detail }) => detail);
const names = (answer: Answer) =>
  (answer.json["data"] as unknown as { attributes: { name: string } }[]).map(
    ({ attributes }) => attributes.name,
  );

describe("the variables API", () => {
  it("returns service discovery as plain JSON without a token", async () => {
    const answer = await service().call("GET", "/.well-known/terraform.json", undefined, {
      token: "",
    });
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(answer.json).toMatchObject({
      "tfe.v2": "/api/v2/",
      "tfe.v2.2": "/api/v2/",
      "modules.v1": "/api/registry/v1/modules/",
    });
    expect(answer.json["versions.v1"]).toBeUndefined();
  });
  it("returns 404 in its own format for a wrong method", async () => {
    const { call } = service();
    for (const method of ["POST", "PUT", "DELETE"]) {
      const answer = await call(method, "/.well-known/terraform.json", undefined, { token: "" });
      expect([answer.status, answer.text]).toEqual([
        404,
        '{"errors":[{"status":"404","title":"not found"}]}',
      ]);
    }
  });
  it("answers ping with headers only", async () => {
    const answer = await service().call("GET", "/ping", undefined, { token: "" });
    expect([
      answer.status,
      answer.text,
      answer.headers.get("content-type"),
      answer.headers.get("tfp-api-version"),
    ]).toEqual([204, "", null, "2.6"]);
  });
  it("treats the owner of the process as the first user", async () => {
    const { send } = service();
    const owner = { id: "owner", can: () => true };
    expect(
      (
        await send(requestOf("GET", "/account/details", undefined, { token: "" }), {
          identity: owner,
        })
      ).status,
    ).toBe(200);
    expect(
      (
        await send(requestOf("GET", "/account/details", undefined, { token: "x" }), {
          identity: owner,
        })
      ).status,
    ).toBe(401);
    expect(
      (await send(requestOf("GET", "/account/details", undefined, { token: "" }))).status,
    ).toBe(401);
  });
});

describe("the first start", () => {
  it("creates one user and one organization, once", async () => {
    const one = service();
    const account = await one.call("GET", "/account/details");
    expect(account.data["attributes"]).toMatchObject({ username: "admin" });
    expect(names(await one.call("GET", "/organizations"))).toEqual(["default"]);
    const again = service({ stores: one.stores, seed: 5 });
    expect((await again.call("GET", "/account/details")).text).toBe(account.text);
  });
  it("creates no token if none is configured", async () => {
    const { call } = service({ token: "" });
    expect((await call("GET", "/organizations", undefined, { token: "" })).status).toBe(401);
    expect((await call("GET", "/organizations", undefined, { token: "undefined" })).status).toBe(
      401,
    );
  });
  it("accepts the configured token, not the previous one", async () => {
    const one = service({ token: "the-first-of-two-tokens" });
    expect(
      (await one.call("GET", "/organizations", undefined, { token: "the-first-of-two-tokens" }))
        .status,
    ).toBe(200);
    const { call } = service({ stores: one.stores, token: "the-second-of-two-tokens" });
    expect(
      (await call("GET", "/organizations", undefined, { token: "the-first-of-two-tokens" })).status,
    ).toBe(401);
    expect(
      (await call("GET", "/organizations", undefined, { token: "the-second-of-two-tokens" }))
        .status,
    ).toBe(200);
  });
});

describe("an organization", () => {
  it("returns the attributes that clients need for an empty second plan", async () => {
    const { call } = service();
    const made = await call(
      "POST",
      "/organizations",
      document("organizations", {
        name: "acme",
        email: "a@example.com",
        "collaborator-auth-policy": "two_factor_mandatory",
        unknown: 1,
      }),
    );
    expect(made.data).toMatchObject({
      id: "acme",
      attributes: {
        name: "acme",
        email: "a@example.com",
        "external-id": expect.stringMatching(/^org-/),
        "collaborator-auth-policy": "two_factor_mandatory",
        "session-timeout": null,
        "aggregated-commit-status-enabled": true,
      },
      relationships: {
        "default-project": { data: { id: expect.stringMatching(/^prj-/) } },
        "default-agent-pool": { data: null },
      },
      links: { self: "/api/v2/organizations/acme" },
    });
    expect(made.data["attributes"]?.["unknown"]).toBeUndefined();
    expect((await call("GET", "/organizations/acme")).data).toEqual(made.data);
    expect((await call("GET", "/organizations/acme/entitlement-set")).data).toMatchObject({
      type: "entitlement-sets",
      attributes: { teams: true },
    });
  });
  it("is rejected with an invalid name or email address", async () => {
    const { call } = await withWorkspace();
    const make = async (attributes: object) =>
      details(await call("POST", "/organizations", document("organizations", attributes)));
    expect(await make({ email: "a" })).toEqual(["Name can't be blank"]);
    expect(await make({ name: 5, email: "a" })).toEqual(["Name must be a string"]);
    expect(await make({ name: "a b" })).toEqual([
      "Name may only contain letters, numbers, dashes and underscores",
      "Email can't be blank",
    ]);
    expect(await make({ name: "acme", email: "x@example.com" })).toEqual([
      "Name has already been taken",
    ]);
    expect(
      (await call("PATCH", "/organizations/acme", document("organizations", { name: "default" })))
        .status,
    ).toBe(422);
  });
  it("rejects settings of the wrong type, and accepts what clients send", async () => {
    const { call } = await withWorkspace();
    const change = (attributes: object) =>
      call("PATCH", "/organizations/acme", document("organizations", attributes));
    expect(
      details(
        await change({
          "collaborator-auth-policy": "none",
          "session-timeout": "20",
          "cost-estimation-enabled": 1,
          "owners-team-saml-role-id": true,
        }),
      ),
    ).toEqual([
      "Collaborator auth policy is not included in the list",
      "Session timeout must be a number",
      "Cost estimation enabled must be true or false",
      "Owners team saml role id must be a string",
    ]);
    const create = document("organizations", {
      name: "other",
      email: "o@example.com",
      "default-execution-mode": "bogus",
    });
    expect(details(await call("POST", "/organizations", create))).toEqual([
      "Default execution mode is not included in the list",
    ]);
    const settings = {
      "collaborator-auth-policy": "two_factor_mandatory",
      "default-execution-mode": "agent",
      "session-timeout": 20,
      "session-remember": 60,
      "owners-team-saml-role-id": "owners",
      "user-tokens-enabled": true,
    };
    expect((await change(settings)).data["attributes"]).toMatchObject(settings);
    expect(
      (await change({ "session-timeout": null, "user-tokens-enabled": null })).data["attributes"],
    ).toMatchObject({ ...settings, "session-timeout": null });
  });
  it("rejects user-tokens-enabled false, which would not be enforced", async () => {
    const { call } = await withWorkspace();
    const attributes = { "user-tokens-enabled": false };
    const refused = [
      await call("PATCH", "/organizations/acme", document("organizations", attributes)),
      await call(
        "POST",
        "/organizations",
        document("organizations", { name: "other", email: "o@example.com", ...attributes }),
      ),
    ];
    for (const answer of refused) {
      expect(answer.status).toBe(422);
      expect(errorsOf(answer)).toMatchObject([
        { source: { pointer: "/data/attributes/user-tokens-enabled" } },
      ]);
    }
    expect((await call("GET", "/organizations/other")).status).toBe(404);
    expect((await call("GET", "/organizations/acme")).data["attributes"]).toMatchObject({
      "user-tokens-enabled": true,
    });
  });
  it("is found by name and email address", async () => {
    const { call } = await withWorkspace();
    expect(names(await call("GET", "/organizations?q=ac"))).toEqual(["acme"]);
    expect(names(await call("GET", "/organizations?q%5Bemail%5D=localhost"))).toEqual(["default"]);
  });
});

describe("a workspace", () => {
  it("returns the attributes that clients need for an empty second plan, by ID and by name", async () => {
    const { call } = await withWorkspace();
    const settings = {
      "working-directory": "/x",
      "queue-all-runs": true,
      "trigger-prefixes": ["a"],
      description: "d",
      "setting-overwrites": { "execution-mode": true, "agent-pool": false },
    };
    const made = await call(
      "POST",
      "/organizations/acme/workspaces",
      document("workspaces", { name: "w", ...settings }),
    );
    expect(made.data["attributes"]).toMatchObject({
      ...settings,
      "terraform-version": expect.stringMatching(/\d/),
      "execution-mode": "remote",
      locked: false,
      "vcs-repo": null,
      "resource-count": 0,
      actions: { "is-destroyable": true },
    });
    expect(made.data["relationships"]).toMatchObject({
      organization: { data: { id: "acme" } },
      project: { data: { id: expect.stringMatching(/^prj-/) } },
      vars: { data: [] },
      outputs: { data: [] },
      "agent-pool": { data: null },
    });
    const byName = await call(
      "GET",
      "/organizations/acme/workspaces/w?include=effective_tag_bindings",
    );
    expect(byName.text).toBe((await call("GET", `/workspaces/${String(made.data["id"])}`)).text);
    for (const path of [
      "relationships/remote-state-consumers?page%5Bsize%5D=100",
      "tag-bindings",
      "effective-tag-bindings",
    ])
      expect(
        (await call("GET", `/workspaces/${String(made.data["id"])}/${path}`)).json["data"],
      ).toEqual([]);
  });
  it("is listed in pages with links, sorted and searched", async () => {
    const { call } = await withWorkspace();
    for (let i = 0; i < 24; i++)
      await call(
        "POST",
        "/organizations/acme/workspaces",
        document("workspaces", { name: `w${String(i).padStart(2, "0")}` }),
      );
    const page = (query: string) => call("GET", `/organizations/acme/workspaces?${query}`);
    const first = await page("");
    expect(names(first)).toHaveLength(20);
    expect(first.json["meta"]).toEqual({
      pagination: {
        "current-page": 1,
        "page-size": 20,
        "prev-page": null,
        "next-page": 2,
        "total-pages": 2,
        "total-count": 25,
      },
    });
    expect(first.json["links"]?.["next"]).toContain("page%5Bnumber%5D=2");
    expect(names(await page("page%5Bnumber%5D=2&sort=-name"))).toEqual([
      "w03",
      "w02",
      "w01",
      "w00",
      "demo",
    ]);
    expect(names(await page("page[number]=9"))).toEqual([]);
    expect(names(await page("page[number]=x&page[size]=0&search[name]=W1"))).toHaveLength(10);
    expect((await page("page[size]=1000")).json["meta"]?.["pagination"]?.["page-size"]).toBe(100);
  });
  it("is found by a pattern of its name, in any letter case, and by project", async () => {
    const { call } = await withWorkspace();
    for (const name of ["web-prod", "web-test", "db-prod"])
      await call("POST", "/organizations/acme/workspaces", document("workspaces", { name }));
    const list = async (parameter: string, value: string) =>
      names(
        await call(
          "GET",
          `/organizations/acme/workspaces?${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`,
        ),
      );
    const wildcard = "search[wildcard-name]";
    expect(await list(wildcard, "WEB-*")).toEqual(["web-prod", "web-test"]);
    expect(await list(wildcard, "*-prod")).toEqual(["db-prod", "web-prod"]);
    expect(await list(wildcard, "*b-p*")).toEqual(["db-prod", "web-prod"]);
    expect(await list(wildcard, "w*prod")).toEqual(["web-prod"]);
    expect(await list(wildcard, "web")).toEqual([]);
    expect(await list(wildcard, "nothing*")).toEqual([]);
    expect(await list(wildcard, "")).toHaveLength(4);
    const { relationships } = (await call("GET", "/organizations/acme")).data as unknown as {
      readonly relationships: { readonly "default-project": { readonly data: { id: string } } };
    };
    const project = relationships["default-project"].data.id;
    expect(await list("filter[project][id]", project)).toHaveLength(4);
    expect(await list("filter[project][id]", "prj-other")).toEqual([]);
  });
  it.each([
    "search[tags]",
    "search[exclude-tags]",
    "filter[tagged][0][key]",
    "filter[current-run][status]",
  ])("cannot be filtered by %s, which is rejected", async (name) => {
    const { call } = await withWorkspace();
    const query = (value: string) =>
      `/organizations/acme/workspaces?${encodeURIComponent(name)}=${value}`;
    const refused = await call("GET", query("env"));
    expect(refused.status).toBe(400);
    expect(errorsOf(refused)).toMatchObject([{ source: { parameter: name } }]);
    expect((await call("GET", query(""))).status).toBe(200);
  });
  it("is listed with its organization if that is included", async () => {
    const { call } = await withWorkspace();
    const list = (query: string) => call("GET", `/organizations/acme/workspaces${query}`);
    expect((await list("?include=organization")).json["included"]).toMatchObject([
      { type: "organizations", id: "acme" },
    ]);
    expect((await list("")).json).not.toHaveProperty("included");
  });
  it("rejects text that is not valid Unicode, which strict clients could not parse", async () => {
    const { call, workspace } = await withWorkspace();
    for (const attributes of [
      '{"description":"\\ud800"}',
      '{"trigger-prefixes":["a","\\udc00"]}',
      '{"setting-overwrites":{"\\ud800":true}}',
    ]) {
      const answer = await call(
        "PATCH",
        `/workspaces/${workspace}`,
        `{"data":{"type":"workspaces","attributes":${attributes}}}`,
      );
      expect([answer.status, answer.text]).toEqual([
        422,
        expect.stringContaining("must be valid Unicode"),
      ]);
    }
    const kept = await call(
      "PATCH",
      `/workspaces/${workspace}`,
      document("workspaces", { description: "\u{1f512}\u0000" }),
    );
    expect(kept.data["attributes"]?.["description"]).toBe("\u{1f512}\u0000");
  });
  it("rejects settings of the wrong type, and ignores null and unknown ones", async () => {
    const { call, workspace } = await withWorkspace();
    const change = (attributes: object) =>
      call("PATCH", `/workspaces/${workspace}`, document("workspaces", attributes));
    const before = (await call("GET", `/workspaces/${workspace}`)).data["attributes"];
    const unfit: readonly (readonly [name: string, value: unknown, detail: string])[] = [
      ["auto-apply", "true", "Auto apply must be true or false"],
      ["working-directory", 5, "Working directory must be a string"],
      ["description", false, "Description must be a string"],
      ["trigger-prefixes", ["a", 1], "Trigger prefixes must be a list of strings"],
      ["tag-names", "a", "Tag names must be a list of strings"],
      [
        "setting-overwrites",
        [],
        "Setting overwrites must be an object whose values are true or false",
      ],
      [
        "setting-overwrites",
        { "agent-pool": "x" },
        "Setting overwrites must be an object whose values are true or false",
      ],
      ["execution-mode", "bogus", "Execution mode is not included in the list"],
      ["operations", "yes", "Operations must be true or false"],
    ];
    for (const [name, value, detail] of unfit) {
      const fault = {
        status: "422",
        title: "invalid attribute",
        detail,
        source: { pointer: `/data/attributes/${name}` },
      };
      expect(errorsOf(await change({ [name]: value }))).toEqual([fault]);
      expect(
        errorsOf(
          await call(
            "POST",
            "/organizations/acme/workspaces",
            document("workspaces", { name: "w", [name]: value }),
          ),
        ),
      ).toEqual([fault]);
    }
    const nothing = Object.fromEntries([
      ...unfit.map(([name]) => [name, null]),
      ["unknown", { x: 1 }],
    ]);
    const after = await change(nothing);
    expect([after.status, after.data["attributes"]]).toEqual([
      200,
      { ...before, "updated-at": after.data["attributes"]?.["updated-at"] },
    ]);
  });
  it("is rejected if its name is too long or in use", async () => {
    const { call, workspace } = await withWorkspace();
    const make = async (attributes: object) =>
      details(
        await call("POST", "/organizations/acme/workspaces", document("workspaces", attributes)),
      );
    expect(await make({ name: "demo" })).toEqual(["Name has already been taken"]);
    expect(await make({ name: "x".repeat(91) })).toEqual([
      "Name is too long (maximum is 90 characters)",
    ]);
    await call("POST", "/organizations/acme/workspaces", document("workspaces", { name: "two" }));
    expect(
      details(
        await call("PATCH", `/workspaces/${workspace}`, document("workspaces", { name: "two" })),
      ),
    ).toEqual(["Name has already been taken"]);
    expect(
      (await call("POST", "/organizations/nope/workspaces", document("workspaces", { name: "w" })))
        .status,
    ).toBe(404);
  });
});

describe("a team", () => {
  const devs = async () => {
    const made = await withWorkspace();
    const { data } = await made.call(
      "POST",
      "/organizations/acme/teams",
      document("teams", { name: "devs", "organization-access": { "read-workspaces": true } }),
    );
    return { ...made, team: String(data["id"]), data };
  };
  it("is created, filtered, changed, and deleted with everything that belongs to it", async () => {
    const { call, team, data, workspace, stores } = await devs();
    expect(data["attributes"]).toMatchObject({
      name: "devs",
      visibility: "secret",
      "users-count": 0,
      "organization-access": { "read-workspaces": true, "manage-workspaces": false },
    });
    expect(
      names(await call("GET", "/organizations/acme/teams?filter%5Bnames%5D=devs%2Cops")),
    ).toEqual(["devs"]);
    expect(names(await call("GET", "/organizations/acme/teams"))).toEqual(["devs", "owners"]);
    expect(
      (await call("POST", "/organizations/acme/teams", document("teams", { name: "devs" }))).status,
    ).toBe(422);
    expect((await call("POST", "/organizations/acme/teams", document("teams", {}))).status).toBe(
      422,
    );
    expect(
      (
        await call(
          "PATCH",
          `/teams/${team}`,
          document("teams", { name: "ops", visibility: "organization" }),
        )
      ).data["attributes"],
    ).toMatchObject({
      name: "ops",
      visibility: "organization",
    });
    const rows = async () =>
      (await stores("vars").list("")).filter(([key]) => !/^(?:audit|logged)\//.test(key)).length;
    const before = await rows();
    await call("POST", `/teams/${team}/relationships/users`, {
      data: [{ type: "users", id: "admin" }],
    });
    await call("POST", `/teams/${team}/authentication-token`, { data: { type: "" } });
    await call(
      "POST",
      "/team-workspaces",
      document(
        "team-workspaces",
        { access: "read" },
        {
          team: { data: { type: "teams", id: team } },
          workspace: { data: { type: "workspaces", id: workspace } },
        },
      ),
    );
    expect((await call("DELETE", `/teams/${team}`)).status).toBe(204);
    expect(await rows()).toBe(before - 2);
    expect((await call("GET", `/teams/${team}`)).status).toBe(404);
  });
  it("rejects permissions other than true and false, instead of storing them", async () => {
    const { call, team } = await devs();
    const answer = await call(
      "PATCH",
      `/teams/${team}`,
      document("teams", {
        "organization-access": { "read-workspaces": "false", "manage-teams": null },
      }),
    );
    expect(errorsOf(answer)).toEqual([
      {
        status: "422",
        title: "invalid attribute",
        detail: "Read workspaces must be true or false",
        source: { pointer: "/data/attributes/organization-access/read-workspaces" },
      },
    ]);
    const make = (attributes: object) =>
      call("POST", "/organizations/acme/teams", document("teams", { name: "x", ...attributes }));
    expect(details(await make({ "organization-access": "all" }))).toEqual([
      "Organization access must be an object whose values are true or false",
    ]);
    expect(details(await make({ "allow-member-token-management": "no" }))).toEqual([
      "Allow member token management must be true or false",
    ]);
    expect(
      (
        await make({
          "organization-access": { "manage-teams": null, other: 5 },
          "allow-member-token-management": null,
        })
      ).status,
    ).toBe(201);
  });
  it("is returned with its members on request", async () => {
    const { call } = await withWorkspace();
    const [{ data: me }, { json }] = [
      await call("GET", "/account/details"),
      await call("GET", "/organizations/acme/teams?include=users,organization-membership"),
    ];
    expect(json["included"]).toEqual([me]);
    const path = `/teams/${String(json["data"]?.["0"]?.["id"])}`;
    expect((await call("GET", `${path}?include=users`)).json["included"]).toEqual([me]);
    for (const query of ["", "?include=", "?include=nobody"])
      expect(Object.keys((await call("GET", path + query)).json)).toEqual(["data"]);
  });
  it("accepts members by username; the owners team keeps its last owner and its name", async () => {
    const { call, team } = await devs();
    const path = `/teams/${team}/relationships/users`;
    const users = (...ids: readonly string[]) => ({
      data: ids.map((id) => ({ type: "users", id })),
    });
    expect((await call("POST", path, users("admin"))).status).toBe(204);
    expect((await call("GET", `/teams/${team}`)).data["attributes"]?.["users-count"]).toBe(1);
    expect((await call("POST", path, users("nobody"))).status).toBe(404);
    for (const method of ["POST", "DELETE"])
      expect((await call(method, path, { data: {} })).status).toBe(400);
    expect((await call("DELETE", path, users("admin"))).status).toBe(204);
    const owners = String(
      (await call("GET", "/organizations/acme/teams?filter[names]=owners")).json["data"]?.["0"]?.[
        "id"
      ],
    );
    expect(
      (await call("DELETE", `/teams/${owners}/relationships/users`, users("admin"))).status,
    ).toBe(422);
    expect((await call("DELETE", `/teams/${owners}`)).status).toBe(422);
    expect((await call("PATCH", `/teams/${owners}`, document("teams", { name: "x" }))).status).toBe(
      422,
    );
  });
  it("is visible only to its members and to owners if it is secret", async () => {
    const { call, team } = await devs();
    const other = await call(
      "POST",
      "/organizations/acme/teams",
      document("teams", { name: "others" }),
    );
    const token = String(
      (await call("POST", `/teams/${String(other.data["id"])}/authentication-token`, { data: {} }))
        .data["attributes"]?.["token"],
    );
    expect((await call("GET", `/teams/${team}`, undefined, { token })).status).toBe(404);
    expect(names(await call("GET", "/organizations/acme/teams", undefined, { token }))).toEqual([
      "others",
    ]);
    await call("PATCH", `/teams/${team}`, document("teams", { visibility: "organization" }));
    expect((await call("GET", `/teams/${team}`, undefined, { token })).status).toBe(200);
    expect(
      (await call("PATCH", `/teams/${team}`, document("teams", { name: "x" }), { token })).status,
    ).toBe(404);
  });
});

describe("team access", () => {
  const granted = async () => {
    const made = await withWorkspace();
    const { data } = await made.call(
      "POST",
      "/organizations/acme/teams",
      document("teams", { name: "devs" }),
    );
    const relationships = {
      team: { data: { type: "teams", id: String(data["id"]) } },
      workspace: { data: { type: "workspaces", id: made.workspace } },
    };
    const grant = (attributes: object, related: object = relationships) =>
      made.call("POST", "/team-workspaces", document("team-workspaces", attributes, related));
    return { ...made, relationships, grant };
  };
  it("is granted, listed by workspace, changed and revoked", async () => {
    const { call, grant, workspace } = await granted();
    const made = await grant({ access: "read" });
    expect([made.status, made.data["attributes"]]).toEqual([
      201,
      expect.objectContaining({ access: "read", variables: "read", "state-versions": "read" }),
    ]);
    expect((await grant({ access: "read" })).status).toBe(422);
    const path = `/team-workspaces/${String(made.data["id"])}`;
    expect(
      (await call("GET", `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspace}`)).json[
        "data"
      ],
    ).toEqual([made.data]);
    expect(
      (
        await call(
          "PATCH",
          path,
          document("team-workspaces", { access: "custom", variables: "write" }),
        )
      ).data["attributes"],
    ).toMatchObject({
      access: "custom",
      variables: "write",
    });
    expect((await call("GET", path)).data["attributes"]).toMatchObject({ variables: "write" });
    expect((await call("DELETE", path)).status).toBe(204);
    expect((await call("GET", path)).status).toBe(404);
    expect((await grant({ access: "write" })).status).toBe(201);
  });
  it("rejects single permissions unless access is custom, unknown levels, and missing objects", async () => {
    const { call, grant, relationships } = await granted();
    expect(details(await grant({ access: "read", variables: "write" }))).toEqual([
      "variables can only be set when access is custom",
    ]);
    expect(details(await grant({ access: "all" }))).toEqual(["Access is not included in the list"]);
    expect(details(await grant({}))).toEqual(["Access can't be blank"]);
    expect((await grant({ access: "read" }, { workspace: relationships.workspace })).status).toBe(
      422,
    );
    expect(
      (
        await grant(
          { access: "read" },
          { ...relationships, team: { data: { type: "teams", id: "team-EavQ1LztoRTQHSNT" } } },
        )
      ).status,
    ).toBe(404);
    expect((await call("GET", "/team-workspaces")).status).toBe(400);
  });
  const rights = {
    runs: ["read", "plan", "apply"],
    variables: ["none", "read", "write"],
    "state-versions": ["none", "read-outputs", "read", "write"],
    "sentinel-mocks": ["none", "read"],
    "workspace-locking": [true, false],
    "run-tasks": [true, false],
    "policy-overrides": [true, false],
  };
  it.each(Object.entries(rights))(
    "accepts each documented value of %s and no other, in creates and updates",
    async (name, values) => {
      const { call, grant } = await granted();
      const odd = ["bogus", "", 5, {}, ["read"], typeof values[0] === "string" ? true : "true"];
      const fault = (sentence: string) => [
        expect.objectContaining({
          detail: expect.stringContaining(sentence),
          source: { pointer: `/data/attributes/${name}` },
        }),
      ];
      const expected = fault(
        typeof values[0] === "string" ? " is not included in the list" : " must be true or false",
      );
      for (const value of odd) {
        const answer = await grant({ access: "custom", [name]: value });
        expect([answer.status, errorsOf(answer)], JSON.stringify(value)).toEqual([422, expected]);
      }
      const made = await grant({ access: "custom", [name]: values[0] });
      const path = `/team-workspaces/${String(made.data["id"])}`;
      expect([made.status, made.data["attributes"]?.[name]]).toEqual([201, values[0]]);
      for (const value of values)
        expect(
          (await call("PATCH", path, document("team-workspaces", { [name]: value }))).data[
            "attributes"
          ]?.[name],
        ).toBe(value);
      const before = (await call("GET", path)).text;
      for (const value of odd) {
        const answer = await call("PATCH", path, document("team-workspaces", { [name]: value }));
        expect([answer.status, errorsOf(answer)], JSON.stringify(value)).toEqual([422, expected]);
      }
      // clients send null for members that are not set
      expect((await call("PATCH", path, document("team-workspaces", { [name]: null }))).text).toBe(
        before,
      );
      expect((await call("GET", path)).text).toBe(before);
    },
  );
  it("reports every invalid permission at once", async () => {
    const { grant } = await granted();
    expect(
      details(
        await grant({
          access: "custom",
          runs: "all",
          "run-tasks": 1,
          variables: "all",
          unknown: 1,
        }),
      ),
    ).toEqual([
      "Runs is not included in the list",
      "Run tasks must be true or false",
      "Variables is not included in the list",
    ]);
  });
});

describe("a token", () => {
  it("of a team or an organization is the only one, and is replaced", async () => {
    const { call } = await withWorkspace();
    const team = await call(
      "POST",
      "/organizations/acme/teams",
      document("teams", { name: "devs" }),
    );
    for (const path of [
      `/teams/${String(team.data["id"])}/authentication-token`,
      "/organizations/acme/authentication-token",
    ]) {
      expect((await call("GET", path)).status).toBe(404);
      const made = await call("POST", path, { data: { type: "" } });
      expect(made.data).toMatchObject({
        type: "authentication-tokens",
        attributes: { description: null, "expired-at": null, "last-used-at": null },
      });
      const again = await call("POST", path, {
        data: { attributes: {}, type: "authentication-tokens" },
      });
      expect((await call("GET", path)).data["id"]).toBe(again.data["id"]);
      expect((await call("GET", `/authentication-tokens/${String(made.data["id"])}`)).status).toBe(
        404,
      );
      expect((await call("DELETE", path)).status).toBe(204);
      expect((await call("DELETE", path)).status).toBe(404);
    }
  });
  it("of a team exists once per description", async () => {
    const { call } = await withWorkspace();
    const team = await call(
      "POST",
      "/organizations/acme/teams",
      document("teams", { name: "devs" }),
    );
    const path = `/teams/${String(team.data["id"])}/authentication-tokens`;
    const answers = await Promise.all(
      ["ci", "ci", "cd"].map((description) =>
        call("POST", path, { data: { attributes: { description } } }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 422]);
    expect((await call("GET", path)).json["data"]).toHaveLength(2);
  });
  it("of a user is visible to that user only", async () => {
    const { call } = await withWorkspace();
    const made = await call(
      "POST",
      "/admin/users",
      document("users", { username: "mallory", email: "m@example.com" }),
    );
    const token = String(made.data["attributes"]?.["token"]);
    const me = String((await call("GET", "/account/details")).data["id"]);
    const mine = await call("POST", `/users/${me}/authentication-tokens`, {
      data: { attributes: { description: "x" } },
    });
    expect(mine.status).toBe(201);
    const path = `/authentication-tokens/${String(mine.data["id"])}`;
    expect(
      (await call("GET", `/users/${me}/authentication-tokens`, undefined, { token })).json,
    ).toEqual({ data: [] });
    expect(
      (await call("POST", `/users/${me}/authentication-tokens`, { data: {} }, { token })).status,
    ).toBe(404);
    for (const method of ["GET", "DELETE"])
      expect((await call(method, path, undefined, { token })).status).toBe(404);
    expect((await call("GET", path)).data["attributes"]).toMatchObject({
      token: null,
      description: "x",
    });
    expect((await call("DELETE", path)).status).toBe(204);
    expect(
      (
        await call(
          "POST",
          "/admin/users",
          document("users", { username: "x", email: "x@example.com" }),
          { token },
        )
      ).status,
    ).toBe(404);
    const user: Json = made.data;
    expect((await call("DELETE", `/admin/users/${String(user["id"])}`)).status).toBe(204);
    expect((await call("GET", "/account/details", undefined, { token })).status).toBe(401);
    expect((await call("DELETE", `/admin/users/${me}`)).status).toBe(404);
  });
  it("of an organization can create teams and their tokens, but cannot read the organization's token", async () => {
    const { call } = await withWorkspace();
    const token = String(
      (await call("POST", "/organizations/acme/authentication-token", { data: {} })).data[
        "attributes"
      ]?.["token"],
    );
    const team = await call(
      "POST",
      "/organizations/acme/teams",
      document("teams", { name: "devs" }),
      { token },
    );
    expect(
      (
        await call(
          "POST",
          `/teams/${String(team.data["id"])}/authentication-token`,
          { data: {} },
          { token },
        )
      ).status,
    ).toBe(201);
    expect(
      (await call("GET", "/organizations/acme/authentication-token", undefined, { token })).status,
    ).toBe(404);
    expect(
      (await call("GET", "/account/details", undefined, { token })).data["attributes"]?.[
        "is-service-account"
      ],
    ).toBe(true);
  });
});

it("an organization whose last owner is deleted passes to the user who deleted the owner", async () => {
  const { call } = service();
  const made = await call(
    "POST",
    "/admin/users",
    document("users", { username: "leaver", email: "l@example.com" }),
  );
  const token = String(made.data["attributes"]?.["token"]);
  await call(
    "POST",
    "/organizations",
    document("organizations", { name: "left", email: "l@example.com" }),
    { token },
  );
  expect((await call("GET", "/organizations/left")).status).toBe(404);
  await call("DELETE", `/admin/users/${String(made.data["id"])}`);
  expect((await call("GET", "/organizations/left")).status).toBe(200);
});
it("CORS is allowed for the configured origins only", async () => {
  const { send } = service();
  const ask = (origin: string, method = "OPTIONS") =>
    send(requestOf(method, "/organizations", undefined, { headers: { origin } }), {
      allowedOrigins: ["https://page.test"],
    });
  expect((await ask("https://page.test")).status).toBe(204);
  expect((await ask("https://page.test", "GET")).headers.get("access-control-allow-origin")).toBe(
    "https://page.test",
  );
  expect((await ask("https://evil.test")).status).toBe(403);
  expect(
    (await ask("https://evil.test", "GET")).headers.get("access-control-allow-origin"),
  ).toBeNull();
});
it("each call is logged once, with the caller and without content", async () => {
  const { call, events, write } = await withWorkspace();
  events.length = 0;
  await write({ key: "k", value: "v" });
  await call("GET", "/nope");
  await call("GET", "/vars", undefined, { token: "nope" });
  expect(
    events.map(({ endpoint, status, refusal, mount }) => [endpoint, status, refusal, mount]),
  ).toEqual([
    ["createWorkspaceVar", 201, undefined, "vars"],
    ["none", 404, "not_found", "vars"],
    ["none", 401, "unauthorized", "vars"],
  ]);
  expect(events[0]?.caller).toMatch(/^user-/);
});
