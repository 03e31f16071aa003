import { createHash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { createCa } from "sealwright";
import { postgresStore } from "sealwright/postgres";

const { PORT = "8080", DATABASE_URL = "", SEALING_KEY = "", ADMIN_TOKEN = "" } = process.env;
if (ADMIN_TOKEN.length < 16) throw new Error("ADMIN_TOKEN must have at least 16 characters");

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
const admin = digest(ADMIN_TOKEN);
const stores = postgresStore(DATABASE_URL);
const ca = createCa({
  stores,
  // the same on every node: base64 of 32 bytes
  sealingKey: new Uint8Array(Buffer.from(SEALING_KEY, "base64")),
  authenticate: async (token) =>
    timingSafeEqual(digest(token), admin) ? { id: "admin", can: () => true } : undefined,
});

// creates what is missing; of several nodes that start at once, one creates it
await ca.ensure({
  root: { common_name: "Example Root" },
  roles: [
    { name: "web", key_type: "ec", allowed_domains: ["example.com"], allow_subdomains: true },
  ],
});

// one node at a time runs what is due, such as signing CRLs again; another takes over from it
let isLeader = false;
let next = Infinity;
let stopTimer = (): void => undefined;
function wake(at: number): void {
  if (!isLeader || at >= next) return;
  next = at;
  stopTimer();
  const timer = setTimeout(() => void runJobs(), Math.max(at - Date.now(), 0));
  stopTimer = () => clearTimeout(timer);
}
async function runJobs(): Promise<void> {
  next = Infinity;
  const due = await ca.tick().catch(() => Date.now() + 10_000);
  wake(Math.min(due ?? Infinity, Date.now() + 86_400_000));
}
stores.watch(wake);
let isStopping = false;
async function lead(): Promise<void> {
  while (!isStopping) {
    const lease = await stores.lead("jobs").catch(() => undefined);
    if (lease) {
      isLeader = true;
      wake(Date.now());
      await lease.lost;
      isLeader = false;
      next = Infinity;
      stopTimer();
    } else await pause(1000, undefined, { ref: false });
  }
}
void lead();

/** Returns the body, or undefined if it is too long. */
async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
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
  isStopping = true;
  server.close(() => void stores.close());
});
