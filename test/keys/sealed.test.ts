import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { equalBytes, toHex, utf8 } from "../../src/base/bytes.ts";
import { encodePem } from "../../src/base/pem.ts";
import type { KeyPair } from "../../src/algorithms/algorithm.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import type { Scheme } from "../../src/engine/ports.ts";
import { algorithmIdentifier, verifySignature } from "../../src/x509/public-key.ts";

const bytes = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);
const data = utf8("to be signed");
const unopened = {
  code: "storage",
  message: "a sealed secret cannot be opened: it was sealed with a different key, or changed",
};
const schemes: Record<string, readonly Scheme[]> = {
  rsa: (["SHA-256", "SHA-384", "SHA-512"] as const).flatMap(
    (hash) =>
      [
        { name: "RSASSA-PKCS1-v1_5", hash },
        { name: "RSA-PSS", hash },
      ] as const,
  ),
  ec256: [{ name: "ECDSA", hash: "SHA-256" }],
  ec384: [
    { name: "ECDSA", hash: "SHA-384" },
    { name: "ECDSA", hash: "SHA-256" },
  ],
  ec521: [{ name: "ECDSA", hash: "SHA-512" }],
  ed25519: [{ name: "Ed25519" }],
};
const pairs: Record<string, KeyPair> = {};
const pair = (kind: string): KeyPair => {
  const found = pairs[kind];
  if (!found) throw new Error(`no key ${kind}`);
  return found;
};

beforeAll(async () => {
  pairs["rsa"] = await generateKey("rsa", 2048);
  pairs["ed25519"] = await generateKey("ed25519", 0);
  for (const bits of [256, 384, 521]) pairs[`ec${bits}`] = await generateKey("ec", bits);
});
afterEach(() => vi.restoreAllMocks());

describe("sealing", () => {
  it("can be undone with the same binding, and returns a different envelope each time", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const secret = utf8("a secret");
    const [one, two] = [
      await vault.seal(secret, "mount/key/1"),
      await vault.seal(secret, "mount/key/1"),
    ];
    expect(equalBytes(one, two)).toBe(false);
    expect([one[0], one.length]).toEqual([1, 1 + 12 + secret.length + 16]);
    expect(toHex(one)).not.toContain(toHex(secret));
    for (const sealed of [one, two])
      expect(await vault.unseal(sealed, "mount/key/1")).toEqual(secret);
    const empty = await vault.seal(new Uint8Array(), "");
    expect(await vault.unseal(empty, "")).toEqual(new Uint8Array());
  });
  it("rejects another binding, any changed byte, a truncated envelope and an unknown version with the same error", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("ec256");
    const sealed = await vault.seal(pkcs8, "key/1");
    await expect(vault.unseal(sealed, "key/2")).rejects.toMatchObject(unopened);
    await expect(vault.signer(sealed, "key/2", spki)).rejects.toMatchObject(unopened);
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice();
      changed[at] = (changed[at] ?? 0) ^ 1;
      await expect(vault.unseal(changed, "key/1")).rejects.toMatchObject(unopened);
    }
    for (const length of [0, 1, 13, 28, sealed.length - 1])
      await expect(vault.unseal(sealed.slice(0, length), "key/1")).rejects.toMatchObject(unopened);
    await expect(vault.unseal(Uint8Array.of(2, ...sealed.slice(1)), "key/1")).rejects.toMatchObject(
      unopened,
    );
    await expect(sealedVault({ key: bytes(2) }).unseal(sealed, "key/1")).rejects.toMatchObject(
      unopened,
    );
  });
  it("binds the key to its row: two sealed keys cannot be swapped", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const [one, two] = [pair("ec256"), pair("ed25519")];
    const [sealedOne, sealedTwo] = [
      await vault.seal(one.pkcs8, "key/1"),
      await vault.seal(two.pkcs8, "key/2"),
    ];
    await vault.signer(sealedOne, "key/1", one.spki);
    await expect(vault.signer(sealedTwo, "key/1", two.spki)).rejects.toMatchObject(unopened);
    await expect(vault.signer(sealedOne, "key/2", one.spki)).rejects.toMatchObject(unopened);
    await vault.signer(sealedOne, "key/1", one.spki);
  });
  it("accepts a CryptoKey with all three usages, and no other key", async () => {
    const make = (length: number, usages: KeyUsage[]): Promise<CryptoKey> =>
      crypto.subtle.importKey("raw", new Uint8Array(length), "AES-GCM", false, usages);
    const key = await make(32, ["encrypt", "decrypt", "unwrapKey"]);
    const vault = sealedVault({ key });
    expect(await sealedVault({ key: bytes(0) }).unseal(await vault.seal(data, "x"), "x")).toEqual(
      data,
    );
    for (const wrong of [
      await make(16, ["encrypt", "decrypt", "unwrapKey"]),
      await make(32, ["encrypt", "decrypt"]),
    ])
      expect(() => sealedVault({ key: wrong })).toThrow(TypeError);
    const hmac = await crypto.subtle.importKey(
      "raw",
      new Uint8Array(32),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    expect(() => sealedVault({ key: hmac })).toThrow(TypeError);
    for (const length of [0, 16, 31, 33])
      expect(() => sealedVault({ key: bytes(1, length) })).toThrow(TypeError);
    expect(() => sealedVault({ key: bytes(1), previous: bytes(1, 16) })).toThrow(TypeError);
    await expect(
      sealedVault({ key: bytes(1), random: () => bytes(1, 8) }).seal(data, "x"),
    ).rejects.toThrow(TypeError);
  });
  it("neither changes the given key bytes nor follows later changes of them", async () => {
    const key = bytes(5);
    const vault = sealedVault({ key });
    const sealed = await vault.seal(data, "x");
    expect(key).toEqual(bytes(5));
    key.fill(0);
    expect(await vault.unseal(sealed, "x")).toEqual(data);
  });
});

describe("a change of the sealing key", () => {
  it("allows unsealing with the previous key, and seals with the new one", async () => {
    const { pkcs8, spki } = pair("ec256");
    const old = await sealedVault({ key: bytes(1) }).seal(pkcs8, "key/1");
    const vault = sealedVault({ key: bytes(2), previous: bytes(1) });
    expect(await vault.unseal(old, "key/1")).toEqual(pkcs8);
    expect(
      (
        await (
          await vault.signer(old, "key/1", spki)
        ).sign({ name: "ECDSA", hash: "SHA-256" }, data)
      )[0],
    ).toBe(0x30);
    const renewed = await vault.seal(await vault.unseal(old, "key/1"), "key/1");
    expect(await sealedVault({ key: bytes(2) }).unseal(renewed, "key/1")).toEqual(pkcs8);
    await expect(
      sealedVault({ key: bytes(3), previous: bytes(2) }).unseal(old, "key/1"),
    ).rejects.toMatchObject(unopened);
  });
});

describe("a signer", () => {
  it.each(Object.keys(schemes))(
    "of %s signs with every scheme of its type from one sealed record",
    async (kind) => {
      const vault = sealedVault({ key: bytes(1) });
      const { pkcs8, spki } = pair(kind);
      const signer = await vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
      expect([signer.platform, toHex(signer.spki)]).toEqual([true, toHex(spki)]);
      for (const scheme of schemes[kind] ?? []) {
        const signature = await signer.sign(scheme, data);
        expect(await verifySignature(spki, algorithmIdentifier(scheme), data, signature)).toBe(
          true,
        );
        expect(
          await verifySignature(spki, algorithmIdentifier(scheme), utf8("else"), signature),
        ).toBe(false);
      }
      const foreign = schemes[kind === "rsa" ? "ed25519" : "rsa"]?.[0];
      if (foreign) await expect(signer.sign(foreign, data)).rejects.toThrow(TypeError);
    },
  );
  it("has only keys that cannot be extracted, and unseals each scheme once", async () => {
    const unwrap = vi.spyOn(crypto.subtle, "unwrapKey");
    const decrypt = vi.spyOn(crypto.subtle, "decrypt");
    const importing = vi.spyOn(crypto.subtle, "importKey");
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("rsa");
    const signer = await vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
    await Promise.all(
      [1, 2, 3].flatMap(() => (schemes["rsa"] ?? []).map((scheme) => signer.sign(scheme, data))),
    );
    expect(unwrap).toHaveBeenCalledTimes(6);
    expect(decrypt).not.toHaveBeenCalled();
    for (const [format, , , , algorithm, extractable, usages] of unwrap.mock.calls) {
      expect([format, extractable, usages]).toEqual(["pkcs8", false, ["sign"]]);
      expect(algorithm).toMatchObject({ hash: expect.stringMatching(/^SHA-/) });
    }
    expect(importing.mock.calls.map(([format, , , extractable]) => [format, extractable])).toEqual([
      ["raw", false],
      ["spki", false],
    ]);
    for (const { value } of unwrap.mock.results)
      await expect(
        value.then((key: CryptoKey) => crypto.subtle.exportKey("pkcs8", key)),
      ).rejects.toThrow();
    expect(JSON.stringify(signer)).not.toContain(encodePem("x", pkcs8).slice(60, 100));
  });
  it("unseals an EC key once for all hashes", async () => {
    const unwrap = vi.spyOn(crypto.subtle, "unwrapKey");
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("ec384");
    const signer = await vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
    for (const scheme of schemes["ec384"] ?? []) await signer.sign(scheme, data);
    expect(unwrap).toHaveBeenCalledTimes(1);
  });
  it("tries again after a scheme could not be unsealed", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("rsa");
    const signer = await vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
    vi.spyOn(crypto.subtle, "unwrapKey").mockRejectedValueOnce(
      new DOMException("busy", "OperationError"),
    );
    await expect(signer.sign({ name: "RSA-PSS", hash: "SHA-256" }, data)).rejects.toMatchObject(
      unopened,
    );
    expect((await signer.sign({ name: "RSA-PSS", hash: "SHA-256" }, data)).length).toBe(256);
  });
  it("is rejected if the public key does not match", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const foreign = await generateKey("ec", 256);
    await expect(
      vault.signer(await vault.seal(foreign.pkcs8, "key"), "key", pair("ec256").spki),
    ).rejects.toMatchObject(unopened);
  });
  it("is rejected if the public and the private key have different types", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const sealed = await vault.seal(pair("ec256").pkcs8, "key");
    for (const kind of ["rsa", "ed25519", "ec384"])
      await expect(vault.signer(sealed, "key", pair(kind).spki)).rejects.toMatchObject(unopened);
  });
});

describe("cached signers", () => {
  it("are reused for the same bytes, and opened again for others", async () => {
    const unwrap = vi.spyOn(crypto.subtle, "unwrapKey");
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("ed25519");
    const sealed = await vault.seal(pkcs8, "key");
    const [one, two] = await Promise.all([
      vault.signer(sealed, "key", spki),
      vault.signer(sealed.slice(), "key", spki.slice()),
    ]);
    expect(one).toBe(two);
    expect(unwrap).toHaveBeenCalledTimes(1);
    const again = await vault.seal(pkcs8, "key");
    expect(await vault.signer(again, "key", spki)).not.toBe(one);
    expect(unwrap).toHaveBeenCalledTimes(2);
    const changed = again.slice();
    changed[20] = (changed[20] ?? 0) ^ 1;
    await expect(vault.signer(changed, "key", spki)).rejects.toMatchObject(unopened);
  });
  it("are not affected if the caller changes the bytes afterwards", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("rsa");
    const sealed = await vault.seal(pkcs8, "key");
    const signer = await vault.signer(sealed, "key", spki);
    sealed.fill(0);
    expect((await signer.sign({ name: "RSA-PSS", hash: "SHA-512" }, data)).length).toBe(256);
    await expect(vault.signer(sealed, "key", spki)).rejects.toMatchObject(unopened);
  });
  it("are limited in number, and the least recently used one is evicted first", async () => {
    const unwrap = vi.spyOn(crypto.subtle, "unwrapKey");
    const { pkcs8, spki } = pair("ed25519");
    for (const [cacheSize, bound] of [
      [undefined, 64],
      [2, 2],
      [0, 0],
    ] as const) {
      const vault = sealedVault({ key: bytes(1), ...(cacheSize !== undefined && { cacheSize }) });
      const rows = await Promise.all(
        Array.from(
          { length: bound + 1 },
          async (_, at) => [await vault.seal(pkcs8, `key/${at}`), `key/${at}`] as const,
        ),
      );
      const [first, second = first, ...more] = rows;
      unwrap.mockClear();
      for (const row of [first, second, first, ...more.slice(0, bound)])
        if (row) await vault.signer(...row, spki);
      // Filled up to the limit: one unsealing each. Then the second was the least recently used.
      const openings = bound === 0 ? 3 : bound + 1;
      expect(unwrap).toHaveBeenCalledTimes(openings);
      if (first && bound > 0) await vault.signer(...first, spki);
      expect(unwrap).toHaveBeenCalledTimes(openings);
      if (second) await vault.signer(...second, spki);
      expect(unwrap).toHaveBeenCalledTimes(openings + 1);
    }
  });
  it("do not include one that could not be opened", async () => {
    const vault = sealedVault({ key: bytes(1) });
    const { pkcs8, spki } = pair("ec256");
    const sealed = await vault.seal(pkcs8, "key");
    vi.spyOn(crypto.subtle, "unwrapKey").mockRejectedValueOnce(
      new DOMException("busy", "OperationError"),
    );
    await expect(vault.signer(sealed, "key", spki)).rejects.toMatchObject(unopened);
    expect((await vault.signer(sealed, "key", spki)).platform).toBe(true);
  });
});
