import { describe, expect, it } from "vitest";
import { makeCsr } from "../../src/index.ts";
import { describeCsr } from "../../src/describe/describe-others.ts";
import { decodePem } from "../../src/base/pem.ts";
import { parseCsr, verifyCsr } from "../../src/x509/csr.ts";
import { authority } from "../support/authority.ts";

const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
const kinds = [
  { name: "ECDSA", namedCurve: "P-256" },
  { name: "ECDSA", namedCurve: "P-384" },
  { name: "Ed25519" },
  { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", ...rsa },
  { name: "RSA-PSS", hash: "SHA-384", ...rsa },
];
const generate = async (kind: object): Promise<CryptoKeyPair> =>
  // the parameters are those of an algorithm that signs
  await crypto.subtle.generateKey(kind as EcKeyGenParams, false, ["sign", "verify"]);

describe("makeCsr", () => {
  it.each(kinds)(
    "signs with a $name $namedCurve $hash key that is not extractable",
    async (kind) => {
      const csr = await makeCsr(await generate(kind), {
        common_name: "a.example",
        dns: ["a.example"],
      });
      const [block] = decodePem(csr);
      expect(block?.label).toBe("CERTIFICATE REQUEST");
      expect(await verifyCsr(parseCsr(block?.der ?? new Uint8Array()))).toBe(true);
    },
  );
  it("requests names of every type, and a role signs the CSR", async () => {
    const names = {
      common_name: "www.example.com",
      dns: ["www.example.com", "*.example.com"],
      ip: ["192.0.2.1", "2001:db8::1"],
      email: ["a@example.com"],
      uri: ["https://example.com/a"],
    };
    const csr = await makeCsr(await generate({ name: "ECDSA", namedCurve: "P-256" }), names);
    const { pki, root, role } = authority();
    await root();
    await role("any", { allowed_uri_sans: "*", allow_wildcard_certificates: true });
    const signed = await pki.sign({ role: "any", csr });
    expect(signed.certificate).toContain("BEGIN CERTIFICATE");
    expect(JSON.stringify(describeCsr(csr))).toContain("2001:db8::1");
  });
  it("marks the SAN critical if there is no common name, and rejects invalid names", async () => {
    const keys = await generate({ name: "Ed25519" });
    const [block] = decodePem(await makeCsr(keys, { dns: ["a.example"] }));
    expect(parseCsr(block?.der ?? new Uint8Array()).extensions).toMatchObject([{ critical: true }]);
    await expect(makeCsr(keys, { ip: ["a.example"] })).rejects.toMatchObject({ code: "malformed" });
  });
});
