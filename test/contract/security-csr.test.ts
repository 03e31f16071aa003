import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { concat, fromHex, utf8 } from "../../src/base/bytes.ts";
import { bitString, integer, oid, sequence, set, tlv } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { assembleSigned } from "../../src/x509/certificate.ts";
import * as extension from "../x509/extensions.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority } from "../support/authority.ts";
import { commonName, openssl, withFiles } from "../x509/fixture.ts";
import { heldIssuer } from "../pki/crafted.ts";
import { derOf, keyOf, readCertificate, request } from "../pki/reading.ts";
import {
  outcome,
  authorityWithRole,
  sign,
  issue,
  expectQuickRefusal,
  signedCsr,
  csrInfo,
  san,
} from "./security.ts";

describe("CSR contents", () => {
  it("security row 10: sign-verbatim rejects a CA, sign ignores it, and sign-intermediate stays below the signer's path length", async () => {
    const a = await authorityWithRole({ basic_constraints_valid_for_non_ca: false });
    const ca = "the CSR requests a CA certificate, which this endpoint does not issue";
    const usage = "the CSR requests the key usages of a CA, which this endpoint does not grant";
    for (const [wanted, text] of [
      [extension.basicConstraints(true), ca],
      [extension.basicConstraints(true, 0), ca],
      [extension.keyUsage(["CertSign"]), usage],
      [extension.keyUsage(["DigitalSignature", "CRLSign"]), usage],
      [
        { oid: extensionOid.netscapeCertType, critical: false, value: fromHex("03020007") },
        "the CSR requests the Netscape certificate type of a CA",
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
      ).toBe("max_path_length 1 must be less than that of the signing certificate, which is 1");
    }
  });

  it("security row 11: sign copies no extension but SANs; the CT poison is never copied, and duplicates are rejected", async () => {
    const a = await authorityWithRole();
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

  it("security row 12: a key usage without bits, and critical key identifiers and AIA, are rejected", async () => {
    const a = await authorityWithRole();
    const rule = (text: string) => `the certificate would violate a rule: ${text}`;
    const none = { oid: extensionOid.keyUsage, critical: true, value: fromHex("030100") };
    expect(outcome(await sign(a, { cn: "a.test", extensions: [none] }, "sign-verbatim"))).toBe(
      rule("a key usage extension must have at least one bit set (4.2.1.3)"),
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
        rule(
          "key identifiers and authority information access must not be critical (4.2.1.1, 4.2.1.2, 4.2.2.1)",
        ),
      );
    expect(outcome(await sign(a, { cn: "a.test", extensions: [id] }, "sign-verbatim"))).toContain(
      "key identifiers and authority information access must not be critical",
    );
  });

  it("security row 12: an empty extended key usage is ignored or rejected; unknown purposes and anyExtendedKeyUsage are copied", async () => {
    const a = await authorityWithRole({ server_flag: false, client_flag: false });
    const empty = { oid: extensionOid.extKeyUsage, critical: false, value: fromHex("3000") };
    expect((await sign(a, { cn: "a.test", extensions: [empty] })).status).toBe(200);
    expect(outcome(await sign(a, { cn: "a.test", extensions: [empty] }, "sign-verbatim"))).toBe(
      "the CSR has an empty extended key usage extension",
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

  it("security row 13: the signature of a CSR is verified for every key type", async () => {
    const a = await authorityWithRole();
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

  it("security row 14: RSA keys must have a listed size, the exponent 65537 and no known weakness", async () => {
    const a = await authorityWithRole();
    const rsa = (modulus: bigint, exponent = 65537): Uint8Array => {
      const hex = modulus.toString(16);
      const key = sequence(integer(fromHex(hex.length % 2 ? `0${hex}` : hex)), integer(exponent));
      return sequence(sequence(oid("1.2.840.113549.1.1.1"), tlv(5)), bitString(key));
    };
    const asked = async (spki: Uint8Array) =>
      outcome(
        await a.call("POST", "pki/sign/web", {
          csr: await signedCsr(await csrInfo(encodeName(commonName("a.test")), [], spki)),
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
    // 2048-bit moduli with two prime factors; a weak key is rejected before its signature, which is
    // by another key
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
      ROCA: "RSA key: the modulus is from a generator with a known weakness (ROCA)",
      "primes that follow each other": "RSA key: the two primes are too close together",
      "primes that 100 rounds of Fermat just find":
        "RSA key: the two primes are too close together",
      "primes that 100 rounds of Fermat just miss": "request signature invalid (ECDSAWithSHA256)",
    });
  });

  it("security row 73: a CSR whose subject has a value that is not text is rejected", async () => {
    const a = await authorityWithRole();
    const subject = sequence(set(sequence(oid("2.5.4.3"), tlv(4, utf8("a.test")))));
    const csr = await signedCsr(await csrInfo(subject, []));
    for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr, common_name: "a.test" }))).toBe(
        "certificate request could not be parsed: the value of 2.5.4.3 in the subject is not a string",
      );
  });

  it("security row 15: an EC point must be on its named curve, not at infinity, and uncompressed", async () => {
    const a = await authorityWithRole();
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
          csr: await signedCsr(await csrInfo(encodeName(commonName("a.test")), [], key)),
        });
        expect([what, path, answer.status]).toEqual([what, path, 400]);
      }
  });

  it("security row 15: an Ed25519 key of small order is rejected, although its signatures are valid", async () => {
    const a = await authorityWithRole({ key_type: "any" });
    const identity = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0));
    const key = sequence(sequence(oid("1.3.101.112")), bitString(identity));
    const algorithm = sequence(oid("1.3.101.112"));
    const der = assembleSigned(
      await csrInfo(encodeName(commonName("a.test")), [], key),
      algorithm,
      concat([identity, new Uint8Array(32)]),
    );
    const csr = encodePem("CERTIFICATE REQUEST", der);
    for (const path of ["sign/web", "sign-verbatim", "root/sign-intermediate"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr }))).toContain(
        "Ed25519 key: the point has small order",
      );
  });

  it("security row 16: no leaf is issued for the key of its issuer", async () => {
    const a = await authorityWithRole();
    const { csr } = (
      await a.call("POST", "pki/issuers/generate/intermediate/existing", {
        common_name: "a.test",
        key_ref: "default",
      })
    ).data;
    for (const path of ["sign/web", "sign-verbatim"])
      expect(outcome(await a.call("POST", `pki/${path}`, { csr }))).toContain(
        "a leaf must not have the key of its issuer",
      );
  });

  it("security row 17: a CSR that is too long, too deep or has too many names is rejected quickly, with the reason", async () => {
    const a = await authorityWithRole();
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
      [await csrInfo(subject, [many(10_000, (i) => `h${i}.a.test`)]), tooLong, tooLong, tooLong],
      [
        await csrInfo(subject, [san(implicit(2, filled(0x16, 1 << 20, 97)))]),
        tooLong,
        tooLong,
        tooLong,
      ],
      [
        await csrInfo(subject, [
          { oid: "1.2.3", critical: false, value: filled(6, 1 << 20, 0x81) },
        ]),
        tooLong,
        tooLong,
        tooLong,
      ],
      [
        await csrInfo(sequence(set(sequence(oid("2.5.4.3"), filled(12, 1 << 20, 97)))), []),
        tooLong,
        tooLong,
        tooLong,
      ],
      // shorter than that limit
      [
        await csrInfo(sequence(deep), []),
        ...Array.from({ length: 3 }, () => "nested deeper than 32 levels"),
      ],
      [
        await csrInfo(subject, [
          { oid: extensionOid.extKeyUsage, critical: false, value: sequence(deep) },
        ]),
        undefined,
        "nested deeper than 32 levels",
        "nested deeper than 32 levels",
      ],
      [
        await csrInfo(subject, [
          { oid: extensionOid.extKeyUsage, critical: false, value: purpose },
        ]),
        undefined,
        noOid,
        noOid,
      ],
      [await csrInfo(subject, [san(tlv(0xa0, filled(6, 60_000, 1)))]), noOid, noOid, noOid],
      [
        await csrInfo(subject, [san(implicit(2, filled(0x16, 60_000, 97)))]),
        /^idna: invalid label "a{300}…"$/,
        undefined,
        undefined,
      ],
      [
        await csrInfo(subject, [many(7000, (i) => `x${i.toString(36)}`)]),
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
        const [csr, text] = [await signedCsr(info), texts[i]];
        if (text)
          await expectQuickRefusal(
            () => a.call("POST", `pki/${path}`, { csr, common_name: "a.test", ...body }),
            text,
          );
      }
    await expectQuickRefusal(
      () => a.call("POST", "pki/sign/web", { csr: "-----BEGIN X-----\n".repeat(200_000) }),
      "csr contains no data",
    );
  });

  it("security row 17: a body with too many or too long names is rejected quickly, with the reason", async () => {
    const a = await authorityWithRole({
      key_type: "ec",
      allowed_uri_sans: "*",
      allowed_other_sans: "*",
      require_cn: false,
    });
    const megabyte = 1 << 20;
    for (const [body, text] of [
      [
        { alt_names: Array.from({ length: 10_000 }, (_, i) => `h${i}.a.test`).join() },
        "10000 alternative names were requested; at most 5000 are allowed",
      ],
      [
        { alt_names: "a.test,".repeat(10_000) },
        "10001 alternative names were requested; at most 5000 are allowed",
      ],
      [
        { ip_sans: Array.from({ length: 10_000 }, (_, i) => `10.0.${i >> 8}.${i & 255}`) },
        "a certificate may have at most 5000 names",
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
      await expectQuickRefusal(() => issue(a, body), text);
    const long = "x".repeat(megabyte);
    await expectQuickRefusal(
      async () =>
        a.call("POST", "pki/sign-verbatim", {
          csr: await request({ cn: "a.test" }),
          issuer_ref: long,
        }),
      /reference: x{80,300}/,
    );
    await expectQuickRefusal(
      () => a.call("POST", "pki/config/urls", { ocsp_servers: long }),
      "invalid URL found in Authority Information Access",
    );
  });

  it("security row 18: no certificate exceeds 64 KiB, whatever makes it long", async () => {
    const a = await authorityWithRole({ key_type: "ec", organization: "x".repeat(70_000) });
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
