import type { IncomingMessage, ServerResponse } from "node:http";
import { createCa, memoryStore, type Ca, type Identity, type Stores } from "../../src/index.ts";
import type { Batch } from "../../src/engine/store.ts";
import { varsApi } from "../../src/vars/index.ts";

/**
 * Passes one request to an engine and writes its response. `url`: the absolute URL to
 * call.
 */
export async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  url: string,
  fetch: (request: Request) => Promise<Response>,
): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  const headers = new Headers(
    Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
  const body = parts.length > 0 ? Buffer.concat(parts) : null;
  const reply = await fetch(new Request(url, { method: incoming.method ?? "GET", headers, body }));
  outgoing.writeHead(reply.status, Object.fromEntries(reply.headers));
  outgoing.end(Buffer.from(await reply.arrayBuffer()));
}

/** Headers that the console's service worker does not forward. */
const dropped = ["cookie", "x-vault-token", "x-service-token", "authorization"];

/** An applied batch and its store. */
type Applied = readonly [store: string, batch: Batch];

/** Returns memory stores that begin with the batches in `applied`, and a list that records further ones. */
async function recordedStore(applied: readonly Applied[]): Promise<[Stores, Applied[]]> {
  const stores = memoryStore();
  for (const [store, batch] of applied) await stores(store).commit(batch);
  const all = [...applied];
  const open = (name: string) => {
    const store = stores(name);
    return {
      ...store,
      commit: async (batch: Batch) => {
        const copy = structuredClone(batch);
        const committed = await store.commit(batch);
        if (committed) all.push([name, copy]);
        return committed;
      },
    };
  };
  return [Object.assign(open, { durable: false, partitions: true }), all];
}

/** Descriptions of the API, by all that they depend on: each takes 120 ms of CPU time to make. */
const descriptions = new Map<string, Promise<() => Response>>();
const descriptionAt = "/v1/sys/internal/specs/openapi?generic_mount_paths=true";

/** Reads a response, and returns a function that returns copies of it. */
async function copiesOf(response: Response): Promise<() => Response> {
  const body = await response.arrayBuffer();
  return () => new Response(body.byteLength > 0 ? body : null, response);
}

/**
 * Replies with the description of the API for mounts of any path. Engines with the same login
 * methods have the same. `fetch`: calls the engine.
 */
async function describe(request: Request, fetch: Engine["fetch"]): Promise<Response> {
  const { url, headers } = request;
  const reply = await fetch(new Request(new URL("/v1/sys/auth", url)));
  const { data } = (await reply.json()) as { data: Record<string, { readonly type: string }> };
  const key = JSON.stringify([
    Object.entries(data).map(([path, { type }]) => [path, type]),
    ...["accept-encoding", "if-none-match"].map((name) => headers.get(name)),
  ]);
  const made = descriptions.get(key) ?? fetch(request).then(copiesOf);
  descriptions.set(key, made);
  return (await made)();
}

/** An engine, and the batches that its stores have applied, in order. */
export interface Engine {
  readonly fetch: (request: Request) => Promise<Response>;
  readonly applied: readonly Applied[];
}

/**
 * Creates an engine in this process that replies as the console's service worker does
 * (demo/sw/authority.ts): requests of the page have full access, navigations are anonymous, and due
 * jobs run after a request. `start`: batches that were recorded from another engine.
 */
export async function createEngine(start: readonly Applied[] = []): Promise<Engine> {
  const [stores, applied] = await recordedStore(start);
  const owner: Identity = { id: "this browser", policies: ["root"], can: () => true };
  const token = crypto.randomUUID();
  let due = 0;
  const ca: Ca = createCa({
    stores,
    // the same for all, so that one can begin with the stores of another
    sealingKey: new Uint8Array(32).fill(7),
    apis: [varsApi],
    authenticate: async (given) => (given === token ? owner : undefined),
    wake: (at) => {
      due = Math.min(due, at);
    },
  });
  const tick = async (): Promise<void> => {
    if (Date.now() < due) return;
    due = Number.POSITIVE_INFINITY;
    due = Math.min(due, (await ca.tick()) ?? Number.POSITIVE_INFINITY);
  };
  const fetchAsOwner: Engine["fetch"] = (request) => {
    request.headers.set("X-Service-Token", token);
    return ca.fetch(request, { identity: owner });
  };
  const fetch: Engine["fetch"] = async (request) => {
    const trusted = request.headers.get("sec-fetch-mode") !== "navigate";
    for (const name of dropped) request.headers.delete(name);
    const reply = await (trusted
      ? request.url.endsWith(descriptionAt)
        ? describe(request, fetchAsOwner)
        : fetchAsOwner(request)
      : ca.fetch(request, {}));
    void tick().catch(() => {});
    return reply;
  };
  return { fetch, applied };
}
