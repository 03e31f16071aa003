import { build } from "esbuild";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { equalBytes, fromHex, toHex, utf8 } from "../../src/base/bytes.ts";
import { explicit, integer, octets, oid, readDer, sequence } from "../../src/base/der.ts";
import { decodePem, encodePem } from "../../src/base/pem.ts";
import { openPkcs8, traditionalPem } from "../../src/keys/signer.ts";
import type { KeyPair } from "../../src/algorithms/algorithm.ts";
import { generateKey } from "../../src/keys/generate.ts";
import { signDigest } from "../../src/algorithms/ecdsa-sign.ts";
import { publicPoint } from "../../src/algorithms/point.ts";
import { readPrivateKey } from "../../src/keys/read.ts";
import { sealedVault } from "../../src/keys/sealed.ts";
import type { Scheme, Signer } from "../../src/engine/ports.ts";
import { ecdsaToRaw } from "../../src/algorithms/nist-curves.ts";
import {
  algorithmIdentifier,
  verifySignature,
  checkPublicKey,
  keyIdentifier,
  parsePublicKey,
} from "../../src/x509/public-key.ts";
import { subjectKeyIdentifier } from "../../src/x509/key-identifiers.ts";
import { parseCertificate } from "../../src/x509/certificate.ts";
import { basicConstraints } from "../../src/x509/basic-constraints.ts";
import { encodeName } from "../../src/x509/name.ts";
import { keyOid, p224 } from "../algorithms/parameters.ts";
import {
  certify,
  commonName,
  defined,
  makeCa,
  makeCsr,
  opensslBytes,
  withFiles,
  openssl as opensslFile,
  type TestKey,
} from "../x509/fixture.ts";
import { openssl, opensslTraditional } from "./openssl.ts";

const data = utf8("to be signed");
const sha256: Scheme = { name: "ECDSA", hash: "SHA-256" };
const order = "ffffffffffffffffffffffffffff16a2e0b8f03e13dd29455c5c2a3d";
const unopened = {
  code: "storage",
  message: "a sealed secret cannot be opened: it was sealed with a different key, or changed",
};
const bytes = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);
const derOf = (pem: string): Uint8Array => decodePem(pem)[0]?.der ?? new Uint8Array();
const made = (): string =>
  openssl([
    "genpkey",
    "-algorithm",
    "EC",
    "-pkeyopt",
    "ec_paramgen_curve:P-224",
    "-pkeyopt",
    "ec_param_enc:named_curve",
  ]);
const digest = async (hash: string, text: string): Promise<Uint8Array> =>
  new Uint8Array(await crypto.subtle.digest(hash, utf8(text)));
const refused = { code: expect.stringMatching(/^(bad_key|malformed)$/) };

let pair: KeyPair;
beforeAll(async () => {
  pair = await generateKey("ec", 224);
});
const vault = sealedVault({ key: bytes(1) });
const signerOf = async ({ pkcs8, spki }: KeyPair): Promise<Signer> =>
  vault.signer(await vault.seal(pkcs8, "key"), "key", spki);
async function testKey(of: KeyPair): Promise<TestKey> {
  const signer = await signerOf(of);
  return { key: parsePublicKey(of.spki), scheme: sha256, sign: (tbs) => signer.sign(sha256, tbs) };
}
const verifiedByOpenssl = (spki: Uint8Array, hash: string, signature: Uint8Array): string =>
  withFiles({ data, signature, "key.pem": encodePem("PUBLIC KEY", spki) }, (path) =>
    opensslFile([
      "dgst",
      `-${hash}`,
      "-verify",
      path("key.pem"),
      "-signature",
      path("signature"),
      path("data"),
    ]),
  );

describe("a generated P-224 key", () => {
  it("is valid, and openssl reads the same key pair from each of its forms", async () => {
    const key = parsePublicKey(pair.spki);
    expect(key).toMatchObject({ type: "ec", bits: 224, algorithm: { name: "P-224" } });
    checkPublicKey(key);
    const pem = encodePem("PRIVATE KEY", pair.pkcs8);
    for (const text of [pem, traditionalPem(pair.pkcs8)]) {
      expect(openssl(["pkey", "-check", "-noout"], text)).toContain("Key is valid");
      expect(openssl(["pkey", "-pubout"], text).trim()).toBe(encodePem("PUBLIC KEY", pair.spki));
    }
    expect(openssl(["pkey"], pem).trim()).toBe(pem);
    expect(opensslTraditional(pem)).toBe(traditionalPem(pair.pkcs8));
    const { pkcs8, spki } = pair;
    expect(await readPrivateKey(pem)).toEqual({ type: "ec", bits: 224, pkcs8, spki });
  });
  it("differs every time, and is determined by the given random source", async () => {
    const keys = await Promise.all([1, 2, 3, 4].map(() => generateKey("ec", 224)));
    expect(new Set(keys.map(({ pkcs8 }) => toHex(pkcs8))).size).toBe(4);
    const source = vi.fn((count: number) => bytes(7, count));
    const [one, two] = [
      await generateKey("ec", 224, { random: source }),
      await generateKey("ec", 224, { random: source }),
    ];
    expect(one).toEqual(two);
    expect(source).toHaveBeenCalledTimes(2);
    // 64 bits more than the order, so that no scalar is likelier than another (FIPS 186-5 appendix
    // A.2.1).
    expect(source.mock.calls[0]?.[0]).toBeGreaterThanOrEqual(28 + 8);
    await expect(generateKey("ec", 224, { random: () => bytes(7, 8) })).rejects.toThrow(TypeError);
  });
});

describe("a P-224 key from openssl", () => {
  const text = made();
  it("is read from PKCS#8 and SEC1, with an uncompressed, compressed or missing point, and re-encoded as by openssl", async () => {
    const forms = [
      text,
      opensslTraditional(text),
      openssl(["ec", "-conv_form", "compressed"], text),
      openssl(["ec", "-no_public"], text),
    ];
    for (const form of [...forms, openssl(["ecparam", "-name", "secp224r1", "-genkey"])]) {
      const key = await readPrivateKey(form);
      expect([key.type, key.bits]).toEqual(["ec", 224]);
      expect(encodePem("PUBLIC KEY", key.spki)).toBe(
        openssl(["pkey", "-pubout", "-ec_conv_form", "uncompressed"], form).trim(),
      );
      if (forms.includes(form)) expect(encodePem("PRIVATE KEY", key.pkcs8)).toBe(text.trim());
    }
  });
  it("is read even if the leading zeros of its scalar are dropped", async () => {
    const short = await readPrivateKey(
      encodePem(
        "EC PRIVATE KEY",
        sequence(integer(1), octets(Uint8Array.of(5)), explicit(0, oid(keyOid.p224))),
      ),
    );
    expect(openssl(["pkey", "-check", "-noout"], traditionalPem(short.pkcs8))).toContain(
      "Key is valid",
    );
  });
  it.each([
    ["zero", "00".repeat(28)],
    ["the order", order],
    ["above the order", "ff".repeat(28)],
    ["a byte too long", `01${"00".repeat(28)}`],
  ])("is rejected if its scalar is %s", async (_, hex) => {
    const der = sequence(integer(1), octets(fromHex(hex)), explicit(0, oid(keyOid.p224)));
    await expect(readPrivateKey(encodePem("EC PRIVATE KEY", der))).rejects.toMatchObject(refused);
  });
  it("is rejected if its point belongs to another key", async () => {
    const [mine, theirs] = [text, made()].map((pem) =>
      readDer(openPkcs8(derOf(pem)).key, "key").enter("key"),
    );
    if (!mine || !theirs) throw new Error("no keys");
    theirs.raw("version");
    theirs.raw("scalar");
    const der = sequence(
      mine.raw("version"),
      mine.raw("scalar"),
      explicit(0, oid(keyOid.p224)),
      theirs.raw("point", 0xa1),
    );
    await expect(readPrivateKey(encodePem("EC PRIVATE KEY", der))).rejects.toMatchObject({
      code: "bad_key",
      message: /public key that does not match/,
    });
  });
  it("signs in the vault, and its signatures verify here and in openssl", async () => {
    const key = await readPrivateKey(text);
    for (const [hash, scheme] of [
      ["sha256", sha256],
      ["sha384", { name: "ECDSA", hash: "SHA-384" }],
      ["sha512", { name: "ECDSA", hash: "SHA-512" }],
    ] as const) {
      const identifier = algorithmIdentifier(scheme);
      const theirs = withFiles({ data, "key.pem": text }, (path) =>
        opensslBytes(["dgst", `-${hash}`, "-sign", path("key.pem"), path("data")]),
      );
      expect(await verifySignature(key.spki, identifier, data, theirs)).toBe(true);
      expect(await verifySignature(pair.spki, identifier, data, theirs)).toBe(false);
      const ours = await (await signerOf(key)).sign(scheme, data);
      expect(verifiedByOpenssl(key.spki, hash, ours)).toContain("Verified OK");
      expect(await verifySignature(key.spki, identifier, data, ours)).toBe(true);
      expect(await verifySignature(key.spki, identifier, utf8("else"), ours)).toBe(false);
    }
  });
});

describe("the signer of a sealed P-224 key", () => {
  it("is not the platform's, and rejects other schemes", async () => {
    const signer = await signerOf(pair);
    expect([signer.platform, toHex(signer.spki)]).toEqual([false, toHex(pair.spki)]);
    for (const scheme of [{ name: "Ed25519" }, { name: "RSA-PSS", hash: "SHA-256" }] as const)
      await expect(signer.sign(scheme, data)).rejects.toThrow(TypeError);
  });
  it("returns a different valid DER signature every time", async () => {
    const signer = await signerOf(pair);
    const signatures = await Promise.all(
      Array.from({ length: 24 }, () => signer.sign(sha256, data)),
    );
    expect(new Set(signatures.map(toHex)).size).toBe(24);
    for (const signature of signatures.slice(0, 4))
      expect(verifiedByOpenssl(pair.spki, "sha256", signature)).toContain("Verified OK");
    for (const signature of signatures) expect(ecdsaToRaw(signature, 28)).toHaveLength(56);
  });
  it("is rejected like any failure to unseal if the sealed key is another one, of another type, or not a key", async () => {
    const others = await Promise.all([
      generateKey("ec", 224),
      generateKey("ec", 256),
      generateKey("ed25519", 0),
    ]);
    for (const { pkcs8 } of others)
      await expect(signerOf({ pkcs8, spki: pair.spki })).rejects.toMatchObject(unopened);
    for (const { spki } of others)
      await expect(signerOf({ pkcs8: pair.pkcs8, spki })).rejects.toMatchObject(unopened);
    for (const pkcs8 of [utf8("no key"), new Uint8Array(), pair.pkcs8.subarray(1)])
      await expect(signerOf({ pkcs8, spki: pair.spki })).rejects.toMatchObject(unopened);
    await expect(
      vault.signer(await vault.seal(pair.pkcs8, "key/1"), "key/2", pair.spki),
    ).rejects.toMatchObject(unopened);
  });
  it("unseals the key for each signature and wipes it afterwards", async () => {
    const sealed = await vault.seal(pair.pkcs8, "wiped");
    const decrypt = vi.spyOn(crypto.subtle, "decrypt");
    const signer = await vault.signer(sealed, "wiped", pair.spki);
    await signer.sign(sha256, data);
    await signer.sign(sha256, data);
    expect(decrypt).toHaveBeenCalledTimes(3);
    for (const { value } of decrypt.mock.results)
      expect(new Uint8Array(await (value as Promise<ArrayBuffer>))).toEqual(
        new Uint8Array(pair.pkcs8.length),
      );
    decrypt.mockRestore();
    expect(
      Object.values(signer).some(
        (member) => member instanceof Uint8Array && !equalBytes(member, pair.spki),
      ),
    ).toBe(false);
  });
  it("unseals a key that was sealed with the previous sealing key", async () => {
    const sealed = await vault.seal(pair.pkcs8, "key");
    const signer = await sealedVault({ key: bytes(2), previous: bytes(1) }).signer(
      sealed,
      "key",
      pair.spki,
    );
    expect(
      await verifySignature(
        pair.spki,
        algorithmIdentifier(sha256),
        data,
        await signer.sign(sha256, data),
      ),
    ).toBe(true);
  });
  it("hedges against a stuck random source: the same message gets the same signature, another message another nonce", async () => {
    const stuck = sealedVault({ key: bytes(1), random: (count) => bytes(9, count) });
    const signer = await stuck.signer(await vault.seal(pair.pkcs8, "key"), "key", pair.spki);
    const [one, again, other] = await Promise.all(
      [data, data, utf8("else")].map((message) => signer.sign(sha256, message)),
    );
    expect(one).toEqual(again);
    const r = (signature: Uint8Array | undefined): string =>
      toHex(ecdsaToRaw(signature ?? new Uint8Array(), 28).subarray(0, 28));
    expect(r(one)).not.toBe(r(other));
  });
});

describe("P-224 arithmetic", () => {
  // RFC 6979 appendix A.2.4.
  const scalar = fromHex("f220266e1105bfe3083e03ec7a3a654651f45e37167e88600bf257c1");
  const point =
    "0400cf08da5ad719e42707fa431292dea11244d64fc51610d94b130d6ceeab6f3debe455e3dbf85416f7030cbd94f34f2d6f232c69f3c1385a";
  it.each([
    [
      "sample",
      "61aa3da010e8e8406c656bc477a7a7189895e7e840cdfe8ff42307ba",
      "bc814050dab5d23770879494f9e0a680dc1af7161991bde692b10101",
    ],
    [
      "test",
      "ad04dde87b84747a243a631ea47a1ba6d1faa059149ad2440de6fba6",
      "178d49b1ae90e3d8b629be3db5683915f4e8c99fdf6e666cf37adcfd",
    ],
  ])("signs %j like RFC 6979 if no randomness is mixed in", async (message, r, s) => {
    expect(toHex(publicPoint(p224, scalar) ?? new Uint8Array())).toBe(point);
    const hashed = await digest("SHA-256", message);
    expect(toHex(signDigest(p224, scalar, hashed))).toBe(r + s);
    expect(toHex(signDigest(p224, scalar, hashed, bytes(1)))).not.toBe(r + s);
  });
  it("has no point for scalars outside the order", () => {
    for (const hex of ["00".repeat(28), order, "ff".repeat(28), "01", `00${"01".repeat(28)}`])
      expect(publicPoint(p224, fromHex(hex))).toBeUndefined();
    expect(toHex(publicPoint(p224, fromHex(`${"00".repeat(27)}01`)) ?? new Uint8Array())).toMatch(
      /^04b70e0cbd/,
    );
  });
});

describe("certificates", () => {
  it("with P-224 keys are verified by openssl: a root, a leaf and a CSR", async () => {
    const [root, leaf] = [await testKey(pair), await testKey(await generateKey("ec", 224))];
    const ca = await makeCa(root);
    const identifier = await keyIdentifier(leaf.key.spki);
    const extensions = defined([
      basicConstraints(false),
      subjectKeyIdentifier(identifier),
      ca.fields.extensions.find(({ oid: id }) => id === "2.5.29.35"),
    ]);
    const fields = {
      ...ca.fields,
      serial: Uint8Array.of(9),
      subject: encodeName(commonName("small leaf")),
      spki: leaf.key.spki,
      extensions,
    };
    const signed = await certify(root, fields);
    const csr = await makeCsr(leaf, commonName("small leaf"), []);
    expect(
      await verifySignature(
        pair.spki,
        algorithmIdentifier(sha256),
        parseCertificate(signed).tbs,
        parseCertificate(signed).signature,
      ),
    ).toBe(true);
    const pem = (label: string, der: Uint8Array): string => encodePem(label, der);
    withFiles(
      {
        "ca.pem": pem("CERTIFICATE", ca.der),
        "leaf.pem": pem("CERTIFICATE", signed),
        "csr.pem": pem("CERTIFICATE REQUEST", csr),
      },
      (path) => {
        // The default security level of openssl excludes P-224.
        const verify = [
          "verify",
          "-auth_level",
          "0",
          "-attime",
          "1795000000",
          "-x509_strict",
          "-check_ss_sig",
          "-CAfile",
          path("ca.pem"),
        ];
        expect(opensslFile([...verify, path("ca.pem"), path("leaf.pem")])).toMatch(
          /ca\.pem: OK\n.*leaf\.pem: OK/,
        );
        expect(opensslFile(["x509", "-in", path("leaf.pem"), "-noout", "-text"])).toMatch(
          /ecdsa-with-SHA256[^]*NIST CURVE: P-224/,
        );
        opensslFile(["req", "-in", path("csr.pem"), "-verify", "-noout"]);
      },
    );
  });
});

describe("the arithmetic of curves", () => {
  it("is loaded on first use: a bundle has it in separate chunks that no entry point imports statically", async () => {
    const entryPoints = ["generate", "read", "sealed"].map((name) => `src/keys/${name}.ts`);
    const { metafile } = await build({
      entryPoints,
      bundle: true,
      splitting: true,
      format: "esm",
      write: false,
      metafile: true,
      outdir: "out",
      logLevel: "silent",
    });
    /** Returns the modules that are loaded statically with a chunk. */
    const needs = (path: string): readonly string[] => [
      path,
      ...(metafile.outputs[path]?.imports ?? []).flatMap((next) =>
        next.kind === "import-statement" ? needs(next.path) : [],
      ),
    ];
    const hasNoble = (path: string): boolean =>
      Object.keys(metafile.outputs[path]?.inputs ?? {}).some((input) => input.includes("@noble/"));
    const withNoble = Object.entries(metafile.outputs).filter(([path]) =>
      needs(path).some(hasNoble),
    );
    const apart = withNoble.flatMap(([, { entryPoint }]) => entryPoint ?? []);
    expect(apart).toContain("src/algorithms/point.ts");
    expect(apart.filter((path) => entryPoints.includes(path))).toEqual([]);
  });
});
