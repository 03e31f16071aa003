import { describe, expect, it } from "vitest";
import {
  client,
  describeCertificate,
  httpTransport,
  pki,
  RefusedError,
  refusals,
  SealwrightError,
  sys,
  wrappedClient,
  type Answer,
  type ClientCall,
  type ErrorCode,
  type PkiClient,
  type Table,
  type Transport,
} from "../../src/index.ts";
import { authority, refusal, type AuthorityOptions } from "../support/authority.ts";

interface Sent {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly redirect: string;
}
/** An authority, and a client that calls it over HTTP. */
function remote(token: string | (() => string) = "root", options: AuthorityOptions = {}) {
  const made = authority(options);
  const sent: Sent[] = [];
  const send = (async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    sent.push({
      url: request.url,
      method: request.method,
      headers: request.headers,
      redirect: request.redirect,
    });
    return made.ca.fetch(request);
  }) as typeof fetch;
  const transport = httpTransport("http://ca.test", token, { fetch: send });
  return {
    ...made,
    sent,
    transport,
    far: client(pki, "/v1/pki", transport),
    farSys: client(sys, "/v1/sys", transport),
    near: made.ca.pki,
  };
}
type Reply = Readonly<Record<string, unknown>> | undefined;
interface Things {
  readOne(input: { name: string; only?: readonly string[] }): Promise<Reply>;
  writeOne(input: { name: string; issuer_ref?: string; note?: string | undefined }): Promise<Reply>;
  patchOne(input: { name: string; note: string }): Promise<Reply>;
  readPath(input: { path: string }): Promise<Reply>;
  readPlain(): Promise<Reply>;
  readOpen(): Promise<Reply>;
}
const table: Table<Things> = {
  readOne: "GET /things/:name",
  writeOne: "POST /things/:name|POST /issuer/:issuer_ref/things/:name",
  patchOne: "PATCH /things/:name",
  readPath: "GET /path/:path+",
  readPlain: "plain GET /plain",
  readOpen: "open GET /open",
};
/** A client with a fake transport that records calls and returns `answer`. */
function ending(answer: Partial<Answer> = { status: 204, body: null }): {
  readonly calls: ClientCall[];
  readonly to: Things;
} {
  const calls: ClientCall[] = [];
  const send: Transport = async (call) => (
    calls.push(call),
    { status: 200, headers: {}, body: null, ...answer }
  );
  return { calls, to: client(table, "/v1/x", send) };
}
const json = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });

describe("the typed client", () => {
  it("puts parameters of the path into the path, and the others into the query or the body", async () => {
    const { calls, to } = ending();
    await to.readOne({ name: "a b%é", only: ["x", "y"] });
    await to.writeOne({ name: "n", note: "1" });
    await to.writeOne({ name: "n", issuer_ref: "r", note: undefined });
    await to.patchOne({ name: "n", note: "1" });
    await to.readPath({ path: "a/b c" });
    const shown = calls.map(({ method, path, query, body, type }) => [
      method,
      path,
      String(new URLSearchParams(query.map((one) => [...one]))),
      new TextDecoder().decode(body),
      type,
    ]);
    expect(shown).toEqual([
      ["GET", "/v1/x/things/a%20b%25%C3%A9", "only=x%2Cy", "", undefined],
      ["POST", "/v1/x/things/n", "", '{"note":"1"}', "application/json"],
      ["POST", "/v1/x/issuer/r/things/n", "", "{}", "application/json"],
      ["PATCH", "/v1/x/things/n", "", '{"note":"1"}', "application/merge-patch+json"],
      ["GET", "/v1/x/path/a/b%20c", "", "", undefined],
    ]);
  });
  it("rejects or escapes a parameter that would change the path", async () => {
    const { calls, to } = ending();
    for (const name of ["", ".", ".."])
      await expect(to.readOne({ name })).rejects.toThrow(TypeError);
    for (const path of ["", "a/../b", "a//b", "/a", "a/", "."])
      await expect(to.readPath({ path })).rejects.toThrow(TypeError);
    expect(calls).toEqual([]);
    await to.readOne({ name: "a/../../b?c#d" });
    expect(calls.map(({ path }) => path)).toEqual(["/v1/x/things/a%2F..%2F..%2Fb%3Fc%23d"]);
  });
  it("rejects a call without a parameter of its path", async () => {
    await expect(ending().to.readOne({} as { name: string })).rejects.toThrow(
      new TypeError("readOne requires name"),
    );
  });
  it("reads numbers and warnings from either dialect", async () => {
    const documented = {
      data: { ttl: "90m", expiration: "1900000000", names: ["a", "b"], other: 1 },
      warnings: "one\ntwo",
    };
    const compat = {
      data: { ttl: 5400, expiration: 1_900_000_000, names: ["a", "b"], other: 1 },
      warnings: ["one", "two"],
    };
    for (const answer of [documented, compat]) {
      expect(await ending(json(answer)).to.readOne({ name: "n" })).toEqual({
        ttl: 5400,
        expiration: 1_900_000_000,
        names: ["a", "b"],
        other: 1,
        warnings: ["one", "two"],
      });
    }
  });
  it("returns only the warnings of a reply without data, and undefined for an empty reply", async () => {
    expect(await ending(json({ data: null, warnings: ["w"] })).to.writeOne({ name: "n" })).toEqual({
      warnings: ["w"],
    });
    for (const answer of [
      json({ data: null, warnings: null }),
      json({ data: null, warnings: "" }),
      { status: 204, body: null },
    ])
      expect(await ending(answer).to.writeOne({ name: "n" })).toBeUndefined();
  });
  it("does not convert members of a document of the caller, whatever their names", async () => {
    const data = { ttl: "5m", expiration: "1900000000" };
    expect(await ending(json({ data, warnings: null })).to.readOpen()).toEqual(data);
  });
  it("returns a document without envelope unchanged, even if it has members named data or warnings", async () => {
    expect(await ending(json({ data: 1, warnings: "w" })).to.readPlain()).toEqual({
      data: 1,
      warnings: "w",
    });
  });
  it("rejects with the status and the messages of an error response", async () => {
    const refusals: readonly (readonly [Partial<Answer>, string, readonly string[]])[] = [
      [{ status: 400, body: '{"errors":["a","b"]}' }, "a\nb", ["a", "b"]],
      [
        { status: 403, body: '{"errors":["2 errors occurred:\\n\\t* a\\n\\t* b\\n\\n"]}' },
        "a; b",
        ["2 errors occurred:\n\t* a\n\t* b\n\n"],
      ],
      [{ status: 404, body: '{"errors":[]}' }, "x/things/n does not exist", []],
      [{ status: 404, body: "<html>" }, "the server returned status 404", []],
      [{ status: 400, body: '{"type":"urn:x","detail":"why"}' }, "why", ["why"]],
      [
        { status: 422, body: '{"errors":[{"detail":"this"},{"code":1}]}' },
        'this\n{"code":1}',
        ["this", '{"code":1}'],
      ],
      [{ status: 502, body: "<html>" }, "the server returned status 502", []],
      [{ status: 500, body: null }, "the server returned status 500", []],
      [{ status: 302, body: "" }, "the server returned status 302", []],
      [
        { status: 200, body: "<html>" },
        "the response is not from this API",
        ["the response is not from this API"],
      ],
      [
        { status: 200, body: "[]" },
        "the response is not from this API",
        ["the response is not from this API"],
      ],
    ];
    for (const [answer, message, errors] of refusals) {
      const error: unknown = await ending(answer)
        .to.readOne({ name: "n" })
        .catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(RefusedError);
      expect(error).toMatchObject({ status: answer.status, message, errors });
    }
  });
});

describe("RefusedError", () => {
  const caught = async (call: Promise<unknown>): Promise<RefusedError> => {
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RefusedError);
    return error as RefusedError;
  };
  it("has the same code, text and status in this process and over HTTP", async () => {
    const { far, near, root, role } = remote();
    await root();
    await role("web", { allow_any_name: false });
    const issue = { role: "web", common_name: "www.example.com" };
    const calls: readonly (readonly [ErrorCode, (pki: PkiClient) => Promise<unknown>])[] = [
      ["unknown_role", (pki) => pki.issue({ ...issue, role: "none" })],
      ["name_not_allowed", (pki) => pki.issue(issue)],
      ["unknown_issuer", (pki) => pki.readIssuer({ issuer_ref: "none" })],
      ["not_found", (pki) => pki.readRole({ name: "none" })],
      ["bad_csr", (pki) => pki.sign({ ...issue, csr: "no CSR" })],
      ["invalid_field", (pki) => pki.issue({ ...issue, ttl: "soon" })],
    ];
    for (const [code, call] of calls) {
      const [here, there] = [await caught(call(near)), await caught(call(far))];
      expect(here.code).toBe(code);
      expect(there).toEqual(here);
    }
    const reader = await caught(remote("reader").far.deleteRole({ name: "web" }));
    expect(reader).toMatchObject({ code: "forbidden", message: "permission denied" });
    expect((await caught(remote("stranger").far.listRoles())).code).toBe("forbidden");
  });
  it("has a code derived from the status if the server sends none", async () => {
    const code = async (answer: Partial<Answer>) =>
      (await caught(ending(answer).to.readOne({ name: "n" }))).code;
    expect(await code({ status: 403, body: '{"errors":["no"]}' })).toBe("forbidden");
    expect(await code({ status: 400, body: '{"errors":["no"]}' })).toBe("unknown");
    expect(await code({ status: 502, body: "<html>" })).toBe("unknown");
    expect(await code({ status: 200, body: "<html>" })).toBe("bad_response");
  });
  it("is a SealwrightError, as are the errors of backups and descriptions", async () => {
    const { ca, near } = remote();
    const thrown = [
      () => near.readRole({ name: "none" }),
      async () => describeCertificate("no certificate"),
      () => ca.restore("team", [new Uint8Array(100)]),
    ];
    for (const call of thrown) {
      const error: unknown = await call().catch((one: unknown) => one);
      expect(error).toBeInstanceOf(SealwrightError);
      expect(Object.keys(refusals)).toContain((error as SealwrightError).code);
    }
  });
  it("has its code in a header exposed to other origins, except in ACME", async () => {
    const { ca, root, near } = remote("root", { publicUrl: "http://ca.test" });
    await root();
    const headers = { origin: "https://a.test", "content-type": "application/jose+json" };
    const send = (path: string, init: RequestInit = {}) =>
      ca.fetch(new Request(`http://ca.test/v1/pki/${path}`, { headers, ...init }), {
        allowedOrigins: ["*"],
      });
    const response = await send("cert/01:02");
    expect([response.status, response.headers.get("x-error-code")]).toEqual([404, "not_found"]);
    expect(response.headers.get("access-control-expose-headers")).toContain("X-Error-Code");
    await near.writeAcmeConfig({ enabled: true });
    const problem = await send("acme/new-account", { method: "POST", body: "{}" });
    expect(problem.headers.get("content-type")).toBe("application/problem+json");
    expect(problem.headers.get("x-error-code")).toBeNull();
  });
  it("names the missing role, certificate or mount", async () => {
    const { far, near, ca } = remote();
    for (const one of [far, near]) {
      expect((await caught(one.readRole({ name: "web" }))).message).toBe(
        "pki/roles/web does not exist",
      );
      expect((await caught(one.readCert({ serial: "01:02" }))).message).toBe(
        "pki/cert/01:02 does not exist",
      );
    }
    expect((await caught(ca.mount("team").listIssuers())).message).toContain(
      'no handler for route "team/issuers"',
    );
  });
});

describe("an empty list", () => {
  it("has no keys, both in process and over HTTP", async () => {
    const { far, near } = remote();
    for (const pki of [far, near]) {
      expect(await pki.listRoles()).toEqual({ keys: [] });
      expect(await pki.listCerts()).toEqual({ keys: [] });
      expect(await pki.listIssuers()).toEqual({ keys: [], key_info: {} });
      expect(await pki.searchCerts()).toMatchObject({ keys: [], key_info: {} });
    }
  });
  it("is not returned for a mount that does not exist, or to a caller who may not list", async () => {
    const { ca } = remote();
    expect((await refusal(ca.mount("team").listRoles()))[1]).toContain("no handler for route");
    expect((await refusal(remote("stranger").far.listRoles()))[0]).toBe(403);
  });
});

describe("a client that wraps replies", () => {
  it("returns a wrapping token, in process and over HTTP, that can be unwrapped once", async () => {
    const { ca, transport, root, role, farSys } = remote();
    await root();
    await role("web");
    for (const one of [ca.wrapped("pki", "5m"), wrappedClient(pki, "/v1/pki", transport, "300")]) {
      const info = await one.issue({ role: "web", common_name: "www.example.com" });
      expect(info).toMatchObject({
        token: expect.stringMatching(/^wrap\./),
        ttl: 300,
        creation_path: "pki/issue/web",
      });
      expect(await farSys.unwrap({ token: info.token })).toMatchObject({
        private_key: expect.stringContaining("PRIVATE KEY"),
      });
      expect(await refusal(farSys.unwrap({ token: info.token }))).toEqual([
        400,
        "wrapping token is not valid or does not exist",
      ]);
    }
    const { token } = await wrappedClient(sys, "/v1/sys", transport, "1m").wrapData({
      any: "thing",
    });
    expect(await farSys.unwrap({ token })).toEqual({ any: "thing" });
  });
  it("rejects failed calls, invalid TTLs, and replies that were not wrapped", async () => {
    const { ca, role } = remote();
    await role("web");
    expect(await refusal(ca.wrapped("pki", "5m").readRole({ name: "none" }))).toEqual([404, ""]);
    expect((await refusal(ca.wrapped("pki", "soon").readRole({ name: "web" })))[1]).toMatch(
      /^invalid wrapping TTL: /,
    );
    expect(await refusal(ca.wrapped("pki", "5m").deleteRole({ name: "web" }))).toEqual([
      204,
      "the reply was not wrapped",
    ]);
    expect(await refusal(ca.wrapped("pki", "0").readUrls())).toEqual([
      200,
      "the reply was not wrapped",
    ]);
  });
});

describe("the client over HTTP", () => {
  it("accepts a base URL with a trailing slash", async () => {
    const { ca } = remote();
    const send = ((input: RequestInfo | URL, init?: RequestInit) =>
      ca.fetch(new Request(input, init))) as typeof fetch;
    expect(
      (
        await client(
          sys,
          "/v1/sys",
          httpTransport("http://ca.test/", "root", { fetch: send }),
        ).health()
      ).initialized,
    ).toBe(true);
  });
  it("returns the same results as a client in the same process", async () => {
    const { far, near, role, root } = remote();
    await root();
    await role("web", { ttl: "90m", max_ttl: 7200, allowed_domains: "a.example, b.example" });
    const roles = [await far.readRole({ name: "web" }), await near.readRole({ name: "web" })];
    expect(roles[0]).toEqual(roles[1]);
    expect(roles[0]).toMatchObject({
      ttl: 5400,
      max_ttl: 7200,
      allowed_domains: ["a.example", "b.example"],
      client_flag: true,
    });
    expect(await far.listRoles()).toEqual(await near.listRoles());
    expect(await far.listIssuers()).toEqual(await near.listIssuers());
    expect(await far.readIssuer({ issuer_ref: "root" })).toEqual(
      await near.readIssuer({ issuer_ref: "root" }),
    );
    expect(await far.readCaPem()).toEqual(await near.readCaPem());
    expect(await far.readCaPem()).toContain("BEGIN CERTIFICATE");
    expect(await far.readCa()).toEqual(await near.readCa());
    expect((await far.readCa())?.length).toBeGreaterThan(200);
  });
  it("issues a certificate, with numbers and lists in the reply", async () => {
    const { far, root, role, clock } = remote();
    await root();
    await role("web");
    const issued = await far.issue({
      role: "web",
      common_name: "www.example.com",
      alt_names: "b.example.com",
      ttl: "1h",
    });
    expect(issued).toMatchObject({
      expiration: clock.now / 1000 + 3600,
      private_key_type: "ec",
      ca_chain: [expect.stringContaining("BEGIN CERTIFICATE")],
    });
    expect((await far.readCert({ serial: issued.serial_number })).certificate).toContain(
      "BEGIN CERTIFICATE",
    );
    expect(
      await refusal(far.issue({ role: "web", common_name: "www.example.com", ttl: "900000h" })),
    ).toEqual([400, expect.any(String)]);
  });
  it("sends the token in one header, lists with a query parameter, and follows no redirects", async () => {
    let token = "root";
    const { far, sent, role } = remote(() => token);
    await role("a");
    await far.listRoles();
    token = "reader";
    await far.readRole({ name: "a" });
    expect(
      sent.map(({ method, url, headers, redirect }) => [method, url, [...headers], redirect]),
    ).toEqual([
      ["GET", "http://ca.test/v1/pki/roles?list=true", [["x-service-token", "root"]], "manual"],
      ["GET", "http://ca.test/v1/pki/roles/a", [["x-service-token", "reader"]], "manual"],
    ]);
    expect(await refusal(far.deleteRole({ name: "a" }))).toEqual([
      403,
      "1 error occurred:\n\t* permission denied\n\n",
    ]);
  });
  it("calls the system and other mounts", async () => {
    const { farSys, ca, sent } = remote();
    expect(await farSys.health()).toMatchObject({ initialized: true, sealed: false });
    await farSys.createMount({ path: "team/x", type: "pki" });
    expect(Object.keys((await farSys.listMounts()) ?? {})).toEqual(
      expect.arrayContaining(["pki/", "team/x/", "sys/"]),
    );
    expect(sent[1]?.url).toBe("http://ca.test/v1/sys/mounts/team/x");
    await ca.mount("team/x").writeRole({ name: "there", key_type: "ec" });
    expect(await ca.mount("team/x").listRoles()).toEqual({ keys: ["there"] });
    expect(await ca.pki.listRoles()).toEqual({ keys: [] });
  });
  it("cannot be led to another resource by a name with path segments", async () => {
    const { far, near, role } = remote();
    await role("kept");
    for (const one of [far, near]) {
      await expect(one.deleteRole({ name: ".." })).rejects.toThrow(TypeError);
      expect((await refusal(one.deleteRole({ name: "x/../kept" })))[0]).toBeGreaterThanOrEqual(400);
    }
    expect(await near.listRoles()).toEqual({ keys: ["kept"] });
  });
  it("rejects with the cause if it cannot connect", async () => {
    const broken = httpTransport("http://ca.test", "t", {
      fetch: () => Promise.reject(new TypeError("fetch failed")),
    });
    await expect(client(sys, "/v1/sys", broken).health()).rejects.toThrow("fetch failed");
  });
});
