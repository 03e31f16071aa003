import { describe, expect, it } from "vitest";
import { authority, refusal, type Answer } from "../support/authority.ts";

const patch = { header: { "content-type": "application/merge-patch+json" } };
const seen = ({ status, errors }: Answer): readonly unknown[] => [status, errors];
const joined = (...texts: readonly string[]) =>
  `${texts.length} error${texts.length > 1 ? "s" : ""} occurred:\n${texts.map((text) => `\t* ${text}\n`).join("")}\n`;
async function ready() {
  const a = authority();
  await a.root();
  await a.role("web");
  return a;
}

describe("requests", () => {
  it("B 0 auth header, A 1.1 item 1: the token is accepted in X-Service-Token, X-Vault-Token or as a bearer, in this order of precedence; other headers are ignored", async () => {
    const a = await ready();
    const read = (header: Record<string, string>) =>
      a.call("GET", "pki/roles/web", undefined, { token: "", header });
    const extra = {
      "x-service-request": "true",
      "x-vault-mfa": "x",
      "x-vault-policy-override": "true",
      "x-vault-no-request-forwarding": "1",
    };
    expect((await read({ "x-service-token": "root", ...extra })).data["ttl"]).toBe("0s");
    expect((await read({ "x-vault-token": "root", ...extra })).data["ttl"]).toBe(0);
    // D 1: this header selects the compat dialect, but does not change the token
    const request = { "x-service-token": "root", "x-vault-request": "true" };
    expect((await read(request)).data["ttl"]).toBe(0);
    expect((await read({ authorization: "Bearer root" })).data["ttl"]).toBe(0);
    expect((await read({ authorization: "bearer root" })).status).toBe(403);
    expect((await read({ "x-vault-token": "root", authorization: "Bearer stranger" })).status).toBe(
      200,
    );
    expect(
      (await read({ "x-service-token": "root", "x-vault-token": "stranger" })).data["ttl"],
    ).toBe("0s");
    expect(
      (await read({ "x-vault-token": "root", "x-vault-namespace": "" })).headers.get(
        "x-vault-namespace",
      ),
    ).toBe("");
    for (const name of ["x-vault-namespace", "x-service-namespace"])
      expect(seen(await read({ "x-vault-token": "root", [name]: "team" }))).toEqual([
        404,
        [expect.stringContaining("no handler for route")],
      ]);
  });

  it("B 0 POST and PUT, A 1.1 item 2: GET and HEAD read, LIST and ?list=true list, POST and PUT write, and unknown methods get 405", async () => {
    const a = await ready();
    expect((await a.call("GET", "pki/roles/web")).status).toBe(200);
    const head = await a.call("HEAD", "pki/roles/web");
    expect([head.status, head.text]).toEqual([200, ""]);
    for (const method of ["POST", "PUT"])
      expect((await a.call(method, "pki/roles/api", { key_type: "ec" })).status).toBe(200);
    expect((await a.call("LIST", "pki/roles")).data["keys"]).toEqual(["api", "web"]);
    expect((await a.call("GET", "pki/roles?list=true")).data["keys"]).toEqual(["api", "web"]);
    expect((await a.call("PATCH", "pki/roles/web", { ttl: 60 }, patch)).data["ttl"]).toBe("1m");
    expect((await a.pki.patchRole({ name: "web", ttl: 90 })).ttl).toBe(90);
    expect(
      await refusal(
        a.pki.patchRole({ name: "web", key_type: "rsa", key_bits: 2048, signature_bits: 1 }),
      ),
    ).toEqual([400, "unsupported hash signature algorithm: 1"]);
    expect((await a.call("DELETE", "pki/roles/api")).status).toBe(204);
    const other = await a.call("PROPFIND", "pki/roles/web");
    expect([other.status, other.text]).toEqual([405, '{"errors":[]}\n']);
  });

  it("B 0 GET list, A 1.1 item 3: list= is a boolean, and the path is listed with and without a trailing slash", async () => {
    const a = await ready();
    for (const value of ["1", "t", "T", "true", "TRUE", "True"])
      for (const path of ["pki/roles", "pki/roles/"])
        expect((await a.call("GET", `${path}?list=${value}`)).data["keys"]).toEqual(["web"]);
    for (const path of ["pki/issuers", "pki/issuers/"])
      expect((await a.call("LIST", path)).status).toBe(200);
    for (const value of ["0", "f", "false"])
      expect((await a.call("GET", `pki/roles?list=${value}`)).status).toBe(405);
    for (const path of ["pki/roles", "pki/roles/", "pki/roles?list="])
      expect((await a.call("GET", path)).data["keys"]).toEqual(["web"]);
    for (const value of ["yes", "tRUE", "2"])
      expect((await a.call("GET", `pki/roles?list=${value}`)).status).toBe(400);
  });

  it("security row 55: limit accepts any integer, where 0 and less mean all, and rejects other values", async () => {
    const a = await ready();
    for (const [limit, status] of [
      ["0", 200],
      ["-1", 200],
      ["9007199254740991", 200],
      ["x", 400],
      ["1.5", 400],
      ["9007199254740993", 400],
    ] as const)
      for (const path of ["roles", "certs", "issuers"])
        expect([limit, (await a.call("LIST", `pki/${path}?limit=${limit}`)).status]).toEqual([
          limit,
          status,
        ]);
  });

  it("A 1.1 item 3: roles, issuers, keys and certificates are paged with after and limit; 404 after the last page", async () => {
    const a = await ready();
    for (const name of ["api", "zoo"]) await a.role(name);
    for (const issuer_name of ["two", "three"]) await a.root({ issuer_name });
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    await a.pki.revoke({ serial_number });
    for (const [path, count] of [
      ["roles", 3],
      ["issuers", 3],
      ["keys", 3],
      ["certs", 4],
      ["certs/revoked", 1],
    ] as const) {
      const page = async (query: string) => {
        const answer = await a.call("GET", `pki/${path}?list=true${query}`, undefined, {
          compat: true,
        });
        expect([path, query, answer.json["warnings"] ?? null]).toEqual([path, query, null]);
        return [
          answer.status,
          answer.data["keys"] as readonly string[] | undefined,
          answer.data["key_info"],
        ] as const;
      };
      const [, whole = []] = await page("");
      expect([path, whole.length]).toEqual([path, count]);
      const read: string[] = [];
      for (let after = ""; ;) {
        const [status, keys = [], info] = await page(`&limit=1${after && `&after=${after}`}`);
        if (status === 404) break;
        expect(keys).toHaveLength(1);
        expect(info ? Object.keys(info) : keys).toEqual(keys);
        after = keys[0] ?? "";
        read.push(after);
      }
      expect(read).toEqual(whole);
      expect((await page(`&after=${whole[0] ?? ""}`))[1] ?? []).toEqual(whole.slice(1));
      for (const all of ["&limit=0", "&limit=-1", "&limit=1000", "&after=", "&after=!"])
        expect((await page(all))[1]).toEqual(whole);
      expect((await page("&after=~"))[0]).toBe(404);
      expect((await a.call("LIST", `pki/${path}?limit=x`)).status).toBe(400);
    }
    const [, second = ""] = (await a.pki.listCerts({})).keys;
    expect(
      (await a.pki.listCerts({ after: second.toUpperCase().replaceAll(":", "-"), limit: 1 })).keys,
    ).toEqual((await a.pki.listCerts({})).keys.slice(2, 3));
    expect((await a.pki.listRoles({ after: "b", limit: 1 })).keys).toEqual(["web"]);
  });

  it("A 1.1 item 4: writes to a path with a trailing slash, dot segments and parameters ending in a dot are rejected", async () => {
    const a = await ready();
    for (const method of ["POST", "PUT"])
      expect(seen(await a.call(method, "pki/roles/web/", {}))).toEqual([
        400,
        ["cannot write to a path ending in '/'"],
      ]);
    expect(seen(await a.call("PATCH", "pki/roles/web/", {}, patch))).toEqual([
      400,
      ["cannot write to a path ending in '/'"],
    ]);
    // a URL parser resolves plain dot segments before sending
    expect((await a.call("GET", "pki/roles/%2e%2e%2fweb")).status).toBe(400);
    expect(seen(await a.call("GET", "pki/roles/web."))).toEqual([
      404,
      [joined("unsupported path")],
    ]);
  });

  it("A 1.1 item 5: JSON needs no media type, forms do, and an empty body has no fields; malformed and oversized bodies are rejected", async () => {
    const a = await ready();
    const write = (body: string | Uint8Array | undefined, type?: string) =>
      a.call(
        "POST",
        "pki/roles/web",
        body,
        type === undefined ? {} : { header: { "content-type": type } },
      );
    expect((await write('{"max_ttl":"1h"}')).data["max_ttl"]).toBe("1h");
    expect((await write("")).data["max_ttl"]).toBe("0s");
    expect((await write(undefined)).status).toBe(200);
    const form = "application/x-www-form-urlencoded";
    expect(
      (await write("allowed_domains=a.test&allowed_domains=b.test&max_ttl=1h", form)).data,
    ).toMatchObject({
      max_ttl: "1h",
      allowed_domains: ["a.test", "b.test"],
    });
    expect((await write(' {"max_ttl":"2h"}', form)).data["max_ttl"]).toBe("2h");
    for (const bad of ["{", "[]", "x", '"x"', "{}x"])
      expect(seen(await write(bad))).toEqual([
        400,
        [expect.stringMatching(/^failed to decode JSON input: /)],
      ]);
    expect(seen(await write(new Uint8Array(8 * 1024 * 1024 + 1)))).toEqual([
      413,
      ["http: request body too large"],
    ]);
    const large = new Uint8Array(9 * 1024 * 1024).fill(0x20);
    for (const path of ["resign-crls", "sign-revocation-list"])
      expect((await a.call("POST", `pki/issuer/root/${path}`, large)).status).toBe(200);
    expect(
      (await a.call("POST", "pki/issuer/root/resign-crls", new Uint8Array(32 * 1024 * 1024 + 1)))
        .status,
    ).toBe(413);
  });

  it("A 1.1 item 6: PATCH requires the media type of a merge patch, with or without parameters", async () => {
    const a = await ready();
    const write = (type: string) =>
      a.call("PATCH", "pki/roles/web", { ttl: 60 }, { header: { "content-type": type } });
    for (const type of [
      "application/merge-patch+json",
      "application/merge-patch+json; charset=utf-8",
    ])
      expect((await write(type)).status).toBe(200);
    expect(seen(await write("application/json"))).toEqual([
      415,
      ["PATCH requires Content-Type of application/merge-patch+json, provided application/json"],
    ]);
    expect(seen(await a.call("PATCH", "pki/roles/web", new TextEncoder().encode("{}")))).toEqual([
      400,
      [expect.stringContaining("PATCH requires Content-Type")],
    ]);
  });

  it("A 1.1 item 7: query parameters of reads are fields, and unknown ones cause a warning", async () => {
    const a = await ready();
    for (const [method, path] of [
      ["GET", "pki/roles/web?b=1&a=2"],
      ["LIST", "pki/roles?b=1&a=2"],
      ["DELETE", "pki/issuer/none?b=1&a=2"],
    ] as const) {
      const answer = await a.call(method, path, undefined, { compat: true });
      expect([answer.status, answer.json["warnings"]]).toEqual([
        200,
        ["Endpoint ignored these unrecognized parameters: [a b]"],
      ]);
    }
  });

  it("A 1.1 item 8: a call requires the capability of its method, whether the object exists or not, and some endpoints also sudo", async () => {
    const asked: string[] = [];
    const can = (capability: string, path: string) => (asked.push(`${capability} ${path}`), true);
    const a = authority({ authenticate: async () => ({ id: "any", can }) });
    const { certificate } = await a.root();
    const sent = async (
      method: string,
      path: string,
      body?: unknown,
      header: Record<string, string> = {},
    ) => {
      asked.length = 0;
      await a.call(method, path, body, { header });
      return [...asked];
    };
    for (const method of ["POST", "PUT"])
      for (const _ of [1, 2])
        expect(await sent(method, "pki/roles/web", {})).toEqual(["update pki/roles/web"]);
    expect(await sent("PATCH", "pki/roles/web", {}, patch.header)).toEqual(["patch pki/roles/web"]);
    // list=false, so that only the header requests a listing, as the next expectation shows
    const override = { "x-http-method-override": "LIST" };
    for (const [method, path, header] of [
      ["LIST", "roles"],
      ["LIST", "roles/"],
      ["GET", "roles?list=true"],
      ["GET", "roles?list=false", override],
    ] as const)
      expect([method, path, await sent(method, `pki/${path}`, undefined, header)]).toEqual([
        method,
        path,
        ["list pki/roles"],
      ]);
    // no listing is read here: callers without permissions learn nothing
    expect(await sent("GET", "pki/roles?list=false")).toEqual(["read pki/roles"]);
    expect(await sent("GET", "pki/roles/web")).toEqual(["read pki/roles/web"]);
    expect(await sent("DELETE", "pki/roles/web")).toEqual(["delete pki/roles/web"]);
    expect(await sent("POST", "pki/root/sign-self-issued", { certificate })).toEqual([
      "update pki/root/sign-self-issued",
      "sudo pki/root/sign-self-issued",
    ]);
    expect(await sent("DELETE", "pki/root")).toEqual(["delete pki/root", "sudo pki/root"]);
    const b = await ready();
    expect((await b.call("DELETE", "pki/root", undefined, { token: "operator" })).status).toBe(403);
    expect(
      (await b.call("POST", "pki/root/sign-self-issued", { certificate }, { token: "operator" }))
        .status,
    ).toBe(403);
  });

  it("A 1.1 item 8, security row 89: a caller with list can list in every way, and a caller with read in none", async () => {
    const may = (wanted: string) =>
      authority({
        authenticate: async () => ({ id: wanted, can: (capability) => capability === wanted }),
      });
    const [lister, reader] = [may("list"), may("read")];
    const override = { "x-http-method-override": "LIST" };
    const ways = [
      ["LIST", ""],
      ["LIST", "/"],
      ["GET", "?list=true"],
      ["GET", "/?list=1"],
      ["GET", "?list=false", override],
      ["HEAD", "?list=true"],
    ] as const;
    for (const a of [lister, reader]) await a.pki.writeRole({ name: "web", key_type: "ec" });
    for (const [method, rest, header = {}] of ways) {
      const statuses = [];
      for (const a of [lister, reader])
        statuses.push((await a.call(method, `pki/roles${rest}`, undefined, { header })).status);
      expect([method, rest, statuses]).toEqual([method, rest, [200, 403]]);
    }
    // and vice versa for reads
    expect([
      (await lister.call("GET", "pki/roles/web")).status,
      (await reader.call("GET", "pki/roles/web")).status,
    ]).toEqual([403, 200]);
  });

  it("A 1.1 item 9: issuers are public, with any token or none", async () => {
    const a = await ready();
    for (const token of ["", "stranger"]) {
      expect((await a.call("LIST", "pki/issuers", undefined, { token })).status).toBe(200);
      for (const form of ["json", "der", "pem"])
        expect((await a.call("GET", `pki/issuer/root/${form}`, undefined, { token })).status).toBe(
          200,
        );
      expect((await a.call("GET", "pki/issuer/root", undefined, { token })).status).toBe(403);
    }
  });
});

describe("responses", () => {
  it("A 1.2 item 1: 404 for reading or listing nothing, 204 without a body for writes, and 200 with a warning", async () => {
    const a = authority();
    for (const [method, path] of [
      ["GET", "pki/roles/none"],
      ["LIST", "pki/roles"],
      ["LIST", "pki/issuers"],
    ] as const) {
      const answer = await a.call(method, path);
      expect([answer.status, answer.text]).toEqual([404, '{"errors":[]}\n']);
    }
    const key = await a.pki.generateCaKey({ key_type: "ec" });
    const empty = await a.call("DELETE", "pki/roles/none?unknown=1", undefined, { compat: true });
    expect([empty.status, empty.text, empty.headers.get("content-type")]).toEqual([204, "", null]);
    expect((await a.call("DELETE", "pki/key/none")).status).toBe(204);
    // deleting the default key causes a warning
    const warned = await a.call("DELETE", `pki/key/${key.key_id}`);
    expect([warned.status, warned.json["data"]]).toEqual([200, null]);
    expect(warned.json["warnings"]).not.toBe("");
    const found = await ready();
    const answer = await found.call("GET", "pki/roles/web", undefined, { compat: true });
    expect(answer.headers.get("content-type")).toBe("application/json");
    expect(answer.headers.get("cache-control")).toBe("no-store");
    expect(answer.text.endsWith("\n")).toBe(true);
    expect({ ...answer.json, data: 0 }).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      lease_id: "",
      renewable: false,
      lease_duration: 0,
      data: 0,
      wrap_info: null,
      warnings: null,
      auth: null,
      mount_type: "pki",
    });
  });

  it("A 1.2 item 2: 200 with data null for deleting an unknown issuer", async () => {
    const answer = await authority().call("DELETE", "pki/issuer/none", undefined, { compat: true });
    expect([answer.status, answer.json["data"], answer.json["warnings"]]).toEqual([
      200,
      null,
      null,
    ]);
  });

  it("A 1.2 item 3: 404 for an empty list", async () => {
    const a = authority();
    for (const path of ["roles", "issuers", "keys", "certs", "certs/revoked"]) {
      const answer = await a.call("LIST", `pki/${path}`);
      expect([path, answer.status, answer.text]).toEqual([path, 404, '{"errors":[]}\n']);
    }
  });

  it("A 1.2 item 4: raw bytes have their own media type; 204 if there are none, 304 without a body", async () => {
    const a = authority();
    const none = await a.call("GET", "pki/ca");
    expect([none.status, none.text]).toEqual([204, ""]);
    await a.root();
    const der = await a.call("GET", "pki/issuer/root/der");
    expect([der.headers.get("content-type"), der.bytes[0]]).toEqual([
      "application/pkix-cert",
      0x30,
    ]);
    const pem = await a.call("GET", "pki/issuer/root/pem");
    expect([pem.headers.get("content-type"), pem.text.slice(0, 10)]).toEqual([
      "application/pem-certificate-chain",
      "-----BEGIN",
    ]);
    const unchanged = await a.call("GET", "pki/issuer/root/pem", undefined, {
      header: { "if-none-match": pem.headers.get("etag") ?? "" },
    });
    expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
  });
});
