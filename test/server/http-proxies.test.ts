import { once } from "node:events";
import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseRanges } from "../../src/net/ranges.ts";
import { findCaller } from "../../server/http/forwarded.ts";
import { exchange, fixture, type Fixture } from "./http-fixture.ts";

const proxies = parseRanges("127.0.0.1, 10.0.0.0/24, 2001:db8:1::/48") ?? [];
const caller = (...lines: readonly string[]): string | undefined =>
  findCaller(lines.join(","), proxies);

describe("findCaller", () => {
  it.each<[string, readonly string[], string | undefined]>([
    ["the only one", ["192.0.2.7"], "192.0.2.7"],
    ["the last, whatever the caller sent", ["127.0.0.1, 10.0.0.9, 192.0.2.7"], "192.0.2.7"],
    ["the last that is no proxy", ["198.51.100.1, 192.0.2.7, 10.0.0.9"], "192.0.2.7"],
    ["the last of the last line", ["198.51.100.1", "192.0.2.7"], "192.0.2.7"],
    ["that before a line of a proxy", ["198.51.100.1, 192.0.2.7", "10.0.0.9"], "192.0.2.7"],
    ["the first, where all are proxies", ["10.0.0.8, 127.0.0.1,10.0.0.9"], "10.0.0.8"],
    ["the last, behind what is no address", ["me, <b>, ::::, 192.0.2.7"], "192.0.2.7"],
    ["the last, behind a thousand", [`${"10.0.0.9,".repeat(1000)}192.0.2.7`], "192.0.2.7"],
    ["one with a port", ["192.0.2.7:4711"], "192.0.2.7"],
    ["one of IPv6", ["2001:DB8:2:0:0:0:0:7"], "2001:db8:2::7"],
    ["one of IPv6 in brackets", ["[2001:db8:2::7]"], "2001:db8:2::7"],
    ["one of IPv6 with a port", ["[2001:db8:2::7]:443, 2001:db8:1::1"], "2001:db8:2::7"],
    ["one of IPv4 in the dress of IPv6", ["::ffff:192.0.2.7"], "192.0.2.7"],
    ["one behind a proxy in that dress", ["192.0.2.7, ::ffff:0a00:0009"], "192.0.2.7"],
    ["one among empty ones", [" , 192.0.2.7 ,\t,", ""], "192.0.2.7"],
    ["nobody, where nothing is said", [""], undefined],
    ["nobody, where all are empty", [" , ,", ","], undefined],
  ])("returns %s", (_, lines, expected) => expect(caller(...lines)).toBe(expected));

  it.each([
    "unknown",
    "_hidden",
    '"192.0.2.7"',
    "for=192.0.2.7",
    "192.0.2",
    "192.0.2.07",
    "192.0.2.256",
    "0xc0000207",
    "192.0.2.7/32",
    "192.0.2.7:",
    "192.0.2.7:port",
    "192.0.2.7 10.0.0.9",
    "[192.0.2.7]",
    "2001:db8:2::7:443:1:1:1:1",
    "[2001:db8:2::7",
    "fe80::1%eth0",
    "localhost",
  ])("throws for %j from a proxy", (entry) => {
    expect(() => caller(`192.0.2.1, ${entry}`)).toThrow("contains an invalid IP address");
    expect(() => caller(`192.0.2.1, ${entry}, 10.0.0.9`)).toThrow("contains an invalid IP address");
  });

  it("throws for more than sixteen proxies", () => {
    const row = (length: number) => Array<string>(length).fill("10.0.0.9");
    expect(caller("192.0.2.7", ...row(16))).toBe("192.0.2.7");
    expect(() => caller("192.0.2.7", ...row(17))).toThrow("more than 16 proxies");
  });

  it("ignores entries that the client itself sends", () => {
    const words = ["10.0.0.9", "127.0.0.1", "192.0.2.1", "::1", "", "x", ",", ", ,", "[", "\t"];
    for (const first of words)
      for (const second of words)
        for (const third of words)
          expect(caller(first, second + third, "192.0.2.7, 10.0.0.9")).toBe("192.0.2.7");
  });
});

describe("TRUSTED_PROXIES", () => {
  it("accepts addresses and ranges, including IPv4-mapped IPv6", () => {
    expect(parseRanges(" 10.0.0.1,10.1.0.0/16 ,,::1, 2001:db8::/32,")).toEqual([
      "10.0.0.1/32",
      "10.1.0.0/16",
      "::1/128",
      "2001:db8::/32",
    ]);
    expect(findCaller("192.0.2.7, 10.0.0.9", parseRanges("::ffff:10.0.0.0/120") ?? [])).toBe(
      "192.0.2.7",
    );
    expect(parseRanges("")).toEqual([]);
  });

  it.each([
    "*",
    "all",
    "nginx",
    "10.0.0",
    "10.0.0.1/33",
    "10.0.0.1-9",
    "fe80::1%eth0",
    "10.0.0.1 ::1",
  ])("rejects %j", (text) => expect(parseRanges(`10.0.0.1,${text}`)).toBeUndefined());

  it.each(["0.0.0.0/0", "::/0", "::ffff:0:0/96", "10.0.0.1/0"])(
    "rejects %s, with which any client could claim any address",
    (text) => expect(parseRanges(text)).toBeUndefined(),
  );
});

describe("the server", () => {
  let at: Fixture;
  beforeAll(async () => {
    const trusted = parseRanges("127.0.0.2") ?? [];
    const limits = { lingerMs: 20, connections: 6, connectionsOfAddress: 2 };
    at = await fixture({ trusted, limits });
  });
  afterAll(() => at.close());

  const from = (address: string, ...lines: readonly string[]): Promise<string> =>
    exchange(at.listener.port, requestOf(...lines, "Connection: close"), false, address);
  const requestOf = (...lines: readonly string[]): string =>
    ["GET /who HTTP/1.1", "Host: a", ...lines, "", ""].join("\r\n");
  const told = (from: number): unknown[] => at.seen.slice(from).map(({ peer }) => peer);

  it("ignores X-Forwarded-For of an untrusted client", async () => {
    const before = at.seen.length;
    await from("127.0.0.1", "X-Forwarded-For: 192.0.2.7", "x-forwarded-for: nonsense");
    expect(told(before)).toEqual([{ address: "127.0.0.1" }]);
  });

  it("assigns each request of a trusted proxy to its client, even on one connection", async () => {
    const before = at.seen.length;
    const callers = ["192.0.2.7", "192.0.2.8", "2001:db8::9"];
    const requests = callers.map((one) => requestOf(`X-Forwarded-For: 127.0.0.1, ${one}`));
    const bytes = `${requests.join("")}${requestOf("Connection: close")}`;
    await exchange(at.listener.port, bytes, false, "127.0.0.2");
    expect(told(before)).toEqual([...callers.map((one) => ({ address: one })), {}]);
  });

  it("ignores other headers about the client, even of a trusted proxy", async () => {
    const before = at.seen.length;
    const others = ["X-Real-IP", "CF-Connecting-IP", "True-Client-IP", "X-Client-IP"];
    const forwarded = "Forwarded: for=192.0.2.7;proto=https;host=b";
    await from("127.0.0.2", ...others.map((name) => `${name}: 192.0.2.7`), forwarded);
    await from("127.0.0.2", "X-Forwarded-Proto: https", "X-Forwarded-Host: b");
    expect(told(before)).toEqual([{}, {}]);
    expect(at.seen.slice(before).map(({ origin }) => origin)).toEqual(["http://a", "http://a"]);
  });

  it("rejects a malformed X-Forwarded-For of a trusted proxy without handling the request", async () => {
    const before = at.seen.length;
    expect(await from("127.0.0.2", "X-Forwarded-For: unknown")).toMatch(
      /^HTTP\/1\.1 400 [^]*\{"errors":\["X-Forwarded-For contains an invalid IP address"\]\}$/,
    );
    expect(await from("127.0.0.2", `X-Forwarded-For: ${"127.0.0.2,".repeat(17)}`)).toMatch(
      /^HTTP\/1\.1 400 [^]*more than 16 proxies/,
    );
    expect(at.seen).toHaveLength(before);
  });

  it("allows a trusted proxy more connections than other addresses", async () => {
    const opened = async (address: string) => {
      const socket = connect({ host: "127.0.0.1", port: at.listener.port, localAddress: address });
      socket.resume().on("error", () => undefined);
      await once(socket, "connect");
      return socket;
    };
    const many = await Promise.all(Array.from({ length: 4 }, () => opened("127.0.0.2")));
    const few = [await opened("127.0.0.3"), await opened("127.0.0.3")];
    const gone = Promise.race(few.map((socket) => once(socket, "close")));
    expect(await from("127.0.0.3")).toMatch(/^HTTP\/1\.1 200/);
    await gone;
    expect(many.map((socket) => socket.closed)).toEqual([false, false, false, false]);
    for (const socket of [...many, ...few]) socket.destroy();
  });
});
