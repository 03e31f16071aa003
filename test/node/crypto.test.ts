import { expect, it, vi } from "vitest";
import { utf8 } from "../../src/base/bytes.ts";
import { openPkcs8 } from "../../src/keys/signer.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import type { EcKey } from "../../src/index.ts";
import { nodeCrypto } from "../../src/node/index.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  verifySignature,
  parsePublicKey,
} from "../../src/x509/public-key.ts";

const vault = sealedVault({ key: new Uint8Array(32).fill(1), crypto: nodeCrypto });
const data = utf8("to be signed");

it.each([
  ["ec", 256, true],
  ["ec", 384, false],
  ["ed25519", 0, true],
  ["rsa", 2048, false],
] as const)("keys of type %s, %i bits, sign: directly %s", async (type, bits, direct) => {
  const { pkcs8, spki } = await generateKey(type, bits, { crypto: nodeCrypto });
  const signer = await vault.signer(await vault.seal(pkcs8, "a"), "a", spki);
  const scheme = defaultScheme(parsePublicKey(spki));
  const platform = vi.spyOn(crypto.subtle, "sign");
  const signature = await signer.sign(scheme, data);
  expect(platform).toHaveBeenCalledTimes(direct ? 0 : 1);
  platform.mockRestore();
  expect(await verifySignature(spki, algorithmIdentifier(scheme), data, signature)).toBe(true);
});

it("a key on P-256 is made without WebCrypto, and has the form of others", async () => {
  const platform = vi.spyOn(crypto.subtle, "generateKey");
  const direct = await generateKey("ec", 256, { crypto: nodeCrypto });
  expect(platform).not.toHaveBeenCalled();
  platform.mockRestore();
  const usual = await generateKey("ec", 256);
  expect([direct.pkcs8.length, direct.spki.length]).toEqual([
    usual.pkcs8.length,
    usual.spki.length,
  ]);
  expect(openPkcs8(direct.pkcs8)).toBeDefined();
});

it("a key on P-256 whose private key begins with a zero octet has its full length", async () => {
  let key: EcKey | undefined;
  // one of 256 does
  for (let tries = 0; tries < 10_000 && key?.scalar[0] !== 0; tries++)
    key = nodeCrypto.ecKey("P-256");
  expect([key?.scalar[0], key?.scalar.length, key?.point.length]).toEqual([0, 32, 65]);
  const { pkcs8, spki } = await generateKey("ec", 256, {
    crypto: { ...nodeCrypto, ecKey: () => key },
  });
  const scheme = defaultScheme(parsePublicKey(spki));
  const signer = await vault.signer(await vault.seal(pkcs8, "a"), "a", spki);
  const signature = await signer.sign(scheme, data);
  expect(await verifySignature(spki, algorithmIdentifier(scheme), data, signature)).toBe(true);
});

it("a private key that is not that of the public one is not opened", async () => {
  const [one, two] = [await generateKey("ec", 256), await generateKey("ec", 256)];
  const sealed = await vault.seal(one.pkcs8, "a");
  await expect(vault.signer(sealed, "a", two.spki)).rejects.toMatchObject({ code: "storage" });
  const noKey = await vault.seal(utf8("no key"), "a");
  await expect(vault.signer(noKey, "a", one.spki)).rejects.toMatchObject({ code: "storage" });
});

it("SHA-256 is computed without WebCrypto, and equals its result", async () => {
  for (const length of [0, 1, 64, 5000]) {
    const bytes = new Uint8Array(length).fill(7);
    const expected = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    expect(new Uint8Array(nodeCrypto.sha256?.(bytes) ?? [])).toEqual(expected);
  }
});
