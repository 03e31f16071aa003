import { describe, expect, it } from "vitest";
import { authority, refusal, start, type Answer, type Authority } from "../support/authority.ts";
import {
  infoOf,
  invalid,
  rowsOf,
  seen,
  unwrap,
  withRole,
  wrapped,
  wrappedIssue,
} from "../support/wrapping.ts";

const header = (ttl: string) => ({ header: { "x-service-wrap-ttl": ttl } });
const certificates = async (a: Authority): Promise<number> =>
  (await a.pki.listCerts({})).keys.length;

describe("a wrapped reply", () => {
  it("A 1.6 response wrapping: data is null and wrap_info set, with the warnings outside, for either header", async () => {
    const a = await withRole();
    for (const [name, ttl, seconds] of [
      ["x-service-wrap-ttl", "60", 60],
      ["x-vault-wrap-ttl", "5m", 300],
      ["x-vault-wrap-ttl", "768h", 2_764_800],
    ] as const) {
      const answer = await a.call(
        "PUT",
        "pki/issue/web",
        { common_name: "a.test", odd: 1 },
        { compat: true, header: { [name]: ttl } },
      );
      expect([answer.status, answer.json]).toEqual([
        200,
        {
          request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
          lease_id: "",
          renewable: false,
          lease_duration: 0,
          data: null,
          wrap_info: {
            token: expect.stringMatching(/^wrap\.[\w-]{43}$/) as string,
            accessor: expect.stringMatching(/^[\w-]{24}$/) as string,
            ttl: seconds,
            creation_time: "2030-01-02T03:04:05Z",
            creation_path: "pki/issue/web",
          },
          warnings: ["Endpoint ignored these unrecognized parameters: [odd]"],
          auth: null,
          mount_type: "pki",
        },
      ]);
    }
    const both = await a.call("GET", "pki/roles/web", undefined, {
      header: { "x-service-wrap-ttl": "7", "x-vault-wrap-ttl": "8" },
    });
    expect(infoOf(both).ttl).toBe(7);
  });

  it("A 1.6 response wrapping: applies to reads, lists and writes, and to system endpoints", async () => {
    const a = await withRole();
    const { serial_number } = await a.pki.issue({ role: "web", common_name: "a.test" });
    for (const [method, path, body] of [
      ["GET", "pki/roles/web"],
      ["LIST", "pki/roles"],
      ["GET", "pki/certs?list=true"],
      ["GET", `pki/cert/${serial_number}`],
      ["LIST", "pki/issuers"],
      ["POST", "pki/issue/web", { common_name: "a.test" }],
      ["POST", "pki/explain/issue/web", { common_name: "a.test" }],
      ["GET", "sys/mounts"],
      ["GET", "sys/mounts/pki/tune"],
    ] as const) {
      const plain = await a.call(method, path, body);
      const info = await wrapped(a, method, path, body);
      expect([path, info.creation_path]).toEqual([path, path.replace("?list=true", "")]);
      const opened = await unwrap(a, info.token, {});
      expect([path, opened.status, Object.keys(opened.data)]).toEqual([
        path,
        200,
        Object.keys(plain.data),
      ]);
      if (method !== "POST")
        expect({ ...opened.json, request_id: "" }).toEqual({ ...plain.json, request_id: "" });
    }
  });

  it("A 1.6 response wrapping: does not apply to errors, empty responses, and responses without data, envelope or body", async () => {
    const a = await withRole();
    const plain = async (
      method: string,
      path: string,
      sent: Readonly<Record<string, string>> = {},
    ): Promise<Answer> => {
      const answer = await a.call(method, path, method === "POST" ? {} : undefined, {
        header: { "x-service-wrap-ttl": "60", ...sent },
      });
      expect([path, answer.json["wrap_info"] ?? null]).toEqual([path, null]);
      return answer;
    };
    expect((await plain("GET", "pki/roles/none")).status).toBe(404);
    expect((await plain("LIST", "pki/certs/revoked")).text).toBe('{"errors":[]}\n');
    expect((await plain("POST", "pki/issue/none")).status).toBe(400);
    expect((await plain("DELETE", "pki/roles/none")).status).toBe(204);
    expect((await plain("DELETE", "pki/issuer/none")).json["data"]).toBe(null);
    expect((await plain("GET", "pki/ca/pem")).text).toContain("BEGIN CERTIFICATE");
    expect((await plain("GET", "sys/health")).json["initialized"]).toBe(true);
    const issuer = await a.call("GET", "pki/issuer/root/json");
    const unchanged = await plain("GET", "pki/issuer/root/json", {
      "if-modified-since": issuer.headers.get("last-modified") ?? "",
    });
    expect([unchanged.status, unchanged.text]).toEqual([304, ""]);
    expect((await plain("HEAD", "pki/roles/web")).status).toBe(200);
    expect(await rowsOf(a)).toEqual([]);
  });

  it("A 1.6 response wrapping: is rejected without a token; public resources are returned unwrapped with a warning", async () => {
    const a = await withRole();
    for (const token of ["", "stranger"]) {
      const sent = { token, ...header("60") };
      expect((await a.call("POST", "pki/issue/web", { common_name: "a.test" }, sent)).status).toBe(
        403,
      );
      expect((await a.call("POST", "sys/wrapping/wrap", { a: 1 }, sent)).status).toBe(403);
      const listed = await a.call("LIST", "pki/issuers", undefined, sent);
      expect([
        listed.status,
        (listed.data["keys"] as unknown[]).length,
        listed.json["wrap_info"],
      ]).toEqual([200, 1, null]);
      expect(String(listed.json["warnings"])).toContain("wrapping requires a valid token");
    }
    expect(await rowsOf(a)).toEqual([]);
    expect(
      (await authority().call("LIST", "pki/issuers", undefined, { token: "", ...header("60") }))
        .status,
    ).toBe(404);
  });

  it("A 1.6 response wrapping: is rejected above 1 MiB", async () => {
    const a = await withRole();
    const wrap = (length: number) =>
      a.call("POST", "sys/wrapping/wrap", { text: "x".repeat(length) }, header("60"));
    const { token } = infoOf(await wrap(1_048_000));
    expect(String((await unwrap(a, token)).data["text"])).toHaveLength(1_048_000);
    expect(seen(await wrap(1_048_576))).toEqual([
      413,
      ["the response is larger than 1048576 bytes and cannot be wrapped"],
    ]);
    expect((await rowsOf(a)).filter((key) => key.startsWith("wrapped/"))).toEqual([]);
  });

  it("can be requested by pages of allowed origins", async () => {
    const request = new Request("http://ca.test/v1/pki/issue/web", {
      method: "OPTIONS",
      headers: { origin: "https://page.test" },
    });
    const preflight = await authority().ca.fetch(request, {
      allowedOrigins: ["https://page.test"],
    });
    const allowed = (preflight.headers.get("access-control-allow-headers") ?? "").split(", ");
    expect(allowed).toEqual(expect.arrayContaining(["X-Service-Wrap-TTL", "X-Vault-Wrap-TTL"]));
  });
});

describe("the wrapping TTL", () => {
  it.each([
    "abc",
    "-1",
    "-5m",
    "-0.5s",
    "1e3",
    "1.5",
    "500ms",
    "0x10",
    "60, 60",
    "2764801",
    "769h",
    "99999999999999999999",
    "1".repeat(500),
    "null",
    "1h-",
  ])(
    "A 1.6 negative or bad value: %j is rejected with 400 before anything is issued",
    async (ttl) => {
      const a = await withRole();
      const before = await certificates(a);
      for (const name of ["x-service-wrap-ttl", "x-vault-wrap-ttl"]) {
        const answer = await a.call(
          "POST",
          "pki/issue/web",
          { common_name: "a.test" },
          { header: { [name]: ttl } },
        );
        expect(seen(answer)).toEqual([400, [expect.stringMatching(/^invalid wrapping TTL: /)]]);
        expect(
          (await a.call("GET", "pki/ca/pem", undefined, { header: { [name]: ttl } })).status,
        ).toBe(400);
      }
      expect(await certificates(a)).toBe(before);
      expect(await rowsOf(a)).toEqual([]);
    },
  );

  it.each(["", "0", "0s", "-0", "0h0m"])(
    "A 1.6 negative or bad value: %j requests no wrapping",
    async (ttl) => {
      const a = await withRole();
      const answer = await a.call("POST", "pki/issue/web", { common_name: "a.test" }, header(ttl));
      expect([answer.status, answer.json["wrap_info"], answer.data["private_key_type"]]).toEqual([
        200,
        null,
        "ec",
      ]);
      expect(await rowsOf(a)).toEqual([]);
    },
  );
});

describe("unwrapping", () => {
  it("A 1.6 unwrap: returns the original response once, with its lease and warnings and a new request id", async () => {
    const a = await withRole();
    await a.role("leased", { generate_lease: true, ttl: 3600 });
    const asked = await a.call(
      "POST",
      "pki/issue/leased",
      { common_name: "a.test", odd: 1 },
      { compat: true, ...header("60") },
    );
    const { token } = infoOf(asked);
    const opened = await unwrap(a, token, { compat: true });
    expect({ ...opened.json, data: Object.keys(opened.data) }).toEqual({
      request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      lease_id: expect.stringMatching(/^pki\/issue\/leased\/[0-9a-f-]{36}$/) as string,
      renewable: false,
      lease_duration: 3600,
      data: Object.keys((await a.call("POST", "pki/issue/leased", { common_name: "a.test" })).data),
      wrap_info: null,
      warnings: ["Endpoint ignored these unrecognized parameters: [odd]"],
      auth: null,
      mount_type: "pki",
    });
    expect(opened.json["request_id"]).not.toBe(asked.json["request_id"]);
    expect(opened.data["private_key"]).toContain("PRIVATE KEY");
    expect((await a.pki.listCerts({})).keys).toContain(opened.data["serial_number"]);
    expect(seen(await unwrap(a, token))).toEqual(invalid);
  });

  it.each([
    [
      "in the body beside a valid token",
      async (a: Authority, token: string) => unwrap(a, token, {}),
    ],
    [
      "in the body beside a valid token of old clients",
      async (a: Authority, token: string) => unwrap(a, ` ${token}\n`, { compat: true }),
    ],
    ["in the body without another", async (a: Authority, token: string) => unwrap(a, token)],
    [
      "as the request's own",
      async (a: Authority, token: string) => unwrap(a, undefined, { token, compat: true }),
    ],
    [
      "as the request's own, documented",
      async (a: Authority, token: string) => a.call("POST", "sys/wrapping/unwrap", {}, { token }),
    ],
    [
      "as a bearer",
      async (a: Authority, token: string) =>
        unwrap(a, "", { token: "", header: { authorization: `Bearer ${token}` } }),
    ],
    ["in both places", async (a: Authority, token: string) => unwrap(a, token, { token })],
  ])("A 1.6 unwrap: accepts the token %s", async (_, send) => {
    const a = await withRole();
    const { token } = await wrappedIssue(a);
    const opened = await send(a, token);
    expect([opened.status, opened.data["private_key_type"]]).toEqual([200, "ec"]);
    expect(seen(await send(a, token))).toEqual(invalid);
  });

  it("A 1.6 unwrap: rejects invalid tokens with the same error, and stores nothing", async () => {
    const a = await withRole();
    const { token } = await wrappedIssue(a);
    const before = await rowsOf(a);
    const last = token.at(-1) === "A" ? "E" : "A";
    for (const wrong of [
      "",
      "x",
      "root",
      "wrap.",
      token.slice(0, -1),
      `${token}A`,
      token.slice(0, -1) + last,
      `wrap.${"A".repeat(43)}`,
      5,
      null,
      "x".repeat(9000),
    ])
      for (const path of ["unwrap", "lookup"])
        expect(seen(await a.call("POST", `sys/wrapping/${path}`, { token: wrong }))).toEqual(
          invalid,
        );
    expect(seen(await unwrap(a, undefined, { token: "root" }))).toEqual(invalid);
    expect(seen(await unwrap(a, undefined))).toEqual(invalid);
    expect((await unwrap(a, ["x"])).status).toBe(400);
    expect(await rowsOf(a)).toEqual(before);
    expect((await unwrap(a, token)).status).toBe(200);
  });

  it("A 1.6 unwrap: rejects expired tokens", async () => {
    const a = await withRole();
    const tokens = [(await wrappedIssue(a)).token, (await wrappedIssue(a)).token];
    a.clock.now = start + 59_999;
    expect((await unwrap(a, tokens[0])).status).toBe(200);
    a.clock.now = start + 60_000;
    for (const path of ["lookup", "rewrap", "unwrap"])
      expect(seen(await a.call("POST", `sys/wrapping/${path}`, { token: tokens[1] }))).toEqual(
        invalid,
      );
  });

  it("A 1.6 unwrap: its response is not wrapped, and a wrapping token is valid for nothing else", async () => {
    const a = await withRole();
    const { token } = await wrappedIssue(a);
    for (const compat of [true, false]) {
      expect(seen(await a.call("GET", "pki/roles/web", undefined, { token, compat }))).toEqual([
        403,
        [expect.stringContaining("invalid token")],
      ]);
      expect(
        (await a.call("POST", "sys/wrapping/rewrap", { token }, { token, compat })).status,
      ).toBe(403);
    }
    const opened = await unwrap(a, token, header("60"));
    expect([opened.status, opened.json["wrap_info"], opened.data["private_key_type"]]).toEqual([
      200,
      null,
      "ec",
    ]);
    expect((await rowsOf(a)).filter((key) => key.startsWith("wrapped/"))).toEqual([]);
  });

  it("A 1.6 unwrap: formats the response in the dialect of the caller who unwraps", async () => {
    const a = await withRole();
    const form = { format: "der", private_key_format: "pkcs8", role: "odd" };
    const asked = [await wrappedIssue(a, form), await wrappedIssue(a, form, { compat: true })];
    for (const { token } of asked) {
      const { data, json } = await unwrap(a, token, { compat: true });
      expect([typeof data["expiration"], json["warnings"]]).toEqual([
        "number",
        [expect.stringContaining("[role]")],
      ]);
      expect(data["private_key"]).toMatch(/^M[\w+/=]+$/);
    }
    for (const sent of [{}, { compat: true }]) {
      const { data, json } = await unwrap(a, (await wrappedIssue(a, form, sent)).token, {});
      expect([typeof data["expiration"], json["warnings"]]).toEqual([
        "string",
        expect.stringContaining("[role]"),
      ]);
      expect(data["private_key"]).toContain("PRIVATE KEY");
    }
    const { token } = await wrapped(a, "GET", "pki/roles/web", undefined, "60", { compat: true });
    expect((await unwrap(a, token, {})).data["ttl"]).toBe("0s");
  });
});

describe("other wrapping endpoints", () => {
  it("A 1.6 lookup, rewrap, wrap: lookup returns the origin of a token, also at the top level, and does not consume it", async () => {
    const a = await withRole();
    const { token } = await wrapped(a, "POST", "pki/issue/web", { common_name: "a.test" }, "1h");
    a.clock.advance(30);
    for (const answer of [
      await a.call("POST", "sys/wrapping/lookup", { token }),
      await a.call("PUT", "sys/wrapping/lookup", { token }, { token: "", ...header("60") }),
      await a.call("POST", "sys/wrapping/lookup", undefined, { token, compat: true }),
    ]) {
      const told = {
        creation_path: "pki/issue/web",
        creation_time: "2030-01-02T03:04:05Z",
        creation_ttl: 3600,
      };
      expect([answer.status, answer.data]).toEqual([200, told]);
      expect(answer.json).toMatchObject(told);
      expect(answer.text).not.toContain("private_key");
    }
    expect(await a.sys.lookupWrapping({ token })).toMatchObject({ creation_ttl: 3600 });
    expect((await unwrap(a, token)).status).toBe(200);
    expect(seen(await a.call("POST", "sys/wrapping/lookup", { token }))).toEqual(invalid);
  });

  it("A 1.6 lookup, rewrap, wrap: rewrap moves the response to a new token with the same TTL, and consumes the old one", async () => {
    const a = await withRole();
    const first = await wrappedIssue(a);
    a.clock.advance(50);
    const second = infoOf(await a.call("PUT", "sys/wrapping/rewrap", { token: first.token }));
    expect(second).toMatchObject({
      ttl: 60,
      creation_path: "pki/issue/web",
      creation_time: "2030-01-02T03:04:55Z",
    });
    expect([second.token, second.accessor]).not.toEqual([first.token, first.accessor]);
    for (const path of ["unwrap", "lookup", "rewrap"])
      expect(seen(await a.call("POST", `sys/wrapping/${path}`, { token: first.token }))).toEqual(
        invalid,
      );
    a.clock.advance(50);
    const third = await a.sys.rewrapReply({ token: second.token });
    expect(third).toMatchObject({ ttl: 60, creation_path: "pki/issue/web" });
    expect(await a.sys.unwrap({ token: third.token })).toMatchObject({ private_key_type: "ec" });
    expect((await a.call("POST", "sys/wrapping/rewrap", {})).status).toBe(400);
  });

  it("A 1.6 lookup, rewrap, wrap: wrap keeps the body unchanged, for the required TTL of the header", async () => {
    const a = await withRole();
    const body = {
      zip: "zap",
      private_key: "mine",
      expiration: 5,
      ttl: 1.5,
      token: "t",
      deep: { list: [1, null, true, "ü"] },
      format: "der",
    };
    const info = await wrapped(a, "PUT", "sys/wrapping/wrap", body, "90");
    expect(info).toMatchObject({ ttl: 90, creation_path: "sys/wrapping/wrap" });
    expect((await unwrap(a, info.token, { compat: true })).data).toEqual(body);
    const whole = infoOf(
      await a.call("POST", "sys/wrapping/wrap", '{"a":1e3,"b":2.0}', header("60")),
    );
    expect((await unwrap(a, whole.token)).data).toEqual({ a: 1000, b: 2 });
    expect(
      (await unwrap(a, (await wrapped(a, "POST", "sys/wrapping/wrap", {})).token)).json["data"],
    ).toEqual({});
    for (const sent of [{}, header("0"), header("")]) {
      const refused = await a.call("POST", "sys/wrapping/wrap", { a: 1 }, sent);
      expect(seen(refused)).toEqual([400, [expect.stringContaining("X-Service-Wrap-TTL")]]);
    }
    expect(
      (await a.call("POST", "sys/wrapping/wrap", { a: 1 }, { token: "reader", ...header("60") }))
        .status,
    ).toBe(403);
    expect((await a.call("GET", "sys/wrapping/wrap")).status).toBe(405);
    // the typed client in the same process sends no headers
    expect(await refusal(a.sys.wrapData())).toEqual([
      400,
      expect.stringContaining("X-Service-Wrap-TTL"),
    ]);
  });

  it("A 1.6 lookup, rewrap, wrap: OpenAPI describes their responses", async () => {
    const demands = (security: readonly unknown[]) =>
      security.length > 0 && security.every((way) => Object.keys(way as object).length > 0);
    const { paths, components } = (await authority().call("GET", "sys/internal/specs/openapi"))
      .json as {
      readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
      readonly paths: Readonly<
        Record<
          string,
          Readonly<
            Record<
              string,
              {
                readonly responses: Readonly<Record<string, unknown>>;
                readonly security?: readonly unknown[];
              }
            >
          >
        >
      >;
    };
    const answers = (path: string) => {
      const { responses, security = [] } = paths[`/v1/sys/wrapping/${path}`]?.["post"] ?? {
        responses: {},
      };
      const { content } = (responses["200"] ?? {}) as {
        content?: Readonly<
          Record<
            string,
            {
              schema: {
                allOf: readonly { readonly properties?: Readonly<Record<string, object>> }[];
              };
            }
          >
        >;
      };
      const parts = content?.["application/json"]?.schema.allOf ?? [];
      return [Object.assign({}, ...parts.map(({ properties }) => properties)), demands(security)];
    };
    const wrapped = {
      data: { type: "null" },
      wrap_info: { $ref: "#/components/schemas/WrapInfo" },
    };
    for (const path of ["wrap", "rewrap"]) expect(answers(path)).toEqual([wrapped, true]);
    const reply = (name: string) => ({ data: { $ref: `#/components/schemas/${name}` } });
    expect(answers("unwrap")).toEqual([reply("UnwrapReply"), false]);
    expect(components.schemas["UnwrapReply"]).toMatchObject({ type: "object" });
    expect(answers("lookup")).toEqual([reply("LookupWrappingReply"), false]);
    expect(components.schemas["LookupWrappingReply"]).toMatchObject({
      required: ["creation_path", "creation_time", "creation_ttl"],
    });
  });
});
