import { SettingError } from "./launch-error.ts";

/** URL of a PostgreSQL database, and the number of connections to it. */
export interface DatabaseSettings {
  /** URL of the database, which may contain a password. */
  readonly url: string;
  /**
   * Maximum number of connections in a pool. Each process has a pool, and the jobs have another.
   */
  readonly connections: number;
}

/** Default maximum number of database connections per server. Raised if its processes need more. */
const defaultConnections = 40;
/** Minimum number of connections in a pool; see `sealwright/postgres`. */
const minConnections = 5;

/**
 * Reads DATABASE_URL and DATABASE_CONNECTIONS, whose values `requireValidSettings` has accepted.
 * Throws {@link SettingError} if there are too few connections for all processes.
 */
export function readDatabase(
  env: Readonly<Record<string, string | undefined>>,
  workers: number,
): DatabaseSettings | undefined {
  const url = env["DATABASE_URL"];
  if (!url) return undefined;
  const pools = workers + 1;
  const setting = env["DATABASE_CONNECTIONS"];
  const all = setting ? Number(setting) : Math.max(defaultConnections, minConnections * pools);
  const connections = Math.floor(all / pools);
  if (connections >= minConnections) return { url, connections };
  throw new SettingError(
    `DATABASE_CONNECTIONS must be at least ${minConnections * pools} for ${workers} ${workers === 1 ? "process" : "processes"}, not ${setting}; raise it, or lower WORKERS.`,
    "DATABASE_CONNECTIONS",
    "WORKERS",
  );
}
