import { Client, Pool } from "pg";
import type { Target } from "./failure.ts";
import type { PostgresPool } from "./pool.ts";

/** Timeout of a connection attempt in milliseconds. */
const connectMs = 10_000;
/**
 * Minimum number of connections: one each for a lease, a watch, an export, reading the changes of
 * other nodes, and commits.
 */
const minConnections = 5;
/** Default number of connections, the same as the default of a `pg` pool. */
const defaultConnections = 10;

/** A connection pool, and the database that it connects to. */
interface OpenedPool {
  readonly pool: PostgresPool;
  readonly target: Target;
}

/**
 * Opens a pool for a URL, or checks the caller's pool. Throws TypeError if the value is neither, or
 * if the pool is too small. Messages never contain the URL, which may include a password.
 */
export function openPool(
  database: string | PostgresPool,
  maxConnections = defaultConnections,
): OpenedPool {
  if (typeof database !== "string") return checkPool(database);
  if (!/^postgres(?:ql)?:\/\//.test(database)) throw noUrl();
  const target = targetOfUrl(database);
  const pool = new Pool({
    connectionString: database,
    application_name: "sealwright",
    max: requireEnough(maxConnections),
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    // an idle pool does not keep the process alive
    allowExitOnIdle: true,
  });
  return { pool, target };
}

const noUrl = (): TypeError =>
  new TypeError("postgresStore requires a URL such as postgres://user:password@host:5432/database");

function checkPool(pool: PostgresPool): OpenedPool {
  const { max, connectionString } = pool.options;
  requireEnough(max);
  const target =
    connectionString === undefined ? targetOf(pool.options) : targetOfUrl(connectionString);
  return { pool, target };
}

/** Returns the size of a pool. Throws TypeError if the size is too small. */
function requireEnough(max: number): number {
  if (Number.isInteger(max) && max >= minConnections) return max;
  throw new TypeError(`the pool has ${max} connections, but needs at least ${minConnections}`);
}

/** Returns the database to which the driver connects for a URL. */
function targetOfUrl(connectionString: string): Target {
  try {
    return targetOf(new Client({ connectionString }));
  } catch {
    throw noUrl();
  }
}
function targetOf({
  host,
  port = 5432,
  database = "",
  user = "",
}: Partial<PostgresPool["options"]>): Target {
  const at = host ?? "localhost";
  return { address: at.startsWith("/") ? at : `${at}:${port}`, database, user };
}
