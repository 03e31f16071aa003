import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { concat, fromHex, toHex } from "../../src/base/bytes.ts";
import {
  bitString,
  explicit,
  integer,
  nullValue,
  octets,
  oid,
  readDer,
  sequence,
  set,
} from "../../src/base/der.ts";
import { implicit } from "../support/der.ts";
import { CaError } from "../../src/base/errors.ts";
import { decodePem, encodePem } from "../../src/base/pem.ts";
import { openPkcs8, traditionalKey, traditionalPem } from "../../src/keys/signer.ts";
import { readPrivateKey } from "../../src/keys/read.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import { algorithmIdentifier, verifySignature } from "../../src/x509/public-key.ts";
import { keyOid } from "../algorithms/parameters.ts";
import { kinds, openssl, opensslKey, opensslTraditional } from "./openssl.ts";
import { threadTime } from "../support/spent.ts";

const derOf = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array();
const pem = (label: string, der: Uint8Array): string => encodePem(label, der);
/** The unsigned integers of an RSAPrivateKey. */
function rsaParts(pkcs8: Uint8Array): Uint8Array[] {
  const key = readDer(openPkcs8(pkcs8).key, "key").enter("RSAPrivateKey");
  return Array.from({ length: 9 }, () => key.unsigned("part"));
}
const rsaDer = (parts: readonly Uint8Array[]): string =>
  pem("RSA PRIVATE KEY", sequence(...parts.map((part) => integer(part))));
function plusTwo(part: Uint8Array): Uint8Array {
  const copy = part.slice();
  copy[copy.length - 1] = (copy.at(-1) ?? 0) ^ 2;
  return copy;
}
const refused = async (text: string, why: RegExp | string = /./): Promise<void> => {
  const outcome = await readPrivateKey(text).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(CaError);
  expect(outcome).toMatchObject({
    code: expect.stringMatching(/^(bad_key|malformed)$/),
    message: expect.stringMatching(why),
  });
};

const keys = Object.fromEntries(kinds.map((kind) => [kind, opensslKey(kind)])) as Record<
  (typeof kinds)[number],
  string
>;

describe("a private key from openssl", () => {
  it.each(kinds)(
    "of type %s is parsed from PKCS#8 and from its traditional form, and re-encoded as by openssl",
    async (kind) => {
      const traditional = opensslTraditional(keys[kind]);
      const publicPem = openssl(["pkey", "-pubout"], keys[kind]).trim();
      const windows = `some text before\r\n${traditional.replaceAll("\n", "\r\n")}\r\n`;
      for (const text of [keys[kind], traditional, windows]) {
        const key = await readPrivateKey(text);
        expect(pem("PUBLIC KEY", key.spki)).toBe(publicPem);
        expect(pem("PRIVATE KEY", key.pkcs8)).toBe(keys[kind].trim());
        expect(traditionalPem(key.pkcs8)).toBe(traditional);
        expect(openssl(["pkey", "-check", "-noout"], traditionalPem(key.pkcs8))).toContain(
          "Key is valid",
        );
      }
    },
  );
  it("of RSA with 2176 bits is parsed, like any multiple of 128", async () => {
    const text = openssl(["genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2176"]);
    const key = await readPrivateKey(text);
    expect([key.type, key.bits, pem("PRIVATE KEY", key.pkcs8)]).toEqual(["rsa", 2176, text.trim()]);
  });
  // Deno 2.9 verifies no signatures of RSA keys above 4096 bits
  it.skipIf("Deno" in globalThis)("of RSA with 8192 bits is read, sealed and signs", async () => {
    const text = readFileSync(new URL("../vectors/rsa-8192.pem", import.meta.url), "utf8");
    const vault = sealedVault({ key: new Uint8Array(32) });
    const { type, bits, pkcs8, spki } = await readPrivateKey(opensslTraditional(text));
    expect([type, bits, pem("PRIVATE KEY", pkcs8)]).toEqual(["rsa", 8192, text.trim()]);
    const signer = await vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
    const scheme = { name: "RSA-PSS", hash: "SHA-512" } as const;
    const signature = await signer.sign(scheme, pkcs8);
    expect([
      signature.length,
      await verifySignature(spki, algorithmIdentifier(scheme), pkcs8, signature),
    ]).toEqual([1024, true]);
  });
  it("is read after its EC PARAMETERS", async () => {
    const text = openssl(["ecparam", "-name", "prime256v1", "-genkey"]);
    expect(text).toContain("BEGIN EC PARAMETERS");
    expect(await readPrivateKey(text)).toMatchObject({ type: "ec", bits: 256 });
  });
  it("is read with a compressed point, and re-encoded with the uncompressed one", async () => {
    const text = openssl(["ec", "-conv_form", "compressed"], keys["P-256"]);
    expect(toHex((await readPrivateKey(text)).pkcs8)).toBe(toHex(derOf(keys["P-256"])));
  });
  it("is read without its public point, which is computed", async () => {
    for (const kind of ["P-256", "P-384", "P-521"] as const) {
      const text = openssl(["ec", "-no_public"], keys[kind]);
      expect(toHex((await readPrivateKey(text)).pkcs8)).toBe(toHex(derOf(keys[kind])));
    }
  });
  it.each([
    ["P-256", 32, keyOid.p256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550"],
    [
      "P-384",
      48,
      keyOid.p384,
      "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52972",
    ],
    [
      "P-521",
      66,
      keyOid.p521,
      "01fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386408",
    ],
  ])(
    "on %s is read if its scalar is the lowest or the highest possible",
    async (_, size, curve, last) => {
      for (const scalar of [fromHex("1".padStart(2 * size, "0")), fromHex(last)]) {
        const { pkcs8 } = await readPrivateKey(
          pem("EC PRIVATE KEY", sequence(integer(1), octets(scalar), explicit(0, oid(curve)))),
        );
        expect(openssl(["pkey", "-check", "-noout"], pem("PRIVATE KEY", pkcs8))).toContain(
          "Key is valid",
        );
      }
    },
  );
  it("is read even if the leading zeros of its scalar are dropped", async () => {
    const text = pem(
      "EC PRIVATE KEY",
      sequence(integer(1), octets(Uint8Array.of(5)), explicit(0, oid(keyOid.p256))),
    );
    const key = await readPrivateKey(text);
    expect(key.bits).toBe(256);
    expect(openssl(["pkey", "-check", "-noout"], traditionalPem(key.pkcs8))).toContain(
      "Key is valid",
    );
  });
  it("of type Ed25519 in version 2 is parsed with its public key (RFC 8410 section 10.3)", async () => {
    const { key } = openPkcs8(derOf(keys.ed25519));
    const { spki } = await readPrivateKey(keys.ed25519);
    const version2 = (publicKey: Uint8Array): string =>
      pem(
        "PRIVATE KEY",
        sequence(
          integer(1),
          sequence(oid(keyOid.ed25519)),
          octets(key),
          implicit(1, bitString(publicKey)),
        ),
      );
    expect(toHex((await readPrivateKey(version2(spki.slice(-32)))).spki)).toBe(toHex(spki));
    await refused(version2(new Uint8Array(32)), "public key that does not match");
  });
  it("is re-encoded without its attributes", async () => {
    const { key, algorithm } = openPkcs8(derOf(keys["P-256"]));
    expect(algorithm.name).toBe("P-256");
    const attributes = implicit(0, set(sequence(oid("2.5.4.3"), set(integer(1)))));
    const text = pem(
      "PRIVATE KEY",
      sequence(integer(0), sequence(oid(keyOid.ec), oid(keyOid.p256)), octets(key), attributes),
    );
    expect(toHex((await readPrivateKey(text)).pkcs8)).toBe(toHex(derOf(keys["P-256"])));
  });
});

describe("a private key is rejected", () => {
  it.each([
    ["", "the PEM text contains no private key"],
    ["hello", "the PEM text contains no private key"],
    ["-----BEGIN EC PARAMETERS-----\nBgA=\n-----END EC PARAMETERS-----", "no private key"],
    [
      pem("CERTIFICATE", Uint8Array.of(0x30, 0)),
      'a PEM block of "CERTIFICATE" is not a private key',
    ],
    [pem("toString", Uint8Array.of(0x30, 0)), "is not a private key"],
    [
      pem("ENCRYPTED PRIVATE KEY", Uint8Array.of(0x30, 0)),
      "encrypted private keys are not accepted",
    ],
    [pem("PRIVATE KEY", new Uint8Array(20_000)), "must be at most 16384 bytes long"],
    [pem("PRIVATE KEY", Uint8Array.of(0x30, 0)), "."],
  ])("if the text is %.40j", async (text, why) => {
    await refused(text, why);
  });
  it("if the text has two private keys", async () => {
    await refused(
      `${keys["P-256"]}\n${keys.ed25519}`,
      "only a single key can be present within the pem_bundle for importing",
    );
  });
  it("if it was encrypted by openssl, in either form", async () => {
    await refused(openssl(["pkey", "-aes128", "-passout", "pass:x"], keys["P-256"]), "encrypted");
    await refused(
      openssl(["pkey", "-traditional", "-aes128", "-passout", "pass:x"], keys.rsa),
      "encrypted",
    );
  });
  it.each(kinds)("if the %s DER has an octet more or less, or another label", async (kind) => {
    const der = derOf(keys[kind]);
    await refused(pem("PRIVATE KEY", concat([der, Uint8Array.of(0)])));
    await refused(pem("PRIVATE KEY", der.subarray(0, -1)));
    await refused(pem("RSA PRIVATE KEY", der));
    await refused(pem("EC PRIVATE KEY", der));
    if (kind !== "ed25519") await refused(pem("PRIVATE KEY", traditionalKey(der).der));
  });
  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])("if part %d of an RSA key is another number", async (at) => {
    const parts = rsaParts(derOf(keys.rsa));
    await refused(rsaDer(parts.map((part, place) => (place === at ? plusTwo(part) : part))));
  });
  it("if an RSA key has a negative, missing or extra part, or the exponent 3", async () => {
    const parts = rsaParts(derOf(keys.rsa));
    await refused(rsaDer(parts.slice(0, 8)));
    await refused(rsaDer([...parts, Uint8Array.of(1)]));
    await refused(
      rsaDer(parts.map((part, at) => (at === 2 ? Uint8Array.of(3) : part))),
      "exponent",
    );
    const negative = parts.map((part, at) =>
      at === 3 ? Uint8Array.of(2, 1, 0xff) : integer(part),
    );
    await refused(pem("RSA PRIVATE KEY", sequence(...negative)));
  });
  it("if an RSA key is shorter than 2048 bits", async () => {
    await refused(
      openssl(["genrsa", "1024"]),
      "RSA keys < 2048 bits are unsafe and not supported: got 1024",
    );
    await refused(
      openssl(["genrsa", "2040"]),
      "RSA keys < 2048 bits are unsafe and not supported: got 2040",
    );
  });
  it("if the size of an RSA key is not a multiple of 128 bits", async () => {
    await refused(openssl(["genrsa", "2112"]), "unsupported bit length for RSA key: 2112");
  });
  it("if an EC key has the public point of another key", async () => {
    const other = openPkcs8(derOf(opensslKey("P-256"))).key;
    const point = readDer(other, "key").enter("key");
    point.raw("version");
    point.raw("scalar");
    const foreign = point.raw("public key", 0xa1);
    const inner = readDer(openPkcs8(derOf(keys["P-256"])).key, "key").enter("key");
    const text = pem(
      "EC PRIVATE KEY",
      sequence(inner.raw("version"), inner.raw("scalar"), explicit(0, oid(keyOid.p256)), foreign),
    );
    await refused(text, "public key that does not match");
  });
  it.each([
    ["zero", "00".repeat(32)],
    ["the order", "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551"],
    ["above the order", "ff".repeat(32)],
  ])("if an EC scalar is %s", async (_, hex) => {
    const scalar = Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
    await refused(
      pem("EC PRIVATE KEY", sequence(integer(1), octets(scalar), explicit(0, oid(keyOid.p256)))),
    );
  });
  it("if an EC scalar is too long, or if the key names no curve, two curves or an unsupported one", async () => {
    const [scalar, p256] = [octets(new Uint8Array(32).fill(7)), explicit(0, oid(keyOid.p256))];
    await refused(
      pem("EC PRIVATE KEY", sequence(integer(1), octets(new Uint8Array(33).fill(7)), p256)),
      "longer than 32 bytes",
    );
    await refused(
      pem("EC PRIVATE KEY", sequence(integer(1), scalar)),
      "does not contain the curve",
    );
    await refused(
      pem("EC PRIVATE KEY", sequence(integer(1), scalar, explicit(0, oid("1.3.132.0.10")))),
      "unsupported curve 1.3.132.0.10",
    );
    await refused(
      pem("EC PRIVATE KEY", sequence(integer(1), scalar, explicit(0, oid(keyOid.p224)))),
      "longer than 28 bytes",
    );
    const inner = sequence(integer(1), scalar, explicit(0, oid(keyOid.p384)));
    await refused(
      pem(
        "PRIVATE KEY",
        sequence(integer(0), sequence(oid(keyOid.ec), oid(keyOid.p256)), octets(inner)),
      ),
      "contains two curves",
    );
  });
  it("if an EC key has explicit curve parameters", async () => {
    await refused(
      openssl(["ecparam", "-name", "prime256v1", "-genkey", "-param_enc", "explicit", "-noout"]),
      "named curves",
    );
  });
  it("if its type or version is unsupported", async () => {
    await refused(openssl(["genpkey", "-algorithm", "X25519"]), "unsupported type 1.3.101.110");
    await refused(
      openssl(["genpkey", "-algorithm", "RSA-PSS", "-pkeyopt", "rsa_keygen_bits:2048"]),
      "unsupported type",
    );
    await refused(
      pem(
        "PRIVATE KEY",
        sequence(integer(2), sequence(oid(keyOid.ed25519)), octets(octets(new Uint8Array(32)))),
      ),
      "unsupported PKCS#8 version",
    );
    await refused(
      pem(
        "PRIVATE KEY",
        sequence(
          integer(0),
          sequence(oid(keyOid.ed25519), nullValue),
          octets(octets(new Uint8Array(32))),
        ),
      ),
    );
    await refused(
      pem(
        "PRIVATE KEY",
        sequence(integer(0), sequence(oid(keyOid.ed25519)), octets(octets(new Uint8Array(31)))),
      ),
      "does not have 32 bytes",
    );
  });
  it("promptly if its RSA numbers are huge", async () => {
    const started = threadTime();
    await refused(
      rsaDer([
        Uint8Array.of(0),
        new Uint8Array(15_000).fill(0xff),
        Uint8Array.of(1, 0, 1),
        ...Array<Uint8Array>(6).fill(Uint8Array.of(3)),
      ]),
    );
    expect(threadTime() - started).toBeLessThan(5000);
  });
});
