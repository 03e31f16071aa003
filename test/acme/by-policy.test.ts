import { beforeEach, describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { nameOid } from "../../src/x509/oid.ts";
import { basicConstraints, keyUsage } from "../x509/extensions.ts";
import { keyOf, readCertificate, sanOf } from "../pki/reading.ts";
import { templateFor, type Asked, type Template } from "../external/deciding.ts";
import { acmeAuthority, binding, type AcmeAuthority, type AcmeClient } from "./client.ts";
import { chainIn, csrOf, finalize, issue, newOrder, orderIn, readyOrder } from "./ordering.ts";

let a: AcmeAuthority;
let asked: Asked[];
let answer: (asked: Asked) => Promise<Readonly<Record<string, unknown>>>;
const yes = async (
  { request_uuid, user_request_key_values: { csr } }: Asked,
  template: Template = {},
  more: object = {},
) => ({
  request_uuid,
  certificate: encodePem("CERTIFICATE", await templateFor(csr, template)),
  issuer_ref: "root",
  store_certificate: true,
  ...more,
});
beforeEach(async () => {
  asked = [];
  answer = (question) => yes(question);
  a = await acmeAuthority({
    externalPolicy: async (question) => {
      asked.push(question);
      return answer(question);
    },
  });
  await a.call("POST", "pki/config/external-policy", { enabled: true });
});
const told = ({ status, problem }: { readonly status: number; readonly problem: string }) =>
  [status, problem] as const;
const statusOf = async (client: AcmeClient, order: string) =>
  orderIn(await client.post(order)).status;
const certificates = async () =>
  ((await a.call("LIST", "pki/certs")).data["keys"] as readonly string[]).length;

const cn = (value: string) => ({ oid: nameOid.commonName, value });

const places = [
  "external-policy/acme",
  "external-policy/servers/acme",
  "issuer/root/external-policy/acme",
  "issuer/root/external-policy/servers/acme",
  // a policy with the name of the path segment after it
  "external-policy/acme/acme",
] as const;

const named: Readonly<Record<string, string>> = {
  "external-policy/servers/acme": "servers",
  "issuer/root/external-policy/servers/acme": "servers",
  "external-policy/acme/acme": "acme",
};

describe("directories of external policies (B 5.14)", () => {
  it.each(places)(
    "%s: an order is validated as usual, and the policy service decides about issuance",
    async (at) => {
      const client = await a.registered({ at });
      const { leaf, chain, order } = await issue(a, client, ["a.example"]);
      expect([leaf.text.subject, leaf.names?.dns, chain.length]).toEqual([
        "CN=a.example",
        ["a.example"],
        2,
      ]);
      expect(asked).toHaveLength(1);
      const [{ vault_request_values: values, acme_request_key_values: acme, ...rest }] = asked as [
        Asked,
      ];
      expect([
        values.issuance_mode,
        values.policy_name,
        values.vault_generated_private_key,
      ]).toEqual(["acme", named[at], false]);
      expect(acme).toMatchObject({
        account: { directory: at, contact: [], id: client.kid.split("/").at(-1) },
        authorizations: [
          {
            identifier: { type: "dns", value: "a.example" },
            status: "valid",
            challenges: [{ type: "http-01", status: "valid" }],
          },
        ],
      });
      expect(rest.identity_request_key_values).toBeUndefined();
      expect(Object.keys(rest.user_request_key_values)).toEqual(["csr"]);
      expect(await statusOf(client, order)).toBe("valid");
      expect((await finalize(client, order, { names: ["a.example"] })).problem).toBe(
        "orderNotReady",
      );
      expect(asked).toHaveLength(1);
    },
  );

  it.each([
    ["external-policy", undefined],
    ["external-policy:servers", "servers"],
  ])("the default directory can use %s, which allows no profiles", async (policy, name) => {
    const { status } = await a.call("POST", "pki/config/acme", {
      default_directory_policy: policy,
    });
    expect(status).toBe(200);
    await a.role("web");
    const client = await a.registered();
    expect((await client.urls())["meta"]).not.toHaveProperty("profiles");
    const profiled = await newOrder(client, ["a.example"], { profile: "web" });
    expect(told(profiled)).toEqual([400, "invalidProfile"]);
    await issue(a, client, ["a.example"]);
    expect(asked.map((one) => one.vault_request_values.policy_name)).toEqual([name]);
    // a role in the path still determines the rules
    const byRole = await a.registered({ at: "roles/web/acme" });
    await issue(a, byRole, ["a.example"]);
    expect(asked).toHaveLength(1);
  });

  it.each(["external-policy:", "external-policy:a:b", "external-policy:a/b", "external"])(
    "default_directory_policy rejects %s",
    async (default_directory_policy) => {
      const { status } = await a.call("POST", "pki/config/acme", { default_directory_policy });
      expect(status).toBe(400);
    },
  );

  it("a disabled external policy is reported by its directories, and by a warning when it is configured", async () => {
    await a.call("POST", "pki/config/external-policy", { enabled: false });
    for (const at of places) {
      const { status, json } = await a.call("GET", `pki/${at}/directory`);
      expect([status, json["detail"]]).toEqual([
        403,
        "external policy is not enabled in this mount",
      ]);
    }
    const { json } = await a.call("POST", "pki/config/acme", {
      default_directory_policy: "external-policy",
    });
    expect(json["warnings"]).toMatch(/external policy is not enabled/);
    await a.call("POST", "pki/config/external-policy", { enabled: true });
    expect((await a.call("GET", "pki/issuer/none/external-policy/acme/directory")).status).toBe(
      400,
    );
  });

  it("an account and an external account binding belong to one directory", async () => {
    const at = "external-policy/servers/acme";
    const { data } = await a.call("POST", `pki/${at}/new-eab`);
    expect(data["acme_directory"]).toBe(`${at}/directory`);
    await a.call("POST", "pki/config/acme", { eab_policy: "always-required" });
    const [kid, mac] = [String(data["id"]), String(data["key"])];
    const elsewhere = a.client({ at: "external-policy/acme" });
    const bound = async (client: AcmeClient) =>
      client.register({
        externalAccountBinding: binding(client.key, {
          kid,
          mac,
          url: await client.url("newAccount"),
        }),
      });
    expect((await bound(elsewhere)).status).toBeGreaterThanOrEqual(400);
    const client = a.client({ at });
    expect((await bound(client)).status).toBe(201);
    const { leaf } = await issue(a, client, ["a.example"]);
    expect(leaf.names?.dns).toEqual(["a.example"]);
    expect(asked[0]?.acme_request_key_values?.account.eab).toMatchObject({
      key_id: kid,
      key_type: "hs",
    });
    const other = a.client({ at: "external-policy/acme", key: client.key });
    other.kid = client.kid.replace("/servers", "");
    expect((await newOrder(other, ["a.example"])).problem).toBe("malformed");
  });

  it("wildcards and IP addresses are issued as the service returned them", async () => {
    const names = ["*.a.example", "a.example", "192.0.2.1", "2001:db8::1"];
    answer = (question) =>
      yes(question, {
        subject: "192.0.2.1",
        names: { dns: ["*.A.example", "a.example"], ip: ["192.0.2.1", "2001:db8:0::1"] },
      });
    const client = await a.registered({ at: "external-policy/acme" });
    const { leaf } = await issue(a, client, names);
    expect([leaf.names?.dns, leaf.names?.ip]).toEqual([
      ["*.A.example", "a.example"],
      ["192.0.2.1", "2001:db8::1"],
    ]);
    expect(asked[0]?.acme_request_key_values?.authorizations.map((one) => one["wildcard"])).toEqual(
      [true, false, false, false],
    );
  });

  it("an order with notAfter is malformed, because the service determines the expiry", async () => {
    const client = await a.registered({ at: "external-policy/acme" });
    const made = await newOrder(client, ["a.example"], { notAfter: "2030-01-05T00:00:00Z" });
    expect(told(made)).toEqual([400, "malformed"]);
  });

  it("certificates expire no later than max_ttl and their issuer", async () => {
    await a.call("POST", "pki/config/acme", { max_ttl: "1h" });
    answer = (question) => yes(question, { until: 90_000 * 3600 });
    const client = await a.registered({ at: "external-policy/acme" });
    const { leaf } = await issue(a, client, ["a.example"]);
    expect(leaf.notAfter).toBe(a.clock.now / 1000 + 3600);
    await a.call("POST", "pki/config/acme", { max_ttl: "900000h" });
    const ca = readCertificate((await a.call("GET", "pki/cert/ca")).data["certificate"]);
    expect((await issue(a, client, ["a.example"])).leaf.notAfter).toBe(ca.notAfter);
  });
});

describe("finalize with a misbehaving policy service", () => {
  it.each<readonly [string, Template]>([
    ["a name more", { names: { dns: ["a.example", "b.example"] } }],
    ["a name less", { extensions: [sanOf({ dns: [] })] }],
    ["another name", { names: { dns: ["b.example"] } }],
    ["an address more", { names: { dns: ["a.example"], ip: ["192.0.2.1"] } }],
    ["a mail address more", { names: { dns: ["a.example"], email: ["a@a.example"] } }],
    ["a URI more", { names: { dns: ["a.example"], uri: ["urn:a"] } }],
    ["a common name that nobody proved", { subject: "b.example" }],
    [
      "two common names, one of which nobody proved",
      { subject: [[cn("b.example")], [cn("a.example")]] },
    ],
    [
      "a mail address in the subject",
      { subject: [[cn("a.example")], [{ oid: nameOid.email, value: "a@a.example" }]] },
    ],
    [
      "what makes a CA",
      {
        extensions: [basicConstraints(true), keyUsage(["CertSign"]), sanOf({ dns: ["a.example"] })],
      },
    ],
    ["a validity that is over", { from: -90, until: -30 }],
    ["another key", {}],
  ])(
    "%s: returns a problem, stores nothing, and the order can be finalized again",
    async (what, template) => {
      const client = await a.registered({ at: "external-policy/acme" });
      const order = await readyOrder(a, client, ["a.example"]);
      const spki = (await keyOf("P-384")).key.spki;
      const before = await certificates();
      answer = (question) => yes(question, what === "another key" ? { spki } : template);
      const failed = await finalize(client, order, { names: ["a.example"] });
      expect(told(failed), failed.text).toEqual([500, "serverInternal"]);
      expect([await certificates(), await statusOf(client, order)]).toEqual([before, "ready"]);
      answer = (question) => yes(question);
      expect((await finalize(client, order, { names: ["a.example"] })).status).toBe(200);
      expect(asked).toHaveLength(2);
    },
  );

  it.each([
    [
      "says no",
      (one: Asked) => ({ request_uuid: one.request_uuid, error: "not today" }),
      [400, "unauthorized"],
    ],
    ["answers nonsense", () => ({ yes: true }), [500, "serverInternal"]],
    [
      "fails",
      () => {
        throw new Error("secret");
      },
      [500, "serverInternal"],
    ],
  ] as const)("a service that %s: the order stays ready", async (_, made, problem) => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    answer = async (question) => made(question);
    const failed = await finalize(client, order, { names: ["a.example"] });
    expect([told(failed), failed.text.includes("secret")]).toEqual([problem, false]);
    expect(await statusOf(client, order)).toBe("ready");
    answer = (question) => yes(question);
    expect((await finalize(client, order, { names: ["a.example"] })).status).toBe(200);
  });

  it("a certificate that the service forbids to store is not issued, because it could not be downloaded", async () => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    answer = (question) => yes(question, {}, { store_certificate: false });
    const failed = await finalize(client, order, { names: ["a.example"] });
    expect([told(failed), failed.detail]).toEqual([
      [500, "serverInternal"],
      expect.stringMatching(/forbids storing the certificate/),
    ]);
  });

  it("the service is not called for a CSR that is malformed or does not match the order", async () => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    expect(told(await finalize(client, order, { names: ["b.example"] }))).toEqual([400, "badCSR"]);
    expect(told(await finalize(client, order, "nonsense"))).toEqual([400, "malformed"]);
    expect(asked).toEqual([]);
  });
});

describe("policy requests of finalize", () => {
  it("a concurrent configuration change: the decision is repeated without a second policy request", async () => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    answer = async (question) => {
      await a.call("POST", "pki/config/acme", { max_ttl: "1h" });
      return yes(question, { until: 7200 });
    };
    const done = await finalize(client, order, { names: ["a.example"] });
    expect(done.status, done.text).toBe(200);
    const [leaf] = chainIn(await client.post(orderIn(done).certificate));
    expect(readCertificate(leaf).notAfter).toBe(a.clock.now / 1000 + 3600);
    expect(asked).toHaveLength(1);
  });

  it.each<readonly [string, () => Promise<unknown>, number]>([
    ["disabled", () => a.call("POST", "pki/config/external-policy", { enabled: false }), 403],
    ["replaced", () => a.call("POST", "pki/config/external-policy", { timeout: "9s" }), 503],
    ["the account is deactivated", () => end(), 401],
    ["the issuer is removed", () => a.call("DELETE", "pki/issuer/root"), 500],
  ])("a concurrent change, %s: rejected", async (_, happens, status) => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    const again = a.client({ at: "external-policy/acme", key: client.key });
    again.kid = client.kid;
    end = () => again.post(client.kid, { status: "deactivated" });
    answer = async (question) => {
      await happens();
      return yes(question);
    };
    const failed = await finalize(client, order, { names: ["a.example"] });
    expect(failed.status, failed.text).toBe(status);
    expect(asked).toHaveLength(1);
  });
  let end: () => Promise<unknown>;

  it("a concurrent change to another policy: rejected, because that policy was not called", async () => {
    await a.call("POST", "pki/config/acme", { default_directory_policy: "external-policy:a" });
    const client = await a.registered();
    const order = await readyOrder(a, client, ["a.example"]);
    answer = async (question) => {
      await a.call("POST", "pki/config/acme", { default_directory_policy: "external-policy:b" });
      return yes(question);
    };
    expect((await finalize(client, order, { names: ["a.example"] })).status).toBe(503);
    answer = (question) => yes(question);
    expect((await finalize(client, order, { names: ["a.example"] })).status).toBe(200);
    expect(asked.map((one) => one.vault_request_values.policy_name)).toEqual(["a", "b"]);
  });

  it("a concurrent change to sign-verbatim: the reply of the service is ignored", async () => {
    await a.call("POST", "pki/config/acme", { default_directory_policy: "external-policy" });
    const client = await a.registered();
    const order = await readyOrder(a, client, ["a.example"]);
    answer = async (question) => {
      await a.call("POST", "pki/config/acme", { default_directory_policy: "sign-verbatim" });
      return yes(question, { names: { dns: ["b.example"] } });
    };
    const done = await finalize(client, order, { names: ["a.example"] });
    const [leaf] = chainIn(await client.post(orderIn(done).certificate));
    expect(readCertificate(leaf).names?.dns).toEqual(["a.example"]);
  });

  it("one request sent twice concurrently: one policy request and one certificate", async () => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    const before = await certificates();
    const nonce = await client.nonce();
    const csr = await csrOf({ names: ["a.example"] });
    const both = await Promise.all(
      [1, 2].map(() => client.post(`${order}/finalize`, { csr }, { nonce })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect([asked.length, (await certificates()) - before]).toEqual([1, 1]);
  });

  it("two concurrent requests for one order: one certificate", async () => {
    const client = await a.registered({ at: "external-policy/acme" });
    const order = await readyOrder(a, client, ["a.example"]);
    const before = await certificates();
    const other = a.client({ at: "external-policy/acme", key: client.key });
    other.kid = client.kid;
    const both = await Promise.all(
      [client, other].map((one) => finalize(one, order, { names: ["a.example"] })),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect((await certificates()) - before).toBe(1);
  });
});
