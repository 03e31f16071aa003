import { describe, expect, it } from "vitest";
import { pki } from "../../src/endpoints/all.ts";
import { endpoint } from "../../src/wire/endpoint.ts";
import { text } from "../../src/wire/field.ts";
import { expandPatterns } from "../../src/wire/route-patterns.ts";
import { envelope } from "../../src/wire/style.ts";
import { acmeAuthority } from "../acme/client.ts";
import { authority } from "../support/authority.ts";
import { bench } from "./fixture.ts";

const paths = (method: string): readonly string[] =>
  pki.flatMap((one) =>
    expandPatterns(one).flatMap(([verb, path]) => (verb === method ? [path] : [])),
  );

describe("a path that can only be listed", () => {
  it("is listed by a plain GET as by LIST, for every such path", async () => {
    const a = await acmeAuthority();
    await a.role("web", { no_store_metadata: false });
    const { serial_number } = await a.pki.issue({
      role: "web",
      common_name: "a.test",
      cert_metadata: "YQ==",
    });
    await a.pki.revoke({ serial_number });
    await a.pki.writeCrlConfig({
      auto_rebuild: true,
      cross_cluster_revocation: true,
      unified_crl: true,
    });
    await a.pki.revoke({ serial_number: "0a:0b" });
    await a.call("POST", "pki/acme/new-eab", {});
    const client = await a.registered();
    const identifiers = [{ type: "dns", value: "a.test" }];
    expect((await client.post(await client.url("newOrder"), { identifiers })).status).toBe(201);
    const lists = paths("LIST").filter((path) => !paths("GET").includes(path));
    expect(lists).toEqual(
      expect.arrayContaining(["/certs", "/certs/search", "/roles", "/issuers", "/keys"]),
    );
    for (const path of lists) {
      const [plain, verb] = [await a.call("GET", `pki${path}`), await a.call("LIST", `pki${path}`)];
      expect([path, plain.status, plain.data]).toEqual([path, 200, verb.data]);
      expect((plain.data["keys"] as readonly string[]).length).toBeGreaterThan(0);
    }
    expect((await a.call("GET", "pki/certs/search?name=a.&limit=1")).data["keys"]).toEqual([
      serial_number,
    ]);
    expect(a.events.at(-1)).toMatchObject({ endpoint: "searchCerts", fields: { method: "LIST" } });
    expect((await a.call("HEAD", "pki/certs")).status).toBe(200);
  });

  it("requires the list capability for GET, not read, and rejects other methods", async () => {
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
    for (const method of ["POST", "PATCH", "DELETE"])
      expect(
        (await a.call(method, "pki/certs/search", method === "DELETE" ? undefined : {})).status,
      ).toBe(405);
  });
});

describe("a path that can be read and listed", () => {
  it("security row 89: is listed by LIST, ?list=true and the override header with the list capability, and read by a plain GET", async () => {
    const shared = {
      access: "token",
      style: envelope,
      doc: "",
      body: {},
      reply: { did: text.required("") },
    } as const;
    const { fetch, asked } = bench([
      endpoint({
        ...shared,
        id: "readBoth",
        at: ["GET /both"],
        run: async () => ({ did: "read" }),
      }),
      endpoint({
        ...shared,
        id: "listBoth",
        at: ["LIST /both"],
        run: async () => ({ did: "list" }),
      }),
    ]);
    const override = { headers: { "x-http-method-override": "LIST" } };
    for (const [method, path, init] of [
      ["LIST", "both"],
      ["LIST", "both/"],
      ["LIST", "both?list=false"],
      ["GET", "both?list=true"],
      ["GET", "both?list=false&list=true"],
      ["GET", "both/?list=1"],
      ["GET", "both", override],
      ["GET", "both?list=false", override],
    ] as const) {
      asked.length = 0;
      const answer = await fetch(method, `/v1/pki/${path}`, init);
      expect([method, path, answer.json["data"], asked]).toEqual([
        method,
        path,
        { did: "list" },
        [["list", "pki/both"]],
      ]);
    }
    for (const path of ["both", "both?list=false", "both?list=", "both?list=true&list=0"]) {
      asked.length = 0;
      const answer = await fetch("GET", `/v1/pki/${path}`);
      expect([path, answer.json["data"], asked]).toEqual([
        path,
        { did: "read" },
        [["read", "pki/both"]],
      ]);
    }
  });
});
