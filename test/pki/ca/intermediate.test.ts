import { describe, expect, it } from "vitest";
import { authority, start, warningsOf } from "../../support/authority.ts";
import { parseCsr, verifyCsr } from "../../../src/x509/csr.ts";
import { algorithmName } from "../../../src/x509/public-key.ts";
import { extensionOid } from "../../../src/x509/oid.ts";
import { readBasicConstraints } from "../../../src/x509/basic-constraints.ts";
import { readKeyUsage } from "../../../src/x509/usage.ts";
import { parseSan } from "../../../src/x509/san.ts";
import { nameText } from "../../../src/x509/name.ts";
import { bytesOf, derOf, labelsOf, readCertificate, verified } from "../reading.ts";

describe("the CSR of an intermediate CA", () => {
  it("has the subject and SANs, is signed with its key, and requests CA and key usages only on demand", async () => {
    const { pki } = authority();
    const plain = await pki.generateIntermediate({
      common_name: "ca.example.com",
      key_type: "ec",
      organization: "Example",
      alt_names: "b.example.com",
    });
    const csr = parseCsr(derOf(plain.csr));
    expect(await verifyCsr(csr)).toBe(true);
    expect(nameText(csr.subject)).toContain("ca.example.com");
    expect(csr.extensions.map((extension) => extension.oid)).toEqual([extensionOid.subjectAltName]);
    expect(parseSan(csr.extensions[0]?.value ?? new Uint8Array(0)).dns).toEqual([
      "ca.example.com",
      "b.example.com",
    ]);
    const asking = parseCsr(
      derOf(
        (
          await pki.generateIntermediate({
            common_name: "My CA",
            key_type: "ec",
            add_basic_constraints: true,
            key_usage: "CertSign,crlsign",
          })
        ).csr,
      ),
    );
    const value = (oid: string) =>
      asking.extensions.find((extension) => extension.oid === oid)?.value ?? new Uint8Array(0);
    expect(readBasicConstraints(value(extensionOid.basicConstraints))).toEqual({ ca: true });
    expect(readKeyUsage(value(extensionOid.keyUsage))).toEqual(["CertSign", "CRLSign"]);
  });

  it("creates a key but no issuer, and the first key becomes the default key", async () => {
    const a = authority();
    const { key_id, private_key } = await a.pki.generateIntermediate({
      common_name: "I",
      key_type: "ec",
      key_name: "k1",
    });
    expect(private_key).toBeUndefined();
    expect((await a.call("LIST", "pki/issuers")).status).toBe(404);
    const mount = (await a.ca.sys.listMounts({})) as unknown as Readonly<
      Record<string, { readonly uuid: string }>
    >;
    const store = a.stores(mount["pki/"]?.uuid ?? "");
    expect((await store.get(["config/keys"]))[0]?.value).toEqual({ default: key_id });
    expect((await store.list("key/")).map(([key]) => key)).toEqual([`key/${key_id}`]);
  });

  it("is returned in every format, with its key if requested", async () => {
    const a = authority();
    const made = async (kind: string, input: object) =>
      (
        await a.call("POST", `pki/intermediate/generate/${kind}`, {
          common_name: "I",
          key_type: "ec",
          ...input,
        })
      ).data;
    expect(labelsOf((await made("internal", { format: "pem_bundle" }))["csr"])).toEqual([
      "CERTIFICATE REQUEST",
    ]);
    expect(labelsOf((await made("exported", { format: "pem_bundle" }))["csr"])).toEqual([
      "EC PRIVATE KEY",
      "CERTIFICATE REQUEST",
    ]);
    const der = await made("exported", { format: "der", private_key_format: "pkcs8" });
    expect(await verifyCsr(parseCsr(bytesOf(der["csr"])))).toBe(true);
    expect(labelsOf(der["private_key"])).toEqual(["PRIVATE KEY"]);
  });

  it("is signed with the requested scheme", async () => {
    const { pki } = authority();
    const name = async (input: object) =>
      algorithmName(
        parseCsr(
          derOf((await pki.generateExportedIntermediate({ common_name: "I", ...input })).csr),
        ).algorithm,
      );
    expect(await name({ key_type: "ec", key_bits: 521, signature_bits: 256 })).toBe(
      "ECDSAWithSHA512",
    );
    expect(await name({ key_type: "ed25519" })).toBe("Ed25519");
    expect(await name({ signature_bits: 512, use_pss: true })).toBe("SHA512WithRSAPSS");
  });

  it.each([
    [{ format: "x" }, 'the "format" path parameter must be "pem", "der", or "pem_bundle"'],
    [
      { private_key_format: "x" },
      'the "private_key_format" path parameter must be "der" or "pkcs8"',
    ],
    [{ key_type: "x" }, expect.stringMatching(/^unknown key type x: use rsa, ec\b/)],
    [{ key_type: "rsa", signature_bits: 1 }, "unsupported hash signature algorithm: 1"],
    [{ key_bits: 1 }, "unsupported bit length for EC key: 1"],
    [{ key_name: "k1" }, "key name already in use"],
    [{ key_name: "a b" }, "key name contained invalid characters"],
    [
      { alt_names: "a b.test" },
      expect.stringContaining("is not a valid DNS name and cannot be included as a SAN"),
    ],
    [
      { common_name: ["a"] },
      expect.stringContaining('error converting input for field "common_name"'),
    ],
  ])("is rejected for %j", async (input, text) => {
    const a = authority();
    await a.pki.generateIntermediate({ common_name: "I", key_type: "ec", key_name: "k1" });
    for (const kind of ["internal", "exported"]) {
      const answer = await a.call("POST", `pki/issuers/generate/intermediate/${kind}`, {
        common_name: "I",
        key_type: "ec",
        ...input,
      });
      expect([answer.status, answer.errors]).toEqual([400, [text]]);
    }
  });

  it("becomes an issuer below a root of another mount, with a chain that openssl verifies", async () => {
    const a = authority();
    const root = await a.root();
    await a.sys.createMount({ path: "int", type: "pki", config: { max_lease_ttl: "50000h" } });
    const below = a.ca.mount("int");
    const { csr, key_id } = await below.generateIntermediate({
      common_name: "Below",
      key_type: "ed25519",
    });
    const { certificate } = await a.pki.signIntermediate({ csr, ttl: "40000h" });
    const taken = await below.setSigned({ certificate: `${certificate}\n${root.certificate}\n` });
    expect(taken.imported_issuers).toHaveLength(2);
    expect(Object.values(taken.mapping).sort()).toEqual(["", key_id]);
    await below.writeRole({ name: "web", key_type: "ed25519", allow_any_name: true });
    const leaf = await below.issue({ role: "web", common_name: "a.test", ttl: "10h" });
    expect(leaf.ca_chain).toEqual([certificate, root.certificate]);
    expect(
      verified(leaf.certificate, { root: root.certificate, between: [certificate], at: start }),
    ).toContain("OK");
    expect(readCertificate(leaf.certificate).text.issuer).toContain("Below");
  });
});

it("a CSR has the warnings of the configuration it was generated under, not of an earlier one", async () => {
  const { pki } = authority();
  const generated = pki.generateIntermediate({ common_name: "a", key_type: "ec" });
  // written while the key is being generated
  await pki.writeUrls({ issuing_certificates: "http://a.test/ca" });
  expect(warningsOf(await generated)).toEqual([]);
});
