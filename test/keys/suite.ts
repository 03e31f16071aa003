import { describe, expect, it, vi } from "vitest";
import { fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { explicit, integer, octets, oid, readDer, sequence } from "../../src/base/der.ts";
import { encodePem } from "../../src/base/pem.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { openPkcs8, traditionalKey, traditionalPem } from "../../src/keys/signer.ts";
import { readPrivateKey } from "../../src/keys/read.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import {
  algorithmIdentifier,
  defaultScheme,
  verifySignature,
  parsePublicKey,
} from "../../src/x509/public-key.ts";
import { algorithmFor, keyAlgorithms } from "../../src/algorithms/table.ts";
import { keyOid } from "../algorithms/parameters.ts";

const types = keyAlgorithms.map(({ type, sizes }) => [type, sizes[0] ?? 0] as const);
const curves: Readonly<Record<number, string>> = {
  224: keyOid.p224,
  256: keyOid.p256,
  384: keyOid.p384,
  521: keyOid.p521,
};
const orders: readonly (readonly [bits: number, order: string])[] = [
  [224, "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d"],
  [256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"],
  [
    384,
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973",
  ],
  [
    521,
    "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409",
  ],
];
/** Zero, the order and a value far above it. */
const outside = orders.flatMap(([bits, order]) =>
  [order.replace(/./g, "0"), order, order.replace(/./g, "f")].map((hex) => [bits, hex] as const),
);
/** Encodes an EC key without its point. */
const sec1 = (bits: number, scalar: Uint8Array): string =>
  encodePem(
    "EC PRIVATE KEY",
    sequence(integer(1), octets(scalar), explicit(0, oid(curves[bits] ?? ""))),
  );
function scalarOf(pkcs8: Uint8Array): Uint8Array {
  const key = readDer(openPkcs8(pkcs8).key, "key").enter("key");
  key.raw("version");
  return key.octets("scalar");
}
const refused = { code: expect.stringMatching(/^(bad_key|malformed)$/) };

/** Registers tests for every runtime: generating, parsing, sealing and signing with WebCrypto. */
export function keySuite(): void {
  describe("keys in this runtime", () => {
    it.each(types)(
      "%s %d: is generated, encoded, read and sealed, and signs",
      async (type, bits) => {
        const { pkcs8, spki } = await generateKey(type, bits);
        for (const text of [traditionalPem(pkcs8), encodePem("PRIVATE KEY", pkcs8)])
          expect(toHex((await readPrivateKey(text)).spki)).toBe(toHex(spki));
        const vault = sealedVault({
          key: new Uint8Array(32).fill(2),
          previous: new Uint8Array(32).fill(1),
        });
        const sealed = await sealedVault({ key: new Uint8Array(32).fill(1) }).seal(pkcs8, "key/1");
        const signer = await vault.signer(sealed, "key/1", spki);
        const publicKey = parsePublicKey(spki);
        const scheme = defaultScheme(publicKey, 0, true);
        expect(
          await verifySignature(
            spki,
            algorithmIdentifier(scheme),
            utf8("x"),
            await signer.sign(scheme, utf8("x")),
          ),
        ).toBe(true);
        await expect(vault.signer(sealed, "key/2", spki)).rejects.toMatchObject({
          code: "storage",
        });
        await expect(vault.unseal(sealed.slice(0, -1), "key/1")).rejects.toMatchObject({
          code: "storage",
        });
      },
    );
    it.each([224, 256, 384, 521])(
      "EC %d: a missing public point is computed, and a given one is checked",
      async (bits) => {
        const { pkcs8, spki } = await generateKey("ec", bits);
        const other = await generateKey("ec", bits);
        const [mine, theirs] = [pkcs8, other.pkcs8].map((der) =>
          readDer(openPkcs8(der).key, "key").enter("key"),
        );
        if (!mine || !theirs) throw new Error("no keys");
        const head = [
          mine.raw("version"),
          mine.raw("scalar"),
          explicit(0, oid(curves[bits] ?? "")),
        ];
        theirs.raw("version");
        theirs.raw("scalar");
        expect(
          toHex((await readPrivateKey(encodePem("EC PRIVATE KEY", sequence(...head)))).spki),
        ).toBe(toHex(spki));
        await expect(
          readPrivateKey(encodePem("EC PRIVATE KEY", sequence(...head, theirs.raw("point", 0xa1)))),
        ).rejects.toMatchObject(refused);
      },
    );
    it.each(types.filter(([type]) => type === "ec"))(
      "%s %d: is read even if the platform exports no key that came without its point",
      async (_, bits) => {
        const { pkcs8, spki } = await generateKey("ec", bits);
        const refusing = vi
          .spyOn(crypto.subtle, "exportKey")
          .mockRejectedValue(new DOMException("no point", "OperationError"));
        try {
          for (const text of [
            encodePem("PRIVATE KEY", pkcs8),
            traditionalPem(pkcs8),
            sec1(bits, scalarOf(pkcs8)),
          ])
            expect(await readPrivateKey(text)).toEqual({ type: "ec", bits, pkcs8, spki });
        } finally {
          refusing.mockRestore();
        }
      },
    );
    it.each(outside)("the EC %d scalar %s is rejected", async (bits, hex) => {
      await expect(readPrivateKey(sec1(bits, fromHex(hex)))).rejects.toMatchObject(refused);
    });
    it("a signer is rejected if the sealed key has another curve or type than the public key", async () => {
      const vault = sealedVault({ key: new Uint8Array(32) });
      const pairs = await Promise.all(types.map(([type, bits]) => generateKey(type, bits)));
      for (const one of pairs) {
        const sealed = await vault.seal(one.pkcs8, "key");
        for (const other of pairs)
          if (other !== one)
            await expect(vault.signer(sealed, "key", other.spki)).rejects.toMatchObject({
              code: "storage",
            });
      }
    });
    it.each(types)("%s %d: the traditional form is not accepted as PKCS#8", async (type, bits) => {
      const { pkcs8 } = await generateKey(type, bits);
      if (algorithmFor(type, bits).algorithm.older)
        await expect(
          readPrivateKey(encodePem("PRIVATE KEY", traditionalKey(pkcs8).der)),
        ).rejects.toMatchObject(refused);
    });
  });
}
