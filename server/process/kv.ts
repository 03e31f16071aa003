/**
 * The worker that stands in for KV in a local deployment, as source text for the runtime's
 * configuration: values with their expiry in one SQLite object. The runtime speaks HTTP to it: GET,
 * PUT and DELETE of /<key, percent-encoded>.
 */
export const kvWorker = `
import { DurableObject } from "cloudflare:workers";

const seconds = () => Math.floor(Date.now() / 1000);

export class KvObject extends DurableObject {
  constructor(ctx, env) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    const columns = "key TEXT PRIMARY KEY, value BLOB NOT NULL, expires INTEGER";
    this.sql.exec("CREATE TABLE IF NOT EXISTS entry(" + columns + ") WITHOUT ROWID");
    const expiring = "entry(expires) WHERE expires IS NOT NULL";
    this.sql.exec("CREATE INDEX IF NOT EXISTS entry_expires ON " + expiring);
  }

  async fetch(request) {
    const url = new URL(request.url);
    const key = decodeURIComponent(url.pathname.slice(1));
    if (key === "") return new Response("listing is not served", { status: 501 });
    if (request.method === "GET") return this.read(key);
    if (request.method === "PUT")
      return this.write(key, await request.arrayBuffer(), url.searchParams);
    if (request.method === "DELETE") {
      this.sql.exec("DELETE FROM entry WHERE key = ?", key);
      return new Response(null, { status: 204 });
    }
    return new Response("not served", { status: 405 });
  }

  read(key) {
    const held = "SELECT value FROM entry WHERE key = ? AND (expires IS NULL OR expires > ?)";
    const [row] = this.sql.exec(held, key, seconds()).toArray();
    return row === undefined ? new Response("not found", { status: 404 }) : new Response(row.value);
  }

  write(key, value, query) {
    const expiration = query.get("expiration");
    const ttl = query.get("expiration_ttl");
    const relative = ttl === null ? null : seconds() + Number(ttl);
    const expires = expiration === null ? relative : Number(expiration);
    if (expires !== null && !(Number.isSafeInteger(expires) && expires > seconds()))
      return new Response("bad expiration", { status: 400 });
    this.sql.exec("DELETE FROM entry WHERE expires <= ?", seconds());
    this.sql.exec("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", key, value, expires);
    return new Response(null, { status: 204 });
  }
}

export default {
  fetch: (request, env) => env.OBJECT.get(env.OBJECT.idFromName("kv")).fetch(request),
};
`;
