import { expect, it } from "vitest";
import { service, withWorkspace, type Answer, type Service } from "./service.ts";

const resource = (type: string, attributes: object) => ({ data: { type, attributes } });
async function manyWorkspaces(options: Parameters<typeof withWorkspace>[0] = {}): Promise<Service> {
  const made = await withWorkspace(options);
  for (const name of ["alpha", "beta", "gamma"])
    await made.call("POST", "/organizations/acme/workspaces", resource("workspaces", { name }));
  return made;
}
const pagination = ({ json }: Answer) => json["meta"]?.["pagination"];
const names = ({ json }: Answer) =>
  (json["data"] as unknown as { attributes: { name: string } }[]).map(
    ({ attributes }) => attributes.name,
  );
const followed = async ({ call }: Service, from: Answer): Promise<readonly string[]> => {
  const found = [...names(from)];
  for (
    let answer = from, next = from.json["links"]?.["next"];
    typeof next === "string";
    next = answer.json["links"]?.["next"]
  ) {
    const { pathname, search } = new URL(next);
    answer = await call("GET", `${pathname.slice("/api/v2".length)}${search}`);
    found.push(...names(answer));
  }
  return found;
};

it.each([
  [
    "page[number]",
    "99999999999",
    { "current-page": 99999999999, "next-page": null, "prev-page": 1 },
    0,
  ],
  ["page[number]", "9".repeat(400), { "current-page": Number.MAX_SAFE_INTEGER, "prev-page": 1 }, 0],
  ["page[number]", "02", { "current-page": 2 }, 0],
  ["page[size]", "99999999999", { "page-size": 100 }, 4],
  ["page[size]", "0003", { "page-size": 3, "total-pages": 2 }, 3],
  ["page[size]", "1e2", { "page-size": 20 }, 4],
  ["page[size]", "-1", { "page-size": 20 }, 4],
  ["page[size]", "2.5", { "page-size": 20 }, 4],
  ["page[number]", "0", { "current-page": 1 }, 4],
])(
  "%s=%s is read as an integer, clamped to the limits, or ignored if it is not one",
  async (name, value, expected, count) => {
    const { call } = await manyWorkspaces();
    const answer = await call(
      "GET",
      `/organizations/acme/workspaces?${encodeURIComponent(name)}=${value}`,
    );
    expect(answer.status).toBe(200);
    expect(pagination(answer)).toMatchObject(expected);
    expect(answer.json["data"]).toHaveLength(count);
  },
);

it("page links repeat the search, order and filters of the request", async () => {
  const made = await manyWorkspaces();
  const { call } = made;
  expect(
    await followed(
      made,
      await call(
        "GET",
        "/organizations/acme/workspaces?page[size]=1&search[name]=A&sort=-name&include=x%26y",
      ),
    ),
  ).toEqual(["gamma", "beta", "alpha"]);
  const first = await call(
    "GET",
    "/organizations/acme/workspaces/?page[size]=1&search[name]=A%26&sort=-name",
  );
  expect(first.json["links"]?.["self"]).toBe(
    "http://ca.test/api/v2/organizations/acme/workspaces?search%5Bname%5D=A%26&sort=-name&page%5Bnumber%5D=1&page%5Bsize%5D=1",
  );
  for (const name of ["team one", "team two", "other"])
    await call("POST", "/organizations/acme/teams", resource("teams", { name }));
  expect(
    await followed(made, await call("GET", "/organizations/acme/teams?page[size]=1&q=TEAM")),
  ).toEqual(["team one", "team two"]);
  expect(
    await followed(
      made,
      await call("GET", "/organizations/acme/teams?page[size]=1&filter[names]=other,owners"),
    ),
  ).toEqual(["other", "owners"]);
  await call(
    "POST",
    "/organizations",
    resource("organizations", { name: "acme2", email: "b@example.com" }),
  );
  expect(
    await followed(made, await call("GET", "/organizations?page[size]=1&q[name]=acm")),
  ).toEqual(["acme", "acme2"]);
  expect((await call("GET", "/organizations?q=nobody")).json["links"]?.["last"]).toContain(
    "?q=nobody&page",
  );
});

it("page links of an empty list have the path of that list", async () => {
  const { call, workspace } = await withWorkspace();
  const path = `/workspaces/${workspace}/relationships/remote-state-consumers`;
  expect((await call("GET", path)).json["links"]?.["self"]).toBe(
    `http://ca.test/api/v2${path}?page%5Bnumber%5D=1&page%5Bsize%5D=20`,
  );
});

it("page links are absolute URLs with the origin of the request, without any setting", async () => {
  const { call } = service();
  expect((await call("GET", "/organizations")).json["links"]).toMatchObject({
    prev: null,
    next: null,
    first: expect.stringMatching(/^http:\/\/ca\.test\//),
  });
});
