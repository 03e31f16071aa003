import { createServer as createHttps } from "node:https";
import { createServer, request as httpRequest, type Server } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { request as httpsRequest } from "node:https";
import { afterEach, expect, it } from "vitest";
import type { RespondOptions } from "../../src/index.ts";
import { requestListener, type ListenerOptions } from "../../src/node/index.ts";
import { authority } from "../support/authority.ts";

const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});
async function listen(server: Server): Promise<number> {
  servers.add(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}
async function serving(options: ListenerOptions = {}) {
  const made = authority();
  const url = `http://127.0.0.1:${await listen(createServer(requestListener(made.ca, options)))}`;
  return { ...made, url };
}
const headers = { "x-service-token": "root" };

it("requestListener serves an authority: bodies, queries and errors", async () => {
  const { url, root } = await serving();
  await root();
  const pem = await fetch(`${url}/v1/pki/ca/pem`);
  expect(pem.headers.get("content-length")).toBe(String((await pem.bytes()).length));
  const role = { method: "POST", headers, body: '{"allow_any_name":true,"key_type":"ec"}' };
  expect((await fetch(`${url}/v1/pki/roles/web`, role)).status).toBe(200);
  const listed = await fetch(`${url}/v1/pki/roles?list=true`, { headers });
  expect(await listed.json()).toMatchObject({ data: { keys: ["web"] } });
  const refused = await fetch(`${url}/v1/pki/issue/none`, { method: "POST", headers, body: "{}" });
  expect([refused.status, refused.headers.get("x-error-code")]).toEqual([400, "unknown_role"]);
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
});

it("requestListener takes the path from the request line, whatever the Host header is", async () => {
  const { url } = await serving();
  for (const host of ["h/v1/sys/health?", "h#", "h?", "user@h"]) {
    const sent = httpRequest(`${url}/v1/pki/roles`, { headers: { host } });
    sent.end();
    const status = await new Promise((resolve) =>
      sent.once("response", (response) => resolve(response.resume().statusCode)),
    );
    expect(status, host).toBe(404);
  }
});

it("requestListener rejects a body above the endpoint's limit, with Content-Length or chunked, and closes the connection", async () => {
  const { url } = await serving();
  const body = Buffer.alloc(9 * 1024 * 1024, "a");
  for (const isAnnounced of [true, false]) {
    const sent = httpRequest(`${url}/v1/pki/roles/web`, {
      method: "POST",
      headers: isAnnounced ? { ...headers, "content-length": body.length } : headers,
    });
    // the server closes the connection while the rest is sent
    sent.on("error", () => undefined);
    sent.write(body.subarray(0, 9 * 1024 * 1024 - 1));
    const [status, connection] = await new Promise<unknown[]>((resolve) => {
      sent.on("response", (response) =>
        resolve([response.statusCode, response.headers.connection]),
      );
    });
    expect([status, connection]).toEqual([413, "close"]);
    sent.destroy();
  }
});

it("requestListener serves requests below a prefix, and passes others to the next handler", async () => {
  const { ca } = authority();
  const listener = requestListener(ca, { prefix: "/ca" });
  const server = createServer((request, response) =>
    listener(request, response, () => response.writeHead(204).end()),
  );
  const url = `http://127.0.0.1:${await listen(server)}`;
  expect((await fetch(`${url}/ca/v1/sys/health`)).status).toBe(200);
  expect((await fetch(`${url}/v1/sys/health`)).status).toBe(204);
  expect((await fetch(`${url}/cafe`)).status).toBe(204);
});

it("requestListener cancels a response stream whose client has disconnected", async () => {
  let isReleased = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(64 * 1024)),
    cancel: () => void (isReleased = true),
  });
  const ca = {
    answers: () => true,
    respond: () => Promise.resolve({ status: 200, headers: {}, body }),
  };
  const port = await listen(createServer(requestListener(ca)));
  const sent = httpRequest(`http://127.0.0.1:${port}/v1/x`);
  sent.on("error", () => undefined).end();
  await new Promise((resolve) => sent.once("response", resolve));
  sent.destroy();
  await expect.poll(() => isReleased).toBe(true);
});

it("requestListener survives request targets that are not URLs, and aborted requests", async () => {
  const { url } = await serving();
  const port = Number(new URL(url).port);
  const socket = connect(port, "127.0.0.1");
  socket.end("GET //x/v1/sys/health HTTP/1.1\r\nHost: [a\r\nConnection: close\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1.1 404/);
  const broken = connect(port, "127.0.0.1");
  broken.write("POST /v1/pki/roles/web HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{");
  await new Promise((resolve) => setTimeout(resolve, 20));
  broken.destroy();
  expect((await fetch(`${url}/v1/sys/health`)).status).toBe(200);
});

it("requestListener passes on the address and the certificate chain of a TLS client", async () => {
  const { pki, root, role } = authority({ now: Date.now } as object);
  await root();
  await role("web");
  const issue = (common_name: string) =>
    pki.issue({ role: "web", common_name, ip_sans: "127.0.0.1", private_key_format: "pkcs8" });
  const [own, client] = [await issue("server"), await issue("client")];
  const peers: RespondOptions["peer"][] = [];
  const listener = requestListener({
    answers: () => true,
    respond: async (_, options) => {
      peers.push(options?.peer);
      return { status: 204, headers: {}, body: null };
    },
  });
  const settings = {
    key: own.private_key,
    cert: own.certificate,
    requestCert: true,
    rejectUnauthorized: false,
  };
  const port = await listen(createHttps(settings, listener));
  const send = (more: object) =>
    new Promise((resolve, reject) => {
      const options = { port, host: "127.0.0.1", rejectUnauthorized: false, agent: false };
      httpsRequest({ ...options, ...more }, resolve)
        .on("error", reject)
        .end();
    });
  await send({});
  await send({ key: client.private_key, cert: client.certificate });
  const address = "127.0.0.1";
  const [first, second] = peers;
  expect(first).toEqual({ address, tlsChain: [] });
  expect(second?.tlsChain).toHaveLength(1);
  expect(Buffer.from(second?.tlsChain?.[0] ?? []).toString("base64")).toBe(
    client.certificate.replace(/-----.*-----|\n/g, ""),
  );
});
