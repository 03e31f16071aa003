import { createSecureContext } from "node:tls";
import { describe, expect, it } from "vitest";
import { decodePem } from "../../../src/base/pem.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { itWith } from "../../support/programs.ts";
import { openssl, withFiles } from "../../x509/fixture.ts";
import { publicOf, readsPbmac1 } from "../../archive/entry.ts";
import { readJks } from "../../archive/jks-reader.ts";
import { request } from "../reading.ts";

/** Creates a root, an intermediate below it, and a role that issues with the intermediate. */
async function withChain(): Promise<Authority & { readonly between: string }> {
  const a = authority();
  await a.root();
  const { id: between } = await a.intermediate();
  await a.role("web", { issuer_ref: between });
  return { ...a, between };
}
const asked = { role: "web", common_name: "www.test", ttl: "1h" } as const;
const bytesOf = (base64: unknown) => new Uint8Array(Buffer.from(String(base64), "base64"));
const dersOf = (chain: readonly string[] | undefined) =>
  (chain ?? []).map((pem) => decodePem(pem)[0]?.der);
const csr = () => request({ cn: "www.test" });
/** Returns the contents of an archive as openssl reads it. */
const opened = (archive: Uint8Array, password: string) =>
  withFiles({ archive }, (path) => {
    const args = ["pkcs12", "-in", path("archive"), "-nodes", "-passin", `pass:${password}`];
    const pem = openssl(args);
    return {
      pem,
      certificates: decodePem(pem)
        .filter(({ label }) => label === "CERTIFICATE")
        .map(({ der }) => der),
    };
  });

describe("key archives", () => {
  it("A 6.9: issue returns a PKCS#12 archive with key and chain in `certificate`, and a password that it generates", async () => {
    const a = await withChain();
    const made = await a.pki.issue({ ...asked, format: "pkcs12_bundle" });
    expect(made).not.toHaveProperty("private_key");
    expect(made.private_key_type).toBe("ec");
    expect(dersOf([made.issuing_ca])).toHaveLength(1);
    expect(made.ca_chain).toHaveLength(2);
    expect(made.pkcs12_password).toMatch(/^[0-9A-Za-z]{22}$/);
    const again = await a.pki.issue({ ...asked, format: "pkcs12_bundle" });
    expect(again.pkcs12_password).not.toBe(made.pkcs12_password);
    const pfx = Buffer.from(made.certificate, "base64");
    const read = (passphrase: string | undefined) => () =>
      createSecureContext({ pfx, ...(passphrase !== undefined && { passphrase }) });
    if (readsPbmac1(process.versions.openssl))
      expect(read(made.pkcs12_password)()).toHaveProperty("context");
    for (const wrong of ["changeit", "", again.pkcs12_password]) expect(read(wrong)).toThrow();
  });

  it("have a warning only in the default PKCS#12 encoding, which few programs support", async () => {
    const a = await withChain();
    const warningsOf = async (more: object) => {
      const asked = { common_name: "www.test", ...more };
      return (await a.call("POST", "pki/issue/web", asked)).json["warnings"];
    };
    expect(await warningsOf({ format: "pkcs12_bundle" })).toMatch(/use modern2023 for those$/);
    expect(await warningsOf({ format: "jks_bundle" })).toBeFalsy();
    const older = { format: "pkcs12_bundle", pkcs12_encoder: "modern2023" };
    expect(await warningsOf(older)).toBeFalsy();
  });

  itWith("openssl", "version")(
    "A 6.9: pkcs12_encoder modern2023 gives what openssl opens: key, certificate and the whole chain",
    async () => {
      const a = await withChain();
      const made = await a.pki.issue({
        ...asked,
        format: "pkcs12_bundle",
        pkcs12_encoder: "modern2023",
        pkcs12_password: "my own word",
        remove_roots_from_chain: true,
      });
      expect(made).not.toHaveProperty("pkcs12_password");
      // the chain in the archive is complete, like that of pem_bundle
      expect(made.ca_chain).toHaveLength(1);
      const { pem, certificates } = opened(bytesOf(made.certificate), "my own word");
      expect(certificates).toHaveLength(3);
      expect(certificates[1]).toEqual(dersOf([made.issuing_ca])[0]);
      expect(pem).toContain("friendlyName: www.test");
      expect(pem).toContain("BEGIN PRIVATE KEY");
    },
  );

  it("A 6.9: issue returns a JKS archive with key and chain under jks_private_key_alias", async () => {
    const a = await withChain();
    const made = await a.pki.issue({ ...asked, format: "jks_bundle" });
    expect(made.jks_password).toMatch(/^[0-9A-Za-z]{22}$/);
    expect(made).not.toHaveProperty("private_key");
    const [entry] = readJks(bytesOf(made.certificate), made.jks_password ?? "");
    expect(entry?.alias).toBe("1");
    expect(entry?.date).toBe(a.clock.now);
    expect(entry?.certificates.slice(1)).toEqual(dersOf(made.ca_chain));
    expect(publicOf(entry?.key ?? new Uint8Array())).toContain("PUBLIC KEY");
    const own = await a.pki.issue({
      ...asked,
      format: "jks_bundle",
      jks_password: "sechs!",
      jks_private_key_alias: "WWW",
    });
    expect(own).not.toHaveProperty("jks_password");
    expect(readJks(bytesOf(own.certificate), "sechs!")).toMatchObject([{ alias: "www" }]);
  });

  it("A 6.9: sign, sign-verbatim and sign-intermediate return trust stores without a key", async () => {
    const a = await withChain();
    const format = "jks_bundle";
    const leaf = await a.pki.sign({ role: "web", csr: await csr(), ttl: "1h", format });
    const verbatim = await a.pki.signVerbatim({
      csr: await csr(),
      ttl: "1h",
      format,
      issuer_ref: a.between,
    });
    const { csr: caCsr } = await a.pki.generateIntermediate({
      common_name: "Third",
      key_type: "ec",
    });
    const third = await a.pki.signIntermediate({
      csr: caCsr,
      common_name: "Third",
      issuer_ref: a.between,
      format,
    });
    for (const made of [leaf, verbatim, third]) {
      const entries = readJks(bytesOf(made.certificate), made.jks_password ?? "");
      expect(entries.map(({ alias, key }) => [alias, key])).toEqual([
        ["1", undefined],
        ["2", undefined],
        ["3", undefined],
      ]);
      const chain = made === third ? made.ca_chain?.slice(1) : made.ca_chain;
      expect(entries.slice(1).flatMap(({ certificates }) => certificates)).toEqual(dersOf(chain));
    }
    // its chain starts with the certificate itself, as PEM for every archive format (A 9.1)
    expect(third.ca_chain?.[0]).toContain("BEGIN CERTIFICATE");
  });

  it("A 6.9: generating a root returns its key in the archive only if exported", async () => {
    const a = authority();
    const ask = { common_name: "Root", key_type: "ec", format: "jks_bundle" } as const;
    const exported = await a.pki.generateExportedRoot({ ...ask, jks_private_key_alias: "root" });
    const [entry] = readJks(bytesOf(exported.certificate), exported.jks_password ?? "");
    expect(entry).toMatchObject({ alias: "root", certificates: dersOf([exported.issuing_ca]) });
    expect(entry?.key).toBeDefined();
    expect(exported).not.toHaveProperty("private_key");
    const internal = await a.pki.rotateRoot({ ...ask });
    const [trusted] = readJks(bytesOf(internal.certificate), internal.jks_password ?? "");
    expect(trusted).toMatchObject({ alias: "1", certificates: dersOf([internal.issuing_ca]) });
    expect(trusted).not.toHaveProperty("key");
  });

  it("A 3.5: the CSR of an intermediate is not available as an archive", async () => {
    const a = authority();
    for (const format of ["pkcs12_bundle", "jks_bundle"]) {
      const told = await a.call("POST", "pki/intermediate/generate/exported", {
        common_name: "Between",
        format,
      });
      expect([told.status, told.errors]).toEqual([
        400,
        ['the "format" path parameter must be "pem", "der", or "pem_bundle"'],
      ]);
    }
    expect((await a.call("LIST", "pki/keys")).status).toBe(404);
  });

  it.each<[string, Readonly<Record<string, string>>, string]>([
    [
      "pkcs12_bundle",
      { pkcs12_encoder: "legacy" },
      "pkcs12_encoder must be modern2026 or modern2023",
    ],
    [
      "pkcs12_bundle",
      { pkcs12_password: "" },
      "pkcs12_password is empty: omit it to have a password generated",
    ],
    [
      "pkcs12_bundle",
      { pkcs12_password: "a\u{1f511}b" },
      "pkcs12_password has characters beyond U+FFFF, which archives do not support",
    ],
    ["pkcs12_bundle", { pkcs12_password: "a\0b" }, "pkcs12_password has control characters"],
    [
      "pkcs12_bundle",
      { pkcs12_password: "x".repeat(257) },
      "pkcs12_password has more than 256 characters",
    ],
    [
      "jks_bundle",
      { jks_password: "" },
      "jks_password is empty: omit it to have a password generated",
    ],
    ["jks_bundle", { jks_password: "short" }, "jks_password has fewer than 6 characters"],
    [
      "jks_bundle",
      { jks_private_key_alias: "" },
      "jks_private_key_alias must have 1 to 256 characters",
    ],
    ["p12", {}, 'the "format" path parameter must be "pem", "der", or "pem_bundle"'],
  ])(
    "security row 88: %s with %j is refused, and nothing is stored",
    async (format, fields, text) => {
      const a = await withChain();
      const before = await a.call("LIST", "pki/certs");
      const body = { common_name: "www.test", format, ...fields };
      const told = await a.call("POST", "pki/issue/web", body);
      expect([told.status, told.errors]).toEqual([400, [text]]);
      expect((await a.call("LIST", "pki/certs")).data).toEqual(before.data);
      const explained = await a.call("POST", "pki/explain/issue/web", body);
      expect(explained.data).toMatchObject({ would_issue: false, refusal: text });
    },
  );

  it("security row 88: no password is stored or logged, and options of other formats are not checked", async () => {
    const a = await withChain();
    const own = "a password of my own";
    const made = await a.pki.issue({ ...asked, format: "jks_bundle" });
    const given = { ...asked, format: "pkcs12_bundle", pkcs12_password: own } as const;
    await a.pki.issue(given);
    const stores = a.stores;
    if (!stores) throw new TypeError("no stores");
    const mount = (await a.sys.readMount({ path: "pki" })).uuid;
    const rows = [...(await stores("sys").list("")), ...(await stores(mount).list(""))];
    const kept = rows
      .map(([key, { value }]) => key + Buffer.from(JSON.stringify(value)).toString())
      .join("\n");
    expect(rows.length).toBeGreaterThan(10);
    for (const secret of [own, made.jks_password ?? ""])
      expect([kept.includes(secret), JSON.stringify(a.events).includes(secret)]).toEqual([
        false,
        false,
      ]);
    const plain = await a.pki.issue({ ...asked, pkcs12_encoder: "other", jks_password: "" });
    expect(plain.certificate).toContain("BEGIN CERTIFICATE");
    expect(plain).not.toHaveProperty("pkcs12_password");
  });
});
