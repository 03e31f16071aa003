import { describe, expect, it } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { authority } from "../support/authority.ts";

const patch = { header: { "content-type": "application/merge-patch+json" } };
/** Calls that change nothing in an empty mount. */
const idle: readonly (readonly [method: string, path: string, body?: object])[] = [
  ["POST", "pki/config/urls", {}],
  ["POST", "pki/config/crl", {}],
  ["POST", "pki/config/cluster", {}],
  ["POST", "pki/config/issuers", {}],
  ["POST", "pki/config/keys", {}],
  ["GET", "pki/crl/rotate"],
  ["POST", "pki/issuers/resign-crls", {}],
  ["DELETE", "pki/roles/none"],
  ["DELETE", "pki/issuer/none"],
  ["DELETE", "pki/key/none"],
  ["DELETE", "pki/root"],
  ["POST", "pki/sign-verbatim", {}],
  ["POST", "pki/roles/web", { key_type: "none" }],
  ["POST", "pki/intermediate/set-signed", {}],
  ["POST", "pki/config/ca", { pem_bundle: "x" }],
  ["PATCH", "pki/roles/none", { ttl: "1h" }],
  ["POST", "sys/mounts/pki/tune", {}],
  ["POST", "sys/mounts/pki/tune", { max_lease_ttl: "87600h", description: "" }],
];

describe("the mount created by the first start", () => {
  it.each(idle.map(([method, path, body]) => ({ method, path, body })))(
    "can be replaced after $method $path $body",
    async ({ method, path, body }) => {
      const a = authority({ publicUrl: "https://ca.test" });
      await a.call(method, path, body, method === "PATCH" ? patch : {});
      expect([path, (await a.call("POST", "sys/mounts/pki", { type: "pki" })).status]).toEqual([
        path,
        204,
      ]);
    },
  );

  it.each([
    ["POST", "pki/config/urls", { ocsp_servers: "http://ocsp.test" }],
    ["POST", "pki/config/crl", { expiry: "71h" }],
    ["POST", "pki/config/cluster", { path: "https://other.test/v1/pki" }],
    ["POST", "pki/roles/web", {}],
    ["POST", "pki/keys/generate/internal", { key_type: "ec" }],
    ["POST", "pki/root/generate/internal", { key_type: "ec" }],
    ["POST", "sys/mounts/pki/tune", { description: "mine" }],
  ])("is in use after %s %s %j, even if that is undone", async (method, path, body) => {
    const a = authority({ publicUrl: "https://ca.test" });
    expect((await a.call(method, path, body)).status).toBeLessThan(300);
    expect((await a.call("POST", "sys/mounts/pki", { type: "pki" })).errors).toEqual([
      "path is already in use at pki/",
    ]);
    await a.call("DELETE", path);
    expect((await a.call("POST", "sys/mounts/pki", { type: "pki" })).status).toBe(400);
  });
});

describe("a write without a change", () => {
  it("changes no row and no epoch, unless another engine has changed the value meanwhile", async () => {
    const [stores, a] = [memoryStore(), authority()];
    const one = authority({ stores, clock: a.clock });
    const other = authority({ stores, clock: a.clock, seed: 2 });
    await one.role("web", { ttl: "1h" });
    await one.pki.writeUrls({ ocsp_servers: "http://ocsp.test" });
    const { uuid } = await one.sys.readMount({ path: "pki" });
    const rows = async () => (await stores(uuid).list("")).map(([key, { rev }]) => `${key} ${rev}`);
    const before = await rows();
    await one.role("web", { ttl: "1h" });
    await one.pki.writeUrls({ ocsp_servers: "http://ocsp.test" });
    await one.pki.deleteRole({ name: "none" });
    expect(await rows()).toEqual(before);
    // writing the old value after another engine has written a new one is a change
    await other.role("web", { ttl: "2h" });
    await one.role("web", { ttl: "1h" });
    expect((await other.pki.readRole({ name: "web" })).ttl).toBe(3600);
  });
});
