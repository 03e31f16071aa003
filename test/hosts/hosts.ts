import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clocked, worker } from "../../worker/build/build.ts";
import { builtDemo } from "../support/built.ts";
import { startDeployed } from "../support/deployed.ts";
import { startServer, type RunningServer, type ServerOptions } from "../support/server.ts";
import { startTwoServers } from "../support/two-servers.ts";

/** Options for starting a host. */
export interface HostOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** An existing data directory, which is kept; by default a new one that `stop` removes. */
  readonly dataDir?: string;
  /** True if `PUT /test/clock` sets the time. */
  readonly clocked?: boolean;
  /** Number of serving processes, default 1; Workers ignore it. */
  readonly workers?: number;
  /** True if the console is served below `/demo/`. */
  readonly console?: boolean;
}

/** A running server or deployment. */
export interface RunningHost extends RunningServer {
  /** The first token of the variables API. */
  readonly varsToken: string;
  /** The directory of the databases, if it is not the data directory. */
  readonly storage?: string;
}

/** Starts a host on a free port; resolves when it serves. */
export type StartHost = (options?: HostOptions) => Promise<RunningHost>;

/** Settings that the server has by default on this machine, and that a Worker must be given. */
const local = { ACME_PRIVATE_NETWORKS: "true", ACME_CONNECTIONS: "50", VARS_RATE_LIMIT: "0" };

const startDeployment: StartHost = ({ env, dataDir, clocked: isClocked, console } = {}) =>
  startDeployed({
    entry: isClocked ? clocked.entry : worker.entry,
    env: { ...local, ...env },
    console: console ?? false,
    ...(dataDir === undefined ? {} : { dataDir }),
  });

async function serverOptions(options: HostOptions): Promise<ServerOptions> {
  const { env = {}, clocked: isClocked, console, dataDir, workers = 1 } = options;
  return {
    env: {
      WORKERS: String(workers),
      ...(isClocked ? { SEALWRIGHT_TEST_CLOCK: "1" } : {}),
      ...(console ? { DEMO_DIR: await builtDemo() } : {}),
      ...env,
    },
    ...(dataDir === undefined ? {} : { dataDir }),
  };
}
const startNode: StartHost = async (options = {}) => {
  const server = await startServer(await serverOptions(options));
  const varsToken =
    options.env?.["VARS_TOKEN"] ?? readFileSync(join(server.dataDir, "vars-token"), "utf8").trim();
  return { ...server, varsToken };
};
/** Starts two nodes, each with half of the requested processes. */
const startTwoNodes: StartHost = async ({ workers = 1, ...options } = {}) =>
  startTwoServers(await serverOptions({ ...options, workers: Math.ceil(workers / 2) }));

/** Sets the time of a clocked host; resolves when the jobs due by then have run. */
export async function setClock({ url }: Pick<RunningHost, "url">, now: number): Promise<void> {
  const body = JSON.stringify({ now });
  const { status } = await fetch(`${url}/test/clock`, { method: "PUT", body });
  if (status !== 204) throw new Error(`PUT /test/clock: expected status 204, got ${status}`);
}

/** A host that a set of tests runs on, for `describe.each`. */
interface HostCase {
  readonly host: string;
  readonly start: StartHost;
}
/** One host of each runtime, for tests of what does not depend on the database. */
export const runtimes: readonly HostCase[] = [
  { host: "the Node server", start: startNode },
  { host: "a deployed Worker", start: startDeployment },
];
/** The hosts that most tests run on. */
export const hosts: readonly HostCase[] = [
  ...runtimes,
  { host: "two servers on one PostgreSQL", start: startTwoNodes },
];
