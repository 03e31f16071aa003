import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { overTcp } from "../../src/net/dns-transport.ts";
import { resolver } from "../../src/net/dns.ts";
import { exchange } from "../../src/net/http.ts";
import { nodeDial, nodeResolve } from "../../src/node/index.ts";
import { answerTo, questionIn } from "../net/dns-messages.ts";

const never = new AbortController().signal;
const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});
async function listening(server: Server, host = "127.0.0.1") {
  servers.push(server);
  server.listen(0, host);
  await once(server, "listening");
  // a TCP server has an address and a port
  return { address: host, port: (server.address() as AddressInfo).port };
}
const meeting = (meet: (socket: Socket) => void) =>
  createServer((socket) => meet(socket.on("error", () => undefined)));

describe("nodeDial", () => {
  it.each(["127.0.0.1", "::1"])("connects to %s for an HTTP request", async (host) => {
    const server = createHttpServer((request, response) =>
      response.end(`${request.headers.host} ${request.url}`),
    );
    const connection = await nodeDial(await listening(server, host), never);
    const request = { method: "GET", target: "/x", host: "a.example" };
    const response = await exchange(connection, request, never);
    expect(new TextDecoder().decode(await response.body(99))).toBe("a.example /x");
    connection.close();
    connection.close();
  });

  it("connects to a nameserver", async () => {
    const server = meeting((socket) =>
      socket.once("data", (data: Buffer) => {
        const question = questionIn(data.subarray(2));
        const record = { owner: question.name, type: 1, data: Uint8Array.of(192, 0, 2, 1) };
        const answer = answerTo(question, [record]);
        socket.end(Uint8Array.of(0, answer.length, ...answer));
      }),
    );
    const resolve = resolver(overTcp(nodeDial, await listening(server)));
    expect(await resolve({ name: "a.example", type: "A" }, never)).toEqual(["192.0.2.1"]);
  });

  it("fails with the system's error code if nothing listens on the port", async () => {
    // another process may listen on a port that was free before
    const to = { address: "127.0.0.1", port: 1 };
    await expect(nodeDial(to, never)).rejects.toMatchObject({
      name: "NetError",
      failed: "connection",
      message: "the connection failed (ECONNREFUSED)",
    });
  });

  it("aborts on its signal, also an open connection, which the peer sees closed", async () => {
    await expect(
      nodeDial({ address: "127.0.0.1", port: 1 }, AbortSignal.abort("over")),
    ).rejects.toBe("over");
    const met: Promise<unknown>[] = [];
    const server = meeting((socket) => {
      met.push(once(socket.resume(), "close"));
      socket.write("half");
    });
    const controller = new AbortController();
    const connection = await nodeDial(await listening(server), controller.signal);
    const reader = connection.readable.getReader();
    expect((await reader.read()).value).toEqual(new TextEncoder().encode("half"));
    controller.abort(new Error("late"));
    await expect(reader.read()).rejects.toThrow();
    await Promise.all(met);
    expect(met).toHaveLength(1);
  });

  it("accepts only literal addresses", async () => {
    await expect(nodeDial({ address: "localhost", port: 80 }, never)).rejects.toThrow(TypeError);
  });
});

it("nodeResolve uses the hosts file", async () => {
  expect(await nodeResolve({ name: "localhost", type: "A" }, never)).toContain("127.0.0.1");
});
