import { beforeAll, describe, expect, it } from "vitest";
import { openOrder } from "../../src/acme/rows/records.ts";
import { acmeAuthority, type AcmeAuthority, type AcmeClient } from "./client.ts";
import { identifiersOf, issue, newOrder, orderIn, prove, setAuthorization } from "./ordering.ts";

let a: AcmeAuthority;
let any: AcmeClient;
let ruled: AcmeClient;
beforeAll(async () => {
  a = await acmeAuthority();
  await a.role("web", {
    allow_any_name: false,
    allowed_domains: ["a.test"],
    allow_subdomains: true,
    allow_wildcard_certificates: false,
    allow_ip_sans: true,
    allowed_ip_sans_cidr: ["192.0.2.0/24"],
  });
  any = await a.registered();
  ruled = await a.registered({ at: "roles/web/acme" });
});
const order = async (client: AcmeClient, identifiers: unknown, more: object = {}) =>
  client.post(await client.url("newOrder"), { identifiers, ...more });
const dns = (value: string) => [{ type: "dns", value }];
const ip = (value: string) => [{ type: "ip", value }];

describe("the identifiers of an order (B 5.9)", () => {
  it.each([
    [undefined],
    [[]],
    ["a.test"],
    [{ type: "dns", value: "a.test" }],
    [["a.test"]],
    [[null]],
    [[{ type: "dns" }]],
    [[{ type: "dns", value: 7 }]],
    [[{ value: "a.test" }]],
    [[{ type: "dns", value: ["a.test"] }]],
  ])("B 5.9 identifiers: %j is malformed", async (identifiers) => {
    const { status, problem } = await order(any, identifiers);
    expect([status, problem]).toEqual([400, "malformed"]);
  });

  it.each(["email", "DNS", "", "permanent-identifier", "__proto__"])(
    "B 5.9 identifier type: %j is an unsupportedIdentifier",
    async (type) => {
      const { status, problem } = await order(any, [{ type, value: "a.test" }]);
      expect([status, problem]).toEqual([400, "unsupportedIdentifier"]);
    },
  );

  it.each([
    ["a.test", 400],
    ["", 400],
    ["192.0.2.256", 400],
    ["192.0.2.01", 400],
    ["0xc0.0.2.1", 400],
    ["192.0.2.1/32", 400],
    ["192.0.2", 400],
    ["fe80::1%eth0", 400],
    ["[2001:db8::1]", 400],
    ["192.0.2.1", 201],
    ["2001:db8::1", 201],
    ["::1", 201],
  ])("B 5.9 ip, security row 8: an order for the address %j returns %i", async (value, status) => {
    const reply = await order(any, ip(value));
    expect([reply.status, reply.problem]).toEqual([status, status === 201 ? "" : "malformed"]);
  });

  it.each([
    ["2001:DB8::1", "2001:db8::1"],
    ["2001:db8:0::1", "2001:db8::1"],
    ["2001:0db8:0:0:0:0:0:1", "2001:db8::1"],
    ["0:0:0:0:0:0:0:1", "::1"],
    ["::ffff:192.0.2.1", "192.0.2.1"],
    ["::ffff:c000:201", "192.0.2.1"],
  ])("B 5.9 ip: the address %s is normalized to %s", async (value, address) => {
    const made = await order(any, ip(value));
    expect([made.status, made.json["identifiers"]]).toEqual([201, ip(address)]);
    const [url = ""] = orderIn(made).authorizations;
    expect((await any.post(url)).json["identifier"]).toEqual(ip(address)[0]);
  });

  it("a role checks the normalized address, in whichever form it was sent", async () => {
    expect((await order(ruled, ip("::ffff:192.0.2.9"))).status).toBe(201);
    expect((await order(ruled, ip("::ffff:c633:6401"))).problem).toBe("rejectedIdentifier");
  });

  it.each(["*", "*.", "a*.a.test", "*a.a.test", "a.*.test", "*.*.a.test", "a.test.*", "**.a.test"])(
    "B 5.9 wildcard: %j is malformed",
    async (value) => {
      expect((await order(any, dns(value))).problem).toBe("malformed");
    },
  );

  it.each([
    "a.test.",
    ".a.test",
    "a..test",
    "a_b.test",
    "-a.test",
    "a-.test",
    "a b.test",
    " a.test",
    "a.test\u0000",
    "a.test\n",
    "ä.test",
    "a。test",
    "xn--.test",
    "xn--a.test",
    "xn--abc-.test",
    "\u212A.test",
    "xn--99999999999.test",
    `${"a".repeat(64)}.test`,
    `${"abcdefg.".repeat(32)}test`,
    "192.0.2.1",
    "*.192.0.2.1",
    "2001:db8::1",
    "1.2.3",
    "0x7f.1",
    "2130706433",
    "a@a.test",
    "http://a.test",
    "a.test:80",
    "a.test/x",
    "",
  ])("B 5.9 dns, security row 8: the name %j is malformed", async (value) => {
    const { status, problem } = await order(any, dns(value));
    expect([status, problem]).toEqual([400, "malformed"]);
  });

  it.each(["a.test", "localhost", "xn--4ca.test", "*.xn--4ca.test", "a--b.test", "1.a1"])(
    "B 5.9 dns: the name %j is accepted unchanged",
    async (value) => {
      const { status, json } = await order(any, dns(value));
      expect([status, json["identifiers"]]).toEqual([201, dns(value)]);
    },
  );

  it.each([
    ["Mixed.A.Test", "mixed.a.test"],
    ["*.A.TEST", "*.a.test"],
    ["XN--4ca.test", "xn--4ca.test"],
  ])("B 5.9 dns: the name %s is normalized to %s", async (value, name) => {
    const made = await order(any, dns(value));
    expect([made.status, made.json["identifiers"]]).toEqual([201, dns(name)]);
    const [url = ""] = orderIn(made).authorizations;
    const { identifier } = (await any.post(url)).json;
    expect(identifier).toEqual({ type: "dns", value: name.replace("*.", "") });
  });

  it("a name in upper case is issued in lower case", async () => {
    const { leaf } = await issue(a, any, ["Mixed.A.Test"], { csr: { names: ["Mixed.A.Test"] } });
    expect(leaf.names?.dns).toEqual(["mixed.a.test"]);
  });

  it("B 5.9 role check: a name that the role does not allow is a rejectedIdentifier, with the rule", async () => {
    for (const [value, rule] of [
      ["b.test", "allowed_domains"],
      ["*.www.a.test", "allow_wildcard_certificates"],
      ["a.test", "allowed_domains"],
    ] as const) {
      const { status, problem, detail } = await order(ruled, dns(value));
      expect([status, problem]).toEqual([400, "rejectedIdentifier"]);
      expect(detail).toContain(rule);
    }
    expect((await order(ruled, ip("198.51.100.1"))).problem).toBe("rejectedIdentifier");
    expect((await order(ruled, ip("192.0.2.9"))).status).toBe(201);
    expect((await order(ruled, dns("www.a.test"))).status).toBe(201);
  });

  it("if several identifiers are rejected, each is reported, with one common type or compound", async () => {
    const alike = await order(ruled, [...dns("b.test"), ...dns("www.a.test"), ...dns("c.test")]);
    expect([alike.status, alike.problem]).toEqual([400, "rejectedIdentifier"]);
    const subproblems = alike.json["subproblems"] as readonly Record<string, unknown>[];
    expect(subproblems.map(({ identifier }) => identifier)).toEqual([
      { type: "dns", value: "b.test" },
      { type: "dns", value: "c.test" },
    ]);
    const mixed = await order(ruled, [...dns("b.test"), ...dns("a..b"), { type: "x", value: "y" }]);
    expect([mixed.status, mixed.problem]).toEqual([400, "compound"]);
    const types = (mixed.json["subproblems"] as readonly Record<string, unknown>[]).map((one) =>
      String(one["type"]).replace("urn:ietf:params:acme:error:", ""),
    );
    expect(types).toEqual(["rejectedIdentifier", "malformed", "unsupportedIdentifier"]);
    const single = await order(ruled, [...dns("www.a.test"), ...dns("b.test")]);
    expect(single.json).not.toHaveProperty("subproblems");
  });

  it("B 5.9 duplicates: are kept, each with its own authorization", async () => {
    const made = await newOrder(any, ["a.test", "a.test"]);
    expect(made.json["identifiers"]).toEqual(identifiersOf("a.test", "a.test"));
    expect(new Set(orderIn(made).authorizations).size).toBe(2);
  });

  it("B 5.10 fresh authorization, security row 7: a wildcard and its domain have separate authorizations, that of the wildcard with dns-01 only", async () => {
    const first = orderIn(await newOrder(any, ["*.a.test"]));
    await prove(a, first.authorizations);
    const again = orderIn(await newOrder(any, ["*.a.test", "a.test"]));
    expect(again.authorizations).not.toContain(first.authorizations[0]);
    const [wild, base] = await Promise.all(
      again.authorizations.map(async (url) => (await any.post(url)).json),
    );
    const types = (json: typeof wild = {}) =>
      (json["challenges"] as readonly Record<string, string>[]).map(({ type }) => type);
    expect([wild?.["status"], wild?.["wildcard"], types(wild)]).toEqual([
      "pending",
      true,
      ["dns-01"],
    ]);
    expect([base?.["status"], base?.["wildcard"]]).toEqual(["pending", undefined]);
    expect(wild?.["identifier"]).toEqual(base?.["identifier"]);
  });
});

describe("the times of an order (B 5.9)", () => {
  const in_ = (seconds: number) => new Date(a.clock.now + seconds * 1000).toISOString();
  it.each(["2030-01-03T00:00:00Z", "0001-01-01T00:00:01Z", "0001-01-01T00:00:00", 7])(
    "B 5.9 notBefore: %j is malformed",
    async (notBefore) => {
      expect((await order(any, dns("a.test"), { notBefore })).problem).toBe("malformed");
    },
  );

  it("B 5.9 notAfter: is accepted up to max_ttl; a later, past or invalid time is malformed", async () => {
    for (const notAfter of [in_(91 * 86_400), in_(-1), "tomorrow", 7, "2030-13-01T00:00:00Z"])
      expect((await order(any, dns("a.test"), { notAfter })).problem).toBe("malformed");
    const notAfter = in_(86_400).replace(/\.\d+/, "");
    const made = await order(any, dns("a.test"), { notAfter });
    expect([made.status, made.json["notAfter"]]).toEqual([201, notAfter]);
  });

  it.each([
    null,
    "",
    "0001-01-01T00:00:00Z",
    "0001-01-01T00:00:00.000Z",
    "0001-01-01T00:00:00+00:00",
    "0001-01-01T01:00:00+01:00",
  ])("B 5.5 absent members: %j counts as an absent time", async (time) => {
    const made = await order(any, dns("a.test"), { notBefore: time, notAfter: time });
    expect([made.status, "notAfter" in made.json]).toEqual([201, false]);
  });

  it.each([null, ""])("%j as profile and replaces counts as absent", async (absent) => {
    const made = await order(any, dns("a.test"), { profile: absent, replaces: absent });
    expect([made.status, "profile" in made.json, "replaces" in made.json]).toEqual([
      201,
      false,
      false,
    ]);
  });
});

describe("limits of orders (D 5)", () => {
  it("an order has at most 100 identifiers: more are malformed without Retry-After", async () => {
    const names = Array.from({ length: 101 }, (_, i) => `n${i}.a.test`);
    const over = await newOrder(any, names);
    expect([over.status, over.problem]).toEqual([400, "malformed"]);
    expect(over.headers.get("retry-after")).toBeNull();
    const made = await newOrder(any, names.slice(1));
    expect([made.status, orderIn(made).authorizations.length]).toEqual([201, 100]);
  });

  it("an account has at most 300 pending orders: a new one is accepted once one has expired, failed or been deactivated", async () => {
    const b = await acmeAuthority();
    const client = await b.registered();
    const other = await b.registered();
    const first = await newOrder(client, ["a.test"]);
    b.clock.advance(60);
    // rows like those of the first order, created without requests
    const store = b.stores(await b.uuid());
    const id = first.location.slice(first.location.lastIndexOf("/") + 1);
    const [row] = await store.get([`order/${id}`]);
    const value = row?.value as { account: string; expires: number; authorizations: string[] };
    const [proof] = await store.get([`authz/${value.authorizations[0]}`]);
    for (let i = 0; i < 298; i++)
      await store.commit({
        put: [
          [
            `order/${id}-${i}`,
            { ...value, expires: value.expires + 60, authorizations: [`${id}-${i}`] },
            {
              order_account: value.account,
              order_open: openOrder(value.account, value.expires + 60),
              acme_end: value.expires,
            },
          ],
          [
            `authz/${id}-${i}`,
            { ...(proof?.value as object), order: `${id}-${i}`, expires: value.expires + 60 },
          ],
        ],
      });
    const second = await newOrder(client, ["b.test"]);
    expect(second.status).toBe(201);
    const over = await newOrder(client, ["a.test"]);
    expect([over.status, over.problem]).toEqual([429, "rateLimited"]);
    expect(Number(over.headers.get("retry-after"))).toBe(86_400 - 60);
    expect((await newOrder(other, ["a.test"])).status).toBe(201);
    // a deactivated order is not pending
    await client.post(orderIn(second).authorizations[0] ?? "", { status: "deactivated" });
    const third = await newOrder(client, ["a.test"]);
    expect(third.status).toBe(201);
    expect((await newOrder(client, ["a.test"])).status).toBe(429);
    // nor is one whose challenge failed
    await setAuthorization(b, orderIn(third).authorizations[0] ?? "", (one) => ({
      ...one,
      status: "invalid",
    }));
    const fourth = await newOrder(client, ["a.test"]);
    expect(fourth.status).toBe(201);
    expect((await newOrder(client, ["a.test"])).status).toBe(429);
    // nor is one whose authorization has expired
    await setAuthorization(b, orderIn(fourth).authorizations[0] ?? "", (one) => ({
      ...one,
      expires: b.clock.now / 1000,
    }));
    expect((await newOrder(client, ["a.test"])).status).toBe(201);
    expect((await newOrder(client, ["a.test"])).status).toBe(429);
    b.clock.advance(86_400 - 60);
    // the client's nonce has expired by now
    await newOrder(client, ["a.test"]);
    expect((await newOrder(client, ["a.test"])).status).toBe(201);
    expect((await newOrder(client, ["a.test"])).status).toBe(429);
  });

  it("an account has at most 2,000 names in pending orders: a new order is accepted once some are no longer pending", async () => {
    const b = await acmeAuthority();
    const [client, other] = [await b.registered(), await b.registered()];
    const names = Array.from({ length: 100 }, (_, i) => `n${i}.a.test`);
    const made = await Promise.all(Array.from({ length: 10 }, () => newOrder(client, names)));
    b.clock.advance(60);
    for (let i = 0; i < 10; i++) made.push(await newOrder(client, names));
    expect(made.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 201));
    const over = await newOrder(client, ["a.test"]);
    expect([over.status, over.problem, over.headers.get("retry-after")]).toEqual([
      429,
      "rateLimited",
      String(86_400 - 60),
    ]);
    expect(over.detail).toContain(
      "the account has 2000 names in pending orders, and with the new order more than 2000",
    );
    expect((await newOrder(other, names)).status).toBe(201);
    await client.post(orderIn(made[0] ?? over).authorizations[0] ?? "", { status: "deactivated" });
    expect((await newOrder(client, names)).status).toBe(201);
    expect((await newOrder(client, ["a.test"])).status).toBe(429);
  });

  it("at most 300 failed orders of an account are stored, even if more were stored earlier or several fail at once", async () => {
    const b = await acmeAuthority();
    const client = await b.registered();
    const [first, second] = [
      await newOrder(client, ["a.test"]),
      await newOrder(client, ["b.test"]),
    ];
    const store = b.stores(await b.uuid());
    const id = first.location.slice(first.location.lastIndexOf("/") + 1);
    const [row] = await store.get([`order/${id}`]);
    const value = row?.value as { account: string; expires: number; authorizations: string[] };
    const [proof] = await store.get([`authz/${value.authorizations[0]}`]);
    const copies = async (index: "order_open" | "order_failed", count: number) => {
      for (let i = 0; i < count; i++) {
        const copy = `${id}-${index}-${i}`;
        const at = openOrder(value.account, value.expires + 1 + i);
        await store.commit({
          put: [
            [
              `order/${copy}`,
              { ...value, expires: value.expires + 1 + i, authorizations: [copy] },
              { order_account: value.account, [index]: at, acme_end: value.expires },
            ],
            [`authz/${copy}`, { ...(proof?.value as object), order: copy, status: "invalid" }],
          ],
        });
      }
    };
    const failed = async () => {
      const by = {
        name: "order_failed",
        from: openOrder(value.account, 0),
        to: openOrder(value.account, 999_999_999_999),
      };
      return (await store.list("order/", { by, limit: 1000, values: false })).length;
    };
    await copies("order_failed", 310);
    await client.post(orderIn(second).authorizations[0] ?? "", { status: "deactivated" });
    expect(await failed()).toBe(300);
    // 300 orders are pending, of which 299 have failed: some are closed at once
    await copies("order_open", 299);
    expect((await newOrder(client, ["c.test"])).status).toBe(201);
    expect(await failed()).toBe(300);
    const orders = (await store.list("order/", { values: false })).length;
    expect((await store.list("authz/", { values: false })).length).toBe(orders);
  });

  it("failed orders of an account with at most 2,000 names are stored: the oldest are removed", async () => {
    const b = await acmeAuthority();
    const client = await b.registered();
    const names = Array.from({ length: 100 }, (_, i) => `n${i}.a.test`);
    const waiting = await newOrder(client, ["a.test"]);
    const failed: string[] = [];
    for (let i = 0; i < 23; i++) {
      const made = await newOrder(client, names);
      failed.push(made.location);
      await client.post(orderIn(made).authorizations[0] ?? "", { status: "deactivated" });
      b.clock.advance(1);
    }
    const store = b.stores(await b.uuid());
    const count = async (prefix: string) => (await store.list(prefix, { values: false })).length;
    expect([await count("order/"), await count("authz/")]).toEqual([21, 2001]);
    expect((await client.post(failed[0] ?? "", undefined)).problem).toBe("malformed");
    expect((await client.post(failed.at(-1) ?? "", undefined)).json["status"]).toBe("invalid");
    expect((await client.post(waiting.location, undefined)).json["status"]).toBe("pending");
  });
});
