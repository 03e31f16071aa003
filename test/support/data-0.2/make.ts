/**
 * Creates the fixtures of version 0.2. Requires a checkout of cb7dd4f, for a data directory and the
 * backup of a mount, and one of 31b45f44, for a backup of everything, with their dependencies:
 *
 *     for commit in cb7dd4f 31b45f44; do
 *       git worktree add /tmp/$commit $commit && (cd /tmp/$commit && npm ci)
 *     done
 *     node test/support/data-0.2/make.ts /tmp/cb7dd4f /tmp/31b45f44
 *
 * Starts the old server, creates everything through its API, records its replies, and stores two
 * copies of its data: after it was killed, and after it was stopped. Tokens and keys are generated
 * at each run and protect nothing.
 */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readAnswers } from "./answers.ts";
import { filesIn, pack, type Files } from "./archive.ts";
import { done } from "./ask.ts";
import { fillAccess } from "./fill-access.ts";
import { fillAcme, type Proofs } from "./fill-acme.ts";
import { fillPki, fillSmall } from "./fill-pki.ts";
import { fillVars } from "./fill-vars.ts";
import { fixtures, type Recording } from "./fixture.ts";
import { startOld } from "./old-server.ts";

const [first, last] = process.argv.slice(2);
if (first === undefined || last === undefined)
  throw new Error("usage: node test/support/data-0.2/make.ts CHECKOUT CHECKOUT");
const address = "http://ca.example.test";
const folder = mkdtempSync(join(tmpdir(), "sealwright-0.2-"));

/** Matches runtime files of a server, and the KV stand-in, whose contents the stores have too. */
const leftOut = /^(?:address|socket|lock|lock\.db)$|sealwright-kv-object|metadata\.sqlite|-shm$/;
const under = (name: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, bytes]) => [`${name}/${path}`, bytes]));
function write(name: string, files: Files): void {
  const bytes = pack(files);
  mkdirSync(fixtures, { recursive: true });
  writeFileSync(join(fixtures, name), bytes);
  process.stdout.write(`${name}: ${bytes.length} bytes\n`);
}

/** Serves the responses to ACME challenges. */
async function startProofs(proofs: Proofs): Promise<string> {
  const server = createServer((request, response) => {
    const proof = proofs.get((request.url ?? "").split("/").at(-1) ?? "");
    response.writeHead(proof === undefined ? 404 : 200).end(proof);
  }).listen(0, "0.0.0.0");
  await once(server, "listening");
  return String((server.address() as AddressInfo).port);
}

async function makeDataDir(checkout: string, dataDir: string): Promise<void> {
  const proofs: Proofs = new Map();
  const env = { PUBLIC_URL: address, ACME_HTTP_PORT: await startProofs(proofs) };
  const server = await startOld(checkout, dataDir, env);
  const { send } = server;
  const pki = await fillPki(send, address);
  const access = await fillAccess(send);
  const acme = await fillAcme(send, address, proofs);
  const varsToken = server.secret("vars-token");
  const vars = await fillVars(send, varsToken);
  const facts = { pki, vars, varsToken };
  const answers = await readAnswers(send, facts);
  const backup = (await done(send, "GET", "sys/storage/snapshot/team/ca")).bytes;
  const recording: Recording = { now: Date.now(), address, access, pki, acme, vars, answers };
  await server.end("SIGKILL");
  const killed = filesIn(dataDir, leftOut);
  const again = await startOld(checkout, dataDir, env);
  const later = await readAnswers(again.send, facts);
  for (const [path, answer] of Object.entries(later))
    if (JSON.stringify(answer) !== JSON.stringify(answers[path]))
      throw new Error(`${path} has changed: ${JSON.stringify(answer)}`);
  await again.end("SIGTERM");
  const stopped = filesIn(dataDir, leftOut);
  write("data-0.2.br", { ...under("killed", killed), ...under("stopped", stopped) });
  write("recording-0.2.br", { "recording.json": Buffer.from(JSON.stringify(recording)) });
  write("backup-0.2.br", { "team-ca.ndjson": backup });
}

/** Creates a backup of everything, which cb7dd4f does not have. */
async function makeFullBackup(checkout: string, dataDir: string): Promise<void> {
  const server = await startOld(checkout, dataDir, { PUBLIC_URL: address });
  await fillSmall(server.send);
  await fillVars(server.send, server.secret("vars-token"));
  const files: Record<string, Uint8Array> = {
    "sealing-key": Buffer.from(server.secret("sealing-key")),
    "vars-token": Buffer.from(server.secret("vars-token")),
  };
  for (const [name, path] of [
    ["store-sys", "stores/sys"],
    ["store-vars", "stores/vars"],
    ["mount-pki", "snapshot/pki"],
    ["mount-team%2Fca", "snapshot/team/ca"],
  ] as const)
    files[`${name}.ndjson`] = (await done(server.send, "GET", `sys/storage/${path}`)).bytes;
  await server.end("SIGTERM");
  write("full-backup-0.2.br", files);
}

try {
  await makeFullBackup(last, join(folder, "small"));
  await makeDataDir(first, join(folder, "data"));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : "failed"}\n`);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
