import { describe, expect, it } from "vitest";
import { pki } from "../../src/index.ts";
import { spellings } from "../../src/wire/spelling.ts";
import { authority } from "../support/authority.ts";

const paths = (method: string): readonly string[] => pki.flatMap((one) => spellings(one).flatMap(([verb, path]) => (verb === method ? [path] : [])));

describe("a path that only lists", () => {
  it("is listed by a plain GET as by LIST, each of them", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { no_store_metadata: false });
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test", cert_metadata: "YQ==" });
    await a.pki.revoke({ serial_number });
    const lists = paths("LIST").filter((path) => !paths("GET").includes(path));
    expect(lists).toEqual(expect.arrayContaining(["/certs", "/certs/search", "/roles", "/issuers", "/keys"]));
    for (const path of lists) {
      const [plain, verb] = [await a.call("GET", `pki${path}`), await a.call("LIST", `pki${path}`)];
      expect([path, plain.status, plain.data]).toEqual([path, 200, verb.data]);
      expect((plain.data["keys"] as readonly string[]).length).toBeGreaterThan(0);
    }
    expect((await a.call("GET", "pki/certs/search?name=a.&limit=1")).data["keys"]).toEqual([serial_number]);
    expect(a.events.at(-1)).toMatchObject({ endpoint: "searchCerts", fields: { method: "LIST" } });
    expect((await a.call("HEAD", "pki/certs")).status).toBe(200);
  });

  it("asks a policy for leave to list, not to read, and is no other method's", async () => {
    const asked: string[] = [];
    const can = (capability: string, path: string): boolean => {
      asked.push(`${capability} ${path}`);
      return capability !== "list";
    };
    const a = authority({ authenticate: async () => ({ id: "reader", can }) });
    await a.root();
    expect((await a.call("GET", "pki/keys")).status).toBe(403);
    expect(asked).toEqual(["list pki/keys"]);
    expect((await a.call("GET", "pki/keys?list=false")).status).toBe(405);
    for (const method of ["POST", "PATCH", "DELETE"]) expect((await a.call(method, "pki/certs/search", method === "DELETE" ? undefined : {})).status).toBe(405);
  });
});
