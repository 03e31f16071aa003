/// <reference path="../worker/cloudflare.d.ts" />
// What the platform itself costs: each request reads one row of 700 bytes from an object, with
// nothing of this project around it.
import { DurableObject } from "cloudflare:workers";
import type { DurableObjectState } from "@cloudflare/workers-types";

interface Env {
  readonly MOUNT: {
    idFromName(name: string): unknown;
    get(id: unknown): { read(key: string): Promise<Uint8Array> };
  };
}

/** A thousand rows, found by their keys. */
export class MountObject extends DurableObject<Env> {
  readonly #storage = this.ctx.storage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB NOT NULL) STRICT",
    );
    this.#storage.sql.exec("CREATE UNIQUE INDEX IF NOT EXISTS rows_key ON rows (key)");
    if (this.#storage.sql.exec("SELECT 1 FROM rows LIMIT 1").toArray().length > 0) return;
    const value = new TextEncoder().encode("x".repeat(700));
    for (let i = 0; i < 1000; i++)
      this.#storage.sql.exec("INSERT INTO rows (key, value) VALUES (?, ?)", `row${i}`, value);
  }

  async read(key: string): Promise<Uint8Array> {
    const [row] = this.#storage.sql.exec("SELECT value FROM rows WHERE key = ?", key).toArray();
    return new Uint8Array(row?.["value"] as ArrayBuffer);
  }
}

let read = 0;
export default {
  async fetch(_request: Request, env: Env): Promise<Response> {
    const value = await env.MOUNT.get(env.MOUNT.idFromName("floor")).read(`row${read++ % 1000}`);
    // the bytes are of a buffer of their own
    return new Response(value as BodyInit, { headers: { "content-type": "application/json" } });
  },
};
