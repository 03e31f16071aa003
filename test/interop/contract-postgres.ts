/**
 * Runs the contract tests with two engines on one PostgreSQL, which handle the calls of each test
 * alternately: `node test/interop/contract-postgres.ts [FILES]`. Not part of `npm test`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { postgresPrograms, startPostgres } from "../support/postgres.ts";
import { root } from "../support/syntax.ts";

const [programs] = postgresPrograms();
if (!programs) throw new Error("PostgreSQL is not installed");
const server = await startPostgres(programs);
const files = process.argv.slice(2);
const child = spawn(
  process.execPath,
  [
    join(root, "test/support/run.ts"),
    "--project",
    "node",
    ...(files[0] ? files : ["test/contract"]),
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, SEALWRIGHT_TEST_DATABASE: server.url() } },
);
const [code] = (await once(child, "exit")) as [number | null];
await server.stop();
process.exitCode = code ?? 1;
