import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange, fixture, type Fixture } from "./http-fixture.ts";

let at: Fixture;
beforeAll(async () => {
  at = await fixture({ limits: { lingerMs: 20 } });
});
afterAll(() => at.close());

const send = (bytes: string, half = false): Promise<string> =>
  exchange(at.listener.port, bytes, half);

/** Joins head lines of a request, each ended by CRLF, and the empty line. */
function request(...lines: string[]): string {
  return `${lines.join("\r\n")}\r\n\r\n`;
}

const smuggled = request("GET /smuggled HTTP/1.1", "Host: a");

const refused: [string, number, string][] = [
  [
    "Content-Length together with Transfer-Encoding",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: 5", "Transfer-Encoding: chunked") +
      "0\r\n\r\n",
  ],
  [
    "Transfer-Encoding together with Content-Length",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "Content-Length: 5") +
      "0\r\n\r\n",
  ],
  [
    "two Content-Lengths",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: 5", "Content-Length: 6") + "hello",
  ],
  [
    "two equal Content-Lengths",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: 5", "content-length: 5") + "hello",
  ],
  [
    "a list of Content-Lengths",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: 5, 5") + "hello",
  ],
  [
    "a signed Content-Length",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: +5") + "hello",
  ],
  ["a negative Content-Length", 400, request("POST / HTTP/1.1", "Host: a", "Content-Length: -1")],
  [
    "a hexadecimal Content-Length",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: 0x5") + "hello",
  ],
  ["an empty Content-Length", 400, request("POST / HTTP/1.1", "Host: a", "Content-Length:")],
  [
    "a Content-Length beyond safe integers",
    400,
    request("POST / HTTP/1.1", "Host: a", "Content-Length: 18446744073709551621"),
  ],
  ["a folded header line", 400, request("GET / HTTP/1.1", "Host: a", "X: 1", " folded")],
  [
    "a folded Transfer-Encoding",
    501,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding:", " chunked") + "0\r\n\r\n",
  ],
  ["header lines ended by a bare LF", 400, "GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n"],
  ["a request line ended by a bare LF", 400, "GET / HTTP/1.1\nHost: a\n\n"],
  [
    "a bare CR in a value",
    400,
    request("GET / HTTP/1.1", "Host: a", "X: 1\rTransfer-Encoding: chunked"),
  ],
  ["a bare CR before a name", 400, request("GET / HTTP/1.1", "Host: a", "\rX: 1")],
  ["NUL in a value", 400, request("GET / HTTP/1.1", "Host: a", "X: 1\0")],
  ["NUL in a name", 400, request("GET / HTTP/1.1", "Host: a", "X\0: 1")],
  ["NUL in the target", 400, request("GET /\0 HTTP/1.1", "Host: a")],
  [
    "a vertical tab before chunked",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: \vchunked") + "0\r\n\r\n",
  ],
  [
    "space before the colon",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding : chunked") + "0\r\n\r\n",
  ],
  ["space before the first header", 400, request("GET / HTTP/1.1", " Host: a")],
  ["a header without a colon", 400, request("GET / HTTP/1.1", "Host: a", "nonsense")],
  ["a header without a name", 400, request("GET / HTTP/1.1", "Host: a", ": 1")],
  [
    "Transfer-Encoding: identity",
    501,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: identity"),
  ],
  [
    "Transfer-Encoding: gzip, chunked",
    501,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: gzip, chunked") + "0\r\n\r\n",
  ],
  [
    "Transfer-Encoding: xchunked",
    501,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: xchunked") + "0\r\n\r\n",
  ],
  [
    "two Transfer-Encodings",
    400,
    request(
      "POST / HTTP/1.1",
      "Host: a",
      "Transfer-Encoding: chunked",
      "Transfer-Encoding: chunked",
    ) + "0\r\n\r\n",
  ],
  [
    "Transfer-Encoding in HTTP/1.0",
    400,
    request("POST / HTTP/1.0", "Host: a", "Transfer-Encoding: chunked") + "0\r\n\r\n",
  ],
  ["an absolute target without a host", 400, request("GET http:///v1/pki/ca HTTP/1.1", "Host: a")],
  ["an absolute target of a port alone", 400, request("GET http://:80/ HTTP/1.1", "Host: a")],
  ["an absolute target with an empty port", 400, request("GET http://a:/ HTTP/1.1", "Host: a")],
  [
    "an absolute target with a port above 65535",
    400,
    request("GET http://a:65536/ HTTP/1.1", "Host: a"),
  ],
  ["an absolute target with a user", 400, request("GET http://b@a/ HTTP/1.1", "Host: a")],
  [
    "an absolute target with a user and a password",
    400,
    request("GET http://b:80@a/ HTTP/1.1", "Host: a"),
  ],
  ["an absolute target with one slash", 400, request("GET http:/a/ HTTP/1.1", "Host: a")],
  ["an absolute target with three slashes", 400, request("GET http:///a/ HTTP/1.1", "Host: a")],
  ["an absolute target with backslashes", 400, request("GET http:\\\\a\\b HTTP/1.1", "Host: a")],
  [
    "an absolute target whose host ends in a backslash",
    400,
    request("GET http://a\\@b/ HTTP/1.1", "Host: a"),
  ],
  ["an absolute target with an escaped host", 400, request("GET http://%61/ HTTP/1.1", "Host: a")],
  [
    "an absolute target with numbers that are no address",
    400,
    request("GET http://999.1.1.1/ HTTP/1.1", "Host: a"),
  ],
  [
    "an absolute target with a tab in its host",
    400,
    request("GET http://a\tb/ HTTP/1.1", "Host: a"),
  ],
  ["an absolute target with a fragment", 400, request("GET http://a#/v1/ HTTP/1.1", "Host: a")],
  [
    "an absolute target with a dot segment",
    400,
    request("GET http://a/v1/../v1/pki/ca HTTP/1.1", "Host: a"),
  ],
  ["an absolute target of another scheme", 400, request("GET ftp://a/ HTTP/1.1", "Host: a")],
  [
    "an absolute target of a scheme that begins like ours",
    400,
    request("GET httpx://a/ HTTP/1.1", "Host: a"),
  ],
  ["an absolute target without a scheme", 400, request("GET a:80/v1/pki/ca HTTP/1.1", "Host: a")],
  ["an absolute target without Host", 400, request("GET http://a/ HTTP/1.1")],
  [
    "an absolute target with two Hosts",
    400,
    request("GET http://a/ HTTP/1.1", "Host: a", "Host: a"),
  ],
  ["an absolute target with a malformed Host", 400, request("GET http://a/ HTTP/1.1", "Host: b/c")],
  [
    "an absolute target for the server as a whole",
    400,
    request("OPTIONS http://a HTTP/1.1", "Host: a"),
  ],
  ["an asterisk target", 400, request("OPTIONS * HTTP/1.1", "Host: a")],
  ["a target with a fragment", 400, request("GET /a#b HTTP/1.1", "Host: a")],
  ["a target outside ASCII", 400, request("GET /\xe4 HTTP/1.1", "Host: a")],
  ["a target with a dot segment", 400, request("GET /v1/pki/issue/../roles/a HTTP/1.1", "Host: a")],
  [
    "a target with an escaped dot segment",
    400,
    request("GET /v1/pki/issue/%2e%2E HTTP/1.1", "Host: a"),
  ],
  [
    "a target with a half-escaped dot segment",
    400,
    request("GET /v1/pki/.%2e?a=1 HTTP/1.1", "Host: a"),
  ],
  ["a target with a single dot", 400, request("LIST /v1/./pki/roles HTTP/1.1", "Host: a")],
  ["a target with a backslash", 400, request("GET /v1/pki\\roles HTTP/1.1", "Host: a")],
  [
    "a dot segment that climbs into the variables API",
    400,
    request("GET /v1/../api/v2/vars HTTP/1.1", "Host: a"),
  ],
  ["a dot segment beside the variables API", 400, request("GET /api/v2x/.. HTTP/1.1", "Host: a")],
  ["a method that is not a token", 400, request("G(T /v1/pki/roles HTTP/1.1", "Host: a")],
  ["a method outside ASCII", 400, request("L\xcfST /v1/pki/roles HTTP/1.1", "Host: a")],
  ["two spaces in the request line", 400, request("GET  / HTTP/1.1", "Host: a")],
  ["a tab in the request line", 400, request("GET\t/ HTTP/1.1", "Host: a")],
  ["a request line without a version", 400, request("GET /", "Host: a")],
  ["a request line with a fourth word", 400, request("GET / HTTP/1.1 HTTP/1.1", "Host: a")],
  ["CONNECT", 501, request("CONNECT / HTTP/1.1", "Host: a")],
  ["CONNECT to an authority", 501, request("CONNECT a:443 HTTP/1.1", "Host: a")],
  ["HTTP/2.0", 505, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["HTTP/1.2", 505, request("GET / HTTP/1.2", "Host: a")],
  ["HTTP/0.9", 505, request("GET / HTTP/0.9", "Host: a")],
  ["a lower-case version", 400, request("GET / http/1.1", "Host: a")],
  ["no Host", 400, request("GET / HTTP/1.1")],
  ["two Hosts", 400, request("GET / HTTP/1.1", "Host: a", "Host: a")],
  ["a Host with a path", 400, request("GET / HTTP/1.1", "Host: a/v1/other?")],
  ["a Host with a user", 400, request("GET / HTTP/1.1", "Host: b@a")],
  ["a Host with a port above 65535", 400, request("GET / HTTP/1.1", "Host: a:65536")],
  ["a Host of numbers that are no address", 400, request("GET / HTTP/1.1", "Host: 999.1.1.1")],
  ["a Host in brackets that is no address", 400, request("GET / HTTP/1.1", "Host: [:::]")],
  [
    "an Expect it does not know",
    417,
    request("POST / HTTP/1.1", "Host: a", "Expect: 200-ok", "Content-Length: 0"),
  ],
  [
    "a chunk size that is not a number",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + "x\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "an empty chunk size",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + "\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "a chunk size with a prefix",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      "0x5\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "a chunk size with a space",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      "5 \r\nhello\r\n0\r\n\r\n",
  ],
  [
    "a signed chunk size",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      "-5\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "a chunk size that overflows",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      "100000000000000005\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "a chunk size ended by a bare LF",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") + "5\nhello\r\n0\r\n\r\n",
  ],
  [
    "chunk data longer than its size",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      "5\r\nhello!\r\n0\r\n\r\n",
  ],
  [
    "a bare LF in a chunk extension",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      "5;\nxx\r\nhello\r\n0\r\n\r\n",
  ],
  [
    "endless chunk extensions",
    400,
    request("POST / HTTP/1.1", "Host: a", "Transfer-Encoding: chunked") +
      `5;${"x".repeat(5000)}\r\nhello\r\n0\r\n\r\n`,
  ],
  [
    "a head of more than 64 KiB",
    431,
    request("GET / HTTP/1.1", "Host: a", `X: ${"x".repeat(65_536)}`),
  ],
  [
    "a head of more than 64 KiB that does not end",
    431,
    `GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(70_000)}`,
  ],
  ["bytes that are no HTTP", 400, "\x16\x03\x01\x00\xa5\x01\x00\x00"],
];

describe("the HTTP server rejects", () => {
  it.each(refused)(
    "%s, closes the connection, and passes on neither this request nor the next",
    async (_, status, bytes) => {
      const before = at.seen.length;
      const answer = await send(bytes + smuggled);
      expect(answer).toMatch(
        new RegExp(
          `^HTTP/1\\.1 ${status} [A-Z][^]*\r\nConnection: close\r\n\r\n\\{"errors":\\["[^"]+"\\]\\}$`,
        ),
      );
      expect(answer.match(/HTTP\/1\.1 [0-9]/g)).toHaveLength(1);
      expect(at.seen.slice(before)).toEqual([]);
    },
  );

  it("an incomplete request", async () => {
    expect(await send("GET / HTTP/1.1\r\nHost: a\r\n", true)).toMatch(/^HTTP\/1\.1 400 /);
    expect(
      await send(`${request("POST / HTTP/1.1", "Host: a", "Content-Length: 9")}hello`, true),
    ).toMatch(/^HTTP\/1\.1 400 /);
  });

  it("the second of two requests only after answering the first", async () => {
    const answer = await send(
      request("GET /first HTTP/1.1", "Host: a") + request("GET /second HTTP/1.1", "Host : a"),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*GET \/first 0HTTP\/1\.1 400 Bad Request\r\n/);
  });
});

describe("the HTTP server", () => {
  it("passes on every method unchanged, including LIST and unknown ones", async () => {
    const before = at.seen.length;
    const methods = [
      "LIST",
      "GET",
      "HEAD",
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "OPTIONS",
      "FOO",
      "TRACE",
      "PURGE",
      "list",
      "Post",
      "connect",
      "M-SEARCH",
      "!#$%&'*+-.^_`|~",
      "A".repeat(300),
    ];
    for (const method of methods)
      await send(
        `${request(`${method} /v1/a?b=1 HTTP/1.1`, "Host: a", "Content-Length: 5", "Connection: close")}hello`,
      );
    expect(at.seen.slice(before).map((one) => `${one.method} ${one.url} ${one.size}`)).toEqual(
      methods.map((method) => `${method} /v1/a?b=1 5`),
    );
  });

  it("cuts paths below the variables API before a dot segment or backslash, and appends an encoded slash that matches no route", async () => {
    const before = at.seen.length;
    const targets = {
      "/api/v2/vars/..": "/api/v2/vars/%2F",
      "/api/v2/vars/%2e?a=/../b": "/api/v2/vars/%2F?a=/../b",
      "/api/v2/.%2E/../v1/pki": "/api/v2/%2F",
      "/api/v2/./ping": "/api/v2/%2F",
      "/api/v2/a\\..\\b/..\\c": "/api/v2/a%2F",
      "/api/v2/vars\\../": "/api/v2/vars%2F",
      "/api/v2/.../a.b/..c?d\\e": "/api/v2/.../a.b/..c?d\\e",
    };
    for (const target of Object.keys(targets))
      await send(request(`GET ${target} HTTP/1.1`, "Host: a", "Connection: close"));
    await send(request("LIST /api/v2/vars/.. HTTP/1.1", "Host: a", "Connection: close"));
    expect(at.seen.slice(before).map((one) => `${one.method} ${one.url}`)).toEqual([
      ...Object.values(targets).map((target) => `GET ${target}`),
      "LIST /api/v2/vars/%2F",
    ]);
    const origin = "http://a";
    for (const { url } of at.seen.slice(before))
      expect(new URL(url, origin).href).toBe(origin + url);
  });

  it("combines repeated header fields in order, trimmed, under lowercase names", async () => {
    const before = at.seen.length;
    const lines = ["X-One:  a\t", "x-ONE: b", "X-Empty:", "Cookie: \xe4; a: b"];
    const bytes = request("GET / HTTP/1.1", "Host: a", ...lines, "Connection: close");
    await exchange(at.listener.port, Buffer.from(bytes, "latin1"));
    const [one] = at.seen.slice(before);
    const names = ["x-one", "x-empty", "cookie", "x-none", "X-One"];
    expect(names.map((name) => one?.header(name))).toEqual(["a, b", "", "\xe4; a: b", null, null]);
  });

  it("takes the client's address from the connection, whatever the headers claim", async () => {
    const before = at.seen.length;
    const forged = ["CF-Connecting-IP: 6.6.6.6", "X-Forwarded-For: 6.6.6.6", "X-Real-IP: 6.6.6.6"];
    await send(request("GET / HTTP/1.1", "Host: a", ...forged, "Connection: close"));
    expect(at.seen[before]?.peer).toEqual({ address: "127.0.0.1" });
  });

  it("percent-encodes targets as URLs do", async () => {
    const before = at.seen.length;
    for (const target of ['/v1/a"b<c>?d="e"\'f', "/v1/%7e/%zz/a%2Fb//c;d=e", "/v1/{a}|^`"])
      await send(request(`GET ${target} HTTP/1.1`, "Host: a", "Connection: close"));
    const urls = at.seen.slice(before).map(({ url }) => url);
    expect(urls[0]).toBe("/v1/a%22b%3Cc%3E?d=%22e%22%27f");
    expect(urls[1]).toBe("/v1/%7e/%zz/a%2Fb//c;d=e");
    for (const url of urls) expect(new URL(url, "http://a").href).toBe(`http://a${url}`);
  });

  it("ignores Upgrade", async () => {
    const lines = ["Upgrade: websocket", "Connection: Upgrade, close", "Expect: 100-continue"];
    expect(await send(request("GET /up HTTP/1.1", "Host: a", ...lines))).toMatch(
      /^HTTP\/1\.1 200 OK[^]*GET \/up 0$/,
    );
  });

  it("answers pipelined requests in order, even to a client that has closed its side", async () => {
    const lines = Array.from({ length: 20 }, (_, n) =>
      request(`GET /${n} HTTP/1.1`, "Host: a"),
    ).join("");
    const answers = await send(lines, true);
    expect([...answers.matchAll(/GET \/([0-9]+) 0/g)].map((found) => Number(found[1]))).toEqual(
      Array.from({ length: 20 }, (_, n) => n),
    );
  });

  it("accepts a request that arrives byte by byte", async () => {
    const socket = connect(at.listener.port, "127.0.0.1").setNoDelay(true);
    const bytes = `${request("POST /slowly HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "Connection: close")}5;a=b\r\nhello\r\n00001\r\n!\r\n0\r\nT: 1\r\n\r\n`;
    for (const byte of bytes) await new Promise((resolve) => socket.write(byte, resolve));
    let answer = "";
    socket.on("data", (chunk) => (answer += chunk.toString()));
    await once(socket, "close");
    expect(answer).toContain("POST /slowly 6");
  });

  it("passes on the data of chunks without extensions and trailers", async () => {
    const before = at.seen.length;
    await send(
      `${request("POST /chunks HTTP/1.1", "Host: a", "Transfer-Encoding: chunked", "Connection: close")}05;ext=1\r\nhello\r\n000\r\nTrailer: x\r\n\r\n`,
    );
    expect(at.seen[before]).toMatchObject({ url: "/chunks", size: 5 });
    expect(at.seen[before]?.header("trailer")).toBeNull();
  });

  it("accepts one empty line before a request, but not two", async () => {
    expect(
      await send(`\r\n${request("GET /line HTTP/1.1", "Host: a", "Connection: close")}`),
    ).toContain("GET /line 0");
    expect(await send(`\r\n\r\n${request("GET /line HTTP/1.1", "Host: a")}`)).toMatch(
      /^HTTP\/1\.1 400 /,
    );
  });

  it("answers HEAD without a body, and then the next request", async () => {
    const answer = await send(
      request("HEAD /a HTTP/1.1", "Host: a") +
        request("GET /b HTTP/1.1", "Host: a", "Connection: close"),
    );
    expect(answer).toMatch(/GET \/b 0$/);
    expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });

  it("accepts HTTP/1.0 without Host, and closes the connection", async () => {
    expect(await send(request("GET /old HTTP/1.0"))).toMatch(/GET \/old 0$/);
  });

  it("sends 100 Continue to a client that expects it", async () => {
    const socket = connect(at.listener.port, "127.0.0.1");
    socket.write(
      request(
        "POST /wait HTTP/1.1",
        "Host: a",
        "Expect: 100-continue",
        "Content-Length: 5",
        "Connection: close",
      ),
    );
    const [first] = (await once(socket, "data")) as [Buffer];
    expect(first.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
    socket.write("hello");
    const [second] = (await once(socket, "data")) as [Buffer];
    expect(second.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
    socket.destroy();
  });

  it("sends an early response to a client that is still sending its body", async () => {
    const answer = await exchange(
      at.listener.port,
      Buffer.concat([
        Buffer.from(request("POST /early HTTP/1.1", "Host: a", "Content-Length: 9000000")),
        Buffer.alloc(4_000_000),
      ]),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 413 [^]*too large$/);
  });

  it("answers the request after a short unread body", async () => {
    const close = request("GET /b HTTP/1.1", "Host: a", "Connection: close");
    const body = ["Host: a", "Content-Length: 300000"];
    const answers = await send(
      `${request("POST /soon HTTP/1.1", ...body)}${"x".repeat(300_000)}${close}`,
    );
    expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(answers).toMatch(/soonHTTP\/1\.1 200 OK[^]*GET \/b 0$/);
  });

  it("closes the connection after a long unread body", async () => {
    const answers = await send(
      `${request("POST /soon HTTP/1.1", "Host: a", "Content-Length: 2000000")}${"x".repeat(2_000_000)}${smuggled}`,
    );
    expect(answers).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*Connection: close\r\n\r\nsoon$/);
  });

  it("sends a stream in chunks, and to HTTP/1.0 until the connection closes", async () => {
    const streamed = await send(
      request("GET /stream HTTP/1.1", "Host: a", "Connection: close") + smuggled,
    );
    expect(streamed).toMatch(
      /^HTTP\/1\.1 200 OK\r\n[^]*Transfer-Encoding: chunked\r\n[^]*\r\n\r\n6\r\nfirst \r\nd\r\nGET \/stream 0\r\n0\r\n\r\n$/,
    );
    const whole = await send(request("GET /stream HTTP/1.0"));
    expect(whole).toMatch(/Connection: close\r\n\r\nfirst GET \/stream 0$/);
    expect(whole).not.toMatch(/Transfer-Encoding|Content-Length/);
  });

  it("accepts targets whose dots and backslashes are no path traversal", async () => {
    for (const target of [
      "/a.b/..c/d..",
      "/...",
      "/a?b=/../c",
      "/a?b\\c",
      "/.well-known/est/cacerts",
    ])
      expect(
        await send(request(`GET ${target} HTTP/1.1`, "Host: a", "Connection: close")),
      ).toContain(`GET ${target} 0`);
  });

  it("accepts every valid Host", async () => {
    for (const host of [
      "a",
      "a.example:8787",
      "127.0.0.1:1",
      "[::1]:65535",
      "xn--bcher-kva.example",
      "a_b",
    ])
      expect(
        await send(request("GET /host HTTP/1.1", `Host: ${host}`, "Connection: close")),
      ).toContain("GET /host 0");
  });

  it("accepts targets in absolute form, whose host replaces the Host header", async () => {
    const before = at.seen.length;
    const targets = [
      "http://b/v1/x?y=http://c/",
      "HTTPS://b.example:8443/v1/x",
      "http://[::1]:80",
      "http://b?z=1",
      "http://b//c/d",
      "http://b/?a@c",
    ];
    const close = "Connection: close";
    for (const target of targets)
      await send(request(`GET ${target} HTTP/1.1`, "X: 1", "Host: a", "Y: 2", close));
    await send(request("LIST http://b/v1/pki/certs HTTP/1.1", "hOST: a", close));
    await send(request("GET http://b/old HTTP/1.0"));
    await send(
      `${request("POST http://b/body HTTP/1.1", "Host: a", "Content-Length: 5", close)}hello`,
    );
    expect(
      at.seen
        .slice(before)
        .map(({ method, url, size, origin }) => `${method} ${new URL(origin).host} ${url} ${size}`),
    ).toEqual([
      "GET b /v1/x?y=http://c/ 0",
      "GET b.example:8443 /v1/x 0",
      "GET [::1] / 0",
      "GET b /?z=1 0",
      "GET b //c/d 0",
      "GET b /?a@c 0",
      "LIST b /v1/pki/certs 0",
      "GET b /old 0",
      "POST b /body 5",
    ]);
    for (const { header } of at.seen.slice(before, before + targets.length))
      expect([header("x"), header("y")]).toEqual(["1", "2"]);
  });

  it("sends no second response if the body turns out malformed after the response", async () => {
    const socket = connect(at.listener.port, "127.0.0.1");
    socket.write(
      `${request("POST /soon HTTP/1.1", "Host: a", "Transfer-Encoding: chunked")}5\r\nhello\r\n`,
    );
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
      socket.write("nonsense\r\n");
    });
    await once(socket, "close");
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK[^]*soon$/);
    expect(answer.match(/HTTP\/1\.1 [0-9]/g)).toHaveLength(1);
  });

  it("accepts bodies of 8 and 32 MiB, with Content-Length or chunked", async () => {
    for (const size of [8 * 2 ** 20, 32 * 2 ** 20]) {
      const url = `http://127.0.0.1:${at.listener.port}/large`;
      const framed = await fetch(url, { method: "POST", body: new Uint8Array(size) });
      expect(await framed.text()).toBe(`POST /large ${size}`);
      const stream = new ReadableStream({
        start(controller) {
          for (let sent = 0; sent < size; sent += 2 ** 20)
            controller.enqueue(new Uint8Array(2 ** 20));
          controller.close();
        },
      });
      const chunked = await fetch(url, {
        method: "POST",
        body: stream,
        duplex: "half",
      } as RequestInit);
      expect(await chunked.text()).toBe(`POST /large ${size}`);
    }
  });

  it("accepts a request whose head begins to arrive with the previous request", async () => {
    const second = request("POST /second HTTP/1.1", "Host: a", "Content-Length: 5") + "hello";
    for (const cut of [1, 11, second.length - 6]) {
      const socket = connect(at.listener.port, "127.0.0.1");
      socket.write(request("GET /first HTTP/1.1", "Host: a") + second.slice(0, cut));
      const [first] = (await once(socket, "data")) as [Buffer];
      expect(first.toString()).toMatch(/GET \/first 0$/);
      socket.write(second.slice(cut));
      const [answer] = (await once(socket, "data")) as [Buffer];
      expect(answer.toString(), `cut after ${cut}`).toMatch(/POST \/second 5$/);
      socket.destroy();
    }
  });

  it("reads the same requests however their bytes are split", async () => {
    const seed = 20261121;
    const random = seeded(seed);
    const bodies = [0, 1, 70, 3000].map((size) => "b".repeat(size));
    const parts = Array.from({ length: 60 }, (_, n) => {
      const body = bodies[Math.floor(random() * bodies.length)] ?? "";
      if (n % 3 === 0)
        return { line: `GET /cut/${n} 0`, bytes: request(`GET /cut/${n} HTTP/1.1`, "Host: a") };
      const line = `POST /cut/${n} ${body.length}`;
      if (n % 3 === 1)
        return {
          line,
          bytes:
            request(`POST /cut/${n} HTTP/1.1`, "Host: a", `Content-Length: ${body.length}`) + body,
        };
      const chunk = body === "" ? "" : `${body.length.toString(16)};e\r\n${body}\r\n`;
      return {
        line,
        bytes: `${request(`POST /cut/${n} HTTP/1.1`, "Host: a", "Transfer-Encoding: chunked")}${chunk}0\r\n\r\n`,
      };
    });
    const whole = parts.map((part) => part.bytes).join("");
    for (let round = 0; round < 5; round++) {
      const before = at.seen.length;
      const socket = connect(at.listener.port, "127.0.0.1").setNoDelay(true).resume();
      for (let from = 0; from < whole.length;) {
        const to = from + 1 + Math.floor(random() * 400);
        await new Promise((resolve) => socket.write(whole.slice(from, to), resolve));
        from = to;
      }
      socket.end();
      await once(socket, "close");
      const seen = at.seen.slice(before).map((one) => `${one.method} ${one.url} ${one.size}`);
      expect(seen, `seed ${seed}, round ${round}`).toEqual(parts.map((part) => part.line));
    }
  });
});

describe("the Date header", () => {
  const date = "Date: Thu, 01 Jan 2026 00:00:00 GMT\r\n";
  let dated: Fixture;
  beforeAll(async () => {
    dated = await fixture({ now: () => Date.UTC(2026, 0, 1), limits: { lingerMs: 20 } });
  });
  afterAll(() => dated.close());
  const asked = (path: string, method = "GET"): Promise<string> => {
    const bytes = request(`${method} ${path} HTTP/1.1`, "Host: a", "Connection: close");
    return exchange(dated.listener.port, bytes);
  };

  it("is on every response once", async () => {
    for (const [path, method] of [
      ["/a", "GET"],
      ["/a", "HEAD"],
      ["/304", "GET"],
      ["/stream", "GET"],
    ]) {
      const answer = await asked(path ?? "", method);
      expect(answer.split("\r\n")[1]).toBe(date.trim());
      expect(answer.match(/^Date: /gim)).toHaveLength(1);
    }
  });

  it("is on the server's own error responses", async () => {
    const refusal = await exchange(dated.listener.port, "GET / HTTP/1.1\r\nHost: a\nX: 1\r\n\r\n");
    expect(refusal).toMatch(/^HTTP\/1\.1 400 /);
    expect(refusal).toContain(date);
  });
});

/** Returns a seeded random generator (Mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
