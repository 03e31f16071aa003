import { describe, expect, it } from "vitest";
import { toBase64 } from "../../../src/base/bytes.ts";
import { encodeOcspRequest } from "../../../src/x509/ocsp-request.ts";
import { endpoint, type AnyEndpoint } from "../../../src/wire/endpoint.ts";
import { envelope } from "../../../src/wire/style.ts";
import { rawRestRoutes } from "../../../src/wire/router.ts";
import { authority, type Answer } from "../../support/authority.ts";
import { certIdOf, failureOf, signedBy } from "./asking.ts";

/** Creates an authority, and a request whose base64 contains `text`. */
async function asking(text: RegExp) {
  const a = authority();
  const { certificate: issuer } = await a.root();
  const certId = await certIdOf({ issuer, serial: "0102" });
  for (let n = 0; n < 1 << 18; n++) {
    const nonce = new Uint8Array(4 + (n % 3)).fill(255);
    nonce.set([n & 255, (n >> 8) & 255, n >> 16]);
    const request = encodeOcspRequest([certId], nonce);
    const base64 = toBase64(request);
    if (text.test(base64)) return { a, issuer, request, base64, nonce };
  }
  throw new TypeError("no nonce gives such a text");
}
const get = (a: ReturnType<typeof authority>, path: string): Promise<Answer> =>
  a.call("GET", path, undefined, { token: "" });

const spellings: readonly (readonly [string, RegExp, (base64: string) => string])[] = [
  ["as it is, with + in it", /\+/, (base64) => base64],
  ["with %2B", /\+/, (base64) => base64.replaceAll("+", "%2B")],
  ["with %2b", /\+/, (base64) => base64.replaceAll("+", "%2b")],
  ["with a slash", /[^/]\/[^/]/, (base64) => base64],
  ["with //", /\/\//, (base64) => base64],
  ["with %2F", /\//, (base64) => base64.replaceAll("/", "%2F")],
  ["with %2f%2F", /\/\//, (base64) => base64.replace("//", "%2f%2F")],
  ["with a slash at its end", /\/$/, (base64) => base64],
  ["with its padding", /=$/, (base64) => base64],
  ["with %3D", /==$/, (base64) => base64.replaceAll("=", "%3D")],
  ["without padding", /==$/, (base64) => base64.replace(/=+$/, "")],
  ["behind an address that ends in a slash", /\//, (base64) => `/${base64}`],
  ["with letters that are escaped", /M/, (base64) => base64.replaceAll("M", "%4d")],
];

describe("the path of an OCSP request", () => {
  it.each(spellings)("B 2 raw paths, security row 67: is accepted %s", async (_, text, spell) => {
    const { a, issuer, base64, nonce } = await asking(text);
    const answer = await get(a, `pki/ocsp/${spell(base64)}`);
    expect((await signedBy(answer, issuer)).nonce).toEqual(nonce);
  });

  it("keeps a final slash, which is part of the request", async () => {
    const { a, issuer, base64, nonce } = await asking(/\/$/);
    expect((await signedBy(await get(a, `pki/ocsp/${base64}`), issuer)).nonce).toEqual(nonce);
    expect(failureOf(await get(a, `pki/ocsp/${base64.slice(0, -1)}`))).toEqual([
      400,
      "malformedRequest",
    ]);
    expect((await signedBy(await get(a, `pki/ocsp/${base64}`), issuer)).nonce).toEqual(nonce);
  });

  it.each(["x", "MEQ", "hello!", "a/b/c", "-_-_", "====", "M===", "%20", "MEQ.", "M".repeat(2048)])(
    "B 2 malformedRequest: is rejected as %s",
    async (rest) => {
      const a = authority();
      await a.root();
      expect(failureOf(await get(a, `pki/ocsp/${rest}`))).toEqual([400, "malformedRequest"]);
    },
  );
});

describe("an invalid path of an OCSP request", () => {
  const invalid = async (path: string, method = "GET"): Promise<void> => {
    const a = authority();
    await a.root();
    await a.sys.createMount({ path: "ocsp", type: "pki" });
    await a.sys.createMount({ path: "deep/ocsp/ca", type: "pki" });
    const answer = await a.call(method, path);
    expect([answer.status, answer.errors[0]], path).toEqual([
      400,
      expect.stringContaining("invalid path"),
    ]);
    expect(a.events.at(-1)?.endpoint).toBe("none");
  };
  it.each([
    "pki/ocsp/..%2Fconfig/crl",
    "pki/ocsp/%2e%2e%2Fconfig%2Fcrl",
    "pki/ocsp/..%2f..%2fsys%2fmounts",
    "pki/ocsp//..%2fcrl",
    "pki/ocsp/abc%2F%2e%2e%2Fcrl",
    "pki/ocsp/abc%5C..",
    "pki/ocsp/abc%2F%00",
    "pki/ocsp/abc//;x",
    "pki/ocsp/abc//%zz",
    "pki/ocsp/abc//%ff",
    "pki/ocsp/abc%2F%0d%0aX:1",
    "pki//ocsp/abcd",
    "pki/ocsp%2Fabcd",
    "pki%2Focsp/abcd",
    "pki/roles//ocsp/abcd",
    "pki/roles/ocsp//web",
    "pki/issuer/ocsp//json",
    "pki/config//crl",
    "pki/xocsp//abcd",
    "pki/ocspx//abcd",
    "sys/ocsp//mounts",
    "sys/mounts/ocsp//tune",
    "auth/token/ocsp//abcd",
    "nowhere/ocsp//abcd",
    "ocsp//roles/web",
    "ocsp/roles//web",
    "ocsp/issuer%2Fdefault%2Fjson",
    "deep/ocsp//ca/crl",
    "deep/ocsp/ca%2Fcrl",
  ])("security row 48: %s is rejected like any other invalid path", async (path) => {
    await invalid(path);
  });

  it.each(["POST", "PUT", "PATCH", "DELETE"])(
    "security row 48: %s does not accept it either",
    async (method) => {
      await invalid("pki/ocsp/ab//cd", method);
      await invalid("pki/ocsp/roles%2Fweb", method);
    },
  );

  it("security row 48: a mount named ocsp has all its own paths, and OCSP below them", async () => {
    const a = authority();
    await a.sys.createMount({ path: "ocsp", type: "pki" });
    const made = await a.call("POST", "ocsp/root/generate/internal", {
      common_name: "Root",
      key_type: "ec",
    });
    const issuer = String(made.data["certificate"]);
    expect((await a.call("POST", "ocsp/roles/web", { allow_any_name: true })).status).toBe(200);
    expect((await a.call("GET", "ocsp/roles/web/")).data["allow_any_name"]).toBe(true);
    expect((await a.call("GET", "ocsp/roles/?list=true")).data["keys"]).toEqual(["web"]);
    const certId = await certIdOf({ issuer, serial: "0102" });
    const base64 = toBase64(encodeOcspRequest([certId])).replaceAll("/", "%2F");
    await signedBy(await get(a, `ocsp/ocsp//${base64}`), issuer);
  });

  it("raw paths are only for unauthenticated endpoints with one parameter, at the end of the path", () => {
    const made = (
      at: "GET /a/:rest+" | "GET /a/:rest" | "GET /:a/:rest+",
      access: "open" | "token",
    ) =>
      endpoint({
        id: "x",
        at: [at],
        access,
        style: envelope,
        doc: "X.",
        body: {},
        reply: {},
        rawRest: true,
        run: async () => ({}),
      }) as unknown as AnyEndpoint;
    expect(rawRestRoutes([made("GET /a/:rest+", "open")]).map(({ head }) => head)).toEqual(["/a/"]);
    for (const bad of [
      made("GET /a/:rest+", "token"),
      made("GET /a/:rest", "open"),
      made("GET /:a/:rest+", "open"),
    ])
      expect(() => rawRestRoutes([bad])).toThrow(TypeError);
  });
});
