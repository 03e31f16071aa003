import { describe, expect, it } from "vitest";
import { ecdsa, weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { sha256 } from "@noble/hashes/sha2.js";
import * as fc from "fast-check";
import { concat, fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { nullValue, octets, oid, sequence } from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import type { Scheme } from "../../src/engine/ports.ts";
import * as algorithm from "../../src/x509/public-key.ts";
import { ecdsaToDer, ecdsaToRaw } from "../../src/algorithms/nist-curves.ts";
import { verifyEcdsa } from "../../src/algorithms/ecdsa-verify.ts";
import { bigintOf } from "../../src/algorithms/form.ts";
import { keyAlgorithms } from "../../src/algorithms/table.ts";
import { p224 } from "../algorithms/parameters.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import { itWith } from "../support/programs.ts";
import { makeKey, opensslBytes, withFiles } from "./fixture.ts";

const schemes: readonly (readonly [name: string, scheme: Scheme, der: string])[] = [
  [
    "SHA256WithRSA",
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
    "300d06092a864886f70d01010b0500",
  ],
  [
    "SHA384WithRSA",
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-384" },
    "300d06092a864886f70d01010c0500",
  ],
  [
    "SHA512WithRSA",
    { name: "RSASSA-PKCS1-v1_5", hash: "SHA-512" },
    "300d06092a864886f70d01010d0500",
  ],
  [
    "SHA256WithRSAPSS",
    { name: "RSA-PSS", hash: "SHA-256" },
    "304106092a864886f70d01010a3034a00f300d06096086480165030402010500a11c301a06092a864886f70d010108300d06096086480165030402010500a203020120",
  ],
  ["SHA384WithRSAPSS", { name: "RSA-PSS", hash: "SHA-384" }, ""],
  ["SHA512WithRSAPSS", { name: "RSA-PSS", hash: "SHA-512" }, ""],
  ["ECDSAWithSHA256", { name: "ECDSA", hash: "SHA-256" }, "300a06082a8648ce3d040302"],
  ["ECDSAWithSHA384", { name: "ECDSA", hash: "SHA-384" }, "300a06082a8648ce3d040303"],
  ["ECDSAWithSHA512", { name: "ECDSA", hash: "SHA-512" }, "300a06082a8648ce3d040304"],
  ["Ed25519", { name: "Ed25519" }, "300506032b6570"],
];

describe("the signature algorithm registry", () => {
  it.each(schemes)("converts %s between all its forms", (name, scheme, der) => {
    expect(algorithm.schemeName(scheme)).toBe(name);
    expect(algorithm.schemeFromName(` ${name.toUpperCase()} `)).toEqual(scheme);
    if (der !== "") expect(toHex(algorithm.algorithmIdentifier(scheme))).toBe(der);
    expect(algorithm.schemeOf(algorithm.algorithmIdentifier(scheme))).toEqual(scheme);
    expect(algorithm.algorithmName(algorithm.algorithmIdentifier(scheme))).toBe(name);
  });

  it("accepts the name PureEd25519 and rejects unknown names", () => {
    expect(algorithm.schemeFromName("pureed25519")).toEqual({ name: "Ed25519" });
    for (const name of ["", "SHA1WithRSA", "RSA", "sha256"])
      expect(algorithm.schemeFromName(name)).toBeUndefined();
  });

  it.each([
    ["SHA1WithRSA", sequence(oid("1.2.840.113549.1.1.5"), nullValue), true],
    ["MD5WithRSA", sequence(oid("1.2.840.113549.1.1.4"), nullValue), true],
    ["ECDSAWithSHA1", sequence(oid("1.2.840.10045.4.1")), true],
    ["ECDSAWithSHA224", sequence(oid("1.2.840.10045.4.3.1")), false],
    ["RSAPSS", sequence(oid("1.2.840.113549.1.1.10"), sequence()), false],
    ["1.2.3.4", sequence(oid("1.2.3.4")), false],
  ])("names %s in messages but has no scheme for it", (name, der, weak) => {
    expect(algorithm.algorithmName(der)).toBe(name);
    expect(algorithm.isWeakAlgorithm(der)).toBe(weak);
    expect(algorithm.schemeOf(der)).toBeUndefined();
  });

  it("rejects wrong parameters", () => {
    for (const der of [
      sequence(oid("1.2.840.113549.1.1.11"), sequence()),
      sequence(oid("1.2.840.10045.4.3.2"), nullValue),
      sequence(oid("1.3.101.112"), nullValue),
    ]) {
      expect(algorithm.schemeOf(der)).toBeUndefined();
    }
    // A salt of 20 bytes with SHA-256.
    const short = schemes[3]?.[2].replace(/a203020120$/, "a203020114") ?? "";
    expect(algorithm.schemeOf(fromHex(short))).toBeUndefined();
  });

  it("accepts RSA without NULL parameters, as RFC 4055 allows, and encodes it with NULL", () => {
    const scheme = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
    const bare = sequence(oid("1.2.840.113549.1.1.11"));
    expect(algorithm.schemeOf(bare)).toEqual(scheme);
    expect(algorithm.algorithmIdentifier(scheme)).not.toEqual(bare);
  });

  it("accepts PSS hash algorithms without NULL parameters, as RFC 4055 allows", () => {
    const bare =
      "303d06092a864886f70d01010a3030a00d300b0609608648016503040201a11a301806092a864886f70d010108300b0609608648016503040201a203020120";
    expect(algorithm.schemeOf(fromHex(bare))).toEqual({ name: "RSA-PSS", hash: "SHA-256" });
  });
});

const keys = {
  "P-256": await makeKey("P-256"),
  "P-384": await makeKey("P-384"),
  "P-521": await makeKey("P-521"),
  Ed25519: await makeKey("Ed25519"),
  RSA: await makeKey("RSA"),
};

describe("defaultScheme", () => {
  it("depends only on the curve for EC keys, not on the requested hash", () => {
    expect(algorithm.defaultScheme(keys["P-256"].key, 512, true)).toEqual({
      name: "ECDSA",
      hash: "SHA-256",
    });
    expect(algorithm.defaultScheme(keys["P-384"].key)).toEqual({ name: "ECDSA", hash: "SHA-384" });
    expect(algorithm.defaultScheme(keys["P-521"].key)).toEqual({ name: "ECDSA", hash: "SHA-512" });
    expect(keyAlgorithms.find(({ name }) => name === "P-224")?.scheme(0, false)).toEqual({
      name: "ECDSA",
      hash: "SHA-256",
    });
    expect(algorithm.defaultScheme(keys.Ed25519.key, 384)).toEqual({ name: "Ed25519" });
  });

  it("depends on the requested hash and on PSS for RSA keys", () => {
    expect(algorithm.defaultScheme(keys.RSA.key)).toEqual({
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-256",
    });
    expect(algorithm.defaultScheme(keys.RSA.key, 384)).toEqual({
      name: "RSASSA-PKCS1-v1_5",
      hash: "SHA-384",
    });
    expect(algorithm.defaultScheme(keys.RSA.key, 512, true)).toEqual({
      name: "RSA-PSS",
      hash: "SHA-512",
    });
    expect(() => algorithm.defaultScheme(keys.RSA.key, 224)).toThrow(
      "unsupported hash signature algorithm: 224",
    );
  });
});

describe("verifySignature", () => {
  const data = utf8("to be signed");

  it.each(Object.entries(keys))(
    "accepts data signed with %s, and rejects altered data and signatures",
    async (_, { key, scheme, sign }) => {
      const signature = await sign(data);
      const identifier = algorithm.algorithmIdentifier(scheme);
      expect(await algorithm.verifySignature(key.spki, identifier, data, signature)).toBe(true);
      expect(
        await algorithm.verifySignature(key.spki, identifier, utf8("something else"), signature),
      ).toBe(false);
      expect(
        await algorithm.verifySignature(key.spki, identifier, data, signature.subarray(1)),
      ).toBe(false);
      expect(await algorithm.verifySignature(key.spki, identifier, data, new Uint8Array(0))).toBe(
        false,
      );
    },
  );

  it("returns false for every algorithm that does not match the key", async () => {
    for (const [kind, { key, sign }] of Object.entries(keys)) {
      const signature = await sign(data);
      for (const [name, scheme] of schemes) {
        const fits =
          algorithm.supportsScheme(scheme, key) &&
          algorithm.schemeName(keys[kind as keyof typeof keys].scheme) === name;
        expect(
          await algorithm.verifySignature(
            key.spki,
            algorithm.algorithmIdentifier(scheme),
            data,
            signature,
          ),
          `${kind} ${name}`,
        ).toBe(fits);
      }
    }
  });

  it("returns false for weak and unknown algorithms, malformed keys and raw ECDSA signatures", async () => {
    const { key, scheme, sign } = keys["P-256"];
    const signature = await sign(data);
    const identifier = algorithm.algorithmIdentifier(scheme);
    expect(
      await algorithm.verifySignature(
        key.spki,
        sequence(oid("1.2.840.10045.4.1")),
        data,
        signature,
      ),
    ).toBe(false);
    expect(await algorithm.verifySignature(key.spki, sequence(oid("1.2.3")), data, signature)).toBe(
      false,
    );
    expect(await algorithm.verifySignature(key.spki.subarray(1), identifier, data, signature)).toBe(
      false,
    );
    expect(
      await algorithm.verifySignature(
        key.spki.map((byte, i) => (i === 40 ? byte ^ 1 : byte)),
        identifier,
        data,
        signature,
      ),
    ).toBe(false);
    expect(
      await algorithm.verifySignature(key.spki, identifier, data, ecdsaToRaw(signature, 32)),
    ).toBe(false);
    expect(await algorithm.verifySignature(key.spki, identifier, data, octets(signature))).toBe(
      false,
    );
  });

  itWith("openssl", "version")("is false for a SHA-1 signature that is right", async () => {
    const [spki, signature] = withFiles({ data }, (path) => {
      opensslBytes([
        "genpkey",
        "-algorithm",
        "RSA",
        "-pkeyopt",
        "rsa_keygen_bits:2048",
        "-out",
        path("key.pem"),
      ]);
      return [
        opensslBytes(["pkey", "-in", path("key.pem"), "-pubout", "-outform", "DER"]),
        opensslBytes(["dgst", "-sha1", "-sign", path("key.pem"), path("data")]),
      ];
    });
    expect(
      await algorithm.verifySignature(
        spki,
        sequence(oid("1.2.840.113549.1.1.5"), nullValue),
        data,
        signature,
      ),
    ).toBe(false);
  });
});

it("importVerifyKey rejects a key that does not match the scheme", async () => {
  await expect(
    algorithm.importVerifyKey(keys["P-256"].key.spki, { name: "Ed25519" }),
  ).rejects.toThrow(CaError);
  expect(
    (await algorithm.importVerifyKey(keys.RSA.key.spki, { name: "RSA-PSS", hash: "SHA-512" }))
      .algorithm.name,
  ).toBe("RSA-PSS");
});

describe("a P-224 signature", () => {
  const order = 0xffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3dn;
  const curve = ecdsa(
    weierstrass({
      p: p224.p,
      n: order,
      h: 1n,
      a: p224.p - 3n,
      b: p224.b,
      Gx: p224.g[0],
      Gy: p224.g[1],
    }),
    sha256,
    { lowS: false },
  );
  const half = (n: bigint): Uint8Array => fromHex(n.toString(16).padStart(56, "0"));
  const pointOf = (scalar: bigint): Uint8Array => curve.getPublicKey(half(scalar), false);

  it("verifies if made by another implementation, for any key, digest and length", () => {
    const scalar = fc.bigInt({ min: 1n, max: order - 1n });
    const near = fc.oneof(scalar, fc.constantFrom(1n, 2n, order - 1n, order - 2n));
    const digests = fc.oneof(
      ...[20, 28, 32, 48, 64].map((length) =>
        fc.uint8Array({ minLength: length, maxLength: length }),
      ),
      fc.constantFrom(new Uint8Array(32), new Uint8Array(32).fill(255)),
    );
    fc.assert(
      fc.property(near, digests, fc.nat(55), (key, digest, at) => {
        const signature = curve.sign(digest, half(key), { prehash: false, lowS: false });
        const [r, s] = [signature.subarray(0, 28), bigintOf(signature.subarray(28))];
        expect(verifyEcdsa(p224, pointOf(key), digest, signature)).toBe(true);
        expect(
          verifyEcdsa(p224, pointOf(key), digest, Uint8Array.of(...r, ...half(order - s))),
        ).toBe(true);
        expect(
          verifyEcdsa(
            p224,
            pointOf(key),
            digest,
            signature.map((byte, i) => (i === at ? byte ^ 1 : byte)),
          ),
        ).toBe(false);
        expect(verifyEcdsa(p224, pointOf(key === 5n ? 6n : 5n), digest, signature)).toBe(false);
      }),
      { seed: 224, numRuns: 20 },
    );
  });

  it("is rejected with r or s out of range, a wrong length, an invalid key or a sum at infinity", () => {
    const digest = half(7n);
    const signature = curve.sign(digest, half(3n), { prehash: false, lowS: false });
    const [r, s] = [bigintOf(signature.subarray(0, 28)), bigintOf(signature.subarray(28))];
    const judge = (one: bigint, two: bigint): boolean =>
      verifyEcdsa(p224, pointOf(3n), digest, concat([half(one), half(two)]));
    expect(judge(r, s)).toBe(true);
    for (const wrong of [0n, order, 2n ** 224n - 1n])
      expect([judge(wrong, s), judge(r, wrong)]).toEqual([false, false]);
    expect(verifyEcdsa(p224, pointOf(3n), digest, signature.subarray(1))).toBe(false);
    expect(verifyEcdsa(p224, pointOf(3n), digest, concat([signature, new Uint8Array(1)]))).toBe(
      false,
    );
    // The key -G and u equal to v: u * G + v * Q is infinity.
    expect(verifyEcdsa(p224, pointOf(order - 1n), half(9n), concat([half(9n), half(1n)]))).toBe(
      false,
    );
    // A point off the curve, the compressed form, and infinity are not valid keys.
    for (const point of [
      Uint8Array.of(4, ...new Uint8Array(56).fill(1)),
      curve.getPublicKey(half(3n), true),
      Uint8Array.of(0),
    ])
      expect(verifyEcdsa(p224, point, digest, signature)).toBe(false);
  });
});

describe("ECDSA signatures", () => {
  it("convert between raw and DER, including values with the high bit set and short values", () => {
    const half = fc
      .uint8Array({ minLength: 32, maxLength: 32 })
      .map((bytes) => (bytes.every((byte) => byte === 0) ? bytes.fill(1) : bytes));
    const thin = fc
      .nat(255)
      .map((last) => Uint8Array.from({ length: 32 }, (_, i) => (i === 31 ? last | 1 : 0)));
    fc.assert(
      fc.property(fc.oneof(half, thin), fc.oneof(half, thin), (r, s) => {
        const raw = Uint8Array.of(...r, ...s);
        expect(ecdsaToRaw(ecdsaToDer(raw), 32)).toEqual(raw);
      }),
      { seed: 80, numRuns: 200 },
    );
    expect(toHex(ecdsaToDer(fromHex("00800001")))).toBe("300702020080020101");
  });

  it.each([
    ["a negative r", "3006020180020101"],
    ["zeros in front", "300702020001020101"],
    ["a half too long", "30080203010000020101"],
    ["one half", "3003020101"],
    ["three halves", "3009020101020101020101"],
    ["a byte at the end", "300602010102010100"],
    ["a length that is not minimal", "308106020101020101"],
    ["nothing", ""],
  ])("with %s are refused", (_, hex) => expect(() => ecdsaToRaw(fromHex(hex), 2)).toThrow(CaError));

  it("throw a TypeError if the raw length is odd or zero", () => {
    expect(() => ecdsaToDer(new Uint8Array(63))).toThrow(TypeError);
    expect(() => ecdsaToDer(new Uint8Array(0))).toThrow(TypeError);
  });
});

it("parsePublicKey identifies an EC key by its curve", () => {
  const key = parsePublicKey(keys["P-384"].key.spki);
  expect([key.algorithm.name, key.bits]).toEqual(["P-384", 384]);
});
