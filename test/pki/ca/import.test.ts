import { describe, expect, it } from "vitest";
import { authority, refusal, start, warningsOf, type Authority } from "../../support/authority.ts";
import { encodePem } from "../../../src/base/pem.ts";
import { sequence, oid, nullValue } from "../../../src/base/der.ts";
import { assembleSigned, encodeTbsCertificate } from "../../../src/x509/certificate.ts";
import { algorithmIdentifier } from "../../../src/x509/public-key.ts";
import { subjectKeyIdentifier } from "../../../src/x509/key-identifiers.ts";
import { basicConstraints } from "../../../src/x509/basic-constraints.ts";
import { keyUsage } from "../../../src/x509/usage.ts";
import { encodeName } from "../../../src/x509/name.ts";
import { commonName, defined, makeCa, makeKey } from "../../x509/fixture.ts";
import { keyOf, request } from "../reading.ts";
import { storedPki } from "../../../src/pki/rows/records.ts";

describe("POST intermediate/set-signed", () => {
  it("links a certificate to its key in the mount, and makes it the default issuer if there is none", async () => {
    const signer = authority();
    const root = await signer.root();
    const a = authority({ seed: 2 });
    const { csr, key_id } = await a.pki.generateIntermediate({
      common_name: "Below",
      key_type: "ec",
    });
    const { certificate } = await signer.pki.signIntermediate({ csr });
    const taken = await a.pki.setSigned({
      certificate: `a note\r\n${certificate}\r\n\r\nanother note\n${root.certificate}`,
    });
    const [id = "", rootId = ""] = taken.imported_issuers ?? [];
    expect(taken).toMatchObject({
      imported_keys: null,
      existing_issuers: null,
      existing_keys: null,
      mapping: { [id]: key_id, [rootId]: "" },
    });
    expect((await a.pki.readIssuersConfig({})).default).toBe(id);
    expect((await a.call("GET", `pki/issuer/${id}`)).data).toMatchObject({
      issuer_name: "",
      key_id,
      revocation_signature_algorithm: "",
      ca_chain: [`${certificate}\n`, `${root.certificate}\n`],
    });
    expect((await a.call("LIST", "pki/certs")).status).toBe(404);
  });

  it("rejects a CA with a malformed name, because its certificates would contain it", async () => {
    const signer = await makeKey("P-256");
    const good = encodeName(commonName("Prüfstelle"));
    // splits the octets of ü, of which the first alone is invalid UTF-8
    const bad = good.with(good.indexOf(0xbc), 0x41);
    const a = authority();
    for (const [names, field] of [
      [{ subject: bad, issuer: bad }, "pem_bundle"],
      [{ subject: bad }, "certificate"],
      [{ issuer: bad }, "pem_bundle"],
    ] as const) {
      const { der } = await makeCa(signer, { subject: good, issuer: good, ...names });
      const [status, text] = await refusal(
        a.pki.setSigned({ [field]: encodePem("CERTIFICATE", der) }),
      );
      expect([status, text]).toEqual([
        400,
        "Error parsing issuer 0: name, an attribute: a UTF8String is not UTF-8",
      ]);
    }
    expect((await a.pki.listIssuers({})).keys).toEqual([]);
  });

  it("returns the existing issuer for a known certificate, and adds no issuer twice", async () => {
    const a = authority();
    const root = await a.root();
    const again = await a.pki.setSigned({ pem_bundle: `${root.certificate}\n${root.certificate}` });
    expect(again).toEqual({
      imported_issuers: null,
      imported_keys: null,
      existing_issuers: [root.issuer_id],
      existing_keys: null,
      mapping: { [root.issuer_id]: root.key_id },
      warnings: [expect.stringContaining("authority information access")],
    });
    expect((await a.pki.listIssuers({})).keys).toHaveLength(1);
  });

  it("moves the default to the latest issuer with a key only if there is exactly one, and warns otherwise", async () => {
    const a = authority();
    const root = await a.root();
    await a.pki.writeIssuersConfig({ default: "root", default_follows_latest_issuer: true });
    const { csr } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    const one = (await a.pki.signIntermediate({ csr, common_name: "One" })).certificate;
    const two = (await a.pki.signIntermediate({ csr, common_name: "Two" })).certificate;
    const three = (await a.pki.signIntermediate({ csr, common_name: "Three" })).certificate;
    const both = await a.pki.setSigned({ certificate: `${one}\n${two}` });
    expect(warningsOf(both).join()).toContain("Default issuer left unchanged");
    expect((await a.pki.readIssuersConfig({})).default).toBe(root.issuer_id);
    const single = await a.pki.setSigned({ certificate: three });
    expect((await a.pki.readIssuersConfig({})).default).toBe(single.imported_issuers?.[0]);
  });

  it("accepts a CA signed with SHA-1 with a warning, and builds no chain through that signature", async () => {
    const a = authority();
    const key = await keyOf("RSA");
    const sha1 = sequence(oid("1.2.840.113549.1.1.5"), nullValue);
    const name = encodeName(commonName("Old"));
    const tbs = encodeTbsCertificate({
      serial: Uint8Array.of(9),
      algorithm: sha1,
      issuer: name,
      notBefore: start / 1000 - 10,
      notAfter: start / 1000 + 1e6,
      subject: name,
      spki: key.key.spki,
      extensions: [basicConstraints(true), subjectKeyIdentifier(Uint8Array.of(1))],
    });
    const taken = await a.pki.setSigned({
      certificate: encodePem("CERTIFICATE", assembleSigned(tbs, sha1, new Uint8Array(256))),
    });
    expect(warningsOf(taken)[0]).toMatch(
      /is signed with SHA1WithRSA: no chain is built through that signature\.$/,
    );
  });

  it.each([
    ["nothing", {}, "'pem_bundle' and 'certificate' parameters were empty"],
    [
      "both",
      { certificate: "x".repeat(80), pem_bundle: "y".repeat(80) },
      "'pem_bundle' and 'certificate' parameters were both provided",
    ],
    [
      "a path instead of a PEM text",
      { certificate: "/etc/ca.pem" },
      "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file",
    ],
    ["no PEM at all", { certificate: "x".repeat(80) }, /invalid PEM data/],
    [
      "broken PEM",
      { certificate: `-----BEGIN CERTIFICATE-----\n${"?".repeat(80)}\n-----END CERTIFICATE-----` },
      /invalid PEM data/,
    ],
    [
      "a certificate that is none",
      { certificate: `-----BEGIN CERTIFICATE-----\n${"A".repeat(80)}\n-----END CERTIFICATE-----` },
      /^Error parsing issuer 0: /,
    ],
  ] as const)("returns 400 for %s", async (_, body, text) => {
    const answer = await authority().call("POST", "pki/intermediate/set-signed", body);
    expect([answer.status, answer.errors]).toEqual([
      400,
      [typeof text === "string" ? text : expect.stringMatching(text)],
    ]);
  });

  it("returns 400 for private keys and for a certificate that is not a CA", async () => {
    const a = authority();
    const root = await a.root();
    const exported = await a.pki.generateExportedRoot({ common_name: "E", key_type: "ec" });
    expect(
      await refusal(
        a.pki.setSigned({ certificate: `${root.certificate}\n${exported.private_key ?? ""}` }),
      ),
    ).toEqual([
      400,
      "private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle",
    ]);
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test" });
    expect(await refusal(a.pki.setSigned({ certificate: leaf.certificate }))).toEqual([
      400,
      `Error parsing issuer 0: Refusing to import non-CA certificate: subject "CN=a.test", serial number ${leaf.serial_number}`,
    ]);
    expect((await a.pki.listIssuers({})).keys).toHaveLength(2);
  });

  it("ignores CRLs and EC parameters, and treats any other block as a key", async () => {
    const a = authority();
    await a.root();
    const crl = (await a.call("GET", "pki/crl/pem")).text;
    const parameters = encodePem("EC PARAMETERS", oid("1.2.840.10045.3.1.7"));
    const root = (await a.call("GET", "pki/ca/pem")).text;
    expect(await a.pki.setSigned({ certificate: `${crl}\n${parameters}\n${root}` })).toMatchObject({
      imported_issuers: null,
      existing_issuers: [expect.any(String)],
    });
    const certificate = `${root}\n${await request({ cn: "x" })}`;
    expect(await refusal(a.pki.setSigned({ certificate }))).toEqual([
      400,
      expect.stringMatching(/^private keys found in the PEM bundle/),
    ]);
    expect(await refusal(a.pki.importBundle({ pem_bundle: certificate }))).toEqual([
      400,
      'Error parsing key 0: a PEM block of "CERTIFICATE REQUEST" is not a private key',
    ]);
  });

  it("sets every usage except crl-signing if the certificate's key usage lacks cRLSign", async () => {
    const a = authority();
    const key = await keyOf("P-384");
    const algorithm = algorithmIdentifier(key.scheme);
    const name = encodeName(commonName("No lists"));
    const tbs = encodeTbsCertificate({
      serial: Uint8Array.of(9),
      algorithm,
      issuer: name,
      notBefore: start / 1000 - 10,
      notAfter: start / 1000 + 1e6,
      subject: name,
      spki: key.key.spki,
      extensions: defined([basicConstraints(true), keyUsage(["CertSign"])]),
    });
    const taken = await a.pki.setSigned({
      certificate: encodePem("CERTIFICATE", assembleSigned(tbs, algorithm, await key.sign(tbs))),
    });
    expect((await a.pki.readIssuer({ issuer_ref: taken.imported_issuers?.[0] ?? "" })).usage).toBe(
      "issuing-certificates,ocsp-signing,read-only",
    );
  });
});

describe("an imported issuer", () => {
  /** Returns, by issuer name, whether stored issuers are marked as imported with their key. */
  async function marks(a: Authority): Promise<Readonly<Record<string, boolean>>> {
    const mounts = (await a.ca.sys.listMounts({})) as unknown as Readonly<
      Record<string, { readonly uuid: string }>
    >;
    const rows = await a.stores(mounts["pki/"]?.uuid ?? "").list("issuer/");
    return Object.fromEntries(
      rows
        .map(([, { value }]) => storedPki.issuer(value))
        .map(({ name, imported }) => [name, imported === true]),
    );
  }
  const named = async (a: Authority, id: string | undefined, issuer_name: string) =>
    void (await a.pki.patchIssuer({ issuer_ref: id ?? "", issuer_name }));
  const exported = async () => {
    const other = authority({ seed: 9 });
    const { certificate, private_key = "" } = await other.pki.generateExportedRoot({
      common_name: "From elsewhere",
      key_type: "ec",
    });
    return { certificate, key: private_key };
  };

  it("is marked as imported if its key was imported, in one bundle or in two calls in either order", async () => {
    const { certificate, key } = await exported();
    const whole = authority();
    const { imported_issuers: one } = await whole.pki.importBundle({
      pem_bundle: `${certificate}\n${key}`,
    });
    await named(whole, one?.[0], "whole");
    expect(await marks(whole)).toEqual({ whole: true });

    const keyFirst = authority({ seed: 2 });
    await keyFirst.pki.importKey({ pem_bundle: key });
    const { imported_issuers: two } = await keyFirst.pki.importCertificates({
      pem_bundle: certificate,
    });
    await named(keyFirst, two?.[0], "second");
    expect(await marks(keyFirst)).toEqual({ second: true });

    const keyLast = authority({ seed: 3 });
    const { imported_issuers: three } = await keyLast.pki.setSigned({ certificate });
    await named(keyLast, three?.[0], "first");
    expect(await marks(keyLast)).toEqual({ first: false });
    await keyLast.pki.importKey({ pem_bundle: key });
    expect(await marks(keyLast)).toEqual({ first: true });
    await keyLast.pki.writeIssuer({ issuer_ref: "first", issuer_name: "first" });
    expect(await marks(keyLast)).toEqual({ first: true });
  });

  it("is not marked as imported if its key was generated here, regardless of who signed its certificate", async () => {
    const a = authority();
    await a.root();
    const below = await a.intermediate();
    await named(a, below.id, "below");
    expect(await marks(a)).toEqual({ root: false, below: false });
    // the same key again, from an exported copy
    const { certificate, private_key = "" } = await a.pki.generateExportedRoot({
      common_name: "Handed out",
      issuer_name: "out",
      key_type: "ec",
    });
    await a.pki.importBundle({ pem_bundle: `${certificate}\n${private_key}` });
    expect(await marks(a)).toEqual({ root: false, below: false, out: false });
  });
});

describe("the pem_bundle of a certificate below an imported root", () => {
  it("D 1 row 5: includes an imported root, but not a root that the service created", async () => {
    const [a, other] = [authority(), authority({ seed: 7 })];
    const { certificate, private_key } = await other.pki.generateExportedRoot({
      common_name: "Other Root",
      key_type: "ec",
      ttl: "8760h",
    });
    const count = async (): Promise<number> => {
      const body = { common_name: "a.test", format: "pem_bundle" };
      const { data } = await a.call("POST", "pki/issue/web", body);
      return String(data["certificate"]).split("BEGIN CERTIFICATE").length - 1;
    };
    const { imported_issuers } = await a.pki.importBundle({
      pem_bundle: `${certificate}\n${private_key}`,
    });
    await a.pki.writeIssuersConfig({ default: imported_issuers?.[0] ?? "" });
    await a.role("web");
    expect(await count()).toBe(2);
    await a.pki.writeIssuersConfig({ default: (await a.root()).issuer_id });
    expect(await count()).toBe(1);
  });
});
