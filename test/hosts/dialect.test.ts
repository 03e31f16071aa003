import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { apiOf, makeAuthority, noteEvents, type Api } from "../http/api.ts";
import { hosts, type RunningHost } from "./hosts.ts";

const leaf = { common_name: "www.example.com" };
let server: RunningHost;
let api: Api;

describe.each(hosts)("HTTP at $host", ({ start }) => {
  beforeAll(async () => {
    server = await start({ env: { LOG: "json" } });
    api = apiOf(server);
    await makeAuthority(api);
  });
  afterAll(() => server.stop());
  noteEvents(() => server);

  it("HEAD returns the headers of GET without a body, and a conditional GET of a current CRL returns 304", async () => {
    for (const path of ["pki/ca/pem", "pki/crl", "sys/health"]) {
      const [get, head] = [
        await api("GET", path, undefined, { token: "none" }),
        await api("HEAD", path, undefined, { token: "none" }),
      ];
      expect([head.status, head.text]).toEqual([200, ""]);
      for (const name of ["content-type", "etag", "last-modified", "cache-control"])
        expect(head.headers.get(name), name).toBe(get.headers.get(name));
    }
    const etag = (await api("GET", "pki/crl")).headers.get("etag") ?? "";
    expect(
      (await api("GET", "pki/crl", undefined, { headers: { "If-None-Match": etag } })).status,
    ).toBe(304);
  });

  it("the token header selects the dialect", async () => {
    const [own, ...compat] = [
      await api("POST", "pki/issue/web", leaf),
      await api("PUT", "pki/issue/web", leaf, { token: "X-Vault-Token" }),
      await api("POST", "pki/issue/web", leaf, { token: "Authorization" }),
    ];
    expect([typeof own?.data["expiration"], own?.json["warnings"]]).toEqual(["string", ""]);
    for (const answer of compat)
      expect([typeof answer.data["expiration"], answer.json["warnings"]]).toEqual(["number", null]);
    const both = await api("POST", "pki/issue/web", leaf, {
      headers: { "X-Vault-Token": "wrong" },
    });
    expect([both.status, typeof both.data["expiration"]]).toEqual([200, "string"]);
  });
});
