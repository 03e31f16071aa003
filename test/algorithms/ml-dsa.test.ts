import { createPublicKey, createPrivateKey, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { ml_dsa44, ml_dsa65, ml_dsa87 } from "@noble/post-quantum/ml-dsa.js";
import { describe, expect, it } from "vitest";
import type { MlDsaParameters } from "../../src/algorithms/ml-dsa.ts";
import { mlDsa44, mlDsa65, mlDsa87 } from "../../src/algorithms/ml-dsa.ts";
import {
  expandSeed,
  publicKeyOfExpanded,
  signExpanded,
  verifySignature as verifyWithout,
} from "../../src/algorithms/ml-dsa-arithmetic.ts";
import { pkcs8Of, spkiOf } from "../../src/algorithms/form.ts";
import { concat, fromBase64, fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { bitString, nullValue, octets, oid, sequence } from "../../src/base/der.ts";
import { decodePem, encodePem } from "../../src/base/pem.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { readPrivateKey } from "../../src/keys/read.ts";
import { openPkcs8 } from "../../src/keys/signer.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { algorithmIdentifier, parsePublicKey, verifySignature } from "../../src/x509/public-key.ts";

const sets: readonly (readonly [
  typeof mlDsa44 | typeof mlDsa65 | typeof mlDsa87,
  MlDsaParameters,
])[] = [
  [
    mlDsa44,
    { name: "ML-DSA-44", k: 4, l: 4, eta: 2, publicKey: 1312, expandedKey: 2560, signature: 2420 },
  ],
  [
    mlDsa65,
    { name: "ML-DSA-65", k: 6, l: 5, eta: 4, publicKey: 1952, expandedKey: 4032, signature: 3309 },
  ],
  [
    mlDsa87,
    { name: "ML-DSA-87", k: 8, l: 7, eta: 2, publicKey: 2592, expandedKey: 4896, signature: 4627 },
  ],
];
const internals = { "ML-DSA-44": ml_dsa44, "ML-DSA-65": ml_dsa65, "ML-DSA-87": ml_dsa87 };
const random = (bytes: number): Uint8Array => new Uint8Array(bytes).fill(7);
const data = utf8("to be signed");
const vectors = (name: string): string =>
  readFileSync(new URL(`../vectors/${name}`, import.meta.url), "utf8");
const sha256 = async (bytes: Uint8Array): Promise<string> =>
  toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes))));

interface Acvp {
  readonly keyGen: readonly {
    readonly parameterSet: MlDsaParameters["name"];
    readonly seed: string;
    readonly pkSha256: string;
    readonly skSha256: string;
  }[];
  readonly sigVer: readonly {
    readonly parameterSet: MlDsaParameters["name"];
    readonly pk: string;
    readonly tests: readonly {
      readonly testPassed: boolean;
      readonly reason: string;
      readonly message: string;
      readonly signature: string;
    }[];
  }[];
}
const acvp = JSON.parse(vectors("ml-dsa-acvp.json")) as Acvp;
const bytesOf = (text: string): Uint8Array => fromBase64(text) ?? new Uint8Array();

/** The blocks of RFC 9881, appendix C, by the comment above each. */
const examples = new Map(
  vectors("rfc9881.pem")
    .split(/^# /m)
    .slice(1)
    .map((part) => {
      const end = part.indexOf("\n");
      return [part.slice(0, end), part.slice(end + 1)] as const;
    }),
);
const example = (name: string): string => examples.get(name) ?? "";
const derOf = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array();
const pem = (key: Uint8Array, algorithm: (typeof sets)[number][0]): string =>
  encodePem("PRIVATE KEY", pkcs8Of(algorithm, key));

describe.each(sets)("$name", (algorithm, parameters) => {
  const { type, name } = algorithm;
  const { identifier } = algorithm;

  it("derives the keys of the NIST key generation vectors, with and without WebCrypto", async () => {
    const own = acvp.keyGen.filter(({ parameterSet }) => parameterSet === name);
    expect(own).toHaveLength(2);
    for (const { seed, pkSha256, skSha256 } of own) {
      const { spki } = await readPrivateKey(pem(octets(fromHex(seed), 0x80), algorithm));
      expect(await sha256(parsePublicKey(spki).keyBits)).toBe(pkSha256);
      const { publicKey, secretKey } = expandSeed(parameters, fromHex(seed));
      expect([await sha256(publicKey), await sha256(secretKey)]).toEqual([pkSha256, skSha256]);
      expect(toHex(publicKeyOfExpanded(parameters, secretKey) ?? new Uint8Array())).toBe(
        toHex(publicKey),
      );
    }
  });

  it("accepts and rejects the signatures of the NIST verification vectors as expected", () => {
    const own = acvp.sigVer.find(({ parameterSet }) => parameterSet === name);
    expect(own?.tests.map(({ testPassed }) => testPassed)).toEqual([true, false, false]);
    for (const { testPassed, reason, message, signature } of own?.tests ?? [])
      expect(
        // the vectors are those of ML-DSA.Verify_internal
        internals[parameters.name].internal.verify(
          bytesOf(signature),
          bytesOf(message),
          bytesOf(own?.pk ?? ""),
        ),
        reason,
      ).toBe(testPassed);
  });

  it("reads the three private key formats of RFC 9881, and writes the seed if it is known", async () => {
    const [seed, expanded, both] = await Promise.all(
      ["seed", "expanded", "both"].map((form) => readPrivateKey(example(`${name} ${form}`))),
    );
    const spki = derOf(example(`${name} public`));
    expect(seed).toEqual({ type, bits: 0, pkcs8: derOf(example(`${name} seed`)), spki });
    expect(both).toEqual(seed);
    expect(expanded).toEqual({ type, bits: 0, pkcs8: derOf(example(`${name} expanded`)), spki });
    const certificate = parseCertificate(derOf(example(`${name} certificate`)));
    const { algorithm: identifiedBy, tbs, signature } = certificate;
    expect(toHex(certificate.spki)).toBe(toHex(spki));
    expect(await verifySignature(spki, identifiedBy, tbs, signature)).toBe(true);
    expect(await verifySignature(spki, identifiedBy, tbs.subarray(1), signature)).toBe(false);
  });

  it("signs with a seed or an expanded key so that OpenSSL verifies it, and verifies signatures of OpenSSL", async () => {
    const scheme = algorithm.scheme(0, false);
    for (const form of ["seed", "expanded"]) {
      const { pkcs8, spki } = await readPrivateKey(example(`${name} ${form}`));
      const vault = sealedVault({ key: random(32) });
      const signer = await vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
      const signature = await signer.sign(scheme, data);
      const key = createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
      expect(verify(null, data, key, signature)).toBe(true);
      const { keyBits } = parsePublicKey(spki);
      expect(verifyWithout(parameters, keyBits, data, signature)).toBe(true);
      expect(verifyWithout(parameters, keyBits, utf8("else"), signature)).toBe(false);
      // hedged: no two signatures are the same
      expect(toHex(await signer.sign(scheme, data))).not.toBe(toHex(signature));
      const theirs = sign(null, data, createPrivateKey(example(`${name} ${form}`)));
      expect(await verifySignature(spki, algorithmIdentifier(scheme), data, theirs)).toBe(true);
      expect(verifyWithout(parameters, keyBits, data, theirs)).toBe(true);
    }
    const { secretKey, publicKey } = expandSeed(parameters, random(32));
    const ours = signExpanded(parameters, secretKey, data, random);
    expect(ours).toEqual(signExpanded(parameters, secretKey, data, random));
    const spki = spkiOf(algorithm, publicKey);
    expect(await verifySignature(spki, algorithmIdentifier(scheme), data, ours)).toBe(true);
  });

  it("generates a key from the bytes of the random source, which OpenSSL reads", async () => {
    const { pkcs8, spki } = await generateKey(type, 0, { random });
    expect(toHex(openPkcs8(pkcs8).key)).toBe(toHex(octets(random(32), 0x80)));
    const read = createPrivateKey({ key: Buffer.from(pkcs8), format: "der", type: "pkcs8" });
    const exported = createPublicKey(read).export({ format: "der", type: "spki" });
    expect(toHex(exported)).toBe(toHex(spki));
    expect(parsePublicKey(spki)).toMatchObject({ type, bits: 0, algorithm: { name } });
    await expect(generateKey(type, 0, { random: () => random(16) })).rejects.toThrow(TypeError);
    await expect(generateKey(type, 0)).resolves.toMatchObject({ pkcs8: expect.any(Uint8Array) });
  });

  it("rejects keys and signatures of the wrong length, parameters, and other algorithm identifiers", async () => {
    const { spki } = await readPrivateKey(example(`${name} seed`));
    const { keyBits } = parsePublicKey(spki);
    const withParameters = sequence(sequence(oid(identifier.oid), nullValue), bitString(keyBits));
    expect(() => parsePublicKey(withParameters)).toThrow(/parameters|algorithm/);
    for (const bits of [keyBits.subarray(1), concat([keyBits, random(1)]), new Uint8Array()])
      expect(() => parsePublicKey(spkiOf(algorithm, bits))).toThrow(
        `${name} public key: expected ${parameters.publicKey} bytes, got ${bits.length}`,
      );
    const { secretKey } = expandSeed(parameters, fromHex(seedOfExamples));
    const signature = signExpanded(parameters, secretKey, data, random);
    const own = algorithmIdentifier(algorithm.scheme(0, false));
    const judged = (key: Uint8Array, with_: Uint8Array, bytes: Uint8Array) =>
      verifySignature(key, with_, data, bytes);
    expect(await judged(spki, own, signature)).toBe(true);
    for (const bytes of [signature.subarray(1), concat([signature, random(1)]), random(0)])
      expect(await judged(spki, own, bytes)).toBe(false);
    const ec = await generateKey("ec", 256);
    expect(await judged(ec.spki, own, signature)).toBe(false);
    const others = [
      ...sets.flatMap(([other]) => (other === algorithm ? [] : [other.schemes[0]?.der[0]])),
      sequence(oid(identifier.oid), nullValue),
      ...[32, 33, 34].map((arc) => sequence(oid(`2.16.840.1.101.3.4.3.${arc}`))),
      sequence(oid("1.2.840.10045.4.3.2")),
    ];
    for (const other of others)
      expect(await judged(spki, other ?? new Uint8Array(), signature)).toBe(false);
  });

  it("rejects private keys of the wrong length or form, with inconsistent parts, or with another public key", async () => {
    const seed = fromHex(seedOfExamples);
    const { secretKey, publicKey } = expandSeed(parameters, seed);
    const refused = (key: Uint8Array) =>
      expect(readPrivateKey(pem(key, algorithm))).rejects.toMatchObject({
        code: expect.stringMatching(/^(bad_key|malformed)$/),
      });
    await refused(octets(seed.subarray(1), 0x80));
    await refused(octets(seed));
    await refused(octets(secretKey.subarray(1)));
    await refused(seed);
    await refused(sequence(octets(seed)));
    await refused(sequence(octets(seed, 0x80), octets(secretKey)));
    await refused(sequence(octets(seed), octets(secretKey), octets(seed)));
    await refused(concat([octets(seed, 0x80), octets(secretKey)]));
    await refused(sequence(octets(random(32)), octets(secretKey)));
    // a secret coefficient out of range, the hash of the public key, and the low bits of t
    for (const [at, value] of [
      [128, 0xff],
      [64, (secretKey[64] ?? 0) ^ 1],
      [secretKey.length - 1, (secretKey.at(-1) ?? 0) ^ 1],
    ] as const) {
      const changed = secretKey.slice();
      changed[at] = value;
      await refused(octets(changed));
    }
    const version2 = (bits: Uint8Array) =>
      encodePem(
        "PRIVATE KEY",
        sequence(
          Uint8Array.of(2, 1, 1),
          sequence(oid(identifier.oid)),
          octets(octets(seed, 0x80)),
          Uint8Array.from([0x81, ...bitString(bits).subarray(1)]),
        ),
      );
    expect(await readPrivateKey(version2(publicKey))).toMatchObject({ type });
    await expect(readPrivateKey(version2(publicKey.toReversed()))).rejects.toMatchObject({
      code: "bad_key",
    });
  });
});
const seedOfExamples = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

describe("inconsistent private keys of RFC 9881", () => {
  it.each([
    [1, "ML-DSA-44 private key: the seed and the expanded key do not match"],
    [2, "the parts of the ML-DSA-44 private key are inconsistent"],
    [3, "the parts of the ML-DSA-44 private key are inconsistent"],
  ])("number %i is rejected", async (number, message) => {
    await expect(readPrivateKey(example(`ML-DSA-44 inconsistent ${number}`))).rejects.toMatchObject(
      { code: "bad_key", message },
    );
  });
});
