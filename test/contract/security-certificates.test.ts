import { X509Certificate as NodeCertificate } from "node:crypto";
import { describe, expect, it } from "vitest";
import { concat, fromHex, utf8 } from "../../src/base/bytes.ts";
import { integer, oid, readDer, sequence, set, tlv } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import {
  readAuthorityKeyIdentifier,
  readSubjectKeyIdentifier,
} from "../../src/x509/key-identifiers.ts";
import * as extension from "../x509/extensions.ts";
import { encodeName } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { authority, start } from "../support/authority.ts";
import { threadTime } from "../support/spent.ts";
import { commonName, openssl, opensslBytes, withFiles } from "../x509/fixture.ts";
import { crafted, heldIssuer } from "../pki/crafted.ts";
import {
  derOf,
  keyOf,
  readCertificate,
  request,
  shown,
  valueOf,
  verified,
} from "../pki/reading.ts";
import {
  outcome,
  authorityWithRole,
  writeRole,
  sign,
  issue,
  expectQuickRefusal,
  signedCsr,
  csrInfo,
} from "./security.ts";

describe("encoding of certificates", () => {
  it("security row 71: serial numbers have 20 octets, are positive without leading zeros, and are never reused", async () => {
    const a = await authorityWithRole({ key_type: "ec" });
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
    // the store detects a random generator that repeats itself
    const stuck = await authorityWithRole(
      { key_type: "ec" },
      { random: (bytes) => new Uint8Array(bytes).fill(0x55) },
    );
    // with partitions, the first may differ from the root in the reserved digit
    const first = await issue(stuck, { common_name: "a.test" });
    expect((await issue(stuck, { common_name: "a.test" })).status).toBe(503);
    const { uuid } = await stuck.sys.readMount({ path: "pki" });
    expect(first.status).toBe(stuck.stores(uuid).placement ? 200 : 503);
    expect((await stuck.pki.listCerts({})).keys).toHaveLength(first.status === 200 ? 2 : 1);
  });

  it("security row 72: times are UTCTime through 2049 and GeneralizedTime afterwards, in UTC without fractions", async () => {
    const a = authority();
    await a.root({ ttl: undefined, not_after: "9999-12-31T23:59:59Z" });
    await writeRole(a, { key_type: "ec", ttl: 0 });
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

  it("security row 73: a CSR that is not in DER is rejected, and signed extensions keep their bytes", async () => {
    const a = await authorityWithRole();
    const subject = encodeName(commonName("a.test"));
    const csrOf = async (value: Uint8Array, critical?: Uint8Array) => {
      const one = sequence(oid("2.5.29.19"), ...(critical ? [critical] : []), tlv(4, value));
      const info = sequence(
        integer(0),
        subject,
        (await keyOf("P-256")).key.spki,
        tlv(0xa0, sequence(oid("1.2.840.113549.1.9.14"), set(sequence(one)))),
      );
      return signedCsr(info);
    };
    const refused = async (csr: string) =>
      expect((await a.call("POST", "pki/sign-verbatim", { csr })).status).toBe(400);
    await refused(await csrOf(fromHex("3000"), fromHex("010101"))); // TRUE other than FF
    await refused(await csrOf(fromHex("3000"), fromHex("010100"))); // FALSE, which DER omits
    await refused(await csrOf(fromHex("308100"))); // a length in more bytes than needed
    await refused(await csrOf(fromHex("300000"))); // trailing bytes
    await refused(await csrOf(fromHex("30800000"))); // indefinite length
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

  it("security row 74: names have suitable string types, the issuer's name is copied unchanged, and old string types are parsed", async () => {
    const a = await authorityWithRole({
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
        csr: await signedCsr(await csrInfo(subject, [])),
      });
      expect(readCertificate(data["certificate"]).text.subject).toBe("CN=a.t,O=A+O=B & C,C=DE");
      // sign-verbatim keeps the bytes
      expect(
        readCertificate(
          (
            await a.call("POST", "pki/sign-verbatim", {
              csr: await signedCsr(await csrInfo(subject, [])),
            })
          ).data["certificate"],
        ).subject,
      ).toEqual(subject);
    }
    // a CA whose name is encoded differently from this project's
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

  it("security row 75: key identifiers match along the chain, and both algorithm fields are equal", async () => {
    for (const key of [
      { key_type: "ec" },
      { key_type: "rsa", use_pss: true },
      { key_type: "rsa" },
      { key_type: "ed25519" },
    ] as const) {
      const a = authority();
      await a.root(key);
      const between = await a.intermediate({ use_pss: "use_pss" in key });
      await writeRole(a, { key_type: "ec", issuer_ref: between.id, use_pss: "use_pss" in key });
      const { data } = await issue(a, { common_name: "a.test" });
      const chain = [data["certificate"], ...(data["ca_chain"] as readonly string[])].map(
        readCertificate,
      );
      for (const [i, one] of chain.entries()) {
        const parent = chain[i + 1] ?? one;
        expect(
          readAuthorityKeyIdentifier(valueOf(one, extensionOid.authorityKeyIdentifier)),
        ).toEqual(readSubjectKeyIdentifier(valueOf(parent, extensionOid.subjectKeyIdentifier)));
        // RSA has NULL parameters, others have none: RFC 4055, 5758, 8410
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

  it("security row 76: a chain of cross-signed CAs contains each once, and issuers with the same name are not confused", async () => {
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
    await writeRole(a, { key_type: "ec" });
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

  it("security row 77: a cyclic chain is followed once, and constraints are checked in bounded time", async () => {
    const a = await authorityWithRole({ key_type: "ec" });
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

  it("security row 78: encrypted keys are rejected without work, whatever their format, password and cost", async () => {
    const a = authority();
    const made = (step: readonly string[]): string =>
      withFiles({}, (path) => {
        openssl(["ecparam", "-genkey", "-name", "prime256v1", "-noout", "-out", path("k.pem")]);
        return openssl(step.map((word) => (word === "k.pem" ? path(word) : word)));
      });
    const pkcs8 = (...more: readonly string[]) =>
      made(["pkcs8", "-topk8", "-in", "k.pem", ...more]);
    /** Returns an EncryptedPrivateKeyInfo under PBES2 with this key derivation. */
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
        await expectQuickRefusal(() => a.call("POST", `pki/${path}`, { pem_bundle }), text);
        expect([
          what,
          path,
          (await a.call("LIST", "pki/keys")).status,
          (await a.call("LIST", "pki/issuers")).status,
        ]).toEqual([what, path, 404, 404]);
      }
  });

  it("security row 78: a PKCS#12 archive is rejected, whatever its label and password", async () => {
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
          await expectQuickRefusal(
            () => a.call("POST", `pki/${path}`, { pem_bundle: encodePem(label, der) }),
            text,
          );
      await expectQuickRefusal(
        () =>
          a.call("POST", "pki/keys/import", { pem_bundle: Buffer.from(der).toString("base64") }),
        "the PEM text contains no private key",
      );
    }
    expect([
      (await a.call("LIST", "pki/keys")).status,
      (await a.call("LIST", "pki/issuers")).status,
    ]).toEqual([404, 404]);
  });

  it("security row 79: PEM is accepted with any line endings, text around it, headers and several blocks", async () => {
    const a = await authorityWithRole();
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

  it("security row 80: an ECDSA signature is strict DER, and Node verifies it", async () => {
    for (const key of [
      { key_type: "ec", key_bits: 256 },
      { key_type: "ec", key_bits: 521 },
      { key_type: "ec", key_bits: 224 },
    ] as const) {
      const a = authority();
      const root = await a.root(key);
      await writeRole(a, { key_type: "ed25519" });
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
      // shorter integers and those with the high bit set both occur
      expect(lengths.size).toBeGreaterThan(1);
    }
  });
});
