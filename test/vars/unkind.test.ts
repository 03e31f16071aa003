import { expect, it } from "vitest";
import { vars } from "../../src/vars/api.ts";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { seeded } from "../support/authority.ts";
import { withWorkspace } from "./service.ts";

/** Returns functions that choose at random, from a seed. */
function chooser(seed: number) {
  const random = seeded(seed);
  const below = (count: number): number =>
    (((random(1)[0] ?? 0) << 8) | (random(1)[0] ?? 0)) % count;
  return { below, one: <T>(list: readonly T[]): T => list[below(list.length)] as T };
}
const names = [
  "data",
  "type",
  "id",
  "attributes",
  "relationships",
  "workspace",
  "team",
  "filter",
  "organization",
  "name",
  "key",
  "value",
  "category",
  "sensitive",
  "hcl",
  "description",
  "access",
  "variables",
  "email",
  "username",
  "expired-at",
  "organization-access",
  "__proto__",
  "constructor",
  "toString",
];
const scalars: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  1e300,
  "",
  " ",
  "vars",
  "workspaces",
  "teams",
  "users",
  "iac",
  "env",
  "custom",
  "acme",
  "demo",
  "\u0000",
  "\ud800",
  "x".repeat(2000),
  "1970-01-01",
  "constructor",
  "\u{1f512}",
];

it.each([1, 2, 3, 4])("no malformed request causes a 5xx status (seed %i)", async (seed) => {
  const { call, workspace, write } = await withWorkspace({ seed });
  const variable = String((await write({ key: "k" })).data["id"]);
  const { below, one } = chooser(seed);
  const value = (depth: number): unknown => {
    if (depth === 0 || below(3) === 0) return one([...scalars, workspace, variable]);
    if (below(5) === 0) return Array.from({ length: below(4) }, () => value(depth - 1));
    return Object.fromEntries(
      Array.from({ length: 1 + below(5) }, () => [one(names), value(depth - 1)]),
    );
  };
  /** Returns a resource most of the time, so that deeper checks are reached. */
  const body = (): unknown =>
    below(4) === 0
      ? value(4)
      : {
          data: {
            type: one(["vars", "workspaces", "teams", "team-workspaces", "organizations", "users"]),
            attributes: value(2),
            relationships: value(3),
          },
          filter: value(2),
        };
  const routes = (vars as readonly AnyEndpoint[])
    .flatMap((endpoint) => expandPatterns(endpoint))
    .filter(([method]) => method !== "DELETE");
  for (let i = 0; i < 400; i++) {
    const [method, path] = one(routes);
    const filled = path.replace(/:(\w+)/g, (_, name: string) =>
      below(4) === 0
        ? encodeURIComponent(one(["nothing", "\u{1f512}", "__proto__", " ", "%", "a;b"]))
        : name === "workspace_id"
          ? workspace
          : name === "variable_id"
            ? variable
            : name === "organization"
              ? "acme"
              : "demo",
    );
    const query =
      below(3) === 0
        ? `?${encodeURIComponent(one(["filter[workspace][name]", "page[size]", "page[number]", "format", "sort", "q"]))}=${encodeURIComponent(one(["", "1", "-1", "json", "\u0000", "acme"]))}`
        : "";
    const answer = await call(
      method,
      filled + query,
      method === "GET"
        ? undefined
        : below(10) === 0
          ? one(["", "{", "[]", "null", '{"data":', "\ufeff{}", `${"[".repeat(100)}`])
          : body(),
    );
    expect(answer.status, `${method} ${filled}${query}\n${answer.text}`).toBeLessThan(500);
    if (answer.status >= 400) expect(answer.json["errors"]).toBeInstanceOf(Array);
  }
});
