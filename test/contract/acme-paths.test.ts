import { describe, expect, it } from "vitest";
import { acmeAuthority, clusterPath, type AcmeAuthority } from "../acme/client.ts";

const prefixes = ["acme", "roles/web/acme", "issuer/root/acme", "issuer/root/roles/web/acme"];
const id = "0123456789abcdef0123456789abcdef";
/** The paths that require a JWS, and the header member that identifies its key. */
const signed = {
  "/new-account": "jwk",
  "/account/{account}": "kid",
  "/account/{account}/orders": "kid",
  "/new-order": "kid",
  "/orders": "kid",
  [`/order/${id}`]: "kid",
  [`/order/${id}/finalize`]: "kid",
  [`/order/${id}/cert`]: "kid",
  [`/authorization/${id}`]: "kid",
  [`/challenge/${id}/http-01`]: "kid",
  "/revoke-cert": "either",
  "/key-change": "kid",
} as const;

async function ready(): Promise<AcmeAuthority> {
  const a = await acmeAuthority();
  await a.role("web");
  return a;
}
const wrongKey = /^send (?:kid|jwk) in the protected header, not (?:kid|jwk)$/;

describe("ACME paths (B 5.1)", () => {
  it("B 5.1 directory, B 5.1 new-nonce: are public below each prefix", async () => {
    const a = await ready();
    for (const prefix of prefixes)
      for (const [method, path, status] of [
        ["GET", "directory", 200],
        ["GET", "new-nonce", 204],
        ["HEAD", "new-nonce", 200],
      ] as const) {
        const answer = await a.call(method, `pki/${prefix}/${path}`, undefined, { token: "" });
        expect([prefix, path, answer.status]).toEqual([prefix, path, status]);
      }
  });

  it("B 5.1 new-account, B 5.1 account/:kid, B 5.1 new-order, B 5.1 orders, B 5.1 order/:order_id, B 5.1 order/:order_id/finalize, B 5.1 order/:order_id/cert, B 5.1 authorization/:auth_id, B 5.1 challenge/:auth_id/:type, B 5.1 revoke-cert, B 5.1 key-change: accept a JWS below each prefix, with kid or jwk as the rule says", async () => {
    const a = await ready();
    for (const at of prefixes) {
      const client = await a.registered({ at });
      const account = client.kid.slice(client.kid.lastIndexOf("/") + 1);
      for (const [suffix, key] of Object.entries(signed)) {
        const url = `${clusterPath}/${at}${suffix.replace("{account}", account)}`;
        const byAccount = await client.post(url, {});
        const byItself = await client.postWithKey(url, {});
        const found = [at, suffix, wrongKey.test(byAccount.detail), wrongKey.test(byItself.detail)];
        expect(found).toEqual([at, suffix, key === "jwk", key === "kid"]);
        for (const { status, detail } of [byAccount, byItself]) {
          expect([404, 405, 500], `${suffix}: ${detail}`).not.toContain(status);
          expect(status).toBeLessThan(500);
        }
      }
    }
  });

  it("GET on a resource returns 405", async () => {
    const a = await ready();
    for (const suffix of Object.keys(signed)) {
      const { status, json } = await a.call("GET", `pki/acme${suffix.replace("{account}", id)}`);
      expect([suffix, status, json["type"]]).toEqual([
        suffix,
        405,
        "urn:ietf:params:acme:error:malformed",
      ]);
    }
  });

  it("B 5.1 new-eab: requires a token with update on the path", async () => {
    const a = await ready();
    for (const prefix of prefixes) {
      const made = await a.call("POST", `pki/${prefix}/new-eab`);
      expect([made.status, made.data["acme_directory"]]).toEqual([200, `${prefix}/directory`]);
      for (const token of ["", "reader"])
        expect((await a.call("POST", `pki/${prefix}/new-eab`, undefined, { token })).status).toBe(
          403,
        );
    }
  });

  it("B 5.1 emitted URLs: begin with the cluster path and the prefix of the request, whatever the Host header says", async () => {
    const a = await ready();
    const path = "https://public.test:8443/base/v1/pki";
    await a.pki.writeCluster({ path });
    for (const at of prefixes) {
      const { json, headers } = await a.call("GET", `pki/${at}/directory`, undefined, {
        header: { host: "other.test", "x-forwarded-host": "third.test" },
      });
      const { meta: _, ...urls } = json;
      for (const url of Object.values(urls))
        expect(url).toMatch(new RegExp(`^${path}/${at}/[\\w-]+$`));
      expect(headers.get("link")).toBe(`<${path}/${at}/directory>;rel="index"`);
    }
  });

  it("B 5.1 content types: requests are application/jose+json, responses JSON or problem documents", async () => {
    const a = await ready();
    const client = await a.registered();
    const url = await client.url("newOrder");
    for (const contentType of ["application/json", "text/plain", null])
      expect((await client.post(url, {}, { contentType })).status).toBe(415);
    const right = await client.post(client.kid, undefined, {
      contentType: "application/jose+json; charset=utf-8",
    });
    expect([right.status, right.headers.get("content-type")]).toEqual([200, "application/json"]);
    const wrong = await client.post(url, {});
    expect([wrong.status, wrong.headers.get("content-type")]).toEqual([
      400,
      "application/problem+json",
    ]);
  });
});

describe("ACME response headers (B 5.2)", () => {
  it("B 5.2 always sent, B 5.2 allowed_response_headers: Location, Replay-Nonce and Link are sent whatever the tuning of the mount", async () => {
    const a = await ready();
    const sent = async () => {
      const reply = await a.client().register();
      return ["location", "replay-nonce", "link"].map((name) => reply.headers.get(name) !== null);
    };
    expect(await sent()).toEqual([true, true, true]);
    for (const allowed_response_headers of [["Location", "Replay-Nonce", "Link"], ["X-Other"]]) {
      const tuned = await a.call("POST", "sys/mounts/pki/tune", { allowed_response_headers });
      expect(tuned.status).toBeLessThan(300);
      const read = await a.call("GET", "sys/mounts/pki/tune");
      expect(read.data["allowed_response_headers"]).toEqual(allowed_response_headers);
      expect(await sent()).toEqual([true, true, true]);
    }
  });
});

describe("ACME when disabled or not configured (B 5.3)", () => {
  it("B 5.3 gate order, B 5.12 status 404: if disabled, every path returns a plain 404, before checks of role, issuer and JWS", async () => {
    const a = await ready();
    const client = await a.registered();
    await a.call("POST", "pki/config/acme", { enabled: false });
    for (const prefix of [...prefixes, "roles/none/acme", "issuer/none/acme"]) {
      for (const suffix of Object.keys(signed)) {
        const url = `${clusterPath}/${prefix}${suffix.replace("{account}", id)}`;
        const { status, json } = await client.post(url, {}, { nonce: "none" });
        expect([url, status, json]).toEqual([url, 404, { errors: [] }]);
      }
    }
    expect((await a.call("POST", "pki/acme/new-eab")).status).toBe(200);
  });

  it("B 5.3 gate order: the cluster path is checked next, then role and issuer", async () => {
    const a = await ready();
    const problem = async (prefix: string) => {
      const { status, json } = await a.call("GET", `pki/${prefix}/directory`);
      return [status, String(json["type"]).split(":").at(-1), json["detail"]];
    };
    expect(await problem("roles/none/acme")).toEqual([
      400,
      "malformed",
      expect.stringContaining("none"),
    ]);
    expect(await problem("issuer/none/acme")).toEqual([
      400,
      "malformed",
      expect.stringContaining("none"),
    ]);
    await a.stores(await a.uuid()).commit({ epoch: "next", del: ["config/cluster"] });
    a.clock.advance(2);
    for (const prefix of ["roles/none/acme", "issuer/none/acme", "acme"])
      expect(await problem(prefix)).toEqual([
        500,
        "serverInternal",
        expect.stringMatching(/config\/cluster/),
      ]);
  });
});
