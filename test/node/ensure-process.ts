import { createCa } from "../../src/index.ts";
import { sqliteStore } from "../../src/node/index.ts";
import { postgresStore } from "../../src/postgres/index.ts";

/** Runs `ensure` on a SQLite file or PostgreSQL, issues a certificate, and prints what was created. */
const [at = ""] = process.argv.slice(2);
const stores = at.startsWith("postgres:") ? postgresStore(at) : sqliteStore(at);
const ca = createCa({ stores, sealingKey: new Uint8Array(32).fill(7) });
const { created } = await ca.ensure({
  root: { common_name: "Root" },
  intermediate: { common_name: "Intermediate" },
  roles: [{ name: "web", key_type: "ec", allow_any_name: true }],
});
await ca.pki.issue({ role: "web", common_name: "www.example.com" });
process.stdout.write(JSON.stringify(created));
await Promise.resolve(stores.close());
