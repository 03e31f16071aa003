import { describe, expect, it } from "vitest";
import { exchange, type HttpRequest } from "../../src/net/http.ts";
import { bytesOf, peer, type Peer } from "./streams.ts";
import { threadTime } from "../support/spent.ts";

const never = new AbortController().signal;
const get: HttpRequest = { method: "GET", target: "/path?q", host: "example.com" };
const text = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
const ask = (from: Peer, request = get, signal = never) => exchange(from, request, signal);

/** Returns status and body of a response, up to 512 bytes, or the error. */
async function taken(answer: string | readonly string[], method = "GET"): Promise<string> {
  try {
    const response = await ask(peer(typeof answer === "string" ? [answer] : answer), {
      ...get,
      method,
    });
    return `${response.status} ${text(await response.body(512))}`;
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : "no error";
  }
}
const ok = "HTTP/1.1 200 OK\r\n";
const refused = (why: string) => `NetError: ${why}`;

describe("an HTTP request", () => {
  it("is HTTP/1.1 with a Host, closes the connection and accepts no compression", async () => {
    const from = peer([`${ok}\r\n`]);
    await ask(from);
    expect(text(from.received())).toBe(
      "GET /path?q HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\nAccept-Encoding: identity\r\n\r\n",
    );
  });

  it("has the given headers and body, with the length of the body", async () => {
    const from = peer([`${ok}\r\n`]);
    await ask(from, {
      ...get,
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: bytesOf("{}"),
    });
    expect(text(from.received())).toMatch(
      /^POST .*\r\nContent-Type: application\/json\r\nContent-Length: 2\r\n\r\n\{\}$/s,
    );
  });

  it.each<[string, Partial<HttpRequest>]>([
    ["a line break in its path", { target: "/a\r\nX: y" }],
    ["a blank in its path", { target: "/a b" }],
    ["a path of another form", { target: "http://a/" }],
    ["a path outside ASCII", { target: "/ä" }],
    ["a line break in its host", { host: "a\r\nX: y" }],
    ["no host", { host: "" }],
    ["a method of two words", { method: "GET /" }],
    ["a line break in a header", { headers: { X: "a\r\nb: c" } }],
    ["a header name that is none", { headers: { "a b": "c" } }],
    ["a length of its own", { headers: { "content-LENGTH": "3" } }],
    ["a host of its own among the headers", { headers: { Host: "b" } }],
  ])("with %s throws a TypeError, and nothing is sent", async (_, part) => {
    const from = peer([`${ok}\r\n`]);
    await expect(ask(from, { ...get, ...part })).rejects.toThrow(TypeError);
    expect(from.received()).toHaveLength(0);
  });
});

describe("an HTTP response", () => {
  it.each([
    ["of a known length", `${ok}Content-Length: 5\r\n\r\nhello`, "200 hello"],
    ["that goes on after its length", `${ok}Content-Length: 5\r\n\r\nhello, more`, "200 hello"],
    ["that ends with the connection", `${ok}\r\nhello`, "200 hello"],
    ["of HTTP/1.0", "HTTP/1.0 200 OK\r\n\r\nhello", "200 hello"],
    ["without a reason", "HTTP/1.1 200 \r\nContent-Length: 0\r\n\r\n", "200 "],
    ["without a blank behind the status", "HTTP/1.1 404\r\n\r\nhello", "404 hello"],
    ["with bare line feeds", "HTTP/1.0 200 OK\nContent-Length: 5\n\nhello", "200 hello"],
    [
      "in chunks",
      `${ok}Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n`,
      "200 hello",
    ],
    [
      "in chunks with extensions and trailers",
      `${ok}transfer-encoding: Chunked\r\n\r\n5;a=b ; c="d"\r\nhello\r\n000\r\nX: y\r\n\r\n`,
      "200 hello",
    ],
    [
      "after interim answers",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n${ok}\r\nhello`,
      "200 hello",
    ],
    ["that has none", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", "204 "],
  ])("%s is parsed", async (_, answer, expected) => expect(await taken(answer)).toBe(expected));

  it("to HEAD has no body, whatever its length says", async () => {
    expect(await taken(`${ok}Content-Length: 99999\r\n\r\n`, "HEAD")).toBe("200 ");
  });

  it("has header fields by lower-case name, with each value as it was sent", async () => {
    const { headers } = await ask(peer([`${ok}X-A:  b \t\r\nx-a:c\r\nLocation: /\xe4\r\n\r\n`]));
    expect([...headers]).toEqual([
      ["x-a", ["b", "c"]],
      ["location", ["/ä"]],
    ]);
  });

  it("has header values without surrounding whitespace, but with inner whitespace", async () => {
    const { headers } = await ask(
      peer([`${ok}A:\t b  c \t\r\nB: \r\nC:d:e\r\nContent-Length: 0\r\n\r\n`]),
    );
    expect(["a", "b", "c"].map((name) => headers.get(name))).toEqual([["b  c"], [""], ["d:e"]]);
  });

  it("is parsed in time linear in its length, even with many spaces", async () => {
    const blank = `${ok}X: a${" ".repeat(16_000)}b\r\n\r\n`;
    const plain = `${ok}X: a${"-".repeat(16_000)}b\r\n\r\n`;
    const taken = async (answer: string) => {
      const began = threadTime();
      for (let i = 0; i < 5; i++) await ask(peer([answer]));
      return threadTime() - began;
    };
    await taken(plain);
    // searching for the last space from each of them would be a thousand times slower
    expect(await taken(blank)).toBeLessThan(20 * (await taken(plain)) + 100);
  });

  it("is returned before its body is read, such as a redirect with a long page", async () => {
    const { status, headers } = await ask(
      peer(["HTTP/1.1 302 F\r\nLocation: /x\r\nContent-Length: 99999999\r\n\r\n"], "stalls"),
    );
    expect([status, headers.get("location")]).toEqual([302, ["/x"]]);
  });

  it.each([
    [
      "both a length and chunks",
      "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
      "the response has both Content-Length and Transfer-Encoding",
    ],
    [
      "two lengths",
      "Content-Length: 5\r\nContent-Length: 6\r\n",
      "the length of the response cannot be parsed",
    ],
    ["one length twice", "Content-Length: 5, 5\r\n", "the length of the response cannot be parsed"],
    ["a negative length", "Content-Length: -1\r\n", "the length of the response cannot be parsed"],
    [
      "a length with a sign",
      "Content-Length: +5\r\n",
      "the length of the response cannot be parsed",
    ],
    ["an empty length", "Content-Length: \r\n", "the length of the response cannot be parsed"],
    [
      "another coding",
      "Transfer-Encoding: gzip, chunked\r\n",
      "the response has an unsupported transfer coding",
    ],
    [
      "chunks twice",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
      "the response has an unsupported transfer coding",
    ],
    [
      "a coding that resembles chunks",
      "Transfer-Encoding: \x0bchunked\r\n",
      "the head of the response has invalid characters",
    ],
    [
      "a blank before the colon",
      "Content-Length : 5\r\n",
      "a header field of the response cannot be parsed",
    ],
    ["a folded line", "X: a\r\n b\r\n", "a header field of the response cannot be parsed"],
    ["a field without a name", ": a\r\n", "a header field of the response cannot be parsed"],
    ["a line that is no field", "hello\r\n", "a header field of the response cannot be parsed"],
    ["NUL in a value", "X: a\0b\r\n", "the head of the response has invalid characters"],
    ["CR in a value", "X: a\rb\r\n", "the head of the response has invalid characters"],
  ])("with %s is rejected", async (_, fields, why) => {
    expect(await taken(`${ok}${fields}\r\nhello`)).toBe(refused(why));
  });

  it("that is HTTP/1.0 and chunked is rejected", async () => {
    expect(await taken("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")).toBe(
      refused("the response has an unsupported transfer coding"),
    );
  });

  it.each([
    "HTTP/2 200 OK\r\n",
    "HTTP/1.1 20 OK\r\n",
    "HTTP/1.1 099 X\r\n",
    "HTTP/1.1  200 OK\r\n",
    "http/1.1 200 OK\r\n",
    "\r\nHTTP/1.1 200 OK\r\n",
    "SSH-2.0-x\r\n",
    "\n",
  ])("that starts with %j is not HTTP/1.1", async (line) => {
    expect(await taken(`${line}\r\n`)).toBe(refused("the response is not HTTP/1.1"));
  });

  it("that switches protocols is rejected", async () => {
    expect(await taken("HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n")).toBe(
      refused("the response switches to another protocol"),
    );
  });

  it.each([
    ["a length", `${ok}Content-Length: 5\r\n\r\nhell`],
    ["the last chunk", `${ok}Transfer-Encoding: chunked\r\n\r\n5\r\nhel`],
  ])("that ends before %s is rejected", async (_, answer) => {
    expect(await taken(answer)).toBe(refused("the response body is incomplete"));
  });

  it("that ends within its head is rejected", async () => {
    const early = refused("the head of the response is too long or incomplete");
    expect(await taken("HTTP/1.1 200")).toBe(early);
    expect(await taken(`${ok}X: y\r\n`)).toBe(early);
    expect(await taken(`${ok}Transfer-Encoding: chunked\r\n\r\n0\r\n`)).toBe(early);
  });

  it.each([
    ["-1\r\n", "the length of a chunk cannot be parsed"],
    ["0x5\r\nhello\r\n", "the length of a chunk cannot be parsed"],
    ["5 5\r\nhello\r\n", "the length of a chunk cannot be parsed"],
    ["\r\n", "the length of a chunk cannot be parsed"],
    ["123456789\r\n", "the length of a chunk cannot be parsed"],
    ["ffffffff\r\n", "the response has more than 512 bytes"],
    ["5\r\nhellooo\r\n", "a chunk of the response is longer than declared"],
    ["5\r\nhello\n0\r\n\r\n", "a chunk of the response is longer than declared"],
  ])("with the chunks %j is rejected", async (chunks, why) => {
    expect(await taken(`${ok}Transfer-Encoding: chunked\r\n\r\n${chunks}`)).toBe(refused(why));
  });

  it("that is missing is reported as such", async () => {
    expect(await taken([])).toBe(refused("the server closed the connection without a response"));
    await expect(ask(peer([], "breaks"))).rejects.toMatchObject({
      failed: "connection",
      message: "the connection was lost",
    });
    await expect(ask(peer(["HTTP/1.1"], "breaks"))).rejects.toMatchObject({ failed: "connection" });
  });

  it("is used even if the request could not be sent completely", async () => {
    const from = peer([`${ok}\r\nno`]);
    const writable = new WritableStream<Uint8Array>({
      write: () => Promise.reject(new Error("EPIPE")),
    });
    const response = await exchange({ readable: from.readable, writable }, get, never);
    expect(text(await response.body(9))).toBe("no");
  });
});

describe("security row 37: an HTTP response beyond the limits", () => {
  const long = "x".repeat(600);
  it.each([
    ["a length", `${ok}Content-Length: 600\r\n\r\n${long}`],
    ["chunks", `${ok}Transfer-Encoding: chunked\r\n\r\n258\r\n${long}\r\n0\r\n\r\n`],
    [
      "many chunks",
      `${ok}Transfer-Encoding: chunked\r\n\r\n${"64\r\n".concat("x".repeat(100), "\r\n").repeat(6)}0\r\n\r\n`,
    ],
    ["the end of the connection", `${ok}\r\n${long}`],
  ])("is rejected if its body is too long, as determined by %s", async (_, answer) => {
    expect(await taken(answer)).toBe(refused("the response has more than 512 bytes"));
  });

  it("is accepted at exactly the maximum size", async () => {
    const most = "x".repeat(512);
    expect(await taken(`${ok}\r\n${most}`)).toBe(`200 ${most}`);
    expect(await taken(`${ok}Content-Length: 512\r\n\r\n${most}`)).toBe(`200 ${most}`);
  });

  it("is not read further if its body never ends", async () => {
    let sent = 0;
    const readable = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          controller.enqueue(bytesOf(sent++ === 0 ? `${ok}\r\n` : "x".repeat(100)));
        },
      },
      { highWaterMark: 0 },
    );
    const response = await exchange({ ...peer([]), readable }, get, never);
    await expect(response.body(512)).rejects.toThrow("the response has more than 512 bytes");
    expect(sent).toBeLessThan(10);
  });

  it("is not read further if a line of its head never ends", async () => {
    let sent = 0;
    const readable = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          sent++;
          controller.enqueue(bytesOf("x".repeat(1024)));
        },
      },
      { highWaterMark: 0 },
    );
    const stop = AbortSignal.timeout(5_000);
    await expect(exchange({ ...peer([]), readable }, get, stop)).rejects.toThrow("too long");
    expect(sent).toBeLessThan(20);
  });

  const early = refused("the head of the response is too long or incomplete");
  it("is rejected if its head has more than 16 KiB, in one line or many, including interim responses", async () => {
    expect(await taken(`${ok}X: ${"y".repeat(16_384)}\r\n\r\n`)).toBe(early);
    expect(await taken("x".repeat(16_385))).toBe(early);
    expect(await taken(`HTTP/1.1 100 ${"y".repeat(80)}\r\n\r\n`.repeat(200))).toBe(early);
  });

  it("is rejected if it has more than 100 header fields", async () => {
    const many = (count: number) =>
      `${ok}${Array.from({ length: count }, (_, i) => `X-${i}: y\r\n`).join("")}\r\n`;
    expect(await taken(many(100))).toBe("200 ");
    expect(await taken(many(101))).toBe(refused("the response has too many header fields"));
  });

  it("is rejected if its chunk extensions or trailers are longer than the maximum head", async () => {
    const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
    const extended = `1;${"y".repeat(400)}\r\nx\r\n`.repeat(50);
    expect(await taken(`${chunked}${extended}0\r\n\r\n`)).toBe(early);
    expect(await taken(`${chunked}0\r\n${`X: ${"y".repeat(400)}\r\n`.repeat(50)}\r\n`)).toBe(early);
  });

  it("is rejected if it is compressed, which was not requested", async () => {
    expect(await taken(`${ok}Content-Encoding: gzip\r\n\r\n\x1f\x8b`)).toBe(
      refused("the response is compressed, which was not requested"),
    );
    expect(await taken(`${ok}Content-Encoding: identity\r\n\r\nhello`)).toBe("200 hello");
  });

  it.each([
    ["nothing", []],
    ["half a head", [ok, "X: y"]],
    ["half a body", [`${ok}Content-Length: 5\r\n\r\n`, "h"]],
    ["half a chunk", [`${ok}Transfer-Encoding: chunked\r\n\r\n`, "5\r\nh"]],
    ["a body that does not end", [`${ok}\r\n`, "h"]],
  ])("that stalls after %s is aborted with the reason of the signal", async (_, parts) => {
    const controller = new AbortController();
    const late = new Error("late");
    const from = peer(parts, "stalls");
    const done = ask(from, get, controller.signal).then((response) => response.body(512));
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    controller.abort(late);
    await expect(done).rejects.toBe(late);
  });

  it("is not awaited if the signal is already aborted", async () => {
    await expect(ask(peer([], "stalls"), get, AbortSignal.abort("over"))).rejects.toBe("over");
  });
});
