import { generateKeyPairSync } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keyOfJwk, readJwk, thumbprintOf } from "../../src/jose/jwk.ts";
import { parseFlattened } from "../../src/jose/flattened.ts";
import { parseAlgorithm, isSignedBy, jwsAlgorithms } from "../../src/jose/signature.ts";
import { CaError } from "../../src/base/errors.ts";
import { newKey, sha256 } from "../acme/client.ts";

/** Returns the code and text of the error that a function throws. */
function refusal(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CaError) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "taken";
}
const jwkOf = (alg: string) => newKey(alg).jwk;
const ed25519 = { kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" };
const base64Url = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");

describe("JSON Web Keys of clients (security row 20)", () => {
  it("an Ed25519 key has the thumbprint of RFC 8037 appendix A.3", async () => {
    expect(await thumbprintOf(readJwk(ed25519).jwk)).toBe(
      "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
    );
  });

  it("an RSA key has the thumbprint of RFC 7638 section 3.1", async () => {
    const n =
      "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw";
    const key = { kty: "RSA", n, e: "AQAB", alg: "RS256", kid: "2011-04-29" };
    expect(await thumbprintOf(readJwk(key).jwk)).toBe(
      "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
    );
  });

  it.each(["ES256", "ES384", "ES512", "EdDSA", "RS256"])(
    "a key for %s is read as its canonical members, whatever other members it has",
    async (alg) => {
      const key = newKey(alg);
      const { jwk } = readJwk({
        ...key.jwk,
        kid: "mine",
        use: "sig",
        key_ops: ["verify"],
        x5t: "",
      });
      expect(jwk).toEqual(key.jwk);
      expect(await thumbprintOf(jwk)).toBe(key.thumbprint);
      expect(sha256("")).not.toBe(key.thumbprint);
      expect(keyOfJwk(jwk).spki).toEqual(
        new Uint8Array(
          // the same key as encoded by another implementation
          (await import("node:crypto"))
            .createPublicKey({ key: key.jwk, format: "jwk" })
            .export({ type: "spki", format: "der" }),
        ),
      );
    },
  );

  it("a key is parsed once for all requests of an account, even if other keys are used in between", () => {
    const [one, other] = [newKey().jwk, newKey().jwk].map((jwk) => readJwk(jwk).jwk);
    if (!one || !other) throw new Error("no keys");
    const key = keyOfJwk(one);
    const { crv, ...rest } = one;
    expect(keyOfJwk({ ...rest, ...(crv === undefined ? {} : { crv }) })).toBe(key);
    expect(keyOfJwk(other).spki).not.toEqual(key.spki);
    expect(keyOfJwk(one)).toBe(key);
  });

  const ec = jwkOf("ES256");
  const rsa = jwkOf("RS256");
  const text = (member: unknown) => String(member);
  const bytesOf = (member: unknown) => new Uint8Array(Buffer.from(text(member), "base64url"));
  const rsaOf = (bits: number, publicExponent = 65537) =>
    generateKeyPairSync("rsa", { modulusLength: bits, publicExponent }).publicKey.export({
      format: "jwk",
    });
  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a string", "key"],
    ["an array", [ec]],
    ["a missing kty", { ...ec, kty: undefined }],
    ["an unknown kty", { ...ec, kty: "DH" }],
    ["a symmetric key", { kty: "oct", k: "AAAA" }],
    ["kty in another case", { ...ec, kty: "ec" }],
    ["P-224", { ...ec, crv: "P-224" }],
    ["secp256k1", { ...ec, crv: "secp256k1" }],
    ["a name of Object.prototype as curve", { ...ec, crv: "constructor" }],
    ["Ed448", { ...ed25519, crv: "Ed448" }],
    ["X25519", { ...ed25519, crv: "X25519" }],
    ["a point off the curve", { ...ec, y: ec["x"] }],
    ["a short coordinate", { ...ec, x: base64Url(bytesOf(ec["x"]).subarray(1)) }],
    ["a padded coordinate", { ...ec, x: `${text(ec["x"])}=` }],
    ["a coordinate with stray bits", { ...ed25519, x: `${ed25519.x.slice(0, -1)}p` }],
    ["a coordinate in standard base64", { ...ec, x: `${"+".repeat(43)}` }],
    ["a coordinate that is a number", { ...ec, x: 7 }],
    ["a point of small order", { ...ed25519, x: base64Url(new Uint8Array(32)) }],
    ["a private key", { ...ec, d: ec["x"] }],
    ["an RSA key with its primes", { ...rsa, p: "AQAB" }],
    ["a 1024-bit RSA key", rsaOf(1024)],
    ["a 2047-bit RSA key", rsaOf(2047)],
    ["an RSA key with the exponent 3", rsaOf(2048, 3)],
    ["an RSA key with an even modulus", { ...rsa, n: base64Url(bytesOf(rsa["n"]).with(255, 2)) }],
    [
      "a modulus with a leading zero",
      { ...rsa, n: base64Url(Buffer.concat([Buffer.of(0), bytesOf(rsa["n"])])) },
    ],
    ["an exponent with a leading zero", { ...rsa, e: "AAEAAQ" }],
    ["a modulus of 16,384 bits", { ...rsa, n: base64Url(new Uint8Array(2048).fill(0xff)) }],
    ["a modulus of a million characters", { ...rsa, n: "A".repeat(1 << 20) }],
    ["a key for encryption", { ...ec, use: "enc" }],
    ["a key that only signs", { ...ec, key_ops: ["sign"] }],
  ])("%s is rejected with bad_public_key", (_, jwk) => {
    expect(refusal(() => readJwk(jwk))).toMatch(/^bad_public_key: jwk: /);
  });
});

describe("JWS signatures (security row 20)", () => {
  const data = "protected.payload";
  const signed = (alg: string, by: ReturnType<typeof newKey>) => ({
    alg,
    data: Buffer.from(data),
    signature: by.sign(data),
  });

  it.each(jwsAlgorithms)(
    "a valid %s signature is accepted, and an altered one is not",
    async (alg) => {
      const key = newKey(alg);
      const good = signed(alg, key);
      const { key: own } = readJwk(key.jwk);
      expect(await isSignedBy(own, good)).toBe(true);
      for (const at of [0, good.signature.length >> 1, good.signature.length - 1])
        expect(
          await isSignedBy(own, {
            ...good,
            signature: good.signature.map((byte, i) => (i === at ? byte ^ 1 : byte)),
          }),
        ).toBe(false);
      expect(await isSignedBy(own, { ...good, data: Buffer.from("other") })).toBe(false);
      expect(await isSignedBy(own, { ...good, signature: new Uint8Array() })).toBe(false);
    },
  );

  it("the example of RFC 8037 appendix A.4 verifies under both names of Ed25519", async () => {
    const { key } = readJwk(ed25519);
    const example = {
      data: Buffer.from("eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"),
      signature: Buffer.from(
        "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg",
        "base64url",
      ),
    };
    for (const alg of ["EdDSA", "Ed25519"])
      expect(await isSignedBy(key, { alg, ...example })).toBe(true);
  });

  it("an ECDSA signature in DER is rejected", async () => {
    const key = newKey("ES256");
    const { createSign } = await import("node:crypto");
    const der = createSign("sha256").update(data).sign(key.key);
    expect(
      await isSignedBy(readJwk(key.jwk).key, {
        alg: "ES256",
        data: Buffer.from(data),
        signature: der,
      }),
    ).toBe(false);
  });

  it.each(["ES256", "ES384", "ES512", "EdDSA", "RS256"])(
    "a key for %s cannot be used with an alg of another key type or curve",
    async (own) => {
      const by = newKey(own);
      const { key } = readJwk(by.jwk);
      const kind = own.startsWith("Ed") ? /^Ed/ : own === "RS256" ? /^[RP]S/ : new RegExp(own);
      for (const alg of jwsAlgorithms.filter((one) => !kind.test(one)))
        await expect(isSignedBy(key, signed(alg, by))).rejects.toMatchObject({
          code: "bad_signature_algorithm",
        });
    },
  );

  it("an RS256 signature does not verify as PS256, RS384 or PS512", async () => {
    const by = newKey("RS256");
    const { key } = readJwk(by.jwk);
    for (const alg of ["PS256", "RS384", "PS512"])
      expect(await isSignedBy(key, signed(alg, by))).toBe(false);
  });

  it.each([
    "none",
    "None",
    "nOnE",
    "HS256",
    "HS512",
    "RS1",
    "ES256K",
    "ES257",
    "es256",
    "Ed448",
    "",
    "__proto__",
    "constructor",
    null,
    undefined,
    7,
    ["ES256"],
    { name: "ES256" },
  ])("alg %j is rejected with bad_signature_algorithm", (alg) => {
    expect(refusal(() => parseAlgorithm(alg))).toMatch(/^bad_signature_algorithm: /);
  });
});

describe("flattened JWS (security row 21)", () => {
  const head = (header: unknown) => base64Url(Buffer.from(JSON.stringify(header)));
  const right = { protected: head({ alg: "ES256" }), payload: "", signature: "AAAA" };
  it("is parsed into its three parts, and unknown members are ignored", () => {
    expect(parseFlattened({ ...right, more: 1 })).toMatchObject({
      header: { alg: "ES256" },
      alg: "ES256",
      payload: new Uint8Array(),
    });
  });
  it.each<[string, object]>([
    ["an unprotected header", { ...right, header: {} }],
    ["an unprotected header that is null", { ...right, header: null }],
    ["several signatures", { ...right, signatures: [] }],
    ["a missing payload", { ...right, payload: undefined }],
    ["a payload that is an object", { ...right, payload: {} }],
    ["a missing signature", { ...right, signature: undefined }],
    ["a missing protected header", { ...right, protected: undefined }],
    ["an empty protected header", { ...right, protected: "" }],
    ["padding", { ...right, payload: "e30=" }],
    ["white space", { ...right, payload: "e3 0" }],
    ["standard base64", { ...right, signature: "+/+/" }],
    ["stray bits", { ...right, payload: "e31" }],
    ["an array as the header", { ...right, protected: head([]) }],
    ["a header that is not JSON", { ...right, protected: base64Url(Buffer.from("{")) }],
    [
      "a header with a duplicate member",
      { ...right, protected: base64Url(Buffer.from('{"alg":"ES256","alg":"ES256"}')) },
    ],
    ["crit", { ...right, protected: head({ alg: "ES256", crit: ["exp"] }) }],
    ["an empty crit", { ...right, protected: head({ alg: "ES256", crit: [] }) }],
    ["b64", { ...right, protected: head({ alg: "ES256", b64: false }) }],
    ["b64 that changes nothing", { ...right, protected: head({ alg: "ES256", b64: true }) }],
  ])("with %s is rejected as malformed", (_, jws) => {
    expect(refusal(() => parseFlattened(jws as Record<string, unknown>))).toMatch(/^malformed: /);
  });
});
