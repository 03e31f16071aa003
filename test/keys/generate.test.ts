import { describe, expect, it, vi } from "vitest";
import { toHex } from "../../src/base/bytes.ts";
import { encodePem } from "../../src/base/pem.ts";
import { checkKeyParameters, generateKey } from "../../src/keys/generate.ts";
import { traditionalKey, traditionalPem } from "../../src/keys/signer.ts";
import { readPrivateKey } from "../../src/keys/read.ts";
import { parsePublicKey } from "../../src/x509/public-key.ts";
import { openssl, opensslTraditional } from "./openssl.ts";

describe("key_type and key_bits", () => {
  it.each([
    ["rsa", 0, 2048],
    ["rsa", 2048, 2048],
    ["rsa", 3072, 3072],
    ["rsa", 4096, 4096],
    ["rsa", 8192, 8192],
    ["ec", 0, 256],
    ["ec", 224, 224],
    ["ec", 256, 256],
    ["ec", 384, 384],
    ["ec", 521, 521],
    ["ed25519", 0, 0],
    ["ed25519", 17, 0],
    ["any", 5, 0],
  ])("%s with %d means %d bits", (type, bits, normal) => {
    expect(checkKeyParameters(type, bits)).toBe(normal);
  });
  it.each([
    ["rsa", 1024, "RSA keys < 2048 bits are unsafe and not supported: got 1024"],
    ["rsa", -1, "RSA keys < 2048 bits are unsafe and not supported: got -1"],
    ["rsa", 2056, "unsupported bit length for RSA key: 2056"],
    ["rsa", 16384, "unsupported bit length for RSA key: 16384"],
    ["ec", 255, "unsupported bit length for EC key: 255"],
    ["dsa", 0, expect.stringMatching(/^unknown key type dsa: use rsa, ec\b/)],
    ["", 0, expect.stringMatching(/^unknown key type : use rsa, ec\b/)],
    ["RSA", 0, expect.stringMatching(/^unknown key type RSA: use rsa, ec\b/)],
  ])("%s with %d is rejected with the known text", (type, bits, text) => {
    expect(() => checkKeyParameters(type, bits)).toThrow(
      expect.objectContaining({ code: "invalid_field", message: text }),
    );
  });
});

describe("a new key", () => {
  it.each([
    ["rsa", 0, 2048, "RSA PRIVATE KEY"],
    ["rsa", 3072, 3072, "RSA PRIVATE KEY"],
    ["ec", 0, 256, "EC PRIVATE KEY"],
    ["ec", 224, 224, "EC PRIVATE KEY"],
    ["ec", 384, 384, "EC PRIVATE KEY"],
    ["ec", 521, 521, "EC PRIVATE KEY"],
    ["ed25519", 0, 256, "PRIVATE KEY"],
  ] as const)(
    "of %s with %d has %d bits, is encoded as %s and passes openssl's check",
    async (type, asked, bits, label) => {
      const { pkcs8, spki, traditional } = await generateKey(type, asked);
      expect(parsePublicKey(spki)).toMatchObject({ type, bits });
      expect(parsePublicKey(spki)).toEqual({ ...parsePublicKey(spki.slice()), spki });
      expect(traditionalKey(pkcs8).type).toBe(type);
      if (type === "ec") expect(traditional).toEqual(traditionalKey(pkcs8));
      const pem = traditionalPem(pkcs8);
      expect(pem.startsWith(`-----BEGIN ${label}-----\n`)).toBe(true);
      expect(pem.endsWith(`\n-----END ${label}-----`)).toBe(true);
      expect(pem).toBe(encodePem(label, traditionalKey(pkcs8).der));
      for (const text of [pem, encodePem("PRIVATE KEY", pkcs8)]) {
        expect(openssl(["pkey", "-check", "-noout"], text)).toContain("Key is valid");
        expect(openssl(["pkey", "-pubout"], text).trim()).toBe(encodePem("PUBLIC KEY", spki));
      }
      expect(opensslTraditional(encodePem("PRIVATE KEY", pkcs8))).toBe(pem);
      const read = await readPrivateKey(pem);
      expect([read.type, read.bits, toHex(read.spki)]).toEqual([type, bits, toHex(spki)]);
    },
  );
  it.each([
    ["rsa", 8192, "RSA 8192"],
    ["ec", 521, "EC P-521"],
    ["ec", 0, "EC P-256"],
    ["ed25519", 0, "Ed25519"],
  ] as const)(
    "of %s with %d is rejected if the platform cannot generate it",
    async (type, bits, kind) => {
      const making = vi
        .spyOn(crypto.subtle, "generateKey")
        .mockRejectedValue(new DOMException("", "OperationError"));
      try {
        const refusal = {
          name: "CaError",
          code: "invalid_field",
          message: `this platform cannot generate ${kind} keys`,
        };
        await expect(generateKey(type, bits)).rejects.toMatchObject(refusal);
        making.mockRejectedValue(new RangeError("something else"));
        await expect(generateKey(type, bits)).rejects.toThrow(RangeError);
      } finally {
        making.mockRestore();
      }
    },
  );
  it("of type Ed25519 is generated even if the platform fails once", async () => {
    const making = vi
      .spyOn(crypto.subtle, "generateKey")
      .mockRejectedValueOnce(new DOMException("", "OperationError"));
    const { pkcs8 } = await generateKey("ed25519", 0);
    expect([making.mock.calls.length, traditionalKey(pkcs8).type]).toEqual([2, "ed25519"]);
    making.mockClear().mockRejectedValueOnce(new DOMException("", "OperationError"));
    await expect(generateKey("rsa", 2048)).rejects.toMatchObject({ code: "invalid_field" });
    expect(making).toHaveBeenCalledTimes(1);
    making.mockRestore();
  });
  it("of RSA above 4096 bits is generated one at a time; one that never finishes blocks others for a minute", async () => {
    const platform = crypto.subtle.generateKey.bind(crypto.subtle);
    const small = await platform(
      {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-256",
        modulusLength: 2048,
        publicExponent: Uint8Array.of(1, 0, 1),
      },
      true,
      ["sign"],
    );
    const making = vi.spyOn(crypto.subtle, "generateKey").mockResolvedValue(small);
    const at = (time: number) => ({ now: () => time });
    const refused = {
      name: "CaError",
      code: "busy",
      message: expect.stringContaining("another large RSA key is being generated"),
      retryAfter: 10,
    };
    try {
      const first = generateKey("rsa", 8192, at(1000));
      await expect(generateKey("rsa", 8192, at(1001))).rejects.toMatchObject(refused);
      await generateKey("rsa", 4096, at(1002));
      await generateKey("ed25519", 0, at(1003)).catch(() => undefined);
      await first;
      // a failure ends the turn, too
      making.mockRejectedValueOnce(new RangeError("out of order"));
      await expect(generateKey("rsa", 8192, at(2000))).rejects.toThrow(RangeError);
      making.mockReturnValueOnce(new Promise<never>(() => undefined));
      void generateKey("rsa", 8192, at(3000));
      await expect(generateKey("rsa", 8192, at(62_999))).rejects.toMatchObject(refused);
      const late = generateKey("rsa", 8192, at(63_000));
      await expect(generateKey("rsa", 8192, at(63_001))).rejects.toMatchObject(refused);
      await late;
    } finally {
      making.mockRestore();
    }
  });
  it("of RSA above 4096 bits blocks others until the calls that arrived while it blocked the thread are rejected", async () => {
    const platform = crypto.subtle.generateKey.bind(crypto.subtle);
    const small = await platform(
      {
        name: "RSASSA-PKCS1-v1_5",
        hash: "SHA-256",
        modulusLength: 2048,
        publicExponent: Uint8Array.of(1, 0, 1),
      },
      true,
      ["sign"],
    );
    const making = vi.spyOn(crypto.subtle, "generateKey").mockResolvedValue(small);
    try {
      const first = generateKey("rsa", 8192);
      // calls that the thread handles next once it is free again
      await new Promise((resolve) => setTimeout(resolve, 0));
      await expect(generateKey("rsa", 8192)).rejects.toMatchObject({ code: "busy" });
      await first;
      expect(making).toHaveBeenCalledTimes(1);
    } finally {
      making.mockRestore();
    }
  });
  it("differs every time", async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => generateKey("ed25519", 0)));
    expect(new Set(keys.map(({ pkcs8 }) => toHex(pkcs8))).size).toBe(8);
  });
});
