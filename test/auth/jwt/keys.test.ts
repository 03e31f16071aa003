import { describe, expect, it } from "vitest";
import type { Ports } from "../../../src/engine/ports.ts";
import type { KeySource } from "../../../src/auth/jwt/key-source.ts";
import { verifiedClaims } from "../../../src/auth/jwt/verify.ts";
import { tokenSigner, type TokenSigner } from "./signer.ts";

const [first, second] = await Promise.all([
  tokenSigner("ES256", "first"),
  tokenSigner("ES256", "second"),
]);
const url = "https://keys.example/jwks";
const source = { from: "jwks", url, roots: [], privateNetworks: false } as const;
const discovery = { ...source, from: "discovery", url: "https://idp.example" } as const;

/** Returns a clock and a key server. */
function world() {
  const asked: string[] = [];
  const state = {
    now: 1_000_000,
    answer: (at: string): Promise<Response> => Promise.reject(new Error(`${at} is down`)),
  };
  const fetch = (at: string) => {
    asked.push(at);
    return state.answer(at);
  };
  // the key reader uses no other ports
  const ports = { fetch, now: () => state.now } as unknown as Ports;
  const loginWith = (token: string, from: KeySource = source): Promise<string> =>
    verifiedClaims(ports, from, [], token).then(
      () => "believed",
      (error: Error) => error.message,
    );
  const login = async (signer: TokenSigner, from?: KeySource): Promise<string> =>
    await loginWith(await signer.token({ sub: "a" }), from);
  return { asked, state, login, loginWith };
}
const setOf = (...signers: readonly TokenSigner[]) =>
  Promise.resolve(new Response(JSON.stringify({ keys: signers.map(({ jwk }) => jwk) })));
const unread = "cannot fetch the keys of this login method; try again later";
const unnamed = "no key has the token's key ID (kid)";

describe("keys from a jwks_url", () => {
  it("are cached for five minutes", async () => {
    const { asked, state, login } = world();
    state.answer = () => setOf(first);
    for (let minute = 0; minute < 5; minute++) {
      expect(await login(first)).toBe("believed");
      state.now += 60_000;
    }
    expect(asked).toHaveLength(1);
    expect(await login(first)).toBe("believed");
    expect(asked).toHaveLength(2);
  });

  it("fetched while the clock was years ahead are fetched again, and cached, once it is corrected", async () => {
    const { asked, state, login } = world();
    state.answer = () => setOf(first);
    state.now += 1e12;
    expect(await login(first)).toBe("believed");
    state.now -= 1e12;
    for (let n = 0; n < 3; n++) expect(await login(first)).toBe("believed");
    expect(asked).toHaveLength(2);
  });

  it("are fetched again for an unknown key ID, but at most once in ten seconds", async () => {
    const { asked, state, login } = world();
    state.answer = () => setOf(first);
    expect(await login(first)).toBe("believed");
    state.now += 20_000;
    state.answer = () => setOf(first, second);
    expect(await login(second)).toBe("believed");
    expect(asked).toHaveLength(2);
    const stranger = await tokenSigner("ES256", "stranger");
    for (let i = 0; i < 50; i++) expect(await login(stranger)).toBe(unnamed);
    expect(asked).toHaveLength(2);
    state.now += 10_000;
    expect(await login(stranger)).toBe(unnamed);
    expect(asked).toHaveLength(3);
  });

  it("are accepted for up to five minutes after they are withdrawn", async () => {
    const { state, login } = world();
    state.answer = () => setOf(first);
    expect(await login(first)).toBe("believed");
    state.answer = () => setOf(second);
    state.now += 299_000;
    expect(await login(first)).toBe("believed");
    state.now += 1000;
    expect(await login(first)).toBe(unnamed);
  });

  it("expire after five minutes if they cannot be fetched again", async () => {
    const { asked, state, login } = world();
    state.answer = () => setOf(first);
    expect(await login(first)).toBe("believed");
    state.answer = () => Promise.reject(new Error("down"));
    state.now += 60_000;
    expect(await login(second)).toBe(unnamed);
    expect(await login(first)).toBe("believed");
    state.now += 240_000;
    expect(await login(first)).toBe(unread);
    // after a failure no request is sent for five seconds
    const before = asked.length;
    for (let i = 0; i < 50; i++) expect(await login(first)).toBe(unread);
    expect(asked).toHaveLength(before);
    state.now += 5000;
    state.answer = () => setOf(first);
    expect(await login(first)).toBe("believed");
  });

  it("are awaited by at most four logins while the server is slow", async () => {
    const { asked, state, login, loginWith } = world();
    const token = await first.token({ sub: "a" });
    const waiting: ((value: Response) => void)[] = [];
    state.answer = () => new Promise((resolve) => waiting.push(resolve));
    const logins = Array.from({ length: 10 }, () => loginWith(token));
    const late = await Promise.all(logins.slice(4));
    expect(late).toEqual(Array.from({ length: 6 }, () => unread));
    expect(asked).toHaveLength(4);
    for (const answer of waiting) answer(await setOf(first));
    expect(await Promise.all(logins.slice(0, 4))).toEqual(
      Array.from({ length: 4 }, () => "believed"),
    );
    expect(await login(first)).toBe("believed");
  });

  it.each([
    ["an HTML page", () => new Response("<html>secret</html>")],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: url } })],
    ["an empty set", () => new Response('{"keys":[]}')],
    ["an array", () => new Response("[]")],
    ["a duplicate member", () => new Response('{"keys":[],"keys":[]}')],
    ["more than 1 MiB", () => new Response("x".repeat(2 ** 20 + 1))],
    ["an error", () => new Response("secret", { status: 500 })],
  ])("are not read from a server that returns %s", async (_, answer) => {
    const { state, login } = world();
    state.answer = async () => answer();
    expect(await login(first)).toBe(unread);
  });
});

describe("keys from OpenID Connect discovery", () => {
  const documentOf = (document: object) => async (at: string) =>
    at.endsWith("/.well-known/openid-configuration")
      ? new Response(JSON.stringify(document))
      : setOf(first);
  it("are read from the jwks_uri of the discovery document", async () => {
    const { asked, state, login } = world();
    state.answer = documentOf({ issuer: discovery.url, jwks_uri: "https://keys.example/k" });
    expect(await login(first, discovery)).toBe("believed");
    expect(asked).toEqual([
      "https://idp.example/.well-known/openid-configuration",
      "https://keys.example/k",
    ]);
  });
  it.each([
    ["names another issuer", { issuer: "https://evil.example", jwks_uri: url }],
    ["has no jwks_uri", { issuer: discovery.url }],
    ["has an http URL as jwks_uri", { issuer: discovery.url, jwks_uri: "http://keys.example/" }],
    ["has a file URL as jwks_uri", { issuer: discovery.url, jwks_uri: "file:///etc/passwd" }],
    ["has an array as jwks_uri", { issuer: discovery.url, jwks_uri: [url] }],
  ])("are not read if the document %s", async (_, document) => {
    const { asked, state, login } = world();
    state.answer = documentOf(document);
    expect(await login(first, discovery)).toBe(unread);
    expect(asked).toHaveLength(1);
  });
});
