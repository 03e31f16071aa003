import { describe, expect, it } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { algorithmName, parsePublicKey } from "../../src/x509/public-key.ts";
import * as extension from "../x509/extensions.ts";
import { readCrlDistributionPoints } from "../../src/x509/distribution-points.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, refusal, start, type Authority, type Pki } from "../support/authority.ts";
import {
  bytesOf,
  derOf,
  keyOf,
  labelsOf,
  readCertificate,
  request,
  sanOf,
  shown,
  valueOf,
  verified,
  type Read,
} from "../pki/reading.ts";
import { X509Certificate } from "../pki/peculiar.ts";
import { openssl } from "../x509/fixture.ts";

type Rules = Partial<Parameters<Pki["writeRole"]>[0]>;
async function withRole(
  rules: Rules = {},
  root: Parameters<Authority["root"]>[0] = {},
): Promise<Authority> {
  const a = authority();
  await a.root(root);
  await a.role("web", rules);
  return a;
}
const pemOf = async (a: Authority, body: object = {}): Promise<string> =>
  (await a.pki.issue({ role: "web", common_name: "a.test", ttl: 60, ...body })).certificate;
const leafOf = async (rules: Rules = {}, body: object = {}): Promise<Read> =>
  readCertificate(await pemOf(await withRole(rules), body));
const criticalOf = (read: Read, oid: string): boolean | undefined =>
  read.extensions.find((one) => one.oid === oid)?.critical;
/** Returns a certificate as openssl prints it. */
const printed = (pem: unknown): string =>
  openssl(
    [
      "x509",
      "-noout",
      "-text",
      "-nameopt",
      "RFC2253,show_type,sep_multiline",
      "-certopt",
      "no_sigdump",
    ],
    String(pem),
  );

describe("certificate extensions", () => {
  it("A 6.4 1: key usage is critical, and absent without any usage", async () => {
    const read = await leafOf({ key_usage: ["DigitalSignature", "KeyAgreement"] });
    expect([read.order[0], criticalOf(read, extensionOid.keyUsage), read.usage]).toEqual([
      extensionOid.keyUsage,
      true,
      ["DigitalSignature", "KeyAgreement"],
    ]);
    expect((await leafOf({ key_usage: [] })).order).not.toContain(extensionOid.keyUsage);
    expect((await leafOf({ key_usage: ["nothing"] })).order).not.toContain(extensionOid.keyUsage);
  });

  it("A 6.4 2: extended key usages are in a fixed order, OIDs last in the given order, and not critical", async () => {
    const names =
      "NetscapeServerGatedCrypto,MicrosoftServerGatedCrypto,OCSPSigning,TimeStamping,IPSECUser,IPSECTunnel,IPSECEndSystem,EmailProtection,CodeSigning,ClientAuth,ServerAuth,Any";
    const read = await leafOf({
      server_flag: false,
      client_flag: false,
      ext_key_usage: names.split(","),
      ext_key_usage_oids: ["1.2.4", "1.2.3"],
    });
    const kp = "1.3.6.1.5.5.7.3.";
    const order = [
      "2.5.29.37.0",
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9].map((last) => `${kp}${last}`),
      "1.3.6.1.4.1.311.10.3.3",
      "2.16.840.1.113730.4.1",
      "1.2.4",
      "1.2.3",
    ];
    expect([read.purposes, criticalOf(read, extensionOid.extKeyUsage)]).toEqual([order, false]);
    expect((await leafOf({ server_flag: false, client_flag: false })).order).not.toContain(
      extensionOid.extKeyUsage,
    );
  });

  it("A 6.4 3: basic constraints are critical; leaves have them only if the role says so", async () => {
    const a = await withRole();
    const ca = readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate);
    expect([ca.basic, criticalOf(ca, extensionOid.basicConstraints)]).toEqual([{ ca: true }, true]);
    const below = readCertificate((await a.intermediate({ max_path_length: 2 })).certificate);
    expect(below.basic).toEqual({ ca: true, pathLength: 2 });
    expect((await leafOf()).basic).toBeUndefined();
    const leaf = await leafOf({ basic_constraints_valid_for_non_ca: true });
    expect([
      leaf.basic,
      toHex(valueOf(leaf, extensionOid.basicConstraints)),
      criticalOf(leaf, extensionOid.basicConstraints),
    ]).toEqual([{ ca: false }, "3000", true]);
  });

  it("A 6.4 4: the subject key identifier is the SHA-1 of the public key as in openssl, or the requested one", async () => {
    const a = await withRole();
    const pem = await pemOf(a);
    const point = parsePublicKey(readCertificate(pem).spki).spki.slice(-65);
    const digest = toHex(new Uint8Array(await crypto.subtle.digest("SHA-1", point)));
    expect(printed(pem).replaceAll(":", "").toLowerCase()).toContain(digest);
    const { csr } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    const asked = readCertificate(
      (await a.pki.signIntermediate({ csr, ttl: "1h", skid: "01:02" })).certificate,
    );
    expect([
      toHex(valueOf(asked, extensionOid.subjectKeyIdentifier)),
      criticalOf(asked, extensionOid.subjectKeyIdentifier),
    ]).toEqual(["04020102", false]);
  });

  it("A 6.4 5: the authority key identifier is the issuer's subject key identifier only", async () => {
    const a = await withRole();
    const [root, leaf] = [
      readCertificate((await a.pki.readIssuer({ issuer_ref: "root" })).certificate),
      readCertificate(await pemOf(a)),
    ];
    const id = toHex(valueOf(root, extensionOid.subjectKeyIdentifier)).slice(4);
    expect([
      toHex(valueOf(leaf, extensionOid.authorityKeyIdentifier)),
      criticalOf(leaf, extensionOid.authorityKeyIdentifier),
    ]).toEqual([`30168014${id}`, false]);
  });

  it("A 6.4 6: authority information access lists OCSP servers, then issuers, and is absent without any", async () => {
    const a = await withRole();
    expect(readCertificate(await pemOf(a)).order).not.toContain(extensionOid.authorityInfoAccess);
    await a.pki.writeUrls({
      issuing_certificates: "http://a.test/1,http://a.test/2",
      ocsp_servers: "http://o.test/1,http://o.test/2",
    });
    const read = readCertificate(await pemOf(a));
    const text = shown(valueOf(read, extensionOid.authorityInfoAccess));
    const at = ["o.test/1", "o.test/2", "a.test/1", "a.test/2"].map((url) => text.indexOf(url));
    expect(at).toEqual(at.toSorted((one, two) => one - two));
    expect([Math.min(...at) > 0, criticalOf(read, extensionOid.authorityInfoAccess)]).toEqual([
      true,
      false,
    ]);
  });

  it("A 6.4 7: subject alternative names are in the order DNS, email, IP, URI, and critical only if the subject is empty", async () => {
    const body = {
      alt_names: "u@a.test,b.test",
      ip_sans: "192.0.2.1,2001:db8::1",
      uri_sans: "https://a.test/",
    };
    const a = await withRole({ allowed_uri_sans: ["*"], require_cn: false });
    const pem = await pemOf(a, body);
    expect(
      JSON.parse(
        JSON.stringify(new X509Certificate(pem).getExtension(extensionOid.subjectAltName)),
      ),
    ).toHaveProperty("names", [
      { type: "dns", value: "a.test" },
      { type: "dns", value: "b.test" },
      { type: "email", value: "u@a.test" },
      { type: "ip", value: "192.0.2.1" },
      { type: "ip", value: "2001:db8::1" },
      { type: "url", value: "https://a.test/" },
    ]);
    expect(criticalOf(readCertificate(pem), extensionOid.subjectAltName)).toBe(false);
    const empty = readCertificate(await pemOf(a, { ...body, common_name: "" }));
    expect([empty.subject.length, criticalOf(empty, extensionOid.subjectAltName)]).toEqual([
      2,
      true,
    ]);
  });

  it("A 6.4 8: certificate policies are plain OIDs, not critical", async () => {
    const read = await leafOf({ policy_identifiers: "1.2.3,2.5.29.32.0" });
    expect([
      toHex(valueOf(read, extensionOid.certificatePolicies)),
      criticalOf(read, extensionOid.certificatePolicies),
    ]).toEqual(["300e300406022a0330060604551d2000", false]);
  });

  it("A 6.4 9: name constraints are critical and for CAs only, permitted before excluded, each in the order DNS, IP, email, URI", async () => {
    const a = await withRole();
    const { certificate } = await a.intermediate({
      permitted_dns_domains: "p.test",
      permitted_ip_ranges: "192.0.2.0/24",
      permitted_email_addresses: "m.test",
      permitted_uri_domains: "u.test",
      excluded_dns_domains: "x.p.test",
      excluded_ip_ranges: "2001:db8::/32",
    });
    const read = readCertificate(certificate);
    const text = printed(certificate).replaceAll(/\s+/g, " ");
    expect(text).toContain(
      "Permitted: DNS:p.test IP:192.0.2.0/255.255.255.0 email:m.test URI:u.test Excluded: DNS:x.p.test IP:2001:DB8:0:0:0:0:0:0/FFFF:FFFF:0:0:0:0:0:0",
    );
    expect([
      criticalOf(read, extensionOid.nameConstraints),
      (await leafOf()).order.includes(extensionOid.nameConstraints),
    ]).toEqual([true, false]);
  });

  it("A 6.4 10: each CRL URL is a separate distribution point, not critical", async () => {
    const a = await withRole();
    await a.pki.writeUrls({ crl_distribution_points: "http://a.test/1,http://a.test/2" });
    const read = readCertificate(await pemOf(a));
    expect(readCrlDistributionPoints(valueOf(read, extensionOid.crlDistributionPoints))).toEqual([
      "http://a.test/1",
      "http://a.test/2",
    ]);
    expect(criticalOf(read, extensionOid.crlDistributionPoints)).toBe(false);
    expect(printed(await pemOf(a)).match(/Full Name:/g)).toHaveLength(2);
  });

  it("A 6.4 11+: freshest CRL, otherName SANs first, policy qualifiers, and extensions of a CSR in place of generated ones", async () => {
    const a = await withRole({
      allowed_other_sans: ["*"],
      policy_identifiers: '[{"oid":"1.2.3","notice":"note","cps":"https://a.test/cps"}]',
    });
    await a.pki.writeUrls({
      crl_distribution_points: "http://a.test/1",
      delta_crl_distribution_points: "http://a.test/delta",
    });
    const pem = await pemOf(a, { other_sans: "1.3.6.1.4.1.311.20.2.3;UTF8:u@a.test" });
    const read = readCertificate(pem);
    expect([
      readCrlDistributionPoints(valueOf(read, extensionOid.freshestCrl)),
      criticalOf(read, extensionOid.freshestCrl),
    ]).toEqual([["http://a.test/delta"], false]);
    expect([
      toHex(valueOf(read, extensionOid.subjectAltName)).slice(4, 6),
      criticalOf(read, extensionOid.subjectAltName),
    ]).toEqual(["a0", false]);
    const { crlDistributionPoints, freshestCrl, subjectAltName, certificatePolicies } =
      extensionOid;
    expect(read.order.slice(-4)).toEqual([
      crlDistributionPoints,
      freshestCrl,
      subjectAltName,
      certificatePolicies,
    ]);
    await a.role("plain", { policy_identifiers: ["1.2.3"] });
    const plain = readCertificate(
      (await a.pki.issue({ role: "plain", common_name: "a.test", ttl: 60 })).certificate,
    );
    expect(plain.order.slice(-4)).toEqual([
      subjectAltName,
      certificatePolicies,
      crlDistributionPoints,
      freshestCrl,
    ]);
    const policies = shown(valueOf(read, extensionOid.certificatePolicies));
    expect(policies.indexOf("https://a.test/cps")).toBeLessThan(policies.indexOf("note"));
    expect(policies.indexOf("https://a.test/cps")).toBeGreaterThan(0);
    const csr = await request({
      cn: "a.test",
      extensions: [
        extension.certificatePolicies(["1.2.9"]),
        extension.crlDistributionPoints(["http://own.test/"]),
        sanOf({ dns: ["a.test"] }),
      ],
    });
    const verbatim = readCertificate((await a.pki.signVerbatim({ csr, ttl: 60 })).certificate);
    expect(
      readCrlDistributionPoints(valueOf(verbatim, extensionOid.crlDistributionPoints)),
    ).toEqual(["http://own.test/"]);
    expect(verbatim.order.filter((oid) => oid === extensionOid.crlDistributionPoints)).toHaveLength(
      1,
    );
  });
});

describe("other certificate fields", () => {
  it("A 6.5 subject: attributes are in a fixed order, without duplicates and empty values, as PrintableString if possible", async () => {
    const a = await withRole({
      country: ["DE"],
      province: ["Bayern"],
      locality: ["München"],
      street_address: ["Str. 1"],
      postal_code: ["80331"],
      organization: ["One", "", "One", "Two & Co"],
      ou: ["Unit"],
      allowed_user_ids: ["*"],
      allowed_serial_numbers: ["*"],
    });
    const pem = await pemOf(a, { serial_number: "77", user_ids: "u1,u2" });
    const lines =
      printed(pem)
        .split("Subject:")[1]
        ?.split("Subject Public Key Info")[0]
        ?.replaceAll(/[ \n]+/g, " ") ?? "";
    const order = [
      "DE",
      "Bayern",
      "Str. 1",
      "80331",
      "One",
      "Unit",
      "a.test",
      "77",
      "u1",
      "u2",
    ].map((value) => shown(readCertificate(pem).subject).indexOf(value));
    expect(order).toEqual(order.toSorted((one, two) => one - two));
    expect(readCertificate(pem).text.subject.match(/One/g)).toHaveLength(1);
    expect(lines).toMatch(/UTF8STRING:M/);
    expect(lines).toMatch(
      /O=(PRINTABLESTRING:One \+ O=UTF8STRING:Two & Co|UTF8STRING:Two & Co \+ O=PRINTABLESTRING:One)/,
    );
    expect(lines).toMatch(/CN=PRINTABLESTRING:a\.test/);
    expect(lines.match(/UID=/g)).toHaveLength(2);
    expect(printed(await pemOf(a, { common_name: "*.a.test" }))).toContain(
      "CN=UTF8STRING:*.a.test",
    );
  });

  it("A 6.6 key usage names: are case-insensitive and trimmed; unknown names are ignored", async () => {
    const all = [
      "DigitalSignature",
      "ContentCommitment",
      "KeyEncipherment",
      "DataEncipherment",
      "KeyAgreement",
      "EncipherOnly",
      "DecipherOnly",
    ];
    const read = await leafOf({
      key_usage: all.map((name, i) => ` ${i % 2 ? name.toUpperCase() : name.toLowerCase()} `),
    });
    expect(read.usage).toEqual(all);
    const ext = await leafOf({
      server_flag: false,
      client_flag: false,
      ext_key_usage: [
        " timestamping ",
        "NONSENSE",
        "microsoftcommercialcodesigning",
        "MicrosoftKernelCodeSigning",
      ],
    });
    expect(ext.purposes).toEqual([
      "1.3.6.1.5.5.7.3.8",
      "1.3.6.1.4.1.311.2.1.22",
      "1.3.6.1.4.1.311.61.1.1",
    ]);
    expect(
      (await leafOf({ key_usage: ["CertSign", "CRLSign", "DigitalSignature"] })).usage,
    ).toEqual(["DigitalSignature"]);
    const told = await authority().call("POST", "pki/roles/web", {
      key_usage: ["certsign", "CRLSign", "DigitalSignature", "other"],
    });
    expect(String(told.json["warnings"])).toContain("key usages certsign, CRLSign are for CAs");
    expect((await leafOf({ key_type: "ed25519", key_usage: ["DataEncipherment"] })).usage).toEqual([
      "DataEncipherment",
    ]);
  });
});

describe("key types", () => {
  const refusedRole = async (rules: object) =>
    (await authority().call("POST", "pki/roles/web", rules)).errors[0];
  const bitsOf = async (rules: Rules) => {
    const key = parsePublicKey((await leafOf(rules)).spki);
    return [key.type, key.bits];
  };
  it("A 6.7 rsa: 0 means 2048; smaller or unsupported sizes and unsupported hashes are rejected", async () => {
    expect(await bitsOf({ key_type: "rsa", key_bits: 0 })).toEqual(["rsa", 2048]);
    expect(await bitsOf({ key_type: "rsa", key_bits: 3072 })).toEqual(["rsa", 3072]);
    expect(await refusedRole({ key_type: "rsa", key_bits: 1024 })).toContain(
      "RSA keys < 2048 bits are unsafe and not supported: got 1024",
    );
    expect(await refusedRole({ key_type: "rsa", key_bits: 2049 })).toContain(
      "unsupported bit length for RSA key: 2049",
    );
    expect(await refusedRole({ key_type: "rsa", signature_bits: 224 })).toContain(
      "unsupported hash signature algorithm: 224",
    );
    expect(await refusedRole({ key_type: "ec", signature_bits: 224 })).toBeUndefined();
    expect(await refusedRole({ key_type: "dsa" })).toContain("unknown key type dsa");
    const a = await withRole({ key_type: "rsa" });
    expect(await refusal(a.pki.patchRole({ name: "web", signature_bits: 224 }))).toEqual([
      400,
      "unsupported hash signature algorithm: 224",
    ]);
  });
  it("A 6.7 ec: 0 means 256; P-224, P-256, P-384 and P-521 are supported", async () => {
    for (const [asked, bits] of [
      [0, 256],
      [224, 224],
      [256, 256],
      [384, 384],
      [521, 521],
    ] as const)
      expect(await bitsOf({ key_type: "ec", key_bits: asked })).toEqual(["ec", bits]);
    expect(await refusedRole({ key_type: "ec", key_bits: 255 })).toContain(
      "unsupported bit length for EC key: 255",
    );
  });
  it("A 6.7 ed25519: the size is ignored", async () => {
    expect((await bitsOf({ key_type: "ed25519", key_bits: 0 }))[0]).toBe("ed25519");
    expect((await bitsOf({ key_type: "ed25519", key_bits: 77 }))[0]).toBe("ed25519");
  });
  it("A 6.7 any (roles only): signs CSRs with every key type, but cannot issue", async () => {
    const a = await withRole({ key_type: "any", key_bits: 77 });
    for (const kind of ["P-256", "P-384", "Ed25519"] as const) {
      expect(
        (
          await a.pki.sign({
            role: "web",
            csr: await request({ cn: "a.test", key: await keyOf(kind) }),
            ttl: 60,
          })
        ).certificate,
      ).toContain("BEGIN");
    }
    expect((await a.call("POST", "pki/issue/web", { common_name: "a.test" })).errors).toEqual([
      'role key type "any" not allowed for issuing certificates, only signing',
    ]);
    expect(
      (await a.call("POST", "pki/root/generate/internal", { common_name: "R", key_type: "any" }))
        .status,
    ).toBe(400);
  });
});

describe("certificate signatures", () => {
  const signedBy = async (root: Parameters<Authority["root"]>[0], rules: Rules) => {
    const a = authority();
    const { certificate } = await a.root(root);
    await a.role("web", { ...rules, ttl: "1h" });
    const pem = await pemOf(a, { ttl: undefined });
    expect(verified(pem, { root: certificate, at: start })).toContain("OK");
    return algorithmName(readCertificate(pem).algorithm);
  };
  it("A 6.8 RSA: the hash of signature_bits, SHA-256 by default, with PKCS#1 v1.5 or PSS", async () => {
    expect(await signedBy({ key_type: "rsa" }, { key_type: "rsa" })).toBe("SHA256WithRSA");
    expect(await signedBy({ key_type: "rsa" }, { key_type: "rsa", signature_bits: 384 })).toBe(
      "SHA384WithRSA",
    );
    expect(
      await signedBy({ key_type: "rsa" }, { key_type: "rsa", signature_bits: 512, use_pss: true }),
    ).toBe("SHA512WithRSAPSS");
    expect(await signedBy({ key_type: "rsa" }, { key_type: "ec", use_pss: true })).toBe(
      "SHA256WithRSAPSS",
    );
  });
  it("A 6.8 EC P-224, P-256 / P-384 / P-521: each curve has one hash, whatever the role says", async () => {
    for (const [key_bits, name] of [
      [224, "ECDSAWithSHA256"],
      [256, "ECDSAWithSHA256"],
      [384, "ECDSAWithSHA384"],
      [521, "ECDSAWithSHA512"],
    ] as const)
      expect(
        await signedBy({ key_bits }, { key_type: "rsa", signature_bits: 512, use_pss: true }),
      ).toBe(name);
  });
  it("A 6.8 Ed25519: no separate hash, whatever the role says", async () => {
    expect(
      await signedBy({ key_type: "ed25519" }, { key_type: "rsa", signature_bits: 512 }),
    ).toMatch(/Ed25519/);
  });
});

describe("formats of issued certificates", () => {
  const ask = (a: Authority, body: object, compat = false) =>
    a.call("POST", "pki/issue/web", { common_name: "a.test", ttl: 60, ...body }, { compat });
  it("A 6.9 pem: certificate, issuer and chain end without a newline, and the key has its traditional encoding; unknown formats are rejected", async () => {
    const a = await withRole();
    const { data } = await ask(a, { format: "pem" });
    for (const pem of [
      data["certificate"],
      data["issuing_ca"],
      ...(data["ca_chain"] as readonly string[]),
    ])
      expect(pem).toMatch(/^-----BEGIN CERTIFICATE-----\n[^]*-----END CERTIFICATE-----$/);
    expect(labelsOf(data["private_key"])).toEqual(["EC PRIVATE KEY"]);
    expect(labelsOf((await ask(a, { private_key_format: "pkcs8" })).data["private_key"])).toEqual([
      "PRIVATE KEY",
    ]);
    for (const [key_type, label] of [
      ["rsa", "RSA PRIVATE KEY"],
      ["ed25519", "PRIVATE KEY"],
    ] as const)
      expect(labelsOf((await ask(await withRole({ key_type }), {})).data["private_key"])).toEqual([
        label,
      ]);
    for (const format of ["", "jks", "PEM"])
      expect((await ask(a, { format })).errors).toEqual([
        'the "format" path parameter must be "pem", "der", or "pem_bundle"',
      ]);
    expect((await ask(a, { private_key_format: "jwk" })).status).toBe(400);
  });
  it("A 6.9 der: everything is base64 DER, and in the compat dialect PKCS#8 too", async () => {
    const a = await withRole();
    const { data } = await ask(a, { format: "der" });
    expect(readCertificate(bytesOf(data["certificate"])).text.subject).toBe("CN=a.test");
    expect(readCertificate(bytesOf(data["issuing_ca"])).text.subject).toBe("CN=Root CA");
    expect(data["ca_chain"]).toEqual([data["issuing_ca"]]);
    expect(
      openssl(["ec", "-inform", "DER", "-noout", "-text"], bytesOf(data["private_key"])),
    ).toContain("256 bit");
    const pkcs8 = { format: "der", private_key_format: "pkcs8" };
    expect(labelsOf((await ask(a, pkcs8)).data["private_key"])).toEqual(["PRIVATE KEY"]);
    expect(
      openssl(
        ["pkey", "-inform", "DER", "-noout", "-text"],
        bytesOf((await ask(a, pkcs8, true)).data["private_key"]),
      ),
    ).toContain("256 bit");
  });
  it("A 6.9 pem_bundle: key in its traditional encoding, certificate, and the chain as the dialect defines it", async () => {
    const a = await withRole();
    const between = await a.intermediate();
    await a.role("web", { issuer_ref: between.id });
    const labels = async (body: object, compat: boolean) =>
      labelsOf((await ask(a, { format: "pem_bundle", ...body }, compat)).data["certificate"]);
    const [key, cert] = ["EC PRIVATE KEY", "CERTIFICATE"];
    expect(await labels({}, false)).toEqual([key, cert, cert]);
    expect(await labels({}, true)).toEqual([key, cert, cert, cert]);
    expect(
      await labels({ remove_roots_from_chain: true, private_key_format: "pkcs8" }, true),
    ).toEqual([key, cert, cert, cert]);
    const removed = (await ask(a, { format: "pem_bundle", remove_roots_from_chain: true })).data;
    expect(removed["ca_chain"]).toEqual([between.certificate]);
    const signed = await a.call(
      "POST",
      "pki/sign/web",
      { csr: await request({ cn: "a.test" }), format: "pem_bundle", ttl: 60 },
      { compat: true },
    );
    expect(labelsOf(signed.data["certificate"])).toEqual([cert, cert, cert]);
  });
  it("A 6.9 pem_bundle: a CA with the root's name, signed by the root's old key, is not a root and stays in chain and bundle", async () => {
    const a = await withRole();
    const rolled = await a.intermediate({ common_name: "Root CA" }, { common_name: "Root CA" });
    await a.role("web", { issuer_ref: rolled.id });
    const { data } = await ask(a, { format: "pem_bundle", remove_roots_from_chain: true });
    expect(data["ca_chain"]).toEqual([rolled.certificate]);
    expect(labelsOf(data["certificate"])).toEqual(["EC PRIVATE KEY", "CERTIFICATE", "CERTIFICATE"]);
  });
});

describe("root rollover", () => {
  it("A 6.9 pem: remove_roots_from_chain removes the self-signed roots, but not the new root signed by the old one", async () => {
    const a = await withRole();
    const old = (await a.pki.readIssuer({ issuer_ref: "root" })).certificate.trim();
    const fresh = await a.root({ issuer_name: "new", common_name: "Root CA" });
    const { certificate: twin } = await a.pki.signSelfIssued({
      certificate: fresh.certificate,
      issuer_ref: "root",
    });
    const [id = ""] = (await a.pki.setSigned({ certificate: twin })).imported_issuers ?? [];
    const [oldRead, freshRead, twinRead] = [old, fresh.certificate, twin].map(readCertificate);
    expect(twinRead).toMatchObject({
      subject: oldRead?.subject,
      issuer: oldRead?.subject,
      spki: freshRead?.spki,
    });
    expect(verified(twin, { root: old, at: start })).toContain("OK");
    for (const [issuer_ref, whole, without] of [
      ["root", [old], undefined],
      ["new", [fresh.certificate, twin, old], [twin]],
      [id, [twin, fresh.certificate, old], [twin]],
    ] as const) {
      const chain = async (body: object, format = "pem") =>
        (
          await a.call("POST", `pki/issuer/${issuer_ref}/issue/web`, {
            common_name: "a.test",
            ttl: 60,
            format,
            ...body,
          })
        ).data["ca_chain"];
      expect([issuer_ref, await chain({})]).toEqual([issuer_ref, whole]);
      expect([issuer_ref, await chain({ remove_roots_from_chain: true })]).toEqual([
        issuer_ref,
        without,
      ]);
      expect([issuer_ref, await chain({ remove_roots_from_chain: true }, "der")]).toEqual([
        issuer_ref,
        without?.map((pem) => Buffer.from(derOf(pem)).toString("base64")),
      ]);
    }
    // a client that has only the old root can verify the leaf
    const leaf = (
      await a.call("POST", `pki/issuer/${id}/issue/web`, {
        common_name: "a.test",
        ttl: 60,
        remove_roots_from_chain: true,
      })
    ).data;
    expect(
      verified(leaf["certificate"], {
        root: old,
        between: leaf["ca_chain"] as readonly string[],
        at: start,
      }),
    ).toContain("OK");
  });
});

describe("constraints of the issuer", () => {
  it("A 6.10 chain constraints: a leaf that violates one is rejected and not stored, unless the issuer's check is disabled", async () => {
    const a = await withRole();
    const { id } = await a.intermediate({ permitted_dns_domains: "ok.test" });
    const ask = (common_name: string) =>
      a.call("POST", `pki/issuer/${id}/issue/web`, { common_name, ttl: 60 });
    expect((await ask("a.ok.test")).status).toBe(200);
    const before = (await a.pki.listCerts({})).keys.length;
    expect(await ask("b.test")).toMatchObject({
      status: 400,
      errors: [
        expect.stringContaining(
          "name constraints (4.2.1.10): the name b.test is not within the permitted ok.test",
        ),
      ],
    });
    expect((await a.pki.listCerts({})).keys).toHaveLength(before);
    await a.pki.patchIssuer({ issuer_ref: id, disable_name_constraint_checks: true });
    expect((await ask("b.test")).status).toBe(200);
  });
});
