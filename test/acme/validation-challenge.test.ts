import { describe, expect, it } from "vitest";
import { acmeKeys, authzIndex, type AuthzRow, storedAcme } from "../../src/acme/rows/records.ts";
import { createHash } from "node:crypto";
import { acmeAuthority, clusterPath, type AcmeClient } from "./client.ts";
import { newKey } from "./key.ts";
import { newOrder, orderIn } from "./ordering.ts";
import { until } from "./validation-world.ts";

const types = ["http-01", "dns-01", "tls-alpn-01"] as const;
/** Creates an authority, a client, and functions that store accounts and authorizations directly. */
async function world({
  at = "acme",
  ...options
}: Parameters<typeof acmeAuthority>[0] & { readonly at?: string } = {}) {
  // no validation completes, so that accepted challenges stay processing
  const a = await acmeAuthority({ challenger: () => new Promise(() => undefined), ...options });
  await a.role("web");
  const store = a.stores(await a.uuid());
  const client = a.client({ at });
  const seconds = Math.floor(a.clock.now / 1000);
  const account = async (id: string, of: AcmeClient, directory = at) => {
    await store.commit({
      put: [
        [
          acmeKeys.account(id),
          {
            jwk: of.key.jwk,
            thumbprint: of.key.thumbprint,
            status: "valid",
            contact: [],
            directory,
            created: seconds,
          },
        ],
      ],
    });
    of.kid = `${clusterPath}/${directory}/account/${id}`;
  };
  const authz = async (id: string, more: Partial<AuthzRow> = {}) => {
    const row: AuthzRow = {
      account: "me",
      order: `order-of-${id}`,
      directory: at,
      identifier: { type: "dns", value: "a.example" },
      wildcard: false,
      status: "pending",
      expires: seconds + 86_400,
      challenges: types.map((type) => ({
        type,
        token: `${type}-token`,
        status: "pending",
        attempts: 0,
      })),
      ...more,
    };
    await store.commit({
      put: [
        [acmeKeys.authz(id), row, authzIndex(row.expires)],
        [
          acmeKeys.order(row.order),
          {
            account: "me",
            directory: at,
            identifiers: [],
            authorizations: [id],
            created: seconds,
            expires: seconds + 86_400,
            status: "pending",
          },
        ],
      ],
    });
  };
  await account("me", client);
  await authz("z1");
  return {
    ...a,
    store,
    client,
    account,
    authz,
    url: (type: string, id = "z1", of = at) => `${clusterPath}/${of}/challenge/${id}/${type}`,
    async row(id = "z1") {
      const [row] = await store.get([acmeKeys.authz(id)]);
      return storedAcme.authz(row?.value);
    },
  };
}

describe("acmeChallenge (B 5.10)", () => {
  it.each(["acme", "roles/web/acme", "issuer/root/acme", "issuer/root/roles/web/acme"])(
    "B 5.10 challenge, B 5.10 accept: {} in the directory %s starts a job: processing, with an up link and Retry-After",
    async (at) => {
      const w = await world({ at });
      const url = w.url("http-01");
      const reply = await w.client.post(url, {});
      expect([reply.status, reply.json]).toEqual([
        200,
        { type: "http-01", url, status: "processing", token: "http-01-token" },
      ]);
      expect(reply.link).toBe(`<${clusterPath}/${at}/authorization/z1>;rel="up"`);
      expect(reply.headers.get("retry-after")).toBe("1");
      const { status, challenges } = await w.row();
      expect([status, ...challenges.map((one) => one.status)]).toEqual([
        "pending",
        "processing",
        "pending",
        "pending",
      ]);
      const jobs = await w.store.list("job/", { values: false });
      expect(jobs.map(([key]) => key.split("/")[2])).toContain("acme-validation");
    },
  );

  it("B 5.10 empty payload: POST-as-GET reads the challenge and does not start it", async () => {
    const w = await world();
    const reply = await w.client.post(w.url("dns-01"));
    expect([reply.status, reply.json["status"]]).toEqual([200, "pending"]);
    expect(reply.link).toMatch(/rel="up"$/);
    expect(reply.headers.get("retry-after")).toBeNull();
    expect((await w.row()).challenges.every(({ status }) => status === "pending")).toBe(true);
  });

  it("B 5.10 siblings: the other challenges stay pending after one is valid, and can no longer be started", async () => {
    const w = await world({ challenger: async () => undefined });
    await w.client.post(w.url("dns-01"), {});
    await w.ca.tick();
    await until(async () => (await w.row()).status === "valid");
    const statuses = (await w.row()).challenges.map(({ type, status }) => `${type} ${status}`);
    expect(statuses).toEqual(["http-01 pending", "dns-01 valid", "tls-alpn-01 pending"]);
    const reply = await w.client.post(w.url("dns-01"));
    expect(reply.json["validated"]).toBe("2030-01-02T03:04:05Z");
    expect((await w.client.post(w.url("http-01"), {})).problem).toBe("malformed");
    expect((await w.client.post(w.url("http-01"))).json["status"]).toBe("pending");
  });

  it("B 5.10 accepted again: a second {} changes nothing (security row 44)", async () => {
    const w = await world();
    const url = w.url("http-01");
    await w.client.post(url, {});
    const [before] = await w.store.get([acmeKeys.authz("z1")]);
    w.clock.advance(1);
    const again = await w.client.post(url, {});
    expect([again.status, again.json["status"]]).toEqual([200, "processing"]);
    expect(await w.store.get([acmeKeys.authz("z1")])).toEqual([before]);
  });

  it("of concurrent requests for two challenges of an authorization, only one challenge is started (security row 44)", async () => {
    const w = await world();
    const replies = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const other = w.client.key;
        const one = (await import("./client.ts")).acmeClient({
          fetch: (request) => w.ca.fetch(request),
          directory: `${clusterPath}/acme/directory`,
          key: other,
        });
        one.kid = w.client.kid;
        return one.post(w.url(types[at % 2] ?? ""), {});
      }),
    );
    const { challenges } = await w.row();
    expect(challenges.filter(({ status }) => status === "processing")).toHaveLength(1);
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(replies.filter(({ problem }) => problem === "malformed")).toHaveLength(6);
  });

  it.each([
    ["members in the payload", { a: 1 }, "http-01", {}, "to start the validation, send {}"],
    [
      "another type once one has begun",
      {},
      "dns-01",
      {
        challenges: [
          { type: "http-01", token: "a", status: "processing", attempts: 0 },
          { type: "dns-01", token: "b", status: "pending", attempts: 0 },
        ],
      },
      "the challenge http-01 of the authorization is processing",
    ],
    ["a type that it does not have", {}, "dns-02", {}, "no challenge of this type"],
    [
      "an authorization that is valid",
      {},
      "http-01",
      { status: "valid" },
      "is valid, no longer pending",
    ],
    [
      "an authorization that is invalid",
      {},
      "http-01",
      { status: "invalid" },
      "is invalid, no longer pending",
    ],
    [
      "an authorization that was deactivated",
      {},
      "http-01",
      { status: "deactivated" },
      "is deactivated, no longer pending",
    ],
    ["an authorization that has expired", {}, "http-01", { expires: 1 }, "has expired"],
    ["another account's", {}, "http-01", { account: "other" }, "has no authorization with this id"],
    [
      "another directory's",
      {},
      "http-01",
      { directory: "roles/web/acme" },
      "has no authorization with this id",
    ],
  ] as const)(
    "B 5.10 payload not empty, B 5.10 authorization not pending, B 5.10 another challenge processing: rejects %s as malformed",
    async (_, payload, type, more, why) => {
      const w = await world();
      await w.authz("z2", more);
      const reply = await w.client.post(w.url(type, "z2"), payload);
      expect([reply.status, reply.problem]).toEqual([400, "malformed"]);
      expect(reply.detail).toContain(why);
      expect(
        (await w.row("z2")).challenges.filter(({ status }) => status === "processing").length,
      ).toBe("challenges" in more ? 1 : 0);
    },
  );

  it("returns the same error for a missing challenge and one of another account", async () => {
    const w = await world();
    await w.authz("z2", { account: "other" });
    const [none, foreign] = [
      await w.client.post(w.url("http-01", "nothing")),
      await w.client.post(w.url("http-01", "z2")),
    ];
    expect([none.status, none.detail]).toEqual([foreign.status, foreign.detail]);
  });

  it("starts no challenge for an invalid nonce, alg, URL or account, a missing binding or cluster path, or while ACME is disabled", async () => {
    const w = await world();
    const url = w.url("http-01");
    const refused = async (breaks: Parameters<AcmeClient["post"]>[2]) =>
      (await w.client.post(url, {}, breaks)).problem;
    expect(await refused({ nonce: "x" })).toBe("badNonce");
    expect(await refused({ header: (right) => ({ ...right, alg: "none" }) })).toBe(
      "badSignatureAlgorithm",
    );
    expect(await refused({ header: (right) => ({ ...right, url: `${url}x` }) })).toBe(
      "unauthorized",
    );
    expect(
      await refused({ header: (right) => ({ ...right, kid: `${clusterPath}/acme/account/none` }) }),
    ).toBe("accountDoesNotExist");
    await w.call("POST", "pki/config/acme", { eab_policy: "always-required" });
    w.clock.advance(2);
    expect(await refused({})).toBe("externalAccountRequired");
    await w.call("POST", "pki/config/acme", { eab_policy: "not-required" });
    await w.store.commit({ epoch: "next", del: ["config/cluster"] });
    w.clock.advance(2);
    const header = { "content-type": "application/jose+json" };
    const nowhere = await w.call("POST", "pki/acme/challenge/z1/http-01", "{}", { header });
    expect([nowhere.status, nowhere.json["type"]]).toEqual([
      500,
      "urn:ietf:params:acme:error:serverInternal",
    ]);
    await w.call("POST", "pki/config/acme", { enabled: false });
    w.clock.advance(2);
    expect((await w.client.post(url, {})).status).toBe(404);
    expect((await w.row()).challenges.every(({ status }) => status === "pending")).toBe(true);
  });

  it("B 5.10 error while retrying: shows error and Retry-After between attempts, and the error after the last", async () => {
    const w = await world({
      dial: () => Promise.reject(new Error("10.1.1.1 refused")),
      resolve: async ({ type }) => (type === "A" ? ["8.8.4.4"] : []),
    });
    const url = w.url("http-01");
    await w.client.post(url, {});
    for (let k = 1; k <= 3; k++) {
      await w.ca.tick();
      await until(async () => (await w.row()).challenges[0]?.attempts === k);
      const reply = await w.client.post(url);
      expect(reply.json["status"]).toBe(k < 3 ? "processing" : "invalid");
      expect(reply.headers.get("retry-after")).toBe(k < 3 ? String(5 * k) : null);
      expect(reply.json["error"]).toEqual({
        type: "urn:ietf:params:acme:error:connection",
        detail: "cannot connect to a.example at 8.8.4.4 port 80",
      });
      w.clock.advance(5 * k + 1);
    }
    expect((await w.row()).status).toBe("invalid");
    expect((await w.client.post(url, {})).problem).toBe("malformed");
  });
});

describe("dns-persist-01, enabled in config/acme", () => {
  const at = "_validation-persist.a.example";
  /** Computes the TXT record of an account independently of the sources. */
  const recordOf = ({ kid, key }: AcmeClient, prefix: string, more = "") => {
    const hash = createHash("sha256")
      .update(`\x09a.example${key.thumbprint}${kid}`, "latin1")
      .digest("base64url");
    return `ca.test; accounturi=${prefix}sha-256/${hash}${more}`;
  };
  const metaOf = async (client: AcmeClient) =>
    (await client.urls())["meta"] as Readonly<Record<string, unknown>>;

  it("accepts a record until its persistUntil, even after a change of the account key", async () => {
    let record = "";
    const a = await acmeAuthority({
      resolve: async ({ name, type }) => (type === "TXT" && name === at ? [record] : []),
      config: { challenge_types: ["dns-persist-01", "http-01"] },
    });
    const client = await a.registered();
    const { issuerDomainNames, accountHashPrefix } = await metaOf(client);
    expect(issuerDomainNames).toEqual(["ca.test"]);
    const end = Math.floor(a.clock.now / 1000) + 3600;
    record = recordOf(client, String(accountHashPrefix), `; persistUntil=${end}`);
    const prove = async (by: AcmeClient) => {
      const [url = ""] = orderIn(await newOrder(by, ["a.example"])).authorizations;
      const { challenges } = (await by.post(url)).json as unknown as {
        readonly challenges: readonly Readonly<Record<string, string>>[];
      };
      expect(challenges.map(({ type }) => type)).toEqual(["http-01", "dns-persist-01"]);
      const { url: to = "", ...challenge } = challenges[1] ?? {};
      expect(challenge).toEqual({ type: "dns-persist-01", status: "pending", issuerDomainNames });
      expect((await by.post(to, {})).json["issuerDomainNames"]).toEqual(issuerDomainNames);
      await a.ca.tick();
      await until(async () => (await by.post(url)).json["status"] !== "pending");
      return (await by.post(url)).json;
    };
    const proven = await prove(client);
    expect([proven["status"], Date.parse(String(proven["expires"]))]).toEqual([
      "valid",
      end * 1000,
    ]);
    const next = a.client({ key: newKey() });
    const url = await client.url("keyChange");
    const inner = client.jws(
      { alg: next.key.alg, jwk: next.key.jwk, url },
      { account: client.kid, oldKey: client.key.jwk },
      next.key,
    );
    expect((await client.post(url, inner)).status).toBe(200);
    next.kid = client.kid;
    expect((await prove(next))["status"]).toBe("valid");
  });

  it("accepts the record of the parent domain for a subdomain, with persistent_subdomains", async () => {
    let record = "";
    const a = await acmeAuthority({
      resolve: async ({ name, type }) => (type === "TXT" && name === at ? [record] : []),
      config: { challenge_types: ["dns-persist-01"], persistent_subdomains: true },
    });
    const client = await a.registered();
    const { accountHashPrefix } = await metaOf(client);
    record = recordOf(client, String(accountHashPrefix), "; policy=wildcard");
    const [url = ""] = orderIn(await newOrder(client, ["sub.a.example"])).authorizations;
    const { challenges } = (await client.post(url)).json as unknown as {
      readonly challenges: readonly { readonly url: string }[];
    };
    await client.post(challenges[0]?.url ?? "", {});
    await a.ca.tick();
    await until(async () => (await client.post(url)).json["status"] !== "pending");
    expect((await client.post(url)).json["status"]).toBe("valid");
  });

  it("is not offered by default, and challenge_types determines the challenges of an order", async () => {
    const a = await acmeAuthority();
    const client = await a.registered();
    expect(await metaOf(client)).toEqual({ externalAccountRequired: false });
    const typesOf = async (name: string) => {
      const [url = ""] = orderIn(await newOrder(client, [name])).authorizations;
      const { challenges } = (await client.post(url)).json as unknown as {
        readonly challenges: readonly { readonly type: string }[];
      };
      return challenges.map(({ type }) => type);
    };
    expect(await typesOf("a.example")).toEqual(["http-01", "dns-01", "tls-alpn-01"]);
    await a.call("POST", "pki/config/acme", { challenge_types: "tls-alpn-01" });
    expect(await typesOf("a.example")).toEqual(["tls-alpn-01"]);
    const wildcard = await newOrder(client, ["*.a.example"]);
    expect([wildcard.status, wildcard.problem]).toEqual([400, "rejectedIdentifier"]);
  });
});
