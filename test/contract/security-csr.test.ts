import { X509Certificate as NodeCertificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { concat, fromHex, utf8 } from "../../src/base/bytes.ts";
import { bitString, integer, oid, readDer, sequence, set, tlv } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { algorithmIdentifier } from "../../src/x509/public-key.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../src/x509/key-identifiers.ts";
import { assemble } from "../../src/x509/certificate.ts";
import { encodeCsrInfo } from "../../src/x509/csr.ts";
import * as extension from "../x509/extensions.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, seeded, start, type Answer, type Authority } from "../support/authority.ts";
import { threadTime } from "../support/spent.ts";
import { commonName, openssl, opensslBytes, withFiles } from "../x509/fixture.ts";
import { crafted, heldIssuer } from "../pki/crafted.ts";
import {
  derOf,
  keyOf,
  rdn,
  readCertificate,
  request,
  sanOf,
  shown,
  valueOf,
  verified,
} from "../pki/reading.ts";

const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
async function withRole(
  role: object = {},
  options: Parameters<typeof authority>[0] = {},
): Promise<Authority> {
  const a = authority(options);
  await a.root();
  await write(a, role);
  return a;
}
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "any", allow_any_name: true, ttl: "1h", ...role });
const sign = async (
  a: Authority,
  csr: Parameters<typeof request>[0],
  path = "sign/web",
  body: object = {},
): Promise<Answer> => a.call("POST", `pki/${path}`, { csr: await request(csr), ...body });
const issue = (a: Authority, body: object): Promise<Answer> =>
  a.call("POST", "pki/issue/web", body);
async function everyRow(a: Authority): Promise<string> {
  const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<
    Record<string, { readonly uuid: string }>
  >;
  return JSON.stringify(
    (await a.stores(mounts["pki/"]?.uuid ?? "").list("")).map(([key, { value }]) => [key, value]),
  );
}
/**
 * Asks, and expects a refusal with 400 of this text, short, after two seconds of work at most:
 * others may use the processor meanwhile.
 */
async function soonRefused(call: () => Promise<Answer>, text: string | RegExp): Promise<void> {
  const begun = threadTime();
  const answer = await call();
  const spent = threadTime() - begun;
  expect([answer.status, outcome(answer)]).toEqual([
    400,
    typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text),
  ]);
  expect(answer.text.length).toBeLessThan(2000);
  expect(spent).toBeLessThan(2000);
}
/** A CSR of these attributes, signed whatever they are. */
async function rawCsr(
  info: Uint8Array,
  kind: Parameters<typeof keyOf>[0] = "P-256",
): Promise<string> {
  const key = await keyOf(kind);
  return encodePem(
    "CERTIFICATE REQUEST",
    assemble(info, algorithmIdentifier(key.scheme), await key.sign(info)),
  );
}
async function infoWith(
  subject: Uint8Array,
  extensions: readonly extension.Extension[],
  spki?: Uint8Array,
): Promise<Uint8Array> {
  return encodeCsrInfo({ subject, spki: spki ?? (await keyOf("P-256")).key.spki, extensions });
}
const san = (...names: readonly Uint8Array[]): extension.Extension => ({
  oid: extensionOid.subjectAltName,
  critical: false,
  value: sequence(...names),
});

describe("names and the rules of a role", () => {
  it("security row 1: every source of a name is judged by the role", async () => {
    const a = await withRole({
      key_type: "ec",
      allow_any_name: false,
      allow_bare_domains: true,
      allowed_domains: "good.test",
      allowed_uri_sans: "good:*",
      allowed_other_sans: "1.2.3;UTF8:good",
      allowed_ip_sans_cidr: "192.0.2.0/24",
      allowed_user_ids: "good",
      allowed_serial_numbers: "good",
    });
    const good = { common_name: "good.test" };
    const bodies: readonly object[] = [
      { common_name: "bad.test" },
      { ...good, alt_names: "bad.test" },
      { ...good, alt_names: "u@bad.test" },
      { ...good, ip_sans: "198.51.100.1" },
      { ...good, uri_sans: "bad:x" },
      { ...good, other_sans: "1.2.3;UTF8:bad" },
      { ...good, other_sans: "1.2.4;UTF8:good" },
      { ...good, user_ids: "bad" },
      { ...good, serial_number: "bad" },
    ];
    const subject = (
      ...more: Parameters<typeof request>[0] extends infer O
        ? O extends { subject?: readonly (infer R)[] }
          ? R[]
          : never
        : never
    ) => [...commonName("good.test"), ...more];
    const csrs: readonly Parameters<typeof request>[0][] = [
      { cn: "bad.test" },
      { subject: [...commonName("good.test"), ...commonName("bad.test")] },
      { cn: "good.test", extensions: [sanOf({ dns: ["bad.test"] })] },
      { cn: "good.test", extensions: [sanOf({ email: ["u@bad.test"] })] },
      { cn: "good.test", extensions: [sanOf({ ip: ["198.51.100.1"] })] },
      { cn: "good.test", extensions: [sanOf({ uri: ["bad:x"] })] },
      { cn: "good.test", extensions: [sanOf({ other: [{ oid: "1.2.3", value: "bad" }] })] },
      { cn: "good.test", extensions: [sanOf({ directory: [encodeName(commonName("bad"))] })] },
      { subject: subject(rdn("userId", "bad")) },
      { subject: subject(rdn("serialNumber", "bad")) },
    ];
    const before = await everyRow(a);
    for (const body of bodies) expect([body, (await issue(a, body)).status]).toEqual([body, 400]);
    for (const [i, csr] of csrs.entries())
      expect([i, (await sign(a, csr)).status]).toEqual([i, 400]);
    for (const body of bodies.slice(7))
      expect([body, (await sign(a, { cn: "good.test" }, "sign/web", body)).status]).toEqual([
        body,
        400,
      ]);
    expect(await everyRow(a)).toBe(before);
    expect([
      (await issue(a, good)).status,
      (
        await sign(a, {
          cn: "good.test",
          extensions: [sanOf({ ip: ["192.0.2.1"], uri: ["good:x"] })],
        })
      ).status,
    ]).toEqual([200, 200]);
  });

  it("security row 2: one bad name denies the request: nothing is stored and no serial number is drawn", async () => {
    const drawn: number[] = [];
    const chance = seeded(3);
    const a = await withRole(
      {
        key_type: "ec",
        allow_any_name: false,
        allow_subdomains: true,
        allowed_domains: "good.test",
      },
      { random: (bytes) => (drawn.push(bytes), chance(bytes)) },
    );
    const before = await everyRow(a);
    drawn.length = 0;
    const names = Array.from({ length: 50 }, (_, i) => (i === 37 ? "bad.test" : `h${i}.good.test`));
    expect(outcome(await issue(a, { common_name: "a.good.test", alt_names: names.join() }))).toBe(
      "subject alternate name bad.test not allowed by this role",
    );
    expect((await sign(a, { cn: "a.good.test", extensions: [sanOf({ dns: names })] })).status).toBe(
      400,
    );
    expect(await everyRow(a)).toBe(before);
    // 16 bytes are the id of a reply, 10 would be a serial number
    expect(drawn.filter((bytes) => bytes !== 16)).toEqual([]);
  });

  it("security row 3: names that are no host names are no alternative names, and what is one is taken as it stands or as its A-label", async () => {
    const a = await withRole({
      key_type: "ec",
      cn_validations: "disabled",
      enforce_hostnames: false,
    });
    const taken: Readonly<Record<string, string | undefined>> = {
      ".a.test": undefined,
      "a.test.": "a.test.",
      " a.test": undefined,
      "a.test ": undefined,
      "a.*.test": undefined,
      "*.": undefined,
      "*.*.x": undefined,
      "*": undefined,
      [`${"x".repeat(64)}.test`]: undefined,
      [`${"x.".repeat(127)}y`]: undefined,
      "a..test": undefined,
      "a_b.test": undefined,
      "A.Test": "A.Test",
      "bücher.test": "xn--bcher-kva.test",
      "xn--bcher-kva.test": "xn--bcher-kva.test",
      "\u0430.test": "xn--80a.test",
      "\u202eevil.test": undefined,
      "a\u3002test": undefined,
      "192.0.2.1": undefined,
      "0300.0.2.1": undefined,
      "0x7f.1": undefined,
      "a.0x1": undefined,
      "::1": undefined,
      "a.test:443": undefined,
      "https://a.test": undefined,
    };
    for (const [name, wanted] of Object.entries(taken)) {
      const { names } = readCertificate(
        // longer common names are issued in this dialect
        (
          await a.call(
            "POST",
            "pki/issue/web",
            { common_name: name, alt_names: "cn.test" },
            { compat: true },
          )
        ).data["certificate"],
      );
      expect([name, names?.dns.filter((one) => one !== "cn.test")]).toEqual([
        name,
        wanted === undefined ? [] : [wanted],
      ]);
      const asked = await issue(a, { common_name: "cn.test", alt_names: name });
      const trimmed = name.trim();
      expect([name, asked.status]).toEqual([
        name,
        wanted === undefined && trimmed === name ? 400 : 200,
      ]);
    }
    for (const bad of ["a\0.test", "a.test\n", "a\u007f.test", "\ud800.test"])
      for (const body of [
        { common_name: bad },
        { common_name: "cn.test", alt_names: bad },
        { common_name: "cn.test", serial_number: bad },
      ])
        expect([bad, (await issue(a, body)).status]).toEqual([bad, 400]);
    // more than 64 characters: refused in the documented dialect only (D 1 row 8)
    const long = `${"x".repeat(40)}.${"y".repeat(40)}.test`;
    expect((await issue(a, { common_name: long })).status).toBe(400);
    const csr = await request({ cn: "a.test", extensions: [sanOf({ dns: ["0xC0.0.2.1"] })] });
    expect(
      JSON.stringify((await a.call("POST", "pki/explain/sign-verbatim", { csr })).data),
    ).toContain("an address is no DNS name");
  });

  it("security row 4: in a glob the star is the only metacharacter and takes dots; a star that a template's value brings is none", async () => {
    const entity = { id: "1", name: "*", metadata: { dots: ".*" }, aliases: {}, groups: [] };
    const a = await withRole(
      {},
      { authenticate: async () => ({ id: "t", can: () => true, entity }) },
    );
    const granted = async (allowed_domains: string, name: string) => {
      await write(a, {
        key_type: "ec",
        allow_any_name: false,
        allow_localhost: false,
        allow_glob_domains: true,
        allow_bare_domains: true,
        allowed_domains_template: true,
        allowed_domains,
      });
      return (await issue(a, { common_name: name })).status === 200;
    };
    expect(await granted("*.a.test", "x.y.a.test")).toBe(true);
    for (const pattern of [
      ".*.a.test",
      "?.a.test",
      "[a-z].a.test",
      "(x|y).a.test",
      "x+.a.test",
      "^x.a.test$",
      "\\w.a.test",
      "{x,y}.a.test",
      "x.a.tes.",
    ])
      expect([pattern, await granted(pattern, "x.a.test")]).toEqual([pattern, false]);
    expect(await granted("*.atest", "x.a.test")).toBe(false);
    for (const template of [
      "{{identity.entity.name}}.a.test",
      "x{{identity.entity.metadata.dots}}",
      "{{identity.entity.name}}",
    ])
      expect([template, await granted(template, "x.a.test")]).toEqual([template, false]);
  });

  it("security row 6: no allowed domain is no name, an empty one fits nothing and breaks nothing", async () => {
    const a = await withRole();
    const open = {
      allow_bare_domains: true,
      allow_subdomains: true,
      allow_glob_domains: true,
      allow_localhost: false,
      enforce_hostnames: false,
    };
    for (const allowed_domains of [[], "", [""], ["", ""], null]) {
      await write(a, { key_type: "ec", allow_any_name: false, ...open, allowed_domains });
      for (const name of ["a.test", "test", ".", "a.", "u@a.test", "localhost"]) {
        expect([allowed_domains, name, (await issue(a, { common_name: name })).status]).toEqual([
          allowed_domains,
          name,
          400,
        ]);
        expect((await sign(a, { cn: name })).status).toBe(400);
      }
    }
    await write(a, {
      key_type: "ec",
      allow_any_name: false,
      ...open,
      allowed_domains: ["", "a.test", ""],
    });
    expect([
      (await issue(a, { common_name: "x.a.test" })).status,
      (await issue(a, { common_name: "b.test" })).status,
    ]).toEqual([200, 400]);
  });

  it("security row 9: a leaf that breaks a constraint of any CA above it is refused before it is signed", async () => {
    const drawn: number[] = [];
    const chance = seeded(4);
    const a = await withRole(
      { key_type: "ec", allowed_other_sans: "*", allowed_uri_sans: "*" },
      { random: (bytes) => (drawn.push(bytes), chance(bytes)) },
    );
    const { id } = await a.intermediate({
      permitted_dns_domains: "ok.test",
      excluded_dns_domains: ".no.ok.test",
      excluded_email_addresses: "no.test",
    });
    drawn.length = 0;
    for (const body of [
      { common_name: "b.test" },
      { common_name: "x.no.ok.test" },
      { common_name: "*.ok.test", alt_names: "u@no.test" },
      { common_name: "ok.test", alt_names: "u@no.test." },
      { common_name: "ok.test", other_sans: "1.3.6.1.5.5.7.8.9;UTF8:ü@no.test" },
      { common_name: "evil.test", exclude_cn_from_sans: true, alt_names: "ok.test" },
    ])
      expect([body, (await a.call("POST", `pki/issuer/${id}/issue/web`, body)).status]).toEqual([
        body,
        400,
      ]);
    expect(drawn.filter((bytes) => bytes !== 16)).toEqual([]);
    expect(
      (await a.call("POST", `pki/issuer/${id}/issue/web`, { common_name: "no.ok.test" })).status,
    ).toBe(200);
    const gaps = {
      oid: extensionOid.nameConstraints,
      critical: true,
      value: sequence(tlv(0xa0, sequence(implicit(7, tlv(4, fromHex("c0000200ff00ff00")))))),
    };
    expect(
      (
        await a.call(
          "POST",
          `pki/issuer/${await heldIssuer(a, { extensions: [gaps] })}/issue/web`,
          { common_name: "ok.test" },
        )
      ).status,
    ).toBe(400);
  });
});

describe("what a CSR asks for", () => {
  it("security row 10: a CA is refused by sign-verbatim and not given by sign; sign-intermediate keeps below its signer", async () => {
    const a = await withRole({ basic_constraints_valid_for_non_ca: false });
    const ca = "the CSR asks for a CA certificate, which is not issued here";
    const usage = "the CSR asks for the key usages of a CA, which are not given here";
    for (const [wanted, text] of [
      [extension.basicConstraints(true), ca],
      [extension.basicConstraints(true, 0), ca],
      [extension.keyUsage(["CertSign"]), usage],
      [extension.keyUsage(["DigitalSignature", "CRLSign"]), usage],
      [
        { oid: extensionOid.netscapeCertType, critical: false, value: fromHex("03020007") },
        "the CSR asks for the Netscape certificate type of a CA",
      ],
    ] as const) {
      expect(
        outcome(await sign(a, { cn: "a.test", extensions: [wanted] }, "sign-verbatim")),
      ).toEqual(expect.stringContaining(text));
      const signed = await a.call(
        "POST",
        "pki/sign/web",
        { csr: await request({ cn: "a.test", extensions: [wanted] }) },
        { compat: true },
      );
      const leaf = readCertificate(signed.data["certificate"]);
      expect([
        leaf.basic,
        leaf.usage.filter((one) => one.endsWith("Sign")),
        leaf.order.includes(extensionOid.netscapeCertType),
      ]).toEqual([undefined, [], false]);
      const ignored =
        "specified CSR contained a Basic Constraints extension that was ignored during issuance";
      expect(signed.json["warnings"]).toEqual(text === ca ? [ignored] : null);
    }
    for (const key_usage of ["CertSign", "CRLSign,DigitalSignature"])
      expect(
        readCertificate(
          (await sign(a, { cn: "a.test" }, "sign-verbatim", { key_usage })).data["certificate"],
        ).usage.filter((one) => /^(Cert|CRL)Sign$/.test(one)),
      ).toEqual([]);
    const b = authority();
    await b.root({ max_path_length: 1 });
    for (const use_csr_values of [false, true]) {
      const asked = { cn: "I", extensions: [extension.basicConstraints(true, 5)] };
      expect(
        readCertificate(
          (await sign(b, asked, "root/sign-intermediate", { use_csr_values })).data["certificate"],
        ).basic,
      ).toEqual({
        ca: true,
        pathLength: 0,
      });
      expect(
        outcome(
          await sign(b, asked, "root/sign-intermediate", { use_csr_values, max_path_length: 1 }),
        ),
      ).toBe("max_path_length 1 is not below the signing certificate's, which is 1");
    }
  });

  it("security row 11: sign copies no extension of a CSR but names; the poison of precertificates is copied by nobody, duplicates are refused", async () => {
    const a = await withRole();
    const wanted: readonly extension.Extension[] = [
      ...[
        extension.authorityInfoAccess(["http://evil.test/ocsp"], []),
        extension.crlDistributionPoints(["http://evil.test/crl"]),
      ].filter((one) => one !== undefined),
      { oid: "1.3.6.1.5.5.7.48.1.5", critical: false, value: fromHex("0500") },
      { oid: "1.3.6.1.5.5.7.1.31", critical: true, value: tlv(4, new Uint8Array(32)) },
      { oid: extensionOid.ctPoison, critical: true, value: fromHex("0500") },
      extension.subjectKeyIdentifier(Uint8Array.of(1)),
    ];
    const plain = readCertificate((await sign(a, { cn: "a.test" })).data["certificate"]);
    const signer = extension.authorityKeyIdentifier(Uint8Array.of(2));
    const asked = readCertificate(
      (await sign(a, { cn: "a.test", extensions: [...wanted, signer] })).data["certificate"],
    );
    expect([asked.order, asked.extensions]).toEqual([plain.order, plain.extensions]);
    await a.pki.patchIssuer({ issuer_ref: "root", disable_critical_extension_checks: true });
    for (const [path, body] of [
      ["sign-verbatim", {}],
      ["root/sign-intermediate", { use_csr_values: true }],
    ] as const)
      expect(
        readCertificate(
          (await sign(a, { cn: "a.test", extensions: wanted }, path, body)).data["certificate"],
        ).order,
      ).not.toContain(extensionOid.ctPoison);
    const twice = [extension.extKeyUsage(["1.2.3"]), extension.extKeyUsage(["1.2.4"])];
    for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"])
      expect((await sign(a, { cn: "a.test", extensions: twice }, path)).status).toBe(400);
  });

  it("security row 12: a key usage without a usage, and critical identifiers of keys and addresses, are not taken over", async () => {
    const a = await withRole();
    const rule = (text: string) => `the certificate would break a rule: ${text}`;
    const none = { oid: extensionOid.keyUsage, critical: true, value: fromHex("030100") };
    expect(outcome(await sign(a, { cn: "a.test", extensions: [none] }, "sign-verbatim"))).toBe(
      rule("a key usage has one usage at least (4.2.1.3)"),
    );
    const id = { oid: extensionOid.subjectKeyIdentifier, critical: true, value: fromHex("0401aa") };
    const access = extension.authorityInfoAccess(["http://a.test/ocsp"], []);
    for (const one of [id, { ...id, ...access, critical: true }])
      expect(
        outcome(
          await sign(a, { cn: "a.test", extensions: [one] }, "root/sign-intermediate", {
            use_csr_values: true,
            ttl: "1h",
          }),
        ),
      ).toBe(
        rule("key identifiers and information access are not critical (4.2.1.1, 4.2.1.2, 4.2.2.1)"),
      );
    expect(outcome(await sign(a, { cn: "a.test", extensions: [id] }, "sign-verbatim"))).toContain(
      "are not critical",
    );
  });

  it("security row 12: an extended key usage that is empty, unknown or any has a defined result", async () => {
    const a = await withRole({ server_flag: false, client_flag: false });
    const empty = { oid: extensionOid.extKeyUsage, critical: false, value: fromHex("3000") };
    expect((await sign(a, { cn: "a.test", extensions: [empty] })).status).toBe(200);
    expect(outcome(await sign(a, { cn: "a.test", extensions: [empty] }, "sign-verbatim"))).toBe(
      "the CSR has an extended key usage without a purpose",
    );
    for (const purpose of ["2.5.29.37.0", "1.2.3.4.5"])
      expect(
        readCertificate(
          (
            await sign(
              a,
              { cn: "a.test", extensions: [extension.extKeyUsage([purpose])] },
              "sign-verbatim",
            )
          ).data["certificate"],
        ).purposes,
      ).toEqual([purpose]);
    const below = await heldIssuer(a, { extensions: [empty] });
    expect(
      (
        await sign(a, { cn: "a.test" }, `issuer/${below}/sign-verbatim`, {
          ext_key_usage: "ServerAuth",
        })
      ).status,
    ).toBe(400);
    expect((await sign(a, { cn: "a.test" }, `issuer/${below}/sign-verbatim`)).status).toBe(200);
  });

  it("security row 13: the signature of a CSR is proven for every kind of key", async () => {
    const a = await withRole();
    for (const kind of ["P-256", "P-384", "P-521", "Ed25519", "RSA"] as const) {
      const key = await keyOf(kind);
      const good = await request({ cn: "a.test", key });
      for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"]) {
        expect([
          kind,
          path,
          (await a.call("POST", `pki/${path}`, { csr: good, common_name: "a.test" })).status,
        ]).toEqual([kind, path, 200]);
        const der = derOf(good);
        der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
        const bad = encodePem("CERTIFICATE REQUEST", der);
        expect([
          kind,
          path,
          (await a.call("POST", `pki/${path}`, { csr: bad, common_name: "a.test" })).status,
        ]).toEqual([kind, path, 400]);
      }
    }
    const pss = withFiles({}, (path) =>
      openssl([
        "req",
        "-new",
        "-nodes",
        "-subj",
        "/CN=a.test",
        "-newkey",
        "rsa:2048",
        "-keyout",
        path("key.pem"),
        "-sigopt",
        "rsa_padding_mode:pss",
        "-sigopt",
        "rsa_pss_saltlen:32",
        "-sha256",
      ]),
    );
    expect((await a.call("POST", "pki/sign/web", { csr: pss })).status).toBe(200);
  });

  it("security row 14: RSA keys are of sizes on a list, of the exponent 65537, and no known-weak ones", async () => {
    const a = await withRole();
    const rsa = (modulus: bigint, exponent = 65537): Uint8Array => {
      const hex = modulus.toString(16);
      const key = sequence(integer(fromHex(hex.length % 2 ? `0${hex}` : hex)), integer(exponent));
      return sequence(sequence(oid("1.2.840.113549.1.1.1"), tlv(5)), bitString(key));
    };
    const asked = async (spki: Uint8Array) =>
      outcome(
        await a.call("POST", "pki/sign/web", {
          csr: await rawCsr(await infoWith(encodeName(commonName("a.test")), [], spki)),
        }),
      );
    expect(await asked(rsa((1n << 1023n) + 1n))).toContain("RSA keys < 2048 bits");
    for (const bits of [2049, 2051, 2176 + 64, 8193, 9001])
      expect([bits, await asked(rsa((1n << BigInt(bits - 1)) + 1n))]).toEqual([
        bits,
        `unsupported bit length for RSA key: ${bits}`,
      ]);
    expect(await asked(rsa((1n << 2047n) + 1n, 3))).toContain("exponent must be 65537");
    expect(await asked(rsa(1n << 2047n))).toBe("RSA key: the modulus is even");
    expect(await asked(rsa(3n * ((1n << 2047n) / 3n) + 3n))).toBe(
      "RSA key: the modulus has a small prime factor",
    );
    // moduli of 2048 bits whose two factors are prime; who refuses a key does so before its
    // signature, which is not made with it
    const moduli = JSON.parse(readFileSync("test/vectors/rsa-moduli.json", "utf8")) as Readonly<
      Record<string, string>
    >;
    const verdicts = Object.entries(moduli).map(async ([what, hex]) => [
      what,
      await asked(rsa(BigInt(`0x${hex}`))),
    ]);
    expect(Object.fromEntries(await Promise.all(verdicts))).toEqual({
      "a factor of 1009": "RSA key: the modulus has a small prime factor",
      "a factor of 65521": "RSA key: the modulus has a small prime factor",
      "a factor of 65537": "request signature invalid (ECDSAWithSHA256)",
      ROCA: "RSA key: made by a generator that is known to be weak (ROCA)",
      "primes that follow each other": "RSA key: the two primes are too close together",
      "primes that 100 rounds of Fermat just find":
        "RSA key: the two primes are too close together",
      "primes that 100 rounds of Fermat just miss": "request signature invalid (ECDSAWithSHA256)",
    });
  });

  it("security row 73: a CSR whose subject has a value that is no text is refused: nobody could read the certificate", async () => {
    const a = await withRole();
    const subject = sequence(set(sequence(oid("2.5.4.3"), tlv(4, utf8("a.test")))));
    const csr = await rawCsr(await infoWith(subject, []));
    for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr, common_name: "a.test" }))).toBe(
        "certificate request could not be parsed: the value of 2.5.4.3 in the subject is not a text value",
      );
  });

  it("security row 15: a point is on its named curve, not at infinity, uncompressed", async () => {
    const a = await withRole();
    const { spki } = (await keyOf("P-256")).key;
    const point = spki.slice(-65);
    const ec = (curve: Uint8Array, encoded: Uint8Array): Uint8Array =>
      sequence(sequence(oid("1.2.840.10045.2.1"), curve), bitString(encoded));
    const named = oid("1.2.840.10045.3.1.7");
    const off = point.slice();
    off[64] = (off[64] ?? 0) ^ 1;
    const explicitCurve = sequence(integer(1), sequence(oid("1.2.840.10045.1.1"), integer(23)));
    for (const [what, key] of [
      ["off the curve", ec(named, off)],
      ["at infinity", ec(named, Uint8Array.of(0))],
      ["of zeros", ec(named, concat([Uint8Array.of(4), new Uint8Array(64)]))],
      ["compressed", ec(named, concat([Uint8Array.of(2), point.slice(1, 33)]))],
      ["of another curve", ec(oid("1.3.132.0.34"), point)],
      ["of a curve that is not taken", ec(oid("1.3.132.0.10"), point)],
      ["of explicit parameters", ec(explicitCurve, point)],
    ] as const)
      for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"]) {
        const answer = await a.call("POST", `pki/${path}`, {
          csr: await rawCsr(await infoWith(encodeName(commonName("a.test")), [], key)),
        });
        expect([what, path, answer.status]).toEqual([what, path, 400]);
      }
  });

  it("security row 15: an Ed25519 key whose signatures anybody can make is refused, though they hold", async () => {
    const a = await withRole({ key_type: "any" });
    const identity = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0));
    const key = sequence(sequence(oid("1.3.101.112")), bitString(identity));
    const algorithm = sequence(oid("1.3.101.112"));
    const der = assemble(
      await infoWith(encodeName(commonName("a.test")), [], key),
      algorithm,
      concat([identity, new Uint8Array(32)]),
    );
    const csr = encodePem("CERTIFICATE REQUEST", der);
    for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr }))).toContain(
        "Ed25519 key: a point of small order",
      );
  });

  it("security row 16: no leaf is given for the key of its issuer", async () => {
    const a = await withRole();
    const { csr } = (
      await a.call("POST", "pki/issuers/generate/intermediate/existing", {
        common_name: "a.test",
        key_ref: "default",
      })
    ).data;
    for (const path of ["sign/web", "sign-verbatim"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr }))).toContain(
        "a leaf does not hold its issuer's key",
      );
  });

  it("security row 17: a CSR that is too long, too deep or holds too much is refused soon, for that reason", async () => {
    const a = await withRole();
    const subject = encodeName(commonName("a.test"));
    const many = (count: number, name: (i: number) => string) =>
      san(...Array.from({ length: count }, (_, i) => implicit(2, tlv(0x16, utf8(name(i))))));
    const filled = (tag: number, size: number, byte: number) =>
      tlv(tag, new Uint8Array(size).fill(byte));
    let deep = tlv(5);
    for (let i = 0; i < 10_000; i++) deep = set(deep);
    const purpose = sequence(filled(6, 60_000, 1));
    const tooLong = "certificate request could not be parsed: CSR: larger than 65536 bytes";
    const noOid = "is not an object identifier of 1 to 128 bytes";
    for (const [info, ...texts] of [
      [await infoWith(subject, [many(10_000, (i) => `h${i}.a.test`)]), tooLong, tooLong, tooLong],
      [
        await infoWith(subject, [san(implicit(2, filled(0x16, 1 << 20, 97)))]),
        tooLong,
        tooLong,
        tooLong,
      ],
      [
        await infoWith(subject, [
          { oid: "1.2.3", critical: false, value: filled(6, 1 << 20, 0x81) },
        ]),
        tooLong,
        tooLong,
        tooLong,
      ],
      [
        await infoWith(sequence(set(sequence(oid("2.5.4.3"), filled(12, 1 << 20, 97)))), []),
        tooLong,
        tooLong,
        tooLong,
      ],
      // below that limit
      [
        await infoWith(sequence(deep), []),
        ...Array.from({ length: 3 }, () => "nested deeper than 32 levels"),
      ],
      [
        await infoWith(subject, [
          { oid: extensionOid.extKeyUsage, critical: false, value: sequence(deep) },
        ]),
        undefined,
        "nested deeper than 32 levels",
        "nested deeper than 32 levels",
      ],
      [
        await infoWith(subject, [
          { oid: extensionOid.extKeyUsage, critical: false, value: purpose },
        ]),
        undefined,
        noOid,
        noOid,
      ],
      [await infoWith(subject, [san(tlv(0xa0, filled(6, 60_000, 1)))]), noOid, noOid, noOid],
      [
        await infoWith(subject, [san(implicit(2, filled(0x16, 60_000, 97)))]),
        /^idna: invalid label "a{300}…"$/,
        undefined,
        undefined,
      ],
      [
        await infoWith(subject, [many(7000, (i) => `x${i.toString(36)}`)]),
        "at most 5000 names",
        "at most 5000 names",
        "at most 5000 names",
      ],
    ] as const)
      for (const [i, [path, body]] of (
        [
          ["sign/web", {}],
          ["sign-verbatim", {}],
          ["root/sign-intermediate", { use_csr_values: true }],
        ] as const
      ).entries()) {
        const [csr, text] = [await rawCsr(info), texts[i]];
        if (text)
          await soonRefused(
            () => a.call("POST", `pki/${path}`, { csr, common_name: "a.test", ...body }),
            text,
          );
      }
    await soonRefused(
      () => a.call("POST", "pki/sign/web", { csr: "-----BEGIN X-----\n".repeat(200_000) }),
      "csr contains no data",
    );
  });

  it("security row 17: a body that asks for too much or too long a name is refused soon, for that reason", async () => {
    const a = await withRole({
      key_type: "ec",
      allowed_uri_sans: "*",
      allowed_other_sans: "*",
      require_cn: false,
    });
    const megabyte = 1 << 20;
    for (const [body, text] of [
      [
        { alt_names: Array.from({ length: 10_000 }, (_, i) => `h${i}.a.test`).join() },
        "10000 alternative names were asked for, 5000 at most are taken",
      ],
      [
        { alt_names: "a.test,".repeat(10_000) },
        "10001 alternative names were asked for, 5000 at most are taken",
      ],
      [
        { ip_sans: Array.from({ length: 10_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`) },
        "a certificate has at most 5000 names",
      ],
      [
        { common_name: `${"a".repeat(megabyte)}.test` },
        /^common name a{300}… not allowed by this role$/,
      ],
      [{ alt_names: `a${".".repeat(megabyte)}` }, /^idna: invalid label "a\.{299}…"$/],
      [{ alt_names: `${"a.".repeat(megabyte)}test` }, /^idna: invalid label "(a\.){150}…"$/],
      [{ alt_names: "ü.".repeat(megabyte) }, /^idna: invalid label "(ü\.){150}…"$/],
      [
        { other_sans: `${"1.".repeat(megabyte)}1;UTF8:x` },
        /^could not parse requested other SAN: (1\.){150}…$/,
      ],
      [
        { other_sans: [`1.2${".1".repeat(3_500_000)};utf8:a`] },
        /^could not parse requested other SAN: 1\.2(\.1){148}\.…$/,
      ],
      [{ common_name: "@".repeat(megabyte) }, /^common name @{300}… not allowed by this role$/],
      [{ ip_sans: ":".repeat(megabyte) }, /^the value ":{300}…" is not a valid IP address$/],
      [
        { uri_sans: `x:${"[".repeat(megabyte)}` },
        /^the provided URI Subject Alternative Name "x:\[{298}…" is not a valid URI$/,
      ],
      [
        { alt_names: "a.test", cert_metadata: "?".repeat(megabyte) },
        "metadata must be empty or base64",
      ],
      [{ not_after: "9".repeat(megabyte) }, /^cannot parse "9+/],
      [
        { format: "x".repeat(megabyte) },
        'the "format" path parameter must be "pem", "der", or "pem_bundle"',
      ],
    ] as const)
      await soonRefused(() => issue(a, body), text);
    const long = "x".repeat(megabyte);
    await soonRefused(
      async () =>
        a.call("POST", "pki/sign-verbatim", {
          csr: await request({ cn: "a.test" }),
          issuer_ref: long,
        }),
      /reference: x{80,300}/,
    );
    await soonRefused(
      () => a.call("POST", "pki/config/urls", { ocsp_servers: long }),
      "invalid URL found in Authority Information Access",
    );
  });

  it("security row 18: no certificate is longer than 64 KiB, whatever makes it long", async () => {
    const a = await withRole({ key_type: "ec", organization: "x".repeat(70_000) });
    expect(outcome(await issue(a, { common_name: "a.test" }))).toMatch(
      /^the certificate would have \d+ bytes, more than 65536$/,
    );
    expect(outcome(await sign(a, { cn: "a.test" }))).toMatch(/more than 65536$/);
    const dry = await a.call("POST", "pki/explain/issue/web", { common_name: "a.test" });
    expect(dry.data).toMatchObject({
      would_issue: false,
      refusal: expect.stringMatching(/more than 65536$/),
    });
    expect(
      outcome(
        await a.call("POST", "pki/root/sign-intermediate", {
          csr: await request({ cn: "I" }),
          organization: "x".repeat(70_000),
        }),
      ),
    ).toMatch(/more than 65536$/);
  });
});

describe("the shape of a certificate", () => {
  it("security row 71: a serial number is of 20 octets, positive, without a zero before it, never given twice", async () => {
    const a = await withRole({ key_type: "ec" });
    const seen = new Set<string>();
    for (let i = 0; i < 300; i++) {
      const { data } = await issue(a, { common_name: "a.test" });
      const { serial } = readCertificate(data["certificate"]);
      expect([serial.length, (serial[0] ?? 0) > 0, (serial[0] ?? 0) < 0x80]).toEqual([
        20,
        true,
        true,
      ]);
      seen.add(String(data["serial_number"]));
    }
    expect(seen.size).toBe(300);
    // chance that repeats itself is found out by the store
    const stuck = await withRole(
      { key_type: "ec" },
      { random: (bytes) => new Uint8Array(bytes).fill(0x55) },
    );
    expect((await issue(stuck, { common_name: "a.test" })).status).toBe(503);
    expect((await stuck.pki.listCerts({})).keys).toHaveLength(1);
  });

  it("security row 72: times are UTCTime through 2049 and GeneralizedTime from then on, to the second, in UTC", async () => {
    const a = authority();
    await a.root({ ttl: undefined, not_after: "9999-12-31T23:59:59Z" });
    await write(a, { key_type: "ec", ttl: 0 });
    for (const [not_after, encoded] of [
      ["2049-12-31T23:59:59Z", "\x17\x0d491231235959Z"],
      ["2050-01-01T00:00:00Z", "\x18\x0f20500101000000Z"],
      ["2050-01-01T01:00:00+01:00", "\x18\x0f20500101000000Z"],
      ["2040-06-01T00:00:00.999Z", "\x17\x0d400601000000Z"],
      ["9999-12-31T23:59:59Z", "\x18\x0f99991231235959Z"],
    ] as const) {
      const der = derOf((await issue(a, { common_name: "a.test", not_after })).data["certificate"]);
      expect([not_after, shown(der)]).toEqual([
        not_after,
        expect.stringContaining(`\x17\x0d300102030335Z${encoded}`),
      ]);
    }
    expect(
      (await issue(a, { common_name: "a.test", not_after: "+10000-01-01T00:00:00Z" })).status,
    ).toBe(400);
  });

  it("security row 73: a CSR whose DER is not canonical is refused, what is signed encodes again to the same bytes", async () => {
    const a = await withRole();
    const subject = encodeName(commonName("a.test"));
    const csrOf = async (value: Uint8Array, critical?: Uint8Array) => {
      const one = sequence(oid("2.5.29.19"), ...(critical ? [critical] : []), tlv(4, value));
      const info = sequence(
        integer(0),
        subject,
        (await keyOf("P-256")).key.spki,
        tlv(0xa0, sequence(oid("1.2.840.113549.1.9.14"), set(sequence(one)))),
      );
      return rawCsr(info);
    };
    const refused = async (csr: string) =>
      expect((await a.call("POST", "pki/sign-verbatim", { csr })).status).toBe(400);
    await refused(await csrOf(fromHex("3000"), fromHex("010101"))); // TRUE that is not FF
    await refused(await csrOf(fromHex("3000"), fromHex("010100"))); // FALSE that DER leaves out
    await refused(await csrOf(fromHex("308100"))); // a length in more bytes than it needs
    await refused(await csrOf(fromHex("300000"))); // something behind
    await refused(await csrOf(fromHex("30800000"))); // no length at all
    const der = derOf(await request({ cn: "a.test" }));
    await refused(encodePem("CERTIFICATE REQUEST", concat([der, Uint8Array.of(0)])));
    const csr = await request({
      cn: "a.test",
      extensions: [extension.keyUsage(["DigitalSignature", "KeyAgreement", "DecipherOnly"])],
    });
    const { data } = await a.call("POST", "pki/sign-verbatim", { csr });
    expect(
      Buffer.from(openssl(["x509", "-outform", "PEM"], String(data["certificate"]))).toString(),
    ).toContain(String(data["certificate"]).split("\n")[1]);
    expect(valueOf(readCertificate(data["certificate"]), extensionOid.keyUsage)).toEqual(
      fromHex("0303078880"),
    );
  });

  it("security row 74: names are of the string types that fit, the issuer's bytes are the CA's, old string types are read", async () => {
    const a = await withRole({
      key_type: "any",
      country: "DE",
      organization: ["B & C", "A"],
      allowed_domains: "x",
    });
    const old = (tag: number, bytes: Uint8Array): Uint8Array =>
      sequence(set(sequence(oid("2.5.4.3"), tlv(tag, bytes))));
    for (const subject of [
      old(0x1e, Uint8Array.of(0, 97, 0, 46, 0, 116)), // BMPString
      old(0x1c, Uint8Array.of(0, 0, 0, 97, 0, 0, 0, 46, 0, 0, 0, 116)), // UniversalString
      old(0x14, utf8("a.t")), // TeletexString
      old(0x16, utf8("a.t")), // IA5String
    ]) {
      const { data } = await a.call("POST", "pki/sign/web", {
        csr: await rawCsr(await infoWith(subject, [])),
      });
      expect(readCertificate(data["certificate"]).text.subject).toBe("CN=a.t,O=A+O=B & C,C=DE");
      // verbatim keeps the bytes
      expect(
        readCertificate(
          (
            await a.call("POST", "pki/sign-verbatim", {
              csr: await rawCsr(await infoWith(subject, [])),
            })
          ).data["certificate"],
        ).subject,
      ).toEqual(subject);
    }
    // a CA whose name is not written as this project would write it
    const odd = await heldIssuer(a, {
      subject: [[{ oid: "2.5.4.3", value: "Held" }]],
      issuer: "Outside",
    });
    const ca = readCertificate((await a.pki.readIssuer({ issuer_ref: odd })).certificate);
    expect(
      readCertificate(
        (await sign(a, { cn: "a.test" }, `issuer/${odd}/sign/web`)).data["certificate"],
      ).issuer,
    ).toEqual(ca.subject);
  });

  it("security row 75: key identifiers match along the chain, and the algorithm stands inside as outside", async () => {
    for (const key of [
      { key_type: "ec" },
      { key_type: "rsa", use_pss: true },
      { key_type: "rsa" },
      { key_type: "ed25519" },
    ] as const) {
      const a = authority();
      await a.root(key);
      const between = await a.intermediate({ use_pss: "use_pss" in key });
      await write(a, { key_type: "ec", issuer_ref: between.id, use_pss: "use_pss" in key });
      const { data } = await issue(a, { common_name: "a.test" });
      const chain = [data["certificate"], ...(data["ca_chain"] as readonly string[])].map(
        readCertificate,
      );
      for (const [i, one] of chain.entries()) {
        const parent = chain[i + 1] ?? one;
        expect(
          readAuthorityKeyIdentifier(valueOf(one, extensionOid.authorityKeyIdentifier)),
        ).toEqual(readSubjectKeyIdentifier(valueOf(parent, extensionOid.subjectKeyIdentifier)));
        // RSA has NULL parameters, the others none: RFC 4055, 5758, 8410
        const hex = Buffer.from(one.algorithm).toString("hex");
        expect(shown(one.tbs).split(shown(one.algorithm))).toHaveLength(
          parent === one && key.key_type === "ed25519" ? 3 : 2,
        );
        expect(hex.endsWith("0500") || !hex.includes("2a864886f70d0101") || "use_pss" in key).toBe(
          true,
        );
      }
    }
  });

  it("security row 76: a chain of cross-signed CAs has every one once, and two issuers of one name are not confused", async () => {
    const a = authority();
    await a.root({ common_name: "One", issuer_name: "one" });
    await a.root({ common_name: "Two", issuer_name: "two" });
    const certificate = async (ref: string) =>
      (await a.pki.readIssuer({ issuer_ref: ref })).certificate;
    const [oneByTwo, twoByOne] = [
      (await a.pki.signSelfIssued({ certificate: await certificate("one"), issuer_ref: "two" }))
        .certificate,
      (await a.pki.signSelfIssued({ certificate: await certificate("two"), issuer_ref: "one" }))
        .certificate,
    ];
    for (const cross of [oneByTwo, twoByOne]) await a.pki.setSigned({ certificate: cross });
    await a.root({ common_name: "One", issuer_name: "other-one" });
    await write(a, { key_type: "ec" });
    for (const ref of ["one", "two", "other-one"]) {
      const { data } = await a.call("POST", `pki/issuer/${ref}/issue/web`, {
        common_name: "a.test",
      });
      const chain = data["ca_chain"] as readonly string[];
      expect([ref, new Set(chain).size, chain[0]]).toEqual([
        ref,
        chain.length,
        (await certificate(ref)).trim(),
      ]);
      expect(verified(data["certificate"], { root: await certificate(ref), at: start })).toContain(
        "OK",
      );
    }
    expect(
      (
        (await a.call("POST", "pki/issuer/other-one/issue/web", { common_name: "a.test" })).data[
          "ca_chain"
        ] as unknown[]
      ).length,
    ).toBe(1);
  });

  it("security row 77: a chain is followed once however it leads back, and constraints of any length are judged in time", async () => {
    const a = await withRole({ key_type: "ec" });
    await a.pki.setSigned({ certificate: await crafted({ subject: "Outside", issuer: "Held" }) });
    const cycle = await heldIssuer(a, {});
    expect(
      (await a.call("POST", `pki/issuer/${cycle}/issue/web`, { common_name: "a.test" })).status,
    ).toBe(200);
    const many = extension.nameConstraints({
      permitted: { dns: Array.from({ length: 1500 }, (_, i) => `d${i}.test`) },
      excluded: { dns: Array.from({ length: 1500 }, (_, i) => `x.d${i}.test`) },
    });
    const wide = await heldIssuer(a, { subject: "Wide", extensions: [many] });
    const begun = threadTime();
    const names = Array.from({ length: 1000 }, (_, i) => `h.d${i}.test`).join();
    expect(
      (
        await a.call("POST", `pki/issuer/${wide}/issue/web`, {
          common_name: "h.d0.test",
          alt_names: names,
        })
      ).status,
    ).toBe(200);
    const over = await a.call("POST", `pki/issuer/${wide}/issue/web`, {
      common_name: "h.d0.test",
      alt_names: `${names},x.d7.test`,
    });
    expect(outcome(over)).toContain("the name x.d7.test is excluded by x.d7.test");
    expect(threadTime() - begun).toBeLessThan(4000);
  });

  it("security row 78: keys that are encrypted are not taken, whatever form, password and cost they have, and no work is spent on them", async () => {
    const a = authority();
    const made = (step: readonly string[]): string =>
      withFiles({}, (path) => {
        openssl(["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", path("k.pem")]);
        return openssl(step.map((word) => (word === "k.pem" ? path(word) : word)));
      });
    const pkcs8 = (...more: readonly string[]) =>
      made(["pkcs8", "-topk8", "-in", "k.pem", ...more]);
    /** An EncryptedPrivateKeyInfo under PBES2 with this derivation of its key. */
    const costly = (derivation: Uint8Array) => {
      const cipher = sequence(oid("2.16.840.1.101.3.4.1.42"), tlv(4, new Uint8Array(16)));
      const der = sequence(
        sequence(oid("1.2.840.113549.1.5.13"), sequence(derivation, cipher)),
        tlv(4, new Uint8Array(160)),
      );
      return encodePem("ENCRYPTED PRIVATE KEY", der);
    };
    const salt = tlv(4, new Uint8Array(16));
    const strong = pkcs8("-v2", "aes-256-cbc", "-iter", "2048", "-passout", "pass:secret");
    const encrypted = /^(Error parsing key 0: )?encrypted private keys are not accepted$/;
    for (const [what, pem_bundle, text] of [
      ["PBES2", strong, encrypted],
      [
        "PBES2 with SHA-512",
        pkcs8(
          "-v2",
          "aes-128-cbc",
          "-v2prf",
          "hmacWithSHA512",
          "-iter",
          "2048",
          "-passout",
          "pass:secret",
        ),
        encrypted,
      ],
      ["scrypt", pkcs8("-scrypt", "-scrypt_N", "16", "-passout", "pass:secret"), encrypted],
      ["PBES1", pkcs8("-v1", "PBE-SHA1-3DES", "-passout", "pass:secret"), encrypted],
      ["an empty password", pkcs8("-v2", "aes-256-cbc", "-passout", "pass:"), encrypted],
      [
        "a password beyond ASCII",
        pkcs8("-v2", "aes-256-cbc", "-passout", "pass:pässwörd😀"),
        encrypted,
      ],
      [
        "PBKDF2 of two thousand million rounds",
        costly(sequence(oid("1.2.840.113549.1.5.12"), sequence(salt, integer(2 ** 31 - 1)))),
        encrypted,
      ],
      [
        "scrypt of a terabyte",
        costly(
          sequence(
            oid("1.3.6.1.4.1.11591.4.11"),
            sequence(salt, integer(2 ** 30), integer(1024), integer(1)),
          ),
        ),
        encrypted,
      ],
      [
        "another label",
        strong.replaceAll("ENCRYPTED PRIVATE KEY", "PRIVATE KEY"),
        /the version has tag 0x30 instead of 0x2/,
      ],
      [
        "the label of a certificate",
        strong.replaceAll("ENCRYPTED PRIVATE KEY", "CERTIFICATE"),
        /certificate/i,
      ],
      [
        "RFC 1421",
        made(["ec", "-in", "k.pem", "-aes128", "-passout", "pass:abcd"]),
        /is encrypted$/,
      ],
      [
        "RFC 1421 with 3DES",
        made(["ec", "-in", "k.pem", "-des3", "-passout", "pass:abcd"]),
        /is encrypted$/,
      ],
    ] as const)
      for (const path of ["keys/import", "issuers/import/bundle", "config/ca"]) {
        await soonRefused(() => a.call("POST", `pki/${path}`, { pem_bundle }), text);
        expect([
          what,
          path,
          (await a.call("LIST", "pki/keys")).status,
          (await a.call("LIST", "pki/issuers")).status,
        ]).toEqual([what, path, 404, 404]);
      }
  });

  it("security row 78: a PKCS#12 archive is no PEM bundle, whatever its label and password", async () => {
    const a = authority();
    for (const password of ["", "secret", "pässwörd"]) {
      const der = withFiles({}, (path) => {
        openssl([
          "req",
          "-x509",
          "-nodes",
          "-newkey",
          "ec",
          "-pkeyopt",
          "ec_paramgen_curve:P-256",
          "-subj",
          "/CN=k",
          "-keyout",
          path("k.pem"),
          "-out",
          path("c.pem"),
        ]);
        return opensslBytes([
          "pkcs12",
          "-export",
          "-inkey",
          path("k.pem"),
          "-in",
          path("c.pem"),
          "-passout",
          `pass:${password}`,
        ]);
      });
      for (const [label, text] of [
        [
          "PKCS12",
          /a PEM block of "PKCS12" is not a private key|PrivateKeyInfo: the key has tag 0x30 instead of 0x4/,
        ],
        ["PRIVATE KEY", "PrivateKeyInfo: the key has tag 0x30 instead of 0x4"],
        [
          "ENCRYPTED PRIVATE KEY",
          /encrypted private keys are not accepted|PrivateKeyInfo: the key has tag 0x30 instead of 0x4/,
        ],
        ["CERTIFICATE", /certificate|PrivateKeyInfo: the key has tag 0x30 instead of 0x4/i],
      ] as const)
        for (const path of ["keys/import", "issuers/import/bundle", "config/ca"])
          await soonRefused(
            () => a.call("POST", `pki/${path}`, { pem_bundle: encodePem(label, der) }),
            text,
          );
      await soonRefused(
        () =>
          a.call("POST", "pki/keys/import", { pem_bundle: Buffer.from(der).toString("base64") }),
        "no private key in the PEM text",
      );
    }
    expect([
      (await a.call("LIST", "pki/keys")).status,
      (await a.call("LIST", "pki/issuers")).status,
    ]).toEqual([404, 404]);
  });

  it("security row 79: PEM is read with any line ends, text around, headers inside, and several blocks", async () => {
    const a = await withRole();
    const csr = await request({ cn: "a.test" });
    for (const [what, text] of [
      ["CRLF", csr.replaceAll("\n", "\r\n")],
      ["CR", csr.replaceAll("\n", "\r")],
      ["no newline at the end", csr.trimEnd()],
      ["text before and behind", `Subject: x\n${csr}\nmore`],
      ["a header inside", csr.replace("-----\n", "-----\nComment: x\n\n")],
      [
        "a second block",
        `${csr}\n-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----`,
      ],
      ["NUL behind", `${csr}\n\0`],
    ] as const)
      expect([what, (await a.call("POST", "pki/sign/web", { csr: text })).status]).toEqual([
        what,
        200,
      ]);
    for (const [what, text] of [
      ["NUL inside", csr.replace("\n", "\n\0")],
      ["no END", csr.split("\n").slice(0, -1).join("\n")],
      ["another END", csr.replace("END CERTIFICATE REQUEST", "END CERTIFICATE")],
      ["no base64", "-----BEGIN X-----\n*\n-----END X-----"],
    ] as const)
      expect([what, (await a.call("POST", "pki/sign/web", { csr: text })).status]).toEqual([
        what,
        400,
      ]);
  });

  it("security row 80: a signature is encoded the one way that DER has, and holds for others", async () => {
    for (const key of [
      { key_type: "ec", key_bits: 256 },
      { key_type: "ec", key_bits: 521 },
      { key_type: "ec", key_bits: 224 },
    ] as const) {
      const a = authority();
      const root = await a.root(key);
      await write(a, { key_type: "ed25519" });
      const lengths = new Set<number>();
      for (let i = 0; i < 60; i++) {
        const { data } = await issue(a, { common_name: "a.test" });
        const { signature } = readCertificate(data["certificate"]);
        lengths.add(signature.length);
        const parts = readDer(signature, "the signature").enter("r and s");
        for (const name of ["r", "s"]) {
          const { content } = parts.element(name, 2);
          expect([
            name,
            (content[0] ?? 0x80) < 0x80,
            content[0] !== 0 || (content[1] ?? 0) >= 0x80,
          ]).toEqual([name, true, true]);
        }
        parts.end();
        if (key.key_bits !== 224)
          expect(
            new NodeCertificate(String(data["certificate"])).verify(
              new NodeCertificate(root.certificate).publicKey,
            ),
          ).toBe(true);
      }
      // numbers with the high bit set, and shorter ones, are among them
      expect(lengths.size).toBeGreaterThan(1);
    }
  });
});
