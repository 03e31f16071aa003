import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { startServer } from "../../support/server.ts";
import { goSdk, hvac, nodeVault } from "./programs.ts";
import { templates } from "./templates.ts";
import { terraformProvider } from "./terraform.ts";
import type { Client } from "./client.ts";

// Runs the clients named by the arguments, or all of them, each against its own authority.

const clients = [goSdk, hvac, nodeVault, templates, terraformProvider];
const print = (text: string): void => void process.stdout.write(`${text}\n`);

async function tried(client: Client): Promise<string> {
  const directory = mkdtempSync(join(process.env["TMPDIR"] ?? "/tmp", `${client.name}-`));
  const missing = await client.install(directory);
  if (missing !== undefined) return `SKIPPED: ${missing}`;
  const server = await startServer({ env: { LOG: "json" } });
  try {
    return `ok (${(await client.work(server, directory)).trim()})`;
  } catch (error) {
    print(`\n${client.name}:\n${error instanceof Error ? error.message : String(error)}`);
    return "FAILED";
  } finally {
    await server.stop();
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !clients.some((client) => client.name === name));
if (unknown.length > 0) throw new TypeError(`unknown client: ${unknown.join(", ")}`);
const results: [name: string, result: string][] = [];
for (const client of clients)
  if (wanted.length === 0 || wanted.includes(client.name))
    results.push([client.name, await tried(client)]);
print("");
for (const [name, result] of results) print(`${name.padEnd(12)}${result}`);
process.exit(results.some(([, result]) => result === "FAILED") ? 1 : 0);
