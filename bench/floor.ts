/// <reference path="../worker/cloudflare.d.ts" />
// What the platform itself costs: one row of 700 bytes a request, stored or read, with nothing of
// this project around it. `/empty` does not even reach the object.
import { DurableObject } from "cloudflare:workers";
import type { DurableObjectState } from "@cloudflare/workers-types";

interface Env {
  readonly MOUNT: {
    idFromName(name: string): unknown;
    get(id: unknown): {
      put(serial: Uint8Array, row: Uint8Array): Promise<number>;
      last(): Promise<Uint8Array>;
    };
  };
}
interface Waiting {
  readonly serial: Uint8Array;
  readonly row: Uint8Array;
  resolve(id: number): void;
}

/**
 * Rows in the order of arrival, found by their serial number; those that arrive while a commit is
 * written to the disk are the next one.
 */
export class MountObject extends DurableObject<Env> {
  #waiting: Waiting[] = [];
  readonly #storage = this.ctx.storage;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS rows (id INTEGER PRIMARY KEY, serial BLOB NOT NULL, value BLOB NOT NULL) STRICT",
    );
    this.#storage.sql.exec("CREATE UNIQUE INDEX IF NOT EXISTS rows_serial ON rows (serial)");
  }

  put(serial: Uint8Array, row: Uint8Array): Promise<number> {
    return new Promise((resolve) => {
      if (this.#waiting.push({ serial, row, resolve }) === 1) void this.#flush();
    });
  }

  /** The last row, which the tests before have put. */
  async last(): Promise<Uint8Array> {
    const [row] = this.#storage.sql
      .exec("SELECT value FROM rows ORDER BY id DESC LIMIT 1")
      .toArray();
    return new Uint8Array(row?.["value"] as ArrayBuffer);
  }

  async #flush(): Promise<void> {
    await this.#storage.sync();
    const group = this.#waiting;
    this.#waiting = [];
    this.#storage.transactionSync(() => {
      for (const { serial, row } of group)
        this.#storage.sql.exec("INSERT INTO rows (serial, value) VALUES (?, ?)", serial, row);
    });
    for (const { resolve } of group) resolve(1);
  }
}

const json = { "content-type": "application/json" };
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (request.url.endsWith("/empty")) return new Response("{}\n", { headers: json });
    const object = env.MOUNT.get(env.MOUNT.idFromName("floor"));
    if (request.method === "GET")
      return new Response(`{"bytes":${(await object.last()).length}}\n`, { headers: json });
    await request.arrayBuffer();
    const random = crypto.getRandomValues(new Uint8Array(720));
    const stored = await object.put(random.slice(0, 20), random.slice(20));
    return new Response(`{"stored":${stored}}\n`, { headers: json });
  },
};
