import { describe, expect, it } from "vitest";
import { varsDocument, withWorkspace, type Service } from "./service.ts";

/** The permissions of a principal on a workspace, its variables and its settings. */
type Rights = "hidden" | "blind" | "read" | "write" | "admin";
const document = (type: string, attributes: object, relationships?: object) => ({
  data: { type, attributes, ...(relationships ? { relationships } : {}) },
});

interface Cast {
  readonly service: Service;
  readonly workspace: string;
  readonly variable: string;
  /** Creates a token with the given permissions. */
  readonly token: (who: Who) => Promise<string>;
}
/** The origin of a principal's permissions: a team token, or a user in teams. */
interface Who {
  readonly kind: "team" | "user" | "organization" | "first";
  readonly teams?: readonly Team[];
}
interface Team {
  readonly access?: "read" | "plan" | "write" | "admin" | "custom";
  readonly variables?: "none" | "read" | "write";
  readonly wide?:
    | "manage-workspaces"
    | "manage-projects"
    | "read-workspaces"
    | "read-projects"
    | "manage-policies";
  readonly elsewhere?: boolean;
  readonly owners?: boolean;
}
let named = 0;

async function cast(): Promise<Cast> {
  const service = await withWorkspace();
  const { call, workspace } = service;
  const made = await service.write({ key: "k", value: "v" });
  await call(
    "POST",
    "/organizations",
    document("organizations", { name: "other", email: "o@example.com" }),
  );
  const team = async ({ access, variables, wide, elsewhere, owners }: Team): Promise<string> => {
    const organization = elsewhere ? "other" : "acme";
    if (owners) {
      const { json } = await call(
        "GET",
        `/organizations/${organization}/teams?filter%5Bnames%5D=owners`,
      );
      return String(json["data"]?.["0"]?.["id"]);
    }
    const rights = wide ? { "organization-access": { [wide]: true } } : {};
    const { data } = await call(
      "POST",
      `/organizations/${organization}/teams`,
      document("teams", { name: `team ${named++}`, ...rights }),
    );
    const id = String(data["id"]);
    if (access) {
      const relationships = {
        team: { data: { type: "teams", id } },
        workspace: { data: { type: "workspaces", id: workspace } },
      };
      const granted = await call(
        "POST",
        "/team-workspaces",
        document("team-workspaces", { access, ...(variables ? { variables } : {}) }, relationships),
      );
      expect(granted.status, granted.text).toBe(201);
    }
    return id;
  };
  const token = async ({ kind, teams = [] }: Who): Promise<string> => {
    if (kind === "first") return "first-token-of-the-tests";
    if (kind === "organization")
      return secretOf(
        await call("POST", "/organizations/acme/authentication-token", document("", {})),
      );
    const ids = await Promise.all(teams.map(team));
    if (kind === "team")
      return secretOf(
        await call("POST", `/teams/${ids[0] ?? ""}/authentication-token`, document("", {})),
      );
    const username = `user${named++}`;
    const user = await call(
      "POST",
      "/admin/users",
      document("users", { username, email: "u@example.com" }),
    );
    for (const id of ids)
      expect(
        (
          await call("POST", `/teams/${id}/relationships/users`, {
            data: [{ type: "users", id: username }],
          })
        ).status,
      ).toBe(204);
    return secretOf(user);
  };
  return { service, workspace, variable: String(made.data["id"]), token };
}
const secretOf = ({ data, status, text }: Awaited<ReturnType<Service["call"]>>): string => {
  expect(status, text).toBe(201);
  return String(data["attributes"]?.["token"]);
};

const single: readonly (readonly [string, Team, Rights])[] = [
  ["no record", {}, "hidden"],
  ["read", { access: "read" }, "read"],
  ["plan", { access: "plan" }, "read"],
  ["write", { access: "write" }, "write"],
  ["admin", { access: "admin" }, "admin"],
  ["custom", { access: "custom" }, "blind"],
  ["custom none", { access: "custom", variables: "none" }, "blind"],
  ["custom read", { access: "custom", variables: "read" }, "read"],
  ["custom write", { access: "custom", variables: "write" }, "write"],
  ["manage-workspaces", { wide: "manage-workspaces" }, "admin"],
  ["manage-projects", { wide: "manage-projects" }, "admin"],
  ["read-workspaces", { wide: "read-workspaces" }, "read"],
  ["read-projects", { wide: "read-projects" }, "read"],
  ["another permission in the organization", { wide: "manage-policies" }, "hidden"],
  [
    "read-workspaces over custom none",
    { wide: "read-workspaces", access: "custom", variables: "none" },
    "read",
  ],
  [
    "manage-workspaces in another organization",
    { elsewhere: true, wide: "manage-workspaces" },
    "hidden",
  ],
  ["owners", { owners: true }, "admin"],
  ["owners of another organization", { elsewhere: true, owners: true }, "hidden"],
];
const matrix: readonly (readonly [string, Who, Rights])[] = [
  ["the first user", { kind: "first" }, "admin"],
  ["the organization's token", { kind: "organization" }, "admin"],
  ...single.map(
    ([name, team, rights]) =>
      [`a team's token with ${name}`, { kind: "team", teams: [team] }, rights] as const,
  ),
  ...single.map(
    ([name, team, rights]) =>
      [`a user in a team with ${name}`, { kind: "user", teams: [team] }, rights] as const,
  ),
  ["a user in no team", { kind: "user" }, "hidden"],
  [
    "a user in two teams, none and read",
    { kind: "user", teams: [{ access: "custom" }, { access: "read" }] },
    "read",
  ],
  [
    "a user in two teams, read and write",
    { kind: "user", teams: [{ access: "read" }, { access: "write" }] },
    "write",
  ],
];

/** Calls, and the permissions that each accepts; with any other, the result is 404. */
const calls: readonly (readonly [
  method: string,
  path: (c: Cast) => string,
  body: unknown,
  need: readonly Rights[],
  status: number,
])[] = [
  ["GET", (c) => `/workspaces/${c.workspace}`, undefined, ["blind", "read", "write", "admin"], 200],
  [
    "GET",
    () => "/organizations/acme/workspaces/demo",
    undefined,
    ["blind", "read", "write", "admin"],
    200,
  ],
  ["GET", (c) => `/workspaces/${c.workspace}/vars`, undefined, ["read", "write", "admin"], 200],
  [
    "GET",
    (c) => `/workspaces/${c.workspace}/vars/${c.variable}`,
    undefined,
    ["read", "write", "admin"],
    200,
  ],
  [
    "GET",
    (c) => `/workspaces/${c.workspace}/vars/export`,
    undefined,
    ["read", "write", "admin"],
    200,
  ],
  ["GET", (c) => `/vars/${c.variable}`, undefined, ["read", "write", "admin"], 200],
  [
    "GET",
    () => "/vars?filter[organization][name]=acme&filter[workspace][name]=demo",
    undefined,
    ["read", "write", "admin"],
    200,
  ],
  [
    "POST",
    (c) => `/workspaces/${c.workspace}/vars`,
    varsDocument({ key: "new", category: "env" }),
    ["write", "admin"],
    201,
  ],
  ["POST", (c) => `/workspaces/${c.workspace}/vars/bulk`, { data: [] }, ["write", "admin"], 200],
  [
    "PATCH",
    (c) => `/workspaces/${c.workspace}/vars/${c.variable}`,
    varsDocument({ value: "x" }),
    ["write", "admin"],
    200,
  ],
  [
    "PATCH",
    (c) => `/workspaces/${c.workspace}`,
    document("workspaces", { description: "x" }),
    ["admin"],
    200,
  ],
  ["DELETE", (c) => `/vars/${c.variable}`, undefined, ["write", "admin"], 204],
  ["POST", (c) => `/workspaces/${c.workspace}/actions/safe-delete`, undefined, ["admin"], 204],
];

describe("permissions in a workspace", () => {
  it.each(matrix)("match the table for %s", async (_, who, rights) => {
    const c = await cast();
    const token = await c.token(who);
    const listed = await c.service.call("GET", "/vars", undefined, { token });
    expect((listed.json["data"] as unknown as readonly unknown[]).length).toBe(
      ["read", "write", "admin"].includes(rights) ? 1 : 0,
    );
    const shown = await c.service.call("GET", `/workspaces/${c.workspace}`, undefined, { token });
    if (rights !== "hidden") {
      const permissions = shown.data["attributes"]?.["permissions"];
      expect(permissions).toMatchObject({
        "can-read-variable": rights !== "blind",
        "can-update-variable": rights === "write" || rights === "admin",
        "can-update": rights === "admin",
        "can-force-delete": rights === "admin",
      });
      expect(shown.data["relationships"]?.["vars"] !== undefined).toBe(rights !== "blind");
    }
    const unknown = await c.service.call("GET", "/vars/var-EavQ1LztoRTQHSNT", undefined, { token });
    for (const [method, path, body, need, status] of calls) {
      const answer = await c.service.call(method, path(c), body, { token });
      expect([method, path(c), answer.status]).toEqual([
        method,
        path(c),
        need.includes(rights) ? status : 404,
      ]);
      // a hidden object is indistinguishable from a missing one
      if (!need.includes(rights)) expect(answer.text).toBe(unknown.text);
    }
  });
});

describe("permissions in an organization", () => {
  const organizationCalls: readonly (readonly [
    method: string,
    path: string,
    body: unknown,
    status: number,
  ])[] = [
    [
      "POST",
      "/organizations",
      document("organizations", { name: "fresh", email: "f@example.com" }),
      201,
    ],
    ["POST", "/organizations/acme/workspaces", document("workspaces", { name: "w" }), 201],
    ["POST", "/organizations/acme/teams", document("teams", { name: "t" }), 201],
    ["POST", "/organizations/acme/authentication-token", document("", {}), 201],
    ["PATCH", "/organizations/acme", document("organizations", { email: "n@example.com" }), 200],
    ["DELETE", "/organizations/acme", undefined, 204],
  ];
  const who: readonly (readonly [string, Who, readonly string[]])[] = [
    [
      "the owners' team token",
      { kind: "team", teams: [{ owners: true }] },
      [
        "/organizations/acme/workspaces",
        "/organizations/acme/teams",
        "/organizations/acme/authentication-token",
        "/organizations/acme",
      ],
    ],
    [
      "the organization's token",
      { kind: "organization" },
      ["/organizations/acme/workspaces", "/organizations/acme/teams"],
    ],
    [
      "a team's token with manage-workspaces",
      { kind: "team", teams: [{ wide: "manage-workspaces" }] },
      ["/organizations/acme/workspaces"],
    ],
    [
      "a team's token with admin in one workspace",
      { kind: "team", teams: [{ access: "admin" }] },
      [],
    ],
    ["a user in a team", { kind: "user", teams: [{ access: "write" }] }, ["/organizations"]],
    [
      "a user of another organization",
      { kind: "user", teams: [{ elsewhere: true }] },
      ["/organizations"],
    ],
    [
      "an owner",
      { kind: "user", teams: [{ owners: true }] },
      [
        "/organizations",
        "/organizations/acme/workspaces",
        "/organizations/acme/teams",
        "/organizations/acme/authentication-token",
        "/organizations/acme",
      ],
    ],
  ];
  it.each(who)("match the table for %s", async (_, principal, allowed) => {
    const c = await cast();
    const token = await c.token(principal);
    for (const [method, path, body, status] of organizationCalls) {
      const answer = await c.service.call(method, path, body, { token });
      expect([method, path, answer.status]).toEqual([
        method,
        path,
        allowed.includes(path) ? status : 404,
      ]);
    }
  });
});

it("an organization token cannot create tokens of the owners team, or change its members or settings", async () => {
  const c = await cast();
  const token = await c.token({ kind: "organization" });
  const { json } = await c.service.call(
    "GET",
    "/organizations/acme/teams?filter%5Bnames%5D=owners",
  );
  const owners = `/teams/${String(json["data"]?.["0"]?.["id"])}`;
  const user = await c.service.call(
    "POST",
    "/admin/users",
    document("users", { username: "mallory", email: "m@example.com" }),
  );
  expect(user.status).toBe(201);
  for (const [method, path, body] of [
    ["POST", `${owners}/authentication-token`, document("", {})],
    [
      "POST",
      `${owners}/authentication-tokens`,
      document("authentication-tokens", { description: "d" }),
    ],
    ["POST", `${owners}/relationships/users`, { data: [{ type: "users", id: "mallory" }] }],
    ["PATCH", owners, document("teams", { visibility: "organization" })],
    ["DELETE", owners, undefined],
  ] as const) {
    const answer = await c.service.call(method, path, body, { token });
    expect([method, path, answer.status]).toEqual([method, path, 404]);
  }
  const other = await c.service.call(
    "POST",
    "/organizations/acme/teams",
    document("teams", { name: "ours" }),
    { token },
  );
  expect(
    (
      await c.service.call(
        "POST",
        `/teams/${String(other.data["id"])}/authentication-token`,
        document("", {}),
        { token },
      )
    ).status,
  ).toBe(201);
});

it("granted and revoked permissions apply from the next request on", async () => {
  const c = await cast();
  const { call } = c.service;
  const token = await c.token({ kind: "team", teams: [{ access: "read" }] });
  const listing = await call(
    "GET",
    `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${c.workspace}`,
  );
  const access = String(listing.json["data"]?.["0"]?.["id"]);
  const write = () =>
    call("PATCH", `/vars/${c.variable}`, varsDocument({ value: "x" }, { id: c.variable }), {
      token,
    });
  expect((await write()).status).toBe(404);
  await call(
    "PATCH",
    `/team-workspaces/${access}`,
    document("team-workspaces", { access: "write" }),
  );
  expect((await write()).status).toBe(200);
  await call("DELETE", `/team-workspaces/${access}`);
  expect((await write()).status).toBe(404);
});
