import { beforeEach, describe, expect, it } from "vitest";
import { mixedStores } from "../support/mixed.ts";
import { errorsOf, service, type Answer, type Service } from "./service.ts";

const document = (type: string, attributes: object) => ({ data: { type, attributes } });
const users = (...ids: readonly string[]) => ({ data: ids.map((id) => ({ type: "users", id })) });
/** A user, and a way to send requests as that user. */
interface Person {
  readonly id: string;
  readonly call: (method: string, path: string, body?: unknown) => Promise<Answer>;
}
async function person(one: Service, username: string): Promise<Person> {
  const { data } = await one.call(
    "POST",
    "/admin/users",
    document("users", { username, email: `${username}@example.com` }),
  );
  const token = String(data["attributes"]?.["token"]);
  return {
    id: String(data["id"]),
    call: (method, path, body) => one.call(method, path, body, { token }),
  };
}
/** Creates an organization with a team `devs`, and returns the paths of its two teams. */
async function organization(
  { call }: Pick<Person, "call">,
  name: string,
): Promise<{ readonly owners: string; readonly devs: string }> {
  expect(
    (
      await call(
        "POST",
        "/organizations",
        document("organizations", { name, email: "o@example.com" }),
      )
    ).status,
  ).toBe(201);
  const devs = await call(
    "POST",
    `/organizations/${name}/teams`,
    document("teams", { name: "devs", "organization-access": { "read-workspaces": true } }),
  );
  const listed = await call("GET", `/organizations/${name}/teams?filter%5Bnames%5D=owners`);
  return {
    owners: `/teams/${String(listed.json["data"]?.["0"]?.["id"])}`,
    devs: `/teams/${String(devs.data["id"])}`,
  };
}
const membersOf = async ({ call }: Person, team: string) =>
  (await call("GET", team)).data["relationships"]?.["users"]?.["data"];
const organizationsOf = async ({ call }: Person) =>
  (
    (await call("GET", "/organizations")).json["data"] as unknown as readonly {
      readonly id: string;
    }[]
  ).map(({ id }) => id);

let one: Service;
let mallory: Person;
let alice: Person;
let team: { readonly owners: string; readonly devs: string };
beforeEach(async () => {
  one = service();
  [mallory, alice] = [await person(one, "mallory"), await person(one, "alice")];
  team = await organization(mallory, "evil");
});

describe("a team", () => {
  it("adds no user without consent, and does not reveal whether a user exists", async () => {
    const unknown = await mallory.call("POST", `${team.devs}/relationships/users`, users("nobody"));
    for (const path of [team.owners, team.devs])
      for (const names of [
        ["alice"],
        ["admin"],
        ["mallory", "alice"],
        ["alice", "nobody"],
        ["\ud800"],
        ["x".repeat(5000)],
      ]) {
        const answer = await mallory.call("POST", `${path}/relationships/users`, users(...names));
        expect([names, answer.status, answer.text]).toEqual([names, 404, unknown.text]);
      }
    expect(await organizationsOf(alice)).toEqual([]);
    expect(await membersOf(mallory, team.devs)).toEqual([]);
    for (const name of ["alice", "admin", "nobody"])
      expect([
        name,
        (await mallory.call("DELETE", `${team.devs}/relationships/users`, users(name))).status,
      ]).toEqual([name, 204]);
  });
  it("adds users who agreed to join its organization, and members of the organization's other teams", async () => {
    expect((await alice.call("POST", "/account/organizations/evil")).status).toBe(204);
    expect(await organizationsOf(alice)).toEqual([]);
    expect(
      (await mallory.call("POST", `${team.devs}/relationships/users`, users("alice"))).status,
    ).toBe(204);
    expect(await organizationsOf(alice)).toEqual(["evil"]);
    const { data } = await mallory.call(
      "POST",
      "/organizations/evil/teams",
      document("teams", { name: "ops" }),
    );
    expect(
      (
        await mallory.call(
          "POST",
          `/teams/${String(data["id"])}/relationships/users`,
          users("alice", "mallory"),
        )
      ).status,
    ).toBe(204);
    // consent applies to one organization
    const other = await organization(mallory, "other");
    expect(
      (await mallory.call("POST", `${other.devs}/relationships/users`, users("alice"))).status,
    ).toBe(404);
  });
  it("adds any user for the first user, but not for an organization token", async () => {
    const mine = await organization({ call: one.call }, "mine");
    expect(
      (await one.call("POST", `${mine.devs}/relationships/users`, users("alice", "mallory")))
        .status,
    ).toBe(204);
    expect(await organizationsOf(alice)).toEqual(["mine"]);
    const bob = await person(one, "bob");
    const made = await one.call("POST", "/organizations/mine/authentication-token", { data: {} });
    const token = String(made.data["attributes"]?.["token"]);
    expect(
      (await one.call("POST", `${mine.devs}/relationships/users`, users("bob"), { token })).status,
    ).toBe(404);
    expect(await organizationsOf(bob)).toEqual([]);
  });
  it("accepts at most 200 users at once, and a user can be in at most 200 teams", async () => {
    const many = Array.from({ length: 201 }, (_, i) => `u${i}`);
    expect(
      errorsOf(
        await one.call(
          "POST",
          `${(await organization(one, "mine")).devs}/relationships/users`,
          users(...many),
        ),
      ),
    ).toEqual([
      {
        status: "400",
        title: "invalid request",
        detail: "data must contain at most 200 users",
        source: { pointer: "/data" },
      },
    ]);
    const put = Array.from(
      { length: 200 },
      (_, i) => [`member/${alice.id}/team-${i}`, true] as const,
    );
    await one.stores("vars").commit({ put });
    await alice.call("POST", "/account/organizations/evil");
    expect(
      errorsOf(await mallory.call("POST", `${team.devs}/relationships/users`, users("alice"))),
    ).toEqual([
      {
        status: "422",
        title: "invalid request",
        detail: "a user can be in at most 200 teams",
        source: { pointer: "/data" },
      },
    ]);
  });
});

describe("a team member", () => {
  beforeEach(async () => {
    await alice.call("POST", "/account/organizations/evil");
    for (const path of [team.devs, team.owners])
      expect(
        (await mallory.call("POST", `${path}/relationships/users`, users("alice"))).status,
      ).toBe(204);
  });
  it("can leave a team without permissions on it, but cannot remove others", async () => {
    await mallory.call("DELETE", `${team.owners}/relationships/users`, users("alice"));
    expect(
      (await alice.call("DELETE", `${team.devs}/relationships/users`, users("alice", "nobody")))
        .status,
    ).toBe(404);
    expect(
      (await alice.call("DELETE", `${team.devs}/relationships/users`, users("mallory"))).status,
    ).toBe(404);
    expect(
      (await alice.call("DELETE", `${team.devs}/relationships/users`, users("alice"))).status,
    ).toBe(204);
    expect(await organizationsOf(alice)).toEqual([]);
    expect(
      (await alice.call("DELETE", `${team.devs}/relationships/users`, users("alice"))).status,
    ).toBe(404);
  });
  it("leaves all teams of an organization at once, and cannot be added again without consent", async () => {
    expect((await alice.call("DELETE", "/account/organizations/evil")).status).toBe(204);
    expect(await organizationsOf(alice)).toEqual([]);
    expect(await membersOf(mallory, team.devs)).toEqual([]);
    for (const path of [team.devs, team.owners])
      expect(
        (await mallory.call("POST", `${path}/relationships/users`, users("alice"))).status,
      ).toBe(404);
    expect((await one.stores("vars").list(`member/${alice.id}/`)).length).toBe(0);
  });
  it("cannot leave an organization or its owners team as the last owner", async () => {
    const last = [
      {
        status: "422",
        title: "invalid request",
        detail: "an organization must have at least one owner",
        source: { pointer: "/data" },
      },
    ];
    expect((await mallory.call("DELETE", "/account/organizations/evil")).status).toBe(204);
    expect(errorsOf(await alice.call("DELETE", "/account/organizations/evil"))).toEqual(last);
    expect(
      errorsOf(await alice.call("DELETE", `${team.owners}/relationships/users`, users("alice"))),
    ).toEqual(last);
    expect(await membersOf(alice, team.devs)).toEqual([{ id: alice.id, type: "users" }]);
    expect((await alice.call("DELETE", "/organizations/evil")).status).toBe(204);
  });
  it("cannot see the email addresses of others; the first user sees all", async () => {
    const seen = async (who: Person | Service) => {
      const { json } = await who.call("GET", `${team.devs}?include=users`);
      return (
        json["included"] as unknown as readonly { readonly attributes: object }[] | undefined
      )?.map(({ attributes }) => attributes);
    };
    await mallory.call("POST", `${team.devs}/relationships/users`, users("mallory"));
    const shown = (username: string, mail: boolean) => ({
      username,
      email: mail ? `${username}@example.com` : null,
      "is-service-account": false,
    });
    expect(await seen(mallory)).toEqual([shown("alice", false), shown("mallory", true)]);
    expect(await seen(alice)).toEqual([shown("alice", true), shown("mallory", false)]);
    const { json } = await mallory.call("GET", "/organizations/evil/teams?include=users");
    expect(JSON.stringify(json)).not.toContain("alice@");
    await one.call("POST", "/account/organizations/evil");
    expect(
      (await mallory.call("POST", `${team.devs}/relationships/users`, users("admin"))).status,
    ).toBe(204);
    expect(await seen(one)).toEqual([
      shown("alice", true),
      shown("mallory", true),
      expect.objectContaining({ email: "admin@localhost" }),
    ]);
  });
});

describe("agreeing to join an organization", () => {
  it("returns 204 whether or not the organization exists", async () => {
    for (const method of ["POST", "DELETE"])
      for (const name of ["evil", "nowhere", "%F0%9F%94%92"]) {
        const answer = await alice.call(method, `/account/organizations/${name}`);
        expect([method, name, answer.status, answer.text]).toEqual([method, name, 204, ""]);
      }
  });
  it("is limited to 100 existing organizations per user", async () => {
    const row = (i: number) => `org-${String(i).padStart(16, "x")}`;
    const store = one.stores("vars");
    const [held] = await store.get([`user/${alice.id}`]);
    const ids = Array.from({ length: 100 }, (_, i) => row(i));
    const put = ids.map((id) => [`org/${id}`, { id }] as const);
    // the user's row as stored after 100 consents
    await store.commit({
      put: [...put, [`user/${alice.id}`, { ...(held?.value as object), joins: ids }]],
    });
    for (const name of ["evil", "nowhere"])
      expect(errorsOf(await alice.call("POST", `/account/organizations/${name}`))).toEqual([
        {
          status: "422",
          title: "invalid request",
          detail: "a user can agree to join at most 100 organizations; leave an organization first",
          source: { pointer: "/data" },
        },
      ]);
    await store.commit({ del: [`org/${row(5)}`] });
    expect((await alice.call("POST", "/account/organizations/evil")).status).toBe(204);
    expect(
      (await mallory.call("POST", `${team.devs}/relationships/users`, users("alice"))).status,
    ).toBe(204);
  });
});

it.each([1, 2, 3, 4, 5, 6])(
  "a user who leaves an organization while its owners add that user to teams is in none of them (seed %i)",
  async (seed) => {
    const { open, start } = mixedStores(seed);
    const mixed = service({ stores: open, seed });
    const [owner, leaver] = [await person(mixed, "owner"), await person(mixed, "leaver")];
    const { devs } = await organization(owner, "acme");
    const teams = [devs];
    for (const name of ["a", "b", "c"])
      teams.push(
        `/teams/${String((await owner.call("POST", "/organizations/acme/teams", document("teams", { name }))).data["id"])}`,
      );
    await leaver.call("POST", "/account/organizations/acme");
    expect((await owner.call("POST", `${devs}/relationships/users`, users("leaver"))).status).toBe(
      204,
    );
    start();
    const adding = teams.map((path) =>
      owner.call("POST", `${path}/relationships/users`, users("leaver")),
    );
    const [gone, ...added] = await Promise.all([
      leaver.call("DELETE", "/account/organizations/acme"),
      ...adding,
    ]);
    expect(gone.status).toBe(204);
    expect(added.every(({ status }) => status === 204 || status === 404)).toBe(true);
    expect(await organizationsOf(leaver)).toEqual([]);
    for (const path of teams) expect(await membersOf(owner, path)).toEqual([]);
  },
);
