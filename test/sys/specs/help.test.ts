import { expect, it } from "vitest";
import { pki, sys } from "../../../src/endpoints/all.ts";
import { expandPatterns } from "../../../src/wire/route-patterns.ts";
import { authority, type Answer } from "../../support/authority.ts";

interface Help {
  readonly help: string;
  readonly see_also: readonly string[];
  readonly openapi: {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { operationId: string }>>>>;
    readonly components: object;
  };
}
// every help response has this shape
const helpIn = ({ json }: Answer): Help => json as unknown as Help;
const nobody = { authenticate: async () => ({ id: "nobody", can: () => false }) };

it("help of a path describes every method, its parameters, and its part of the OpenAPI document", async () => {
  const a = authority();
  const answer = await a.call("GET", "pki/roles/web?help=1");
  expect([answer.status, Object.keys(answer.json).sort()]).toEqual([
    200,
    ["help", "openapi", "see_also"],
  ]);
  const { help, see_also, openapi } = helpIn(answer);
  expect(see_also).toEqual([]);
  for (const method of ["GET", "POST", "PATCH", "DELETE"])
    expect(help).toContain(`${method} pki/roles/:name\n`);
  expect(help).toContain("allow_any_name (boolean): ");
  expect(Object.keys(openapi.paths)).toEqual(["/v1/pki/roles/{name}"]);
  const { json } = await a.call("GET", "sys/internal/specs/openapi");
  const whole = json as unknown as Help["openapi"];
  expect(openapi.paths).toEqual({ "/v1/pki/roles/{name}": whole.paths["/v1/pki/roles/{name}"] });
  expect(whole.components).toMatchObject(openapi.components);
});

it("help of a mount, a login method and sys lists all paths below", async () => {
  const a = authority();
  await a.sys.enableMethod({ path: "approle", type: "approle" });
  for (const [path, line] of [
    ["pki", "POST pki/issue/:role\n    "],
    ["pki/", "LIST pki/roles\n    "],
    ["auth/approle", "POST auth/approle/login\n    "],
    ["sys", "GET sys/health\n    "],
    ["cubbyhole", "LIST cubbyhole"],
  ] as const)
    expect(helpIn(await a.call("GET", `${path}?help=true`)).help).toContain(line);
  for (const [base, endpoints] of [
    ["pki", pki],
    ["sys", sys],
  ] as const) {
    const { help } = helpIn(await a.call("GET", `${base}?help=1`));
    for (const [method, path] of endpoints.flatMap((one) => expandPatterns(one)))
      expect(help).toContain(`${method} ${base}${path}\n`);
  }
});

it("help requires a valid token, and neither runs the endpoint nor changes anything", async () => {
  const a = authority(nobody);
  await a.sys.listMounts({});
  const before = await a.stores("sys").list("");
  const paths = ["pki/issue/web", "pki/ca/pem", "sys/seal", "sys/health", "auth/token/create"];
  for (const path of paths) {
    const { status, text } = await a.call("GET", `${path}?help=1`);
    expect([path, status, text.includes('"help"')]).toEqual([path, 200, true]);
    expect((await a.call("HEAD", `${path}?help=1`)).status).toBe(200);
  }
  expect(a.events.at(-1)).toMatchObject({ endpoint: "readHelp", caller: "nobody" });
  expect(await a.stores("sys").list("")).toEqual(before);
  for (const path of paths)
    expect((await a.call("GET", `${path}?help=1`, undefined, { token: "" })).status).toBe(403);
});

it("paths without help respond as without the parameter", async () => {
  const a = authority();
  await a.root();
  const twice = async (path: string, query: string) => {
    const [plain, asked] = [await a.call("GET", path), await a.call("GET", path + query)];
    expect([asked.status, asked.errors]).toEqual([plain.status, plain.errors]);
    return plain.status;
  };
  for (const path of ["none/at/all", "auth/none/login", "pki/no/such/path", "sys/none"])
    expect(await twice(path, "?help=1")).toBe(404);
  expect(await twice("pki//roles", "?help=1")).toBe(400);
  for (const query of ["?help=0", "?help=", "?help=words"])
    expect(await twice("pki/ca/pem", query)).toBe(200);
  expect((await a.call("GET", "pki/ca/pem?help=1", undefined, { token: "" })).status).toBe(403);
  expect((await a.call("POST", "pki/roles/web?help=1", { key_type: "ec" })).status).toBe(200);
});
