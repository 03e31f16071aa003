import { describe, expect, it } from "vitest";
import { encodePem } from "../../src/base/pem.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { traditionalPem } from "../../src/keys/read.ts";
import { parseCsr } from "../../src/x509/csr.ts";
import { authority } from "../support/authority.ts";
import { derOf, labelsOf, openedKey, opensslKeyId } from "./openssl-keys.ts";

const keyPem = async (type: "rsa" | "ec" | "ed25519", bits: number): Promise<string> =>
  encodePem("PRIVATE KEY", (await generateKey(type, bits)).pkcs8);

describe("keys of a mount", () => {
  it("A 4 LIST keys: lists ids with name and default; 404 if there are none", async () => {
    const a = authority();
    expect(await a.call("LIST", "pki/keys")).toMatchObject({ status: 404, errors: [] });
    const one = await a.pki.generateCaKey({ key_type: "ec", key_name: "one" });
    const two = await a.pki.generateCaKey({ key_type: "ed25519" });
    const { data } = await a.call("GET", "pki/keys?list=true");
    expect(data).toEqual({
      keys: [one.key_id, two.key_id].toSorted(),
      key_info: {
        [one.key_id]: { key_name: "one", is_default: true },
        [two.key_id]: { key_name: "", is_default: false },
      },
    });
    expect((await a.pki.listKeys({})).keys).toHaveLength(2);
  });

  it("A 4 LIST keys: with `detailed`, also has the members of a read for those who may read the key", async () => {
    const a = authority();
    const one = (await a.pki.generateCaKey({ key_type: "ec", key_name: "one" })).key_id;
    const two = (await a.pki.generateCaKey({ key_type: "ed25519" })).key_id;
    const listed = async (options: object): Promise<unknown> => {
      const path = "pki/keys?list=true&detailed=true";
      return (await a.call("GET", path, undefined, options)).data["key_info"];
    };
    const read = async (id: string) => (await a.call("GET", `pki/key/${id}`)).data;
    const first = { ...(await read(one)), is_default: true };
    const second = { ...(await read(two)), is_default: false };
    expect(await listed({})).toEqual({ [one]: first, [two]: second });
    const policy = `path "pki/keys" { capabilities = ["list"] }
      path "pki/key/+" { capabilities = ["read"] }
      path "pki/key/${one.toUpperCase()}" { capabilities = ["deny"] }`;
    await a.call("POST", "sys/policies/acl/two", { policy });
    const { json } = await a.call("POST", "auth/token/create", { policies: ["two"] });
    const { client_token: token } = (json as { auth: { client_token: string } }).auth;
    expect((await a.call("GET", `pki/key/${one}`, undefined, { token })).status).toBe(403);
    const named = { key_name: "one", is_default: true };
    expect(await listed({ token })).toEqual({ [one]: named, [two]: second });
  });

  it("A 4 POST keys/generate/internal, /exported: return id, name and type, and only exported returns the private key", async () => {
    const a = authority();
    for (const [body, type, label] of [
      [{}, "rsa", "RSA PRIVATE KEY"],
      [{ key_type: "ec", key_bits: 384 }, "ec", "EC PRIVATE KEY"],
      [{ key_type: "ed25519" }, "ed25519", "PRIVATE KEY"],
    ] as const) {
      const inside = await a.call("POST", "pki/keys/generate/internal", body);
      expect([inside.status, inside.data]).toEqual([
        200,
        { key_id: expect.any(String), key_name: "", key_type: type },
      ]);
      const shown = await a.call("POST", "pki/keys/generate/exported", {
        ...body,
        key_name: `named-${type}`,
      });
      expect(shown.data).toEqual({
        key_id: expect.any(String),
        key_name: `named-${type}`,
        key_type: type,
        private_key: expect.any(String),
      });
      expect(labelsOf(shown.data["private_key"])).toEqual([label]);
      expect(shown.headers.get("cache-control")).toBe("no-store");
    }
    expect((await a.pki.generateExportedCaKey({ key_type: "ec" })).private_key).toContain(
      "EC PRIVATE KEY",
    );
  });

  it("A 4 POST keys/import: accepts PKCS#8, PKCS#1 and SEC1, and returns id, name and type", async () => {
    const a = authority();
    const rsa = await generateKey("rsa", 2048);
    const ec = await generateKey("ec", 224);
    const taken = async (pem_bundle: string, key_name?: string) =>
      (await a.call("POST", "pki/keys/import", { pem_bundle, key_name })).data;
    expect(await taken(await keyPem("ed25519", 0), "ed")).toEqual({
      key_id: expect.any(String),
      key_name: "ed",
      key_type: "ed25519",
    });
    expect(await taken(traditionalPem(rsa.pkcs8))).toMatchObject({ key_type: "rsa" });
    expect(await taken(traditionalPem(ec.pkcs8))).toMatchObject({ key_type: "ec" });
  });

  it("A 4 GET key/:ref: by id, name or `default`; an unknown key is 404, and 500 in the compat dialect", async () => {
    const a = authority();
    const { key_id } = await a.pki.generateCaKey({ key_type: "ec", key_name: "k" });
    for (const ref of [key_id, key_id.toUpperCase(), "k", "default"])
      expect((await a.call("GET", `pki/key/${ref}`)).data).toMatchObject({
        key_id,
        key_name: "k",
        key_type: "ec",
      });
    expect(await a.pki.readKey({ key_ref: "k" })).toMatchObject({ key_id });
    const text = "unable to find PKI key for reference: nothing";
    expect(await a.call("GET", "pki/key/nothing")).toMatchObject({ status: 404, errors: [text] });
    expect(await a.call("GET", "pki/key/nothing", undefined, { compat: true })).toMatchObject({
      status: 500,
      errors: [text],
    });
  });

  it("A 4 POST key/:ref: sets the name", async () => {
    const a = authority();
    const { key_id } = await a.pki.generateCaKey({ key_type: "ec" });
    expect(await a.call("POST", `pki/key/${key_id}`, { key_name: "new" })).toMatchObject({
      status: 200,
      data: { key_id, key_name: "new", key_type: "ec" },
    });
    expect(await a.call("POST", "pki/key/nothing", { key_name: "x" })).toMatchObject({
      status: 400,
    });
    expect(
      await a.call("POST", "pki/key/nothing", { key_name: "x" }, { compat: true }),
    ).toMatchObject({ status: 500 });
  });

  it("A 4 DELETE key/:ref: returns 204, or 200 with a warning", async () => {
    const a = authority();
    const first = await a.pki.generateCaKey({ key_type: "ec" });
    const second = await a.pki.generateCaKey({ key_type: "ec" });
    expect(await a.call("DELETE", `pki/key/${second.key_id}`)).toMatchObject({
      status: 204,
      text: "",
    });
    expect(await a.call("DELETE", `pki/key/${first.key_id}`)).toMatchObject({
      status: 200,
      json: { warnings: expect.stringContaining("configured as the default key") },
    });
    expect((await a.call("LIST", "pki/keys")).status).toBe(404);
  });

  it("A 4 item 1: PATCH is not supported, and private keys cannot be read", async () => {
    const a = authority();
    const { key_id } = await a.pki.generateExportedCaKey({ key_type: "ec", key_name: "k" });
    expect((await a.call("PATCH", `pki/key/${key_id}`, { key_name: "x" })).status).toBe(405);
    for (const path of [`key/${key_id}`, "keys?list=true", "config/keys"])
      expect((await a.call("GET", `pki/${path}`)).text).not.toMatch(/PRIVATE|private|sealed/);
    for (const path of ["export", `keys/${key_id}/export`])
      expect((await a.call("POST", `pki/${path}`, {})).status).toBe(404);
  });

  it("A 4 item 2: subject_key_id is the SHA-1 of the public key with colons, as in openssl; the size is not returned", async () => {
    const a = authority();
    const { key_id, private_key } = await a.pki.generateExportedCaKey({ key_type: "ec" });
    const { data } = await a.call("GET", `pki/key/${key_id}`);
    expect(data).toEqual({
      key_id,
      key_name: "",
      key_type: "ec",
      subject_key_id: opensslKeyId(private_key),
    });
  });

  it("A 4 item 3: unsupported key types and sizes are rejected", async () => {
    const a = authority();
    for (const [body, text] of [
      [
        { key_type: "dsa" },
        /^Validation for key_type, key_bits failed: unknown key type dsa: use rsa, ec\b/,
      ],
      [
        { key_type: "rsa", key_bits: 1024 },
        /^Validation for key_type, key_bits failed: RSA keys < 2048 bits are unsafe and not supported: got 1024$/,
      ],
      [
        { key_type: "rsa", key_bits: 2050 },
        /^Validation for key_type, key_bits failed: unsupported bit length for RSA key: 2050$/,
      ],
      [
        { key_type: "ec", key_bits: 255 },
        /^Validation for key_type, key_bits failed: unsupported bit length for EC key: 255$/,
      ],
    ] as const)
      for (const kind of ["internal", "exported"]) {
        const answer = await a.call("POST", `pki/keys/generate/${kind}`, body);
        expect([answer.status, answer.errors]).toEqual([400, [expect.stringMatching(text)]]);
      }
    await a.pki.generateCaKey({ key_type: "ec", key_name: "taken" });
    for (const kind of ["internal", "exported"]) {
      expect(
        await a.call("POST", `pki/keys/generate/${kind}`, { key_type: "ec", key_name: "taken" }),
      ).toMatchObject({
        status: 400,
        errors: ["key name already in use"],
      });
      expect(
        await a.call("POST", `pki/keys/generate/${kind}`, { key_type: "ec", key_name: "a b" }),
      ).toMatchObject({
        status: 400,
        errors: ["key name contained invalid characters"],
      });
    }
  });

  it("A 4 item 4: an import accepts one unencrypted key, and recognizes an existing one", async () => {
    const a = authority();
    const refused = async (body: object) =>
      (await a.call("POST", "pki/keys/import", body)).errors[0];
    const pem = await keyPem("ec", 256);
    expect(await refused({ pem_bundle: "short" })).toMatch(
      /^provided data for import was too short/,
    );
    expect(await refused({ pem_bundle: `${pem}\n${await keyPem("ec", 256)}` })).toMatch(
      /only a single key can be present within the pem_bundle for importing/,
    );
    const { data } = await a.call("POST", "pki/keys/import", { pem_bundle: pem, key_name: "mine" });
    const again = await a.call("POST", "pki/keys/import", { pem_bundle: pem, key_name: "other" });
    expect(again).toMatchObject({
      status: 200,
      data,
      json: { warnings: "Key already imported, use key/ endpoint to update name." },
    });
    expect(await refused({ pem_bundle: await keyPem("ec", 256), key_name: "mine" })).toBe(
      "key name already in use",
    );
    const locked = openedKey(pem, ["pkcs8", "-topk8", "-passout", "pass:x"]);
    expect(labelsOf(locked)).toEqual(["ENCRYPTED PRIVATE KEY"]);
    expect((await a.call("POST", "pki/keys/import", { pem_bundle: locked })).status).toBe(400);
    expect(
      (await a.call("POST", "pki/keys/import", { pem_bundle: openedKey("", ["genrsa", "1024"]) }))
        .status,
    ).toBe(400);
  });

  it("A 4 item 5: an empty name removes the name with a warning; names are unique, restricted in characters, and not `default`", async () => {
    const a = authority();
    const { key_id } = await a.pki.generateCaKey({ key_type: "ec", key_name: "k" });
    await a.pki.generateCaKey({ key_type: "ec", key_name: "taken" });
    const named = (key_name: string) => a.call("POST", `pki/key/${key_id}`, { key_name });
    expect(await named("a b")).toMatchObject({
      status: 400,
      errors: ["new key name outside of valid character limits"],
    });
    expect(await named("taken")).toMatchObject({
      status: 400,
      errors: ["key name already in use"],
    });
    expect(await named("default")).toMatchObject({
      status: 400,
      errors: ["reserved keyword 'default' can not be used as key name"],
    });
    expect((await named(" trimmed ")).data).toMatchObject({ key_name: "trimmed" });
    const gone = await a.call("POST", `pki/key/${key_id}`, {});
    expect(gone).toMatchObject({
      status: 200,
      data: { key_name: "" },
      json: {
        warnings: `Name successfully deleted, you will now need to reference this key by it's Id: ${key_id}`,
      },
    });
    expect(await named("k")).toMatchObject({ status: 200, data: { key_name: "k" } });
  });

  it("A 4 item 6: a key in use cannot be deleted, an unknown one returns 204, and deleting the default clears it", async () => {
    const a = authority();
    const root = await a.root();
    const answer = await a.call("DELETE", `pki/key/${root.key_id}`);
    expect(answer).toMatchObject({
      status: 400,
      errors: [`Failed to Delete Key.  Key in Use by Issuer: ${root.issuer_id}`],
    });
    for (const compat of [false, true])
      expect((await a.call("DELETE", "pki/key/nothing", undefined, { compat })).status).toBe(204);
    const { key_id } = await a.pki.generateCaKey({ key_type: "ec", key_name: "k" });
    expect(await a.pki.writeKeysConfig({ default: "k" })).toMatchObject({ default: key_id });
    expect((await a.call("DELETE", "pki/key/k")).status).toBe(200);
    expect((await a.call("GET", "pki/config/keys")).data).toEqual({ default: "" });
    expect((await a.call("GET", "pki/key/default")).errors).toEqual([
      "no default key currently configured",
    ]);
  });

  it("a P-224 key signs a CSR that openssl verifies", async () => {
    const a = authority();
    const { csr, key_id } = await a.pki.generateIntermediate({
      common_name: "P-224",
      key_type: "ec",
      key_bits: 224,
    });
    expect(parseCsr(derOf(csr)).spki).toHaveLength(80);
    expect((await a.pki.readKey({ key_ref: key_id })).key_type).toBe("ec");
    expect(openedKey(csr, ["req", "-noout", "-verify"])).toBeDefined();
  });
});
