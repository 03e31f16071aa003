import { createServer } from "node:http";
import { connect } from "node:net";
import { listen } from "../server/http/listener.ts";
import { httpServer } from "../server/http/http-server.ts";
import { cpuOf, figure, median, percent, round } from "./figures.ts";
import { drive, get, post } from "./load.ts";

/** The fixed response of both servers, so that mainly parsing is measured. */
const body = Buffer.from("{}\n");
const headers = { "content-type": "application/json", "cache-control": "no-store" };

interface Served {
  readonly url: string;
  close(): void;
}

/** Starts a Node HTTP server, which uses the parser llhttp. */
async function nodeServer(): Promise<Served> {
  const server = createServer((request, response) => {
    request.on("data", () => undefined);
    const reply = () => void response.writeHead(200, { ...headers, "content-length": 3 }).end(body);
    request.on("end", reply);
  });
  server.on("clientError", (_, socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, close: () => void server.close() };
}

/** Starts the HTTP server of this project. */
async function ownServer(): Promise<Served> {
  const server = httpServer({
    host: "bench",
    respond: async (request) => {
      await request.body.read(65_536, "too large");
      return { status: 200, headers, body };
    },
  });
  server.open();
  const at = { host: "127.0.0.1", port: 0 };
  const accept = {
    paused: false,
    accept: (socket: Parameters<typeof server.accept>[0]) => server.accept(socket),
  };
  const { port, close } = await listen(at, accept);
  return { url: `http://127.0.0.1:${port}`, close };
}

/** Returns the first line of a server's response to a LIST request. */
const answerToList = ({ url }: Served): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.once("data", (bytes) => {
      resolve(bytes.toString("latin1").split("\r\n")[0] ?? "");
      socket.destroy();
    });
    socket.write("LIST /v1/pki/certs HTTP/1.1\r\nHost: bench\r\n\r\n");
  });

/**
 * Returns the CPU time of this process per request (ms). The client's share is the same for all
 * servers.
 */
async function cpuPerRequest(url: string, request: Buffer, seconds: number): Promise<number> {
  let count = 0;
  const used = await cpuOf(async () => {
    ({ count } = await drive({ url, connections: 32, seconds, request: () => request }));
  });
  return used / 1000 / count;
}

/**
 * Compares Node's HTTP parser with that of this project, using requests that do no work. Client and
 * server run in this process.
 */
export async function benchParser({
  seconds,
  rounds,
}: {
  readonly seconds: number;
  readonly rounds: number;
}): Promise<void> {
  const servers = { node: await nodeServer(), own: await ownServer() };
  const requests = {
    read: get("/v1/pki/ca/pem"),
    issue: post(
      "/v1/pki/issue/web",
      "s.0123456789abcdef01234567",
      JSON.stringify({ common_name: "h1.example.com" }),
    ),
  };
  for (const [name, server] of Object.entries(servers))
    figure(`${name}: response to LIST`, await answerToList(server));
  for (const [kind, request] of Object.entries(requests)) {
    const seen: { readonly node: number[]; readonly own: number[] } = { node: [], own: [] };
    for (const name of ["node", "own"] as const)
      await cpuPerRequest(servers[name].url, request, 0.5);
    for (let at = 0; at < rounds; at++)
      for (const name of at % 2 === 0 ? (["node", "own"] as const) : (["own", "node"] as const))
        seen[name].push(await cpuPerRequest(servers[name].url, request, seconds));
    const share = median(seen.own.map((ms, i) => ms / (seen.node[i] ?? Number.NaN)));
    const each = `${round(1000 * median(seen.own))} us, node:http ${round(1000 * median(seen.node))} us`;
    figure(
      `${kind}: CPU time including the client, relative to node:http`,
      `${percent(share)} (${each})`,
    );
  }
  for (const server of Object.values(servers)) server.close();
}
