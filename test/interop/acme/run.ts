import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { acmeSh } from "./acme-sh.ts";
import { acmeTiny } from "./acme-tiny.ts";
import { caddy } from "./caddy.ts";
import { certbot } from "./certbot.ts";
import type { Client } from "./client.ts";
import { isInstalled } from "./command.ts";
import { dehydrated } from "./dehydrated.ts";
import { getssl } from "./getssl.ts";
import { lego } from "./lego.ts";
import { pythonAcme } from "./python.ts";
import { rubyAcmeClient } from "./ruby.ts";
import { rustClients } from "./rust.ts";
import { shownTexts } from "./snippets.ts";
import { step } from "./step.ts";
import { uacme } from "./uacme.ts";
import { startWorld, type World } from "./world.ts";

// Runs the clients named by the arguments, or all of them, one after the other, and prints a table.

const clients = [
  certbot,
  lego,
  acmeSh,
  dehydrated,
  uacme,
  acmeTiny,
  caddy,
  ...shownTexts,
  getssl,
  step,
  pythonAcme,
  ...rustClients,
  rubyAcmeClient,
];
const print = (text: string): void => void process.stdout.write(`${text}\n`);

interface Result {
  readonly client: string;
  readonly what: string;
  readonly result: string;
}

/** Directory of downloaded programs. If it is kept, programs are built only once. */
const programs = process.env["PROGRAMS"] ?? join(process.env["TMPDIR"] ?? "/tmp", "programs");

async function missing({ program, install }: Client, directory: string) {
  if (install === undefined) return isInstalled(program) ? undefined : "not installed";
  mkdirSync(directory, { recursive: true });
  return install(directory);
}

async function resultsOf(tried: Client, world: World): Promise<readonly Result[]> {
  const { program, version } = tried;
  const directory = join(programs, program);
  const client = version === undefined ? program : `${program} ${version}`;
  const reason = await missing(tried, directory);
  if (reason !== undefined) return [{ client, what: "", result: `SKIPPED: ${reason}` }];
  const results: Result[] = [];
  for (const [what, work] of tried.steps(world, directory)) {
    const began = Date.now();
    const told = await work().then(
      (skipped) => (skipped === undefined ? "ok" : `skipped: ${skipped}`),
      (error: unknown) => {
        print(`\n${program}, ${what}:\n${error instanceof Error ? error.message : String(error)}`);
        return "FAILED";
      },
    );
    const result = told === "ok" ? `ok, ${((Date.now() - began) / 1000).toFixed(1)} s` : told;
    results.push({ client, what, result });
    print(`${program}: ${what}: ${result}`);
  }
  return results;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !clients.some(({ program }) => program === name));
if (unknown.length > 0) throw new TypeError(`unknown client: ${unknown.join(", ")}`);
const world = await startWorld();
const results: Result[] = [];
try {
  for (const client of clients)
    if (wanted.length === 0 || wanted.includes(client.program))
      results.push(...(await resultsOf(client, world)));
} finally {
  await world.stop();
}
const wide = (key: "client" | "what"): number =>
  Math.max(...results.map((result) => result[key].length));
print("");
for (const { client, what, result } of results)
  print(`${client.padEnd(wide("client"))}  ${what.padEnd(wide("what"))}  ${result}`);
process.exit(results.some(({ result }) => result === "FAILED") ? 1 : 0);
