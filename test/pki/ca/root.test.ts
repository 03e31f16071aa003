import { describe, expect, it } from "vitest";
import { authority, refusal, start, warningsOf } from "../../support/authority.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readNameConstraints } from "../../../src/x509/name-constraints.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import { bytesOf, derOf, labelsOf, readCertificate, valueOf, verified } from "../reading.ts";

const now = start / 1000;

describe("a generated root", () => {
  it("is a self-signed CA in the RFC 5280 profile that openssl verifies, valid from 30 seconds ago", async () => {
    const { pki } = authority();
    const root = await pki.generateRoot({
      common_name: "example.com",
      issuer_name: "r1",
      key_name: "k1",
      key_type: "ec",
      ttl: "1000h",
      organization: "Example, Inc",
      country: ["DE"],
      ou: ["One", "Two", "One"],
      serial_number: "S-1",
      alt_names: "www.example.com,admin@example.com",
      ip_sans: "192.0.2.1,2001:db8::1",
      uri_sans: "https://example.com/a",
      other_sans: "1.2.3.4;UTF8:ä",
    });
    const read = readCertificate(root.certificate);
    expect(root).toMatchObject({
      issuer_name: "r1",
      key_name: "k1",
      expiration: now + 1000 * 3600,
      issuing_ca: root.certificate,
    });
    expect(read).toMatchObject({
      version: 3,
      notBefore: now - 30,
      notAfter: now + 1000 * 3600,
      basic: { ca: true },
      usage: ["CertSign", "CRLSign"],
      purposes: [],
    });
    expect(read.issuer).toEqual(read.subject);
    expect(read.text.subject).toContain("example.com");
    expect(read.names).toMatchObject({
      dns: ["example.com", "www.example.com"],
      email: ["admin@example.com"],
      ip: ["192.0.2.1", "2001:db8::1"],
      uri: ["https://example.com/a"],
    });
    expect(read.critical).toEqual([extensionOid.keyUsage, extensionOid.basicConstraints]);
    expect(valueOf(read, extensionOid.authorityKeyIdentifier).subarray(4)).toEqual(
      valueOf(read, extensionOid.subjectKeyIdentifier).subarray(2),
    );
    expect(verified(root.certificate, { root: root.certificate, at: start })).toContain("OK");
  });

  it("becomes an issuer and a stored certificate, and the default issuer if there was none", async () => {
    const a = authority();
    const first = await a.root();
    const second = await a.root({ issuer_name: "second" });
    expect(await a.pki.readIssuersConfig({})).toMatchObject({
      default: first.issuer_id,
      default_follows_latest_issuer: false,
    });
    expect((await a.pki.listIssuers({})).key_info[second.issuer_id]).toEqual({
      issuer_name: "second",
      is_default: false,
      serial_number: second.serial_number,
      key_id: second.key_id,
      revoked: false,
      issuer_revoked: false,
      not_before: expect.any(String),
      not_after: expect.any(String),
    });
    expect((await a.pki.listCerts({})).keys).toEqual(
      [first.serial_number, second.serial_number].sort(),
    );
    await a.pki.writeIssuersConfig({ default: "root", default_follows_latest_issuer: true });
    const third = await a.root({ issuer_name: "third" });
    expect((await a.pki.readIssuersConfig({})).default).toBe(third.issuer_id);
  });

  it("reveals its key only if requested, in every encoding", async () => {
    const a = authority();
    expect((await a.root()).private_key).toBeUndefined();
    const asked = async (input: object) =>
      (
        await a.call("POST", "pki/root/generate/exported", {
          common_name: "R",
          key_type: "ec",
          ...input,
        })
      ).data;
    const pem = await asked({});
    expect(labelsOf(pem["private_key"])).toEqual(["EC PRIVATE KEY"]);
    expect(pem["private_key_type"]).toBe("ec");
    expect(labelsOf((await asked({ private_key_format: "pkcs8" }))["private_key"])).toEqual([
      "PRIVATE KEY",
    ]);
    const bundle = await asked({ format: "pem_bundle" });
    expect(labelsOf(bundle["certificate"])).toEqual(["EC PRIVATE KEY", "CERTIFICATE"]);
    const der = await asked({ format: "der", private_key_format: "der" });
    expect(readCertificate(bytesOf(der["certificate"])).basic?.ca).toBe(true);
    expect(bytesOf(der["private_key"])[0]).toBe(0x30);
    const internal = await a.call("POST", "pki/issuers/generate/root/internal", {
      common_name: "R",
      key_type: "ed25519",
      format: "pem_bundle",
    });
    expect(labelsOf(internal.data["certificate"])).toEqual(["CERTIFICATE"]);
    expect(
      (await a.pki.generateExportedRoot({ common_name: "R", key_type: "ed25519" }))
        .private_key_type,
    ).toBe("ed25519");
  });

  it("can expire at 9999-12-31T23:59:59Z, beyond the maximum TTL of the mount", async () => {
    const a = authority();
    const root = await a.root({ ttl: undefined, not_after: "9999-12-31T23:59:59Z" });
    expect(readCertificate(root.certificate).notAfter).toBe(253_402_300_799);
    expect(Buffer.from(derOf(root.certificate)).includes("99991231235959Z")).toBe(true);
  });

  it("is capped at the maximum TTL of the mount with a warning in every dialect", async () => {
    const a = authority();
    for (const compat of [false, true]) {
      const { data, json } = await a.call(
        "POST",
        "pki/root/generate/internal",
        { common_name: "R", key_type: "ec", ttl: "87601h" },
        { compat },
      );
      expect(Number(data["expiration"])).toBe(now + 87_600 * 3600);
      expect(JSON.stringify(json["warnings"])).toContain(
        'TTL \\"87601h0m0s\\" is longer than permitted maxTTL \\"87600h0m0s\\", so maxTTL is being used',
      );
    }
  });

  it("has DigitalSignature if key_usage requests it, and no other requested usage", async () => {
    const root = await authority().root({ key_usage: "digitalsignature,EncipherOnly,nonsense" });
    expect(readCertificate(root.certificate).usage).toEqual([
      "DigitalSignature",
      "CertSign",
      "CRLSign",
    ]);
  });

  it("has name constraints of all four types", async () => {
    const root = await authority().root({
      permitted_dns_domains: "a.test,.b.test",
      excluded_dns_domains: ["x.a.test"],
      permitted_ip_ranges: "192.0.2.0/24,2001:db8::/32",
      excluded_ip_ranges: "192.0.2.128/25",
      permitted_email_addresses: "u@a.test,a.test,.a.test",
      excluded_email_addresses: "x@a.test",
      permitted_uri_domains: "a.test",
      excluded_uri_domains: ".x.test",
    });
    const read = readCertificate(root.certificate);
    expect(read.critical).toContain(extensionOid.nameConstraints);
    expect(readNameConstraints(valueOf(read, extensionOid.nameConstraints))).toMatchObject({
      permitted: {
        dns: ["a.test", ".b.test"],
        ip: ["192.0.2.0/24", "2001:db8::/32"],
        email: ["u@a.test", "a.test", ".a.test"],
        uri: ["a.test"],
      },
      excluded: {
        dns: ["x.a.test"],
        ip: ["192.0.2.128/25"],
        email: ["x@a.test"],
        uri: [".x.test"],
      },
    });
  });

  it("is signed with the scheme of its key and signature_bits, like the CRLs of its issuer", async () => {
    const a = authority();
    const kinds = [
      [{ key_type: "ec", key_bits: 224 }, "ECDSAWithSHA256"],
      [{ key_type: "ec", key_bits: 384 }, "ECDSAWithSHA384"],
      [{ key_type: "ec", key_bits: 521, signature_bits: 256 }, "ECDSAWithSHA512"],
      [{ key_type: "ed25519", use_pss: true }, "Ed25519"],
      [{ key_type: "rsa", signature_bits: 384, use_pss: true }, "SHA384WithRSAPSS"],
    ] as const;
    for (const [input, name] of kinds) {
      const root = await a.root({ ...input, issuer_name: name });
      expect(algorithmName(readCertificate(root.certificate).algorithm)).toBe(name);
      expect((await a.pki.readIssuer({ issuer_ref: name })).revocation_signature_algorithm).toBe(
        name,
      );
      expect(verified(root.certificate, { root: root.certificate, at: start })).toContain("OK");
    }
  });

  it("contains the AIA URLs of the mount, except templates that need the ID of the new issuer", async () => {
    const a = authority();
    await a.pki.writeUrls({
      issuing_certificates: "http://ca.test/ca",
      crl_distribution_points: ["http://ca.test/crl"],
      ocsp_servers: "http://ca.test/ocsp",
    });
    const plain = await a.root();
    expect(readCertificate(plain.certificate).order).toEqual(
      expect.arrayContaining([
        extensionOid.authorityInfoAccess,
        extensionOid.crlDistributionPoints,
      ]),
    );
    expect(warningsOf(plain)).toEqual([]);
    await a.pki.writeUrls({
      enable_templating: true,
      issuing_certificates: "{{cluster_aia_path}}/issuer/{{issuer_id}}/der",
    });
    const templated = await a.root({ issuer_name: "r2" });
    expect(readCertificate(templated.certificate).order).not.toContain(
      extensionOid.authorityInfoAccess,
    );
    expect(warningsOf(templated)[0]).toContain("a new root does not have an ID yet");
  });

  it("has warnings for an empty subject and a path length of zero", async () => {
    const root = await authority().root({ common_name: "", max_path_length: 0 });
    const warnings = warningsOf(root).join("\n");
    expect(warnings).toContain("empty");
    expect(warnings).toContain(
      "Max path length of the generated certificate is zero. This certificate cannot be used to issue intermediate CA certificates",
    );
    expect(readCertificate(root.certificate).basic).toEqual({ ca: true, pathLength: 0 });
  });

  it("has the warnings of the configuration it was generated under, not of an earlier one", async () => {
    const { pki } = authority();
    const generated = pki.generateRoot({ common_name: "a", key_type: "ec" });
    // written while the key is being generated
    await pki.writeUrls({ issuing_certificates: "http://a.test/ca" });
    const root = await generated;
    expect(readCertificate(root.certificate).order).toContain(extensionOid.authorityInfoAccess);
    expect(warningsOf(root)).toEqual([]);
  });
});

describe("an invalid root request", () => {
  const refusals: readonly (readonly [why: string, input: object, text: string | RegExp])[] = [
    [
      "a format that does not exist",
      { format: "jks" },
      'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    ],
    [
      "an empty format",
      { format: "" },
      'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    ],
    [
      "a private key format that does not exist",
      { private_key_format: "x" },
      'the "private_key_format" path parameter must be "der" or "pkcs8"',
    ],
    ["an empty issuer name", { issuer_name: "" }, "expected non-empty issuer name"],
    [
      "the issuer name default in any case",
      { issuer_name: "DeFault" },
      "reserved keyword 'default' can not be used as issuer name",
    ],
    [
      "an issuer name with a blank in it",
      { issuer_name: "a b" },
      "issuer name contained invalid characters",
    ],
    ["an issuer name that is taken", { issuer_name: " root " }, "issuer name already in use"],
    ["an empty key name", { key_name: "" }, "key name contained invalid characters"],
    [
      "the key name default",
      { key_name: "default" },
      "reserved keyword 'default' can not be used as key name",
    ],
    ["a key name that is taken", { key_name: "taken" }, "key name already in use"],
    ["an unknown key type", { key_type: "dsa" }, /^unknown key type dsa: use rsa, ec\b/],
    [
      "a short RSA key",
      { key_type: "rsa", key_bits: 1024 },
      "RSA keys < 2048 bits are unsafe and not supported: got 1024",
    ],
    [
      "an RSA key of another size",
      { key_type: "rsa", key_bits: 2049 },
      "unsupported bit length for RSA key: 2049",
    ],
    [
      "an EC key of another size",
      { key_type: "ec", key_bits: 255 },
      "unsupported bit length for EC key: 255",
    ],
    [
      "a hash that does not exist",
      { key_type: "rsa", signature_bits: 224 },
      "unsupported hash signature algorithm: 224",
    ],
    [
      "a lifetime given twice",
      { ttl: "1h", not_after: "2031-01-01T00:00:00Z" },
      "Either ttl or not_after should be provided. Both should not be provided in the same request.",
    ],
    ["an end that is no time", { ttl: undefined, not_after: "tomorrow" }, /RFC 3339/],
    [
      "an end before its begin",
      { ttl: undefined, not_after: "2029-01-01T00:00:00Z" },
      "notBefore 2030-01-02T03:03:35Z is later than notAfter 2029-01-01T00:00:00Z",
    ],
    [
      "an end that is its begin",
      { ttl: undefined, not_after: "2030-01-02T03:03:35Z" },
      "notBefore 2030-01-02T03:03:35Z is equal to notAfter 2030-01-02T03:03:35Z",
    ],
    [
      "a begin before 1970",
      { not_before_duration: "2000000h" },
      /the validity must be between 1970 and 9999/,
    ],
    ["a negative begin", { not_before_duration: "-5s" }, /cannot provide negative value '-5'/],
    [
      "an IP range that is none",
      { permitted_ip_ranges: "192.0.2.0" },
      'the value "192.0.2.0" is not an IP range in CIDR form',
    ],
    [
      "a name constraint that is not ASCII",
      { permitted_dns_domains: "ä.test" },
      /^the value "ä.test" is not a valid domain constraint: use /,
    ],
    ...(["permitted", "excluded"] as const).flatMap((side) =>
      (
        [
          [
            "dns_domains",
            [
              "a.test.",
              "*.a.test",
              "a..test",
              "https://a.test",
              "a.test:443",
              "u@a.test",
              "..a.test",
              ".",
              "192.0.2.1",
              `${"a".repeat(64)}.test`,
            ],
          ],
          [
            "uri_domains",
            ["a.test.", "*.a.test", "a..test", "https://a.test", "a.test/", "192.0.2.1"],
          ],
          [
            "email_addresses",
            [
              "a.test.",
              "*@a.test.",
              "u@*.a.test",
              "u@.a.test",
              "u@a..test",
              "u@",
              "@a.test",
              "u@v@a.test",
              "mailto:a.test",
            ],
          ],
          [
            "ip_ranges",
            ["192.0.2.0/33", "192.0.2/24", "192.0.2.0/255.255.255.0", "2001:db8::/129", "*"],
          ],
        ] as const
      ).flatMap(([kind, values]) =>
        values.map(
          (value) =>
            [
              `a name constraint that says nothing: ${side}_${kind} ${value}`,
              { [`${side}_${kind}`]: value },
              /^the value ".*" is not an? .*(?:: use | in CIDR form)/,
            ] as const,
        ),
      ),
    ),
    [
      "a path length below -1",
      { max_path_length: -2 },
      "max_path_length must be -1 or more, got -2",
    ],
    [
      "an alternative name that is none",
      { alt_names: "a_b.test" },
      "subject alternate name a_b.test is not a valid DNS name and cannot be included as a SAN",
    ],
    [
      "an IP address that is none",
      { ip_sans: "1.2.3" },
      'the value "1.2.3" is not a valid IP address',
    ],
    [
      "a URI that is none",
      { uri_sans: "no uri" },
      'the provided URI Subject Alternative Name "no uri" is not a valid URI',
    ],
    [
      "another name that is none",
      { other_sans: "1.2;IA5:x" },
      "could not parse requested other SAN: 1.2;IA5:x",
    ],
  ];
  it.each(refusals)("is rejected for %s, and nothing is stored", async (_, input, text) => {
    const a = authority();
    await a.root({ key_name: "taken" });
    const body = { common_name: "R", key_type: "ec", ttl: "1h", ...input };
    for (const kind of ["internal", "exported"]) {
      const answer = await a.call("POST", `pki/root/generate/${kind}`, body);
      expect([answer.status, answer.errors]).toEqual([
        400,
        [typeof text === "string" ? text : expect.stringMatching(text)],
      ]);
    }
    expect((await a.pki.listIssuers({})).keys).toHaveLength(1);
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
  });
  it("is rejected with the name of the field that has the wrong type", async () => {
    expect(await refusal(authority().root({ max_path_length: "two" }))).toEqual([
      400,
      expect.stringMatching(
        /^Field validation failed: error converting input for field "max_path_length": /,
      ),
    ]);
  });
});
