import { describe, expect, it } from "vitest";
import { certsOnly } from "../../../src/archive/pkcs7.ts";
import { writePkcs12 } from "../../../src/archive/pkcs12.ts";
import { toBase64 } from "../../../src/base/bytes.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { authority, type Authority } from "../../support/authority.ts";
import { entryOf, random } from "../../archive/entry.ts";
import { legacy, quick, vectorPassword } from "../../archive/vectors.ts";

/** Returns a root and its key as PKCS#12, created by another authority. */
async function root() {
  const { pki } = authority({ seed: 2 });
  const made = await pki.generateExportedRoot({
    common_name: "Root",
    key_type: "ec",
    format: "pkcs12_bundle",
  });
  return { pem: made.issuing_ca, pkcs12: made.certificate, password: made.pkcs12_password ?? "" };
}
const derOf = (pem: string) => decodePem(pem)[0]?.der ?? new Uint8Array();
const stored = async (a: Authority) => [
  (await a.call("LIST", "pki/keys")).status,
  (await a.call("LIST", "pki/issuers")).status,
];

describe("PKCS#12 and PKCS#7 imports", () => {
  it.each(["issuers/import/bundle", "config/ca"])(
    "A 3.6 rule 5: %s imports a CA and its key from a PKCS#12 archive, and the CA can issue",
    async (path) => {
      const { pem, pkcs12, password } = await root();
      const a = authority();
      const lines = pkcs12.replace(/.{64}/g, "$&\r\n");
      const body = { pkcs12: lines, pkcs12_password: password };
      const told = await a.call("POST", `pki/${path}`, body);
      expect(told.status).toBe(200);
      expect(told.data).toMatchObject({
        imported_issuers: [expect.any(String)],
        imported_keys: [expect.any(String)],
        existing_issuers: null,
      });
      await a.role("web");
      const leaf = await a.pki.issue({ role: "web", common_name: "www.test", ttl: "1h" });
      expect(leaf.issuing_ca).toBe(pem);
      expect((await a.call("POST", `pki/${path}`, body)).data).toMatchObject({
        imported_issuers: null,
        existing_keys: [expect.any(String)],
      });
    },
  );

  it("A 3.6 rule 5: every import path accepts the certificates of a PKCS#7 block", async () => {
    const { pem } = await root();
    for (const label of ["PKCS7", "CMS"])
      for (const path of [
        "issuers/import/bundle",
        "issuers/import/cert",
        "intermediate/set-signed",
      ]) {
        const a = authority();
        const body = { pem_bundle: encodePem(label, certsOnly([derOf(pem)])) };
        const told = await a.call("POST", `pki/${path}`, body);
        expect([label, path, told.status]).toEqual([label, path, 200]);
        expect(told.data["imported_issuers"]).toHaveLength(1);
      }
  });

  it("accepts an archive encrypted with 3DES and RC2", async () => {
    const body = { pkcs12: toBase64(legacy), pkcs12_password: vectorPassword };
    const told = await authority().call("POST", "pki/config/ca", body);
    expect(told.status).toBe(200);
    expect(told.data["imported_keys"]).toHaveLength(1);
  });

  it("security row 78: a rejected archive stores nothing", async () => {
    const { pem, pkcs12, password } = await root();
    const { key, certificates } = await entryOf("ec");
    const leaf = await writePkcs12(
      { key, certificates },
      { encoder: "modern2026", password, random },
    );
    const a = authority();
    const wrong = "PKCS#12: the password is wrong, or the archive was changed";
    for (const [path, body, text] of [
      ["issuers/import/bundle", { pkcs12 }, wrong],
      ["config/ca", { pkcs12, pkcs12_password: "wrong" }, wrong],
      [
        "config/ca",
        { pkcs12: "not base64!", pkcs12_password: password },
        "the PKCS#12 archive is not valid base64",
      ],
      [
        "config/ca",
        { pkcs12, pkcs12_password: password, pem_bundle: pem },
        "pkcs12 cannot be combined with pem_bundle or certificate: send only one of them",
      ],
      [
        "config/ca",
        { pkcs12: toBase64(leaf), pkcs12_password: password },
        /^Error parsing issuer 0: Refusing to import non-CA certificate/,
      ],
      [
        "issuers/import/cert",
        { pkcs12, pkcs12_password: password },
        "unknown fields: pkcs12, pkcs12_password",
      ],
      ["config/ca", { pem_bundle: encodePem("PKCS7", derOf(pem)) }, /^PKCS#7/],
      [
        "config/ca",
        { pem_bundle: encodePem("PKCS12", quick) },
        /a PEM block of "PKCS12" is not a private key|has tag 0x30 instead of 0x4/,
      ],
    ] as const) {
      const told = await a.call("POST", `pki/${path}`, body);
      expect([told.status, told.errors]).toEqual([400, [expect.stringMatching(text)]]);
      expect(await stored(a)).toEqual([404, 404]);
      expect(JSON.stringify(a.events)).not.toContain(password);
    }
  });
});
