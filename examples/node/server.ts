import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { createCa } from "sealwright";
import { fileKey, sqliteStore } from "sealwright/node";

const { PORT = "8080", DATA = ".", ADMIN_TOKEN = "" } = process.env;
if (ADMIN_TOKEN.length < 16) throw new Error("ADMIN_TOKEN must have at least 16 characters");

// what is due is run in time: lists are signed again, what has ended is removed
let timer: NodeJS.Timeout | undefined;
let next = Infinity;
function wake(at: number): void {
  if (at >= next) return;
  next = at;
  clearTimeout(timer);
  timer = setTimeout(() => void run(), Math.max(at - Date.now(), 0));
}
async function run(): Promise<void> {
  next = Infinity;
  wake(Math.min((await ca.tick()) ?? Infinity, Date.now() + 86_400_000));
}
const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const admin = digest(ADMIN_TOKEN);
const stores = sqliteStore(`${DATA}/ca.db`);
const ca = createCa({
  stores,
  sealingKey: fileKey(`${DATA}/ca.key`),
  authenticate: async (token) =>
    timingSafeEqual(digest(token), admin) ? { id: "admin", can: () => true } : undefined,
  wake,
});

// creates what is missing; of several processes that start at once, one creates it
await ca.ensure({
  root: { common_name: "Example Root" },
  roles: [
    { name: "web", key_type: "ec", allowed_domains: ["example.com"], allow_subdomains: true },
  ],
});
await run();

/** The body, if it is not too long. */
async function bodyOf(request: IncomingMessage): Promise<Buffer | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > 8 * 1024 * 1024) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const server = createServer(async (request, response) => {
  const body = await bodyOf(request);
  if (!body) return void response.writeHead(413).end();
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(request.headersDistinct))
    for (const value of values) headers.append(name, value);
  const answer = await ca.fetch(
    new Request(new URL(request.url ?? "/", "http://ca"), {
      method: request.method ?? "GET",
      headers,
      ...(body.length > 0 ? { body: new Uint8Array(body) } : {}),
    }),
    { peer: { address: request.socket.remoteAddress } },
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.end(new Uint8Array(await answer.arrayBuffer()));
});
server.listen(Number(PORT), "127.0.0.1", () => console.log("listening"));
process.once("SIGTERM", () => {
  clearTimeout(timer);
  server.close(() => stores.close());
});
