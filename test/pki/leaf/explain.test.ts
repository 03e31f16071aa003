import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { algorithmIdentifier, parsePublicKey } from "../../../src/x509/public-key.ts";
import { assembleSigned } from "../../../src/x509/certificate.ts";
import { basicConstraints } from "../../../src/x509/basic-constraints.ts";
import { keyUsage } from "../../../src/x509/usage.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { commonName } from "../../x509/fixture.ts";
import { toHex } from "../../../src/base/bytes.ts";
import { authority, type Answer, type Authority } from "../../support/authority.ts";
import { bytesOf, keyOf, rdn, readCertificate, request, sanOf, type Read } from "../reading.ts";
import { primeKey } from "../../x509/prime-key.ts";

const strings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.map(String) : [];
/** Parses the certificate of a dry run, whose signature is a placeholder. */
const shownOf = ({ data }: Answer): Read =>
  readCertificate(
    assembleSigned(
      bytesOf(data["tbs_certificate"]),
      algorithmIdentifier({ name: "ECDSA", hash: "SHA-256" }),
      new Uint8Array(8),
    ),
  );
/**
 * Returns the parts in which two certificates must agree: everything but serial number, key and key
 * identifier.
 */
const alike = (
  { issuer, subject, notBefore, notAfter, extensions, tbs }: Read,
  withKey: boolean,
) => ({
  issuer,
  subject,
  notBefore,
  notAfter,
  extensions: extensions.filter((one) => withKey || one.oid !== extensionOid.subjectKeyIdentifier),
  ...(withKey ? { length: tbs.length } : {}),
});
/** Returns a body for a path: only sign and sign-verbatim have the field `csr`. */
const bodyFor = (
  path: string,
  { csr, ...body }: { readonly csr: string; readonly [name: string]: unknown },
): object => (path.startsWith("issue") ? body : { ...body, csr });
async function everyRow(a: Authority): Promise<string> {
  const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<
    Record<string, { readonly uuid: string }>
  >;
  return JSON.stringify(
    (await a.stores(mounts["pki/"]?.uuid ?? "").list("")).map(([key, { value }]) => [key, value]),
  );
}

/** Returns the first value most of the time, so that many requests are granted. */
const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 6 * others.length, arbitrary: fc.constant(usual) },
    ...others.map((other) => fc.constant(other)),
  );

describe("a dry run", () => {
  it("agrees with the real call for any role and request", async () => {
    const a = authority();
    await a.root({ ttl: "2000h" });
    const limited = await a.intermediate({ permitted_dns_domains: "a.test", ttl: "1000h" });
    const short = await a.intermediate({
      common_name: "Short",
      ttl: "2h",
      excluded_uri_domains: "a.test",
    });
    await a.pki.patchIssuer({ issuer_ref: short.id, leaf_not_after_behavior: "truncate" });
    const idle = await a.intermediate({ common_name: "Idle" });
    await a.pki.patchIssuer({ issuer_ref: idle.id, usage: "crl-signing" });
    const csrs = await Promise.all([
      request({ cn: "www.a.test" }),
      request({
        cn: "b.test",
        extensions: [
          sanOf({ dns: ["b.test", "*.a.test"], ip: ["192.0.2.1"], uri: ["https://a.test/"] }),
        ],
      }),
      request({ extensions: [sanOf({ email: ["u@a.test"] })] }),
      request({ cn: "www.a.test", extensions: [basicConstraints(true)] }),
      request({
        cn: "www.a.test",
        extensions: [basicConstraints(false), keyUsage(["DigitalSignature"])],
      }),
      request({
        cn: "www.a.test",
        extensions: [sanOf({ directory: [encodeName(commonName("x"))] })],
      }),
      request({
        cn: "www.a.test",
        extensions: [{ oid: "1.2.3.4", critical: true, value: Uint8Array.of(5, 0) }],
      }),
      request({
        subject: [...commonName("www.a.test"), rdn("serialNumber", "7"), rdn("userId", "x")],
      }),
      request({
        cn: "www.a.test",
        key: { ...(await keyOf("P-256")), sign: (await keyOf("P-384")).sign },
      }),
      Promise.resolve(""),
      Promise.resolve("nothing"),
    ]);
    const rules = fc.record({
      allow_any_name: mostly(true, false),
      allowed_domains: mostly(["a.test"], ["*.a.test"], []),
      allow_subdomains: mostly(true, false),
      allow_glob_domains: fc.boolean(),
      allow_wildcard_certificates: mostly(true, false),
      allow_ip_sans: mostly(true, false),
      allowed_uri_sans: mostly(["https://*"], []),
      allowed_other_sans: mostly(["*"], []),
      allowed_user_ids: mostly(["u*"], []),
      allowed_serial_numbers: mostly(["*"], []),
      require_cn: mostly(false, true),
      use_csr_common_name: fc.boolean(),
      use_csr_sans: fc.boolean(),
      key_type: mostly("ec", "ed25519", "any"),
      no_store_metadata: fc.boolean(),
      no_store: fc.boolean(),
      generate_lease: fc.boolean(),
      allow_localhost: fc.boolean(),
      allow_bare_domains: fc.boolean(),
      enforce_hostnames: mostly(true, false),
      cn_validations: mostly(["email", "hostname"], ["hostname"], ["disabled"]),
      allowed_ip_sans_cidr: mostly<readonly string[]>([], ["198.51.100.0/24"]),
      not_before_bound: mostly("permit", "duration", "forbid"),
      not_after_bound: mostly("permit", "ttl-limited", "forbid", "2030-01-20T00:00:00Z"),
      not_before_duration: mostly(30, 0),
      policy_identifiers: mostly(
        "",
        '[{"oid":"1.2.3","cps":"https://a.test/cps","notice":"note"}]',
      ),
      role_usage: mostly("DigitalSignature", "", "DataEncipherment"),
      max_ttl: mostly(0, 3600),
      not_after: mostly("", "2030-01-03T00:00:00Z"),
      issuer_ref: mostly("root", limited.id, limited.id, short.id, idle.id, "gone"),
      basic_constraints_valid_for_non_ca: fc.boolean(),
    });
    const asked = fc.record(
      {
        common_name: mostly(
          "www.a.test",
          "b.test",
          "*.a.test",
          "a.test",
          "",
          "Some Body",
          "-.test",
          "a\n.test",
        ),
        alt_names: mostly("", "x.a.test", "b.test,u@a.test", "a_b", "a\t,x.a.test"),
        ip_sans: mostly("", "192.0.2.1", "nonsense"),
        uri_sans: mostly("", "https://a.test/", "x", "\u00fc:x,https://b.test/"),
        other_sans: mostly("", "1.2.3;UTF8:x", "broken"),
        user_ids: mostly("", "u1", "x", "u\u0001"),
        serial_number: mostly("", "7", "\u0085"),
        ttl: mostly<number | string>(60, "3h", "5000h"),
        not_after: mostly("2030-02-01T00:00:00Z", "2029-01-01T00:00:00Z"),
        not_before: mostly("", "2030-01-02T03:00:00Z", "then"),
        format: mostly("pem", "der", "jks"),
        private_key_format: mostly("der", "jwk"),
        cert_metadata: mostly("", "AAAA", "?"),
        signature_bits: mostly(0, 1),
        exclude_cn_from_sans: fc.boolean(),
        key_usage: mostly(["DigitalSignature"], []),
      },
      { requiredKeys: ["common_name"] },
    );
    const seen = { issued: 0, refused: 0 };
    const property = fc.asyncProperty(
      rules,
      asked,
      fc.constantFrom("issue", "sign", "sign-verbatim"),
      mostly(csrs[0] ?? "", ...csrs),
      fc.boolean(),
      async ({ role_usage, ...role }, body, call, csr, compat) => {
        // a role is stored as sent; the issuer may be deleted before it is used
        const written = await a.call("POST", "pki/roles/r", {
          ...role,
          key_usage: role_usage,
          ...(role.issuer_ref === "gone" ? { issuer_ref: "default" } : {}),
        });
        expect(written.status).toBeLessThan(300);
        const at = role.issuer_ref === "gone" ? "issuer/gone/" : "";
        const { key_usage: _, signature_bits: __, ...leaf } = body;
        const fields = { issue: leaf, sign: { ...leaf, csr }, "sign-verbatim": { ...body, csr } };
        const sent = fields[call];
        const said = await a.call("POST", `pki/${at}explain/${call}/r`, sent, { compat });
        const real = await a.call("POST", `pki/${at}${call}/r`, sent, { compat });
        expect([said.status, said.data["would_issue"], said.data["refusal"]]).toEqual([
          200,
          real.status === 200,
          real.errors[0],
        ]);
        const rules = said.data["rules"] as readonly {
          readonly allowed: boolean;
          readonly reason?: string;
        }[];
        expect(rules.find((one) => !one.allowed)?.reason).toBe(real.errors[0]);
        expect([said.json["lease_id"], said.json["lease_duration"]]).toEqual(["", 0]);
        seen[real.status === 200 ? "issued" : "refused"]++;
        if (real.status !== 200) return;
        const certificate = readCertificate(
          body.format === "der" ? bytesOf(real.data["certificate"]) : real.data["certificate"],
        );
        expect(alike(shownOf(said), call !== "issue")).toEqual(
          alike(certificate, call !== "issue"),
        );
        const warnings = compat
          ? strings(real.json["warnings"])
          : String(real.json["warnings"]).split("\n").filter(Boolean);
        const ignored = /^Endpoint (ignored|replaced)/;
        expect(strings(said.data["warnings"]).filter((one) => !ignored.test(one))).toEqual(
          warnings.filter((one) => !ignored.test(one)),
        );
      },
    );
    await fc.assert(property, { seed: 11, numRuns: 200 });
    const seed = crypto.getRandomValues(new Int32Array(1))[0] ?? 0;
    process.stdout.write(`seed ${seed}\n`);
    await fc.assert(property, { seed, numRuns: 50 });
    expect(Math.min(seen.issued, seen.refused)).toBeGreaterThan(15);
  });

  it("lists every rule with its input and result, and returns the first rejection", async () => {
    const a = authority();
    await a.root();
    await a.role("web", {
      allow_any_name: false,
      allowed_domains: ["a.test"],
      allow_subdomains: true,
      allow_ip_sans: false,
    });
    const said = await a.pki.explainIssue({
      role: "web",
      common_name: "www.a.test",
      alt_names: "b.test",
      ip_sans: "192.0.2.1",
      ttl: 60,
    });
    expect(said.would_issue).toBe(false);
    expect(said.refusal).toBe("subject alternate name b.test not allowed by this role");
    const rules = said.rules as readonly {
      readonly rule: string;
      readonly input: string;
      readonly allowed: boolean;
      readonly reason?: string;
    }[];
    for (const one of rules)
      expect([typeof one.rule, typeof one.input, one.allowed, one.reason === undefined]).toEqual([
        "string",
        "string",
        one.allowed,
        one.allowed,
      ]);
    const verdicts = rules.map(({ input, allowed }) => `${input} ${allowed}`);
    for (const verdict of ["www.a.test true", "b.test false", "192.0.2.1 false"])
      expect(verdicts).toContain(verdict);
    expect(rules.find((one) => one.input === "192.0.2.1")).toMatchObject({
      rule: "allow_ip_sans",
      allowed: false,
    });
  });

  it("covers sign and sign-verbatim, also below an issuer path", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { key_type: "rsa" });
    const csr = await request({ cn: "a.test" });
    expect(await a.pki.explainSign({ role: "web", csr, ttl: 60 })).toMatchObject({
      would_issue: false,
      refusal: "role requires keys of type rsa",
    });
    expect(await a.pki.explainVerbatim({ csr, ttl: 60 })).toMatchObject({ would_issue: true });
    const weak = await request({ cn: "a.test", key: primeKey() });
    expect(await a.pki.explainVerbatim({ csr: weak, ttl: 60 })).toMatchObject({
      would_issue: false,
      refusal: "RSA key: the modulus is a prime",
    });
    const ca = await request({ cn: "a.test", extensions: [basicConstraints(true)] });
    expect(
      (await a.call("POST", "pki/issuer/root/explain/sign-verbatim", { csr: ca, ttl: 60 })).data,
    ).toMatchObject({
      would_issue: false,
      refusal: expect.stringContaining("requests a CA"),
    });
    expect(
      (await a.call("POST", "pki/issuer/root/explain/sign-verbatim/web", { csr, ttl: 60 })).data,
    ).toMatchObject({ would_issue: true });
    for (const path of ["issue/none", "sign/none", "sign-verbatim/none"])
      expect(await a.call("POST", `pki/explain/${path}`, bodyFor(path, { csr }))).toMatchObject({
        status: 400,
        errors: ["unknown role: none"],
      });
  });

  it("stores no certificate, metadata or lease, and its certificate has a placeholder serial number", async () => {
    const a = authority();
    await a.root();
    await a.role("web", { generate_lease: true });
    const csr = await request({ cn: "a.test" });
    const before = [await everyRow(a), a.wakes.length, a.published.size];
    for (const path of ["issue/web", "sign/web", "sign-verbatim", "sign-verbatim/web"])
      for (const at of ["", "issuer/root/"]) {
        const body = { common_name: "a.test", csr, ttl: 60, cert_metadata: "AAAA" };
        const said = await a.call("POST", `pki/${at}explain/${path}`, bodyFor(path, body));
        expect([
          said.data["would_issue"],
          said.json["lease_id"],
          said.json["lease_duration"],
        ]).toEqual([true, "", 0]);
        // a generated serial number would count as issued: OCSP would return good
        expect(toHex(shownOf(said).serial)).toBe(`01${"00".repeat(19)}`);
        expect(a.events.at(-1)?.fields).not.toHaveProperty("serial");
      }
    expect([await everyRow(a), a.wakes.length, a.published.size]).toEqual(before);
    expect(
      (await a.call("POST", "pki/issue/web", { common_name: "a.test", ttl: 60 })).json["lease_id"],
    ).toMatch(/^pki\/issue\/web\//);
  });

  it("includes the rules for lifetime, issuer, CSR signature and metadata, with the requested values", async () => {
    const a = authority();
    await a.root({ ttl: "10h" });
    await a.role("web", { max_ttl: "20h", no_store_metadata: true });
    const csr = await request({ cn: "a.test" });
    const rulesOf = async (body: object) =>
      (
        (await a.call("POST", "pki/explain/sign/web", { csr, ...body })).data[
          "rules"
        ] as readonly Readonly<Record<string, unknown>>[]
      ).filter(
        ({ rule }) =>
          !["allow_any_name", "the chain's constraints (4.2.1.10)"].includes(String(rule)),
      );
    const before = [
      { rule: "issuer_ref", input: "default", allowed: true },
      { rule: "key_type, key_bits", input: "ec", allowed: true },
    ];
    expect(await rulesOf({ ttl: "1h", cert_metadata: "AAAA" })).toEqual([
      ...before,
      { rule: "ttl, max_ttl, not_after", input: "1h0m0s", allowed: true },
      { rule: "leaf_not_after_behavior", input: "2030-01-02T04:04:05Z", allowed: true },
      { rule: "csr", input: "its signature", allowed: true },
      {
        rule: "no_store_metadata",
        input: "metadata",
        allowed: false,
        reason: "metadata was sent, but the role does not store it (no_store_metadata)",
      },
    ]);
    expect((await rulesOf({ ttl: "30h" })).at(2)).toMatchObject({
      rule: "ttl, max_ttl, not_after",
      input: "30h0m0s",
      allowed: false,
    });
    expect((await rulesOf({})).at(2)).toMatchObject({
      rule: "ttl, max_ttl, not_after",
      input: "no lifetime requested",
      allowed: true,
    });
    const beyond = { not_after: "2030-01-02T23:00:00Z" };
    expect((await rulesOf(beyond)).at(3)).toMatchObject({
      rule: "leaf_not_after_behavior",
      input: beyond.not_after,
      allowed: false,
    });
    expect((await rulesOf({ format: "jks" })).at(1)).toEqual({
      rule: "format",
      input: "jks",
      allowed: false,
      reason: 'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    });
    await a.role("any", { key_type: "any" });
    expect((await a.pki.explainIssue({ role: "any", common_name: "a.test" })).rules).toEqual([
      {
        rule: "key_type",
        input: "any",
        allowed: false,
        reason: 'role key type "any" not allowed for issuing certificates, only signing',
      },
    ]);
  });

  it("continues after a rejection, and reports all errors in the order of the real call", async () => {
    const a = authority();
    await a.root({ ttl: "10h" });
    await a.role("web", {
      max_ttl: "20h",
      allowed_user_ids: ["ann"],
      require_cn: true,
      policy_identifiers: ["1.2.3", "1.2.3"],
    });
    const said = await a.call("POST", "pki/explain/issue/web", {
      common_name: "a.test",
      ttl: "999999h",
      user_ids: "u",
      metadata: "!!",
    });
    const real = await a.call("POST", "pki/issue/web", {
      common_name: "a.test",
      ttl: "999999h",
      user_ids: "u",
      metadata: "!!",
    });
    expect([said.data["would_issue"], said.data["refusal"]]).toEqual([false, real.errors[0]]);
    expect(said.data["rules"]).toEqual([
      { rule: "key_type", input: "ec", allowed: true },
      { rule: "issuer_ref", input: "default", allowed: true },
      ...[0, 1].map(() => ({ rule: "allow_any_name", input: "a.test", allowed: true })),
      {
        rule: "ttl, max_ttl, not_after",
        input: "999999h0m0s",
        allowed: false,
        reason: real.errors[0],
      },
      {
        rule: "leaf_not_after_behavior",
        input: "2030-01-02T23:04:05Z",
        allowed: false,
        reason: expect.stringContaining("beyond the expiration of the CA"),
      },
      {
        rule: "allowed_user_ids",
        input: "u",
        allowed: false,
        reason: "user_id u is not allowed by this role",
      },
      { rule: "the chain's constraints (4.2.1.10)", input: "root", allowed: true },
      {
        rule: "no_store_metadata",
        input: "metadata",
        allowed: false,
        reason: "metadata must be empty or base64",
      },
    ]);
    // the role's maximum lifetime, limited by the issuer's expiry
    expect([shownOf(said).notAfter, said.data["warnings"]]).toEqual([
      Date.UTC(2030, 0, 2, 13, 4, 5) / 1000,
      [],
    ]);
    expect(said.data["lint"]).toContainEqual({
      severity: "error",
      id: "policy-repeated",
      section: "RFC 5280 4.2.1.4",
      rule: expect.stringMatching(/^Policy [\d.]+ occurs twice$/),
    });
  });

  it.each([
    [
      "a lifetime and an end",
      { ttl: 60, not_after: "2030-01-02T04:00:00Z" },
      "ttl, max_ttl, not_after",
    ],
    ["an end that is none", { not_after: "soon" }, "ttl, max_ttl, not_after"],
    ["an end that has passed", { not_after: "2029-01-01T00:00:00Z" }, "ttl, max_ttl, not_after"],
    [
      "a beginning that the role forbids",
      { not_before: "2030-01-01T00:00:00Z", ttl: 60 },
      "ttl, max_ttl, not_after",
    ],
    ["an encoding that is none", { format: "jks" }, "format"],
    ["an encoding of the key that is none", { private_key_format: "jwk" }, "private_key_format"],
    [
      "a common name that cannot be read",
      { common_name: "a\n.test", alt_names: "b.test" },
      "common_name, alt_names",
    ],
    [
      "alternative names of which one is none",
      { alt_names: "b.test, a_b ,c.test" },
      "common_name, alt_names",
    ],
    [
      "alternative names with a line break",
      { alt_names: "b.test\n,c.test" },
      "common_name, alt_names",
    ],
    ["an address that is none", { ip_sans: "nonsense,192.0.2.1" }, "allow_ip_sans"],
    ["a URI that is none", { uri_sans: "\u00fc:x,urn:x" }, "allowed_uri_sans"],
    ["another name that is none", { other_sans: "broken,1.2.3;UTF8:x" }, "allowed_other_sans"],
    ["a serial number with a line break", { serial_number: "7\n" }, "allowed_serial_numbers"],
    ["a user id with a line break", { user_ids: "u\u0001x,u1" }, "allowed_user_ids"],
    ["no common name", { common_name: "", alt_names: "b.test" }, "require_cn"],
  ])("with %s shows the rest of the request", async (_, fields, rule) => {
    const a = authority();
    await a.root();
    await a.role("web", {
      enforce_hostnames: true,
      not_before_bound: "forbid",
      allowed_uri_sans: ["*"],
      allowed_other_sans: ["*"],
      allowed_serial_numbers: ["*"],
      allowed_user_ids: ["*"],
    });
    const body = { common_name: "a.test", metadata: "!!", ...fields };
    const said = await a.call("POST", "pki/explain/issue/web", body);
    const real = await a.call("POST", "pki/issue/web", body);
    expect([said.status, said.data["would_issue"], said.data["refusal"]]).toEqual([
      200,
      false,
      real.errors[0],
    ]);
    const rules = said.data["rules"] as readonly {
      readonly rule: string;
      readonly allowed: boolean;
    }[];
    const refused = rules.filter(({ allowed }) => !allowed).map((one) => one.rule);
    expect([refused[0], refused.at(-1)]).toEqual([
      rule === "allowed_serial_numbers" || rule === "allowed_user_ids" ? "control character" : rule,
      "no_store_metadata",
    ]);
    const { names, notAfter, notBefore } = shownOf(said);
    expect(notAfter).toBeGreaterThan(notBefore);
    const {
      alt_names = "",
      ip_sans = "",
      uri_sans = "",
      other_sans = "",
      common_name,
    } = body as Readonly<Record<string, string | undefined>>;
    expect(names).toMatchObject({
      dns: [
        ...(common_name === "a.test" ? ["a.test"] : []),
        ...["b.test", "c.test"].filter((name) => alt_names.split(/, ?/).includes(name)),
      ],
      ip: ip_sans === "" ? [] : ["192.0.2.1"],
      uri: uri_sans === "" ? [] : ["urn:x"],
      other: other_sans === "" ? [] : [{ oid: "1.2.3", value: "x" }],
    });
  });

  it("shows the valid names of a CSR next to an invalid one", async () => {
    const a = authority();
    await a.root();
    await a.role("web");
    const csr = await request({
      cn: "a.test",
      extensions: [sanOf({ dns: ["b\u0001.test", "b.test"], email: ["u@b.test"] })],
    });
    const said = await a.call("POST", "pki/explain/sign/web", { csr, ttl: 60 });
    const rules = said.data["rules"] as readonly {
      readonly rule: string;
      readonly input: string;
      readonly allowed: boolean;
    }[];
    expect(
      rules.filter(({ allowed }) => !allowed).map(({ rule, input }) => `${rule}: ${input}`),
    ).toEqual([
      "use_csr_sans: a.test, b\u0001.test, b.test, u@b.test",
      "use_csr_sans: b\u0001.test",
    ]);
    expect(said.data["refusal"]).toBe(
      (await a.call("POST", "pki/sign/web", { csr, ttl: 60 })).errors[0],
    );
    expect(shownOf(said).names).toMatchObject({ dns: ["b.test", "a.test"], email: ["u@b.test"] });
  });

  it("continues after a rejected key, name or signature, unless no certificate is possible", async () => {
    const a = authority();
    await a.root({ key_type: "rsa" });
    await a.role("web", { key_type: "rsa" });
    const forged = { key: { ...(await keyOf("P-256")), sign: (await keyOf("P-384")).sign } };
    const names = sanOf({
      dns: ["a_b", "b.test"],
      email: ["u@b.test"],
      directory: [encodeName(commonName("x"))],
    });
    const refusedOf = async (path: string, body: object) => {
      const said = await a.call("POST", `pki/explain/${path}`, {
        metadata: "!!",
        ttl: 60,
        ...body,
      });
      const real = await a.call("POST", `pki/${path}`, { metadata: "!!", ttl: 60, ...body });
      expect([said.status, said.data["refusal"]]).toEqual([200, real.errors[0]]);
      const rules = said.data["rules"] as readonly {
        readonly rule: string;
        readonly input: string;
        readonly allowed: boolean;
      }[];
      return [
        rules.filter(({ allowed }) => !allowed).map(({ rule, input }) => `${rule}: ${input}`),
        said.data["tbs_certificate"] !== undefined,
      ];
    };
    const last = "no_store_metadata: metadata";
    expect(
      await refusedOf("sign/web", {
        csr: await request({ cn: "a.test", extensions: [names], ...forged }),
      }),
    ).toEqual([
      [
        "key_type, key_bits: ec",
        "use_csr_sans: a_b",
        "enforce_hostnames: a_b",
        "allowed_other_sans: directoryName",
        "csr: its signature",
        last,
      ],
      true,
    ]);
    expect(
      await refusedOf("sign-verbatim", {
        signature_bits: 1,
        format: "jks",
        csr: await request({ cn: "a\n.test", ...forged }),
      }),
    ).toEqual([
      [
        "format: jks",
        "csr: no control characters",
        "signature_bits: 1",
        "csr: its signature",
        last,
      ],
      true,
    ]);
    // an impossible certificate is not returned
    const ca = [basicConstraints(true), keyUsage(["CertSign"])];
    expect(
      await refusedOf("sign-verbatim", { csr: await request({ cn: "a.test", extensions: ca }) }),
    ).toEqual([["csr: no CA", last, "constraint: the request"], false]);
    for (const [path, csr] of [
      ["sign/web", "nothing"],
      ["sign-verbatim", ""],
    ] as const)
      expect(await refusedOf(path, { csr })).toEqual([["bad_csr: the request"], false]);
  });

  it("of issue shows a cached sample key of the role's type", async () => {
    const a = authority();
    await a.root();
    for (const [key_type, key_bits, kind] of [
      ["rsa", 4096, ["rsa", 2048]],
      ["rsa", 3072, ["rsa", 2048]],
      ["ec", 384, ["ec", 384]],
      ["ec", 224, ["ec", 224]],
    ] as const) {
      await a.role("web", { key_type, key_bits });
      const keys = [];
      for (let i = 0; i < 2; i++)
        keys.push(
          shownOf(await a.call("POST", "pki/explain/issue/web", { common_name: "a.test", ttl: 60 }))
            .spki,
        );
      expect(keys[1]).toEqual(keys[0]);
      const { type, bits } = parsePublicKey(keys[0] ?? new Uint8Array(0));
      expect([type, bits]).toEqual(kind);
    }
  });

  it("requires the capability of the real path", async () => {
    const may = (path: string) =>
      authority({
        authenticate: async (id) => ({ id, can: (_, asked) => id === "root" || asked === path }),
      });
    const csr = await request({ cn: "a.test" });
    for (const [call, id] of [
      ["issue", "explainIssue"],
      ["sign", "explainSign"],
      ["sign-verbatim", "explainVerbatim"],
    ] as const)
      for (const [granted, status] of [
        [`pki/${call}/web`, 200],
        [`pki/explain/${call}/web`, 403],
        ["pki/issue/other", 403],
      ] as const) {
        const a = may(granted);
        await a.root();
        await a.role("web");
        const answer = await a.call(
          "POST",
          `pki/explain/${call}/web`,
          bodyFor(call, { common_name: "a.test", csr, ttl: 60 }),
          { token: "limited" },
        );
        expect([id, granted, answer.status]).toEqual([id, granted, status]);
      }
  });
});
