import { describe, expect, it } from "vitest";
import { identity, pki, sys } from "../../src/endpoints/all.ts";
import type { AnyEndpoint } from "../../src/wire/endpoint.ts";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import { authority } from "../support/authority.ts";

/** Calls with a misspelt field, each of another kind of endpoint, and the text of the error. */
const misspelt = [
  [
    "POST",
    "pki/roles/web",
    { allow_subdomain: true },
    "allow_subdomain (did you mean allow_subdomains?)",
  ],
  ["POST", "pki/roles/web", { zeta: 1, alpha: 2 }, "alpha, zeta"],
  [
    "POST",
    "pki/root/generate/internal",
    { comon_name: "R" },
    "comon_name (did you mean common_name?)",
  ],
  ["POST", "pki/config/crl", { expirey: "1h" }, "expirey (did you mean expiry?)"],
  ["LIST", "pki/certs?affter=1", undefined, "affter (did you mean after?)"],
  ["DELETE", "pki/roles/web?force=1", undefined, "force"],
  [
    "POST",
    "sys/mounts/team",
    { type: "pki", config: { max_leas_ttl: "1h" } },
    "config.max_leas_ttl (did you mean max_lease_ttl?)",
  ],
  [
    "POST",
    "pki/config/est",
    { authenticators: { userpas: {} } },
    "authenticators.userpas (did you mean userpass?)",
  ],
  [
    "POST",
    "pki/roles/web?ttl=1h&ttl=2h&x",
    { allow_any_name: true },
    "ttl, x in the query; a POST has its fields in the body",
  ],
  ["POST", "auth/token/create", { polices: ["root"] }, "polices (did you mean policies?)"],
  ["POST", "identity/entity", { nmae: "a" }, "nmae (did you mean name?)"],
] as const;

/** Endpoints by the path of their mount. */
const lists: readonly (readonly [base: string, endpoints: readonly AnyEndpoint[]])[] = [
  ["pki", pki],
  ["sys", sys],
  ["identity", identity],
];
/** Writes whose path can also be read, with the members that only the read returns. */
const writable = lists.flatMap(([base, endpoints]) => {
  const routes = endpoints.flatMap((endpoint) =>
    expandPatterns(endpoint).map(([method, path]) => ({ endpoint, method, path })),
  );
  return routes.flatMap(({ endpoint, method, path }) => {
    const read = routes.find((one) => one.method === "GET" && one.path === path)?.endpoint;
    if (!["POST", "PATCH"].includes(method) || !read || read === endpoint) return [];
    const names = Object.keys(read.reply).filter((name) => !Object.hasOwn(endpoint.body, name));
    if (names.length === 0) return [];
    const at = `${base}${path.replace(/:\w+\+?/g, "x")}`;
    const body = Object.fromEntries(names.map((name) => [name, "x"]));
    return [[`${method} ${base}${path}`, { method, path: at, body }] as const];
  });
});

describe("unknown fields", () => {
  it.each(misspelt)("in %s %s are rejected", async (method, path, body, fields) => {
    const a = authority();
    const { status, errors, headers } = await a.call(method, path, body);
    expect([status, errors]).toEqual([400, [`unknown fields: ${fields}`]]);
    expect(headers.get("x-error-code")).toBe("unknown_field");
    expect((await a.pki.listRoles()).keys).toEqual([]);
    expect((await a.pki.listIssuers()).keys).toEqual([]);
    expect(Object.keys(await a.ca.sys.listMounts())).not.toContain("team/");
  });
  it("are rejected by the typed library too; a long list is shortened", async () => {
    const { pki, sys } = authority();
    const wrong = { name: "web", allow_subdomain: true };
    await expect(pki.writeRole(wrong)).rejects.toMatchObject({
      code: "unknown_field",
      status: 400,
      message: "unknown fields: allow_subdomain (did you mean allow_subdomains?)",
    });
    expect((await pki.listRoles()).keys).toEqual([]);
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`n${i}`, i]));
    await expect(sys.createMount({ path: "team", type: "pki", ...many })).rejects.toThrow(
      /^unknown fields: n0, n1, n10, .*, 1980 more$/,
    );
    await expect(pki.readRole({ name: "x", ["y".repeat(5000)]: 1 })).rejects.toThrow(/: y{64}…$/);
  });
  it("are ignored with a warning for clients of the API family, and ignored without a token", async () => {
    const a = authority();
    await a.root();
    const warning = "Endpoint ignored these unrecognized parameters: [allow_subdomain]";
    const body = { allow_subdomain: true, key_type: "ec" };
    for (const header of [{ "x-vault-token": "root" }, { authorization: "Bearer root" }]) {
      const { status, json } = await a.call("POST", "pki/roles/web", body, { token: "", header });
      expect([status, json["warnings"]]).toEqual([200, [warning]]);
    }
    expect((await a.ca.fetch(new Request("http://ca/v1/sys/health?odd=1"))).status).toBe(200);
  });
  it("that GET returns have no effect, so that a reply can be written back", async () => {
    const { ca, pki } = authority();
    await ca.ensure({ root: { common_name: "Root" }, roles: [{ name: "web", key_type: "ec" }] });
    const { warnings: _, ...role } = await ca.pki.readRole({ name: "web" });
    expect(await ca.pki.writeRole({ ...role, name: "web" })).toMatchObject(role);
    const { warnings: __, ...issuer } = await ca.pki.readIssuer({ issuer_ref: "root" });
    await pki.writeIssuer({ ...issuer, issuer_ref: "root", manual_chain: [] });
    const { warnings: ___, ...crl } = await ca.pki.readCrlConfig();
    expect(await ca.pki.writeCrlConfig(crl)).toMatchObject(crl);
  });
  it("are rejected if the path has no GET", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const body = { common_name: "a.example", expiration: 5, ca_chain: [] };
    const { status, errors } = await a.call("POST", "pki/issue/web", body);
    expect([status, errors]).toEqual([400, ["unknown fields: ca_chain, expiration"]]);
  });
  it.each(writable)("that GET returns are accepted by %s", async (_, call) => {
    const a = authority();
    const { errors } = await a.call(call.method, call.path, call.body);
    expect(errors.join()).not.toContain("unknown fields");
  });
});
