import { describe, expect, it } from "vitest";
import { authority, refusal, warningsOf, type Authority } from "../support/authority.ts";

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const defaults = async (a: Authority) => ({
  issuer: (await a.pki.readIssuersConfig({})).default,
  key: (await a.pki.readKeysConfig({})).default,
});
/** Creates a root with its key in another authority. */
async function foreign(seed: number, common_name = `Foreign ${seed}`) {
  const root = await authority({ seed }).pki.generateExportedRoot({
    common_name,
    key_type: "ec",
    ttl: "80000h",
  });
  return { certificate: root.certificate, key: root.private_key ?? "" };
}

describe("references", () => {
  it("A 2 item 1, A 2 item 2: an issuer or key is referenced by `default`, id or name; malformed references match no route", async () => {
    const a = authority();
    const root = await a.root({ key_name: "k1" });
    for (const ref of ["default", "Default", root.issuer_id, root.issuer_id.toUpperCase(), "root"])
      expect((await a.call("GET", `pki/issuer/${ref}`)).data["issuer_id"]).toBe(root.issuer_id);
    for (const ref of ["default", "DEFAULT", root.key_id, "k1"])
      expect((await a.call("GET", `pki/key/${ref}`)).data["key_id"]).toBe(root.key_id);
    expect((await a.call("GET", "pki/issuer/ROOT")).errors).toEqual([
      "unable to find PKI issuer for reference: ROOT",
    ]);
    for (const ref of ["-root", "root-", ".root", "ro~ot"])
      expect((await a.call("GET", `pki/issuer/${ref}`)).errors).toEqual([
        "1 error occurred:\n\t* unsupported path\n\n",
      ]);
    expect(await a.pki.writeIssuersConfig({ default: " root " })).toMatchObject({
      default: root.issuer_id,
    });
  });

  it("A 2 item 2: the role of sign-verbatim may be any text; an invalid name is an unknown role", async () => {
    const a = authority();
    await a.root();
    for (const [path, name] of [
      ["a%20b", "a b"],
      ["-x", "-x"],
      ["x.", "x."],
      ["a/b", "a/b"],
      ["%C3%A4", "ä"],
      ["nope", "nope"],
      ["x".repeat(600), "x".repeat(256)],
    ])
      for (const base of ["sign-verbatim", "issuer/root/sign-verbatim", "explain/sign-verbatim"])
        expect(await a.call("POST", `pki/${base}/${path}`, { csr: "x" })).toMatchObject({
          status: 400,
          errors: [`unknown role: ${name}`],
        });
    expect((await a.call("POST", "pki/sign/a%20b", {})).status).toBe(404);
    expect((await a.call("POST", "pki/sign-verbatim/x/", {})).errors).toEqual([
      "cannot write to a path ending in '/'",
    ]);
    expect((await a.call("GET", "pki/sign-verbatim/a/b")).status).toBe(405);
  });

  it("A 2 item 4: an empty key name is rejected wherever a key is created; an omitted one leaves it unnamed", async () => {
    const a = authority();
    const pem_bundle = (await a.pki.generateExportedCaKey({ key_type: "ec" })).private_key;
    await a.pki.deleteKey({ key_ref: "default" });
    for (const [path, body] of [
      ["keys/generate/internal", { key_type: "ec" }],
      ["keys/generate/exported", { key_type: "ec" }],
      ["keys/import", { pem_bundle }],
      ["root/generate/internal", { key_type: "ec" }],
      ["intermediate/generate/internal", { key_type: "ec" }],
    ] as const) {
      for (const key_name of ["", " ", null])
        expect((await a.call("POST", `pki/${path}`, { ...body, key_name })).errors).toEqual([
          "key name contained invalid characters",
        ]);
      expect([path, (await a.call("POST", `pki/${path}`, body)).status]).toEqual([path, 200]);
    }
  });

  it("A 2 item 3, A 2 item 4, A 2 item 5: names are trimmed, and must not be empty, reserved, malformed or taken; ids are random", async () => {
    const a = authority();
    const root = await a.root({ issuer_name: " root ", key_name: " k1 " });
    expect(root).toMatchObject({
      issuer_name: "root",
      key_name: "k1",
      issuer_id: expect.stringMatching(uuid),
      key_id: expect.stringMatching(uuid),
    });
    const cases = [
      [{ issuer_name: " " }, "expected non-empty issuer name"],
      [{ issuer_name: "DEFAULT" }, "reserved keyword 'default' can not be used as issuer name"],
      [{ issuer_name: "a/b" }, "issuer name contained invalid characters"],
      [{ issuer_name: "root" }, "issuer name already in use"],
      [{ issuer_name: root.issuer_id }, "issuer name already in use"],
      [
        { issuer_name: "two", key_name: "default" },
        "reserved keyword 'default' can not be used as key name",
      ],
      [{ issuer_name: "two", key_name: "" }, "key name contained invalid characters"],
      [{ issuer_name: "two", key_name: "k1" }, "key name already in use"],
    ] as const;
    for (const [input, text] of cases) expect(await refusal(a.root(input))).toEqual([400, text]);
  });
});

describe("the defaults", () => {
  it("A 2.1 item 1: a new issuer with a key becomes the default if there is none; one without a key never does", async () => {
    const a = authority();
    const [keyless = ""] =
      (await a.pki.importCertificates({ pem_bundle: (await foreign(11)).certificate }))
        .imported_issuers ?? [];
    expect(keyless).toMatch(uuid);
    expect((await defaults(a)).issuer).toBe("");
    const first = await a.root();
    expect((await defaults(a)).issuer).toBe(first.issuer_id);
    await a.root({ issuer_name: "second" });
    expect((await defaults(a)).issuer).toBe(first.issuer_id);
    await a.pki.deleteIssuer({ issuer_ref: "default" });
    const third = await a.root({ issuer_name: "third" });
    expect((await defaults(a)).issuer).toBe(third.issuer_id);
  });

  it("A 2.1 item 1: changing an issuer does not make it the default", async () => {
    const a = authority();
    await a.root();
    const two = await a.root({ issuer_name: "two" });
    await a.pki.deleteIssuer({ issuer_ref: "root" });
    await a.pki.patchIssuer({ issuer_ref: "two", leaf_not_after_behavior: "permit" });
    await a.pki.writeIssuer({ issuer_ref: "two", issuer_name: "two" });
    await a.pki.revokeIssuer({ issuer_ref: "two" });
    expect((await a.pki.readIssuersConfig({})).default).toBe("");
    expect(await a.pki.writeIssuersConfig({ default: "two" })).toMatchObject({
      default: two.issuer_id,
    });
  });

  it("A 2.1 item 2: a new key becomes the default if there is none", async () => {
    const a = authority();
    const { key_id } = await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    expect((await defaults(a)).key).toBe(key_id);
    await a.root();
    expect((await defaults(a)).key).toBe(key_id);
    await a.pki.deleteKey({ key_ref: "default" });
    expect((await defaults(a)).key).toBe("");
    const next = await a.pki.generateCaKey({ key_type: "ec" });
    expect((await defaults(a)).key).toBe(next.key_id);
  });

  it("A 2.1 item 3: an imported key is linked to the issuers with its public key, the first of which becomes the default, and vice versa", async () => {
    const a = authority();
    const { certificate, key } = await foreign(12);
    const [id = ""] =
      (await a.pki.importCertificates({ pem_bundle: certificate })).imported_issuers ?? [];
    const { key_id } = await a.pki.importKey({ pem_bundle: key });
    expect((await a.pki.readIssuer({ issuer_ref: id })).key_id).toBe(key_id);
    expect((await defaults(a)).issuer).toBe(id);
    const b = authority({ seed: 2 });
    const held = await b.pki.importKey({ pem_bundle: key });
    const taken = await b.pki.importCertificates({ pem_bundle: certificate });
    expect(taken.mapping).toEqual({ [taken.imported_issuers?.[0] ?? ""]: held.key_id });
    expect((await defaults(b)).issuer).toBe(taken.imported_issuers?.[0]);
  });

  it("A 2.1 item 4: default_follows_latest_issuer applies to new roots and imports of one issuer, not to CSRs", async () => {
    const a = authority();
    await a.root();
    await a.pki.writeIssuersConfig({ default: "root", default_follows_latest_issuer: true });
    const second = await a.root({ issuer_name: "second" });
    expect((await defaults(a)).issuer).toBe(second.issuer_id);
    await a.pki.generateIntermediate({ common_name: "I", key_type: "ec" });
    expect((await defaults(a)).issuer).toBe(second.issuer_id);
    const [one, two, three] = [await foreign(13), await foreign(14), await foreign(15)];
    const single = await a.pki.importBundle({ pem_bundle: `${one.certificate}\n${one.key}` });
    expect((await defaults(a)).issuer).toBe(single.imported_issuers?.[0]);
    const both = await a.pki.importBundle({
      pem_bundle: [two, three].map(({ certificate, key }) => `${certificate}\n${key}`).join("\n"),
    });
    expect((await defaults(a)).issuer).toBe(single.imported_issuers?.[0]);
    expect(warningsOf(both).join()).toContain("Default issuer left unchanged");
  });

  it("A 2.1 item 5: a known certificate or key is returned instead of created again", async () => {
    const a = authority();
    const { certificate, key } = await foreign(16);
    const first = await a.pki.importBundle({ pem_bundle: `${certificate}\n${key}` });
    const again = await a.pki.importBundle({
      pem_bundle: `${key}\n${certificate}\n${certificate}`,
    });
    expect(again).toMatchObject({
      imported_issuers: null,
      imported_keys: null,
      existing_issuers: first.imported_issuers,
      existing_keys: first.imported_keys,
      mapping: first.mapping,
    });
    expect((await a.pki.importKey({ pem_bundle: key })).key_id).toBe(first.imported_keys?.[0]);
    expect([(await a.pki.listIssuers({})).keys, (await a.pki.listKeys({})).keys]).toEqual([
      first.imported_issuers,
      first.imported_keys,
    ]);
  });
});
