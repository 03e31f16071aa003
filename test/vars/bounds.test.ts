import { describe, expect, it } from "vitest";
import type { Stores } from "../../src/ports.ts";
import { errorsOf, service, varsDocument, withWorkspace, type Service } from "./service.ts";

const named = (type: string, name: string) => ({ data: { type, attributes: { name, email: "o@example.com" } } });
/** What a service reads of its store: how often it asks, and how many rows it is given. */
function watched(stores: Stores): { readonly stores: Stores; asked: number; rows: number } {
  const seen: ReturnType<typeof watched> = {
    asked: 0,
    rows: 0,
    stores: (name) => {
      const store = stores(name);
      const counted = <T>(rows: readonly T[]): readonly T[] => ((seen.asked += 1), (seen.rows += rows.length), rows);
      return { ...store, get: async (keys) => counted(await store.get(keys)), list: async (prefix, page) => counted(await store.list(prefix, page)) };
    },
  };
  return seen;
}
/** Rows of a store as a bulk of calls would have left them. */
async function put({ stores }: Service, rows: readonly (readonly [key: string, value: unknown])[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 500) expect(await stores("vars").commit({ put: rows.slice(at, at + 500) })).toBeDefined();
}
const id = (prefix: string, i: number) => `${prefix}-${String(i).padStart(16, "x").replaceAll("0", "A")}`;
/** Gives the first user organizations with one workspace each. */
async function owning(one: Service, count: number): Promise<void> {
  const user = String((await one.call("GET", "/account/details")).data["id"]);
  const each = Array.from({ length: count }, (_, i) => {
    const [organization, team, workspace, name] = [id("org", i), id("team", i), id("ws", i), `o${i}`];
    const owners = { id: team, organization, name: "owners", owners: true, visibility: "secret", sso: null, tokens: true, access: {}, users: [user] };
    return [
      [`org/${organization}`, { id: organization, name, email: "o@example.com", created: 0, project: id("prj", i), owners: team, settings: {} }],
      [`orgname/${name}`, organization],
      [`team/${team}`, owners],
      [`teamname/${organization}/owners`, team],
      [`member/${user}/${team}`, true],
      [`workspace/${workspace}`, { id: workspace, organization, name: "w", created: 0, updated: 0, settings: {} }],
      [`wsname/${organization}/w`, workspace],
    ] as const;
  });
  await put(one, each.flat());
}

describe("a list of all variables", () => {
  it("over 500 organizations reads what the caller owns once", async () => {
    const one = await withWorkspace();
    await owning(one, 500);
    await one.call("POST", `/workspaces/${one.workspace}/vars`, varsDocument({ key: "k", category: "env" }));
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
  it("over more workspaces than one list takes is refused before any variable is read", async () => {
    const one = await withWorkspace();
    await owning(one, 802);
    const seen = watched(one.stores);
    const other = service({ stores: seen.stores, seed: 9 });
    const answer = await other.call("GET", "/vars");
    expect(errorsOf(answer)).toEqual([
      {
        status: "400",
        title: "invalid filter",
        detail: "the variables of more than 800 workspaces do not come in one list: name a workspace",
        source: { parameter: "filter[workspace][name]" },
      },
    ]);
    expect(seen.asked).toBeLessThan(850);
    const filtered = await other.call("GET", "/vars?filter%5Bworkspace%5D%5Bname%5D=w&filter%5Borganization%5D%5Bname%5D=o9");
    expect(filtered.json).toEqual({ data: [] });
  });
});

it("a page of workspaces tells at most 10,000 ids of variables, and reads only the workspaces that are on it", async () => {
  const one = await withWorkspace();
  const organization = String((await one.call("GET", "/organizations/acme")).data["attributes"]?.["external-id"]);
  const workspaces = Array.from({ length: 60 }, (_, i) => [
    [`workspace/${id("ws", i)}`, { id: id("ws", i), organization, name: `w${i + 100}`, created: 0, updated: 0, settings: {} }] as const,
    [`wsname/${organization}/w${i + 100}`, id("ws", i)] as const,
  ]);
  const variables = workspaces.flatMap((_, i) =>
    Array.from({ length: i < 30 ? 900 : 1 }, (__, at) => {
      const key = { id: `var-${String(at).padStart(16, "x").replaceAll("0", "A")}`, key: `k${at}`, kind: "env", size: 0 };
      return [`varkey/${id("ws", i)}/env/k${at}`, key] as const;
    }),
  );
  await put(one, [...workspaces.flat(), ...variables]);
  const seen = watched(one.stores);
  const other = service({ stores: seen.stores, seed: 9 });
  const page = await other.call("GET", "/organizations/acme/workspaces?page%5Bsize%5D=50");
  type Listed = { readonly attributes: { readonly name: string }; readonly relationships: { readonly vars?: { readonly data: readonly unknown[] } } };
  const data = page.json["data"] as unknown as readonly Listed[];
  expect(data.map(({ attributes: { name } }) => name)).toEqual(["demo", ...workspaces.slice(0, 49).map((_, i) => `w${i + 100}`)]);
  const counts = data.map(({ relationships }) => relationships.vars?.data.length);
  expect(counts.slice(0, 12)).toEqual([0, ...Array<number>(11).fill(900)]);
  expect(counts.slice(14)).toEqual(Array<undefined>(36).fill(undefined));
  expect(seen.rows).toBeLessThan(15_000);
  // whoever asks for one of them is told all
  const whole = await other.call("GET", `/workspaces/${id("ws", 29)}`);
  expect(whole.data["relationships"]?.["vars"]?.["data"]).toHaveLength(900);
});
