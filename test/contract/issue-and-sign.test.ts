import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { octets, oid, sequence, tlv, utf8String } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { extKeyUsage, keyUsage } from "../../src/x509/usage.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { commonName, makeCsr, openssl, withFiles } from "../x509/fixture.ts";
import { keyOf, labelsOf, rdn, readCertificate, request, sanOf } from "../pki/reading.ts";
import { authority, start, type Answer, type Authority } from "../support/authority.ts";
import { threadTime } from "../support/spent.ts";

const now = start / 1000;
const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "ec", allow_any_name: true, ...role });
async function withRole(role: object = {}): Promise<Authority> {
  const a = authority();
  await a.root();
  await write(a, role);
  return a;
}
const issue = (a: Authority, body: object = {}, sent: object = {}): Promise<Answer> =>
  a.call("POST", "pki/issue/web", { common_name: "a.test", ...body }, sent);
const sign = async (
  a: Authority,
  csr: Parameters<typeof request>[0],
  body: object = {},
): Promise<Answer> => a.call("POST", "pki/sign/web", { csr: await request(csr), ...body });
const certificate = (answer: Answer) => {
  expect(answer.errors).toEqual([]);
  return readCertificate(answer.data["certificate"]);
};

/** Returns a CSR of openssl, which this project's own code would not create. */
const opensslCsr = (key: string, ...more: readonly string[]): string =>
  withFiles({}, (path) =>
    openssl([
      "req",
      "-new",
      "-nodes",
      "-subj",
      "/CN=a.test",
      "-newkey",
      key,
      "-keyout",
      path("key.pem"),
      ...more,
    ]),
  );

describe("the issuer of a leaf", () => {
  async function two(): Promise<Authority> {
    const a = await withRole();
    await a.root({ issuer_name: "two", common_name: "Second" });
    return a;
  }
  const csr = () => request({ cn: "a.test" });
  const issuers = async (a: Authority, paths: readonly string[], body: object) =>
    Promise.all(
      paths.map(
        async (path) =>
          certificate(
            await a.call("POST", path, {
              common_name: "a.test",
              ...(path.includes("/issue/") ? {} : { csr: await csr() }),
              ...body,
            }),
          ).text.issuer,
      ),
    );

  it("A 8.1 issue/:role, sign/:role, sign-verbatim/:role: is the role's, and issuer_ref in the body is accepted without effect", async () => {
    const a = await two();
    const paths = ["pki/issue/web", "pki/sign/web", "pki/sign-verbatim/web"];
    expect(await issuers(a, paths, { issuer_ref: "two" })).toEqual(Array(3).fill("CN=Root CA"));
    for (const path of paths) {
      const answer = await a.call("POST", path, {
        common_name: path.includes("issue") ? "a.test" : undefined,
        csr: path.includes("issue") ? undefined : await csr(),
        issuer_ref: "two",
      });
      expect(String(answer.json["warnings"])).not.toContain("issuer_ref");
    }
    await write(a, { issuer_ref: "two" });
    expect(await issuers(a, paths, { issuer_ref: "root" })).toEqual(Array(3).fill("CN=Second"));
  });
  it("A 8.1 issuer/:ref/issue/:role, …/sign/:role, …/sign-verbatim(/:role): is the one in the path", async () => {
    const a = await two();
    const paths = ["issue/web", "sign/web", "sign-verbatim/web", "sign-verbatim"].map(
      (path) => `pki/issuer/two/${path}`,
    );
    expect(await issuers(a, paths, {})).toEqual(Array(4).fill("CN=Second"));
    const unknown = await a.call(
      "POST",
      "pki/issuer/none/issue/web",
      { common_name: "a.test" },
      { compat: true },
    );
    expect([unknown.status, outcome(unknown)]).toEqual([
      500,
      "could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: none",
    ]);
  });
  it("A 8.1 sign-verbatim (no role): is the one in the body, or else the default", async () => {
    const a = await two();
    expect(await issuers(a, ["pki/sign-verbatim"], { issuer_ref: "two" })).toEqual(["CN=Second"]);
    for (const body of [{}, { issuer_ref: "" }, { issuer_ref: null }])
      expect(await issuers(a, ["pki/sign-verbatim"], body)).toEqual(["CN=Root CA"]);
  });
  it("A 8.1 root/sign-intermediate, root/sign-self-issued: is the one in the body, or else the default", async () => {
    const a = await two();
    for (const [body, name] of [
      [{ issuer_ref: "two" }, "CN=Second"],
      [{}, "CN=Root CA"],
      [{ issuer_ref: "" }, "CN=Root CA"],
    ] as const) {
      const below = await a.call("POST", "pki/root/sign-intermediate", {
        csr: await csr(),
        common_name: "Below",
        ...body,
      });
      expect(certificate(below).text.issuer).toBe(name);
      const { certificate: own } = await authority({ seed: 9 }).root({ common_name: "Own" });
      expect(
        certificate(
          await a.call("POST", "pki/root/sign-self-issued", { certificate: own, ...body }),
        ).text.issuer,
      ).toBe(name);
    }
  });
});

describe("parameters of issue and sign", () => {
  it("A 8.2 item 1: issue uses the key type of the role, and key_type and key_bits are unknown fields", async () => {
    const [a, body] = [await withRole(), { key_type: "rsa", key_bits: 2048 }];
    const answer = await issue(a, body, { compat: true });
    expect([answer.data["private_key_type"], answer.json["warnings"]]).toEqual([
      "ec",
      ["Endpoint ignored these unrecognized parameters: [key_bits key_type]"],
    ]);
    expect(outcome(await issue(a, body))).toBe("unknown fields: key_bits, key_type");
  });
  it("A 8.2 item 2: sign also accepts csr, sign-verbatim also usages and signature parameters, none of which is an unknown field", async () => {
    const a = await withRole({
      allowed_uri_sans: "*",
      allowed_other_sans: "*",
      allowed_serial_numbers: "*",
      allowed_user_ids: "*",
    });
    const common = {
      format: "pem",
      remove_roots_from_chain: true,
      cert_metadata: "",
      user_ids: "",
      not_after: "",
      not_before: "",
      ttl: "1h",
    };
    const names = {
      common_name: "a.test",
      alt_names: "",
      ip_sans: "",
      uri_sans: "",
      other_sans: "",
      serial_number: "",
      exclude_cn_from_sans: "false",
      private_key_format: "der",
    };
    const usages = {
      key_usage: "DigitalSignature",
      ext_key_usage: "ServerAuth",
      ext_key_usage_oids: "1.2.3",
      signature_bits: 0,
      use_pss: false,
    };
    for (const [path, body] of [
      ["issue/web", { ...common, ...names }],
      ["sign/web", { ...common, ...names, common_name: "", csr: await request({ cn: "a.test" }) }],
      [
        "sign-verbatim",
        { ...common, ...names, ...usages, common_name: "", csr: await request({ cn: "a.test" }) },
      ],
    ] as const) {
      const answer = await a.call("POST", `pki/${path}`, body);
      expect([path, outcome(answer), answer.json["warnings"]]).toEqual([path, 200, ""]);
    }
  });
});

describe("checks of issue and sign, in order", () => {
  it("A 8.3 rule 1: the token, then the types of the fields", async () => {
    const a = await withRole();
    for (const token of ["", "nobody", "reader"])
      expect((await a.call("POST", "pki/issue/none", { alt_names: [] }, { token })).status).toBe(
        403,
      );
    expect(outcome(await a.call("POST", "pki/issue/none", { alt_names: [] }))).toMatch(
      /^Field validation failed: error converting input for field "alt_names"/,
    );
  });
  it("A 8.3 rule 2: the role", async () => {
    const a = authority();
    for (const path of ["issue", "sign", "sign-verbatim"])
      expect(outcome(await a.call("POST", `pki/${path}/none`, { format: "x" }))).toBe(
        "unknown role: none",
      );
  });
  it("A 8.3 rule 3: issue rejects a role for any key type", async () => {
    const a = authority();
    await write(a, { key_type: "any" });
    expect(outcome(await issue(a, { format: "x" }))).toBe(
      'role key type "any" not allowed for issuing certificates, only signing',
    );
  });
  it("A 8.3 rule 4: the issuer must exist and be permitted to issue; a missing one is 400, and 500 in the compat dialect", async () => {
    const a = authority();
    await write(a, {});
    const none =
      "could not fetch the CA certificate (was one set?): no default issuer currently configured";
    for (const [sent, status] of [
      [{}, 400],
      [{ compat: true }, 500],
    ] as const) {
      const answer = await issue(a, { format: "x" }, sent);
      expect([answer.status, outcome(answer)]).toEqual([status, none]);
    }
    expect(outcome(await sign(a, {}))).toBe(none);
    expect(outcome(await a.call("POST", "pki/sign-verbatim", {}))).toBe(none);
    await a.root();
    const limited = await a.call("POST", "pki/issuer/root", {
      issuer_name: "root",
      usage: "crl-signing",
    });
    expect(limited.status).toBe(200);
    for (const path of ["issue/web", "sign/web", "sign-verbatim"]) {
      const answer = await a.call("POST", `pki/${path}`, { format: "x" }, { compat: true });
      expect([answer.status, outcome(answer)]).toEqual([
        400,
        expect.stringContaining("requested usage issuing-certificates for issuer [id:"),
      ]);
    }
  });
  it("A 8.3 rule 5: the format", async () => {
    const a = await withRole();
    for (const path of ["issue/web", "sign/web", "sign-verbatim"])
      for (const format of ["x", ""])
        expect(outcome(await a.call("POST", `pki/${path}`, { format }))).toBe(
          'the "format" path parameter must be "pem", "der", or "pem_bundle"',
        );
  });
  it("A 8.3 rule 6: the CSR must not be empty", async () => {
    const a = await withRole();
    for (const path of ["sign/web", "sign-verbatim"])
      expect(
        outcome(
          await a.call("POST", `pki/${path}`, { common_name: "a_b", ttl: "1s", not_after: "x" }),
        ),
      ).toBe('"csr" is empty');
  });
  it("A 8.3 rule 7: the common name is required, from the CSR or else the body", async () => {
    const a = await withRole();
    const missing =
      'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false';
    expect(outcome(await issue(a, { common_name: "", alt_names: "a_b" }))).toBe(missing);
    expect(outcome(await sign(a, {}))).toBe(missing);
    expect(certificate(await sign(a, {}, { common_name: "body.test" })).text.subject).toBe(
      "CN=body.test",
    );
    expect(
      certificate(await sign(a, { cn: "csr.test" }, { common_name: "body.test" })).text.subject,
    ).toBe("CN=csr.test");
    await write(a, { use_csr_common_name: false });
    expect(
      certificate(await sign(a, { cn: "csr.test" }, { common_name: "body.test" })).text.subject,
    ).toBe("CN=body.test");
    // the common name of the CSR does not count if the role does not use it
    expect(outcome(await sign(a, { cn: "csr.test" }))).toBe(missing);
    await write(a, { use_csr_common_name: false, require_cn: false });
    expect(
      certificate(await sign(a, { cn: "csr.test", extensions: [sanOf({ dns: ["a.test"] })] })).text
        .subject,
    ).toBe("");
  });
  it("A 8.3 rule 8: the subject's serial number is the body's, or else the CSR's", async () => {
    const a = await withRole({ allowed_serial_numbers: "*" });
    const csr = { subject: [...commonName("a.test"), rdn("serialNumber", "7")] };
    expect(certificate(await sign(a, csr)).text.subject).toBe("serialNumber=7,CN=a.test");
    expect(certificate(await sign(a, csr, { serial_number: "8" })).text.subject).toBe(
      "serialNumber=8,CN=a.test",
    );
  });
  it("A 8.3 rule 9: names are trimmed, deduplicated and kept in order; invalid SANs are rejected whatever enforce_hostnames says", async () => {
    const a = await withRole();
    expect(
      certificate(await issue(a, { alt_names: " c.test, b.test ,, c.test, f*o.test,u@b.test" }))
        .names,
    ).toMatchObject({
      dns: ["a.test", "c.test", "b.test", "f*o.test"],
      email: ["u@b.test"],
    });
    expect(
      certificate(
        await sign(
          a,
          { cn: "a.test", extensions: [sanOf({ dns: ["z.test", "b.test"] })] },
          { alt_names: "x.test" },
        ),
      ).names?.dns,
    ).toEqual(["z.test", "b.test", "a.test"]);
    expect(
      certificate(await sign(a, { cn: "u@a.test", extensions: [sanOf({ dns: ["z.test"] })] }))
        .names,
    ).toMatchObject({
      dns: ["z.test"],
      email: ["u@a.test"],
    });
    for (const enforce_hostnames of [true, false]) {
      await write(a, { enforce_hostnames });
      for (const bad of ["a_b.test", "*"]) {
        const text = `subject alternate name ${bad} is not a valid DNS name and cannot be included as a SAN`;
        expect([
          outcome(await issue(a, { alt_names: bad })),
          outcome(await sign(a, { cn: "a.test", extensions: [sanOf({ dns: [bad] })] })),
        ]).toEqual([text, text]);
      }
      // an email address as dNSName, and a host name as rfc822Name, have the wrong type
      expect(
        outcome(await sign(a, { cn: "a.test", extensions: [sanOf({ dns: ["u@a.test"] })] })),
      ).toBe(
        "subject alternate name u@a.test is not a valid DNS name and cannot be included as a SAN",
      );
      expect(
        outcome(await sign(a, { cn: "a.test", extensions: [sanOf({ email: ["a.test"] })] })),
      ).toBe(
        "subject alternate name a.test is not a valid e-mail address and cannot be included as a SAN",
      );
    }
  });
  it("A 8.3 rule 10: the common name, even if it is excluded from the SANs", async () => {
    const a = await withRole({ allow_any_name: false });
    const text = "common name a.test not allowed by this role";
    for (const body of [{}, { exclude_cn_from_sans: true }, { serial_number: "7" }])
      expect([
        outcome(await issue(a, body)),
        outcome(await sign(a, { cn: "a.test" }, body)),
      ]).toEqual([text, text]);
  });
  it("A 8.3 rule 11: the subject's serial number", async () => {
    const a = await withRole({
      allow_any_name: false,
      allow_bare_domains: true,
      allowed_domains: "a.test",
    });
    const text = "serial_number 7 not allowed by this role";
    expect(outcome(await issue(a, { serial_number: "7", alt_names: "b.test" }))).toBe(text);
    expect(
      outcome(
        await sign(a, {
          subject: [...commonName("a.test"), rdn("serialNumber", "7")],
          extensions: [sanOf({ dns: ["b.test"] })],
        }),
      ),
    ).toBe(text);
  });
  it("A 8.3 rule 12: DNS names, then email addresses", async () => {
    const a = await withRole({
      allow_any_name: false,
      allow_bare_domains: true,
      allowed_domains: "a.test",
    });
    const both = async (dns: readonly string[], email: readonly string[]) => [
      outcome(await issue(a, { alt_names: [...email, ...dns].join(), other_sans: "x" })),
      outcome(
        await sign(a, { cn: "a.test", extensions: [sanOf({ dns, email })] }, { other_sans: "x" }),
      ),
    ];
    expect(await both(["b.test"], ["u@b.test"])).toEqual(
      Array(2).fill("subject alternate name b.test not allowed by this role"),
    );
    expect(await both([], ["u@b.test"])).toEqual(
      Array(2).fill("email address u@b.test not allowed by this role"),
    );
  });
  it("A 8.3 rule 13: other names of the body and of the CSR", async () => {
    const a = await withRole({ allowed_other_sans: "1.2.3;UTF8:*", allow_ip_sans: false });
    const csr = {
      cn: "a.test",
      extensions: [sanOf({ other: [{ oid: "1.2.3", value: "c" }], ip: [] })],
    };
    expect(certificate(await sign(a, csr, { other_sans: "1.2.3;UTF8:b" })).names?.other).toEqual([
      { oid: "1.2.3", value: "b" },
      { oid: "1.2.3", value: "c" },
    ]);
    expect(outcome(await issue(a, { other_sans: "1.2.4;UTF8:b", ip_sans: "192.0.2.1" }))).toBe(
      "other SAN OID 1.2.4 not allowed by this role",
    );
    expect(outcome(await sign(a, csr, { other_sans: "1.2.4;UTF8:b" }))).toBe(
      "other SAN OID 1.2.4 not allowed by this role",
    );
    const number: Extension = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(tlv(0xa0, oid("1.2.3"), tlv(0xa0, octets(Uint8Array.of(1))))),
    };
    expect(outcome(await sign(a, { cn: "a.test", extensions: [number] }))).toMatch(
      /^could not parse requested other SAN: /,
    );
    const directory: Extension = {
      oid: extensionOid.subjectAltName,
      critical: false,
      value: sequence(implicit(8, oid("1.2.3"))),
    };
    expect((await sign(a, { cn: "a.test", extensions: [directory] })).status).toBe(400);
  });
  it("A 8.3 rule 14: IP addresses; if the CSR has SANs, those of the body are ignored with a warning", async () => {
    const a = await withRole({ allowed_uri_sans: "" });
    expect(outcome(await issue(a, { ip_sans: "192.0.2", uri_sans: "x" }))).toBe(
      'the value "192.0.2" is not a valid IP address',
    );
    const ignored = await sign(
      a,
      { cn: "a.test", extensions: [sanOf({ ip: ["192.0.2.1"] })] },
      { ip_sans: "192.0.2" },
    );
    expect([certificate(ignored).names?.ip, ignored.json["warnings"]]).toEqual([
      ["192.0.2.1"],
      'the ip_sans field was provided but the role is set with "use_csr_sans" set to true',
    ]);
    await write(a, { allow_ip_sans: false });
    expect(outcome(await issue(a, { ip_sans: "192.0.2.1", uri_sans: "x" }))).toContain(
      "was provided via the API",
    );
    expect(
      outcome(
        await sign(a, { cn: "a.test", extensions: [sanOf({ ip: ["192.0.2.1"], uri: ["x:y"] })] }),
      ),
    ).toContain("was provided via CSR");
  });
  it("A 8.3 rule 15: URIs must be allowed, match the role and be well-formed", async () => {
    const a = await withRole({ max_ttl: "1h" });
    const both = async (uri: string) => [
      outcome(await issue(a, { uri_sans: uri, ttl: "2h" })),
      outcome(await sign(a, { cn: "a.test", extensions: [sanOf({ uri: [uri] })] }, { ttl: "2h" })),
    ];
    expect(await both("https://a.test")).toEqual(
      ["the API", "CSR"].map(
        (via) =>
          `URI Subject Alternative Names are not allowed in this role, but were provided via ${via}`,
      ),
    );
    await write(a, { allowed_uri_sans: "x*" });
    expect(await both("https://a.test")).toEqual(
      ["the API", "CSR"].map(
        (via) =>
          `URI Subject Alternative Names were provided via ${via} which are not valid for this role`,
      ),
    );
    await write(a, { allowed_uri_sans: "*" });
    for (const uri of [
      "x y",
      "x",
      "//a.test",
      "http://",
      "http:// a",
      "http:/x",
      "x:",
      "http://x/%zz",
      "http://\\x/",
      'http://x/"<>',
      "http://a..b/",
    ])
      expect(await both(uri)).toEqual(
        Array(2).fill(`the provided URI Subject Alternative Name "${uri}" is not a valid URI`),
      );
    expect(outcome(await issue(a, { uri_sans: "http://ü.test" }))).toBe(
      'the provided URI Subject Alternative Name "http://ü.test" is not a valid URI',
    );
  });
  it("A 8.3 rule 16: the lifetime", async () => {
    const a = await withRole({ max_ttl: "1h" });
    const text = 'cannot satisfy request, as TTL "2h0m0s" is longer than permitted maxTTL "1h0m0s"';
    expect([
      outcome(await issue(a, { ttl: "2h" })),
      outcome(await sign(a, { cn: "a.test" }, { ttl: "2h" })),
    ]).toEqual([text, text]);
  });
  it("A 8.3 rule 17: the user IDs", async () => {
    const a = await withRole({ max_ttl: "1h" });
    const withIds = { subject: [...commonName("a.test"), rdn("userId", "u")] };
    const texts = async (ttl: string) => [
      outcome(await issue(a, { ttl, user_ids: "u" })),
      outcome(await sign(a, withIds, { ttl })),
    ];
    expect(await texts("2h")).toEqual(
      Array(2).fill(expect.stringContaining("longer than permitted maxTTL")),
    );
    expect(await texts("1h")).toEqual(Array(2).fill("user_id u is not allowed by this role"));
  });
  it("A 8.3 rule 18: issue generates a key only for a permitted request; sign verifies the CSR's signature after all other checks", async () => {
    const a = await withRole({ max_ttl: "1h" });
    expect((await issue(a)).data["private_key"]).toContain("EC PRIVATE KEY");
    const [one, other] = [await keyOf("P-256"), await keyOf("P-384")];
    const forged = encodePem(
      "CERTIFICATE REQUEST",
      await makeCsr({ ...one, sign: other.sign }, commonName("a.test"), []),
    );
    expect(outcome(await a.call("POST", "pki/sign/web", { csr: forged, ttl: "2h" }))).toContain(
      "longer than permitted maxTTL",
    );
    expect(outcome(await a.call("POST", "pki/sign/web", { csr: forged }))).toMatch(
      /^request signature invalid/,
    );
  });
  it("A 8.3 rule 19: constraints of the chain are enforced, and metadata must be base64", async () => {
    const a = await withRole();
    const below = await a.intermediate({ permitted_dns_domains: "ok.test" });
    await write(a, { issuer_ref: below.id });
    for (const path of ["issue/web", "sign/web", "sign-verbatim/web"]) {
      const asked = async (cn: string) =>
        a.call(
          "POST",
          `pki/${path}`,
          path === "issue/web"
            ? { common_name: cn }
            : { csr: await request({ cn, extensions: [sanOf({ dns: [cn] })] }) },
        );
      expect([
        (await asked("a.ok.test")).status,
        (await asked("a.test")).status,
        outcome(await asked("a.test")),
      ]).toEqual([200, 400, expect.stringMatching(/^the certificate would violate /)]);
    }
    for (const answer of [
      await issue(a, { common_name: "a.ok.test", metadata: "*" }),
      await sign(a, { cn: "a.ok.test" }, { cert_metadata: "*" }),
    ])
      expect(outcome(answer)).toBe("metadata must be empty or base64");
  });
  it("A 8.3 rule 19: names, signature, chain and metadata are checked in this order", async () => {
    const a = await withRole();
    const below = await a.intermediate({ permitted_dns_domains: "ok.test" });
    await write(a, {
      issuer_ref: below.id,
      allow_any_name: false,
      allowed_domains: "test",
      allow_subdomains: true,
    });
    const metadata = "*";
    expect(outcome(await issue(a, { common_name: "a.other", metadata }))).toBe(
      "common name a.other not allowed by this role",
    );
    expect(outcome(await issue(a, { metadata }))).toMatch(/^the certificate would violate /);
    const [own, other] = [await keyOf("P-256"), await keyOf("P-384")];
    const forged = await request({ cn: "a.test", key: { ...own, sign: other.sign } });
    for (const path of ["sign/web", "sign-verbatim/web"]) {
      expect(outcome(await a.call("POST", `pki/${path}`, { csr: forged, metadata }))).toMatch(
        /^request signature invalid/,
      );
      expect(
        outcome(
          await a.call("POST", `pki/${path}`, { csr: await request({ cn: "a.test" }), metadata }),
        ),
      ).toMatch(/^the certificate would violate /);
    }
  });
  it("A 8.3 rule 20: the certificate is stored before the response, which has lease and warnings, unless no_store", async () => {
    const a = await withRole({ generate_lease: true });
    const answer = await issue(a, { ttl: 60, odd: 1 }, { compat: true });
    expect(
      (await a.call("GET", `pki/cert/${String(answer.data["serial_number"])}`)).data["certificate"],
    ).toBe(answer.data["certificate"]);
    expect(answer.json).toMatchObject({
      lease_duration: 60,
      warnings: ["Endpoint ignored these unrecognized parameters: [odd]"],
    });
    await write(a, { no_store: true });
    expect(
      (
        await a.call(
          "GET",
          `pki/cert/${String((await sign(a, { cn: "a.test" })).data["serial_number"])}`,
        )
      ).status,
    ).toBe(404);
  });
});

describe("checks of a CSR", () => {
  it("A 8.4 rule 3: an invalid key is rejected before the names are checked", async () => {
    const a = await withRole({ allow_any_name: false });
    const own = await keyOf("P-256");
    const spki = own.key.spki.map((byte, i) => (i === own.key.spki.length - 1 ? byte ^ 1 : byte));
    const csr = await request({ cn: "not.allowed", key: { ...own, key: { ...own.key, spki } } });
    for (const path of ["sign/web", "sign-verbatim/web", "root/sign-intermediate"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr, format: "pem" }))).toBe(
        "EC key: the point is not on P-256",
      );
  });

  it("A 8.4 rule 1: the CSR must be present, PEM and parsable; its first block is used whatever the label", async () => {
    const a = await withRole();
    const der = await makeCsr(await keyOf("P-256"), commonName("a.test"), []);
    for (const path of ["sign/web", "sign-verbatim"]) {
      const asked = (csr: string) => a.call("POST", `pki/${path}`, { csr });
      expect([outcome(await asked("")), outcome(await asked("x"))]).toEqual([
        '"csr" is empty',
        "csr contains no data",
      ]);
      const broken = "-----BEGIN CERTIFICATE REQUEST-----\n!\n-----END CERTIFICATE REQUEST-----";
      expect(outcome(await asked(broken))).toBe("csr contains no data");
      expect(outcome(await asked(encodePem("CERTIFICATE REQUEST", utf8String("x"))))).toMatch(
        /^certificate request could not be parsed: /,
      );
      const first = encodePem("NEW CERTIFICATE REQUEST", der);
      for (const behind of [
        encodePem("X", utf8String("x")),
        "-----BEGIN X-----\n!\n-----END X-----",
        "-----BEGIN X-----",
        "\0",
      ])
        expect((await asked(`text\n${first}\n${behind}`)).status).toBe(200);
      expect((await asked(first.replaceAll("\n", "\r"))).status).toBe(200);
      expect(outcome(await asked(`${encodePem("X", utf8String("x"))}\n${first}`))).toMatch(
        /^certificate request could not be parsed: /,
      );
      const endless = threadTime();
      expect(outcome(await asked("-----BEGIN X-----\n".repeat(100_000)))).toBe(
        "csr contains no data",
      );
      expect(threadTime() - endless).toBeLessThan(5000);
    }
    const answer = await sign(a, { cn: "a.test", key: await keyOf("RSA-PSS") });
    expect(answer.status).toBe(400);
  });
  it("A 8.4 rule 2: the key must have the role's type; any accepts RSA, EC and Ed25519", async () => {
    const a = await withRole();
    expect(outcome(await sign(a, { cn: "a.test", key: await keyOf("Ed25519") }))).toBe(
      "role requires keys of type ec",
    );
    await write(a, { key_type: "any" });
    for (const kind of ["P-256", "Ed25519", "RSA"] as const)
      expect((await sign(a, { cn: "a.test", key: await keyOf(kind) })).status).toBe(200);
  });
  it("A 8.4 rule 3: the key must have at least the role's size, and RSA at least 2048 bits", async () => {
    const a = await withRole({ key_bits: 384 });
    expect(outcome(await sign(a, { cn: "a.test" }))).toBe(
      "role requires a minimum of a 384-bit key, but CSR's key is 256 bits",
    );
    for (const kind of ["P-384", "P-521"] as const)
      expect((await sign(a, { cn: "a.test", key: await keyOf(kind) })).status).toBe(200);
    const small = opensslCsr("rsa:1024");
    await write(a, { key_type: "rsa" });
    expect(outcome(await a.call("POST", "pki/sign/web", { csr: small }))).toBe(
      "role requires a minimum of a 2048-bit key, but CSR's key is 1024 bits",
    );
    await write(a, { key_type: "any", key_bits: 4096 });
    expect(outcome(await a.call("POST", "pki/sign/web", { csr: small }))).toBe(
      "RSA keys < 2048 bits are unsafe and not supported",
    );
    expect(outcome(await a.call("POST", "pki/sign-verbatim", { csr: small }))).toBe(
      "RSA keys < 2048 bits are unsafe and not supported",
    );
  });
  it("A 8.4 rule 4: the signature must be valid, and must not use SHA-1", async () => {
    const a = await withRole({ key_type: "any" });
    const [one, other] = [await keyOf("P-256"), await keyOf("P-384")];
    const forged = encodePem(
      "CERTIFICATE REQUEST",
      await makeCsr({ ...one, sign: other.sign }, commonName("a.test"), []),
    );
    for (const path of ["sign/web", "sign-verbatim"]) {
      expect(outcome(await a.call("POST", `pki/${path}`, { csr: forged }))).toMatch(
        /^request signature invalid/,
      );
      expect(
        outcome(await a.call("POST", `pki/${path}`, { csr: opensslCsr("rsa:2048", "-sha1") })),
      ).toMatch(/^request signature invalid/);
    }
  });
});

describe("fields of issued certificates, and the response", () => {
  it("A 8.5 sign sources: common name, serial number, user IDs, SANs and key come from the CSR, everything else from the role", async () => {
    const a = await withRole({
      organization: "Role",
      allowed_serial_numbers: "*",
      allowed_user_ids: "*",
      key_usage: "DigitalSignature",
      client_flag: false,
    });
    const subject = [
      rdn("organization", "CSR"),
      rdn("country", "FR"),
      ...commonName("a.test"),
      rdn("serialNumber", "7"),
      rdn("userId", "u"),
    ];
    const extensions = [
      basicConstraints(true, 1),
      keyUsage(["CertSign"]),
      extKeyUsage(["1.2.3"]),
      sanOf({ dns: ["b.test"] }),
    ];
    const answer = await sign(
      a,
      { subject, extensions },
      { common_name: "x.test", alt_names: "y.test" },
    );
    const leaf = certificate(answer);
    expect(leaf.text.subject).toBe("UID=u,serialNumber=7,CN=a.test,O=Role");
    expect(leaf).toMatchObject({
      usage: ["DigitalSignature"],
      purposes: ["1.3.6.1.5.5.7.3.1"],
      basic: undefined,
      names: { dns: ["b.test", "a.test"] },
    });
    expect(leaf.spki).toEqual((await keyOf("P-256")).key.spki);
    expect(String(answer.json["warnings"]).split("\n")).toEqual([
      'the common_name field was provided but the role is set with "use_csr_common_name" set to true',
      'the alt_names field was provided but the role is set with "use_csr_sans" set to true',
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    ]);
    await write(a, { basic_constraints_valid_for_non_ca: true });
    expect(
      (await sign(a, { cn: "a.test", extensions: [basicConstraints(false)] })).json["warnings"],
    ).toBe("");
  });
  it("the log contains the serial number of the issued certificate", async () => {
    const a = await withRole();
    const csr = await request({ cn: "a.test" });
    for (const path of [
      "issue/web",
      "sign/web",
      "sign-verbatim",
      "sign-verbatim/web",
      "root/sign-intermediate",
    ]) {
      const { data } = await a.call(
        "POST",
        `pki/${path}`,
        path === "issue/web" ? { common_name: "a.test" } : { csr },
      );
      expect([path, a.events.at(-1)?.fields?.["serial"]]).toEqual([
        path,
        String(data["serial_number"]).replaceAll(":", ""),
      ]);
    }
  });
  it("A 8.7 response: contains certificate, issuer, chain, serial number and expiration, and for issue the private key", async () => {
    const a = await withRole();
    for (const [compat, expiration] of [
      [false, String(now + 60)],
      [true, now + 60],
    ] as const) {
      const made = await issue(a, { ttl: 60 }, { compat });
      expect(made.data).toMatchObject({
        expiration,
        private_key_type: "ec",
        serial_number: expect.stringMatching(/^[0-9a-f]{2}(:[0-9a-f]{2}){19}$/) as string,
      });
      expect([
        labelsOf(made.data["certificate"]),
        labelsOf(made.data["issuing_ca"]),
        labelsOf(made.data["private_key"]),
      ]).toEqual([["CERTIFICATE"], ["CERTIFICATE"], ["EC PRIVATE KEY"]]);
      expect(made.data["ca_chain"]).toEqual([made.data["issuing_ca"]]);
      const signed = await a.call(
        "POST",
        "pki/sign/web",
        { csr: await request({ cn: "a.test" }), ttl: 60 },
        { compat },
      );
      expect(signed.data["expiration"]).toBe(expiration);
      expect(signed.data).not.toHaveProperty("private_key");
      const verbatim = await a.call(
        "POST",
        "pki/sign-verbatim",
        { csr: await request({ cn: "a.test" }), ttl: 60 },
        { compat },
      );
      expect(verbatim.data["expiration"]).toBe(compat ? expiration : undefined);
      // the member is omitted if the chain is empty
      for (const format of ["pem", "der", "pem_bundle"])
        expect(
          (await issue(a, { remove_roots_from_chain: true, format }, { compat })).data,
        ).not.toHaveProperty("ca_chain");
    }
  });
});
