import { describe, expect, it } from "vitest";
import { acmeAuthority, clusterPath } from "./client.ts";

const prefixes = ["acme", "roles/web/acme", "issuer/root/acme", "issuer/root/roles/web/acme"];
const ready = async (config = {}) => {
  const a = await acmeAuthority({ config });
  await a.role("web");
  return a;
};

describe("the ACME directory (B 5.6 directory)", () => {
  it.each(prefixes)(
    "acmeDirectory: %s returns its URLs below the cluster path (B 5.1 directory, B 5.1 emitted URLs)",
    async (at) => {
      const a = await ready();
      const { status, json, headers } = await a.call("GET", `pki/${at}/directory`, undefined, {
        token: "",
        header: { host: "elsewhere.test" },
      });
      const base = `${clusterPath}/${at}`;
      expect([status, json]).toEqual([
        200,
        {
          newNonce: `${base}/new-nonce`,
          newAccount: `${base}/new-account`,
          newOrder: `${base}/new-order`,
          revokeCert: `${base}/revoke-cert`,
          keyChange: `${base}/key-change`,
          renewalInfo: `${base}/renewal-info`,
          meta: expect.objectContaining({ externalAccountRequired: false }),
        },
      ]);
      expect(headers.get("content-type")).toBe("application/json");
      expect(headers.get("link")).toBe(`<${base}/directory>;rel="index"`);
      // nonces are only for new-nonce and signed requests (RFC 8555 section 6.5)
      expect(headers.get("replay-nonce")).toBeNull();
    },
  );

  it.each(["GET", "HEAD"])(
    "%s of directory and renewalInfo returns no nonce, even if the request is rejected",
    async (method) => {
      const a = await ready();
      for (const [path, status] of [
        ["acme/directory", 200],
        ["roles/none/acme/directory", 400],
        ["acme/renewal-info/AQ.AQ", 404],
        ["acme/renewal-info/x", 400],
        ["roles/none/acme/renewal-info/x", 400],
      ] as const) {
        const { headers, ...reply } = await a.call(method, `pki/${path}`, undefined, { token: "" });
        expect([path, reply.status, headers.get("replay-nonce")]).toEqual([path, status, null]);
        expect(headers.get("link")).toContain('rel="index"');
      }
    },
  );

  it("a default directory whose role was deleted returns serverInternal, also for renewalInfo", async () => {
    const a = await ready();
    await a.role("gone");
    await a.call("POST", "pki/config/acme", { default_directory_policy: "role:gone" });
    await a.call("DELETE", "pki/roles/gone");
    for (const path of ["directory", "renewal-info/AQ.AQ"]) {
      const { status, json } = await a.call("GET", `pki/acme/${path}`);
      expect([path, status, json["type"]]).toEqual([
        path,
        500,
        expect.stringMatching(/serverInternal$/),
      ]);
    }
  });

  it("acmeSignedDirectory, acmeSignedNewNonce: POST-as-GET returns the same as GET, with a new nonce (RFC 8555 section 6.3)", async () => {
    const a = await ready();
    for (const at of prefixes) {
      const client = await a.registered({ at });
      const read = await client.post(`${clusterPath}/${at}/directory`);
      expect([read.status, read.json]).toEqual([200, await client.urls()]);
      const nonce = await client.post(await client.url("newNonce"));
      expect([nonce.status, nonce.text, nonce.headers.get("cache-control")]).toEqual([
        204,
        "",
        "no-store",
      ]);
      const full = await client.post(await client.url("newNonce"), {});
      expect([full.status, full.problem]).toEqual([400, "malformed"]);
    }
    const stranger = await a.client().post(`${clusterPath}/acme/directory`);
    expect([stranger.status, stranger.problem]).toEqual([400, "malformed"]);
  });

  it.each([
    ["POST", "acme/renewal-info/x", "use GET"],
    ["DELETE", "acme/directory", "send a JWS with POST, with an empty payload to read a resource"],
    ["GET", "acme/new-order", "send a JWS with POST, with an empty payload to read a resource"],
  ])("%s %s returns 405 and names the allowed methods", async (method, path, told) => {
    const { status, json } = await (await ready()).call(method, `pki/${path}`);
    expect([status, json["detail"]]).toEqual([405, `method not allowed: ${told}`]);
  });

  it.each(["new-account-required", "always-required"])(
    "requires an external account with eab_policy %s (B 5.6 externalAccountRequired)",
    async (eab_policy) => {
      const a = await ready({ eab_policy });
      const { json } = await a.call("GET", "pki/acme/directory");
      expect(json["meta"]).toMatchObject({ externalAccountRequired: true });
    },
  );

  it.each([
    ["GET", 204],
    ["HEAD", 200],
  ])(
    "acmeNewNonce: %s returns %i and a new nonce each time (B 5.1 new-nonce, B 5.6 HEAD new-nonce, B 5.6 GET new-nonce)",
    async (method, status) => {
      const a = await ready();
      const nonces = new Set<string | null>();
      for (let i = 0; i < 20; i++) {
        const reply = await a.call(method, "pki/acme/new-nonce", undefined, { token: "" });
        expect([reply.status, reply.text, reply.headers.get("cache-control")]).toEqual([
          status,
          "",
          "no-store",
        ]);
        expect(reply.headers.get("link")).toBe(`<${clusterPath}/acme/directory>;rel="index"`);
        nonces.add(reply.headers.get("replay-nonce"));
      }
      expect(nonces.size).toBe(20);
      expect([...nonces].every((nonce) => /^[\w-]{43}$/.test(nonce ?? ""))).toBe(true);
    },
  );

  it.each(["directory", "new-nonce"])(
    "%s: returns 404 without a problem document if ACME is disabled, before any other check",
    async (path) => {
      const a = await acmeAuthority({ config: { enabled: false } });
      const { status, json } = await a.call("GET", `pki/roles/nothing/acme/${path}`);
      expect([status, json]).toEqual([404, { errors: [] }]);
    },
  );

  it.each(["directory", "new-nonce"])(
    "%s: without a cluster path, the error names the call that sets it",
    async (path) => {
      const a = await ready();
      // for example, a mount that was enabled by an earlier version
      await a.stores(await a.uuid()).commit({ epoch: "next", del: ["config/cluster"] });
      a.clock.advance(2);
      const { status, json, headers } = await a.call("GET", `pki/acme/${path}`);
      expect([status, json["type"]]).toEqual([500, "urn:ietf:params:acme:error:serverInternal"]);
      expect(json["detail"]).toMatch(/config\/cluster/);
      // without a host, a link to the directory would lead elsewhere
      expect(headers.get("link")).toBeNull();
    },
  );

  it.each([
    ["new-nonce", "DELETE"],
    ["directory", "DELETE"],
  ])("%s: %s returns 405 as a problem document with a new nonce", async (path, method) => {
    const a = await ready();
    const { status, json, headers } = await a.call(method, `pki/acme/${path}`);
    expect([status, json["type"]]).toEqual([405, "urn:ietf:params:acme:error:malformed"]);
    expect(headers.get("replay-nonce")).toMatch(/^[\w-]{43}$/);
  });

  it("other methods on a disabled directory return 404 too", async () => {
    const a = await acmeAuthority({ config: { enabled: false } });
    for (const method of ["POST", "DELETE"])
      expect((await a.call(method, "pki/acme/directory")).status).toBe(404);
  });

  it("with `requireEab`, ACME is disabled in a mount until its eab_policy is always-required", async () => {
    const a = await acmeAuthority({
      config: { eab_policy: "always-required" },
      acme: { requireEab: true },
    });
    expect((await a.call("GET", "pki/acme/directory")).status).toBe(200);
    await a.call("POST", "pki/config/acme", { enabled: false, eab_policy: "not-required" });
    expect((await a.call("GET", "pki/acme/directory")).status).toBe(404);
  });
});
