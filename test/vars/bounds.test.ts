import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/engine/ports.ts";
import { mixedStores } from "../support/mixed.ts";
import {
  errorsOf,
  service,
  varsDocument,
  withWorkspace,
  type Answer,
  type Service,
} from "./service.ts";

const named = (type: string, name: string) => ({
  data: { type, attributes: { name, email: "o@example.com" } },
});
/** Counts a service's store calls and the rows they return. */
function watched(stores: Stores): { readonly stores: Stores; asked: number; rows: number } {
  const seen: ReturnType<typeof watched> = {
    asked: 0,
    rows: 0,
    stores: (name) => {
      const store = stores(name);
      const counted = <T>(rows: readonly T[]): readonly T[] => (
        (seen.asked += 1),
        (seen.rows += rows.length),
        rows
      );
      return {
        ...store,
        get: async (keys) => counted(await store.get(keys)),
        list: async (prefix, page) => counted(await store.list(prefix, page)),
      };
    },
  };
  return seen;
}
/** Writes rows directly to the store, as if many calls had created them. */
async function put(
  { stores }: Service,
  rows: readonly (readonly [key: string, value: unknown])[],
): Promise<void> {
  for (let at = 0; at < rows.length; at += 500)
    expect(await stores("vars").commit({ put: rows.slice(at, at + 500) })).toBeDefined();
}
const id = (prefix: string, i: number) =>
  `${prefix}-${String(i).padStart(16, "x").replaceAll("0", "A")}`;
/** Creates organizations with one workspace each, owned by the first user. */
async function owning(one: Service, count: number): Promise<void> {
  const user = String((await one.call("GET", "/account/details")).data["id"]);
  const each = Array.from({ length: count }, (_, i) => {
    const [organization, team, workspace, name] = [
      id("org", i),
      id("team", i),
      id("ws", i),
      `o${i}`,
    ];
    const owners = {
      id: team,
      organization,
      name: "owners",
      owners: true,
      visibility: "secret",
      sso: null,
      tokens: true,
      access: {},
      users: [user],
    };
    return [
      [
        `org/${organization}`,
        {
          id: organization,
          name,
          email: "o@example.com",
          created: 0,
          project: id("prj", i),
          owners: team,
          settings: {},
        },
      ],
      [`orgname/${name}`, organization],
      [`team/${team}`, owners],
      [`teamname/${organization}/owners`, team],
      [`member/${user}/${team}`, true],
      [
        `workspace/${workspace}`,
        { id: workspace, organization, name: "w", created: 0, updated: 0, settings: {} },
      ],
      [`wsname/${organization}/w`, workspace],
    ] as const;
  });
  await put(one, each.flat());
}

describe("GET /vars", () => {
  it("reads the caller's ownership once for a list over 500 organizations", async () => {
    const one = await withWorkspace();
    await owning(one, 500);
    await one.call(
      "POST",
      `/workspaces/${one.workspace}/vars`,
      varsDocument({ key: "k", category: "env" }),
    );
    const seen = watched(one.stores);
    const other = service({ stores: seen.stores, seed: 9 });
    await other.call("GET", "/account/details");
    [seen.asked, seen.rows] = [0, 0];
    const all = await other.call("GET", "/vars");
    expect([all.status, all.json["data"]]).toEqual([200, [expect.anything()]]);
    // one list of names and one of variables for each of 502 organizations and 501 workspaces
    expect(seen.asked).toBeLessThan(1_020);
    expect(seen.rows).toBeLessThan(4_000);
  });
  it("rejects a list of more than 800 workspaces before it reads any variable", async () => {
    const one = await withWorkspace();
    await owning(one, 802);
    const seen = watched(one.stores);
    const other = service({ stores: seen.stores, seed: 9 });
    const answer = await other.call("GET", "/vars");
    expect(errorsOf(answer)).toEqual([
      {
        status: "400",
        title: "invalid filter",
        detail:
          "cannot list the variables of more than 800 workspaces at once; specify the name of a workspace",
        source: { parameter: "filter[workspace][name]" },
      },
    ]);
    expect(seen.asked).toBeLessThan(850);
    const filtered = await other.call(
      "GET",
      "/vars?filter%5Bworkspace%5D%5Bname%5D=w&filter%5Borganization%5D%5Bname%5D=o9",
    );
    expect(filtered.json).toEqual({ data: [] });
  });
});

it("a page of workspaces has at most 10,000 variable IDs, and only the workspaces of the page are read", async () => {
  const one = await withWorkspace();
  const organization = String(
    (await one.call("GET", "/organizations/acme")).data["attributes"]?.["external-id"],
  );
  const workspaces = Array.from({ length: 60 }, (_, i) => [
    [
      `workspace/${id("ws", i)}`,
      { id: id("ws", i), organization, name: `w${i + 100}`, created: 0, updated: 0, settings: {} },
    ] as const,
    [`wsname/${organization}/w${i + 100}`, id("ws", i)] as const,
  ]);
  const variables = workspaces.flatMap((_, i) =>
    Array.from({ length: i < 30 ? 900 : 1 }, (__, at) => {
      const key = {
        id: `var-${String(at).padStart(16, "x").replaceAll("0", "A")}`,
        key: `k${at}`,
        kind: "env",
        size: 0,
      };
      return [`varkey/${id("ws", i)}/env/k${at}`, key] as const;
    }),
  );
  await put(one, [...workspaces.flat(), ...variables]);
  const seen = watched(one.stores);
  const other = service({ stores: seen.stores, seed: 9 });
  const page = await other.call("GET", "/organizations/acme/workspaces?page%5Bsize%5D=50");
  type Listed = {
    readonly attributes: { readonly name: string };
    readonly relationships: { readonly vars?: { readonly data: readonly unknown[] } };
  };
  const data = page.json["data"] as unknown as readonly Listed[];
  expect(data.map(({ attributes: { name } }) => name)).toEqual([
    "demo",
    ...workspaces.slice(0, 49).map((_, i) => `w${i + 100}`),
  ]);
  const counts = data.map(({ relationships }) => relationships.vars?.data.length);
  expect(counts.slice(0, 12)).toEqual([0, ...Array<number>(11).fill(900)]);
  expect(counts.slice(14)).toEqual(Array<undefined>(36).fill(undefined));
  expect(seen.rows).toBeLessThan(15_000);
  // a request for one of them returns all
  const whole = await other.call("GET", `/workspaces/${id("ws", 29)}`);
  expect(whole.data["relationships"]?.["vars"]?.["data"]).toHaveLength(900);
});

describe("limits per owner", () => {
  const full = (detail: string) => [
    { status: "422", title: "invalid request", detail, source: { pointer: "/data" } },
  ];
  /**
   * Concurrently creates more objects than the limit allows. Returns the number created, and the
   * errors of a rejected request.
   */
  async function fill(
    one: Service,
    count: number,
    make: (one: Service, i: number) => Promise<Answer>,
  ): Promise<readonly [made: number, told: unknown]> {
    const other = service({ stores: one.stores, seed: 9 });
    const answers = await Promise.all(
      Array.from({ length: count }, (_, i) => make(i % 2 ? one : other, i)),
    );
    expect([...new Set(answers.map(({ status }) => status))].sort()).toEqual([201, 422]);
    return [
      answers.filter(({ status }) => status === 201).length,
      errorsOf(answers.find(({ status }) => status === 422) as Answer),
    ];
  }
  it("a user can have at most 100 organizations; deleting one makes room for another", async () => {
    const one = await withWorkspace();
    await owning(one, 90);
    const make = ({ call }: Service, i: number) =>
      call("POST", "/organizations", named("organizations", `n${i}`));
    // `default` and `acme` exist too
    expect(await fill(one, 12, make)).toEqual([
      8,
      full("a user can have at most 100 organizations"),
    ]);
    expect((await one.call("DELETE", "/organizations/acme")).status).toBe(204);
    expect(await fill(one, 2, (each, i) => make(each, i + 20))).toEqual([
      1,
      full("a user can have at most 100 organizations"),
    ]);
    const user = await one.call("POST", "/admin/users", {
      data: { type: "users", attributes: { username: "u", email: "u@example.com" } },
    });
    const token = String(user.data["attributes"]?.["token"]);
    expect(
      (await one.call("POST", "/organizations", named("organizations", "other"), { token })).status,
    ).toBe(201);
  });
  it("an organization has at most 1,000 workspaces and 500 teams", async () => {
    const one = await withWorkspace();
    const organization = String(
      (await one.call("GET", "/organizations/acme")).data["attributes"]?.["external-id"],
    );
    await put(
      one,
      Array.from({ length: 996 }, (_, i) => [`wsname/${organization}/held${i}`, id("ws", i)]),
    );
    await put(
      one,
      Array.from({ length: 496 }, (_, i) => [`teamname/${organization}/held${i}`, id("team", i)]),
    );
    const make = (kind: string) => (each: Service, i: number) =>
      each.call("POST", `/organizations/acme/${kind}`, named(kind, `n${i}`));
    expect(await fill(one, 6, make("workspaces"))).toEqual([
      3,
      full("an organization can have at most 1000 workspaces"),
    ]);
    expect(await fill(one, 6, make("teams"))).toEqual([
      3,
      full("an organization can have at most 500 teams"),
    ]);
    expect(
      (await one.call("POST", "/organizations/default/workspaces", named("workspaces", "w")))
        .status,
    ).toBe(201);
  });
  it.each([1, 2])(
    "count existing objects once per concurrent write, not once per retry (seed %i)",
    async (seed) => {
      const { open, start } = mixedStores(seed);
      const one = await withWorkspace({ stores: open });
      const organization = String(
        (await one.call("GET", "/organizations/acme")).data["attributes"]?.["external-id"],
      );
      await put(
        one,
        Array.from({ length: 600 }, (_, i) => [`wsname/${organization}/held${i}`, id("ws", i)]),
      );
      const seen = watched(one.stores);
      const other = service({ stores: seen.stores, seed: 9 });
      await other.call("GET", "/organizations");
      start();
      const make = (i: number) =>
        other.call("POST", "/organizations/acme/workspaces", named("workspaces", `n${i}`));
      const answers = await Promise.all(Array.from({ length: 30 }, (_, i) => make(i)));
      expect(answers.every(({ status }) => status === 201)).toBe(true);
      expect(seen.rows).toBeLessThan(30 * 700);
    },
  );
  it("a user and a team can have at most 100 tokens each; the team's sole token can still be replaced", async () => {
    const one = await withWorkspace();
    const user = String((await one.call("GET", "/account/details")).data["id"]);
    const team = String(
      (await one.call("POST", "/organizations/acme/teams", named("teams", "devs"))).data["id"],
    );
    const sole = `/teams/${team}/authentication-token`;
    expect((await one.call("POST", sole, { data: {} })).status).toBe(201);
    for (const [path, holder, held] of [
      [`/users/${user}/authentication-tokens`, user, 97],
      [`/teams/${team}/authentication-tokens`, team, 96],
    ] as const) {
      await put(
        one,
        Array.from({ length: held }, (_, i) => [`tokens/${holder}/${id("at", i)}`, `hash ${i}`]),
      );
      const make = ({ call }: Service, i: number) =>
        call("POST", path, { data: { attributes: { description: `n${i}` } } });
      expect(await fill(one, 6, make)).toEqual([
        3,
        full("a user or team can have at most 100 tokens; delete a token first"),
      ]);
      const listed = (await one.call("GET", path)).json["data"] as unknown as readonly {
        readonly id: string;
        readonly attributes: { description: string | null };
      }[];
      const further = listed.find(({ attributes }) => attributes.description?.startsWith("n"));
      expect((await one.call("DELETE", `/authentication-tokens/${further?.id}`)).status).toBe(204);
      expect((await make(one, 9)).status).toBe(201);
    }
    expect((await one.call("POST", sole, { data: {} })).status).toBe(201);
  });
});
