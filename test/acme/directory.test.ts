import { describe, expect, it } from "vitest";
import { acmeAuthority, clusterPath } from "./client.ts";

const prefixes = ["acme", "roles/web/acme", "issuer/root/acme", "issuer/root/roles/web/acme"];
const ready = async (config = {}) => {
  const a = await acmeAuthority({ config });
  await a.role("web");
  return a;
};

describe("the directory of ACME (B 5.6 directory)", () => {
  it.each(prefixes)(
    "acmeDirectory: %s gives its own URLs below the cluster's path (B 5.1 directory, B 5.1 emitted URLs)",
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
      expect(headers.get("replay-nonce")).toMatch(/^[\w-]{43}$/);
    },
  );

  it.each(["new-account-required", "always-required"])(
    "says that an external account is required under the policy %s (B 5.6 externalAccountRequired)",
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
    "acmeNewNonce: %s is answered with %i, another nonce each time (B 5.1 new-nonce, B 5.6 HEAD new-nonce, B 5.6 GET new-nonce)",
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
    "%s: disabled is 404 without a problem document, before all else",
    async (path) => {
      const a = await acmeAuthority({ config: { enabled: false } });
      const { status, json } = await a.call("GET", `pki/roles/nothing/acme/${path}`);
      expect([status, json]).toEqual([404, { errors: [] }]);
    },
  );

  it.each(["directory", "new-nonce"])(
    "%s: without a cluster's path it names the call that sets it",
    async (path) => {
      const a = await ready();
      // such as a mount that was enabled before, by other means
      await a.stores(await a.uuid()).commit({ epoch: "next", del: ["config/cluster"] });
      a.clock.advance(2);
      const { status, json, headers } = await a.call("GET", `pki/acme/${path}`);
      expect([status, json["type"]]).toEqual([500, "urn:ietf:params:acme:error:serverInternal"]);
      expect(json["detail"]).toMatch(/config\/cluster/);
      // a link to a directory without a host would lead elsewhere
      expect(headers.get("link")).toBeNull();
    },
  );

  it.each([
    ["directory", "POST"],
    ["new-nonce", "POST"],
    ["directory", "DELETE"],
  ])("%s: %s is 405, a problem document with a fresh nonce", async (path, method) => {
    const a = await ready();
    const { status, json, headers } = await a.call(method, `pki/acme/${path}`);
    expect([status, json["type"]]).toEqual([405, "urn:ietf:params:acme:error:malformed"]);
    expect(headers.get("replay-nonce")).toMatch(/^[\w-]{43}$/);
  });

  it("another method on a disabled directory is 404 too", async () => {
    const a = await acmeAuthority({ config: { enabled: false } });
    expect((await a.call("POST", "pki/acme/directory")).status).toBe(404);
  });

  it("a mount under `requireEab` is as if ACME were disabled until its policy is always-required", async () => {
    const a = await acmeAuthority({
      config: { eab_policy: "always-required" },
      acme: { requireEab: true },
    });
    expect((await a.call("GET", "pki/acme/directory")).status).toBe(200);
    await a.call("POST", "pki/config/acme", { enabled: false, eab_policy: "not-required" });
    expect((await a.call("GET", "pki/acme/directory")).status).toBe(404);
  });
});
