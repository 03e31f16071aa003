import { describe, expect, it } from "vitest";
import { extensionOid } from "../../src/x509/oid.ts";
import { readNameConstraints } from "../../src/x509/name-constraints.ts";
import { algorithmName, parsePublicKey } from "../../src/x509/public-key.ts";
import { bytesOf, labelsOf, readCertificate, valueOf } from "../pki/reading.ts";
import { authority, refusal, start, warningsOf, type Authority } from "../support/authority.ts";

const now = start / 1000;
type RootInput = Parameters<Authority["root"]>[0];
/** Generates a root with this input and returns its certificate. */
const made = async (input: RootInput) =>
  readCertificate((await authority().root(input)).certificate);
const refused = (input: RootInput) => refusal(authority().root(input));

describe("root generation fields", () => {
  it("A 3.3 issuer_name, A 3.3 key_name, A 3.3 key_ref: name the issuer and the key, and select an existing key", async () => {
    const a = authority();
    const first = await a.root({ issuer_name: "one", key_name: "k1" });
    expect(first).toMatchObject({ issuer_name: "one", key_name: "k1" });
    expect(await a.root({ issuer_name: undefined, key_name: undefined })).toMatchObject({
      issuer_name: "",
      key_name: "",
    });
    for (const key_ref of [undefined, "default", "k1", first.key_id])
      expect((await a.pki.generateRootFromKey({ common_name: "R", key_ref })).key_id).toBe(
        first.key_id,
      );
    expect(
      (
        await a.call(
          "POST",
          "pki/root/generate/internal",
          { key_ref: "k1", key_type: "ec", common_name: "R" },
          { compat: true },
        )
      ).json["warnings"],
    ).toContain("Endpoint ignored these unrecognized parameters: [key_ref]");
  });

  it("A 3.3 common_name, A 3.3 exclude_cn_from_sans, A 3.3 rule 1: the common name is a SAN if it is a host name or an email address", async () => {
    const cases = [
      ["My Root CA", undefined],
      ["example.com", { dns: ["example.com"], email: [] }],
      ["ca@example.com", { dns: [], email: ["ca@example.com"] }],
    ] as const;
    for (const [common_name, names] of cases) {
      const read = await made({ common_name });
      expect(read.text.subject).toContain(common_name);
      if (names) expect(read.names).toMatchObject(names);
      else expect(read.names).toBeUndefined();
    }
    expect(
      (await made({ common_name: "example.com", exclude_cn_from_sans: true })).names,
    ).toBeUndefined();
    const empty = await authority().root({ common_name: "" });
    expect(warningsOf(empty).join()).toContain("The subject of the new CA certificate is empty");
  });

  it("A 3.3 alt_names, A 3.3 ip_sans, A 3.3 uri_sans, A 3.3 other_sans: set SANs of every type", async () => {
    const read = await made({
      common_name: "Root R",
      alt_names: "a.test, u@a.test",
      ip_sans: "10.0.0.1",
      uri_sans: ["urn:x:1"],
      other_sans: "1.3.6.1.4.1.5;UTF8:v",
    });
    expect(read.names).toMatchObject({
      dns: ["a.test"],
      email: ["u@a.test"],
      ip: ["10.0.0.1"],
      uri: ["urn:x:1"],
      other: [{ oid: "1.3.6.1.4.1.5" }],
    });
    expect(read.critical).not.toContain(extensionOid.subjectAltName);
  });

  it("A 3.3 ttl, A 3.3 not_after, A 3.3 not_before_duration, A 3.3 not_before: set the validity", async () => {
    expect(await made({ ttl: undefined })).toMatchObject({
      notBefore: now - 30,
      notAfter: now + 768 * 3600,
    });
    expect(await made({ ttl: "2h", not_before_duration: 0 })).toMatchObject({
      notBefore: now,
      notAfter: now + 7200,
    });
    expect(await made({ ttl: 60, not_before_duration: "10m" })).toMatchObject({
      notBefore: now - 600,
      notAfter: now + 60,
    });
    expect(
      await made({
        ttl: undefined,
        not_after: "2060-01-01T00:00:00Z",
        not_before: "2030-01-01T00:00:00Z",
      }),
    ).toMatchObject({
      notBefore: Date.UTC(2030, 0, 1) / 1000,
      notAfter: Date.UTC(2060, 0, 1) / 1000,
    });
    const capped = await authority().root({ ttl: "90000h" });
    expect([capped.expiration, warningsOf(capped).join()]).toEqual([
      now + 87_600 * 3600,
      expect.stringContaining("so maxTTL is being used"),
    ]);
    expect(await refused({ ttl: "1h", not_after: "2060-01-01T00:00:00Z" })).toEqual([
      400,
      expect.stringContaining("Either ttl or not_after should be provided."),
    ]);
  });

  it("A 3.3 format, A 3.3 private_key_format: select the encoding of certificate and key", async () => {
    const a = authority();
    const asked = async (input: object) =>
      (
        await a.call(
          "POST",
          "pki/root/generate/exported",
          { common_name: "R", key_type: "ec", ...input },
          { compat: true },
        )
      ).data;
    const pem = await asked({});
    expect([labelsOf(pem["certificate"]), labelsOf(pem["private_key"]), pem["issuing_ca"]]).toEqual(
      [["CERTIFICATE"], ["EC PRIVATE KEY"], pem["certificate"]],
    );
    const der = await asked({ format: "der" });
    expect([bytesOf(der["certificate"])[0], bytesOf(der["private_key"])[0]]).toEqual([0x30, 0x30]);
    expect(labelsOf((await asked({ format: "pem_bundle" }))["certificate"])).toEqual([
      "EC PRIVATE KEY",
      "CERTIFICATE",
    ]);
    for (const form of ["", "der", "pem"])
      expect(labelsOf((await asked({ private_key_format: form }))["private_key"])).toEqual([
        "EC PRIVATE KEY",
      ]);
    expect(labelsOf((await asked({ private_key_format: "pkcs8" }))["private_key"])).toEqual([
      "PRIVATE KEY",
    ]);
    expect(await refused({ format: "" })).toEqual([
      400,
      'the "format" path parameter must be "pem", "der", or "pem_bundle"',
    ]);
    expect((await refused({ private_key_format: "x" }))[0]).toBe(400);
  });

  it("A 3.3 key_type, A 3.3 key_bits, A 3.3 signature_bits, A 3.3 use_pss: select the key and the signature algorithm", async () => {
    const cases = [
      [{ key_type: undefined }, "rsa", 2048, "SHA256WithRSA"],
      [{ key_type: "rsa", signature_bits: 512, use_pss: true }, "rsa", 2048, "SHA512WithRSAPSS"],
      [{ key_type: "ec" }, "ec", 256, "ECDSAWithSHA256"],
      [{ key_type: "ec", key_bits: 224, signature_bits: 512 }, "ec", 224, "ECDSAWithSHA256"],
      [{ key_type: "ec", key_bits: "521", use_pss: true }, "ec", 521, "ECDSAWithSHA512"],
      [{ key_type: "ed25519" }, "ed25519", undefined, "Ed25519"],
    ] as const;
    for (const [input, type, bits, name] of cases) {
      const read = await made(input);
      const key = parsePublicKey(read.spki);
      expect([key.type, algorithmName(read.algorithm)]).toEqual([type, name]);
      if (bits !== undefined) expect(key.bits).toBe(bits);
    }
  });

  it("A 3.3 max_path_length: -1 means no limit, 0 zero, and other values the limit", async () => {
    for (const [max_path_length, basic] of [
      [-1, { ca: true }],
      [0, { ca: true, pathLength: 0 }],
      [3, { ca: true, pathLength: 3 }],
    ] as const)
      expect((await made({ max_path_length })).basic).toEqual(basic);
    expect(warningsOf(await authority().root({ max_path_length: 0 })).join()).toContain(
      "Max path length of the generated certificate is zero.",
    );
  });

  it("A 3.3 key_usage, A 3.3 ext_key_usage, A 3.3 ext_key_usage_oids: add DigitalSignature and extended key usages", async () => {
    expect((await made({ key_usage: "DigitalSignature,KeyAgreement" })).usage).toEqual([
      "DigitalSignature",
      "CertSign",
      "CRLSign",
    ]);
    const read = await made({
      ext_key_usage: "clientauth, ServerAuth",
      ext_key_usage_oids: ["1.3.6.1.4.1.9"],
    });
    expect(read.purposes).toEqual(["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2", "1.3.6.1.4.1.9"]);
    expect((await refused({ ext_key_usage_oids: "one" }))[0]).toBe(400);
  });

  const constraints = {
    permitted_dns_domains: ["a.test", ".b.test"],
    excluded_dns_domains: ["x.a.test"],
    permitted_ip_ranges: ["192.0.2.0/24"],
    excluded_ip_ranges: ["192.0.2.128/25"],
    permitted_email_addresses: ["u@a.test"],
    excluded_email_addresses: [".x.test"],
    permitted_uri_domains: ["a.test"],
    excluded_uri_domains: [".x.test"],
  } as const;
  it("A 3.3 permitted_dns_domains, A 3.3 excluded_dns_domains, A 3.3 permitted_email_addresses, A 3.3 excluded_email_addresses, A 3.3 permitted_uri_domains, A 3.3 excluded_uri_domains: set name constraints", async () => {
    const read = await made(constraints);
    expect(readNameConstraints(valueOf(read, extensionOid.nameConstraints))).toMatchObject({
      permitted: {
        dns: ["a.test", ".b.test"],
        ip: ["192.0.2.0/24"],
        email: ["u@a.test"],
        uri: ["a.test"],
      },
      excluded: { dns: ["x.a.test"], ip: ["192.0.2.128/25"], email: [".x.test"], uri: [".x.test"] },
    });
    const a = authority();
    await a.root({ permitted_dns_domains: "a.test" });
    await a.role("web");
    expect(
      (await a.call("POST", "pki/issue/web", { common_name: "w.a.test", ttl: "1h" })).status,
    ).toBe(200);
    expect(
      (await a.call("POST", "pki/issue/web", { common_name: "w.b.test", ttl: "1h" })).status,
    ).toBe(400);
  });
  it("A 3.3 permitted_ip_ranges, A 3.3 excluded_ip_ranges: accept ranges in CIDR form only", async () => {
    for (const name of ["permitted_ip_ranges", "excluded_ip_ranges"] as const) {
      expect((await made({ [name]: "10.0.0.0/8, 2001:db8::/32" })).critical).toContain(
        extensionOid.nameConstraints,
      );
      expect(await refused({ [name]: "10.0.0.1" })).toEqual([400, expect.stringContaining("CIDR")]);
    }
  });

  it("A 3.3 ou, A 3.3 organization, A 3.3 country, A 3.3 locality, A 3.3 province, A 3.3 street_address, A 3.3 postal_code, A 3.3 serial_number: set the subject", async () => {
    const { text } = await made({
      ou: "U1,U2",
      organization: ["Org, Inc"],
      country: "DE",
      locality: "City",
      province: "State",
      street_address: "Street 5",
      postal_code: "12345",
      serial_number: "SN-7",
    });
    const parts = ["U1", "U2", "Org", "DE", "City", "State", "Street 5", "12345", "SN-7"];
    for (const part of parts) expect(text.subject).toContain(part);
    expect(text.issuer).toBe(text.subject);
  });
});

describe("root generation rules", () => {
  it("A 3.3 rule 2: an existing key excludes key_type and key_bits, must exist, and defaults to the default key", async () => {
    const a = authority();
    expect(await refusal(a.pki.generateRootFromKey({ common_name: "R" }))).toEqual([
      400,
      "failed to lookup public key from existing key: no default key currently configured",
    ]);
    const root = await a.root();
    for (const field of ["key_type", "key_bits"]) {
      const { status, errors } = await a.call("POST", "pki/root/generate/existing", {
        common_name: "R",
        [field]: "",
      });
      expect([status, errors]).toEqual([
        400,
        [
          "invalid parameter for the kms/existing path parameter, key_type nor key_bits arguments can be set in this mode",
        ],
      ]);
    }
    expect(await refusal(a.pki.generateRootFromKey({ common_name: "R", key_ref: "none" }))).toEqual(
      [400, expect.stringMatching(/^failed to lookup public key from existing key: /)],
    );
    expect((await a.pki.generateRootFromKey({ common_name: "R" })).key_id).toBe(root.key_id);
  });

  it("A 3.3 rule 3: adds the extensions of a root and the mount's URLs, but no extended key usages and policies", async () => {
    const a = authority();
    await a.pki.writeUrls({
      issuing_certificates: "http://ca.test/ca",
      crl_distribution_points: "http://ca.test/crl",
    });
    const read = readCertificate(
      (await a.root({ permitted_dns_domains: "a.test", alt_names: "a.test" })).certificate,
    );
    expect(read.order.toSorted()).toEqual(
      [
        extensionOid.keyUsage,
        extensionOid.basicConstraints,
        extensionOid.subjectKeyIdentifier,
        extensionOid.authorityKeyIdentifier,
        extensionOid.authorityInfoAccess,
        extensionOid.subjectAltName,
        extensionOid.nameConstraints,
        extensionOid.crlDistributionPoints,
      ].toSorted(),
    );
    expect(read.critical.toSorted()).toEqual(
      [
        extensionOid.keyUsage,
        extensionOid.basicConstraints,
        extensionOid.nameConstraints,
      ].toSorted(),
    );
    expect(valueOf(read, extensionOid.authorityKeyIdentifier).subarray(4)).toEqual(
      valueOf(read, extensionOid.subjectKeyIdentifier).subarray(2),
    );
  });

  it("A 3.3 rule 4: omits URLs with the ID of the issuer, which does not exist yet, with a warning", async () => {
    const a = authority();
    await a.pki.writeUrls({
      enable_templating: true,
      issuing_certificates: "http://ca.test/{{issuer_id}}",
    });
    const root = await a.root();
    expect(readCertificate(root.certificate).order).not.toContain(extensionOid.authorityInfoAccess);
    expect(warningsOf(root)).toEqual([
      expect.stringContaining("a new root does not have an ID yet"),
    ]);
    await a.pki.writeUrls({
      issuing_certificates: "http://ca.test/ca",
      delta_crl_distribution_points: "http://ca.test/{{issuer_id}}/delta",
    });
    const delta = await a.root({ issuer_name: "delta" });
    expect(readCertificate(delta.certificate).order).not.toContain(extensionOid.freshestCrl);
    expect(warningsOf(delta).join()).toContain("a new root does not have an ID yet");
  });

  it("A 3.3 rule 5: stores key, issuer and certificate, and builds the CRL", async () => {
    const a = authority();
    const root = await a.root();
    expect(await a.pki.readIssuer({ issuer_ref: root.issuer_id })).toMatchObject({
      leaf_not_after_behavior: "err",
      usage: "crl-signing,issuing-certificates,ocsp-signing,read-only",
    });
    expect((await a.pki.listKeys({})).keys).toEqual([root.key_id]);
    expect((await a.pki.listCerts({})).keys).toEqual([root.serial_number]);
    expect((await a.call("GET", "pki/crl/pem")).text).toContain("BEGIN X509 CRL");
  });

  it("A 3.3 rule 6: revocation_signature_algorithm is set to the root's signature algorithm, and left empty for imported issuers", async () => {
    const a = authority();
    for (const [key_type, name] of [
      ["rsa", "SHA256WithRSA"],
      ["ec", "ECDSAWithSHA256"],
      ["ed25519", "Ed25519"],
    ] as const) {
      await a.root({ key_type, issuer_name: key_type });
      expect(
        (await a.pki.readIssuer({ issuer_ref: key_type })).revocation_signature_algorithm,
      ).toBe(name);
    }
    const below = await a.intermediate();
    expect((await a.pki.readIssuer({ issuer_ref: below.id })).revocation_signature_algorithm).toBe(
      "",
    );
  });
});
