import { describe, expect, it } from "vitest";
import { authority, start, warningsOf, type Authority } from "../../support/authority.ts";
import { fromHex } from "../../../src/base/bytes.ts";
import * as extension from "../../x509/extensions.ts";
import { oid, sequence, tlv } from "../../../src/base/der.ts";
import { implicit } from "../../support/der.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import { extensionOid, nameOid } from "../../../src/x509/oid.ts";
import {
  bytesOf,
  keyOf,
  labelsOf,
  rdn,
  readCertificate,
  request,
  sanOf,
  valueOf,
  verified,
} from "../reading.ts";
import { commonName } from "../../x509/fixture.ts";

const now = start / 1000;
/** Creates an authority whose root expires after 80,000 hours. */
async function withRoot(input: Parameters<Authority["root"]>[0] = {}): Promise<Authority> {
  const a = authority();
  await a.root(input);
  return a;
}

describe("sign-intermediate", () => {
  it("returns a stored CA certificate that openssl verifies, first in its chain", async () => {
    const a = authority();
    const root = await a.root();
    const signed = await a.pki.signIntermediate({
      csr: await request({ cn: "CSR name" }),
      common_name: "Below",
      ttl: "100h",
      organization: "O",
      max_path_length: 0,
      permitted_dns_domains: "a.test",
    });
    const read = readCertificate(signed.certificate);
    expect(read).toMatchObject({
      basic: { ca: true, pathLength: 0 },
      usage: ["CertSign", "CRLSign"],
      notBefore: now - 30,
      notAfter: now + 360_000,
    });
    expect(read.text).toMatchObject({
      issuer: expect.stringContaining("Root CA") as string,
      subject: expect.stringContaining("Below") as string,
    });
    expect(signed.ca_chain).toEqual([signed.certificate, root.certificate]);
    expect(read.critical).toContain(extensionOid.nameConstraints);
    expect((await a.pki.listCerts({})).keys).toContain(signed.serial_number);
    expect(warningsOf(signed).join()).toContain(
      "Max path length of the signed certificate is zero",
    );
    expect(verified(signed.certificate, { root: root.certificate, at: start })).toContain("OK");
  });

  it("uses only the common name and subject serial number of the CSR, if the body has none", async () => {
    const a = await withRoot();
    const csr = await request({
      subject: [
        rdn("organization", "Not this"),
        ...commonName("From CSR"),
        rdn("serialNumber", "77"),
      ],
      extensions: [sanOf({ dns: ["not.this.test"] })],
    });
    const read = readCertificate((await a.pki.signIntermediate({ csr })).certificate);
    expect(read.text.subject).toContain("From CSR");
    expect(read.text.subject).toContain("77");
    expect(read.text.subject).not.toContain("Not this");
    expect(read.names).toBeUndefined();
  });

  it("copies subject, SANs, usages and extensions with use_csr_values, but not basic constraints or CT poison", async () => {
    const a = await withRoot();
    const poison = { oid: extensionOid.ctPoison, critical: true, value: fromHex("0500") };
    const csr = await request({
      subject: [rdn("organization", "Taken"), ...commonName("Taken CN")],
      extensions: [
        sanOf({ dns: ["taken.test"] }),
        extension.basicConstraints(true, 7),
        extension.keyUsage(["DigitalSignature", "KeyAgreement"]),
        extension.extKeyUsage(["1.3.6.1.5.5.7.3.1"]),
        extension.certificatePolicies(["1.2.3"]),
        extension.subjectKeyIdentifier(fromHex("0102")),
        poison,
      ],
    });
    const read = readCertificate(
      (
        await a.pki.signIntermediate({
          csr,
          common_name: "Not this",
          use_csr_values: true,
          organization: "Not this",
          max_path_length: 1,
        })
      ).certificate,
    );
    expect(read.text.subject).toMatch(/Taken CN/);
    expect(read.text.subject).not.toContain("Not this");
    expect(read.names?.dns).toEqual(["taken.test"]);
    expect(read.basic).toEqual({ ca: true, pathLength: 1 });
    expect([...read.usage].sort()).toEqual([
      "CRLSign",
      "CertSign",
      "DigitalSignature",
      "KeyAgreement",
    ]);
    expect(read.purposes).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(read.order).toContain(extensionOid.certificatePolicies);
    expect(read.order).not.toContain(extensionOid.ctPoison);
    expect(valueOf(read, extensionOid.subjectKeyIdentifier)).toEqual(fromHex("04020102"));
  });

  const ocspSigning = "1.3.6.1.5.5.7.3.9";
  const valueless = (oid: string) => ({ oid, critical: false, value: fromHex("0500") });
  it("does not copy OCSPSigning, ocspNoCheck or noRevAvail from a CSR", async () => {
    const a = await withRoot();
    const csr = await request({
      cn: "I",
      extensions: [
        extension.extKeyUsage(["1.3.6.1.5.5.7.3.1", ocspSigning]),
        valueless(extensionOid.ocspNoCheck),
        valueless(extensionOid.noRevAvail),
      ],
    });
    const signed = await a.pki.signIntermediate({ csr, use_csr_values: true });
    const read = readCertificate(signed.certificate);
    expect(read.purposes).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(read.order).not.toContain(extensionOid.ocspNoCheck);
    expect(read.order).not.toContain(extensionOid.noRevAvail);
    expect(warningsOf(signed)).toEqual(
      expect.arrayContaining([
        "The extended key usage OCSPSigning of the CSR was omitted: it would let this CA sign OCSP responses for its parent CA.",
        "The extension 1.3.6.1.5.5.7.48.1.5 of the CSR was omitted.",
        "The extension 2.5.29.56 of the CSR was omitted.",
      ]),
    );
  });

  it("rejects a CSR that requests only OCSPSigning: without it, the CA would be valid for every purpose", async () => {
    const a = await withRoot();
    const csr = await request({ cn: "I", extensions: [extension.extKeyUsage([ocspSigning])] });
    const body = { csr, use_csr_values: true };
    const answer = await a.call("POST", "pki/root/sign-intermediate", body);
    expect([answer.status, answer.errors]).toEqual([
      400,
      [
        "the CSR requests no extended key usage except OCSPSigning, which is not copied to a CA certificate",
      ],
    ]);
    expect((await a.pki.signIntermediate({ csr })).certificate).toContain("BEGIN");
  });

  it("copies directory names with use_csr_values, and rejects unsupported types of name", async () => {
    const a = await withRoot();
    const signed = (value: Uint8Array) =>
      request({
        cn: "I",
        extensions: [{ oid: extensionOid.subjectAltName, critical: false, value }],
      }).then((csr) =>
        a.call("POST", "pki/root/sign-intermediate", { csr, use_csr_values: true, ttl: "1h" }),
      );
    const named = await signed(sequence(tlv(0xa4, encodeName(commonName("somebody")))));
    expect(readCertificate(named.data["certificate"]).names?.directory).toEqual([
      encodeName(commonName("somebody")),
    ]);
    const unreadable = await signed(sequence(implicit(8, oid("1.2.3"))));
    expect([unreadable.status, unreadable.errors]).toEqual([
      400,
      ["could not parse requested other SAN: registeredID 1.2.3"],
    ]);
  });

  it("limits the path length to one less than the signer's, even if it is -1 or absent", async () => {
    const length = async (signers: number, asked?: number) => {
      const a = await withRoot({ max_path_length: signers });
      const answer = await a.call("POST", "pki/root/sign-intermediate", {
        csr: await request({ cn: "I" }),
        ...(asked === undefined ? {} : { max_path_length: asked }),
      });
      return answer.status === 200
        ? (readCertificate(answer.data["certificate"]).basic?.pathLength ?? "none")
        : [answer.status, answer.errors[0]];
    };
    expect(await length(-1)).toBe("none");
    expect(await length(-1, 5)).toBe(5);
    expect(await length(3)).toBe(2);
    expect(await length(3, -1)).toBe(2);
    expect(await length(3, 1)).toBe(1);
    expect(await length(3, 3)).toEqual([
      400,
      "max_path_length 3 must be less than that of the signing certificate, which is 3",
    ]);
    expect(await length(0)).toEqual([
      400,
      "signing certificate has a max path length of zero, and cannot issue further CA certificates",
    ]);
  });

  it("truncates the expiry to the signer's with a warning, or rejects it with enforce_leaf_not_after_behavior", async () => {
    const a = await withRoot();
    await a.pki.writeUrls({ ocsp_servers: "http://mount.test/ocsp" });
    const csr = await request({ cn: "I" });
    const cut = await a.pki.signIntermediate({ csr, not_after: "2099-01-01T00:00:00Z" });
    expect(cut.expiration).toBe(now + 80_000 * 3600);
    expect(warningsOf(cut)).toEqual([
      "The requested expiration is later than that of the signing CA certificate, and was truncated to it.",
    ]);
    const strict = await a.call("POST", "pki/root/sign-intermediate", {
      csr,
      not_after: "2099-01-01T00:00:00Z",
      enforce_leaf_not_after_behavior: "true",
    });
    expect([strict.status, strict.errors[0]]).toEqual([
      400,
      expect.stringMatching(
        /^cannot satisfy request, as TTL would result in notAfter of 2099-01-01T00:00:00Z that is beyond the expiration of the CA certificate at /,
      ),
    ]);
  });

  it("rejects control characters in the subject of the body", async () => {
    const a = await withRoot();
    for (const field of [
      "ou",
      "organization",
      "country",
      "locality",
      "province",
      "street_address",
      "postal_code",
    ]) {
      const answer = await a.call("POST", "pki/root/sign-intermediate", {
        csr: await request({ cn: "I" }),
        ttl: "1h",
        [field]: ["fine", "a\u0000b"],
      });
      expect([answer.status, answer.errors]).toEqual([
        400,
        ["a subject attribute contains a control character"],
      ]);
    }
  });

  it("uses a requested subject key identifier", async () => {
    const a = await withRoot();
    const read = readCertificate(
      (await a.pki.signIntermediate({ csr: await request({ cn: "I" }), skid: "0A:0b-0c 0d" }))
        .certificate,
    );
    expect(valueOf(read, extensionOid.subjectKeyIdentifier)).toEqual(fromHex("04040a0b0c0d"));
  });

  it("uses signature_bits and use_pss for an RSA issuer, and the curve's own hash for an EC issuer", async () => {
    const a = await withRoot({ key_type: "rsa" });
    const csr = await request({ cn: "I" });
    const name = async (input: object) =>
      algorithmName(
        readCertificate((await a.pki.signIntermediate({ csr, ...input })).certificate).algorithm,
      );
    expect(await name({})).toBe("SHA256WithRSA");
    expect(await name({ signature_bits: 512, use_pss: true })).toBe("SHA512WithRSAPSS");
    const ec = await withRoot();
    expect(
      algorithmName(
        readCertificate(
          (await ec.pki.signIntermediate({ csr, signature_bits: 512, use_pss: true })).certificate,
        ).algorithm,
      ),
    ).toBe("ECDSAWithSHA256");
    const wrong = await a.call("POST", "pki/root/sign-intermediate", { csr, signature_bits: 224 });
    expect([wrong.status, wrong.errors]).toEqual([
      400,
      ["unsupported hash signature algorithm: 224"],
    ]);
  });

  it("returns PEM, base64 DER, or a bundle with the issuing CA or the whole chain, depending on the dialect", async () => {
    const a = await withRoot();
    const { id } = await a.intermediate();
    const csr = await request({ cn: "Third" });
    const made = async (format: string, compat: boolean) =>
      (
        await a.call(
          "POST",
          `pki/issuer/${id}/sign-intermediate`,
          { csr, format, ttl: "10h" },
          { compat },
        )
      ).data;
    expect(readCertificate(bytesOf((await made("der", false))["certificate"])).basic?.ca).toBe(
      true,
    );
    expect(labelsOf((await made("pem_bundle", false))["certificate"])).toHaveLength(2);
    expect(labelsOf((await made("pem_bundle", true))["certificate"])).toHaveLength(3);
    expect(
      ((await made("der", false))["ca_chain"] as readonly string[]).map(
        (der) => readCertificate(bytesOf(der)).text.subject,
      ),
    ).toEqual([
      expect.stringContaining("Third"),
      expect.stringContaining("Intermediate CA"),
      expect.stringContaining("Root CA"),
    ]);
  });

  it("ignores issuer_name without a warning", async () => {
    const a = await withRoot();
    await a.pki.writeUrls({ issuing_certificates: "http://mount.test/ca" });
    const signed = await a.call("POST", "pki/root/sign-intermediate", {
      csr: await request({ cn: "I" }),
      issuer_name: "ignored",
      ttl: "1h",
    });
    expect([signed.status, signed.json["warnings"]]).toEqual([200, ""]);
    expect((await a.pki.listIssuers({})).keys).toHaveLength(1);
  });

  it("fails without an issuer, and with an issuer that has no key or does not exist", async () => {
    const a = authority();
    const csr = await request({ cn: "I" });
    const none = await a.call("POST", "pki/root/sign-intermediate", { csr });
    expect([none.status, none.errors]).toEqual([
      400,
      ["could not fetch the CA certificate (was one set?): no default issuer currently configured"],
    ]);
    const other = await withRoot();
    const { certificate, issuer_id } = await other.root({ issuer_name: "foreign" });
    await a.pki.setSigned({ certificate });
    const id = (await a.pki.listIssuers({})).keys[0] ?? "";
    const keyless = await a.call("POST", `pki/issuer/${id}/sign-intermediate`, { csr });
    expect([keyless.status, keyless.errors]).toEqual([
      400,
      [
        `could not fetch the CA certificate (was one set?): unable to fetch corresponding key for issuer ${id}; unable to use this issuer for signing`,
      ],
    ]);
    expect(
      (
        await other.call(
          "POST",
          `pki/issuer/${issuer_id.replace(/./, "x")}/sign-intermediate`,
          { csr },
          { compat: true },
        )
      ).status,
    ).toBe(500);
  });

  it.each([
    ["no CSR", async () => ({ csr: "" }), '"csr" is empty'],
    ["a CSR without PEM", async () => ({ csr: "nothing" }), "csr contains no data"],
    [
      "a CSR that is none",
      async () => ({
        csr: "-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----",
      }),
      /^certificate request could not be parsed: /,
    ],
    [
      "a CSR that its key did not sign",
      async () => ({
        csr: await request({
          cn: "I",
          key: { ...(await keyOf("P-256")), sign: (await keyOf("P-384")).sign },
        }),
      }),
      "request signature invalid (ECDSAWithSHA256)",
    ],
    [
      "another format",
      async () => ({ csr: await request({ cn: "I" }), format: "jks" }),
      'The "format" path parameter must be "pem" or "der"',
    ],
    [
      "a skid that is not hexadecimal",
      async () => ({ csr: await request({ cn: "I" }), skid: "xyz" }),
      "cannot parse requested SKID value as hex: xyz",
    ],
    [
      "an alternative name that is none",
      async () => ({ csr: await request({ cn: "I" }), alt_names: "a_b" }),
      "subject alternate name a_b is not a valid DNS name and cannot be included as a SAN",
    ],
    [
      "a lifetime given twice",
      async () => ({ csr: await request({ cn: "I" }), ttl: 60, not_after: "2031-01-01T00:00:00Z" }),
      "Either ttl or not_after should be provided. Both should not be provided in the same request.",
    ],
    [
      "a ttl that is none",
      async () => ({ csr: await request({ cn: "I" }), ttl: "soon" }),
      /^Field validation failed: error converting input for field "ttl": /,
    ],
    [
      "no common name anywhere",
      async () => ({
        csr: await request({ subject: [rdn("organization", "O")] }),
        common_name: "",
        organization: "O",
      }),
      "the common_name field is required, or must be provided in the CSR",
    ],
    [
      "an empty subject",
      async () => ({ csr: await request({}), use_csr_values: true }),
      /an intermediate CA must have a subject/,
    ],
  ] as const)("is refused for %s, and nothing is stored", async (_, body, text) => {
    const a = await withRoot();
    const answer = await a.call("POST", "pki/root/sign-intermediate", await body());
    expect([answer.status, answer.errors]).toEqual([
      400,
      [typeof text === "string" ? text : expect.stringMatching(text)],
    ]);
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
  });
  it("rejects an RSA key of 1024 bits", async () => {
    const key = await crypto.subtle.generateKey(
      {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-256",
        modulusLength: 1024,
        publicExponent: Uint8Array.of(1, 0, 1),
      },
      true,
      ["sign", "verify"],
    );
    const { parsePublicKey } = await import("../../../src/x509/public-key.ts");
    const own = {
      key: parsePublicKey(new Uint8Array(await crypto.subtle.exportKey("spki", key.publicKey))),
      scheme: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const,
      sign: async (data: Uint8Array) =>
        new Uint8Array(
          await crypto.subtle.sign("RSASSA-PKCS1-v1_5", key.privateKey, data as BufferSource),
        ),
    };
    const a = await withRoot();
    const answer = await a.call("POST", "pki/root/sign-intermediate", {
      csr: await request({ subject: [[{ oid: nameOid.commonName, value: "I" }]], key: own }),
    });
    expect([answer.status, answer.errors]).toEqual([
      400,
      ["RSA keys < 2048 bits are unsafe and not supported"],
    ]);
  });
});
