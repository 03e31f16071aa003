import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createCa, type Ca, type Identity } from "../../../src/index.ts";
import { sqliteStore, type SqliteStores } from "../../../src/node/index.ts";
import { varsApi } from "../../../src/vars/index.ts";
import { askBy, type Ask } from "./ask.ts";

/** An authority over the database of a data directory. */
export interface OpenedDataDir {
  readonly ca: Ca;
  readonly send: Ask;
  close(): void;
}
/** Options of an imported authority. */
export interface OpenOptions {
  /** Unix milliseconds. */
  readonly now: number;
  readonly address: string;
}

/** The identity of a server's root token. */
const root: Identity = { id: "root", policies: ["root"], can: () => true };

/** Opens the database of a data directory with its secrets. */
export function openDataDir(dataDir: string, { now, address }: OpenOptions): OpenedDataDir {
  const secret = (name: string): string => readFileSync(join(dataDir, name), "utf8").trim();
  const stores: SqliteStores = sqliteStore(join(dataDir, "sealwright.db"));
  const ca = createCa({
    stores,
    sealingKey: new Uint8Array(Buffer.from(secret("sealing-key"), "base64")),
    authenticate: async (token) => (token === secret("root-token") ? root : undefined),
    apis: [varsApi],
    vars: { token: secret("vars-token") },
    publicUrl: address,
    now: () => now,
  });
  return {
    ca,
    send: askBy((request) => ca.fetch(request), address, secret("root-token")),
    close: () => stores.close(),
  };
}
