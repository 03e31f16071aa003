import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmName } from "../../src/x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../src/x509/key-identifiers.ts";
import * as extension from "../x509/extensions.ts";
import {
  readAuthorityInfoAccess,
  readCrlDistributionPoints,
} from "../../src/x509/distribution-points.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, start, warningsOf, type Authority } from "../support/authority.ts";
import { certify, commonName, defined, makeCa } from "../x509/fixture.ts";
import { primeKey } from "../x509/prime-key.ts";
import { crafted } from "../pki/crafted.ts";
import {
  keyOf,
  labelsOf,
  rdn,
  readCertificate,
  request,
  sanOf,
  valueOf,
  verified,
} from "../pki/reading.ts";

const now = start / 1000;
async function withRoot(input: Parameters<Authority["root"]>[0] = {}): Promise<Authority> {
  const a = authority();
  await a.root(input);
  return a;
}
const path = "pki/root/sign-intermediate";
const ask = async (a: Authority, body: object = {}, compat = false) =>
  a.call("POST", path, { csr: await request({ cn: "I" }), ttl: "1h", ...body }, { compat });

describe("sign-intermediate", () => {
  it("A 9.1 rule 1: an unsupported format has its own error", async () => {
    for (const format of ["jks", "", "PEM"])
      expect(await ask(await withRoot(), { format })).toMatchObject({
        status: 400,
        errors: ['The "format" path parameter must be "pem" or "der"'],
      });
  });

  it("A 9.1 rule 1: accepts every field that clients send, even without effect, and reports none as unknown", async () => {
    const a = await withRoot();
    const body = {
      common_name: "I",
      alt_names: "",
      ip_sans: "",
      uri_sans: "",
      other_sans: "",
      not_after: "",
      not_before_duration: "30s",
      format: "pem",
      exclude_cn_from_sans: false,
      max_path_length: -1,
      use_csr_values: false,
      key_usage: "CertSign,CRLSign",
      serial_number: "",
      skid: "",
      ou: "",
      organization: "",
      country: "",
      locality: "",
      province: "",
      street_address: "",
      postal_code: "",
      signature_bits: 0,
      use_pss: false,
      permitted_dns_domains: "",
      excluded_dns_domains: "",
      permitted_ip_ranges: "",
      excluded_ip_ranges: "",
      permitted_email_addresses: "",
      excluded_email_addresses: "",
      permitted_uri_domains: "",
      excluded_uri_domains: "",
      enforce_leaf_not_after_behavior: false,
      private_key_format: "pkcs8",
      issuer_name: "nobody",
    };
    const answer = await ask(a, body, true);
    expect([
      answer.status,
      [answer.json["warnings"]].flat().filter((warning) => String(warning).startsWith("Endpoint ")),
    ]).toEqual([200, []]);
    expect((await a.pki.listIssuers({})).keys).toHaveLength(1);
  });

  it("A 9.1 rule 2: allows any name, verifies the CSR, and uses the body's subject and the mount's lifetime", async () => {
    const a = await withRoot();
    const csr = await request({
      subject: [rdn("organization", "CSR's"), ...commonName("CSR's CN")],
    });
    const read = readCertificate(
      (
        await ask(a, {
          csr,
          common_name: "Any Name At All",
          organization: "Body's",
          ttl: undefined,
        })
      ).data["certificate"],
    );
    expect([read.text.subject, read.notAfter - now]).toEqual([
      "CN=Any Name At All,O=Body's",
      2_764_800,
    ]);
    expect((await ask(a, { csr: "nothing" })).errors).toEqual(["csr contains no data"]);
    const nameless = await request({ subject: [rdn("organization", "CSR's")] });
    const missing = await ask(a, { csr: nameless, organization: "Body's" });
    expect([missing.status, missing.errors]).toEqual([
      400,
      ["the common_name field is required, or must be provided in the CSR"],
    ]);
    expect((await ask(a, { csr: nameless, common_name: "I" })).status).toBe(200);
    expect((await ask(a, { csr: nameless, use_csr_values: true })).status).toBe(200);
    const own = await keyOf("P-256");
    const forged = await request({ cn: "I", key: { ...own, sign: (await keyOf("P-384")).sign } });
    expect((await ask(a, { csr: forged })).errors[0]).toMatch(/^request signature invalid/);
  });

  it("A 9.1 rule 9: additional serial numbers of the subject are given in alt_names by their OID", async () => {
    const a = await withRoot();
    const signed = async (body: object) => {
      const { certificate } = (await ask(a, body)).data;
      const { text, names } = readCertificate(certificate);
      return [text.subject.split(",").sort(), names?.dns];
    };
    const names = "2.5.4.5;UTF8:S-2, a.test, 2.5.4.5;utf-8:S 3,2.5.4.5;UTF8:S-1";
    const body = { common_name: "One CA", alt_names: names };
    const subject = (...serials: readonly string[]) => [
      "CN=One CA",
      serials.map((serial) => `serialNumber=${serial}`).join("+"),
    ];
    expect(await signed({ ...body, serial_number: "S-1" })).toEqual([
      subject("S 3", "S-1", "S-2"),
      ["a.test"],
    ]);
    expect(await signed(body)).toEqual([subject("S 3", "S-1", "S-2"), ["a.test"]]);
    const other = await ask(a, { ...body, alt_names: "2.5.4.6;UTF8:x" });
    expect([other.status, other.errors]).toEqual([
      400,
      [expect.stringContaining("2.5.4.6;UTF8:x is not a valid DNS name")],
    ]);
    const hidden = await ask(a, { ...body, alt_names: "2.5.4.5;UTF8:a\nb" });
    expect([hidden.status, hidden.errors]).toEqual([
      400,
      [expect.stringContaining("control character")],
    ]);
  });

  it("A 9.1 rule 3: without use_csr_values, only the common name and the subject's serial number come from the CSR", async () => {
    const csr = await request({
      subject: [rdn("organization", "CSR's"), ...commonName("The CA"), rdn("serialNumber", "77")],
      extensions: [
        sanOf({ dns: ["csr.test"] }),
        extension.certificatePolicies(["1.2.3"]),
        extension.keyUsage(["DigitalSignature"]),
      ],
    });
    const read = readCertificate((await ask(await withRoot(), { csr })).data["certificate"]);
    expect([read.text.subject, read.names, read.usage]).toEqual([
      "serialNumber=77,CN=The CA",
      undefined,
      ["CertSign", "CRLSign"],
    ]);
    expect(read.order).not.toContain(extensionOid.certificatePolicies);
  });

  it("A 9.1 rule 4: with use_csr_values, subject, SANs and extensions come from the CSR, but not basic constraints", async () => {
    const csr = await request({
      subject: [rdn("organization", "CSR's"), ...commonName("CN")],
      extensions: [
        sanOf({ dns: ["csr.test"] }),
        extension.certificatePolicies(["1.2.3"]),
        extension.keyUsage(["DigitalSignature"]),
        extension.basicConstraints(true, 9),
      ],
    });
    const read = readCertificate(
      (
        await ask(await withRoot(), {
          csr,
          use_csr_values: true,
          organization: "Body's",
          common_name: "Body's",
          max_path_length: 1,
        })
      ).data["certificate"],
    );
    expect([read.text.subject, read.names?.dns, [...read.usage].sort(), read.basic]).toEqual([
      "CN=CN,O=CSR's",
      ["csr.test"],
      ["CRLSign", "CertSign", "DigitalSignature"],
      { ca: true, pathLength: 1 },
    ]);
    expect(read.order).toContain(extensionOid.certificatePolicies);
  });

  it("A 9.1 rule 4: use_csr_values copies the CSR's subject key identifier, unless skid is set", async () => {
    const a = await withRoot();
    const csr = await request({
      cn: "I",
      extensions: [extension.subjectKeyIdentifier(Uint8Array.of(1, 2))],
    });
    const id = async (body: object) => {
      const read = readCertificate(
        (await ask(a, { csr, use_csr_values: true, ...body })).data["certificate"],
      );
      return readSubjectKeyIdentifier(valueOf(read, extensionOid.subjectKeyIdentifier));
    };
    expect([await id({}), await id({ skid: "0a:0b" })]).toEqual([
      Uint8Array.of(1, 2),
      Uint8Array.of(10, 11),
    ]);
    expect(await id({ use_csr_values: false })).toHaveLength(20);
  });

  it("A 9.1 rule 4: warns if the CSR's name constraints replace those of the request", async () => {
    const a = await withRoot();
    const none = { ip: [], email: [], uri: [] };
    const constraints = extension.nameConstraints({
      permitted: { ...none, dns: ["csr.test"] },
      excluded: { ...none, dns: [] },
    });
    const csr = await request({ cn: "I", extensions: constraints ? [constraints] : [] });
    const told = async (body: object) =>
      [(await ask(a, { csr, use_csr_values: true, ...body }, true)).json["warnings"]].flat().join();
    expect(await told({ permitted_dns_domains: "body.test" })).toContain(
      "The name constraints of the request were replaced by those of the CSR.",
    );
    expect(await told({})).not.toContain("name constraints");
    expect(await told({ permitted_dns_domains: "body.test", use_csr_values: false })).not.toContain(
      "name constraints",
    );
  });

  it("A 9.1 rule 6: warns if the certificate would have no URLs of its issuer and CRLs", async () => {
    const a = await withRoot();
    const told = async () => [(await ask(a, {}, true)).json["warnings"]].flat().join();
    expect(await told()).toContain("authority information access (AIA)");
    await a.pki.writeUrls({ crl_distribution_points: "http://mount.test/crl" });
    expect(await told()).toBe("");
  });

  it("A 9.1 rule 5: the path length is less than the signer's, and a signer with path length 0 signs no CA", async () => {
    const length = async (signers: number, sent: object) => {
      const answer = await ask(await withRoot({ max_path_length: signers }), sent);
      return answer.status === 200
        ? (readCertificate(answer.data["certificate"]).basic?.pathLength ?? "none")
        : answer.errors[0];
    };
    expect(await length(0, {})).toBe(
      "signing certificate has a max path length of zero, and cannot issue further CA certificates",
    );
    expect([
      await length(-1, {}),
      await length(-1, { max_path_length: -1 }),
      await length(-1, { max_path_length: 4 }),
    ]).toEqual(["none", "none", 4]);
    expect([
      await length(3, {}),
      await length(3, { max_path_length: -1 }),
      await length(3, { max_path_length: 0 }),
    ]).toEqual([2, 2, 0]);
    expect(await length(3, { max_path_length: 3 })).toContain(
      "must be less than that of the signing certificate",
    );
  });

  it("A 9.1 rule 6: the URLs are the signing issuer's own, or else the mount's", async () => {
    const a = await withRoot();
    await a.pki.writeUrls({
      issuing_certificates: "http://mount.test/",
      crl_distribution_points: "http://mount.test/crl",
    });
    const points = async () =>
      readCrlDistributionPoints(
        valueOf(
          readCertificate((await ask(a)).data["certificate"]),
          extensionOid.crlDistributionPoints,
        ),
      );
    expect(await points()).toEqual(["http://mount.test/crl"]);
    await a.pki.patchIssuer({
      issuer_ref: "root",
      crl_distribution_points: ["http://own.test/crl"],
      delta_crl_distribution_points: ["http://own.test/delta"],
    });
    expect(await points()).toEqual(["http://own.test/crl"]);
    const read = readCertificate((await ask(a)).data["certificate"]);
    expect(readCrlDistributionPoints(valueOf(read, extensionOid.freshestCrl))).toEqual([
      "http://own.test/delta",
    ]);
  });

  it("A 9.1 rule 7: use_csr_values rejects a CSR with a different authority key identifier", async () => {
    const a = await withRoot();
    const root = readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate);
    const id = readSubjectKeyIdentifier(valueOf(root, extensionOid.subjectKeyIdentifier));
    const others = [
      extension.authorityKeyIdentifier(Uint8Array.of(3)),
      { oid: extensionOid.authorityKeyIdentifier, critical: false, value: Uint8Array.of(0x30, 0) },
    ];
    for (const other of others) {
      const csr = await request({ cn: "I", extensions: [other] });
      const answer = await ask(a, { csr, use_csr_values: true });
      expect([answer.status, answer.errors[0]]).toEqual([
        400,
        expect.stringContaining("verification of parsed bundle failed: "),
      ]);
      const without = readCertificate((await ask(a, { csr })).data["certificate"]);
      expect(
        readAuthorityKeyIdentifier(valueOf(without, extensionOid.authorityKeyIdentifier)),
      ).toEqual(id);
    }
    const csr = await request({ cn: "I", extensions: [extension.authorityKeyIdentifier(id)] });
    const read = readCertificate((await ask(a, { csr, use_csr_values: true })).data["certificate"]);
    expect(readAuthorityKeyIdentifier(valueOf(read, extensionOid.authorityKeyIdentifier))).toEqual(
      id,
    );
    expect(read.order.filter((oid) => oid === extensionOid.authorityKeyIdentifier)).toHaveLength(1);
  });

  it("A 9.1 rule 7: the authority key identifier is the signer's, whatever its manual chain", async () => {
    const a = await withRoot();
    const [other = ""] =
      (await a.pki.setSigned({ certificate: await crafted({ subject: "Elsewhere" }) }))
        .imported_issuers ?? [];
    await a.pki.patchIssuer({ issuer_ref: "root", manual_chain: ["self", other] });
    const { status, data } = await ask(a);
    const read = readCertificate(data["certificate"]);
    const root = readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate);
    const id = readSubjectKeyIdentifier(valueOf(root, extensionOid.subjectKeyIdentifier));
    expect([
      status,
      readAuthorityKeyIdentifier(valueOf(read, extensionOid.authorityKeyIdentifier)),
    ]).toEqual([200, id]);
    expect(data["ca_chain"]).toHaveLength(3);
  });

  it("A 9.1 rule 8: the certificate is stored without a lease, and begins the chain", async () => {
    const a = await withRoot();
    const root = (await a.pki.readIssuer({ issuer_ref: "root" })).certificate.trim();
    const { data, json } = await ask(a);
    expect(
      (await a.pki.readCert({ serial: String(data["serial_number"]) })).certificate.trim(),
    ).toBe(data["certificate"]);
    expect([
      json["lease_id"],
      json["lease_duration"],
      data["ca_chain"],
      data["issuing_ca"],
    ]).toEqual(["", 0, [data["certificate"], root], root]);
    expect(data["expiration"]).toBe(String(now + 3600));
    expect((await ask(a, {}, true)).data["expiration"]).toBe(now + 3600);
    expect(
      labelsOf((await ask(a, { format: "pem_bundle" }, true)).data["certificate"]),
    ).toHaveLength(2);
    expect(verified(data["certificate"], { root, at: start })).toContain("OK");
    expect(
      warningsOf(
        await a.pki.signIntermediate({ csr: await request({ cn: "I" }), max_path_length: 0 }),
      ).join(),
    ).toContain("Max path length");
    expect((await a.pki.listIssuers({})).keys).toHaveLength(1);
  });
});

describe("sign-self-issued", () => {
  it("A 9.2 sign-self-issued: changes only issuer, authority key identifier and URLs, stores nothing, and rejects invalid certificates", async () => {
    const a = await withRoot();
    await a.pki.writeUrls({
      issuing_certificates: "http://mount.test/ca",
      crl_distribution_points: "http://mount.test/crl",
      ocsp_servers: "http://mount.test/ocsp",
      delta_crl_distribution_points: "http://mount.test/delta",
    });
    const key = await keyOf("P-384");
    const old = await crafted({
      subject: "Old Root",
      by: key,
      until: 1e8,
      extensions: [
        extension.crlDistributionPoints(["http://old.test/crl"]),
        extension.freshestCrl(["http://old.test/delta"]),
        extension.authorityInfoAccess(["http://old.test/ocsp"], ["http://old.test/ca"]),
        extension.certificatePolicies(["1.2.3"]),
        { oid: "1.2.3.4", critical: false, value: Uint8Array.of(5, 0) },
      ],
    });
    const { status, data } = await a.call("POST", "pki/root/sign-self-issued", {
      certificate: old,
    });
    const [before, after] = [readCertificate(old), readCertificate(data["certificate"])];
    expect([status, Object.keys(data).sort()]).toEqual([200, ["certificate", "issuing_ca"]]);
    for (const field of [
      "serial",
      "notBefore",
      "notAfter",
      "subject",
      "spki",
      "usage",
      "basic",
    ] as const)
      expect(after[field]).toEqual(before[field]);
    expect([after.text.issuer, algorithmName(after.algorithm)]).toEqual([
      "CN=Root CA",
      "ECDSAWithSHA384",
    ]);
    expect(valueOf(after, extensionOid.subjectKeyIdentifier)).toEqual(
      valueOf(before, extensionOid.subjectKeyIdentifier),
    );
    expect(readCrlDistributionPoints(valueOf(after, extensionOid.crlDistributionPoints))).toEqual([
      "http://mount.test/crl",
    ]);
    expect(readCrlDistributionPoints(valueOf(after, extensionOid.freshestCrl))).toEqual([
      "http://mount.test/delta",
    ]);
    expect(readAuthorityInfoAccess(valueOf(after, extensionOid.authorityInfoAccess))).toEqual({
      ocsp: ["http://mount.test/ocsp"],
      issuers: ["http://mount.test/ca"],
    });
    expect(readAuthorityKeyIdentifier(valueOf(after, extensionOid.authorityKeyIdentifier))).toEqual(
      readSubjectKeyIdentifier(
        valueOf(readCertificate(data["issuing_ca"]), extensionOid.subjectKeyIdentifier),
      ),
    );
    // fields that the contract does not mention stay unchanged (A 9.2)
    expect([...after.order].sort()).toEqual([...before.order].sort());
    await a.pki.writeUrls({
      issuing_certificates: "",
      crl_distribution_points: "",
      ocsp_servers: "",
      delta_crl_distribution_points: "",
    });
    const bare = readCertificate(
      (await a.call("POST", "pki/root/sign-self-issued", { certificate: old })).data["certificate"],
    );
    for (const kept of [
      extensionOid.crlDistributionPoints,
      extensionOid.freshestCrl,
      extensionOid.authorityInfoAccess,
    ])
      expect(valueOf(bare, kept)).toEqual(valueOf(before, kept));
    await a.pki.writeUrls({ crl_distribution_points: "http://mount.test/crl" });
    const listed = readCertificate(
      (await a.call("POST", "pki/root/sign-self-issued", { certificate: old })).data["certificate"],
    );
    expect(listed.order).not.toContain(extensionOid.freshestCrl);
    expect(valueOf(listed, extensionOid.authorityInfoAccess)).toEqual(
      valueOf(before, extensionOid.authorityInfoAccess),
    );
    expect(
      verified(data["certificate"], { root: String(data["issuing_ca"]), at: start }),
    ).toContain("OK");
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
    const leaf = encodePem("CERTIFICATE", (await makeLeaf()).der);
    const other = await crafted({ subject: "One", issuer: "Two", by: key });
    const prime = await crafted({ subject: "Prime", spki: primeKey().key.spki });
    for (const [certificate, text] of [
      ["", "certificate could not be PEM-decoded"],
      [
        "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
        "certificate could not be PEM-decoded",
      ],
      [
        "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----",
        /^error parsing certificate: /,
      ],
      [`${old}\n${old}`, "2 certificates found in PEM file, expected 1"],
      [leaf, "given certificate is not a CA certificate"],
      [other, "given certificate is not self-issued"],
      [prime, "RSA key: the modulus is a prime"],
    ] as const)
      for (const form of ["root", "issuer/root"])
        expect(
          (await a.call("POST", `pki/${form}/sign-self-issued`, { certificate })).errors,
        ).toEqual([typeof text === "string" ? text : expect.stringMatching(text)]);
  });

  it("A 9.2 sign-self-issued: the result expires with its signer, unless the signer permits longer or rejects it", async () => {
    const a = await withRoot();
    const certificate = await crafted({ subject: "Old Root", until: 1e9 });
    const sign = () => a.call("POST", "pki/issuer/root/sign-self-issued", { certificate });
    const signer = readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate);
    const cut = await sign();
    expect(readCertificate(cut.data["certificate"]).notAfter).toBe(signer.notAfter);
    expect(cut.json["warnings"]).toContain("expires after the signing CA certificate");
    const behave = (leaf_not_after_behavior: "permit" | "always_enforce_err") =>
      a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior });
    await behave("permit");
    const whole = await sign();
    expect([whole.json["warnings"], readCertificate(whole.data["certificate"]).notAfter]).toEqual([
      "",
      readCertificate(certificate).notAfter,
    ]);
    await behave("always_enforce_err");
    for (const form of ["issuer/root", "root"])
      expect((await a.call("POST", `pki/${form}/sign-self-issued`, { certificate })).status).toBe(
        400,
      );
  });

  it("A 9.2 sign-self-issued: one that expired before its signer's notBefore keeps its validity, whatever the issuer's behavior", async () => {
    const a = await withRoot();
    const certificate = await crafted({ subject: "Old Root", until: -60 });
    const own = readCertificate(certificate);
    const signer = readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate);
    expect(own.notAfter).toBeLessThan(signer.notBefore);
    for (const leaf_not_after_behavior of ["truncate", "err", "always_enforce_err"] as const) {
      await a.pki.patchIssuer({ issuer_ref: "root", leaf_not_after_behavior });
      for (const form of ["root", "issuer/root"]) {
        const answer = await a.call("POST", `pki/${form}/sign-self-issued`, { certificate });
        const signed = readCertificate(answer.data["certificate"]);
        expect([signed.notBefore, signed.notAfter]).toEqual([own.notBefore, own.notAfter]);
        expect(answer.json["warnings"] ?? "").toBe("");
      }
    }
  });

  it("A 9.2 sign-self-issued: a signer with path length 0 signs only another key of its own name", async () => {
    const a = authority();
    await a.pki.generateRoot({
      exported: "internal",
      common_name: "Root CA",
      issuer_name: "root",
      max_path_length: 0,
      ttl: "8760h",
    });
    for (const [subject, status] of [
      ["Old Root", 400],
      ["Root CA", 200],
    ] as const) {
      const certificate = await crafted({ subject });
      for (const form of ["root", "issuer/root"]) {
        const answer = await a.call("POST", `pki/${form}/sign-self-issued`, { certificate });
        expect([subject, answer.status, answer.errors[0]]).toEqual([
          subject,
          status,
          status === 200 ? undefined : expect.stringContaining("max path length of zero"),
        ]);
      }
    }
  });

  it("security row 49: requires sudo on each path, and can require matching key types", async () => {
    const a = await withRoot();
    const certificate = await crafted({ subject: "Old Root" });
    for (const form of ["root", "issuer/root", "issuer/default"]) {
      const path = `pki/${form}/sign-self-issued`;
      const refused = await a.call("POST", path, { certificate }, { token: "operator" });
      expect([form, refused.status]).toEqual([form, 403]);
      expect((await a.call("POST", path, { certificate })).status).toBe(200);
    }
    const rsa = await crafted({ subject: "Old RSA", by: await keyOf("RSA") });
    const strict = { certificate: rsa, require_matching_certificate_algorithms: true };
    for (const form of ["root", "issuer/root"]) {
      const refused = await a.call("POST", `pki/${form}/sign-self-issued`, strict);
      expect([refused.status, refused.errors[0]]).toEqual([
        400,
        expect.stringContaining("signing certificate is of type ec"),
      ]);
      expect(
        (await a.call("POST", `pki/${form}/sign-self-issued`, { certificate: rsa })).status,
      ).toBe(200);
    }
    expect(
      (await a.call("POST", "pki/issuer/nothing/sign-self-issued", { certificate })).status,
    ).toBe(400);
    expect(
      (await authority().call("POST", "pki/root/sign-self-issued", { certificate })).status,
    ).toBe(400);
  });
});

/** Returns a self-signed certificate that is not a CA. */
async function makeLeaf(): Promise<{ readonly der: Uint8Array }> {
  const key = await keyOf("P-256");
  const { fields } = await makeCa(key);
  return {
    der: await certify(key, {
      ...fields,
      extensions: defined([extension.keyUsage(["DigitalSignature"])]),
    }),
  };
}
