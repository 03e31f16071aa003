import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parentPort } from "node:worker_threads";

// A balancer in its own thread, because a test that waits for a program blocks its thread. Sends
// its port, and receives the addresses of the servers.

let upstreams: readonly URL[] = [];
let turn = 0;

/** Forwards a request to the next server. Requests that set the test clock go to all servers. */
function balance(incoming: IncomingMessage, response: ServerResponse): void {
  const upstream = upstreams[turn % upstreams.length];
  turn += 1;
  if (incoming.url === "/test/clock") void setClocks(incoming, response);
  else if (upstream) pass(incoming, upstream, response);
  else response.destroy();
}

async function setClocks(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = "GET", url = "/" } = incoming;
  let body = "";
  for await (const bytes of incoming) body += String(bytes);
  let status = 502;
  for (const upstream of upstreams) {
    const sent = method === "GET" ? {} : { body };
    ({ status } = await fetch(new URL(url, upstream), { method, ...sent }));
  }
  response.writeHead(status).end();
}

function pass(incoming: IncomingMessage, { hostname, port }: URL, response: ServerResponse): void {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  const headers = rawHeaders.filter((_, at) => !/^connection$/i.test(rawHeaders[at & ~1] ?? ""));
  const passed = request({ host: hostname, port, method, path: url, headers, agent: false });
  passed.once("response", (answer) => {
    // a server may respond and close before it has read the whole request
    incoming.unpipe(passed);
    incoming.resume();
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  passed.on("error", () => {
    if (!response.headersSent) response.destroy();
  });
  response.once("close", () => passed.destroy());
  incoming.pipe(passed);
}

parentPort?.on("message", (urls: readonly string[]) => {
  upstreams = urls.map((url) => new URL(url));
});
const server = createServer(balance).listen(0, "127.0.0.1", () => {
  // it listens on a port
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
