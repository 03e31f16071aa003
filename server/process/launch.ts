import { rmSync } from "node:fs";
import type { Socket } from "node:net";
import { hostname } from "node:os";
import { join } from "node:path";
import { dataDirFlag, startBanner, type BannerOptions } from "./banner.ts";
import { invocationOf } from "../settings/invocation.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { addressOf, readSettings, type Settings } from "../settings/settings.ts";
import { backupEventKind } from "../../src/base/row-keys.ts";
import { scheduleBackups } from "./backups.ts";
import { openDataDir, writePrivate } from "../data/data-dir.ts";
import { lockDataDir } from "../data/data-lock.ts";
import type { Writer } from "../data/database.ts";
import { markInstalled } from "../data/installed.ts";
import { readProblems } from "./health.ts";
import { fillReserve, useReserve } from "../data/reserve.ts";
import { openRunDir, type RunDir } from "../data/run-dir.ts";
import { isSealed } from "./seal.ts";
import { servedVersion, versionPathIn } from "../data/served-version.ts";
import { addSecrets, wrongKey } from "../data/secrets.ts";
import { hostDns } from "../../src/node/host-dns.ts";
import { listen, type Listener, type ListenAddress } from "../http/listener.ts";
import type { ListenerKind } from "./calls.ts";
import { isClocked } from "./clock.ts";
import { serverLog, type Report, type ServerLog } from "./server-log.ts";
import type { ServerTls } from "./server-tls.ts";
import { servingBy, type ServingProcesses } from "./serving.ts";
import { servedTls, serverTls } from "./start-tls.ts";
import { openStorage } from "./storage.ts";

/** Grace period after SIGTERM for clients that wait for responses (ms). */
const graceMs = 5_000;

/** Interval at which to check whether npm is still running (ms). */
const parentCheckMs = 50;

/** The installation from which a server starts: a checkout or the package. */
export interface Host {
  /** Returns the directory of the console, if any. Announces that it builds the console first. */
  page(settings: Settings, announce: ServerLog["announce"]): Promise<string | undefined>;
  readonly version: string;
}

/** The parts of a running server, which must be stopped on exit. */
interface Started {
  readonly host: Host;
  readonly runDir: RunDir;
  readonly report: Report;
  readonly announce: ServerLog["announce"];
  /** Presents the server's certificate; undefined for plain HTTP. */
  readonly tls: ServerTls | undefined;
  writer?: Writer;
  serving?: ServingProcesses;
  readonly listeners: Listener[];
  backups?: ReturnType<typeof scheduleBackups>;
  /** Set on shutdown, so that nothing else is started. */
  isEnding?: true;
}

function signalled(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => resolve(undefined));
  });
}

/**
 * Resolves when the parent `npm` process exits without signalling its child, for example because it
 * was killed. Users of `npm start` do not know that there is another process to stop.
 */
function abandoned(): Promise<undefined> {
  return new Promise((resolve) => {
    if (process.env["npm_lifecycle_event"] === undefined) return;
    const parent = process.ppid;
    setInterval(() => process.ppid !== parent && resolve(undefined), parentCheckMs).unref();
  });
}

async function serve(
  settings: Settings,
  { host, tls }: Pick<Started, "host" | "tls">,
  ending: Promise<undefined>,
): Promise<number> {
  const runDir = await openRunDir(settings.dataDir);
  const { report, announce } = serverLog(settings.variables);
  const started: Started = { host, tls, listeners: [], runDir, report, announce };
  try {
    await Promise.race([ending, start(settings, started)]);
    const lost = started.writer?.ended.then((why) => {
      throw new LaunchError(`The thread that writes the database ended unexpectedly (${why}).`);
    });
    await Promise.race([ending, ...(lost ? [lost] : [])]);
    return 0;
  } finally {
    await end(settings, started);
  }
}

async function start(settings: Settings, started: Started): Promise<void> {
  const { host, runDir, report, announce } = started;
  // only the owner can access new files
  process.umask(0o077);
  const storage = await openStorage(settings, runDir);
  if (started.isEnding) return;
  const { isFirst } = storage;
  const secrets = addSecrets(settings, isFirst);
  // the environment overrides the host's DNS settings
  settings.variables = { ...hostDns(), ...settings.variables };
  const writer = await storage.startWriter();
  if (writer) started.writer = writer;
  if (started.isEnding) return;
  const backup = backupsOf(started);
  const serving = (started.serving = servingBy(settings.workers, writer, backup, report));
  const port = await listenFor(serving, started, settings);
  const address = addressOf(settings, port);
  await speakHttp(serving, started, settings, address);
  settings.variables["PUBLIC_URL"] ??= address;
  const demo = await host.page(settings, announce);
  if (started.isEnding) return;
  await serving.serve({
    variables: settings.variables,
    storage: storage.settings,
    version: host.version,
    started: Date.now(),
    ...(demo === undefined ? {} : { demo }),
  });
  if (!isFirst && (await isSealed(runDir.http))) throw wrongKey(settings);
  if (started.isEnding) return;
  await started.tls?.start(serving);
  if (started.isEnding) return;
  await serving.lead();
  fillReserve(settings.dataDir);
  for (const [path, text] of notesOf(settings, started, address))
    noteIfPossible(path, text, report);
  announce(startBanner(address, { ...secrets, first: isFirst }, bannerOptions(settings)));
  // a test sets the clock with its first request; nothing may be stored before that
  const token = settings.variables["SERVICE_ROOT_TOKEN"] ?? "";
  if (!isClocked) await markInstalled(settings.dataDir, runDir.http, token);
  // another server that started with the same empty database may have sealed it with its own key
  if (isFirst && settings.database && (await isSealed(runDir.http))) throw wrongKey(settings);
  if (started.isEnding) return;
  startBackups(settings, started);
  if (!isFirst) await reportProblems(started);
}

const bannerOptions = (settings: Settings): BannerOptions => ({
  terminal: process.stdout.isTTY,
  ...servedTls(settings),
  invocation: invocationOf(process.env),
  dataDirFlag: dataDirFlag(settings.dataDir),
});

/** Starts the HTTP servers. Clients wait until the authority is ready. */
async function speakHttp(
  serving: ServingProcesses,
  { tls }: Started,
  { trustedProxies, clientCertificates, workers }: Settings,
  address: string,
): Promise<void> {
  const { host } = new URL(address);
  const isTls = tls !== undefined;
  await serving.http({ host, trustedProxies, clientCertificates, workers, tls: isTls });
  await tls?.prepare(serving);
}

const backupsOf = (started: Started) => async () => started.backups?.state();

/** Reports degraded mounts, which could go unnoticed because other mounts keep working. */
async function reportProblems(started: Started): Promise<void> {
  const problems = await readProblems(started.runDir.http);
  // shutdown may have begun in the meantime
  if (!started.isEnding) for (const problem of problems) started.report("warn", problem);
}

/** Listens on the configured ports and on the local Unix socket. Returns the main port. */
async function listenFor(
  serving: ServingProcesses,
  started: Started,
  { host, port, clientCertificates }: Settings,
): Promise<number> {
  const at = async (place: ListenAddress, door: ListenerKind): Promise<Listener> => {
    const accept = (client: Socket): void => serving.accept(door, client);
    const listener = await listen(place, { paused: serving.hands, accept });
    started.listeners.push(listener);
    return listener;
  };
  const atPort = (port: number, door: ListenerKind, setting: string): Promise<Listener> =>
    at({ host, port }, door).catch((error: unknown) => {
      throw listenError(error, `${host}:${port}`, setting);
    });
  const listener = await atPort(port, "port", "PORT");
  const { port: another } = clientCertificates;
  if (another !== undefined) await atPort(another, "certificates", "CLIENT_CERTIFICATES");
  await at({ path: started.runDir.http }, "socket");
  return listener.port;
}

/**
 * Converts an error of listening to an error that says which `setting` to change. Returns other
 * errors unchanged.
 */
function listenError(error: unknown, where: string, setting: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code === "EADDRINUSE")
    return new LaunchError(
      `${where} is in use; stop the program that listens there, or set ${setting}.`,
    );
  if (code === "EACCES" || code === "EADDRNOTAVAIL" || code === "ENOTFOUND")
    return new LaunchError(`Cannot listen on ${where} (${code}); set HOST or ${setting}.`);
  return error;
}

/** Schedules daily backups if they are configured. */
function startBackups({ backupDir, variables }: Settings, started: Started): void {
  // a test sets the clock before anything is stored
  if (backupDir === undefined || isClocked) return;
  started.backups = scheduleBackups({
    directory: backupDir,
    target: started.runDir.http,
    token: variables["SERVICE_ROOT_TOKEN"] ?? "",
    report: (sentence) => started.report("error", sentence),
    afterAttempt: async () =>
      started.serving?.run({ store: "sys", kind: backupEventKind, id: hostname() }),
  });
}

/**
 * Returns the files from which local commands learn how to reach the running server, with their
 * contents.
 */
const notesOf = ({ dataDir, database }: Settings, { runDir, host }: Started, address = "") =>
  [
    [join(dataDir, "address"), address],
    [join(dataDir, "socket"), runDir.http],
    [versionPathIn(dataDir), servedVersion(host.version, database ? "postgresql" : "sqlite")],
  ] as const;

/** Writes a file for local commands. A full disk must not stop the server. */
function noteIfPossible(path: string, text: string, report: Report): void {
  try {
    writePrivate(path, `${text}\n`);
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error;
    report("warn", `${error.message} Commands on this machine cannot find this server.`);
  }
}

async function end(settings: Settings, started: Started): Promise<void> {
  started.isEnding = true;
  started.backups?.stop();
  started.tls?.stop();
  const { runDir, listeners, serving, writer } = started;
  for (const listener of listeners) listener.close();
  await serving?.finish(graceMs);
  await writer?.stop();
  for (const [path] of notesOf(settings, started)) rmSync(path, { force: true });
  runDir.remove();
}

/**
 * Runs the server until a signal arrives. Resolves with the exit code. Rejects with {@link
 * LaunchError} if a setting is invalid or the system reports an error.
 */
export async function launch(
  env: Readonly<Record<string, string | undefined>>,
  host: Host,
): Promise<number> {
  const settings = readSettings(env);
  if (env["WORKER_BUNDLE"])
    serverLog(settings.variables).report(
      "warn",
      "WORKER_BUNDLE has no effect: the server no longer runs a Worker. Unset it.",
    );
  const tls = serverTls(settings);
  // always handle the signal, because its default action would end a server that has no certificate
  // to reload
  process.on("SIGHUP", () => void tls?.refresh(true));
  const ending = Promise.race([signalled(), abandoned()]);
  openDataDir(settings.dataDir);
  if (settings.backupDir !== undefined) openDataDir(settings.backupDir, "BACKUP_DIR");
  const lock = await lockDataDir(settings.dataDir);
  useReserve(settings.dataDir);
  try {
    return await serve(settings, { host, tls }, ending);
  } finally {
    lock.release();
  }
}
