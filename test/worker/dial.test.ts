import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostDns } from "../../src/node/host-dns.ts";
import { answerTo, questionIn, strings } from "../net/dns-messages.ts";
import { freePort } from "../support/ports.ts";
import { startDeployed, type Deployment } from "../support/deployed.ts";

let server: Deployment;
const peers: Server[] = [];
beforeAll(async () => {
  const entry = new URL("dial-worker.ts", import.meta.url).pathname;
  const nameserver = await listening(answering);
  const env = { ...hostDns(), DNS_NAMESERVER: `127.0.0.1:${nameserver.port}` };
  server = await startDeployed({ entry, env });
});
afterAll(async () => {
  await server.stop();
  for (const peer of peers) peer.close();
});

/** Starts a server on its own port with this connection handler. */
async function listening(
  meet: (socket: Socket) => void,
  host = "127.0.0.1",
): Promise<{ readonly address: string; readonly port: number }> {
  const peer = createServer((socket) => {
    socket.on("error", () => undefined);
    meet(socket);
  });
  peers.push(peer);
  peer.listen(0, host);
  await once(peer, "listening");
  // a TCP server has an address and a port
  return { address: host, port: (peer.address() as AddressInfo).port };
}
/** Returns the test nameserver's response: one address, and one TXT string that is not UTF-8. */
const said = (message: Uint8Array): Uint8Array => {
  const question = questionIn(message);
  const { name: owner, type } = question;
  if (owner !== "a.example") return answerTo(question, [], { flags: 0x8183 });
  const data = type === 16 ? strings("x".repeat(255), "\xff") : Uint8Array.of(192, 0, 2, 7);
  return answerTo(question, [{ owner, type, data }]);
};
/** Serves DNS over TCP: one question per connection. */
const answering = (socket: Socket): void =>
  void socket.once("data", (data: Buffer) => {
    const answer = said(data.subarray(2));
    socket.write(Uint8Array.of(answer.length >> 8, answer.length & 0xff, ...answer));
  });

let drawn = 0;
const ask = async (path: string, query: Readonly<Record<string, string | number>>) => {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, String(value)]),
  );
  return (await fetch(`${server.url}${path}?${search}`)).json();
};
/** Polls until the response is the expected one. */
async function until(query: Readonly<Record<string, string>>, expected: unknown): Promise<void> {
  await expect.poll(() => ask("/told", query), { interval: 10 }).toEqual(expected);
}

describe.each([
  ["in a Worker", {}],
  ["in an object", { inside: "1" }],
])("dial %s", (_, place) => {
  const talk = (to: { readonly address: string; readonly port: number }) =>
    ask("/talk", { ...to, ...place, id: `t${drawn++}` });

  it("carries bytes in both directions to the end", async () => {
    const to = await listening((socket) =>
      socket.once("data", (data: Buffer) => socket.end(`you said ${data.toString()}`)),
    );
    expect(await talk(to)).toEqual({ text: "you said hi\n", aborted: false });
  });

  it("connects over IPv6", async () => {
    const to = await listening((socket) => socket.end("six"), "::1");
    expect(await talk(to)).toEqual({ text: "six", aborted: false });
  });

  it("fails with a plain message if nothing listens on the port", async () => {
    const to = { address: "127.0.0.1", port: await freePort() };
    const refused = {
      error: "the connection failed: refused, filtered or unreachable",
      name: "NetError",
      failed: "connection",
    };
    expect(await talk(to)).toEqual(refused);
    expect(await talk({ ...to, address: "::1" })).toEqual(refused);
    expect(await talk({ address: "no address", port: 1 })).toEqual(refused);
  });

  it("closes the connection when its reader is done, which the peer notices", async () => {
    let ended: Promise<unknown> | undefined;
    const to = await listening((socket) => {
      ended = once(socket.resume(), "close");
      socket.write("enough");
    });
    expect(await talk(to)).toEqual({ text: "enough", aborted: false });
    await ended;
  });

  it("closes a stalled connection when the signal aborts, which the peer notices", async () => {
    let ended: Promise<unknown> | undefined;
    const to = await listening((socket) => {
      ended = once(socket.resume(), "close");
      socket.write("half");
    });
    expect(await talk(to)).toMatchObject({ name: "TypeError" });
    await ended;
  });
});

it("a connection that an object opened outlives the request that started it", async () => {
  const place = { inside: "1", id: "later" };
  const waiting: Socket[] = [];
  const to = await listening((socket) => void waiting.push(socket));
  await ask("/begin", { ...to, ...place });
  await until(place, "connected");
  waiting[0]?.write("first ");
  await until(place, "got first ");
  waiting[0]?.end("last");
  await until(place, { text: "first last", aborted: false });
});

describe("resolving a name", () => {
  const resolve = (name: string, more: Readonly<Record<string, string>> = {}) =>
    ask("/resolve", { name, ...more });
  const failed = (error: string) => ({ error, name: "NetError", failed: "dns" });

  it.each([
    ["in a Worker", {}],
    ["in an object", { inside: "1" }],
  ])("uses the nameserver that the launcher configures, over TCP, %s", async (_, place) => {
    expect(await resolve("a.example", place)).toEqual(["192.0.2.7"]);
    const text = `${"x".repeat(255)}ÿ`;
    expect(await resolve("a.example", { ...place, type: "TXT" })).toEqual([text]);
    expect(await resolve("b.example", place)).toEqual([]);
  });

  it("uses the hosts file of the host", async () => {
    expect(await resolve("localhost")).toContain("127.0.0.1");
  });

  it("prefers DNS over HTTPS to the nameserver if the deployment configures it", async () => {
    const asked: (string | undefined)[] = [];
    const web = createHttpServer((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
      if (request.url !== "/dns-query")
        return void response.writeHead(302, { location: "/" }).end();
      request.once("data", (data: Buffer) =>
        response.writeHead(200, { "content-type": "application/dns-message" }).end(said(data)),
      );
    });
    peers.push(web);
    web.listen(0, "127.0.0.1");
    await once(web, "listening");
    const { port } = web.address() as AddressInfo;
    const by = (path: string) =>
      JSON.stringify({
        DNS_RESOLVER_URL: `http://127.0.0.1:${port}${path}`,
        DNS_NAMESERVER: "127.0.0.1:1",
      });
    expect(await resolve("a.example", { dns: by("/dns-query") })).toEqual(["192.0.2.7"]);
    expect(asked).toEqual(["POST /dns-query application/dns-message"]);
    expect(await resolve("a.example", { dns: by("/moved") })).toEqual(
      failed("the DNS over HTTPS server returned status 302"),
    );
    expect(asked).toHaveLength(2);
  });

  it("fails with a plain message if the nameserver is unreachable", async () => {
    const port = await freePort();
    const unreachable = failed("cannot connect to the nameserver");
    for (const dns of [
      { DNS_NAMESERVER: `127.0.0.1:${port}` },
      { DNS_RESOLVER_URL: `http://127.0.0.1:${port}/dns-query` },
    ])
      expect(await resolve("a.example", { dns: JSON.stringify(dns) })).toEqual(unreachable);
  });

  it("fails with a plain message if the host has no nameserver", async () => {
    const dns = JSON.stringify({ DNS_NAMESERVER: "none" });
    expect(await resolve("a.example", { dns })).toEqual(
      failed("/etc/resolv.conf has no nameserver; set dns_resolver of config/acme"),
    );
  });
});
