import { randomBytes } from "node:crypto";
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { FrontHeaders } from "./config.ts";
import { openDataDir, openObjects, writePrivate } from "../data/data-dir.ts";
import { type Lock, lockDataDir } from "../data/data-lock.ts";
import { foldLogs } from "../data/databases.ts";
import { descriptorLimit } from "../http/descriptors.ts";
import { type Front, listen } from "../http/front.ts";
import { hostDns } from "../../src/node/host-dns.ts";
import { complaintsOf, filesOf } from "../data/health.ts";
import { markInstalled } from "../data/installed.ts";
import { connectionLimits } from "../http/limits.ts";
import { type RunDir, makeRunDir, removed } from "./run-dir.ts";
import { entryOf, socketIn, startRuntime, writeConfiguration } from "./runtime.ts";
import { isSealed } from "../data/seal.ts";
import { LaunchError, type Settings, addressOf, readSettings } from "../cli/settings.ts";
import { type Supervised, keepRunning } from "./supervision.ts";
import { addSecrets, wrongKey } from "../data/secrets.ts";
import { keepBackups } from "../data/backups.ts";
import { greeting } from "../cli/greeting.ts";

/** How long callers may take to get their answers after SIGTERM. */
const GRACE_MS = 5_000;

/** How often is looked whether npm is still there. */
const ABANDONED_MS = 50;

/** After so long no further log is folded: who ends a container waits some ten seconds in all. */
const FOLD_MS = 4_000;

/** What is served: a Worker and a page, each built. */
export interface Built {
  readonly bundle: string;
  readonly demo: string;
}
/** Where a launcher comes from: a checkout, or the package. */
export interface Host {
  /** Gives what is served, or builds it. Throws {@link LaunchError} where that cannot be. */
  build(settings: Settings, runDir: string): Promise<Built>;
  /** For tests: the Worker is the one whose time a request sets (clocked.ts). */
  readonly clocked: boolean;
  readonly version: string;
}

function drawHeaders(): FrontHeaders {
  return {
    about: `about-${randomBytes(16).toString("hex")}`,
    scheme: `scheme-${randomBytes(16).toString("hex")}`,
  };
}

async function frontOf(settings: Settings, socket: string, headers: FrontHeaders): Promise<Front> {
  try {
    const tls = settings.tls === undefined ? {} : { tls: settings.tls };
    const limits = connectionLimits(descriptorLimit());
    const { host, port, trustedProxies: trusted } = settings;
    return await listen({
      host,
      port,
      ...tls,
      upstream: socket,
      aboutHeader: headers.about,
      schemeHeader: headers.scheme,
      trusted,
      limits,
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "";
    const where = `${settings.host}:${settings.port}`;
    if (code === "EADDRINUSE")
      throw new LaunchError(`${where} is in use; end what listens there, or set PORT.`);
    if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
      throw new LaunchError(`${where} cannot be listened on (${code}); set HOST or PORT.`);
    if (code.startsWith("ERR_OSSL") || code.startsWith("ERR_TLS") || code.startsWith("ERR_SSL"))
      throw new LaunchError(`TLS_CERT and TLS_KEY do not serve (${code}).`);
    throw error;
  }
}

function signalled(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.on(signal, () => resolve(undefined));
  });
}

/**
 * Resolves when `npm`, if it runs this, has ended without a signal to its child, as when it is
 * killed. Whoever started `npm start` knows no other process to end.
 */
function abandoned(): Promise<undefined> {
  return new Promise((resolve) => {
    if (process.env["npm_lifecycle_event"] === undefined) return;
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && resolve(undefined), ABANDONED_MS).unref();
  });
}

/** Everything that has to be ended. */
interface Started {
  readonly host: Host;
  readonly runDir: RunDir;
  readonly objects: string;
  front?: Front;
  runtime?: Supervised;
  backups?: ReturnType<typeof keepBackups>;
  /** Set once it is being ended: nothing more is started then. */
  over?: true;
}

async function serve(settings: Settings, lock: Lock, host: Host): Promise<number> {
  const started: Started = { host, objects: openObjects(settings.dataDir), runDir: makeRunDir() };
  const ending = Promise.race([signalled(), abandoned()]);
  try {
    await Promise.race([ending, start(settings, lock, started)]);
    await Promise.race([ending, removed(started.runDir)]);
    return 0;
  } finally {
    await end(settings, started);
  }
}

async function start(settings: Settings, lock: Lock, started: Started): Promise<void> {
  const { host, objects, runDir } = started;
  const headers = drawHeaders();
  const front = (started.front = await frontOf(settings, socketIn(runDir.path), headers));
  const built = await host.build(settings, runDir.path);
  for (const path of [built.bundle, entryOf(built.bundle)])
    if (!existsSync(path)) throw new LaunchError(`WORKER_BUNDLE: there is no ${path}.`);
  if (started.over) return;
  const address = addressOf(settings, front.port);
  const tokens = addSecrets(settings, address);
  // Whatever the runtime writes is for its owner only.
  process.umask(0o077);
  // what the environment says counts before what the host does
  settings.variables = { ...hostDns(), ...settings.variables };
  writeConfiguration(runDir.path, { ...built, objects, headers, variables: settings.variables });
  started.runtime = keepRunning({
    launch: () => startRuntime(runDir.path, settings.variables, lock.descriptor),
    started: (pid) => noteIfPossible(lock, pid),
    told: (sentence) => console.error(sentence),
    pause: (milliseconds) => new Promise((resolve) => void setTimeout(resolve, milliseconds)),
    now: () => performance.now(),
  });
  await started.runtime.ready;
  if (started.over) return;
  if (!tokens.first && (await isSealed(socketIn(runDir.path)))) throw wrongKey(settings, objects);
  if (started.over) return;
  front.open();
  for (const [path, text] of notesOf(settings, started, address)) writePrivate(path, `${text}\n`);
  const shown = { terminal: process.stdout.isTTY, certFile: settings.certFile };
  console.log(greeting(address, tokens, shown));
  // a test sets its clock by a request of its own, and nothing may be stored before
  const [socket, token] = [socketIn(runDir.path), settings.variables["SERVICE_ROOT_TOKEN"] ?? ""];
  if (!host.clocked) await markInstalled(settings.dataDir, socket, token);
  if (started.over) return;
  keepBackupsOf(settings, started, token);
  if (tokens.first) return;
  // a mount that is lost keeps no other from its work, so that nobody might notice
  const complaints = await complaintsOf(socket, () => filesOf(socket, objects, token));
  if (!started.over) for (const complaint of complaints) console.error(complaint);
}

/** Begins to keep backups where the settings say so. */
function keepBackupsOf({ backupDir }: Settings, started: Started, token: string): void {
  // a test sets its clock before anything is stored
  if (backupDir === undefined || started.host.clocked) return;
  started.backups = keepBackups({
    directory: backupDir,
    target: socketIn(started.runDir.path),
    token,
    told: (sentence) => console.error(sentence),
  });
}

/** While it serves, these files say where it is found: by callers, and by its own user. */
const notesOf = ({ dataDir }: Settings, { runDir }: Started, address = "") =>
  [
    [join(dataDir, "address"), address],
    [join(dataDir, "socket"), socketIn(runDir.path)],
  ] as const;

/** People read it; a disk that is full by now is no reason to end. */
function noteIfPossible(lock: Lock, pid: number): void {
  try {
    lock.note(pid);
  } catch {
    // the lock itself is the kernel's
  }
}

async function end(settings: Settings, started: Started): Promise<void> {
  started.over = true;
  started.backups?.stop();
  const { runDir, objects, front, runtime } = started;
  await front?.close(GRACE_MS);
  await runtime?.stop();
  for (const [path] of notesOf(settings, started)) rmSync(path, { force: true });
  runDir.remove();
  if (runtime === undefined) return;
  if (!existsSync(objects)) throw new LaunchError(`${objects} was removed while it was served.`);
  const left = foldLogs(objects, FOLD_MS);
  if (left.length > 0)
    console.error(
      `Not all logs are in their databases yet; a copy of ${settings.dataDir} needs the files ending in -wal too.`,
    );
}

/**
 * Serves as the environment says until a signal comes. Answers the exit code; throws {@link
 * LaunchError} for mistakes of the environment and what the host refuses.
 */
export async function launch(
  env: Readonly<Record<string, string | undefined>>,
  host: Host,
): Promise<number> {
  const settings = readSettings(env);
  openDataDir(settings.dataDir);
  if (settings.backupDir !== undefined) openDataDir(settings.backupDir, "BACKUP_DIR");
  const lock = await lockDataDir(settings.dataDir);
  try {
    return await serve(settings, lock, host);
  } finally {
    lock.release();
  }
}
