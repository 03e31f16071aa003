import { createServer as createTcp } from "node:net";
import { afterAll, afterEach, describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { memoryStore } from "../../src/index.ts";
import { authority } from "../support/authority.ts";
import { certificate, dial, listening, now } from "../net/tls-fixture.ts";
import {
  answering,
  checked,
  configured,
  policyServer,
  serviceCa,
  serviceLeaf,
  template,
  url,
  yes,
  type Asked,
  type Behavior,
} from "./service.ts";

const server = await policyServer();
afterAll(() => server.close());
afterEach(() => {
  server.behavior = answering(yes);
  server.asked.length = 0;
  server.dialled.length = 0;
});
const said = async (behavior: Behavior, config = {}) => {
  const a = await configured(server.ways, config);
  server.behavior = behavior;
  return await checked(a);
};
const raw =
  (body: string | Uint8Array): Behavior =>
  (_, response) =>
    void response.end(body);

describe("an external policy service", () => {
  it("(checkExternalPolicy) is called as documented, and its response is returned (B 7.3)", async () => {
    const a = await configured(server.ways);
    expect(await checked(a)).toEqual({
      valid: true,
      accepted: true,
      message: "the service accepted the request",
      milliseconds: 0,
    });
    const root = await a.pki.readIssuer({ issuer_ref: "default" });
    expect(server.asked).toEqual([
      {
        request_version: 1,
        request_uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        synchronous: true,
        user_request_key_values: {
          check: true,
          csr: expect.stringContaining("BEGIN CERTIFICATE REQUEST"),
        },
        vault_request_values: {
          mount: "pki/",
          ns: "",
          vault_is_performance_standby: false,
          vault_is_performance_secondary: false,
          issuance_mode: "sign",
          vault_generated_private_key: false,
          requested_issuer_name: "root",
          requested_issuer_id: root.issuer_id,
          requested_issuer_cert: root.certificate.trim(),
          requested_issuance_config: {
            aia_values: {
              issuing_certificates: [],
              crl_distribution_points: [],
              delta_crl_distribution_points: [],
              ocsp_servers: [],
              enable_templating: false,
            },
            leaf_not_after_behavior: "err",
            mount_default_ttl: "768h",
            mount_max_ttl: "87600h",
          },
        },
      },
    ]);
    expect(server.dialled).toEqual(["93.184.216.34 443"]);
    expect((await a.call("GET", "pki/config/external-policy")).data).toMatchObject({
      external_service_validated: true,
      last_successful_request: new Date(now * 1000).toISOString().replace(".000", ""),
      last_failed_request: "",
      last_failure: "",
    });
    // a failure is shown together with the last success, and without the body
    server.behavior = raw("{");
    const { message } = await checked(a);
    expect(message).not.toBe("");
    const { data } = await a.call("GET", "pki/config/external-policy");
    expect(data).toMatchObject({
      external_service_validated: false,
      last_successful_request: data["last_failed_request"],
      last_failure: message,
    });
    server.behavior = answering(yes);
    server.asked.splice(1);
    const named = { policy: "servers" };
    await a.call("POST", "pki/config/external-policy/check", named);
    expect(server.asked[1]).toMatchObject({ vault_request_values: { policy_name: "servers" } });
    expect(await a.pki.listCerts({})).toMatchObject({ keys: { length: 1 } });
  });

  it("may refuse with an error, which is shown on one line without control characters", async () => {
    const error = "not\r\nallowed\u001b[31m here\u202e";
    const refused = await said(answering(({ request_uuid }) => ({ request_uuid, error })));
    expect(refused).toMatchObject({
      valid: true,
      accepted: false,
      message: "the service refused the request: not allowed [31m here",
    });
    const long = await said(
      answering(({ request_uuid }) => ({ request_uuid, error: "x".repeat(5000) })),
    );
    expect(String(long["message"]).length).toBeLessThan(1100);
  });

  it("may omit unset members, or send null", async () => {
    const spare = ({ request_uuid }: Asked) => ({
      ...yes({ request_uuid }),
      warnings: null,
      error: null,
      store_certificate: undefined,
    });
    expect(await said(answering(spare))).toMatchObject({ valid: true, accepted: true });
  });

  const answer = (more: object) => answering((asked) => yes(asked, more));
  const pem = template.pem;
  const faulty: readonly (readonly [string, Behavior, string])[] = [
    ["a body that is not JSON", raw("<html>secret</html>"), "not a JSON object"],
    ["an array", raw("[]"), "not a JSON object"],
    ["an empty body", raw(""), "is for a different request"],
    [
      "a duplicate member",
      (a, r) => void r.end(`{"error":"a","error":"b","request_uuid":"${a.request_uuid}"}`),
      "not a JSON object",
    ],
    [
      "JSON that is nested too deeply",
      raw(`{"error":${"[".repeat(70)}${"]".repeat(70)}}`),
      "not a JSON object",
    ],
    ["invalid UTF-8", raw(Uint8Array.of(0x7b, 0xff, 0x7d)), "not a JSON object"],
    ["an unknown member", answer({ secret: true }), "unknown members"],
    ["another UUID", answer({ request_uuid: "secret" }), "is for a different request"],
    ["no UUID", answer({ request_uuid: undefined }), "is for a different request"],
    ["no issuer", answer({ issuer_ref: undefined }), "has no issuer_ref"],
    [
      "neither a certificate nor an error",
      answer({ certificate: undefined }),
      "neither a certificate nor an error",
    ],
    [
      "a lease but no stored certificate",
      answer({ store_certificate: false, generate_lease: true }),
      "lease",
    ],
    ["two certificates", answer({ certificate: `${pem}\n${pem}` }), "not a single certificate"],
    ["a private key", answer({ certificate: template.key.pem }), "not a single certificate"],
    [
      "malformed DER",
      answer({ certificate: encodePem("CERTIFICATE", Uint8Array.of(5, 0)) }),
      "cannot be parsed",
    ],
    [
      "a large certificate",
      answer({ certificate: encodePem("CERTIFICATE", new Uint8Array(70_000)) }),
      "65536 bytes",
    ],
    ["a string as a flag", answer({ store_certificate: "true" }), "not true or false"],
    ["a list as the error", answer({ error: ["secret"] }), "error that is not a string"],
    ["a string as the warnings", answer({ warnings: "secret" }), "warnings that is not a list"],
    ["a number as a warning", answer({ warnings: [1] }), "a warning that is not a string"],
    ["a thousand warnings", answer({ warnings: Array(1000).fill("w") }), "more than 100 warnings"],
    ["a huge body", raw("x".repeat(300_000)), "262144 bytes"],
    ["an endless body", (_, r) => endless(r), "262144 bytes"],
    [
      "a redirect",
      (_, r) => void r.writeHead(307, { Location: url }).end("secret"),
      "redirect, which is not followed",
    ],
    ["status 201", (a, r) => void r.writeHead(201).end(JSON.stringify(yes(a))), "status 201"],
    ["status 403", (_, r) => void r.writeHead(403).end("secret"), "status 403"],
    ["status 500", (_, r) => void r.writeHead(500).end("secret"), "status 500"],
    ["a closed connection", (_, r) => void r.destroy(), "connection"],
  ];
  it.each(faulty)(
    "fails if it responds with %s, and nothing of its response is shown",
    async (_, behavior, text) => {
      const told = await said(behavior);
      expect(told).toMatchObject({ valid: false, accepted: false });
      expect(told["message"]).toContain(text);
      expect(told["message"]).not.toContain("secret");
      expect(server.asked.length).toBe(1);
    },
  );

  it("fails if it does not respond in time", async () => {
    const told = await said(() => undefined, { timeout: "1s" });
    expect(told).toMatchObject({ valid: false, message: "the server did not respond in time" });
    const slow: Behavior = (_, response) => {
      const drip = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drip));
    };
    expect(await said(slow, { timeout: "1s" })).toMatchObject({
      message: "the server did not respond in time",
    });
  });

  it("fails if it is down, and sys/health warns until it responds", async () => {
    let up = false;
    const ways = {
      ...server.ways,
      dial: () => (up ? server.ways.dial() : Promise.reject(new Error("ECONNREFUSED secret"))),
    };
    const a = await configured(ways);
    const warnings = async () => {
      a.clock.advance(2);
      return (await a.call("GET", "sys/health", undefined, { token: "" })).json["warnings"] ?? [];
    };
    expect(await warnings()).toEqual([]);
    expect(await checked(a)).toMatchObject({
      valid: false,
      message: "cannot connect to the server",
    });
    expect(await warnings()).toEqual([
      "the last request to an external policy service failed; config/external-policy/check of its mount reports the reason",
    ]);
    up = true;
    expect(await checked(a)).toMatchObject({ valid: true });
    expect(await warnings()).toEqual([]);
  });

  it("causes a warning on every engine over the store when it fails, until it responds or is reconfigured", async () => {
    const stores = memoryStore();
    const failing: Behavior = (_, response) => void response.writeHead(500).end();
    const a = await configured({ ...server.ways, stores });
    const b = authority({ ...server.ways, stores, seed: 2, clock: a.clock });
    const warnings = async () => {
      a.clock.advance(2);
      const both = [];
      for (const one of [a, b]) both.push((await one.call("GET", "sys/health")).json["warnings"]);
      return both;
    };
    const warned = [expect.stringContaining("an external policy service failed")];
    server.behavior = failing;
    await checked(a);
    expect(await warnings()).toEqual([warned, warned]);
    server.behavior = answering(yes);
    await checked(b);
    expect(await warnings()).toEqual([undefined, undefined]);
    server.behavior = failing;
    await checked(a);
    await b.call("POST", "pki/config/external-policy", { enabled: false });
    expect(await warnings()).toEqual([undefined, undefined]);
    server.behavior = answering(yes);
  });

  it("causes no warning when a call fails after it was reconfigured", async () => {
    const a = await configured(server.ways);
    server.behavior = (_, response) =>
      void a
        .call("POST", "pki/config/external-policy", { timeout: "5s" })
        .then(() => response.writeHead(500).end());
    expect(await checked(a)).toMatchObject({ valid: false });
    server.behavior = answering(yes);
    a.clock.advance(2);
    expect((await a.call("GET", "sys/health")).json["warnings"]).toBeUndefined();
    expect((await a.call("GET", "pki/config/external-policy")).data).toMatchObject({
      timeout: 5_000_000_000,
      last_failed_request: "",
    });
  });

  it("(checkExternalPolicy: malformed) cannot be checked if none is configured", async () => {
    const a = await configured(server.ways, { enabled: false, external_service_url: "" });
    const refused = await a.call("POST", "pki/config/external-policy/check", {});
    expect([refused.status, String(refused.errors[0])]).toEqual([
      400,
      expect.stringContaining("no policy service is configured"),
    ]);
  });
});
function endless(response: Parameters<Behavior>[1]): void {
  const pour = (): void => {
    while (!response.destroyed && response.write("x".repeat(65_536)));
    response.once("drain", pour);
  };
  pour();
}

describe("the server of a policy service (security row 57)", () => {
  const withTrust = async (config: object) => {
    const a = await configured(server.ways, config);
    return String((await checked(a))["message"]);
  };
  it("must present a certificate of the trusted CA, for its name, before anything is sent", async () => {
    const other = await certificate({ name: "another CA", ca: true });
    expect(await withTrust({ trusted_ca: other.pem })).toContain("no chain to a trusted root");
    expect(await withTrust({ external_service_url: "https://other.example/" })).toContain(
      "not valid for the name of the server",
    );
    expect(server.asked).toEqual([]);
  });

  it("must present exactly a pinned certificate, whatever its names and validity", async () => {
    const pinned = (pem: string, more = {}) =>
      withTrust({ trusted_ca: "", trusted_leaf_certificate_bundle: pem, ...more });
    const twin = await certificate({
      issuer: serviceCa,
      key: serviceLeaf.key,
      names: { dns: ["policy.example"] },
    });
    expect(await pinned(twin.pem)).toContain("not one of the pinned certificates");
    expect(server.asked).toEqual([]);
    const yes = "the service accepted the request";
    expect(await pinned(`${twin.pem}\n${serviceLeaf.pem}`)).toBe(yes);
    expect(await pinned(serviceLeaf.pem, { external_service_url: "https://other.example/" })).toBe(
      yes,
    );
    expect(await withTrust({ trusted_leaf_certificate_bundle: twin.pem })).toContain("pinned");
    expect(await withTrust({ trusted_leaf_certificate_bundle: serviceLeaf.pem })).toBe(yes);
    const other = await certificate({ name: "another CA", ca: true });
    expect(
      await withTrust({ trusted_ca: other.pem, trusted_leaf_certificate_bundle: serviceLeaf.pem }),
    ).toContain("no chain to a trusted root");
  });

  it("receives the client certificate if it requests one", async () => {
    const own = await certificate({ issuer: serviceCa, name: "sealwright" });
    const asking = await policyServer({
      requestCert: true,
      rejectUnauthorized: true,
      ca: [serviceCa.pem],
    });
    try {
      const none = await configured(asking.ways);
      expect(await checked(none)).toMatchObject({ valid: false });
      expect(asking.asked).toEqual([]);
      const bundle = { vault_client_cert_bundle: `${own.key.pem}\n${own.pem}` };
      for (const version of ["TLSv1.2", "TLSv1.3"] as const) {
        const strict = await policyServer({
          requestCert: true,
          rejectUnauthorized: true,
          ca: [serviceCa.pem],
          minVersion: version,
          maxVersion: version,
        });
        expect(await checked(await configured(strict.ways, bundle))).toMatchObject({ valid: true });
        strict.close();
      }
    } finally {
      asking.close();
    }
  });

  it.each([
    ["10.1.2.3", "a private address", true],
    ["127.0.0.1", "a loopback address", true],
    ["::1", "a loopback address", true],
    ["fd00::1", "a unique local address", true],
    ["169.254.169.254", "a cloud metadata address", false],
    ["169.254.1.1", "a link-local address", false],
    ["::ffff:127.0.0.1", "mapped", false],
    ["::ffff:10.0.0.1", "mapped", false],
    ["0.0.0.0", "", false],
    ["224.0.0.1", "", false],
  ])(
    "is not called at %s unless allow_private_network allows it",
    async (address, kind, allowable) => {
      const resolve = async ({ type }: { readonly type: string }) =>
        (type === "AAAA") === address.includes(":") ? [address] : [];
      const ways = { ...server.ways, resolve };
      const shut = await checked(await configured(ways));
      expect(shut["message"]).toContain("is not contacted");
      expect(shut["message"]).toContain(kind);
      expect(server.dialled).toEqual([]);
      const open = await checked(await configured(ways, { allow_private_network: true }));
      expect(open["valid"]).toBe(allowable);
      expect(server.dialled.length).toBe(allowable ? 1 : 0);
      const literal = `https://${address.includes(":") ? `[${address}]` : address}/`;
      const byAddress = await checked(await configured(ways, { external_service_url: literal }));
      expect(byAddress["message"]).toContain("is not contacted");
    },
  );

  it("is contacted at the address that was checked, which is the allowed one of several", async () => {
    let asked = 0;
    const resolve = async ({ type }: { readonly type: string }) =>
      type === "A" ? (asked++ === 0 ? ["10.0.0.1", "93.184.216.34"] : ["127.0.0.1"]) : [];
    expect(await checked(await configured({ ...server.ways, resolve }))).toMatchObject({
      valid: true,
    });
    expect(server.dialled).toEqual(["93.184.216.34 443"]);
  });

  it("is called in private networks if the deployment allows them, unless the setting forbids it", async () => {
    const ways = {
      ...server.ways,
      resolve: async ({ type }: { readonly type: string }) => (type === "A" ? ["192.168.1.1"] : []),
    };
    const acme = { privateNetworks: true };
    expect(await checked(await configured({ ...ways, acme }))).toMatchObject({ valid: true });
    expect(
      await checked(await configured({ ...ways, acme }, { allow_private_network: false })),
    ).toMatchObject({ valid: false });
  });

  it("must speak TLS", async () => {
    const plain = createTcp((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\n{}").destroySoon());
    const port = await listening(plain);
    const a = await configured({ ...server.ways, dial: () => dial(port) });
    expect(await checked(a)).toMatchObject({ valid: false });
    plain.close();
  });
});

describe("a policy service other than an HTTPS server", () => {
  it("may be a function of the host, whose responses are checked like those of a server", async () => {
    const seen: unknown[] = [];
    const host = (answer: (asked: Asked) => unknown) =>
      configured(
        { externalPolicy: async (asked) => (seen.push(asked), answer({ ...asked })) },
        { external_service_url: "", trusted_ca: "" },
      );
    expect(await checked(await host(yes))).toMatchObject({ valid: true, accepted: true });
    expect(seen).toMatchObject([{ vault_request_values: { issuance_mode: "sign" } }]);
    for (const lie of [undefined, null, 1n, { error: "no" }, "yes"])
      expect(await checked(await host(() => lie))).toMatchObject({ valid: false });
    const failing = await host(() => {
      throw new Error("secret");
    });
    expect(await checked(failing)).toMatchObject({
      valid: false,
      message: "the host's policy function failed",
    });
    const never = await configured(
      { externalPolicy: () => new Promise(() => undefined) },
      { external_service_url: "", trusted_ca: "", timeout: "1s" },
    );
    expect(await checked(never)).toMatchObject({
      valid: false,
      message: "the host's policy function timed out",
    });
  });

  it("may be a service binding of the platform, found by its name", async () => {
    const calls: string[] = [];
    const services = (name: string) =>
      name === "POLICY"
        ? {
            fetch: async (
              to: string,
              {
                body,
                method,
                redirect,
              }: {
                readonly body?: Uint8Array;
                readonly method?: string;
                readonly redirect: string;
              },
            ) => {
              calls.push(`${method} ${to} ${redirect}`);
              return new Response(
                JSON.stringify(yes(JSON.parse(new TextDecoder().decode(body)) as Asked)),
              );
            },
          }
        : undefined;
    const bound = await configured(
      { services },
      { service: "POLICY", external_service_url: "", trusted_ca: "" },
    );
    expect(await checked(bound)).toMatchObject({ valid: true });
    const told = await configured({ services }, { service: "POLICY", trusted_ca: "" });
    expect(await checked(told)).toMatchObject({ valid: true });
    expect(calls).toEqual(["POST https://external-policy/ manual", `POST ${url} manual`]);
    const missing = await configured({ services }, { service: "OTHER", trusted_ca: "" });
    expect(await checked(missing)).toMatchObject({
      valid: false,
      message: "the deployment has no service with the name in the configuration",
    });
  });
});
