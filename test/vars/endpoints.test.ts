import { expect, it } from "vitest";
import { vars, wellKnown } from "../../src/vars/api.ts";
import { varsApi } from "../../src/vars/index.ts";
import type { Call } from "../../src/wire/call.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { about } from "../../src/sys/specs/about.ts";
import { varsGroups } from "../../src/vars/described.ts";
import { pagedStyle } from "../../src/vars/jsonapi/paging.ts";
import { openapi } from "../../src/wire/openapi.ts";
import { uncovered } from "../support/coverage.ts";
import { media, varsDocument, withWorkspace } from "./service.ts";

interface Operation {
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: object };
  readonly responses: object;
}
const ws = "/workspaces/:ws";
/** Each endpoint with its requests, in an order in which every call succeeds. */
const walk: readonly (readonly [id: string, ask: string, status: number, body?: object])[] = [
  ["ping", "GET /ping", 204],
  ["readAccount", "GET /account/details", 200],
  ["listOrganizations", "GET /organizations", 200],
  [
    "createOrganization",
    "POST /organizations",
    201,
    { data: { type: "organizations", attributes: { name: "walk", email: "w@example.com" } } },
  ],
  ["readOrganization", "GET /organizations/walk", 200],
  [
    "updateOrganization",
    "PATCH /organizations/walk",
    200,
    { data: { type: "organizations", attributes: {} } },
  ],
  ["readEntitlements", "GET /organizations/walk/entitlement-set", 200],
  [
    "createWorkspace",
    "POST /organizations/walk/workspaces",
    201,
    { data: { type: "workspaces", attributes: { name: "w" } } },
  ],
  ["listWorkspaces", "GET /organizations/walk/workspaces", 200],
  ["readWorkspace", "GET /organizations/walk/workspaces/w", 200],
  ["readWorkspace", `GET ${ws}`, 200],
  ["updateWorkspace", `PATCH ${ws}`, 200, { data: { type: "workspaces", attributes: {} } }],
  [
    "updateWorkspace",
    "PATCH /organizations/walk/workspaces/w",
    200,
    { data: { type: "workspaces", attributes: {} } },
  ],
  ["deleteWorkspace", "POST /organizations/walk/workspaces/w/actions/safe-delete", 204],
  ["listNothing", `GET ${ws}/tag-bindings`, 200],
  ["clearTags", `PATCH ${ws}/tag-bindings`, 204, { data: [] }],
  ["createWorkspaceVar", `POST ${ws}/vars`, 201, varsDocument({ key: "a", category: "env" })],
  ["listWorkspaceVars", `GET ${ws}/vars`, 200],
  ["listWorkspaceVars", `GET ${ws}/all-vars`, 200],
  ["readWorkspaceVar", `GET ${ws}/vars/:createWorkspaceVar`, 200],
  ["updateWorkspaceVar", `PATCH ${ws}/vars/:createWorkspaceVar`, 200, varsDocument({})],
  ["deleteWorkspaceVar", `DELETE ${ws}/vars/:createWorkspaceVar`, 204],
  ["writeVarsInBulk", `POST ${ws}/vars/bulk`, 200, { data: [] }],
  ["exportVars", `GET ${ws}/vars/export`, 200],
  [
    "createVar",
    "POST /vars",
    201,
    {
      ...varsDocument({ key: "b", category: "env", description: "" }),
      filter: { organization: { name: "acme" }, workspace: { name: "demo" } },
    },
  ],
  ["listVars", "GET /vars", 200],
  ["readVar", "GET /vars/:createVar", 200],
  ["updateVar", "PATCH /vars/:createVar", 200, varsDocument({}, { id: ":createVar" })],
  ["deleteVar", "DELETE /vars/:createVar", 204],
  [
    "createTeam",
    "POST /organizations/walk/teams",
    201,
    { data: { type: "teams", attributes: { name: "t" } } },
  ],
  ["listTeams", "GET /organizations/walk/teams", 200],
  ["readTeam", "GET /teams/:createTeam", 200],
  ["updateTeam", "PATCH /teams/:createTeam", 200, { data: { type: "teams", attributes: {} } }],
  [
    "addMembers",
    "POST /teams/:createTeam/relationships/users",
    204,
    { data: [{ type: "users", id: "admin" }] },
  ],
  [
    "removeMembers",
    "DELETE /teams/:createTeam/relationships/users",
    204,
    { data: [{ type: "users", id: "admin" }] },
  ],
  ["joinOrganization", "POST /account/organizations/default", 204],
  ["leaveOrganization", "DELETE /account/organizations/nowhere", 204],
  [
    "createWorkspace",
    "POST /organizations/walk/workspaces",
    201,
    { data: { type: "workspaces", attributes: { name: "x" } } },
  ],
  [
    "createTeamAccess",
    "POST /team-workspaces",
    201,
    {
      data: {
        type: "team-workspaces",
        attributes: { access: "read" },
        relationships: {
          team: { data: { type: "teams", id: ":createTeam" } },
          workspace: { data: { type: "workspaces", id: ":createWorkspace" } },
        },
      },
    },
  ],
  ["listTeamAccess", "GET /team-workspaces?filter[workspace][id]=:createWorkspace", 200],
  ["readTeamAccess", "GET /team-workspaces/:createTeamAccess", 200],
  [
    "updateTeamAccess",
    "PATCH /team-workspaces/:createTeamAccess",
    200,
    { data: { type: "team-workspaces", attributes: {} } },
  ],
  ["deleteTeamAccess", "DELETE /team-workspaces/:createTeamAccess", 204],
  ["makeSoleToken", "POST /organizations/walk/authentication-token", 201, { data: {} }],
  ["makeSoleToken", "POST /teams/:createTeam/authentication-token", 201, { data: {} }],
  ["readSoleToken", "GET /teams/:createTeam/authentication-token", 200],
  ["deleteSoleToken", "DELETE /teams/:createTeam/authentication-token", 204],
  ["makeTeamToken", "POST /teams/:createTeam/authentication-tokens", 201, { data: {} }],
  ["listTeamTokens", "GET /teams/:createTeam/authentication-tokens", 200],
  ["makeUserToken", "POST /users/:readAccount/authentication-tokens", 201, { data: {} }],
  ["listUserTokens", "GET /users/:readAccount/authentication-tokens", 200],
  ["readToken", "GET /authentication-tokens/:makeUserToken", 200],
  ["deleteToken", "DELETE /authentication-tokens/:makeUserToken", 204],
  [
    "createUser",
    "POST /admin/users",
    201,
    { data: { type: "users", attributes: { username: "u", email: "u@example.com" } } },
  ],
  ["deleteUser", "DELETE /admin/users/:createUser", 204],
  ["deleteTeam", "DELETE /teams/:createTeam", 204],
  ["deleteOrganization", "DELETE /organizations/walk", 204],
  ["deleteWorkspace", `DELETE ${ws}`, 204],
];

/** The error for each kind of invalid body. */
const unfit = [
  ["unsupported_media", 415, "{}", "text/plain"],
  ["malformed", 400, "{", media],
  ["invalid_document", 422, '{"data":5}', media],
] as const;
/** Requests for missing or forbidden objects, if the path alone does not determine them. */
const lost: Readonly<Record<string, readonly [ask: string, body?: object, token?: true]>> = {
  listVars: ["GET /vars?filter[workspace][name]=demo&filter[organization][name]=nobody"],
  createVar: [
    "POST /vars",
    {
      ...varsDocument({ key: "x", category: "env", description: "" }),
      filter: { organization: { name: "nobody" }, workspace: { name: "demo" } },
    },
  ],
  createOrganization: [
    "POST /organizations",
    { data: { type: "organizations", attributes: { name: "x", email: "x@example.com" } } },
    true,
  ],
  createUser: [
    "POST /admin/users",
    { data: { type: "users", attributes: { username: "x", email: "x@example.com" } } },
    true,
  ],
  listTeamAccess: ["GET /team-workspaces?filter[workspace][id]=ws-EavQ1LztoRTQHSNT"],
  createTeamAccess: [
    "POST /team-workspaces",
    {
      data: {
        type: "team-workspaces",
        attributes: { access: "read" },
        relationships: {
          team: { data: { type: "teams", id: "team-EavQ1LztoRTQHSNT" } },
          workspace: { data: { type: "workspaces", id: "ws-EavQ1LztoRTQHSNT" } },
        },
      },
    },
  ],
  joinOrganization: ["POST /account/organizations/default", {}, true],
  leaveOrganization: ["DELETE /account/organizations/default", {}, true],
  makeUserToken: ["POST /users/user-EavQ1LztoRTQHSNT/authentication-tokens", { data: {} }],
};
const declared: readonly AnyEndpoint[] = vars;
/** Queries that some endpoints reject: which ones, the query, and the status. */
const unfitQueries: readonly [
  (id: string, refuses: readonly string[]) => boolean,
  string,
  number,
][] = [
  [(id) => pagedLists.has(id), "filter[nothing]=x", 400],
  [
    (id, refuses) => id.endsWith("SoleToken") && refuses.includes("invalid_document"),
    "token=x",
    422,
  ],
];
const pagedLists = new Set(
  declared.filter(({ style }) => style === pagedStyle).map(({ id }) => id),
);

it("each path is routed to its endpoint, which returns every error that it declares", async () => {
  const { call, workspace, events } = await withWorkspace();
  const token = String(
    (await call("POST", "/organizations/acme/authentication-token", { data: {} })).data[
      "attributes"
    ]?.["token"],
  );
  const ids = new Map([["ws", workspace]]);
  const filled = (text: string) =>
    text.replace(/:([a-zA-Z]+)/g, (whole, name: string) => ids.get(name) ?? whole);
  const nowhere = (text: string) =>
    text.replace(/:[a-zA-Z]+/g, "nothing").replace("/walk", "/nobody");
  for (const [id, ask, status, body] of walk) {
    const [method = "", path = ""] = filled(ask).split(" ");
    const refuses: readonly string[] =
      declared.find((endpoint) => endpoint.id === id)?.refuses ?? [];
    for (const [code, refused, text, type] of body ? unfit : []) {
      if (refuses.includes(code) && method !== "DELETE")
        expect([
          ask,
          code,
          (await call(method, path, text, { headers: { "content-type": type } })).status,
        ]).toEqual([
          ask,
          code,
          id === "addMembers"
            ? Math.min(refused, code === "invalid_document" ? 400 : 415)
            : refused,
        ]);
    }
    if (refuses.includes("not_found")) {
      const [other, sent = body, asOrganization] = lost[id] ?? [
        `${method} ${nowhere(ask.slice(ask.indexOf(" ") + 1))}`,
      ];
      const [, elsewhere = ""] = other.split(" ");
      expect([
        other,
        (await call(method, elsewhere, sent, asOrganization ? { token } : {})).status,
      ]).toEqual([other, 404]);
    }
    for (const [refusing, query, refused] of unfitQueries)
      if (refusing(id, refuses))
        expect([
          ask,
          query,
          (await call(method, `${path}${path.includes("?") ? "&" : "?"}${query}`)).status,
        ]).toEqual([ask, query, refused]);
    const answer = await call(method, path, body && filled(JSON.stringify(body)));
    expect([ask, answer.status, answer.text], answer.text).toEqual([
      ask,
      status,
      expect.anything(),
    ]);
    expect([ask, events.at(-1)?.endpoint]).toEqual([ask, id]);
    if (answer.status === 201 || id === "readAccount") ids.set(id, String(answer.data["id"]));
  }
  // these are tested elsewhere
  const elsewhere =
    /^(?:listVars|exportVars|listTeamAccess|addMembers|removeMembers): .*malformed$|^update(?:Workspace)?Var: .*conflict$|^(?:deleteTeam|addMembers|removeMembers|joinOrganization|leaveOrganization): .*invalid_document$/;
  const lines = events.map(
    ({ endpoint, status, refusal }) => `${endpoint} ${status} ${refusal ?? "-"}`,
  );
  expect(uncovered(declared, lines).filter((gap) => !elsewhere.test(gap))).toEqual([]);
});
it("OpenAPI lists the errors, statuses and media types of the variables API", () => {
  const { unauthenticated, unauthenticatedCode } = varsApi;
  const { paths } = openapi(varsGroups(), {
    ...about,
    servers: [],
    example: () => undefined,
  }) as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const { post } = paths["/api/v2/workspaces/{workspace_id}/vars"] ?? {};
  expect(Object.keys(post?.responses ?? {})).toEqual(
    "201 400 401 404 405 413 415 422 429 431 500 503".split(" "),
  );
  expect(Object.keys(post?.requestBody?.content ?? {})).toEqual([media]);
  expect(post?.security).toEqual([{ variables: [] }]);
  expect(Object.keys(paths["/api/v2/ping"]?.["get"]?.responses ?? {})).not.toContain("401");
  expect(unauthenticated({ token: "x" } as Call)).toMatchObject({ code: unauthenticatedCode });
  // policies do not apply here: permissions depend on the objects in the path
  expect(new Set(declared.map(({ access }) => access))).toEqual(new Set(["known", "open"]));
});
it("OpenAPI describes the required fields of a variable and the defaults of the others", () => {
  const { components } = openapi(varsGroups(), {
    ...about,
    servers: [],
    example: () => undefined,
  }) as unknown as {
    readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  };
  const named = (required: readonly string[]) => ({ required, properties: expect.anything() });
  expect(components.schemas["CreateVarInput"]).toMatchObject({
    required: ["data"],
    properties: {
      data: {
        required: ["type", "attributes"],
        properties: {
          attributes: {
            required: ["key", "description", "category"],
            properties: {
              value: { default: "" },
              hcl: { default: false },
              sensitive: { default: false },
            },
          },
          relationships: {
            properties: { workspace: { properties: { data: named(["type", "id"]) } } },
          },
        },
      },
      filter: {
        required: ["workspace", "organization"],
        properties: { workspace: named(["name"]), organization: named(["name"]) },
      },
    },
  });
  expect(components.schemas["UpdateVarInput"]).toMatchObject({
    required: ["data"],
    properties: { data: { required: ["type", "id", "attributes"] } },
  });
});
it("a created resource has a Location header", async () => {
  const { call, workspace } = await withWorkspace();
  const made = await call(
    "POST",
    `/workspaces/${workspace}/vars`,
    varsDocument({ key: "a", category: "env" }),
  );
  expect([made.status, made.headers.get("location")]).toEqual([201, made.data["links"]?.["self"]]);
  expect(
    (await call("GET", String(made.headers.get("location")).replace("/api/v2", ""))).status,
  ).toBe(200);
});
it("each call has a request ID, which is in the reply and in the log", async () => {
  const { call, events } = await withWorkspace();
  events.length = 0;
  const answers = [
    await call("GET", "/account/details"),
    await call("GET", "/account/details", undefined, { token: "nobody's" }),
    await call("GET", "/.well-known/terraform.json"),
  ];
  expect(answers.map(({ headers }) => headers.get("x-request-id"))).toEqual(
    events.map(({ request }) => request),
  );
  expect(new Set(events.map(({ request }) => request)).size).toBe(3);
});
it("service discovery responds outside the API's base path", async () => {
  const { call, events } = await withWorkspace();
  expect((await call("GET", "/.well-known/terraform.json", undefined, { token: "" })).status).toBe(
    200,
  );
  expect(events.at(-1)?.endpoint).toBe("discovery");
  expect(wellKnown.map(({ id }) => id)).toEqual(["discovery"]);
});
