import { describe, expect, it } from "vitest";
import { authority, warningsOf } from "../../support/authority.ts";
import { readCertificate } from "../reading.ts";

/** The defaults of a role (A 7.2), as the compat dialect returns them. */
const defaults = {
  issuer_ref: "default",
  ttl: 0,
  max_ttl: 0,
  allow_localhost: true,
  allowed_domains: [],
  allowed_domains_template: false,
  allow_bare_domains: false,
  allow_subdomains: false,
  allow_glob_domains: false,
  allow_any_name: false,
  allow_wildcard_certificates: true,
  allowed_device_identifiers: [],
  enforce_hostnames: true,
  allow_ip_sans: true,
  allowed_ip_sans_cidr: [],
  allowed_uri_sans: [],
  allowed_uri_sans_template: false,
  allow_globs_in_identity_templates: false,
  allowed_other_sans: [],
  allowed_serial_numbers: [],
  allowed_user_ids: [],
  server_flag: true,
  client_flag: true,
  code_signing_flag: false,
  email_protection_flag: false,
  key_type: "rsa",
  key_bits: 2048,
  signature_bits: 256,
  use_pss: false,
  key_usage: ["DigitalSignature", "KeyAgreement", "KeyEncipherment"],
  ext_key_usage: [],
  ext_key_usage_oids: [],
  use_csr_common_name: true,
  use_csr_sans: true,
  ou: [],
  organization: [],
  country: [],
  locality: [],
  province: [],
  street_address: [],
  postal_code: [],
  generate_lease: false,
  no_store: false,
  no_store_metadata: false,
  require_cn: true,
  cn_validations: ["email", "hostname"],
  policy_identifiers: [],
  basic_constraints_valid_for_non_ca: false,
  not_before_duration: 30,
  not_before: "",
  not_after: "",
  not_before_bound: "permit",
  not_after_bound: "permit",
  serial_number_source: "json-csr",
  allow_token_displayname: false,
};

describe("a role", () => {
  it("has the documented defaults, in the format of the dialect", async () => {
    const a = authority();
    await a.root();
    const written = await a.call("POST", "pki/roles/web", {}, { compat: true });
    expect([written.status, written.json["warnings"], written.data]).toEqual([200, null, defaults]);
    expect((await a.call("GET", "pki/roles/web", undefined, { compat: true })).data).toEqual(
      defaults,
    );
    await a.call("PUT", "pki/roles/web", { ttl: 5400, max_ttl: "72h", not_before_duration: "45s" });
    expect((await a.call("GET", "pki/roles/web")).data).toMatchObject({
      ttl: "90m",
      max_ttl: "72h",
      not_before_duration: "45s",
    });
  });

  it("is replaced as a whole by each write, and deleted without an error even if it does not exist", async () => {
    const a = authority();
    await a.role("b", { ttl: 60, allowed_domains: "a.test, b.test", country: ["DE"] });
    await a.pki.writeRole({ name: "a.b-c_1" });
    expect((await a.pki.readRole({ name: "b" })).allowed_domains).toEqual(["a.test", "b.test"]);
    await a.pki.writeRole({ name: "b" });
    expect(await a.pki.readRole({ name: "b" })).toMatchObject({
      ttl: 0,
      allowed_domains: [],
      country: [],
      key_type: "rsa",
    });
    expect((await a.call("GET", "pki/roles/?list=true")).data["keys"]).toEqual(["a.b-c_1", "b"]);
    for (const status of [204, 204])
      expect((await a.call("DELETE", "pki/roles/b")).status).toBe(status);
    const gone = await a.call("GET", "pki/roles/b");
    expect([gone.status, gone.json]).toEqual([404, { errors: [] }]);
    await a.pki.deleteRole({ name: "a.b-c_1" });
    expect((await a.call("LIST", "pki/roles")).status).toBe(404);
  });

  it("has sizes only if its key type has them", async () => {
    const { pki } = authority();
    const sizes = async (input: object) => {
      const { key_bits, signature_bits } = await pki.writeRole({ name: "r", ...input });
      return [key_bits, signature_bits];
    };
    expect(await sizes({ key_type: "rsa", key_bits: 4096, signature_bits: 512 })).toEqual([
      4096, 512,
    ]);
    expect(await sizes({ key_type: "ec" })).toEqual([256, 0]);
    expect(await sizes({ key_type: "ec", key_bits: 384, signature_bits: 384 })).toEqual([384, 384]);
    expect(await sizes({ key_type: "ed25519", key_bits: 7 })).toEqual([0, 0]);
    expect(await sizes({ key_type: "any", key_bits: 7 })).toEqual([0, 0]);
  });

  it("accepts policies as OIDs, a list, JSON or a list of JSON texts, and stores compact JSON", async () => {
    const { pki } = authority();
    const stored = async (policy_identifiers: string | string[]) =>
      (await pki.writeRole({ name: "r", policy_identifiers })).policy_identifiers;
    expect(await stored("1.2.3,1.2.4")).toEqual(["1.2.3", "1.2.4"]);
    expect(await stored(["1.2.3", "1.2.4"])).toEqual(["1.2.3", "1.2.4"]);
    const both = ['{"oid":"1.2.3","cps":"https://a.test/cps","notice":"a, b"}', '{"oid":"1.2.4"}'];
    expect(
      await stored(
        '[{"notice":"a, b", "oid":"1.2.3","cps":"https://a.test/cps"},{"oid":"1.2.4","cps":"","notice":""}]',
      ),
    ).toEqual(both);
    expect(await stored(["1.2.3", '{"oid":"1.2.4","cps":""}'])).toEqual([
      "1.2.3",
      '{"oid":"1.2.4"}',
    ]);
    expect(await stored('{"oid":"1.2.3","cps":"https://a.test/cps","notice":"a, b"}')).toEqual(
      both.slice(0, 1),
    );
    expect(await stored("")).toEqual([]);
  });

  it("causes a warning for CA key usages on every write, and issues without them", async () => {
    const a = authority();
    await a.root();
    for (const key_usage of [["CertSign"], ["crlsign", "DigitalSignature"]]) {
      const warned = [
        `key usages ${key_usage[0]} are for CAs: certificates of this role are issued without them`,
      ];
      expect(warningsOf(await a.role("web", { key_usage }))).toEqual(warned);
      expect(warningsOf(await a.pki.patchRole({ name: "web", ttl: "1h" }))).toEqual(warned);
      const { certificate } = await a.pki.issue({ role: "web", common_name: "a.test" });
      expect(readCertificate(certificate).usage).toEqual(key_usage.slice(1));
    }
    expect(warningsOf(await a.role("web", { key_usage: ["DigitalSignature"] }))).toEqual([]);
  });

  it("causes a warning for a missing issuer, a lease with no_store, and unknown fields", async () => {
    const a = authority();
    const role = await a.pki.writeRole({
      name: "r",
      issuer_ref: "later",
      no_store: true,
      generate_lease: true,
    });
    expect(warningsOf(role)).toEqual([
      "mutually exclusive values no_store=true and generate_lease=true were both specified; no_store=true takes priority",
      "Issuing Certificate was set to later but no issuer exists with that reference",
    ]);
    expect(role).toMatchObject({ issuer_ref: "later", no_store: true, generate_lease: false });
    const answer = await a.call(
      "POST",
      "pki/roles/r",
      { zz: 1, aa: 2, name: "other", backend: "pki", issuer_ref: "" },
      { compat: true },
    );
    expect(answer.json["warnings"]).toEqual([
      "Endpoint ignored these unrecognized parameters: [aa zz]",
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [name]",
      "Issuing Certificate was set to default but no issuer exists with that reference",
    ]);
    expect((await a.call("GET", "pki/roles/other")).status).toBe(404);
  });

  it("accepts field values in the formats of all clients", async () => {
    const a = authority();
    const { data } = await a.call(
      "POST",
      "pki/roles/r",
      {
        allow_any_name: "true",
        client_flag: "0",
        key_type: "ec",
        key_bits: "0x180",
        ttl: "1h30m",
        max_ttl: null,
        allowed_domains: "a.test,,b.test",
        key_usage: "",
        cn_validations: "DISABLED",
      },
      { compat: true },
    );
    expect(data).toMatchObject({
      allow_any_name: true,
      client_flag: false,
      key_bits: 384,
      ttl: 5400,
      max_ttl: 0,
      allowed_domains: ["a.test", "", "b.test"],
      key_usage: [],
      cn_validations: ["disabled"],
    });
  });

  it.each([
    [{ ttl: "2h", max_ttl: "1h" }, '"ttl" value must be less than "max_ttl" value'],
    [{ key_type: "dsa" }, expect.stringMatching(/^unknown key type dsa: use rsa, ec\b.* or any$/)],
    [{ key_bits: 1024 }, "RSA keys < 2048 bits are unsafe and not supported: got 1024"],
    [{ key_bits: 2050 }, "unsupported bit length for RSA key: 2050"],
    [{ key_type: "ec", key_bits: 2048 }, "unsupported bit length for EC key: 2048"],
    [{ key_type: "ec", key_bits: -1 }, "unsupported bit length for EC key: -1"],
    [{ signature_bits: 160 }, "unsupported hash signature algorithm: 160"],
    [
      { ext_key_usage_oids: "1.2.x" },
      '"1.2.x" could not be parsed as a valid oid for an extended key usage',
    ],
    [
      { ext_key_usage_oids: "1.99.1" },
      '"1.99.1" could not be parsed as a valid oid for an extended key usage',
    ],
    [
      { ext_key_usage_oids: `1.2.${"9".repeat(20)}` },
      `"1.2.${"9".repeat(20)}" could not be parsed as a valid oid for an extended key usage`,
    ],
    [{ policy_identifiers: "1.2.3,1.99.1" }, "policy_identifiers could not be parsed: 1.99.1"],
    [
      { policy_identifiers: '[{"oid":"1.99.1"}]' },
      'policy_identifiers could not be parsed: {"oid":"1.99.1"}',
    ],
    [
      { policy_identifiers: '{"oid":"1.2.3","cps":"https://ü.test"}' },
      'policy_identifiers could not be parsed: {"oid":"1.2.3","cps":"https://ü.test"}',
    ],
    [
      { allowed_other_sans: "*,1.2;UTF8:x" },
      "error parsing allowed_other_sans: invalid other SAN *",
    ],
    [
      { allowed_other_sans: "1.2;IA5:x" },
      "error parsing allowed_other_sans: invalid other SAN 1.2;IA5:x",
    ],
    [
      { cn_validations: "email,email" },
      "cn_validations value incorrect: email,email: use email, hostname, both, or disabled alone",
    ],
    [
      { cn_validations: "disabled,email" },
      "cn_validations value incorrect: disabled,email: use email, hostname, both, or disabled alone",
    ],
    [
      { cn_validations: "fax" },
      "cn_validations value incorrect: fax: use email, hostname, both, or disabled alone",
    ],
    [{ policy_identifiers: "1.2,x" }, "policy_identifiers could not be parsed: x"],
    [
      { policy_identifiers: '[{"cps":"https://a.test"}]' },
      'policy_identifiers could not be parsed: {"cps":"https://a.test"}',
    ],
    [{ policy_identifiers: "{broken" }, "policy_identifiers could not be parsed: {broken"],
    [{ policy_identifiers: "[1" }, "policy_identifiers could not be parsed: [1"],
    [
      { serial_number_source: "csr" },
      "unknown value for field serial_number_source: csr: use json-csr or json",
    ],
    [
      { ttl: -1 },
      "Field validation failed: error converting input for field \"ttl\": cannot provide negative value '-1'",
    ],
    [
      { allow_any_name: "yes" },
      "Field validation failed: error converting input for field \"allow_any_name\": cannot parse 'yes' as bool",
    ],
    [
      { policy_identifiers: [{ oid: "1.2" }] },
      "Field validation failed: error converting input for field \"policy_identifiers\": expected type 'string', got unconvertible type 'object'",
    ],
  ])("is rejected with %j, and stays unchanged", async (input, text) => {
    const a = authority();
    await a.pki.writeRole({ name: "r", organization: "before" });
    const answer = await a.call("POST", "pki/roles/r", input);
    expect([answer.status, answer.errors]).toEqual([400, [text]]);
    expect((await a.pki.readRole({ name: "r" })).organization).toEqual(["before"]);
  });

  it("can be written by ten calls at once", async () => {
    const a = authority();
    await Promise.all(Array.from({ length: 10 }, (_, i) => a.role(`r${i}`)));
    expect((await a.pki.listRoles({})).keys).toHaveLength(10);
  });

  it("is in a detailed listing as in a read, or only by name if the caller may not read it", async () => {
    const a = authority();
    for (const name of ["mail", "web"])
      await a.call("POST", `pki/roles/${name}`, { ttl: "1h", allowed_domains: "a.test" });
    const listed = async (options: object): Promise<unknown> => {
      const { data } = await a.call("GET", "pki/roles?list=true&detailed=true", undefined, options);
      return data;
    };
    const [mail, web] = [
      (await a.call("GET", "pki/roles/mail")).data,
      (await a.call("GET", "pki/roles/web")).data,
    ];
    expect(await listed({})).toEqual({ keys: ["mail", "web"], key_info: { mail, web } });
    const policy =
      'path "pki/roles" { capabilities = ["list"] }\npath "pki/roles/web" { capabilities = ["read"] }';
    await a.call("POST", "sys/policies/acl/web", { policy });
    const { json } = await a.call("POST", "auth/token/create", { policies: ["web"] });
    const { client_token: token } = (json as { auth: { client_token: string } }).auth;
    expect(await listed({ token })).toEqual({ keys: ["mail", "web"], key_info: { web } });
  });
});
