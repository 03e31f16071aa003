import { describe, expect, it } from "vitest";
import { oid, sequence, set, utf8String } from "../../../src/base/der.ts";
import { utf8 } from "../../../src/base/bytes.ts";
import { extKeyUsage } from "../../../src/x509/usage.ts";
import { authority, clockAt, type Authority } from "../../support/authority.ts";
import { certificate, now, type Certified } from "../../net/tls-fixture.ts";
import { decodePem } from "../../../src/base/pem.ts";

const client = ["1.3.6.1.5.5.7.3.2"];
const ca = await certificate({ name: "client CA", ca: true });
const other = await certificate({ name: "client CA", ca: true });
const own = await certificate({
  issuer: ca,
  name: "alice",
  names: { dns: ["alice.example"], email: ["alice@example.com"], uri: ["spiffe://example/alice"] },
  extensions: [
    extKeyUsage(client),
    { oid: "1.2.3.4", critical: false, value: utf8String("team-a") },
    { oid: "1.2.3.5", critical: false, value: sequence(oid("1.2")) },
  ],
});

const prepared = async (role: object = {}): Promise<Authority> => {
  const a = authority({ clock: clockAt(now * 1000) });
  await a.call("POST", "sys/auth/cert", { type: "cert" });
  const written = await a.call("POST", "auth/cert/certs/web", { certificate: ca.pem, ...role });
  expect(written.errors ?? []).toEqual([]);
  return a;
};
/** Logs in with certificates passed by the platform, and returns the response. */
async function login(
  a: Authority,
  tlsChain: readonly Uint8Array[] | undefined,
  name?: string,
  headers: Record<string, string> = {},
) {
  const request = new Request("http://ca.example/v1/auth/cert/login", {
    method: "POST",
    headers,
    body: name === undefined ? null : JSON.stringify({ name }),
  });
  const answer = await a.ca.fetch(request, tlsChain ? { peer: { tlsChain } } : {});
  // a login returns JSON of this shape
  const json = (await answer.json()) as {
    readonly errors?: readonly string[];
    readonly auth?: Readonly<Record<string, unknown>>;
  };
  return { status: answer.status, error: json.errors?.[0], auth: json.auth };
}
const [noCertificate, noChain] = [
  "invalid certificate or no client certificate supplied",
  "no chain matching all constraints could be found for this login certificate",
];
const chained = (one: Certified, ...more: readonly Certified[]) =>
  [one, ...more].map(({ der }) => der);

describe("login with a client certificate", () => {
  it("(loginCert) returns a token of the named or first matching role, with metadata of the certificate", async () => {
    const a = await prepared({ token_policies: "web", display_name: "Web" });
    for (const name of ["web", "WEB", undefined]) {
      const { status, auth } = await login(a, chained(own), name);
      expect(status).toBe(200);
      expect(auth).toMatchObject({ token_policies: ["default", "web"] });
      expect(auth?.["metadata"]).toEqual({
        cert_name: "web",
        common_name: "alice",
        serial_number: expect.stringMatching(/^\d+$/),
        subject_key_id: "",
        authority_key_id: "",
      });
    }
    const [[, row] = []] = await a.stores("sys").list("token/");
    expect(row?.value).toMatchObject({ display_name: "cert-Web" });
    expect(await a.stores("sys").list("entity/")).toHaveLength(1);
  });

  it("reads the certificate only from the platform, never from headers", async () => {
    const a = await prepared();
    const pem = encodeURIComponent(own.pem);
    const headers = {
      "x-ssl-client-cert": pem,
      "x-forwarded-client-cert": `Cert="${pem}"`,
      "client-cert": `:${Buffer.from(own.der).toString("base64")}:`,
      "cf-client-cert-der-base64": Buffer.from(own.der).toString("base64"),
      "ssl-client-verify": "SUCCESS",
    };
    const told = await login(a, undefined, "web", headers);
    expect([told.status, told.error]).toEqual([
      400,
      `${noCertificate}: this server does not receive client certificates from its platform`,
    ]);
    expect((await login(a, [], "web", headers)).error).toBe(noCertificate);
  });

  it("accepts a certificate that the role pins, but none issued by it", async () => {
    const alone = await certificate({ name: "alone" });
    const a = await prepared({ certificate: alone.pem });
    expect((await login(a, chained(alone))).status).toBe(200);
    const below = await certificate({ issuer: alone, name: "below" });
    expect((await login(a, chained(below, alone))).error).toBe(noCertificate);
  });

  it("accepts chains with intermediates sent by the client", async () => {
    const middle = await certificate({ issuer: ca, name: "middle", ca: true });
    const leaf = await certificate({ issuer: middle, name: "leaf" });
    const a = await prepared();
    expect((await login(a, chained(leaf, middle))).status).toBe(200);
    expect((await login(a, chained(leaf))).error).toBe(noCertificate);
  });

  it.each([
    ["of a CA of the same name with another key", () => certificate({ issuer: other })],
    ["that is self-signed", () => certificate({ name: "client CA" })],
    ["that is expired", () => certificate({ issuer: ca, fields: { notAfter: now - 1 } })],
    ["that is not valid yet", () => certificate({ issuer: ca, fields: { notBefore: now + 9 } })],
    [
      "for TLS servers",
      () => certificate({ issuer: ca, extensions: [extKeyUsage(["1.3.6.1.5.5.7.3.1"])] }),
    ],
    ["issued by a certificate that is not a CA", () => certificate({ issuer: own, name: "x" })],
    [
      "with an unknown critical extension",
      () =>
        certificate({
          issuer: ca,
          extensions: [{ oid: "1.2.3.9", critical: true, value: utf8String("x") }],
        }),
    ],
  ])("rejects a certificate %s", async (_, make) => {
    const a = await prepared();
    const refused = await login(a, chained(await make(), own, other), "web");
    expect([refused.status, refused.error]).toEqual([400, noCertificate]);
    expect(await a.stores("sys").list("token/")).toEqual([]);
    expect(await a.stores("sys").list("entity/")).toEqual([]);
  });

  it("rejects bytes that are not a certificate, and an unknown role", async () => {
    const a = await prepared();
    expect((await login(a, [utf8("certificate")])).error).toBe(noCertificate);
    expect((await login(a, chained(own), "other")).error).toBe(noCertificate);
    expect((await login(a, chained(own), "../config")).error).toBe(noCertificate);
  });

  it.each([
    [{ allowed_names: "alice" }, 200],
    [{ allowed_names: "*.example" }, 200],
    [{ allowed_names: "alice@*" }, 200],
    [{ allowed_names: "spiffe://*" }, noChain],
    [{ allowed_names: "bob,carol" }, noChain],
    [{ allowed_common_names: "ali*" }, 200],
    [{ allowed_common_names: "alice.example" }, noChain],
    [{ allowed_dns_sans: "alice.example" }, 200],
    [{ allowed_dns_sans: "alice" }, noChain],
    [{ allowed_email_sans: "*@example.com" }, 200],
    [{ allowed_email_sans: "bob@example.com" }, noChain],
    [{ allowed_uri_sans: "spiffe://example/*" }, 200],
    [{ allowed_uri_sans: "spiffe://other/*" }, noChain],
    [{ allowed_organizational_units: "*" }, noChain],
    [{ allowed_common_names: "alice", allowed_dns_sans: "bob" }, noChain],
    [{ required_extensions: "1.2.3.4:team-*" }, 200],
    [{ required_extensions: "1.2.3.4:team-b" }, noChain],
    [{ required_extensions: "1.2.3.6:*" }, noChain],
    [{ required_extensions: "1.2.3.5:*" }, noChain],
    [{ required_extensions: "hex:1.2.3.5:300306012A" }, 200],
    [{ required_extensions: ["1.2.3.4:team-a", "hex:1.2.3.5:3000"] }, noChain],
  ])(
    "enforces the allowed names and the required extensions of the role: %#",
    async (role, expected) => {
      const { status, error } = await login(await prepared(role), chained(own), "web");
      expect(status === 200 ? 200 : error).toBe(expected);
    },
  );

  it("rejects a certificate with two common names, which parsers read differently", async () => {
    const name = (values: readonly string[]) =>
      sequence(...values.map((value) => set(sequence(oid("2.5.4.3"), utf8String(value)))));
    const two = await certificate({
      issuer: ca,
      fields: { subject: name(["alice", "bob"]) },
      extensions: [extKeyUsage(client)],
    });
    for (const role of [{}, { allowed_common_names: "alice" }, { allowed_names: "bob" }])
      expect((await login(await prepared(role), chained(two), "web")).error).toBe(noChain);
    const one = await certificate({
      issuer: ca,
      fields: { subject: name(["alice"]) },
      extensions: [extKeyUsage(client)],
    });
    expect((await login(await prepared(), chained(one), "web")).status).toBe(200);
  });

  it("uses the first matching role if the request names none", async () => {
    const a = await prepared({ allowed_common_names: "bob" });
    expect((await login(a, chained(own))).error).toBe(noChain);
    await a.call("POST", "auth/cert/certs/xyz", { certificate: `${other.pem}\n${ca.pem}` });
    const { auth } = await login(a, chained(own));
    expect(auth?.["metadata"]).toMatchObject({ cert_name: "xyz" });
  });
});

describe("a client certificate issued by this authority", () => {
  const derIn = (pem: string) => decodePem(pem).map(({ der }) => der);
  const outcome = async (a: Authority, ...chain: readonly string[]) =>
    (await login(a, chain.flatMap(derIn))).error ?? 200;

  it("is accepted until it or its issuer is revoked", async () => {
    const a = authority();
    const root = await a.root();
    const middle = await a.intermediate();
    await a.role("web", { client_flag: true, issuer_ref: middle.id });
    const issue = () => a.pki.issue({ role: "web", common_name: "web.example", ttl: 3600 });
    const [first, second] = [await issue(), await issue()];
    await a.call("POST", "sys/auth/cert", { type: "cert" });
    await a.call("POST", "auth/cert/certs/web", { certificate: root.certificate });
    const by = ({ certificate }: { readonly certificate: string }) =>
      outcome(a, certificate, middle.certificate);
    expect([await by(first), await by(second)]).toEqual([200, 200]);
    await a.pki.revoke({ serial_number: first.serial_number });
    expect([await by(first), await by(second)]).toEqual([noCertificate, 200]);
    await a.call("POST", `pki/issuer/${middle.id}/revoke`);
    expect(await by(second)).toBe(noCertificate);
  });

  it("is rejected if it is revoked before or after its issuer is deleted", async () => {
    const a = authority();
    const root = await a.root();
    await a.role("web", { client_flag: true });
    const issue = () => a.pki.issue({ role: "web", common_name: "web.example", ttl: 3600 });
    const [first, second] = [await issue(), await issue()];
    await a.call("POST", "sys/auth/cert", { type: "cert" });
    await a.call("POST", "auth/cert/certs/web", { certificate: root.certificate });
    const by = ({ certificate }: { readonly certificate: string }) => outcome(a, certificate);
    await a.pki.revoke({ serial_number: first.serial_number });
    await a.call("DELETE", "pki/issuer/root");
    expect([await by(first), await by(second)]).toEqual([noCertificate, 200]);
    await a.pki.revoke({ serial_number: second.serial_number });
    expect(await by(second)).toBe(noCertificate);
  });
});

describe("login with a valid client certificate", () => {
  it("is rejected from an address outside token_bound_cidrs, and for a disabled entity", async () => {
    const a = await prepared({ token_bound_cidrs: "192.0.2.0/24" });
    const from = async (address: string | undefined) => {
      const request = new Request("http://ca.example/v1/auth/cert/login", { method: "POST" });
      const peer = { tlsChain: chained(own), ...(address === undefined ? {} : { address }) };
      return (await a.ca.fetch(request, { peer })).status;
    };
    expect([await from("198.51.100.1"), await from(undefined)]).toEqual([403, 403]);
    expect(await a.stores("sys").list("token/")).toEqual([]);
    expect(await from("192.0.2.1")).toBe(200);
    const [entity] = await a.stores("sys").list("entity/");
    const id = entity?.[0].slice("entity/".length);
    await a.call("POST", `identity/entity/id/${id}`, { disabled: true });
    expect(await from("192.0.2.1")).toBe(403);
    expect(await a.stores("sys").list("token/")).toHaveLength(1);
  });
});

const isNamed = (value: unknown, name: string): boolean =>
  typeof value === "object" &&
  value !== null &&
  "certificate" in value &&
  "display_name" in value &&
  value.display_name === name;

describe("a role for client certificates", () => {
  it("(writeLoginCert, readLoginCert, listLoginCerts, deleteLoginCert) is created, updated field by field, listed and deleted", async () => {
    const a = await prepared({ allowed_names: ["a", "b"] });
    await a.call("POST", "auth/cert/certs/Web", { token_ttl: 60 });
    expect((await a.call("GET", "auth/cert/certs/web")).data).toMatchObject({
      certificate: ca.pem,
      display_name: "web",
      allowed_names: ["a", "b"],
      allowed_common_names: [],
      allowed_dns_sans: [],
      allowed_email_sans: [],
      allowed_uri_sans: [],
      allowed_organizational_units: [],
      required_extensions: [],
      token_ttl: 60,
    });
    // typed clients send an empty name
    await a.call("POST", "auth/cert/certs/Web", { display_name: "" });
    expect((await a.call("GET", "auth/cert/certs/web")).data["display_name"]).toBe("web");
    // as stored by a version that accepted the empty name
    const sys = a.stores("sys");
    const stored = (await sys.list("")).filter(([, { value }]) => isNamed(value, "web"));
    expect(stored).toHaveLength(1);
    for (const [key, { value }] of stored)
      await sys.commit({ put: [[key, { ...(value as object), display_name: "" }]] });
    a.clock.advance(2);
    expect((await a.call("GET", "auth/cert/certs/web")).data["display_name"]).toBe("web");
    expect((await a.call("LIST", "auth/cert/certs")).data).toEqual({ keys: ["web"] });
    expect((await a.call("DELETE", "auth/cert/certs/web")).status).toBe(204);
    expect((await a.call("GET", "auth/cert/certs/web")).status).toBe(404);
  });

  it.each([
    ["base64 of DER", Buffer.from(own.der).toString("base64")],
    ["base64 of PEM", Buffer.from(own.pem).toString("base64")],
    ["PEM", own.pem],
  ])("accepts OCSP responder certificates as %s, and returns them as sent", async (_, sent) => {
    const a = await prepared({ ocsp_ca_certificates: sent });
    expect((await a.call("GET", "auth/cert/certs/web")).data).toMatchObject({
      ocsp_ca_certificates: sent,
    });
  });

  it("is rejected and not stored if its settings are invalid", async () => {
    const server = await certificate({ extensions: [extKeyUsage(["1.3.6.1.5.5.7.3.1"])] });
    const a = await prepared();
    for (const [body, text] of [
      [{}, "failed to parse certificate"],
      [{ certificate: "x" }, "failed to parse certificate"],
      [{ certificate: server.pem }, "nonCA certificates should have TLS client authentication"],
      [{ certificate: ca.pem, required_extensions: "x" }, "required_extensions: expected <oid>"],
      [{ certificate: ca.pem, ocsp_ca_certificates: "x" }, "ocsp_ca_certificates must be"],
      [{ certificate: ca.pem, ocsp_ca_certificates: "/////w==" }, "ocsp_ca_certificates must be"],
      [{ certificate: ca.pem, ocsp_ca_certificates: "MAMCAQE=" }, "certificate"],
      [{ certificate: ca.pem, ocsp_servers_override: "ftp://a" }, "ocsp_servers_override must be"],
      [{ certificate: ca.pem, ocsp_max_retries: 11 }, "ocsp_max_retries must be between 0 and 10"],
    ] as const) {
      const answer = await a.call("POST", "auth/cert/certs/new", body);
      expect([answer.status, answer.errors[0]]).toEqual([400, expect.stringContaining(text)]);
    }
    expect((await a.call("LIST", "auth/cert/certs")).data).toEqual({ keys: ["web"] });
  });
});
