import { DurableObject } from "cloudflare:workers";

const seconds = (): number => Math.floor(Date.now() / 1000);

/**
 * Stands in for KV: values with their expiry, in the database of one object. workerd sends `GET`,
 * `PUT` and `DELETE` of `/<percent-encoded key>`.
 */
export class KvObject extends DurableObject<unknown> {
  readonly #sql = this.ctx.storage.sql;

  constructor(...args: ConstructorParameters<typeof DurableObject<unknown>>) {
    super(...args);
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS entry(key TEXT PRIMARY KEY, value BLOB NOT NULL, expires INTEGER) WITHOUT ROWID",
    );
  }

  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    const key = decodeURIComponent(pathname.slice(1));
    if (request.method === "GET") return this.#read(key);
    if (request.method === "PUT")
      return this.#write(key, await request.arrayBuffer(), searchParams);
    if (request.method === "DELETE") {
      this.#sql.exec("DELETE FROM entry WHERE key = ?", key);
      return new Response(null, { status: 204 });
    }
    return new Response(`${request.method} is not supported`, { status: 405 });
  }

  #read(key: string): Response {
    const [row] = this.#sql
      .exec<{ value: ArrayBuffer }>(
        "SELECT value FROM entry WHERE key = ? AND (expires IS NULL OR expires > ?)",
        key,
        seconds(),
      )
      .toArray();
    return row ? new Response(row.value) : new Response("not found", { status: 404 });
  }

  #write(key: string, value: ArrayBuffer, query: URLSearchParams): Response {
    const expires = query.has("expiration") ? Number(query.get("expiration")) : null;
    if (expires !== null && !(expires > seconds()))
      return new Response("expiration must be in the future", { status: 400 });
    this.#sql.exec("INSERT OR REPLACE INTO entry VALUES (?, ?, ?)", key, value, expires);
    return new Response(null, { status: 204 });
  }
}

interface Env {
  readonly OBJECT: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  fetch: (request: Request, env: Env): Promise<Response> =>
    env.OBJECT.get(env.OBJECT.idFromName("kv")).fetch(request),
};
