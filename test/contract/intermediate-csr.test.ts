import { describe, expect, it } from "vitest";
import { parseCsr } from "../../src/x509/csr.ts";
import { algorithmName } from "../../src/x509/public-key.ts";
import { nameText } from "../../src/x509/name.ts";
import { extensionOid } from "../../src/x509/oid.ts";
import { readKeyUsage } from "../../src/x509/usage.ts";
import { bytesOf, derOf, labelsOf } from "../pki/reading.ts";
import { authority, refusal, warningsOf, type Authority } from "../support/authority.ts";

type RequestInput = Partial<Parameters<Authority["pki"]["generateIntermediate"]>[0]>;
const asked = async (input: RequestInput) =>
  parseCsr(
    derOf(
      (
        await authority().pki.generateIntermediate({
          common_name: "Below CA",
          key_type: "ec",
          ...input,
        })
      ).csr,
    ),
  );

describe("CSRs of intermediates", () => {
  it("A 3.1 POST intermediate/generate/:t, issuers/generate/intermediate/:t: generate an internal or exported key, or use an existing one; other types are rejected", async () => {
    const a = authority();
    for (const path of ["intermediate/generate", "issuers/generate/intermediate"]) {
      const send = (type: string, body: object = {}) =>
        a.call("POST", `pki/${path}/${type}`, {
          common_name: "I",
          ...(type === "existing" ? {} : { key_type: "ec" }),
          ...body,
        });
      const inside = await send("internal");
      expect([inside.status, Object.keys(inside.data).sort()]).toEqual([200, ["csr", "key_id"]]);
      expect((await send("exported")).data).toMatchObject({
        private_key: expect.stringContaining("EC PRIVATE KEY"),
        private_key_type: "ec",
      });
      expect((await send("existing", { key_ref: inside.data["key_id"] })).data["key_id"]).toBe(
        inside.data["key_id"],
      );
      const other = await send("elsewhere");
      expect([other.status, other.errors]).toEqual([
        400,
        ['the "exported" path parameter must be "internal", "existing", exported" or "kms"'],
      ]);
    }
    expect(
      warningsOf(await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" })).join(),
    ).toContain("authority information access");
  });

  it("A 3.1 POST intermediate/cross-sign, A 3.5 item 4: uses an existing key even if the body asks for an exported one", async () => {
    const a = authority();
    const root = await a.root();
    const cross = await a.call("POST", "pki/intermediate/cross-sign", {
      common_name: "Cross",
      exported: "exported",
      key_ref: root.key_id,
    });
    expect([cross.data["key_id"], cross.data["private_key"]]).toEqual([root.key_id, undefined]);
    expect((await a.pki.listKeys({})).keys).toEqual([root.key_id]);
    const refused = await a.call("POST", "pki/intermediate/cross-sign", {
      common_name: "Cross",
      key_type: "ec",
    });
    expect([refused.status, refused.errors]).toEqual([
      400,
      [expect.stringContaining("key_type nor key_bits arguments can be set in this mode")],
    ]);
  });

  it("A 3.5 add_basic_constraints, A 3.5 key_usage, A 3.5 item 2: the CSR requests the given values and nothing else", async () => {
    const bare = await asked({});
    expect([nameText(bare.subject).includes("Below CA"), bare.extensions]).toEqual([true, []]);
    const full = await asked({
      add_basic_constraints: true,
      key_usage: "CertSign, crlsign, nonsense",
      alt_names: "a.test",
      organization: "O",
    });
    expect(full.extensions.map(({ oid }) => oid).toSorted()).toEqual(
      [
        extensionOid.subjectAltName,
        extensionOid.basicConstraints,
        extensionOid.keyUsage,
      ].toSorted(),
    );
    const basic = full.extensions.find(({ oid }) => oid === extensionOid.basicConstraints);
    expect([basic?.critical, basic?.value]).toEqual([true, Uint8Array.of(0x30, 3, 1, 1, 0xff)]);
    const usage = full.extensions.find(({ oid }) => oid === extensionOid.keyUsage);
    expect(usage && readKeyUsage(usage.value)).toEqual(["CertSign", "CRLSign"]);
  });

  it("A 3.5 signature_bits, A 3.5 use_pss: apply to the signature of RSA keys only", async () => {
    const cases = [
      [{ key_type: "rsa", signature_bits: 384 }, "SHA384WithRSA"],
      [{ key_type: "rsa", use_pss: true }, "SHA256WithRSAPSS"],
      [{ key_type: "ec", signature_bits: 512, use_pss: true }, "ECDSAWithSHA256"],
      [{ key_type: "ed25519", signature_bits: 512 }, "Ed25519"],
    ] as const;
    for (const [input, name] of cases)
      expect(algorithmName((await asked(input)).algorithm)).toBe(name);
  });

  it("A 3.5 item 1: the CSR is returned as PEM, as DER, or in a bundle after its exported key", async () => {
    const a = authority();
    const send = async (type: string, format: string) =>
      (
        await a.call("POST", `pki/intermediate/generate/${type}`, {
          common_name: "I",
          key_type: "ec",
          format,
        })
      ).data["csr"];
    expect(labelsOf(await send("internal", "pem"))).toEqual(["CERTIFICATE REQUEST"]);
    expect(nameText(parseCsr(bytesOf(await send("internal", "der"))).subject)).toContain("I");
    expect(labelsOf(await send("internal", "pem_bundle"))).toEqual(["CERTIFICATE REQUEST"]);
    expect(labelsOf(await send("exported", "pem_bundle"))).toEqual([
      "EC PRIVATE KEY",
      "CERTIFICATE REQUEST",
    ]);
    for (const format of ["", "pkcs12_bundle"])
      expect(
        (
          await a.call("POST", "pki/intermediate/generate/internal", {
            common_name: "I",
            key_type: "ec",
            format,
          })
        ).errors,
      ).toEqual(['the "format" path parameter must be "pem", "der", or "pem_bundle"']);
  });

  it("A 3.5 item 3: the key is stored, by the rules of the default key, and no issuer; lifetimes are validated without effect", async () => {
    const a = authority();
    const { key_id } = await a.pki.generateIntermediate({
      common_name: "I",
      key_type: "ec",
      key_name: "k",
      ttl: "1h",
      not_before_duration: "1m",
    });
    expect((await a.pki.listKeys({})).key_info).toEqual({
      [key_id]: { key_name: "k", is_default: true },
    });
    expect((await a.call("LIST", "pki/issuers")).status).toBe(404);
    for (const input of [
      { not_after: "tomorrow" },
      { not_before: "now" },
      { ttl: "x" },
      { ttl: "1h", not_after: "2031-01-01T00:00:00Z" },
      { not_after: "2001-01-01T00:00:00Z" },
    ])
      expect(
        (
          await refusal(a.pki.generateIntermediate({ common_name: "I", key_type: "ec", ...input }))
        )[0],
      ).toBe(400);
    for (const path of [
      "intermediate/generate/exported",
      "intermediate/generate/existing",
      "intermediate/cross-sign",
    ])
      expect(
        (await a.call("POST", `pki/${path}`, { ttl: "1h", not_after: "2031-01-01T00:00:00Z" }))
          .errors,
      ).toEqual([
        "Either ttl or not_after should be provided. Both should not be provided in the same request.",
      ]);
    expect((await a.pki.listKeys({})).keys).toEqual([key_id]);
    // a CSR has no expiry, so that no lifetime is capped
    const long = await a.call("POST", "pki/intermediate/generate/internal", {
      common_name: "I",
      key_type: "ec",
      ttl: "900000h",
    });
    expect([long.status, long.json["warnings"]]).toEqual([
      200,
      expect.not.stringContaining("maxTTL"),
    ]);
  });
});
