import { describe, expect, it } from "vitest";
import { serialText } from "../../src/base/ids.ts";
import { encodePem } from "../../src/base/pem.ts";
import { oid } from "../../src/base/der.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { traditionalPem } from "../../src/keys/read.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { nameText } from "../../src/x509/name.ts";
import { derOf } from "../pki/reading.ts";
import { authority, refusal, warningsOf, type Authority } from "../support/authority.ts";

/** The import paths, each with its documented field. */
const paths = [
  ["config/ca", "pem_bundle"],
  ["issuers/import/bundle", "pem_bundle"],
  ["issuers/import/cert", "pem_bundle"],
  ["intermediate/set-signed", "certificate"],
] as const;
const withKeys = paths.slice(0, 2);
const without = paths.slice(2);

let made:
  | Promise<{ readonly certificate: string; readonly key: string; readonly leaf: string }>
  | undefined;
/** Creates a root with its key, and a leaf below it, in another authority. */
const foreign = () =>
  (made ??= (async () => {
    const a = authority({ seed: 20 });
    const root = await a.pki.generateExportedRoot({
      common_name: "Foreign",
      key_type: "ec",
      ttl: "80000h",
    });
    await a.role("web");
    const leaf = await a.pki.issue({ role: "web", common_name: "a.test", ttl: "1h" });
    return { certificate: root.certificate, key: root.private_key ?? "", leaf: leaf.certificate };
  })());
const send = async (a: Authority, [path, field]: readonly [string, string], text: string) =>
  a.call("POST", `pki/${path}`, { [field]: text });
const warnings = (answer: { readonly json: Readonly<Record<string, unknown>> }): string =>
  String(answer.json["warnings"]);

describe("imports", () => {
  it("A 3.1 POST intermediate/set-signed, config/ca, issuers/import/bundle, issuers/import/cert: import certificates, and cannot be read", async () => {
    const { certificate } = await foreign();
    for (const path of paths) {
      const a = authority();
      const answer = await send(a, path, certificate);
      const [id] = (await a.pki.listIssuers({})).keys;
      expect(answer.data).toEqual({
        imported_issuers: [id],
        imported_keys: null,
        existing_issuers: null,
        existing_keys: null,
        mapping: { [String(id)]: "" },
      });
      expect(await a.pki.readIssuer({ issuer_ref: String(id) })).toMatchObject({
        issuer_name: "",
        certificate: `${certificate}\n`,
      });
      expect((await a.call("GET", `pki/${path[0]}`)).status).toBe(405);
    }
  });

  it("A 3.6 config/ca, issuers/import/bundle: accept private keys too, in any order", async () => {
    const { certificate, key } = await foreign();
    for (const path of withKeys)
      for (const text of [`${certificate}\n${key}`, `${key}\n\n a note\n${certificate}`]) {
        const a = authority();
        const { data } = await send(a, path, text);
        const [issuer, held] = [
          (await a.pki.listIssuers({})).keys[0],
          (await a.pki.listKeys({})).keys[0],
        ];
        expect(data).toEqual({
          imported_issuers: [issuer],
          imported_keys: [held],
          existing_issuers: null,
          existing_keys: null,
          mapping: { [String(issuer)]: held },
        });
        expect((await a.pki.readKey({ key_ref: String(held) })).key_name).toBe("");
        const again = await send(a, path, text);
        expect(again.data).toEqual({
          imported_issuers: null,
          imported_keys: null,
          existing_issuers: [issuer],
          existing_keys: [held],
          mapping: { [String(issuer)]: held },
        });
      }
  });

  it("A 3.6 issuers/import/cert, A 3.6 intermediate/set-signed, A 3.6 rule 4: reject private keys, and name the path that accepts them", async () => {
    const { certificate, key } = await foreign();
    for (const path of without) {
      const a = authority();
      const answer = await send(a, path, `${certificate}\n${key}`);
      expect([answer.status, answer.errors]).toEqual([
        400,
        [
          "private keys found in the PEM bundle but not allowed by the path; use /issuers/import/bundle",
        ],
      ]);
      expect((await a.call("LIST", "pki/issuers")).status).toBe(404);
    }
  });

  it("A 3.6 rule 1, A 3.6 rule 2: require exactly one field, which is long enough to be PEM", async () => {
    const a = authority();
    for (const [path] of paths) {
      const refused = async (body: object) => (await a.call("POST", `pki/${path}`, body)).errors;
      expect(await refused({})).toEqual(["'pem_bundle' and 'certificate' parameters were empty"]);
      expect(await refused({ pem_bundle: "x", certificate: "x" })).toEqual([
        "'pem_bundle' and 'certificate' parameters were both provided",
      ]);
      const short = [
        "provided data for import was too short; perhaps a path was passed to the API rather than the contents of a PEM file",
      ];
      for (const field of ["pem_bundle", "certificate"])
        expect(await refused({ [field]: "x".repeat(74) })).toEqual(short);
      expect(await refused({ certificate: "x".repeat(75) })).not.toEqual(short);
    }
  });

  it("A 3.6 rule 3: ignore text, CRLs and EC parameters between blocks, and accept both labels of a certificate", async () => {
    const { certificate, key } = await foreign();
    const a = authority({ seed: 4 });
    await a.root();
    const crl = (await a.call("GET", "pki/crl/pem")).text;
    const named = encodePem("X509 CERTIFICATE", derOf(certificate));
    const parameters = ["EC PARAMS", "EC PARAMETERS"]
      .map((label) => encodePem(label, oid("1.2.840.10045.3.1.7")))
      .join("\n");
    const taken = await a.pki.importBundle({
      pem_bundle: `a note\n${crl}\n${parameters}\n${key}\nanother\n${named}\n\n`,
    });
    expect([taken.imported_issuers?.length, taken.imported_keys?.length]).toEqual([1, 1]);
    expect(
      (await a.pki.readIssuer({ issuer_ref: taken.imported_issuers?.[0] ?? "" })).certificate,
    ).toBe(`${certificate}\n`);
    const nothing = {
      imported_issuers: null,
      imported_keys: null,
      existing_issuers: null,
      existing_keys: null,
      mapping: {},
    };
    for (const text of [crl, `${parameters}\n${parameters}`, `a note\n${crl}${crl}`])
      for (const path of paths)
        expect(await send(a, path, text)).toMatchObject({ status: 200, data: nothing });
    for (const [text, n, why] of [
      ["x".repeat(100), 0, ""],
      [`${certificate}\nthe end`, 1, ""],
      [`${certificate}\n${key}\n-----END`, 2, ""],
      [`${certificate}\n${key.slice(0, -30)}`, 1, ": no END line for PRIVATE KEY"],
    ] as const)
      expect(await refusal(a.pki.importBundle({ pem_bundle: text }))).toEqual([
        400,
        `error when parsing block ${n}: invalid PEM data${why}`,
      ]);
    for (const text of [
      `-----BEGIN CERTIFICATE-----\n${"?".repeat(80)}\n-----END CERTIFICATE-----`,
    ])
      expect(await refusal(a.pki.importBundle({ pem_bundle: text }))).toEqual([
        400,
        expect.stringMatching(/^error when parsing block 0: invalid PEM data/),
      ]);
  });

  it("A 3.6 rule 5: accept keys in every common encoding, and identify the one that cannot be parsed", async () => {
    const a = authority({ seed: 5 });
    for (const key_type of ["ec", "rsa", "ed25519"])
      for (const private_key_format of ["der", "pkcs8"]) {
        const made = await authority({ seed: 6 }).pki.generateExportedRoot({
          common_name: key_type,
          key_type,
          private_key_format,
          ttl: "1000h",
        });
        const taken = await a.pki.importBundle({
          pem_bundle: `${made.certificate}\n${made.private_key ?? ""}`,
        });
        expect((await a.pki.readKey({ key_ref: taken.imported_keys?.[0] ?? "" })).key_type).toBe(
          key_type,
        );
      }
    const { key } = await foreign();
    for (const label of ["ENCRYPTED PRIVATE KEY", "SOMETHING", "PRIVATE KEY"])
      expect(
        await refusal(
          a.pki.importBundle({
            pem_bundle: `${key}\n${encodePem(label, new Uint8Array(80).fill(0x30))}`,
          }),
        ),
      ).toEqual([400, expect.stringMatching(/^Error parsing key 1: /)]);
  });

  it("A 3.6 rule 5: recognize keys by content, not by label", async () => {
    for (const kind of ["ec", "rsa", "ed25519"] as const) {
      const { pkcs8 } = await generateKey(kind, kind === "rsa" ? 2048 : 256);
      for (const der of [pkcs8, derOf(traditionalPem(pkcs8))])
        for (const label of ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "SOME KEY"]) {
          const a = authority();
          const pem_bundle = encodePem(label, der);
          expect((await a.pki.importBundle({ pem_bundle })).imported_keys).toHaveLength(1);
          expect(await a.pki.importKey({ pem_bundle })).toMatchObject({ key_type: kind });
        }
    }
  });

  it("A 3.6 rule 6: reject a certificate that is not a CA, with its subject and serial number", async () => {
    const { certificate, leaf } = await foreign();
    const { subject, serial } = parseCertificate(derOf(leaf));
    for (const path of paths) {
      const answer = await send(authority(), path, `${certificate}\n${leaf}`);
      expect([answer.status, answer.errors]).toEqual([
        400,
        [
          `Error parsing issuer 1: Refusing to import non-CA certificate: subject "${nameText(subject)}", serial number ${serialText(serial)}`,
        ],
      ]);
    }
    const text = encodePem("CERTIFICATE", new Uint8Array(80).fill(0x30));
    for (const path of paths)
      expect((await send(authority(), path, text)).errors).toEqual([
        expect.stringMatching(/^Error parsing issuer 0: /),
      ]);
  });

  it("warn of a default issuer without a key, and of several new issuers of which one became the default", async () => {
    const { certificate, key } = await foreign();
    const a = authority({ seed: 7 });
    const [id = ""] =
      (await a.pki.importCertificates({ pem_bundle: certificate })).imported_issuers ?? [];
    await a.pki.writeIssuersConfig({ default: id });
    const other = await authority({ seed: 8 }).root({ common_name: "Other" });
    expect(warnings(await send(a, paths[2], other.certificate))).toContain(
      "The default issuer has no key",
    );
    const second = await authority({ seed: 9 }).pki.generateExportedRoot({
      common_name: "Second",
      key_type: "ec",
      ttl: "1000h",
    });
    const b = authority({ seed: 10 });
    const both = await b.pki.importBundle({
      pem_bundle: [certificate, key, second.certificate, second.private_key].join("\n"),
    });
    expect(warningsOf(both).join()).toContain("one of them became the default");
  });
});
