import { describe, expect, it } from "vitest";
import { authority, start, type Authority, type Pki } from "../../support/authority.ts";
import { algorithmName, parsePublicKey } from "../../../src/x509/public-key.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { toBase64 } from "../../../src/base/bytes.ts";
import { pki } from "../../../src/endpoints.ts";
import {
  bytesOf,
  derOf,
  labelsOf,
  rdn,
  readCertificate,
  request,
  shown,
  verified,
  valueOf,
  type Read,
} from "../reading.ts";

const now = start / 1000;
async function withRoot(
  role: Partial<Parameters<Pki["writeRole"]>[0]> = {},
  root: Parameters<Authority["root"]>[0] = {},
): Promise<Authority> {
  const a = authority();
  await a.root(root);
  await a.role("web", role);
  return a;
}
const issued = async (a: Authority, body: object): Promise<Read> =>
  readCertificate((await a.pki.issue({ role: "web", ...body })).certificate);

describe("issue", () => {
  it("returns its key and a certificate that openssl verifies through an intermediate", async () => {
    const a = authority();
    const root = await a.root();
    const between = await a.intermediate();
    await a.role("web", { issuer_ref: between.id });
    const leaf = await a.pki.issue({
      role: "web",
      common_name: "www.example.com",
      alt_names: "example.com",
      ip_sans: "192.0.2.7",
      ttl: "24h",
    });
    expect(
      verified(leaf.certificate, {
        root: root.certificate,
        between: [between.certificate],
        at: start,
      }),
    ).toContain("OK");
    expect(leaf).toMatchObject({
      issuing_ca: between.certificate,
      ca_chain: [between.certificate, root.certificate],
      private_key_type: "ec",
      expiration: now + 86_400,
    });
    const read = readCertificate(leaf.certificate);
    expect(read).toMatchObject({
      notBefore: now - 30,
      notAfter: now + 86_400,
      usage: ["DigitalSignature", "KeyEncipherment", "KeyAgreement"],
      purposes: ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"],
      basic: undefined,
    });
    const pair = await crypto.subtle.importKey(
      "pkcs8",
      bytesOf(
        toBase64(
          derOf(
            (await a.pki.issue({ role: "web", common_name: "a.test", private_key_format: "pkcs8" }))
              .private_key,
          ),
        ),
      ) as BufferSource,
      { name: "ECDSA", namedCurve: "P-256" },
      true,
      ["sign"],
    );
    expect(pair.type).toBe("private");
  });

  it("returns dates, warnings, keys and bundles in the dialect of the request", async () => {
    const a = authority();
    const root = await a.root();
    const between = await a.intermediate();
    await a.role("web", { issuer_ref: between.id, max_ttl: "10h" });
    const asked = (body: object, compat: boolean) =>
      a.call("POST", "pki/issue/web", { common_name: "a.test", ...body }, { compat });
    const replaced =
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [role]";
    const [documented, compat] = [
      await asked({ role: "odd", ttl: "10h" }, false),
      await asked({ role: "odd", ttl: "10h" }, true),
    ];
    expect([documented.data["expiration"], compat.data["expiration"]]).toEqual([
      String(now + 36_000),
      now + 36_000,
    ]);
    expect([documented.json["warnings"], compat.json["warnings"]]).toEqual([replaced, [replaced]]);
    expect([
      (await asked({ ttl: "10h" }, false)).json["warnings"],
      (await asked({ ttl: "10h" }, true)).json["warnings"],
    ]).toEqual(["", null]);
    const long = [await asked({ ttl: "11h" }, false), await asked({ ttl: "11h" }, true)];
    expect([long[0]?.status, long[0]?.errors]).toEqual([
      400,
      ['cannot satisfy request, as TTL "11h0m0s" is longer than permitted maxTTL "10h0m0s"'],
    ]);
    expect([long[1]?.data["expiration"], long[1]?.json["warnings"]]).toEqual([
      now + 36_000,
      ['TTL "11h0m0s" is longer than permitted maxTTL "10h0m0s", so maxTTL is being used'],
    ]);
    expect([
      labelsOf((await asked({ format: "pem_bundle" }, false)).data["certificate"]),
      labelsOf((await asked({ format: "pem_bundle" }, true)).data["certificate"]),
    ]).toEqual([
      ["EC PRIVATE KEY", "CERTIFICATE", "CERTIFICATE"],
      ["EC PRIVATE KEY", "CERTIFICATE", "CERTIFICATE", "CERTIFICATE"],
    ]);
    const der = { format: "der", private_key_format: "pkcs8" };
    expect(labelsOf((await asked(der, false)).data["private_key"])).toEqual(["PRIVATE KEY"]);
    expect(bytesOf((await asked(der, true)).data["private_key"])[0]).toBe(0x30);
    expect(
      readCertificate(bytesOf((await asked(der, true)).data["certificate"])).text.subject,
    ).toContain("a.test");
    expect((await asked({ remove_roots_from_chain: true }, true)).data["ca_chain"]).toEqual([
      between.certificate,
    ]);
    expect(root.certificate).not.toBe(between.certificate);
  });

  it("omits a self-signed root from the bundle in the documented dialect, and includes it in the other", async () => {
    const a = await withRoot();
    for (const [compat, count] of [
      [false, 2],
      [true, 3],
    ] as const) {
      const { data } = await a.call(
        "POST",
        "pki/issue/web",
        { common_name: "a.test", format: "pem_bundle" },
        { compat },
      );
      expect(labelsOf(data["certificate"])).toHaveLength(count);
      expect(String(data["certificate"]).endsWith("-----END CERTIFICATE-----")).toBe(true);
    }
  });

  it("puts the subject of the role and the requested names in a fixed order", async () => {
    const a = await withRoot({
      organization: "O1,O2,O1",
      ou: "U",
      country: "DE",
      province: "P",
      locality: "L",
      street_address: "S",
      postal_code: "1",
      allowed_serial_numbers: "77*",
      allowed_user_ids: "u*",
      allowed_uri_sans: "https://*",
      allowed_other_sans: "1.2.3;UTF8:*",
    });
    const read = await issued(a, {
      common_name: "www.example.com",
      alt_names: "b.example.com,a.example.com,me@example.com,b.example.com",
      ip_sans: ["192.0.2.1", "2001:DB8:0:0::1"],
      uri_sans: "https://example.com/x",
      other_sans: "1.2.3;utf8:hällo",
      serial_number: "771",
      user_ids: "u1,u2",
    });
    // in the form of RFC 4514: the last relative name first
    expect(read.text.subject).toBe(
      "UID=u2,UID=u1,serialNumber=771,CN=www.example.com,OU=U,O=O1+O=O2,postalCode=1,STREET=S,L=L,ST=P,C=DE",
    );
    expect(read.names).toMatchObject({
      dns: ["www.example.com", "b.example.com", "a.example.com"],
      email: ["me@example.com"],
      ip: ["192.0.2.1", "2001:db8::1"],
      uri: ["https://example.com/x"],
      other: [{ oid: "1.2.3", value: "hällo" }],
    });
  });

  it("keeps a common name out of the SANs if it is not a host name, or if requested", async () => {
    const a = await withRoot({ cn_validations: "disabled", enforce_hostnames: false });
    const odd = await issued(a, { common_name: "Some Person", alt_names: "a.test" });
    expect([odd.text.subject, odd.names?.dns]).toEqual([
      expect.stringContaining("Some Person"),
      ["a.test"],
    ]);
    expect(
      (await issued(a, { common_name: "a.test", exclude_cn_from_sans: "true" })).names,
    ).toBeUndefined();
  });

  it("D 1 row 8: a common name above 64 characters is rejected in the documented dialect, and issued with a warning in the compat dialect", async () => {
    const a = await withRoot({ key_type: "ec" });
    const text = (length: number) =>
      `the common name has ${length} characters; RFC 5280 allows 64, and some software rejects longer common names`;
    const name = (length: number) => `${"x".repeat(40)}.${"y".repeat(length - 41)}`;
    // the last of several common names in a CSR is used
    const csr = async (length: number) =>
      request({ subject: [rdn("commonName", name(length)), rdn("commonName", "a.test")] });
    const bodies = async (length: number) => {
      const [one, several] = [await request({ cn: name(length) }), await csr(length)];
      const given = { key_type: "ec", common_name: name(length) };
      return [
        ["issue/web", { common_name: name(length) }],
        ["sign/web", { csr: one }],
        ["sign-verbatim", { csr: one }],
        ["sign-verbatim", { csr: several }],
        ["root/sign-intermediate", { csr: one }],
        ["root/sign-intermediate", { csr: several, common_name: "I", use_csr_values: true }],
        ["root/generate/internal", given],
        ["intermediate/generate/internal", given],
      ] as const;
    };
    const stored = async () => (await a.pki.listCerts({})).keys.length;
    for (const length of [64, 65, 100])
      for (const [path, body] of await bodies(length)) {
        const answer = await a.call("POST", `pki/${path}`, body, { compat: true });
        const warnings = (answer.json["warnings"] ?? []) as readonly string[];
        expect([
          path,
          answer.status,
          warnings.filter((warning) => warning.startsWith("the common name has")),
        ]).toEqual([path, 200, length > 64 ? [text(length)] : []]);
        const before = [await stored(), (await a.pki.listKeys({})).keys.length];
        const documented = await a.call("POST", `pki/${path}`, body);
        expect([path, documented.status]).toEqual([path, length > 64 ? 400 : 200]);
        if (length === 64) continue;
        expect(documented.errors).toEqual([
          `the common name has ${length} characters; RFC 5280 allows 64: ${name(length)}`,
        ]);
        expect([await stored(), (await a.pki.listKeys({})).keys.length]).toEqual(before);
      }
  });

  it("D 1 row 8: the length of a common name is counted in characters, not bytes, and reported by a dry run", async () => {
    const a = await withRoot({ cn_validations: "disabled", enforce_hostnames: false });
    const name = "\u{1f600}";
    const said = (length: number) =>
      a.pki.explainIssue({ role: "web", common_name: name.repeat(length), ttl: 60 });
    expect((await said(64)).would_issue).toBe(true);
    expect(await said(65)).toMatchObject({
      would_issue: false,
      refusal: expect.stringContaining("the common name has 65 characters"),
      warnings: [],
    });
    const compat = await a.call(
      "POST",
      "pki/explain/issue/web",
      { common_name: name.repeat(65), ttl: 60 },
      { compat: true },
    );
    expect(compat.data).toMatchObject({
      would_issue: true,
      warnings: [expect.stringContaining("the common name has 65 characters")],
    });
  });

  it("D 1 row 8: an issuer with a common name above 64 characters can still sign", async () => {
    const a = authority();
    const common_name = "R".repeat(65);
    const body = { key_type: "ec", common_name, ttl: "8760h" };
    expect(
      (await a.call("POST", "pki/root/generate/internal", body, { compat: true })).status,
    ).toBe(200);
    await a.role("web");
    expect((await issued(a, { common_name: "a.test" })).text.issuer).toBe(`CN=${common_name}`);
    const csr = await request({ cn: "I" });
    expect((await a.call("POST", "pki/root/sign-intermediate", { csr })).status).toBe(200);
  });

  it("marks the SAN critical if the subject is empty", async () => {
    const a = await withRoot({ require_cn: false });
    const read = await issued(a, { alt_names: "a.test" });
    expect([read.critical, read.subject.length]).toEqual([
      [extensionOid.keyUsage, extensionOid.subjectAltName],
      2,
    ]);
  });

  it("uses the role's key usages, extended key usages, policies and basic constraints", async () => {
    const a = await withRoot({
      key_usage: "KeyCertSign,CertSign,crlsign,DIGITALSIGNATURE,nonsense",
      server_flag: false,
      client_flag: false,
      code_signing_flag: true,
      email_protection_flag: true,
      ext_key_usage: "TimeStamping,nothing,OCSPSigning",
      ext_key_usage_oids: "1.2.3.4,1.3.6.1.5.5.7.3.3",
      policy_identifiers:
        '[{"oid":"1.2.3","cps":"https://a.test/cps","notice":"Höflich"},{"oid":"1.2.4"}]',
      basic_constraints_valid_for_non_ca: true,
    });
    const read = await issued(a, { common_name: "a.test" });
    expect(read).toMatchObject({ usage: ["DigitalSignature"], basic: { ca: false } });
    expect(read.purposes).toEqual([
      "1.3.6.1.5.5.7.3.3",
      "1.3.6.1.5.5.7.3.4",
      "1.3.6.1.5.5.7.3.8",
      "1.3.6.1.5.5.7.3.9",
      "1.2.3.4",
    ]);
    expect(
      shown(valueOf(read, extensionOid.certificatePolicies)).includes("https://a.test/cps"),
    ).toBe(true);
    const bare = await withRoot({ key_usage: [], server_flag: false, client_flag: false });
    expect(await issued(bare, { common_name: "a.test" })).toMatchObject({
      usage: [],
      purposes: [],
      order: [
        extensionOid.subjectKeyIdentifier,
        extensionOid.authorityKeyIdentifier,
        extensionOid.subjectAltName,
      ],
    });
  });

  it("generates a key of the role's type and size", async () => {
    const a = await withRoot();
    for (const [input, type, bits] of [
      [{ key_type: "ec", key_bits: 224 }, "ec", 224],
      [{ key_type: "ec", key_bits: 521 }, "ec", 521],
      [{ key_type: "ed25519" }, "ed25519", 256],
      [{ key_type: "rsa" }, "rsa", 2048],
    ] as const) {
      await a.role("web", input);
      const reply = await a.pki.issue({ role: "web", common_name: "a.test" });
      expect([
        reply.private_key_type,
        parsePublicKey(readCertificate(reply.certificate).spki),
      ]).toEqual([type, expect.objectContaining({ type, bits })]);
    }
  });

  it("signs with the scheme of the issuer's key and the role", async () => {
    for (const [root, role, name] of [
      [{ key_type: "rsa" }, { signature_bits: 384 }, "SHA384WithRSA"],
      [{ key_type: "rsa" }, { use_pss: true, signature_bits: 512 }, "SHA512WithRSAPSS"],
      [{ key_type: "ec", key_bits: 384 }, { signature_bits: 512 }, "ECDSAWithSHA384"],
      [{ key_type: "ec", key_bits: 521 }, {}, "ECDSAWithSHA512"],
      [{ key_type: "ed25519" }, { use_pss: true }, "Ed25519"],
    ] as const) {
      const a = authority();
      const { certificate } = await a.root(root);
      await a.role("web", role);
      const leaf = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "1h" });
      expect(algorithmName(readCertificate(leaf.certificate).algorithm)).toBe(name);
      expect(verified(leaf.certificate, { root: certificate, at: start })).toContain("OK");
    }
  });

  it("returns a lease only if the role generates leases", async () => {
    const a = await withRoot({ generate_lease: true });
    const leased = await a.call("POST", "pki/issue/web", { common_name: "a.test", ttl: "1h" });
    expect(leased.json).toMatchObject({
      lease_id: expect.stringMatching(/^pki\/issue\/web\/[0-9a-f-]{36}$/) as string,
      lease_duration: 3600,
      renewable: false,
    });
    await a.role("web");
    expect((await a.call("POST", "pki/issue/web", { common_name: "a.test" })).json).toMatchObject({
      lease_id: "",
      lease_duration: 0,
    });
  });

  it("returns no lease if another engine has replaced the role", async () => {
    const a = await withRoot({ generate_lease: true });
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    expect(
      (await b.call("POST", "pki/issue/web", { common_name: "a.test" })).json["lease_id"],
    ).not.toBe("");
    await a.role("web");
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).json).toMatchObject({
      lease_id: "",
      lease_duration: 0,
    });
  });

  it("returns no warning of a role that was replaced, and logs no serial number that was not stored", async () => {
    const a = await withRoot({ max_ttl: "1h" });
    const b = authority({ stores: a.stores, clock: a.clock, seed: 2 });
    const ask = () =>
      b.call("POST", "pki/issue/web", { common_name: "a.test", ttl: "5h" }, { compat: true });
    expect((await ask()).json["warnings"]).toHaveLength(1);
    await a.role("web", { max_ttl: "10h" });
    expect((await ask()).json).toMatchObject({
      warnings: null,
      data: { expiration: now + 5 * 3600 },
    });
    expect(b.events.at(-1)?.fields).toHaveProperty("serial");
    await a.pki.deleteRole({ name: "web" });
    expect((await ask()).status).toBe(400);
    expect(b.events.at(-1)?.fields).not.toHaveProperty("serial");
  });

  it("stores the certificate, without its key, unless the role has no_store", async () => {
    const a = await withRoot();
    const stored = await a.pki.issue({ role: "web", common_name: "a.test" });
    expect((await a.pki.readCert({ serial: stored.serial_number })).certificate).toBe(
      stored.certificate,
    );
    await a.role("web", { no_store: true });
    const lost = await a.pki.issue({ role: "web", common_name: "a.test" });
    expect((await a.call("GET", `pki/cert/${lost.serial_number}`)).status).toBe(404);
  });

  it("security row 50: uses the issuer of the path, then that of the role, and never one of the body", async () => {
    const a = await withRoot();
    await a.root({ issuer_name: "two", common_name: "Second" });
    const issuer = async (path: string, body: object = {}) =>
      readCertificate(
        (await a.call("POST", path, { common_name: "a.test", ...body })).data["certificate"],
      ).text.issuer;
    expect(await issuer("pki/issue/web", { issuer_ref: "two", role: "other" })).toContain(
      "Root CA",
    );
    expect(await issuer("pki/issuer/two/issue/web", { issuer_ref: "root" })).toContain("Second");
    await a.role("web", { issuer_ref: "two" });
    expect(await issuer("pki/issue/web")).toContain("Second");
    expect(await issuer("pki/issuer/root/issue/web")).toContain("Root CA");
  });

  it("includes the URLs of the mount, with placeholders filled in", async () => {
    const a = await withRoot();
    await a.pki.writeCluster({ path: "https://ca.test/v1/pki", aia_path: "http://ca.test/v1/pki" });
    await a.pki.writeUrls({
      enable_templating: true,
      issuing_certificates: "{{cluster_aia_path}}/issuer/{{issuer_id}}/der",
      crl_distribution_points: "{{cluster_path}}/crl",
      ocsp_servers: "http://o.test/a,http://o.test/b",
      delta_crl_distribution_points: "http://o.test/delta",
    });
    const read = await issued(a, { common_name: "a.test" });
    const { issuer_id } = await a.pki.readIssuer({ issuer_ref: "default" });
    const access = shown(valueOf(read, extensionOid.authorityInfoAccess));
    expect([
      access.indexOf("http://o.test/a") > 0,
      access.indexOf("http://o.test/b") <
        access.indexOf(`http://ca.test/v1/pki/issuer/${issuer_id}/der`),
    ]).toEqual([true, true]);
    expect(shown(valueOf(read, extensionOid.crlDistributionPoints))).toContain(
      "https://ca.test/v1/pki/crl",
    );
    expect(read.order.slice(-2)).toEqual([
      extensionOid.crlDistributionPoints,
      extensionOid.freshestCrl,
    ]);
  });

  it("declares the path parameters that a body cannot override", () => {
    expect(pki.find((endpoint) => endpoint.id === "issue")?.at).toEqual([
      "POST /issue/:role",
      "POST /issuer/:issuer_ref/issue/:role",
    ]);
  });
});

describe("a rejected issue request", () => {
  it.each([
    ["an unknown role", {}, { role: "Web" }, "unknown role: Web"],
    [
      "a role for any key",
      { key_type: "any" },
      {},
      'role key type "any" not allowed for issuing certificates, only signing',
    ],
    [
      "an issuer that does not exist",
      { issuer_ref: "later" },
      {},
      "could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: later",
    ],
    [
      "another format",
      {},
      { format: "p12" },
      'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    ],
    [
      "another key format",
      {},
      { private_key_format: "p12" },
      'the "private_key_format" path parameter must be "der" or "pkcs8"',
    ],
    [
      "no common name",
      {},
      { common_name: "" },
      'the common_name field is required, or must be provided in a CSR with "use_csr_common_name" set to true, unless "require_cn" is set to false',
    ],
    [
      "a common name the role does not allow",
      { allow_any_name: false },
      { common_name: "x.test" },
      "common name x.test not allowed by this role",
    ],
    [
      "one bad name of many",
      { allow_any_name: false, allowed_domains: "a.test", allow_subdomains: true },
      { common_name: "ok.a.test", alt_names: "fine.a.test,x.b.test" },
      "subject alternate name x.b.test not allowed by this role",
    ],
    [
      "a bad mail address",
      { allow_any_name: false, allowed_domains: "a.test", allow_bare_domains: true },
      { common_name: "a.test", alt_names: "u@b.test" },
      "email address u@b.test not allowed by this role",
    ],
    [
      "an IP address where none is allowed",
      { allow_ip_sans: false },
      { ip_sans: "192.0.2.1" },
      "IP Subject Alternative Names are not allowed in this role, but was provided via the API",
    ],
    [
      "an IP address that is none",
      {},
      { ip_sans: "192.0.2.256" },
      'the value "192.0.2.256" is not a valid IP address',
    ],
    [
      "a URI where none is allowed",
      {},
      { uri_sans: "https://a.test" },
      "URI Subject Alternative Names are not allowed in this role, but were provided via the API",
    ],
    [
      "a URI that fits none",
      { allowed_uri_sans: "https://*" },
      { uri_sans: "http://a.test" },
      "URI Subject Alternative Names were provided via the API which are not valid for this role",
    ],
    [
      "a URI that is none",
      { allowed_uri_sans: "*" },
      { uri_sans: "a b" },
      'the provided URI Subject Alternative Name "a b" is not a valid URI',
    ],
    [
      "another name that cannot be read",
      {},
      { other_sans: "x" },
      "could not parse requested other SAN: x",
    ],
    [
      "another name of an unknown kind",
      { allowed_other_sans: "1.2.3;UTF8:*" },
      { other_sans: "1.2.4;UTF8:x" },
      "other SAN OID 1.2.4 not allowed by this role",
    ],
    [
      "another name that fits none",
      { allowed_other_sans: "1.2.3;UTF8:a*" },
      { other_sans: "1.2.3;UTF8:x" },
      "other SAN x not allowed for OID 1.2.3 by this role",
    ],
    [
      "a serial number of the subject",
      {},
      { serial_number: "7" },
      "serial_number 7 not allowed by this role",
    ],
    ["a user id", {}, { user_ids: "u" }, "user_id u is not allowed by this role"],
    [
      "a name that is no SAN",
      {},
      { alt_names: "a_b.test" },
      "subject alternate name a_b.test is not a valid DNS name and cannot be included as a SAN",
    ],
    [
      "a lifetime given twice",
      { not_after: "2031-01-01T00:00:00Z" },
      { ttl: 60 },
      "Either ttl or not_after should be provided. Both should not be provided in the same request.",
    ],
    [
      "a lifetime beyond the role",
      { max_ttl: "1h" },
      { ttl: "2h" },
      'cannot satisfy request, as TTL "2h0m0s" is longer than permitted maxTTL "1h0m0s"',
    ],
    [
      "an end beyond the role",
      { max_ttl: "1h" },
      { not_after: "2031-01-01T00:00:00Z" },
      'cannot satisfy request, as not_after "2031-01-01T00:00:00Z" is later than permitted by maxTTL "1h0m0s"',
    ],
    [
      "a life beyond the issuer's",
      {},
      { not_after: "9999-12-31T23:59:59Z" },
      /^cannot satisfy request, as TTL would result in notAfter of 9999-12-31T23:59:59Z that is beyond the expiration of the CA certificate at 2039-/,
    ],
    [
      "an end in the past",
      {},
      { not_after: "2029-01-01T00:00:00Z" },
      "notBefore 2030-01-02T03:03:35Z is later than notAfter 2029-01-01T00:00:00Z",
    ],
    [
      "a begin before 1970",
      { not_before_duration: "600000h" },
      {},
      "the certificate would violate a rule: the validity must be between 1970 and 9999 (4.1.2.5)",
    ],
    [
      "an array for a text",
      {},
      { alt_names: ["a.test"] },
      "Field validation failed: error converting input for field \"alt_names\": expected type 'string', got unconvertible type 'array'",
    ],
  ] as const)(
    "with %s gets an error, and neither issues nor stores a certificate",
    async (_, role, body, text) => {
      const a = await withRoot(role);
      const answer = await a.call("POST", `pki/issue/${"role" in body ? body.role : "web"}`, {
        common_name: "a.test",
        ...body,
      });
      expect([answer.status, answer.errors]).toEqual([
        400,
        [typeof text === "string" ? text : expect.stringMatching(text)],
      ]);
      expect((await a.pki.listCerts({})).keys).toHaveLength(1);
      expect(a.events.at(-1)?.fields).not.toHaveProperty("serial");
    },
  );

  it("for an unknown issuer gets 400 in the documented dialect and 500 in the other", async () => {
    const a = await withRoot();
    const text =
      "could not fetch the CA certificate (was one set?): unable to find PKI issuer for reference: nobody";
    for (const [compat, status] of [
      [false, 400],
      [true, 500],
    ] as const) {
      const answer = await a.call(
        "POST",
        "pki/issuer/nobody/issue/web",
        { common_name: "a.test" },
        { compat },
      );
      expect([answer.status, answer.errors]).toEqual([status, [text]]);
    }
    const b = authority();
    await b.role("web");
    expect((await b.call("POST", "pki/issue/web", { common_name: "a.test" })).errors).toEqual([
      "could not fetch the CA certificate (was one set?): no default issuer currently configured",
    ]);
  });

  it("names the issuer that has no key", async () => {
    const a = await withRoot();
    const { certificate } = await authority({ seed: 3 }).root({ common_name: "Foreign" });
    const [id = ""] = (await a.pki.setSigned({ certificate })).imported_issuers ?? [];
    const keyless = await a.call(
      "POST",
      `pki/issuer/${id}/issue/web`,
      { common_name: "a.test" },
      { compat: true },
    );
    expect([keyless.status, keyless.errors]).toEqual([
      400,
      [
        `could not fetch the CA certificate (was one set?): unable to fetch corresponding key for issuer ${id}; unable to use this issuer for signing`,
      ],
    ]);
  });
});
