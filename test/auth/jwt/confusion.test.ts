import { constants, generateKeyPairSync, sign, type SignKeyObjectInput } from "node:crypto";
import { describe, expect, it } from "vitest";
import { ecdsaToDer } from "../../../src/algorithms/nist-curves.ts";
import { decodePem } from "../../../src/base/pem.ts";
import type { Ports } from "../../../src/engine/ports.ts";
import { verifiedClaims } from "../../../src/auth/jwt/verify.ts";
import { hmacToken, part, tokenSigner } from "./signer.ts";

const [rsa, ec, stranger] = await Promise.all([
  tokenSigner("RS256", "one"),
  tokenSigner("ES256", "two"),
  tokenSigner("RS256", "one"),
]);
/** Returns ports whose platform serves a set of keys, and the requests it got. */
function serving(keys: readonly unknown[]): Ports & { readonly asked: string[] } {
  const asked: string[] = [];
  const fetch = async (url: string) => {
    asked.push(url);
    return new Response(JSON.stringify({ keys }));
  };
  // the key reader uses no other ports
  return { asked, fetch, now: () => 0, random: () => new Uint8Array() } as unknown as Ports & {
    readonly asked: string[];
  };
}
const jwks = {
  from: "jwks",
  url: "https://keys.example/jwks",
  roots: [],
  privateNetworks: false,
} as const;
const pinned = (...pems: readonly string[]) => ({ from: "pinned", pems }) as const;
const claims = { sub: "alice" };
const verdict = (asking: Promise<unknown>): Promise<string> =>
  asking.then(
    (found) => JSON.stringify(found),
    (error: Error) => `${error.name}: ${error.message}`,
  );
const believed = JSON.stringify(claims);
/** Signs the header and claims with a Node key. */
const signedText = (input: string, by: SignKeyObjectInput): string =>
  `${input}.${sign("sha256", Buffer.from(input), by).toString("base64url")}`;

const byPin = (text: string, taken: readonly string[] = []) =>
  verdict(verifiedClaims(serving([]), pinned(rsa.pem), taken, text));
const bySet = (text: string, keys: readonly unknown[] = [rsa.jwk, ec.jwk]) =>
  verdict(verifiedClaims(serving(keys), jwks, [], text));

describe("a JWT", () => {
  it.each([
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
    "Ed25519",
  ])("signed with %s is accepted, with a pinned key and with one of a key set", async (alg) => {
    const signer = await tokenSigner(alg, "a");
    const text = await signer.token(claims);
    const source = pinned(signer.pem);
    expect(await verdict(verifiedClaims(serving([]), source, [], text))).toBe(believed);
    expect(await bySet(text, [signer.jwk])).toBe(believed);
  });

  it("signed with any pinned key is accepted, regardless of its key ID", async () => {
    const text = await ec.token(claims, { kid: "../../../../dev/null" });
    const source = pinned(rsa.pem, ec.pem);
    expect(await verdict(verifiedClaims(serving([]), source, [], text))).toBe(believed);
  });

  it("without a key ID is verified with any key of the set", async () => {
    const text = await ec.token(claims, { kid: undefined });
    expect(await bySet(text)).toBe(believed);
  });
});

describe("a JWT is rejected", () => {
  it.each(["none", "None", "NONE", "nOnE", ""])("without a signature, as alg %j", async (alg) => {
    const header = { alg, kid: "one" };
    const text = `${part(header)}.${part(claims)}.`;
    expect(await byPin(text)).toMatch(/^JwtFault: the token's algorithm \(alg\) is not supported/);
    expect(await bySet(text)).toMatch(/^JwtFault: the token's algorithm \(alg\) is not supported/);
  });

  it.each(["HS256", "HS384", "HS512", "hs256"])(
    "signed with the public key as a shared secret, as alg %s",
    async (alg) => {
      const [block] = decodePem(rsa.pem);
      const secrets = [
        rsa.pem,
        rsa.pem.trim(),
        `${rsa.pem.trim()}\n`,
        block?.der ?? "",
        JSON.stringify(rsa.jwk),
        "",
      ];
      for (const secret of secrets) {
        const text = hmacToken({ alg, kid: "one" }, claims, secret);
        expect(await byPin(text)).toMatch(
          /^JwtFault: the token's algorithm \(alg\) is not supported/,
        );
        expect(await bySet(text)).toMatch(
          /^JwtFault: the token's algorithm \(alg\) is not supported/,
        );
      }
    },
  );

  it("signed with a shared secret from the key set", async () => {
    const k = part("a shared secret of thirty-two by");
    const text = hmacToken({ alg: "HS256", kid: "s" }, claims, Buffer.from(k, "base64url"));
    expect(await bySet(text, [{ kty: "oct", k, kid: "s", alg: "HS256" }, rsa.jwk])).toMatch(
      /algorithm \(alg\) is not supported/,
    );
  });

  it("if its algorithm is for another type of key", async () => {
    const text = await ec.token(claims, { kid: "one" });
    expect(await bySet(text)).toBe("JwtFault: the token's algorithm does not match the key");
    expect(await byPin(text)).toBe("JwtFault: the token's algorithm does not match the key");
    const other = await tokenSigner("ES384", "two");
    expect(await bySet(await other.token(claims))).toMatch(/does not match the key/);
  });

  it("if its algorithm differs from that of the key, or is not accepted by the login method", async () => {
    const text = await rsa.token(claims);
    expect(await bySet(text, [{ ...rsa.jwk, alg: "PS256" }])).toMatch(/does not match the key/);
    expect(await byPin(text, ["ES256"])).toBe(
      "JwtFault: this login method does not accept the token's algorithm",
    );
  });

  it("with its own key, or the URL of one, in the header", async () => {
    const brought = [
      { jwk: stranger.jwk },
      { jku: "https://evil.example/jwks" },
      { x5u: "https://evil.example/cert" },
      { x5c: [part("certificate")] },
    ];
    for (const header of brought) {
      const text = await stranger.token(claims, header);
      expect(await byPin(text)).toBe(
        "JwtFault: the token was not signed with a key of this login method",
      );
      const ports = serving([rsa.jwk]);
      expect(await verdict(verifiedClaims(ports, jwks, [], text))).toMatch(
        /^JwtFault: the token was not signed/,
      );
      expect(ports.asked).toEqual([jwks.url]);
    }
  });

  it.each([
    "../../../../../../dev/null",
    "/proc/sys/kernel/randomize_va_space",
    "' UNION SELECT 'key' --",
    "one\u0000",
    "__proto__",
    "constructor",
    "https://evil.example/jwks",
  ])("with the key ID %j, which is only compared", async (kid) => {
    const ports = serving([rsa.jwk]);
    const text = await stranger.token(claims, { kid });
    expect(await verdict(verifiedClaims(ports, jwks, [], text))).toBe(
      "JwtFault: no key has the token's key ID (kid)",
    );
    expect(ports.asked).toEqual([jwks.url]);
  });

  it("with crit, b64, a kid that is not a string, or a repeated header member", async () => {
    const [, body, signature] = (await rsa.token(claims)).split(".");
    const headed = (header: string) => byPin(`${part(header)}.${body}.${signature}`);
    expect(await headed('{"alg":"RS256","crit":["exp"],"exp":1}')).toMatch(/crit and b64/);
    expect(await headed('{"alg":"RS256","crit":[]}')).toMatch(/crit and b64/);
    expect(await headed('{"alg":"RS256","b64":false}')).toMatch(/crit and b64/);
    expect(await headed('{"alg":"RS256","kid":7}')).toMatch(/kid must be a string/);
    expect(await headed('{"alg":"none","alg":"RS256"}')).toMatch(/header of the token cannot/);
    expect(await headed('{"alg":"RS256","\\u0061lg":"none"}')).toMatch(
      /header of the token cannot/,
    );
    expect(await headed('["RS256"]')).toMatch(/JSON object/);
    expect(await headed("alg=RS256")).toMatch(/JSON object/);
  });

  it("with a repeated claim, although its signature is valid", async () => {
    const text = await rsa.tokenOf('{"sub":"alice","sub":"root"}');
    expect(await byPin(text)).toBe("JwtFault: the claims of the token cannot be read");
    expect(await byPin(await rsa.tokenOf('"alice"'))).toMatch(/JSON object/);
  });

  it("if any part is changed, truncated, extended or serialized differently", async () => {
    const text = await rsa.token(claims);
    const [head = "", body = "", signature = ""] = text.split(".");
    const others = [
      `${head}.${part({ sub: "root" })}.${signature}`,
      `${part({ alg: "RS512" })}.${body}.${signature}`,
      `${head}.${body}.`,
      `${head}.${body}`,
      `${text}.${signature}`,
      `${text}=`,
      ` ${text}`,
      `${text}\n`,
      `${head}.${body}.${signature.slice(0, -4)}`,
      `${head}.${body}.${signature}AAAA`,
      JSON.stringify({ protected: head, payload: body, signature }),
      "",
      "..",
    ];
    for (const other of others) expect(await byPin(other)).toMatch(/^JwtFault: /);
    expect(await byPin(text)).toBe(believed);
  });

  it("if it is too long, or its claims have too many values", async () => {
    const text = await rsa.token({ sub: "x".repeat(20_000) });
    expect(await byPin(text)).toBe("JwtFault: the token must have at most 16384 characters");
    const many = await rsa.token({ groups: Array.from({ length: 2000 }, () => "a") });
    expect(await byPin(many)).toMatch(/cannot be read/);
  });

  it("if signed with an RSA key of 2047 bits, although its signature is valid", async () => {
    const verdicts = [2048, 2047].map(async (modulusLength) => {
      const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength });
      const text = signedText(`${part({ alg: "RS256" })}.${part(claims)}`, { key: privateKey });
      return bySet(text, [publicKey.export({ format: "jwk" })]);
    });
    expect(await Promise.all(verdicts)).toEqual([
      believed,
      "JwtFault: the token was not signed with a key of this login method",
    ]);
  });

  it.each([
    ["ES256", 64],
    ["ES384", 96],
    ["ES512", 132],
  ])("with an %s signature that is not the %i bytes of r and s", async (alg, size) => {
    const signer = await tokenSigner(alg, "a");
    const text = await signer.token(claims);
    const signed = text.slice(0, text.lastIndexOf(".") + 1);
    const right = Buffer.from(text.slice(signed.length), "base64url");
    expect(right).toHaveLength(size);
    const half = size / 2;
    const [r, s] = [right.subarray(0, half), right.subarray(half)];
    const zero = Buffer.of(0);
    const others = [
      right.subarray(0, -1),
      Buffer.concat([right, zero]),
      Buffer.concat([zero, right]),
      Buffer.concat([zero, r, zero, s]),
      Buffer.from(ecdsaToDer(right)),
      r,
      Buffer.alloc(size),
    ];
    for (const other of others)
      expect(await bySet(signed + other.toString("base64url"), [signer.jwk])).toMatch(
        /^JwtFault: the token was not signed/,
      );
    expect(await bySet(text, [signer.jwk])).toBe(believed);
  });

  it("with an RSA-PSS signature whose salt is not as long as the hash", async () => {
    const { privateKey: key, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const verdicts = [32, 31, 20, 0].map(async (saltLength) =>
      bySet(
        signedText(`${part({ alg: "PS256" })}.${part(claims)}`, {
          key,
          padding: constants.RSA_PKCS1_PSS_PADDING,
          saltLength,
        }),
        [publicKey.export({ format: "jwk" })],
      ),
    );
    const refused = "JwtFault: the token was not signed with a key of this login method";
    expect(await Promise.all(verdicts)).toEqual([believed, refused, refused, refused]);
  });

  it("with a part in non-canonical base64url, although its signature is valid", async () => {
    const { privateKey: key, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const bySigner = (input: string, change = (text: string) => text) =>
      bySet(change(signedText(input, { key, dsaEncoding: "ieee-p1363" })), [
        publicKey.export({ format: "jwk" }),
      ]);
    const header = '{"alg":"ES256","typ":"J>?"}';
    const [head, body] = [part(header), part(claims)];
    expect(await bySigner(`${head}.${body}`)).toBe(believed);
    const inBase64 = Buffer.from(header).toString("base64").replace(/=+$/, "");
    expect(inBase64).not.toBe(head);
    // `{"sub":"alice"}` has no unused bits; with one more space, four bits are unused
    const spaced = part('{"sub":"alice"} ');
    expect(await bySigner(`${head}.${spaced}`)).toBe(believed);
    expect(spaced.endsWith("A")).toBe(true);
    for (const input of [
      `${head}=.${body}`,
      `${head}.${body}=`,
      `${head}.${spaced}==`,
      `${head}.${spaced.slice(0, -1)}B`,
      `${inBase64}.${body}`,
      `${head.slice(0, 4)} ${head.slice(4)}.${body}`,
      `${head}.${body.slice(0, 4)}\n${body.slice(4)}`,
    ])
      expect(await bySigner(input)).toMatch(/three parts of base64url without padding/);
    for (const change of [
      (text: string) => `${text}==`,
      // the last character of 64 bytes has six bits, four of them unused
      (text: string) => text.slice(0, -1) + { A: "B", Q: "R", g: "h", w: "x" }[text.at(-1) ?? ""],
    ])
      expect(await bySigner(`${head}.${body}`, change)).toMatch(
        /three parts of base64url without padding/,
      );
  });

  it("if the keys of the set are private, weak, malformed or for another use", async () => {
    const text = await rsa.token(claims);
    const unfit = [
      { ...rsa.jwk, use: "enc" },
      { ...rsa.jwk, key_ops: ["encrypt"] },
      { ...rsa.jwk, d: "AQAB" },
      { ...rsa.jwk, alg: "RSA-OAEP" },
      null,
      "key",
    ];
    expect(await bySet(text, unfit)).toMatch(
      /^CaError: cannot fetch the keys of this login method/,
    );
    expect(await bySet(text, [...unfit, rsa.jwk])).toBe(believed);
    const fit = { ...rsa.jwk, use: "sig", key_ops: ["verify"], alg: "RS256" };
    expect(await bySet(text, [fit])).toBe(believed);
    const broken = [
      { ...rsa.jwk, n: "AQAB" },
      { ...rsa.jwk, n: "!" },
      { kty: "RSA", kid: "one" },
    ];
    expect(await bySet(text, broken)).toMatch(/^JwtFault: the token was not signed/);
    const brokenCurves = [
      { ...ec.jwk, y: ec.jwk.x },
      { ...ec.jwk, y: undefined },
      { ...ec.jwk, x: part("short") },
    ];
    expect(await bySet(await ec.token(claims), brokenCurves)).toMatch(
      /^JwtFault: the token was not signed/,
    );
  });
});
