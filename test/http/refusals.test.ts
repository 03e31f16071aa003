import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { request, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startServer, type RunningServer } from "../support/server.ts";
import { apiOf, makeAuthority, noteEvents, rawPath, type Answer, type Api } from "./api.ts";
import { directoryWith, openssl } from "./openssl.ts";

let server: RunningServer;
let api: Api;
let certificate: string;
let csr: string;
beforeAll(async () => {
  server = await startServer({ env: { LOG: "json" } });
  api = apiOf(server);
  await makeAuthority(api);
  certificate =
    (await api("POST", "pki/issue/web", { common_name: "www.example.com" })).data["certificate"] ??
    "";
  const directory = directoryWith();
  csr = openssl(
    directory,
    "req",
    "-new",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:P-256",
    "-nodes",
    "-keyout",
    "key.pem",
    "-subj",
    "/CN=www.example.com",
  ).output.replace(/^[^]*?(?=-----BEGIN CERT)/, "");
});
afterAll(() => server.stop());
noteEvents(() => server);

const stored = async (): Promise<readonly string[]> => (await api("LIST", "pki/certs")).data.keys;
/** Generous for a busy machine, but too short for a parser with quadratic cost. */
const maxMs = 20_000;

/** Asserts that a request is rejected quickly, with an error message, and stores no certificate. */
async function refused(
  call: () => Promise<Answer>,
  status: number | readonly number[] = 400,
): Promise<string> {
  const before = await stored();
  const started = performance.now();
  const answer = await call();
  const ms = performance.now() - started;
  expect([status].flat(), answer.text.slice(0, 300)).toContain(answer.status);
  const { errors } = answer.json as { errors: unknown };
  expect(errors).toSatisfy(
    (texts: unknown) =>
      Array.isArray(texts) &&
      texts.length > 0 &&
      texts.every((text) => typeof text === "string" && text !== ""),
  );
  expect(answer.text.length).toBeLessThan(2000);
  expect(ms).toBeLessThan(maxMs);
  expect(await stored()).toEqual(before);
  return String((errors as string[])[0]);
}
const issue = (body: unknown) => () => api("POST", "pki/issue/web", body);
const named = (name: string): unknown => ({ common_name: name });

/**
 * Sends a request with curl, which leaves method and path unchanged. The last argument is the path;
 * a token must be passed as an argument.
 */
function answered(...args: string[]): readonly [status: number, text: string, head: string] {
  const options = ["-sS", "-i", "-g", "--path-as-is", "--max-time", "60"];
  const answer = execFileSync(
    "curl",
    [...options, ...args.slice(0, -1), `${server.url}/${args.at(-1)}`],
    { encoding: "latin1" },
  );
  const end = answer.indexOf("\r\n\r\n");
  return [Number(answer.slice(9, 12)), answer.slice(end + 4), `${answer.slice(0, end)}\r\n`];
}
const curl = (...args: string[]) => answered(...args).slice(0, 2);

describe("a malformed body is rejected:", () => {
  it.each([
    ["cut off", '{"common_name":"www.example.com"'],
    ["with more behind it", '{"common_name":"www.example.com"}}'],
    ["with a trailing comma", '{"common_name":"www.example.com",}'],
    ["no object but a list", '["www.example.com"]'],
    ["no object but a text", '"www.example.com"'],
    ["no object but null", "null"],
    ["not JSON at all", "common_name=www.example.com"],
    ["with a raw line break in a text", '{"common_name":"www.exam\nple.com"}'],
    ["with a member twice", '{"common_name":"www.example.com","common_name":"www.example.org"}'],
    [
      "with a member twice in two spellings",
      '{"common_name":"www.example.com","common_\\u006eame":"www.example.org"}',
    ],
    ["with a number above 2^53", '{"common_name":"www.example.com","ttl":9007199254740993}'],
    ["with a number of 400 digits", `{"common_name":"www.example.com","ttl":${"9".repeat(400)}}`],
    ["nested 65 deep", `{"common_name":"www.example.com","x":${"[".repeat(64)}${"]".repeat(64)}}`],
    ["nested a million deep", `{"common_name":"www.example.com","x":${"[".repeat(1_000_000)}`],
    ["with a member of a million closing brackets", `{"x":1${"}".repeat(1_000_000)}`],
  ])("%s", async (_, body) => {
    await refused(() =>
      api("POST", "pki/issue/web", body, { headers: { "Content-Type": "application/json" } }),
    );
  });

  it("not UTF-8", async () => {
    const before = await stored();
    const body = Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d);
    const answer = await fetch(`${server.url}/v1/pki/issue/web`, {
      method: "POST",
      headers: { "X-Service-Token": server.token },
      body,
    });
    expect([answer.status, await answer.json()]).toEqual([
      400,
      { errors: ["failed to decode JSON input: the text is not valid UTF-8"] },
    ]);
    expect(await stored()).toEqual(before);
  });

  it("longer than 8 MiB, with Content-Length or chunked", async () => {
    const body = JSON.stringify({ common_name: "www.example.com", x: "y".repeat(8 * 1024 * 1024) });
    await refused(() => api("POST", "pki/issue/web", body), 413);
    const before = await stored();
    const chunked = request(`${server.url}/v1/pki/issue/web`, {
      method: "POST",
      headers: { "X-Service-Token": server.token, "Transfer-Encoding": "chunked" },
    });
    const [answer] = (await once(chunked.end(body), "response")) as [IncomingMessage];
    expect(answer.resume().statusCode).toBe(413);
    expect(await stored()).toEqual(before);
  });
});

describe("a field of the wrong type is rejected:", () => {
  it.each<[string, unknown]>([
    ["a name that is a list", { common_name: ["www.example.com", "b.example.com"] }],
    ["a name that is an object", { common_name: { a: 1 } }],
    ["a lifetime that is an object", { common_name: "www.example.com", ttl: {} }],
    ["a lifetime that is no duration", { common_name: "www.example.com", ttl: "soon" }],
    ["a negative lifetime", { common_name: "www.example.com", ttl: "-5h" }],
    ["a huge lifetime", { common_name: "www.example.com", ttl: 9_007_199_254_740_991 }],
    ["a flag that is a list", { common_name: "www.example.com", exclude_cn_from_sans: [] }],
    ["an unknown format", { common_name: "www.example.com", format: "jks" }],
    ["no name", {}],
    ["an empty name", named("")],
    [
      "an end that is no time",
      { common_name: "www.example.com", not_after: "2030-13-45T00:00:00Z" },
    ],
    ["an address that is none", { common_name: "www.example.com", ip_sans: "300.1.1.1" }],
  ])("%s", async (_, body) => {
    await refused(issue(body));
  });
});

describe("a name is rejected if it", () => {
  it.each([
    ["lies outside the role", "www.example.org"],
    ["is the bare domain", "example.com"],
    ["has the domain as a mere beginning", "www.example.com.evil.test"],
    ["has the domain as a mere ending", "evilexample.com"],
    ["holds NUL", "www.example.org\u0000.example.com"],
    ["holds CR and LF", "www\r\n.example.com"],
    ["ends with LF", "www.example.com\n"],
    ["has a label of 64 octets", `${"a".repeat(64)}.example.com`],
    ["has 254 octets", `${"a.".repeat(122)}example.com`],
    ["has an empty label", "www..example.com"],
    ["begins with a dot", ".example.com"],
    ["has 1 MiB", `${"a".repeat(1024 * 1024)}.example.com`],
  ])("%s, as common name and as alternative name", async (_, name) => {
    const texts = [
      await refused(issue(named(name))),
      await refused(issue({ common_name: "www.example.com", alt_names: name })),
    ];
    for (const text of texts) expect(text).not.toMatch(/\p{Cc}/u);
  });

  it.each(["uri_sans", "other_sans", "user_ids", "ip_sans"])(
    "contains NUL in %s",
    async (field) => {
      await refused(issue({ common_name: "www.example.com", [field]: "a\u0000b" }));
    },
  );

  it("is the only forbidden one of 10,000", async () => {
    const names = Array.from({ length: 10_000 }, (_, at) => `n${at}.example.com`);
    await refused(
      issue({ common_name: "www.example.com", alt_names: [...names, "www.example.org"].join(",") }),
    );
    await refused(
      issue({ common_name: "www.example.com", alt_names: [...names, "www.example.org"] }),
    );
  });
});

it("thousands of permitted names are rejected as too many, or because the certificate would be too long", async () => {
  const names = (count: number): string =>
    Array.from({ length: count }, (_, at) => `n${at}.example.com`).join(",");
  const asking = (count: number) =>
    refused(issue({ common_name: "www.example.com", alt_names: names(count) }));
  expect(await asking(10_000)).toMatch(/^10000 alternative names were requested; at most 5000/);
  expect(await asking(4999)).toMatch(/^the certificate would have \d+ bytes, more than 65536$/);
});

describe("a control character is rejected", () => {
  it.each([
    "organization",
    "ou",
    "country",
    "locality",
    "street_address",
    "serial_number",
    "common_name",
  ])("in %s of a root, a CSR and an intermediate", async (field) => {
    const body = { key_type: "ec", common_name: "A CA", [field]: "a\u0000b\r\n" };
    await refused(() => api("POST", "pki/root/generate/internal", body));
    await refused(() => api("POST", "pki/intermediate/generate/internal", body));
    if (field !== "common_name")
      await refused(() => api("POST", "pki/root/sign-intermediate", { ...body, csr }));
  });
  it("in the subject that a role sets", async () => {
    await api("POST", "pki/roles/odd", {
      allow_any_name: true,
      key_type: "ec",
      organization: "a\nb",
    });
    await refused(() => api("POST", "pki/issue/odd", named("www.example.com")));
  });
});

describe("a request is rejected if it names", () => {
  it("an unknown issuer", async () => {
    await refused(() => api("POST", "pki/issuer/nobody/issue/web", named("www.example.com")));
    await refused(
      () =>
        api("POST", "pki/issuer/nobody/issue/web", named("www.example.com"), {
          token: "X-Vault-Token",
        }),
      500,
    );
    await refused(() => api("GET", "pki/issuer/nobody"), 404);
  });
  it("an unknown role", async () => {
    await refused(() => api("POST", "pki/issue/nothing", named("www.example.com")));
    await refused(() => api("POST", "pki/issue/__proto__", named("www.example.com")));
  });
  it("an issuer or key with more than 255 characters", async () => {
    for (const field of ["issuer_name", "key_name"])
      await refused(() =>
        api("POST", "pki/root/generate/internal", {
          common_name: "A CA",
          key_type: "ec",
          [field]: "a".repeat(256),
        }),
      );
  });
  it("an unknown mount", async () => {
    await refused(() => api("POST", "nothing/issue/web", named("www.example.com")), 404);
  });
  it("an unknown certificate", async () => {
    await refused(() => api("POST", "pki/revoke", { serial_number: "01:02:03" }));
    await refused(() => api("POST", "pki/revoke", { serial_number: "not a serial" }));
    await refused(() => api("POST", "pki/revoke", { serial_number: "01", certificate }));
    await refused(() => api("POST", "pki/revoke", {}));
  });
});

/** Returns a PEM block whose DER was changed. */
function changed(pem: string, change: (der: Buffer) => Buffer): string {
  const [, label = "", base64 = ""] = /-----BEGIN ([^-]+)-----([^-]+)/.exec(pem) ?? [];
  return `-----BEGIN ${label}-----\n${change(Buffer.from(base64, "base64")).toString("base64")}\n-----END ${label}-----\n`;
}

describe("truncated or damaged DER is rejected:", () => {
  it("a CSR truncated at any octet", async () => {
    const length = Buffer.from(csr.replace(/-----[^-]+-----/g, ""), "base64").length;
    for (let at = 0; at < length; at += 23)
      await refused(() =>
        api("POST", "pki/sign/web", { csr: changed(csr, (der) => der.subarray(0, at)) }),
      );
  });
  it("a CSR with trailing octets, a wrong signature or invalid PEM", async () => {
    await refused(() =>
      api("POST", "pki/sign/web", {
        csr: changed(csr, (der) => Buffer.concat([der, Buffer.of(0)])),
      }),
    );
    await refused(() =>
      api("POST", "pki/sign/web", {
        csr: changed(
          csr,
          (der) => (der.writeUInt8(der.readUInt8(der.length - 1) ^ 1, der.length - 1), der),
        ),
      }),
    );
    await refused(() =>
      api("POST", "pki/root/sign-intermediate", {
        csr: changed(csr, (der) => der.subarray(0, 100)),
        common_name: "x",
      }),
    );
    for (const text of [
      "",
      "csr",
      "-----BEGIN CERTIFICATE REQUEST-----\n",
      "-----BEGIN CERTIFICATE REQUEST-----\n!!\n-----END CERTIFICATE REQUEST-----\n",
      certificate,
    ])
      await refused(() => api("POST", "pki/sign/web", { csr: text }));
  });
  it("a truncated certificate, by revoke and set-signed", async () => {
    const length = Buffer.from(certificate.replace(/-----[^-]+-----/g, ""), "base64").length;
    for (let at = 0; at < length; at += 41) {
      await refused(() =>
        api("POST", "pki/revoke", {
          certificate: changed(certificate, (der) => der.subarray(0, at)),
        }),
      );
      await refused(() =>
        api("POST", "pki/intermediate/set-signed", {
          certificate: changed(certificate, (der) => der.subarray(0, at)),
        }),
      );
    }
    await refused(() => api("POST", "pki/intermediate/set-signed", { certificate }));
    expect((await api("LIST", "pki/issuers")).data.keys).toHaveLength(1);
  });
  it("a CSR of a megabyte of garbage", async () => {
    await refused(() =>
      api("POST", "pki/sign/web", { csr: changed(csr, () => Buffer.alloc(1_000_000, 0x30)) }),
    );
    await refused(() =>
      api("POST", "pki/sign/web", { csr: "-----BEGIN CERTIFICATE REQUEST-----\n".repeat(30_000) }),
    );
  });
});

describe("an unusual request is rejected and reaches no other endpoint:", () => {
  it.each([
    "/v1/pki//issue/web",
    "/v1/pki/issue/web%2f",
    "/v1/pki/issue%2fweb",
    "/v1/pki/issue/we%00b",
    "/v1/pki/issue/web;a=b",
    "/v1/pki/issue/%zz",
    "/v1/pki/issue/%ff",
    "/v1/pki/issue/a%5cb",
    "/v1/pki/issue/web%0d%0a",
    "/v1/pki/issue/web/",
    "/v1/PKI/issue/web",
    "/v1/pki/Issue/web",
    "/v1/pki/issue",
    "/v1/pki/issue/web/more",
    "/v1/pkix/issue/web",
    "/v1/",
    "/v1",
    "//v1/pki/issue/web",
    `/v1/pki/issue/${"a".repeat(5000)}`,
    `/v1/pki/roles/${"a".repeat(5000)}`,
    `/v1/pki/roles/${"a".repeat(256)}`,
    `/v1/sys/mounts/${"a/".repeat(200)}b`,
    "/v1/pki/roles/caf%C3%A9",
  ])("%s", async (path) => {
    const before = await stored();
    const answer = await rawPath(server, "POST", path, JSON.stringify(named("www.example.com")));
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(JSON.parse(answer.text)).toHaveProperty("errors");
    expect(await stored()).toEqual(before);
  });

  it("dot segments and backslashes in the path", async () => {
    for (const path of [
      "/v1/pki/../sys/health",
      "/v1/pki/%2e%2e/sys/health",
      "/v1/sys/./health",
      "/v1/sys\\health",
      "/demo/../v1/sys/health",
    ]) {
      const answer = await rawPath(server, "GET", path);
      expect([path, answer.status, JSON.parse(answer.text)]).toEqual([
        path,
        400,
        { errors: [expect.any(String)] },
      ]);
    }
    expect(
      (
        await rawPath(
          server,
          "POST",
          "/v1/sys/health/../../pki/%2e%2e/%2e%2e/%2e%2e/v1/pki/issue/nothing",
          "{}",
        )
      ).status,
    ).toBe(400);
  });

  it("an unknown method below /v1, in the error format of the CA API", async () => {
    for (const method of ["FOO", "SCAN", "PROPFIND", "SEARCH", "TRACE", "list", "get", "delete"])
      for (const path of ["v1/pki/certs", "v1/sys/health", "v1/none"])
        expect([method, path, curl("-X", method, path)]).toEqual([
          method,
          path,
          [405, '{"errors":[]}\n'],
        ]);
    expect(
      curl("-X", "FOO", "-d", JSON.stringify(named("www.example.com")), "v1/pki/issue/web"),
    ).toEqual([405, '{"errors":[]}\n']);
    expect(curl("-H", `X-Service-Token: ${server.token}`, "-X", "LIST", "v1/pki/certs")[0]).toBe(
      200,
    );
  });

  it("an unknown method or a dot segment below /api/v2, in the error format of the variables API", async () => {
    const bearer = `Authorization: Bearer ${readFileSync(join(server.dataDir, "vars-token"), "utf8").trim()}`;
    const missing = '{"errors":[{"status":"404","title":"not found"}]}';
    const asked: readonly (readonly string[])[] = [
      ...["FOO", "SCAN", "LIST", "get"].map((method) => ["-X", method, "api/v2/organizations"]),
      ...[
        "vars/..",
        "vars/%2e",
        "organizations/../ping",
        "users/../authentication-tokens",
        "../../v1/sys/health",
        "..\\..\\v1/sys/health",
      ].map((path) => [`api/v2/${path}`]),
      ["-X", "DELETE", "api/v2/organizations/default/workspaces/.."],
    ];
    expect(curl("-H", bearer, "api/v2/organizations")[0]).toBe(200);
    for (const call of asked) {
      const [status, text, head] = answered("-H", bearer, ...call);
      expect([call, status, text]).toEqual([call, 404, missing]);
      expect(head).toMatch(/^content-type: application\/vnd\.api\+json; charset=utf-8\r$/im);
      expect(head).toMatch(/^tfp-api-version: 2\.6\r$/im);
    }
    expect(answered("-H", bearer, "api/v2/vars/..")[2]).toMatch(/^deprecation: /im);
    expect(curl("api/v2/vars/..")[0]).toBe(401);
  });

  it("a write without a valid token", async () => {
    await refused(
      () => api("POST", "pki/issue/web", named("www.example.com"), { token: "none" }),
      403,
    );
    await refused(
      () =>
        api("POST", "pki/issue/web", named("www.example.com"), {
          headers: { "X-Service-Token": "s.wrong" },
        }),
      403,
    );
    await refused(
      () =>
        api("POST", "pki/issue/web", named("www.example.com"), {
          headers: { "X-Service-Token": "x".repeat(10_000) },
        }),
      [400, 403, 431],
    );
  });
});
