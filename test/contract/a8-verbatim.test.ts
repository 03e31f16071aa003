import { describe, expect, it } from "vitest";
import { fromHex } from "../../src/base/bytes.ts";
import { basicConstraints, extKeyUsage, keyUsage, type Extension } from "../../src/x509/extension.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { commonName } from "../x509/fixture.ts";
import { rdn, readCertificate, request, sanOf, valueOf } from "../pki/reading.ts";
import { authority, type Answer, type Authority } from "../support/authority.ts";

const outcome = (answer: Answer): unknown => answer.errors[0] ?? answer.status;
async function withRoot(): Promise<Authority> {
  const a = authority();
  await a.root();
  return a;
}
const write = (a: Authority, role: object): Promise<Answer> => a.call("POST", "pki/roles/web", { key_type: "rsa", allow_localhost: false, ...role });
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
const raw = (oid: string, value: string, critical = false): Extension => ({ oid, critical, value: fromHex(value) });

describe("sign-verbatim", () => {
  it("A 8.6 item 1: subject bytes and names are the CSR's, whatever the body says and the role would refuse", async () => {
    const a = await withRoot();
    await write(a, { allow_ip_sans: false, require_cn: true, key_usage: "KeyAgreement", organization: "Role" });
    const names = { dns: ["a_b.test", "*"], email: ["u@a.test"], ip: ["192.0.2.1"], uri: ["x:y"], other: [{ oid: "1.2.3", value: "v" }] };
    const subject = [rdn("organization", "CSR", "Two"), ...commonName("Any One"), rdn("serialNumber", "7"), rdn("userId", "u")];
    const plain = certificate(await sign(a, { subject }));
    for (const path of ["pki/sign-verbatim", "pki/sign-verbatim/web"]) {
      const leaf = certificate(
        await sign(a, { subject, extensions: [sanOf(names)] }, { user_ids: "w", common_name: "b.test", alt_names: "b.test", ip_sans: "192.0.2.2" }, {}, path),
      );
      expect(leaf.subject).toEqual(plain.subject);
      expect(leaf.names).toMatchObject(names);
      expect(leaf.usage).toEqual(["DigitalSignature", "KeyEncipherment", "KeyAgreement"]);
    }
    expect(certificate(await sign(a, { extensions: [sanOf({ dns: ["a.test"] })] })).subject).toHaveLength(2);
  });

  it("A 8.6 item 2: every extension of the CSR is copied with its flag but those of a CA; usages of the body count where the CSR has none", async () => {
    const a = await withRoot();
    const extensions = [
      keyUsage(["KeyAgreement"]),
      extKeyUsage(["1.2.3"]),
      raw("1.2.3.4", "0500", true),
      raw(extensionOid.subjectKeyIdentifier, "0401aa"),
      raw("1.3.6.1.5.5.7.1.24", "3003020105"),
    ];
    const copied = certificate(
      await sign(a, { cn: "a.test", extensions }, { key_usage: "DigitalSignature", ext_key_usage: "ServerAuth", ext_key_usage_oids: "1.2.9" }),
    );
    expect(copied).toMatchObject({ usage: ["KeyAgreement"], purposes: ["1.2.3"], critical: expect.arrayContaining(["1.2.3.4"]) as string[] });
    expect([valueOf(copied, extensionOid.subjectKeyIdentifier), valueOf(copied, "1.3.6.1.5.5.7.1.24")]).toEqual([fromHex("0401aa"), fromHex("3003020105")]);
    const named = certificate(
      await sign(a, undefined, { key_usage: "ContentCommitment,CertSign,CRLSign", ext_key_usage: "ServerAuth", ext_key_usage_oids: "1.2.9" }),
    );
    expect(named).toMatchObject({ usage: ["ContentCommitment"], purposes: ["1.3.6.1.5.5.7.3.1", "1.2.9"] });
    expect(certificate(await sign(a))).toMatchObject({ usage: ["DigitalSignature", "KeyEncipherment", "KeyAgreement"], purposes: [] });
    expect(certificate(await sign(a, undefined, { key_usage: "" })).order).not.toContain(extensionOid.keyUsage);
    const poisoned = certificate(
      await sign(a, { cn: "a.test", extensions: [raw(extensionOid.ctPoison, "0500", true), raw(extensionOid.nameConstraints, "3000")] }),
    );
    expect([poisoned.order.includes(extensionOid.ctPoison), poisoned.order.includes(extensionOid.nameConstraints)]).toEqual([false, false]);
  });

  it("A 8.6 item 3: never makes a CA: a CSR that asks for one, or for its key usages, is refused; other basic constraints are dropped with a warning", async () => {
    const a = await withRoot();
    await write(a, {});
    for (const path of ["pki/sign-verbatim", "pki/sign-verbatim/web", "pki/issuer/root/sign-verbatim"]) {
      for (const [extension, text] of [
        [basicConstraints(true), "the CSR asks for a CA certificate, which is not issued here"],
        [keyUsage(["CertSign"]), "the CSR asks for the key usages of a CA, which are not given here"],
        [keyUsage(["DigitalSignature", "CRLSign"]), "the CSR asks for the key usages of a CA, which are not given here"],
      ] as const) {
        const answer = await sign(a, { cn: "a.test", extensions: [extension] }, {}, {}, path);
        expect([answer.status, outcome(answer)]).toEqual([400, text]);
        expect(a.events.at(-1)?.refusal).toBe("bad_csr");
      }
    }
    expect((await a.pki.listCerts({})).keys).toHaveLength(1);
    const dropped = await sign(a, { cn: "a.test", extensions: [basicConstraints(false)] });
    expect([certificate(dropped).basic, dropped.json["warnings"]]).toEqual([
      undefined,
      "specified CSR contained a Basic Constraints extension that was ignored during issuance",
    ]);
  });
});
