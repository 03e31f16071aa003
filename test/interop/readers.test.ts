import { createHash, X509Certificate as NodeCertificate } from "node:crypto";
import { execFileSync } from "node:child_process";
import { beforeAll, describe, expect, it } from "vitest";
import { sequence, tlv } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { utf8 } from "../../src/base/bytes.ts";
import * as extension from "../x509/extensions.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, start } from "../support/authority.ts";
import { itWith } from "../support/programs.ts";
import { commonName, withFiles } from "../x509/fixture.ts";
import { rdn, request } from "../pki/reading.ts";
import { go, keytool, opensslReader, peculiar, type Facts, type Reader } from "./readers.ts";

const now = start / 1000;
/** Computes the SHA-1 key identifier (RFC 5280 section 4.2.1.2) without this project's code. */
function keyIdOf(pem: string): string {
  const spki = new NodeCertificate(pem).publicKey.export({ type: "spki", format: "der" });
  // the bit string is the last member: after its tag, its length and the count of unused bits,
  // which is 0
  const bits = lastBitString(spki);
  return createHash("sha1").update(bits).digest("hex");
}
function lastBitString(spki: Buffer): Buffer {
  const long = (at: number): number => ((spki[at] ?? 0) & 0x80 ? (spki[at] ?? 0) & 0x7f : 0);
  const content = 2 + long(1);
  const algorithm = content + 2 + (spki[content + 1] ?? 0);
  return spki.subarray(algorithm + 2 + long(algorithm + 1) + 1);
}

interface Sample {
  readonly what: string;
  readonly certificate: string;
  readonly issuer: string;
  readonly facts: Omit<Facts, "serial" | "verified">;
}
const samples: Sample[] = [];
const [ku, eku, bc, ski, aki, aia, san, policies, nc, crldp, freshest] = [
  "2.5.29.15 critical",
  "2.5.29.37",
  "2.5.29.19 critical",
  "2.5.29.14",
  "2.5.29.35",
  "1.3.6.1.5.5.7.1.1",
  "2.5.29.17",
  "2.5.29.32",
  "2.5.29.30 critical",
  "2.5.29.31",
  "2.5.29.46",
] as const;
const purposes = ["1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"];
const rootName = ["2.5.4.3=Root CA"];
/** Returns the facts of an ordinary certificate, from which each sample states its differences. */
const plain = (certificate: string, issuer: string): Sample["facts"] => ({
  subject: ["2.5.4.3=a.test"],
  issuer: rootName,
  notBefore: now - 30,
  notAfter: now + 3600,
  signature: "ECDSA-SHA256",
  key: "ec 256",
  extensions: [ku, eku, ski, aki, san],
  usage: ["DigitalSignature", "KeyEncipherment", "KeyAgreement"],
  purposes,
  basic: "",
  ski: keyIdOf(certificate),
  aki: keyIdOf(issuer),
  ocsp: [],
  issuers: [],
  crl: [],
  delta: [],
  names: ["dns a.test"],
  policies: [],
  permitted: [],
  excluded: [],
});
function sample(
  what: string,
  certificate: string,
  issuer: string,
  facts: Partial<Sample["facts"]> = {},
): void {
  samples.push({ what, certificate, issuer, facts: { ...plain(certificate, issuer), ...facts } });
}

beforeAll(async () => {
  const a = authority();
  const root = (await a.root({ ttl: undefined, not_after: "9999-12-31T23:59:59Z" })).certificate;
  const ca = {
    extensions: [ku, bc, ski, aki],
    usage: ["CertSign", "CRLSign"],
    purposes: [],
    names: [],
    subject: rootName,
  };
  sample("a root without an expiry date", root, root, {
    ...ca,
    notAfter: 253_402_300_799,
    basic: "ca true",
  });

  await a.role("web", { ttl: "1h" });
  const issue = async (body: object, role = "web") =>
    (await a.pki.issue({ role, common_name: "a.test", ...body })).certificate;
  sample("a plain leaf", await issue({}), root);
  sample("a leaf beyond 2050", await issue({ not_after: "2060-02-03T04:05:06Z" }), root, {
    notAfter: Date.UTC(2060, 1, 3, 4, 5, 6) / 1000,
  });
  for (const [key_type, key_bits, key] of [
    ["ec", 224, "ec 224"],
    ["ec", 384, "ec 384"],
    ["ec", 521, "ec 521"],
    ["ed25519", 0, "ed25519"],
    ["rsa", 3072, "rsa 3072"],
  ] as const) {
    await a.role("keyed", { ttl: "1h", key_type, key_bits });
    sample(`a leaf with a key ${key}`, await issue({}, "keyed"), root, { key });
  }

  await a.role("bare", {
    ttl: "1h",
    require_cn: false,
    key_usage: [],
    server_flag: false,
    client_flag: false,
  });
  const bare = { extensions: [ski, aki, `${san} critical`], usage: [], purposes: [], subject: [] };
  sample(
    "a leaf without subject and key usages",
    await issue({ common_name: "", ip_sans: "192.0.2.1" }, "bare"),
    root,
    { ...bare, names: ["ip 192.0.2.1"] },
  );

  await a.role("full", {
    ttl: "1h",
    allowed_uri_sans: ["*"],
    allowed_other_sans: ["*"],
    allowed_user_ids: ["*"],
    allowed_serial_numbers: ["*"],
    country: ["DE"],
    province: ["Bayern"],
    locality: ["München"],
    street_address: ["Str. 1"],
    postal_code: ["80331"],
    organization: ["Two & Co", "One"],
    ou: ["Unit"],
    policy_identifiers: [
      "1.2.3.4",
      '{"oid":"1.2.3.5","cps":"https://a.test/cps","notice":"a note"}',
      '{"oid":"1.2.3.6","notice":"Ä"}',
    ],
    basic_constraints_valid_for_non_ca: true,
    key_usage: ["ContentCommitment", "DataEncipherment", "KeyAgreement", "EncipherOnly"],
    code_signing_flag: true,
    email_protection_flag: true,
    ext_key_usage: ["TimeStamping", "OCSPSigning", "Any"],
    ext_key_usage_oids: ["1.2.9.9"],
  });
  await a.pki.writeCluster({ path: "https://own.test/v1/pki", aia_path: "http://aia.test/v1/pki" });
  await a.pki.writeUrls({
    enable_templating: true,
    issuing_certificates: "{{cluster_aia_path}}/issuer/{{issuer_id}}/der,http://two.test/ca",
    crl_distribution_points:
      "{{cluster_aia_path}}/issuer/{{issuer_id}}/crl/der,http://two.test/crl",
    ocsp_servers: "{{cluster_path}}/ocsp,http://two.test/ocsp",
    delta_crl_distribution_points: "{{cluster_aia_path}}/issuer/{{issuer_id}}/crl/delta",
  });
  const id = (await a.pki.readIssuer({ issuer_ref: "root" })).issuer_id;
  const addresses = {
    issuers: [`http://aia.test/v1/pki/issuer/${id}/der`, "http://two.test/ca"],
    crl: [`http://aia.test/v1/pki/issuer/${id}/crl/der`, "http://two.test/crl"],
    ocsp: ["https://own.test/v1/pki/ocsp", "http://two.test/ocsp"],
    delta: [`http://aia.test/v1/pki/issuer/${id}/crl/delta`],
  };
  const everything = {
    common_name: "www.a.test",
    alt_names: "*.b.test,u@a.test",
    ip_sans: "192.0.2.1,2001:db8::1",
    uri_sans: "https://a.test/x",
    other_sans: "1.3.6.1.4.1.311.20.2.3;UTF8:u@a.test,1.2.3;UTF8:ä",
    user_ids: "u1,u2",
    serial_number: "77",
  };
  sample("a leaf with every field that a role can set", await issue(everything, "full"), root, {
    ...addresses,
    extensions: [ku, eku, bc, ski, aki, aia, crldp, freshest, san, policies],
    subject: [
      "2.5.4.6=DE",
      "2.5.4.8=Bayern",
      "2.5.4.7=München",
      "2.5.4.9=Str. 1",
      "2.5.4.17=80331",
      // the members of a SET are ordered by their encodings (X.690 section 11.6)
      "2.5.4.10=One + 2.5.4.10=Two & Co",
      "2.5.4.11=Unit",
      "2.5.4.3=www.a.test",
      "2.5.4.5=77",
      "0.9.2342.19200300.100.1.1=u1",
      "0.9.2342.19200300.100.1.1=u2",
    ],
    usage: ["ContentCommitment", "DataEncipherment", "KeyAgreement", "EncipherOnly"],
    purposes: [
      "2.5.29.37.0",
      ...[1, 2, 3, 4, 8, 9].map((last) => `1.3.6.1.5.5.7.3.${last}`),
      "1.2.9.9",
    ],
    basic: "ca false",
    names: [
      "other 1.3.6.1.4.1.311.20.2.3 u@a.test",
      "other 1.2.3 ä",
      "dns www.a.test",
      "dns *.b.test",
      "email u@a.test",
      "ip 192.0.2.1",
      "ip 2001:db8::1",
      "uri https://a.test/x",
    ],
    policies: [
      { oid: "1.2.3.4" },
      { oid: "1.2.3.5", cps: "https://a.test/cps", notice: "a note" },
      { oid: "1.2.3.6", notice: "Ä" },
    ],
  });

  const { csr } = await a.pki.generateIntermediate({
    common_name: "Below",
    key_type: "ec",
    key_bits: 384,
  });
  const own = { ocsp: ["http://own.test/ocsp"], issuers: [], crl: [], delta: [] };
  await a.pki.patchIssuer({ issuer_ref: "root", ocsp_servers: own.ocsp });
  const below = await a.pki.signIntermediate({
    csr,
    ttl: "1h",
    common_name: "Below",
    exclude_cn_from_sans: true,
    alt_names: "ca.test",
    key_usage: "DigitalSignature",
    max_path_length: 2,
    skid: "01:02:03:04:05",
    permitted_dns_domains: "p.test,.q.test",
    excluded_dns_domains: "x.p.test",
    permitted_ip_ranges: "192.0.2.0/24,2001:db8:1::/48",
    excluded_ip_ranges: "2001:db8::/32",
    permitted_email_addresses: "m.test,u@n.test",
    excluded_email_addresses: ".o.test",
    permitted_uri_domains: "u.test",
    excluded_uri_domains: ".v.test",
  });
  sample("an intermediate with every field that it can have", below.certificate, root, {
    ...own,
    subject: ["2.5.4.3=Below"],
    key: "ec 384",
    extensions: [ku, bc, ski, aki, aia, san, nc],
    usage: ["DigitalSignature", "CertSign", "CRLSign"],
    purposes: [],
    basic: "ca true 2",
    ski: "0102030405",
    names: ["dns ca.test"],
    permitted: [
      "dns p.test",
      "dns .q.test",
      "ip 192.0.2.0/24",
      "ip 2001:db8:1::/48",
      "email m.test",
      "email u@n.test",
      "uri u.test",
    ],
    excluded: ["dns x.p.test", "ip 2001:db8::/32", "email .o.test", "uri .v.test"],
  });
  await a.pki.setSigned({ certificate: below.certificate });
  const under = await a.call("POST", "pki/issuers/import/cert", { pem_bundle: below.certificate });
  const [belowId = ""] = Object.keys(under.data["mapping"] as object);
  await a.pki.writeUrls({
    issuing_certificates: "",
    crl_distribution_points: "",
    ocsp_servers: "",
    delta_crl_distribution_points: "",
  });
  const inside = await a.call("POST", `pki/issuer/${belowId}/issue/web`, {
    common_name: "a.p.test",
  });
  sample(
    "a leaf below an intermediate with its own key identifier",
    String(inside.data["certificate"]),
    below.certificate,
    {
      subject: ["2.5.4.3=a.p.test"],
      issuer: ["2.5.4.3=Below"],
      signature: "ECDSA-SHA384",
      aki: "0102030405",
      names: ["dns a.p.test"],
    },
  );

  await a.pki.patchIssuer({ issuer_ref: "root", ocsp_servers: "" });
  const names = sequence(
    implicit(2, tlv(0x16, utf8("v.test"))),
    tlv(0xa4, encodeName(commonName("somebody"))),
  );
  const copied = await request({
    subject: [rdn("organization", "Asked"), ...commonName("v.test")],
    extensions: [
      extension.keyUsage(["KeyAgreement", "DecipherOnly"]),
      extension.extKeyUsage(["1.3.6.1.5.5.7.3.4"]),
      { oid: extensionOid.subjectAltName, critical: false, value: names },
      extension.certificatePolicies(["1.2.3.9"]),
      extension.crlDistributionPoints(["http://asked.test/crl"]),
    ],
  });
  const verbatim = await a.pki.signVerbatim({ csr: copied, ttl: "1h" });
  sample("a leaf with the fields of its CSR", verbatim.certificate, root, {
    subject: ["2.5.4.10=Asked", "2.5.4.3=v.test"],
    basic: "ca false",
    extensions: [bc, ski, aki, ku, eku, san, policies, crldp],
    usage: ["KeyAgreement", "DecipherOnly"],
    purposes: ["1.3.6.1.5.5.7.3.4"],
    names: ["dns v.test", "directory 2.5.4.3=somebody"],
    policies: [{ oid: "1.2.3.9" }],
    crl: ["http://asked.test/crl"],
  });

  for (const [what, key, role, signature, kind] of [
    [
      "RSA with PSS",
      { key_type: "rsa" },
      { use_pss: true, signature_bits: 384 },
      "SHA384-RSAPSS",
      "rsa 2048",
    ],
    ["RSA", { key_type: "rsa" }, { signature_bits: 512 }, "SHA512-RSA", "rsa 2048"],
    ["Ed25519", { key_type: "ed25519" }, {}, "Ed25519", "ed25519"],
    ["P-521", { key_type: "ec", key_bits: 521 }, {}, "ECDSA-SHA512", "ec 521"],
  ] as const) {
    const b = authority();
    const signer = await b.root({ ...key, use_pss: "use_pss" in role });
    await b.role("web", { ttl: "1h", ...role });
    const rootSignature =
      signature === "SHA384-RSAPSS"
        ? "SHA256-RSAPSS"
        : signature === "SHA512-RSA"
          ? "SHA256-RSA"
          : signature;
    sample(`a root that signs with ${what}`, signer.certificate, signer.certificate, {
      ...ca,
      basic: "ca true",
      notAfter: now + 288_000_000,
      signature: rootSignature,
      key: kind,
    });
    sample(
      `a leaf signed with ${what}`,
      (await b.pki.issue({ role: "web", common_name: "a.test" })).certificate,
      signer.certificate,
      { signature },
    );
  }
});

const serialOf = (pem: string): string => new NodeCertificate(pem).serialNumber.toLowerCase();
/** Reduces the expected facts to those that the reader can extract. */
function compared(read: Partial<Facts>, { certificate, facts }: Sample): Partial<Facts> {
  const whole: Facts = { ...facts, serial: serialOf(certificate), verified: true };
  return Object.fromEntries(
    Object.entries(whole).filter(([name]) => read[name as keyof Facts] !== undefined),
  );
}
const given = (read: Partial<Facts>): Partial<Facts> =>
  Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined));
async function compare(
  reader: Reader,
  among: readonly Sample[] = samples,
  sorted = false,
): Promise<void> {
  expect(among.length).toBeGreaterThan(10);
  const read = await reader(among.map(({ certificate, issuer }) => [certificate, issuer]));
  for (const [i, one] of among.entries()) {
    const found = given(read[i] ?? {});
    const expected = compared(found, one);
    const order = (facts: Partial<Facts>) =>
      sorted ? { ...facts, extensions: [...(facts.extensions ?? [])].sort() } : facts;
    expect({ what: one.what, ...order(found) }).toEqual({ what: one.what, ...order(expected) });
  }
}

describe("issued certificates", () => {
  it("have the same content as read by @peculiar/x509", async () => {
    await compare(peculiar);
  });

  itWith("openssl", "version")("have the same content as read by openssl", async () => {
    // it prints a directory name in its own format
    await compare(
      opensslReader,
      samples.filter(({ facts }) => !facts.names.some((name) => name.startsWith("directory"))),
    );
  });

  itWith("go", "version")("have the same content as read by Go", async () => {
    await compare(go);
  });

  itWith("keytool", "-help")("have the same content as read by keytool", async () => {
    await compare(keytool, samples, true);
  });

  itWith("certtool", "--version")(
    "have the same serial number, names and URLs as printed by certtool",
    () => {
      for (const { what, certificate, facts } of samples)
        withFiles({ "one.pem": certificate }, (path) => {
          const text = execFileSync("certtool", ["-i", "--infile", path("one.pem")], {
            encoding: "utf8",
          });
          expect([what, text.toLowerCase()]).toEqual([
            what,
            expect.stringContaining(serialOf(certificate)),
          ]);
          for (const name of facts.names.filter((one) => /^(dns|email|uri) /.test(one)))
            expect([what, text]).toEqual([what, expect.stringContaining(name.split(" ")[1] ?? "")]);
          for (const url of [...facts.crl, ...facts.ocsp, ...facts.issuers])
            expect([what, text]).toEqual([what, expect.stringContaining(url)]);
        });
    },
  );

  itWith("zlint", "-version")("violate no rule of RFC 5280 according to zlint", () => {
    for (const { what, certificate } of samples)
      withFiles({ "one.pem": certificate }, (path) => {
        const lints = JSON.parse(
          execFileSync("zlint", ["-includeSources", "RFC5280", path("one.pem")], {
            encoding: "utf8",
          }),
        ) as Readonly<Record<string, { readonly result: string }>>;
        const wrong = Object.entries(lints).filter(
          ([, { result }]) => result === "error" || result === "fatal",
        );
        expect([what, wrong]).toEqual([what, []]);
      });
  });

  it("are compared in samples with every extension and every kind of name", () => {
    const seen = new Set(
      samples.flatMap(({ facts }) => facts.extensions.map((one) => one.split(" ")[0])),
    );
    expect([...seen].sort()).toEqual(
      [ku, eku, bc, ski, aki, aia, san, policies, nc, crldp, freshest]
        .map((one) => one.split(" ")[0])
        .sort(),
    );
    const kinds = new Set(
      samples.flatMap(({ facts }) => facts.names.map((name) => name.split(" ")[0])),
    );
    expect([...kinds].sort()).toEqual(["directory", "dns", "email", "ip", "other", "uri"]);
    const trees = (which: "permitted" | "excluded") =>
      new Set(samples.flatMap(({ facts }) => facts[which].map((name) => name.split(" ")[0])));
    for (const which of ["permitted", "excluded"] as const)
      expect([...trees(which)].sort()).toEqual(["dns", "email", "ip", "uri"]);
  });
});
