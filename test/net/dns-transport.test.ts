import { describe, expect, it } from "vitest";
import { overHttps, overTcp } from "../../src/net/dns-transport.ts";
import { bytesOf, peer, type Peer } from "./streams.ts";

const never = new AbortController().signal;
const message = bytesOf("question");
const nameserver = { address: "192.0.2.53", port: 53 };
const unanswered = {
  failed: "dns",
  message: "the nameserver closed the connection without a response",
};
const unreachable = { failed: "dns", message: "cannot connect to the nameserver" };

describe("DNS over TCP", () => {
  const ask = (from: Peer, signal = never) =>
    overTcp(async () => from, nameserver)(message, signal);

  it("dials the nameserver, sends the message after its length, and closes the connection", async () => {
    const from = peer(["\0\x06answer"]);
    const dialled: unknown[] = [];
    const send = overTcp(async (to, signal) => {
      dialled.push(to, signal);
      return from;
    }, nameserver);
    expect(await send(message, never)).toEqual(bytesOf("answer"));
    expect(dialled).toEqual([nameserver, never]);
    expect(from.received()).toEqual(bytesOf("\0\x08question"));
    expect(from.closed()).toBe(true);
  });

  it("accepts a response in several parts, and ignores bytes after it", async () => {
    expect(await ask(peer(["\0", "\x06", "ans", "wer and more"]))).toEqual(bytesOf("answer"));
  });

  it.each([
    ["nothing", []],
    ["half a length", ["\0"]],
    ["half an answer", ["\0\x06ans"]],
    ["an answer of no bytes", ["\0\0"]],
  ])("fails if the nameserver closes after %s", async (_, parts) => {
    const from = peer(parts);
    await expect(ask(from)).rejects.toMatchObject(unanswered);
    expect(from.closed()).toBe(true);
  });

  it("fails without naming an address if the connection is refused or breaks", async () => {
    const refused = overTcp(() => Promise.reject(new Error("ECONNREFUSED")), nameserver);
    await expect(refused(message, never)).rejects.toMatchObject(unreachable);
    await expect(ask(peer(["\0"], "breaks"))).rejects.toMatchObject(unreachable);
  });

  it("rejects with the abort reason of the signal at any point", async () => {
    for (const parts of [[], ["\0"], ["\0\x06", "ans"]]) {
      const controller = new AbortController();
      const late = new Error("late");
      const from = peer(parts, "stalls");
      const asked = ask(from, controller.signal);
      for (let turns = 0; turns < 20; turns++) await Promise.resolve();
      controller.abort(late);
      await expect(asked).rejects.toBe(late);
      expect(from.closed()).toBe(true);
    }
    const dialling = overTcp(() => Promise.reject(new Error("closed")), nameserver);
    await expect(dialling(message, AbortSignal.abort("over"))).rejects.toBe("over");
  });
});

describe("DNS over HTTPS", () => {
  const url = "https://dns.example/dns-query";
  const headers = { "content-type": "application/dns-message" };
  const ask = (answer: () => Response | Promise<Response>, signal = never) =>
    overHttps(async () => answer(), url)(message, signal);

  it("posts the message and returns the body of the response", async () => {
    const asked: unknown[] = [];
    const send = overHttps(async (to, request) => {
      asked.push(to, request);
      return new Response("answer", {
        headers: { "content-type": "Application/DNS-Message; x=y" },
      });
    }, url);
    expect(await send(message, never)).toEqual(bytesOf("answer"));
    expect(asked).toEqual([
      url,
      {
        method: "POST",
        headers: { "Content-Type": headers["content-type"], Accept: headers["content-type"] },
        body: message,
        redirect: "manual",
        signal: never,
      },
    ]);
  });

  it("fails if the server cannot be reached, rather than returning nothing", async () => {
    await expect(ask(() => Promise.reject(new TypeError("x")))).rejects.toMatchObject(unreachable);
  });

  it.each([302, 400, 404, 429, 500, 503])("fails if the status is %i", async (status) => {
    await expect(ask(() => new Response("x", { status, headers }))).rejects.toMatchObject({
      failed: "dns",
      message: `the DNS over HTTPS server returned status ${status}`,
    });
  });

  it("fails if the response is not a DNS message, or empty", async () => {
    const none = {
      failed: "dns",
      message: "the server at DNS_RESOLVER_URL does not support DNS over HTTPS",
    };
    await expect(
      ask(() => new Response("{}", { headers: { "content-type": "application/dns-json" } })),
    ).rejects.toMatchObject(none);
    await expect(ask(() => new Response(null, { headers }))).rejects.toMatchObject(none);
  });

  it("reads no more than the maximum size of a message", async () => {
    let read = 0;
    const endless = () =>
      new ReadableStream<Uint8Array>({
        pull(controller) {
          read++;
          controller.enqueue(new Uint8Array(16_384));
        },
      });
    await expect(ask(() => new Response(endless(), { headers }))).rejects.toMatchObject({
      failed: "dns",
      message: "the nameserver's response is too long",
    });
    expect(read).toBeLessThan(10);
  });

  it("fails if the body breaks off", async () => {
    const { readable } = peer(["ans"], "breaks");
    await expect(ask(() => new Response(readable, { headers }))).rejects.toMatchObject(unreachable);
  });

  it("rejects with the abort reason of the signal while the body stalls", async () => {
    const controller = new AbortController();
    const { readable } = peer(["ans"], "stalls");
    const asked = ask(() => new Response(readable, { headers }), controller.signal);
    for (let turns = 0; turns < 20; turns++) await Promise.resolve();
    controller.abort("late");
    await expect(asked).rejects.toBe("late");
  });
});
