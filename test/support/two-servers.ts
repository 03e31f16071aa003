import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { leftovers } from "./leftovers.ts";
import { administrator, postgresPrograms, startPostgres, type PostgresServer } from "./postgres.ts";
import { startServer, type RunningServer, type ServerOptions } from "./server.ts";

/** The PostgreSQL server of a test file, started by its first test. */
let postgres: Promise<PostgresServer> | undefined;
leftovers.add(() => (postgres = undefined));
/** Returns the PostgreSQL server of the test file. Rejects if PostgreSQL is not installed. */
export function ownPostgres(): Promise<PostgresServer> {
  const [programs] = postgresPrograms();
  if (!programs) throw new Error("there is no PostgreSQL here");
  if (!postgres) {
    postgres = startPostgres(programs);
  }
  return postgres;
}

let created = 0;
/** Creates an empty database in that server, and returns its URL. */
export async function newDatabase(): Promise<string> {
  const server = await ownPostgres();
  const admin = administrator(server);
  const name = `test_${(created += 1)}`;
  await admin.query(`CREATE DATABASE ${name}`);
  await admin.end();
  return server.url(name);
}

/** Settings shared by the servers of one database. */
export type Secrets = Readonly<Record<"SEALING_KEY" | "SERVICE_ROOT_TOKEN" | "VARS_TOKEN", string>>;
/** Returns new secrets. */
export const newSecrets = (): Secrets => ({
  SEALING_KEY: randomBytes(32).toString("base64"),
  SERVICE_ROOT_TOKEN: `s.${randomBytes(16).toString("hex")}`,
  VARS_TOKEN: `v.${randomBytes(16).toString("hex")}`,
});

/** Two servers on one database, and the balancer in front of them. */
export interface TwoServers extends RunningServer {
  readonly varsToken: string;
  /** Directory of the database's files. */
  readonly storage: string;
  readonly servers: readonly RunningServer[];
}

/** State stored with a data directory that a test keeps, for the next start. */
const stopped = new Map<string, { readonly database: string; readonly secrets: Secrets }>();

/** Starts two servers on one PostgreSQL database behind a balancer that alternates between them. */
export async function startTwoServers({ env, dataDir }: ServerOptions): Promise<TwoServers> {
  const { database, secrets } = (dataDir === undefined ? undefined : stopped.get(dataDir)) ?? {
    database: await newDatabase(),
    secrets: newSecrets(),
  };
  if (dataDir !== undefined) stopped.set(dataDir, { database, secrets });
  const balancer = new Worker(new URL("./balancer.ts", import.meta.url));
  const [port] = (await once(balancer, "message")) as [number];
  const url = `http://127.0.0.1:${port}`;
  const settings = { DATABASE_URL: database, PUBLIC_URL: url, ...secrets, ...env };
  const directories = dataDir === undefined ? [{}, {}] : [{ dataDir }, { dataDir: `${dataDir}/2` }];
  const servers = await Promise.all(
    directories.map((directory) => startServer({ ...directory, env: settings })),
  );
  balancer.postMessage(servers.map((server) => server.url));
  const [first] = servers as [RunningServer];
  return {
    ...first,
    url,
    servers,
    token: settings.SERVICE_ROOT_TOKEN,
    varsToken: settings.VARS_TOKEN,
    storage: (await ownPostgres()).data,
    output: () => servers.map(({ output }) => output()).join(""),
    async stop() {
      const [code = null] = await Promise.all(servers.map(({ stop }) => stop()));
      await balancer.terminate();
      return code;
    },
    async kill9() {
      await Promise.all(servers.map(({ kill9 }) => kill9()));
      await balancer.terminate();
    },
  };
}
