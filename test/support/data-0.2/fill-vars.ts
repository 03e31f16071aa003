import { done, type Ask, type Reply } from "./ask.ts";

/** Ids and tokens of the variables API. */
export interface VarsFacts {
  readonly workspace: string;
  readonly team: string;
  readonly user: string;
  readonly userToken: string;
  readonly teamToken: string;
}

const data = (type: string, attributes: object, more: object = {}) => ({
  data: { type, attributes, ...more },
});

/** Creates workspaces, variables, a team, a user and tokens; `token`: of the first user. */
export async function fillVars(send: Ask, token: string): Promise<VarsFacts> {
  const post = (path: string, body: unknown, as = token): Promise<Reply> =>
    done(send, "POST", `/api/v2/${path}`, {
      body,
      token: as,
      headers: { "content-type": "application/vnd.api+json" },
    });
  const spaces = "organizations/default/workspaces";
  const workspace = (await post(spaces, data("workspaces", { name: "network" }))).at("data.id");
  await post(spaces, data("workspaces", { name: "empty", description: "nothing in it" }));
  for (const [key, value, more] of [
    ["region", "eu-central-1", { category: "terraform", hcl: false }],
    ["zones", '["a", "b"]', { category: "terraform", hcl: true }],
    ["TOKEN", "a secret of this test", { category: "env", sensitive: true }],
    ["NOTE", "größer: ✓", { category: "env", description: "not ASCII" }],
  ] as const)
    await post(`workspaces/${workspace}/vars`, data("vars", { key, value, ...more }));
  const team = (
    await post(
      "organizations/default/teams",
      data("teams", { name: "network", visibility: "organization" }),
    )
  ).at("data.id");
  const created = await post(
    "admin/users",
    data("users", { username: "ann", email: "ann@example.com" }),
  );
  const user = created.at("data.id");
  await post(`teams/${team}/relationships/users`, { data: [{ type: "users", id: "ann" }] });
  const relation = (type: string, id: string) => ({ data: { type, id } });
  const relationships = {
    team: relation("teams", team),
    workspace: relation("workspaces", workspace),
  };
  await post("team-workspaces", data("team-workspaces", { access: "write" }, { relationships }));
  const teamToken = await post(`teams/${team}/authentication-token`, {});
  return {
    workspace,
    team,
    user,
    userToken: created.at("data.attributes.token"),
    teamToken: teamToken.at("data.attributes.token"),
  };
}
