import { describe, expect, it } from "vitest";
import { problemTypeOf } from "../../src/acme/protocol/problem.ts";
import { statusOfRefusal, type Refusal } from "../../src/base/errors.ts";
import { acmeAuthority, acmeClient, clusterPath, type AcmeAuthority } from "../acme/client.ts";
import { newKey, type AcmeKey } from "../acme/key.ts";

async function ready(config: Readonly<Record<string, unknown>> = {}): Promise<AcmeAuthority> {
  const a = await acmeAuthority({ config });
  await a.role("web");
  return a;
}
interface Told {
  readonly status: number;
  readonly problem: string;
}
const told = ({ status, problem }: Told): readonly unknown[] => [status, problem];
const malformed = [400, "malformed"];

describe("JWS (B 5.5)", () => {
  it("B 5.5 flattened JSON: an unprotected header and multiple signatures are malformed", async () => {
    const client = await (await ready()).registered();
    for (const jws of [
      (right: object) => ({ ...right, header: { kid: client.kid } }),
      (right: object) => ({ ...right, header: {} }),
      ({ payload, ...one }: { payload: string }) => ({ payload, signatures: [one, one] }),
      ({ signature }: { signature: string }) => ({ signature }),
    ])
      expect(told(await client.post(client.kid, undefined, { jws }))).toEqual(malformed);
    expect((await client.post(client.kid)).status).toBe(200);
  });

  it("B 5.5 alg: each of the ten algorithms is accepted with a matching key; others are badSignatureAlgorithm", async () => {
    const a = await ready();
    const rsa = newKey("RS256");
    const keys: readonly AcmeKey[] = ["ES256", "ES384", "ES512", "EdDSA"].map((alg) => newKey(alg));
    for (const key of keys) expect((await a.client({ key }).register()).status).toBe(201);
    const client = a.client({ key: rsa });
    expect((await client.register()).status).toBe(201);
    const as = (alg: string) =>
      client.post(client.kid, undefined, {
        header: (right) => ({ ...right, alg }),
        sign: (data, key) => key.sign(data, alg),
      });
    for (const alg of ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"])
      expect([alg, (await as(alg)).status]).toEqual([alg, 200]);
    for (const alg of ["none", "HS256", "RS1", "ES256K", ""])
      expect(told(await as(alg))).toEqual([400, "badSignatureAlgorithm"]);
  });

  it("B 5.5 kid and jwk: sending both or neither is malformed", async () => {
    const client = await (await ready()).registered();
    const header = (change: object) =>
      client.post(client.kid, undefined, { header: (right) => ({ ...right, ...change }) });
    expect(told(await header({ jwk: client.key.jwk }))).toEqual(malformed);
    expect(told(await header({ kid: undefined }))).toEqual(malformed);
  });

  it("B 5.5 unknown kid: returns accountDoesNotExist; B 5.5 kid of another directory: is malformed", async () => {
    const a = await ready();
    const client = await a.registered();
    const other = await a.registered({ at: "roles/web/acme" });
    const url = await client.url("newOrder");
    const by = (kid: string) =>
      other.post(url, {}, { header: (right) => ({ ...right, kid }), nonce: "later" });
    const fresh = async (kid: string) =>
      other.post(
        url,
        {},
        {
          header: (right) => ({ ...right, kid }),
          nonce: await client.nonce(),
        },
      );
    expect(told(await fresh(`${clusterPath}/acme/account/none`))).toEqual([
      400,
      "accountDoesNotExist",
    ]);
    expect(told(await fresh(other.kid))).toEqual(malformed);
    expect(told(await by(other.kid))).toEqual([400, "badNonce"]);
  });

  it("B 5.5 kid at another address: returns accountDoesNotExist, and newAccount then returns the current URL", async () => {
    const a = await ready();
    const client = await a.registered();
    const url = await client.url("newNonce");
    const id = client.kid.slice(client.kid.lastIndexOf("/") + 1);
    const by = (kid: string) =>
      client.post(url, undefined, { header: (right) => ({ ...right, kid }) });
    for (const kid of [
      `https://elsewhere.test/v1/pki/acme/account/${id}`,
      `${clusterPath.replace("http", "https")}/acme/account/${id}`,
      `/${id}`,
      id,
    ])
      expect([kid, ...told(await by(kid))]).toEqual([kid, 400, "accountDoesNotExist"]);
    for (const kid of [
      `${clusterPath}/roles/web/acme/account/${id}`,
      `${clusterPath}/acme/account//${id}`,
      `${clusterPath}/acme/account/x/../${id}`,
      `${clusterPath}/acme/order/${id}`,
    ])
      expect([kid, ...told(await by(kid))]).toEqual([kid, ...malformed]);
    expect((await by(client.kid)).status).toBe(204);
    // the address of the mount has changed
    const before = client.kid;
    const path = "https://new.test/v1/pki";
    await a.call("POST", "pki/config/cluster", { path });
    const moved = acmeClient({
      fetch: (request) => a.ca.fetch(request),
      directory: `${path}/acme/directory`,
      key: client.key,
    });
    moved.kid = before;
    expect(told(await moved.post(`${path}/acme/orders`))).toEqual([400, "accountDoesNotExist"]);
    expect((await moved.register({ onlyReturnExisting: true })).location).toBe(
      `${path}/acme/account/${id}`,
    );
    expect((await moved.post(`${path}/acme/orders`)).status).toBe(200);
  });

  it("B 5.5 order of checks: first the nonce, then the URL, the signature and the payload", async () => {
    const client = await (await ready()).registered();
    const url = await client.url("newOrder");
    const wrong = {
      nonce: { nonce: "never-given" },
      url: { header: (right: object) => ({ ...right, url: `${url}/` }) },
      signature: { sign: () => new Uint8Array(64) },
      payload: { payload: () => "eA" },
    };
    const { nonce, url: address, signature, payload } = wrong;
    const all = { ...nonce, ...address, ...signature, ...payload };
    expect(told(await client.post(url, {}, all))).toEqual([400, "badNonce"]);
    expect(told(await client.post(url, {}, { ...address, ...signature }))).toEqual([
      401,
      "unauthorized",
    ]);
    expect((await client.post(url, {}, signature)).detail).toMatch(/signature/);
    expect(told(await client.post(url, {}, {}))).toEqual(malformed);
  });

  it("B 5.5 url: a different URL is unauthorized, and the error contains both", async () => {
    const client = await (await ready()).registered();
    const url = await client.url("newOrder");
    const reply = await client.post(
      url,
      {},
      { header: (right) => ({ ...right, url: client.kid }) },
    );
    expect([...told(reply), reply.detail]).toEqual([
      401,
      "unauthorized",
      `invalid value for 'url' in 'protected': got '${client.kid}' expected '${url}'`,
    ]);
  });

  it("B 5.5 signature mismatch: a signature by another key or over another payload is malformed", async () => {
    const client = await (await ready()).registered();
    const other = newKey();
    for (const sign of [
      (data: string) => other.sign(data),
      (data: string, key: AcmeKey) => key.sign(`${data}a`),
    ])
      expect(told(await client.post(client.kid, undefined, { sign }))).toEqual(malformed);
  });

  it("B 5.5 nonce, B 5.5 nonce validity: a nonce is valid once, for 90 seconds, even after a restart", async () => {
    const a = await ready();
    const client = await a.registered();
    const asked = (nonce: unknown) => client.post(client.kid, undefined, { nonce });
    const bad = [400, "badNonce"];
    const nonce = await client.nonce();
    expect((await asked(nonce)).status).toBe(200);
    for (const one of [nonce, "", "AAAA", undefined]) expect(told(await asked(one))).toEqual(bad);
    const early = await client.nonce();
    a.clock.advance(89);
    expect((await asked(early)).status).toBe(200);
    const late = await client.nonce();
    a.clock.advance(91);
    expect(told(await asked(late))).toEqual(bad);
    const kept = await client.nonce();
    const again = await acmeAuthorityOver(a);
    const url = `${clusterPath}/acme/new-nonce`;
    expect((await again(new Request(url, { method: "HEAD" }))).status).toBe(200);
    expect((await asked(kept)).status).toBe(200);
  });

  it("B 5.5 every answer: carries a fresh nonce and one link to the directory", async () => {
    const client = await (await ready()).registered();
    const url = await client.url("newOrder");
    const replies = [
      await client.post(client.kid),
      await client.post(url, {}),
      await client.post(url, {}, { nonce: "bad" }),
      await client.post(url, {}, { body: () => "no JSON" }),
    ];
    const nonces = replies.map(({ headers }) => headers.get("replay-nonce"));
    expect(new Set(nonces).size).toBe(replies.length);
    expect(nonces).not.toContain(null);
    for (const { link } of replies)
      expect(link).toBe(`<${clusterPath}/acme/directory>;rel="index"`);
  });

  it("B 5.5 POST-as-GET: requires an empty payload; an empty object is malformed", async () => {
    const client = await (await ready()).registered({});
    expect((await client.post(client.kid)).status).toBe(200);
    expect(told(await client.post(await client.url("newOrder")))).toEqual(malformed);
    const orders = `${clusterPath}/acme/orders`;
    expect((await client.post(orders)).status).toBe(200);
    expect(told(await client.post(orders, {}))).toEqual(malformed);
  });
});

/** Returns the fetch function of another engine over the same stores, like another process. */
async function acmeAuthorityOver(a: AcmeAuthority) {
  const { authority } = await import("../support/authority.ts");
  const { ca } = authority({ stores: a.stores, clock: a.clock, seed: 7 });
  return (request: Request) => ca.fetch(request);
}

describe("the directory (B 5.6)", () => {
  it("B 5.6 directory: has exactly these members, and B 5.6 externalAccountRequired: is true for both policies that require one", async () => {
    for (const [eab_policy, required] of [
      ["not-required", false],
      ["new-account-required", true],
      ["always-required", true],
    ] as const) {
      const a = await ready({ eab_policy });
      const { json } = await a.call("GET", "pki/acme/directory", undefined, { token: "" });
      expect(Object.keys(json).toSorted()).toEqual([
        "keyChange",
        "meta",
        "newAccount",
        "newNonce",
        "newOrder",
        "renewalInfo",
        "revokeCert",
      ]);
      expect(json["meta"]).toMatchObject({ externalAccountRequired: required });
      for (const none of ["termsOfService", "caaIdentities", "website"])
        expect(json["meta"]).not.toHaveProperty(none);
    }
  });

  it("B 5.6 HEAD new-nonce: returns 200, and B 5.6 GET new-nonce: returns 204, both with a nonce and no-store", async () => {
    const a = await ready();
    for (const [method, status] of [
      ["HEAD", 200],
      ["GET", 204],
    ] as const) {
      const answer = await a.call(method, "pki/acme/new-nonce", undefined, { token: "" });
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([status, "no-store"]);
      expect(answer.headers.get("replay-nonce")).not.toBeNull();
      expect(answer.headers.get("link")).toBe(`<${clusterPath}/acme/directory>;rel="index"`);
    }
  });
});

describe("problem documents (B 5.12)", () => {
  it("B 5.12 problem: has a type and a detail, and subproblems only if several identifiers fail", async () => {
    const a = await ready({ default_directory_policy: "sign-verbatim" });
    await a.role("narrow", {
      allow_any_name: false,
      allowed_domains: ["a.test"],
      allow_bare_domains: true,
    });
    const client = await a.registered({ at: "roles/narrow/acme" });
    const order = async (...names: readonly string[]) => {
      const identifiers = names.map((value) => ({ type: "dns", value }));
      return client.post(await client.url("newOrder"), { identifiers });
    };
    const one = await order("a.test", "b.test");
    expect([one.status, one.headers.get("content-type")]).toEqual([
      400,
      "application/problem+json",
    ]);
    expect(Object.keys(one.json).toSorted()).toEqual(expect.arrayContaining(["detail", "type"]));
    const several = await order("b.test", "a.test", "c.test");
    expect(several.json["subproblems"]).toHaveLength(2);
    const plain = await client.post(client.kid, undefined, { nonce: "bad" });
    expect(Object.keys(plain.json).toSorted()).toEqual(["detail", "type"]);
  });

  it("B 5.12 status 400, B 5.12 status 401, B 5.12 status 403, B 5.12 status 429, B 5.12 status 500: belong to the error types of the rule", () => {
    const statuses: Readonly<Record<number, readonly Refusal[]>> = {
      400: [
        "account_does_not_exist",
        "already_revoked",
        "bad_csr",
        "bad_nonce",
        "bad_public_key",
        "bad_revocation_reason",
        "bad_signature_algorithm",
        "compound",
        "incorrect_response",
        "invalid_contact",
        "malformed",
        "rejected_identifier",
        "unsupported_contact",
        "unsupported_identifier",
      ],
      401: ["external_account_required", "acme_unauthorized", "user_action_required"],
      403: ["order_not_ready", "acme_forbidden"],
      429: ["rate_limited"],
      500: ["connection", "dns", "tls", "server_internal", "damaged"],
    };
    for (const [status, codes] of Object.entries(statuses))
      for (const code of codes)
        expect([code, statusOfRefusal(code, false)]).toEqual([code, Number(status)]);
    const codes = [
      "acme_unauthorized",
      "acme_forbidden",
      "order_not_ready",
      "rate_limited",
      "damaged",
      "in_use",
    ] as const;
    expect(codes.map((code) => problemTypeOf(code))).toEqual([
      "unauthorized",
      "unauthorized",
      "orderNotReady",
      "rateLimited",
      "serverInternal",
      "malformed",
    ]);
  });

  it("B 5.12 status 401, B 5.12 status 403, B 5.12 status 429: are returned to clients", async () => {
    const strict = await ready({ eab_policy: "new-account-required" });
    expect(told(await strict.client().register())).toEqual([401, "externalAccountRequired"]);
    const limited = await acmeAuthority({ acme: { accountLimit: 1 } });
    await limited.registered();
    expect(told(await limited.client().register())).toEqual([429, "rateLimited"]);
    const shut = await ready({ default_directory_policy: "forbid" });
    const { status, json } = await shut.call("GET", "pki/acme/directory");
    expect([status, json["type"]]).toEqual([403, "urn:ietf:params:acme:error:unauthorized"]);
  });
});
