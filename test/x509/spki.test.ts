import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { concat, fromHex, toHex } from "../../src/base/bytes.ts";
import { bitString, integer, nullValue, oid, sequence } from "../../src/base/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { keyOid } from "../algorithms/parameters.ts";
import { checkPublicKey, keyIdentifier, parsePublicKey } from "../../src/x509/public-key.ts";
import { itWith } from "../support/programs.ts";
import { makeKey, openssl, opensslBytes, withFiles } from "./fixture.ts";
import { threadTime } from "../support/spent.ts";

const bytesOf = (n: bigint): Uint8Array => {
  const hex = n.toString(16);
  return fromHex(hex.padStart(hex.length + (hex.length % 2), "0"));
};
const rsa = (n: bigint, e: number | Uint8Array = 65537): Uint8Array =>
  sequence(
    sequence(oid(keyOid.rsa), nullValue),
    bitString(sequence(integer(bytesOf(n)), integer(e))),
  );
const ec = (curve: string, point: Uint8Array): Uint8Array =>
  sequence(sequence(oid(keyOid.ec), oid(curve)), bitString(point));
const refusal = (spki: Uint8Array): unknown => {
  try {
    return checkPublicKey(parsePublicKey(spki));
  } catch (error) {
    return error;
  }
};

const smallFactors = Array.from({ length: 0x10000 - 3 }, (_, i) => i + 3)
  .filter(
    (n) =>
      !Array.from({ length: Math.floor(Math.sqrt(n)) - 1 }, (_, i) => i + 2).some(
        (d) => n % d === 0,
      ),
  )
  .map(BigInt);
/** Returns the next number without a prime factor below 2^16. */
function rough(n: bigint): bigint {
  let found = n | 1n;
  while (smallFactors.some((factor) => found % factor === 0n)) found += 2n;
  return found;
}
const good = rough((1n << 1535n) + 12345678901234567890n) * rough((1n << 512n) + 987654321n);

describe("parsePublicKey", () => {
  it.each(["P-256", "P-384", "P-521"] as const)("parses a %s key", async (curve) => {
    const { key } = await makeKey(curve);
    expect(key).toMatchObject({
      type: "ec",
      algorithm: { name: curve },
      bits: Number(curve.slice(2)),
    });
    expect(key.keyBits[0]).toBe(4);
    expect(() => checkPublicKey(key)).not.toThrow();
  });

  it("parses Ed25519 and RSA keys", async () => {
    const [edwards, { key }] = [await makeKey("Ed25519"), await makeKey("RSA")];
    expect(edwards.key).toMatchObject({ type: "ed25519", bits: 256 });
    expect(edwards.key.keyBits).toHaveLength(32);
    expect(key).toMatchObject({ type: "rsa", bits: 2048 });
    expect(() => checkPublicKey(key)).not.toThrow();
  });

  const point = new Uint8Array(65).fill(4);
  it.each([
    [
      "a trailing byte",
      concat([ec(keyOid.p256, point), Uint8Array.of(0)]),
      "malformed",
      /trailing bytes/,
    ],
    [
      "a third member",
      sequence(sequence(oid(keyOid.ed25519)), bitString(new Uint8Array(32)), nullValue),
      "malformed",
      /trailing bytes/,
    ],
    ["a compressed point", ec(keyOid.p256, new Uint8Array(33).fill(2)), "bad_key", /compressed/],
    [
      "a hybrid point",
      ec(keyOid.p256, new Uint8Array(65).fill(6)),
      "bad_key",
      /uncompressed point/,
    ],
    ["infinity", ec(keyOid.p256, Uint8Array.of(0)), "bad_key", /uncompressed point/],
    ["a point of another curve", ec(keyOid.p384, point), "bad_key", /uncompressed point of P-384/],
    [
      "explicit parameters",
      sequence(sequence(oid(keyOid.ec), sequence(integer(1))), bitString(point)),
      "bad_key",
      /explicit/,
    ],
    [
      "absent parameters",
      sequence(sequence(oid(keyOid.ec)), bitString(point)),
      "bad_key",
      /absent/,
    ],
    ["secp256k1", ec("1.3.132.0.10", point), "bad_key", /unsupported curve 1\.3\.132\.0\.10/],
    [
      "a PSS key",
      sequence(sequence(oid(keyOid.rsaPss)), bitString(point)),
      "bad_key",
      /1\.2\.840\.113549\.1\.1\.10/,
    ],
    [
      "another type",
      sequence(sequence(oid("1.2.3")), bitString(point)),
      "bad_key",
      /unsupported type 1\.2\.3/,
    ],
    [
      "RSA without NULL",
      sequence(sequence(oid(keyOid.rsa)), bitString(sequence(integer(1), integer(1)))),
      "malformed",
      /parameters/,
    ],
    [
      "a negative modulus",
      sequence(
        sequence(oid(keyOid.rsa), nullValue),
        bitString(sequence(fromHex("0201ff"), integer(3))),
      ),
      "malformed",
      /negative/,
    ],
    ["a huge exponent", rsa(good, new Uint8Array(20).fill(1)), "malformed", /too large/],
    [
      "an Ed25519 key of 31 bytes",
      sequence(sequence(oid(keyOid.ed25519)), bitString(new Uint8Array(31))),
      "bad_key",
      /32 bytes/,
    ],
    [
      "Ed25519 with NULL",
      sequence(sequence(oid(keyOid.ed25519), nullValue), bitString(new Uint8Array(32))),
      "malformed",
      /trailing bytes/,
    ],
    [
      "unused bits",
      sequence(sequence(oid(keyOid.ed25519)), bitString(new Uint8Array(32), 1)),
      "malformed",
      /whole bytes/,
    ],
  ])("refuses %s", (_, spki, code, message) => {
    expect(() => parsePublicKey(spki)).toThrow(message);
    expect(() => parsePublicKey(spki)).toThrow(expect.objectContaining({ code }));
  });

  itWith("openssl", "version")(
    "refuses what openssl writes in other forms, and takes the named form",
    () => {
      withFiles({}, (path) => {
        openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", path("key.pem")]);
        const form = (...options: readonly string[]): Uint8Array =>
          opensslBytes(["ec", "-in", path("key.pem"), "-pubout", "-outform", "DER", ...options]);
        expect(() => checkPublicKey(parsePublicKey(form()))).not.toThrow();
        expect(() => parsePublicKey(form("-conv_form", "compressed"))).toThrow(/compressed/);
        expect(() => parsePublicKey(form("-param_enc", "explicit"))).toThrow(/explicit/);
        openssl([
          "genpkey",
          "-algorithm",
          "RSA-PSS",
          "-pkeyopt",
          "rsa_keygen_bits:2048",
          "-out",
          path("pss.pem"),
        ]);
        expect(() =>
          parsePublicKey(
            opensslBytes(["pkey", "-in", path("pss.pem"), "-pubout", "-outform", "DER"]),
          ),
        ).toThrow(/RSASSA-PSS/);
      });
    },
  );
});

it("keyIdentifier is the SHA-1 hash of the content of the BIT STRING", async () => {
  const { key } = await makeKey("P-256");
  expect(toHex(await keyIdentifier(key.spki))).toBe(
    createHash("sha1").update(key.keyBits).digest("hex"),
  );
  await expect(keyIdentifier(key.spki.subarray(1))).rejects.toThrow(CaError);
});

describe("checkPublicKey", () => {
  it.each([
    [
      "0100000000000000000000000000000000000000000000000000000000000000",
      "the point has small order",
    ],
    [
      "0100000000000000000000000000000000000000000000000000000000000080",
      "the point has small order",
    ],
    [
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
      "the point has small order",
    ],
    [
      "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
      "the point has small order",
    ],
    [
      "0000000000000000000000000000000000000000000000000000000000000000",
      "the point has small order",
    ],
    [
      "0000000000000000000000000000000000000000000000000000000000000080",
      "the point has small order",
    ],
    [
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
      "the point has small order",
    ],
    [
      "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
      "the point has small order",
    ],
    [
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "the point has small order",
    ],
    [
      "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "the point has small order",
    ],
    [
      "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
      "the encoding is not canonical",
    ],
    [
      "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
      "the encoding is not canonical",
    ],
  ])("rejects the Ed25519 key %s", (key, why) =>
    expect(refusal(sequence(sequence(oid(keyOid.ed25519)), bitString(fromHex(key))))).toMatchObject(
      { code: "bad_key", message: `Ed25519 key: ${why}` },
    ),
  );
  it("accepts an RSA modulus without a known weakness", () =>
    expect(refusal(rsa(good))).toBeUndefined());

  it.each([
    [
      "1024 bits",
      rsa(rough(1n << 1023n)),
      "RSA keys < 2048 bits are unsafe and not supported: got 1024",
    ],
    [
      "2047 bits",
      rsa(rough(1n << 2046n)),
      "RSA keys < 2048 bits are unsafe and not supported: got 2047",
    ],
    ["2056 bits", rsa(rough(1n << 2055n)), "unsupported bit length for RSA key: 2056"],
    ["8320 bits", rsa((1n << 8319n) + 1n), "unsupported bit length for RSA key: 8320"],
    ["the exponent 3", rsa(good, 3), "RSA key: the exponent must be 65537, got 3"],
    ["an even modulus", rsa(good + 1n), "RSA key: the modulus is even"],
    [
      "a small factor",
      rsa(rough(1n << 2032n) * 65521n),
      "RSA key: the modulus has a small prime factor",
    ],
    ["a modulus of zero", rsa(0n), "RSA keys < 2048 bits are unsafe and not supported: got 0"],
  ])("rejects an RSA key with %s", (_, spki, message) =>
    expect(refusal(spki)).toMatchObject({ code: "bad_key", message }),
  );

  it.each([2048, 3072, 4096, 8192])(
    "finds small factors of a modulus of %i bits, including the smallest and the largest",
    (bits) => {
      const small = "RSA key: the modulus has a small prime factor";
      const sound = rough((1n << BigInt(bits - 1)) + 987654321n);
      expect(refusal(rsa(sound))).toBeUndefined();
      for (const factor of [3n, 5n, 257n, 32749n, 65519n, 65521n]) {
        const multiple = rough((1n << BigInt(bits - 1)) / factor + 2n) * factor;
        expect(refusal(rsa(multiple)), String(factor)).toMatchObject({ message: small });
      }
    },
  );

  it("rejects moduli with the ROCA fingerprint: powers of 65537 modulo all small primes", () => {
    const primorial = smallFactors
      .filter((n) => n <= 167n)
      .reduce((product, prime) => product * prime, 1n);
    let power = 1n;
    for (let i = 0; i < 1234; i++) power = (power * 65537n) % primorial;
    let modulus = power + primorial * ((1n << 2047n) / primorial + 2n);
    while (modulus % 2n === 0n || smallFactors.some((factor) => modulus % factor === 0n))
      modulus += primorial;
    expect(refusal(rsa(modulus))).toMatchObject({
      code: "bad_key",
      message: expect.stringContaining("ROCA"),
    });
  });

  it("rejects primes that are close together, and accepts primes that are not", () => {
    const near = rough((3n << 1022n) + 123456789n);
    expect(refusal(rsa(near * rough(near + 2n)))).toMatchObject({
      message: "RSA key: the two primes are too close together",
    });
    // Within the reach of 100 rounds: a difference below about 2 * sqrt(2 * 100 * sqrt(n)).
    expect(refusal(rsa(near * rough(near + (1n << 515n))))).toMatchObject({
      message: "RSA key: the two primes are too close together",
    });
    expect(refusal(rsa(near * near))).toMatchObject({
      message: "RSA key: the two primes are too close together",
    });
    expect(refusal(rsa(near * rough(near + (1n << 1000n))))).toBeUndefined();
  });

  it.each([
    ["P-224", keyOid.p224, 28],
    ["P-256", keyOid.p256, 32],
    ["P-384", keyOid.p384, 48],
    ["P-521", keyOid.p521, 66],
  ] as const)(
    "rejects points that are not on %s, including zeros and coordinates above the field prime",
    (name, curve, size) => {
      const of = (fill: number): Uint8Array =>
        ec(curve, Uint8Array.of(4, ...new Uint8Array(2 * size).fill(fill)));
      for (const fill of [0, 1, 255])
        expect(refusal(of(fill))).toMatchObject({
          code: "bad_key",
          message: `EC key: the point is not on ${name}`,
        });
    },
  );

  itWith("openssl", "version")("takes P-224 keys of openssl", () => {
    withFiles({}, (path) => {
      openssl(["ecparam", "-name", "secp224r1", "-genkey", "-noout", "-out", path("key.pem")]);
      expect(
        refusal(opensslBytes(["ec", "-in", path("key.pem"), "-pubout", "-outform", "DER"])),
      ).toBeUndefined();
    });
  });

  it("checks a modulus of 8192 bits in less than five seconds of CPU time", () => {
    const start = threadTime();
    refusal(rsa(rough((1n << 8191n) + 1n)));
    expect(threadTime() - start).toBeLessThan(5000);
  });
});
