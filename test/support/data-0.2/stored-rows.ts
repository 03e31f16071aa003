import { createHash, createHmac } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Json } from "./ask.ts";
import { recording } from "./fixture.ts";

/**
 * Returns a digest of each table of an imported database, without values that each import
 * generates.
 */
export function tablesIn(dataDir: string): Readonly<Record<string, string>> {
  const database = new DatabaseSync(join(dataDir, "sealwright.db"), { readOnly: true });
  try {
    const names = database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
      .all()
      .map(({ name }) => String(name));
    return Object.fromEntries(
      names.map((name) => {
        const hash = createHash("sha256");
        for (const row of database.prepare(`SELECT * FROM ${name} ORDER BY 1, 2`).iterate())
          if (row["name"] !== "life")
            for (const value of Object.values(row))
              hash.update(value instanceof Uint8Array ? value : `${String(value)}\n`);
        return [name, hash.digest("hex")];
      }),
    );
  } finally {
    database.close();
  }
}

/** Returns the path of the old database of a store, or of the mount at a path. */
export function oldDatabase(dataDir: string, name: string): string {
  const mounts = recording().answers["sys/mounts"] as Readonly<Record<string, Json>>;
  const store = mounts[`${name}/`]?.["uuid"];
  const file = fileOf(typeof store === "string" ? store : name);
  return join(dataDir, "objects/sealwright-mount-object", file);
}
/** Returns the file name of a store, as the runtime of version 0.2 derives it. */
function fileOf(store: string): string {
  const key = createHash("sha256").update("sealwright-mount-object").digest();
  const mac = (data: Buffer | string): Buffer =>
    createHmac("sha256", key).update(data).digest().subarray(0, 16);
  const half = mac(store);
  return `${Buffer.concat([half, mac(half)]).toString("hex")}.sqlite`;
}

/** Returns digests of the old databases and their logs. */
export function oldFiles(dataDir: string): Readonly<Record<string, string>> {
  const objects = join(dataDir, "objects/sealwright-mount-object");
  const names = readdirSync(objects).filter((name) => !name.endsWith("-shm"));
  return Object.fromEntries(
    names.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(objects, name)))
        .digest("hex"),
    ]),
  );
}
