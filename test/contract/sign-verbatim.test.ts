import { describe, expect, it } from "vitest";
import { fromHex } from "../../src/base/bytes.ts";
import { oid, sequence, tlv } from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { encodeName } from "../../src/x509/name.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { extKeyUsage, keyUsage } from "../../src/x509/usage.ts";
import type { Extension } from "../../src/x509/extension.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { commonName, openssl } from "../x509/fixture.ts";
import { rdn, readCertificate, request, sanOf, valueOf } from "../pki/reading.ts";
import { authority, type Answer, type Authority } from "../support/authority.ts";

const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
async function withRoot(): Promise<Authority> {
  const a = authority();
  await a.root();
  return a;
}
const write = (a: Authority, role: object): Promise<Answer> =>
  a.call("POST", "pki/roles/web", { key_type: "rsa", allow_localhost: false, ...role });
const sign = async (
  a: Authority,
  csr: Parameters<typeof request>[0] = { cn: "a.test" },
  body: object = {},
  sent: object = {},
  path = "pki/sign-verbatim",
): Promise<Answer> => a.call("POST", path, { csr: await request(csr), ...body }, sent);
const certificate = (answer: Answer) => {
  expect(answer.errors).toEqual([]);
  return readCertificate(answer.data["certificate"]);
};
const raw = (oid: string, value: string, critical = false): Extension => ({
  oid,
  critical,
  value: fromHex(value),
});

describe("sign-verbatim", () => {
  it("rejects unsupported signature_bits if the issuer's key is RSA, and ignores them otherwise", async () => {
    const a = await withRoot();
    await a.root({ key_type: "rsa", issuer_name: "rsa", common_name: "RSA" });
    expect(outcome(await sign(a, undefined, { signature_bits: 100, issuer_ref: "rsa" }))).toBe(
      "unsupported hash signature algorithm: 100",
    );
    expect(outcome(await sign(a, undefined, { signature_bits: 100 }))).toBe(200);
  });

  it("A 8.6 item 1: subject and SANs are copied from the CSR, whatever body and role say", async () => {
    const a = await withRoot();
    await write(a, {
      allow_ip_sans: false,
      require_cn: true,
      key_usage: "KeyAgreement",
      organization: "Role",
    });
    const names = {
      dns: ["a_b.test", "*"],
      email: ["u@a.test"],
      ip: ["192.0.2.1"],
      uri: ["x:y"],
      other: [{ oid: "1.2.3", value: "v" }],
    };
    const subject = [
      rdn("organization", "CSR", "Two"),
      ...commonName("Any One"),
      rdn("serialNumber", "7"),
      rdn("userId", "u"),
    ];
    const plain = certificate(await sign(a, { subject }));
    for (const path of ["pki/sign-verbatim", "pki/sign-verbatim/web"]) {
      const leaf = certificate(
        await sign(
          a,
          { subject, extensions: [sanOf(names)] },
          { user_ids: "w", common_name: "b.test", alt_names: "b.test", ip_sans: "192.0.2.2" },
          {},
          path,
        ),
      );
      expect(leaf.subject).toEqual(plain.subject);
      expect(leaf.names).toMatchObject(names);
      expect(leaf.usage).toEqual(["DigitalSignature", "KeyEncipherment", "KeyAgreement"]);
    }
    for (const value of [
      sequence(tlv(0xa4, encodeName(commonName("x")))),
      sequence(implicit(8, oid("1.2.3"))),
      sequence(tlv(0xa3, sequence())),
    ]) {
      const other = certificate(
        await sign(a, {
          extensions: [{ oid: extensionOid.subjectAltName, critical: false, value }],
        }),
      );
      expect([
        other.subject.length,
        valueOf(other, extensionOid.subjectAltName),
        other.critical.includes(extensionOid.subjectAltName),
      ]).toEqual([2, value, true]);
    }
    expect(outcome(await sign(a, {}))).toContain(
      "a certificate with an empty subject must have alternative names",
    );
    const nameless = certificate(await sign(a, { extensions: [sanOf({ dns: ["a.test"] })] }));
    expect([nameless.subject.length, nameless.critical]).toEqual([
      2,
      expect.arrayContaining([extensionOid.subjectAltName]),
    ]);
  });

  it("A 8.6 item 1: warns of each ignored field of the body, and only of those", async () => {
    const a = await withRoot();
    const asked = {
      common_name: "b.test",
      alt_names: "b.test",
      ip_sans: "192.0.2.2",
      uri_sans: "x:y",
      other_sans: "1.2.3;UTF8:x",
      serial_number: "7",
      user_ids: "u",
    };
    const told = async (body: object, path?: string) =>
      [
        (await sign(a, { cn: "a.test" }, body, { compat: true }, path)).json["warnings"] ?? [],
      ].flat();
    const all = (await told(asked)).map(
      (warning) => /^the (\w+) field was provided but /.exec(String(warning))?.[1],
    );
    expect(all).toEqual(Object.keys(asked));
    expect(
      await told({
        ...Object.fromEntries(Object.keys(asked).map((name) => [name, ""])),
        exclude_cn_from_sans: true,
        private_key_format: "",
      }),
    ).toEqual([]);
    expect(await told({ issuer_ref: "other" }, "pki/issuer/root/sign-verbatim")).toEqual([
      "Endpoint replaced the value of these parameters with the values captured from the endpoint's path: [issuer_ref]",
    ]);
    expect(await told({ issuer_ref: "root" })).toEqual([]);
    expect(await told({ key_usage: "DigitalSignature,certsign,CRLSign" })).toEqual([
      "key usages certsign, CRLSign are for CAs: the certificate is issued without them",
    ]);
  });

  it("rejects control characters in every name that is copied from a CSR", async () => {
    const a = await withRoot();
    const wanted = (name: string) =>
      `the name ${JSON.stringify(name)} contains a control character`;
    const uses = [
      ["pki/sign-verbatim", {}] as const,
      ["pki/root/sign-intermediate", { use_csr_values: true }] as const,
    ];
    for (const [path, body] of uses) {
      for (const [name, names] of [
        ["a.test\0.evil", { dns: ["a.test\0.evil"] }],
        ["u\0@a.test", { email: ["u\0@a.test"] }],
        ["x:\0", { uri: ["x:\0"] }],
        ["v\0", { other: [{ oid: "1.2.3", value: "v\0" }] }],
      ] as const)
        expect(
          outcome(await sign(a, { cn: "A", extensions: [sanOf(names)] }, body, {}, path)),
        ).toBe(wanted(name));
      for (const subject of [
        commonName("a.test\0"),
        [...commonName("A"), rdn("organization", "Fine", "O\0")],
      ])
        expect(outcome(await sign(a, { subject }, body, {}, path))).toContain(
          "contains a control character",
        );
    }
    expect(
      outcome(await sign(a, { cn: "a\0" }, { common_name: "I" }, {}, "pki/root/sign-intermediate")),
    ).toBe(200);
  });

  it("A 8.6 item 2: copies every extension of the CSR except those of a CA; the body's usages apply only if the CSR has none", async () => {
    const a = await withRoot();
    // critical flags of unknown extensions are checked by A 6.10 as well
    await a.pki.patchIssuer({ issuer_ref: "root", disable_critical_extension_checks: true });
    const extensions = [
      keyUsage(["KeyAgreement"]),
      extKeyUsage(["1.2.3"]),
      raw("1.2.3.4", "0500", true),
      raw(extensionOid.subjectKeyIdentifier, "0401aa"),
      raw("1.3.6.1.5.5.7.1.24", "3003020105"),
    ];
    const copied = certificate(
      await sign(
        a,
        { cn: "a.test", extensions },
        { key_usage: "DigitalSignature", ext_key_usage: "ServerAuth", ext_key_usage_oids: "1.2.9" },
      ),
    );
    expect(copied).toMatchObject({
      usage: ["KeyAgreement"],
      purposes: ["1.2.3"],
      critical: expect.arrayContaining(["1.2.3.4"]) as string[],
    });
    expect([
      valueOf(copied, extensionOid.subjectKeyIdentifier),
      valueOf(copied, "1.3.6.1.5.5.7.1.24"),
    ]).toEqual([fromHex("0401aa"), fromHex("3003020105")]);
    const named = certificate(
      await sign(a, undefined, {
        key_usage: "ContentCommitment,CertSign,CRLSign",
        ext_key_usage: "ServerAuth",
        ext_key_usage_oids: "1.2.9",
      }),
    );
    expect(named).toMatchObject({
      usage: ["ContentCommitment"],
      purposes: ["1.3.6.1.5.5.7.3.1", "1.2.9"],
    });
    expect(certificate(await sign(a))).toMatchObject({
      usage: ["DigitalSignature", "KeyEncipherment", "KeyAgreement"],
      purposes: [],
    });
    expect(certificate(await sign(a, undefined, { key_usage: "" })).order).not.toContain(
      extensionOid.keyUsage,
    );
    expect(outcome(await sign(a, undefined, { ext_key_usage_oids: "1.2.9,x" }))).toBe(
      '"x" could not be parsed as a valid oid for an extended key usage',
    );
    const poisoned = certificate(
      await sign(a, {
        cn: "a.test",
        extensions: [
          raw(extensionOid.ctPoison, "0500", true),
          raw(extensionOid.nameConstraints, "3000"),
        ],
      }),
    );
    expect([
      poisoned.order.includes(extensionOid.ctPoison),
      poisoned.order.includes(extensionOid.nameConstraints),
    ]).toEqual([false, false]);
    const told = await sign(
      a,
      { cn: "a.test", extensions: [raw(extensionOid.nameConstraints, "3000")] },
      {},
      { compat: true },
    );
    expect(told.json["warnings"]).toEqual([
      `specified CSR contained the extension ${extensionOid.nameConstraints} that was ignored during issuance`,
    ]);
  });

  it("rejects known extensions that are malformed", async () => {
    const a = await withRoot();
    const uses = [
      ["pki/sign-verbatim", {}] as const,
      ["pki/root/sign-intermediate", { use_csr_values: true }] as const,
    ];
    const names = [
      "subjectKeyIdentifier",
      "authorityKeyIdentifier",
      "authorityInfoAccess",
      "certificatePolicies",
      "crlDistributionPoints",
      "freshestCrl",
    ] as const;
    for (const [path, body] of uses)
      for (const name of [...names, "keyUsage", "extKeyUsage", "subjectAltName"] as const)
        expect([
          name,
          outcome(
            await sign(
              a,
              { cn: "a.test", extensions: [raw(extensionOid[name], "0500")] },
              body,
              {},
              path,
            ),
          ),
        ]).toEqual([name, expect.stringMatching(/^certificate request could not be parsed: /)]);
  });

  it("adds critical basic constraints without CA to every certificate, before the key identifiers", async () => {
    const a = await withRoot();
    await write(a, {});
    for (const path of ["pki/sign-verbatim", "pki/sign-verbatim/web"])
      for (const extensions of [
        [],
        [basicConstraints(false)],
        [raw(extensionOid.basicConstraints, "3000")],
        [raw(extensionOid.netscapeCertType, "030206c0")],
      ]) {
        const leaf = certificate(await sign(a, { cn: "a.test", extensions }, {}, {}, path));
        expect([
          leaf.basic,
          leaf.critical.includes(extensionOid.basicConstraints),
          valueOf(leaf, extensionOid.basicConstraints),
        ]).toEqual([{ ca: false }, true, fromHex("3000")]);
        expect(leaf.order.slice(0, 4)).toEqual([
          extensionOid.keyUsage,
          extensionOid.basicConstraints,
          extensionOid.subjectKeyIdentifier,
          extensionOid.authorityKeyIdentifier,
        ]);
        expect(openssl(["x509", "-inform", "der", "-noout", "-purpose"], leaf.der)).not.toMatch(
          /^(?!Any Purpose).* CA : Yes/m,
        );
      }
  });

  it("A 8.6 item 3: rejects a CSR for a CA or with its key usages; other basic constraints are dropped with a warning", async () => {
    const a = await withRoot();
    await write(a, {});
    for (const path of [
      "pki/sign-verbatim",
      "pki/sign-verbatim/web",
      "pki/issuer/root/sign-verbatim",
    ]) {
      for (const [extension, text] of [
        [
          basicConstraints(true),
          "the CSR requests a CA certificate, which this endpoint does not issue",
        ],
        [
          keyUsage(["CertSign"]),
          "the CSR requests the key usages of a CA, which this endpoint does not grant",
        ],
        [
          keyUsage(["DigitalSignature", "CRLSign"]),
          "the CSR requests the key usages of a CA, which this endpoint does not grant",
        ],
        ...["0204", "0102", "0001", "02c4"].map(
          (bits) =>
            [
              raw(extensionOid.netscapeCertType, `0302${bits}`),
              "the CSR requests the Netscape certificate type of a CA, which this endpoint does not grant",
            ] as const,
        ),
      ] as const) {
        const answer = await sign(a, { cn: "a.test", extensions: [extension] }, {}, {}, path);
        expect([answer.status, outcome(answer)]).toEqual([400, text]);
        expect(a.events.at(-1)?.refusal).toBe("bad_csr");
      }
    }
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
    const dropped = await sign(a, { cn: "a.test", extensions: [basicConstraints(false)] });
    expect([certificate(dropped).basic, dropped.json["warnings"]]).toEqual([
      { ca: false },
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    ]);
  });
});
