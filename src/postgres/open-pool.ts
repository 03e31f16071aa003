import { Client, Pool } from "pg";
import type { Target } from "./failure.ts";
import type { PostgresPool } from "./pool.ts";

/** Timeout of a connection attempt in milliseconds. */
const connectMs = 10_000;
/**
 * Minimum number of connections: for a lease, a watch, an export, following other nodes, and
 * commits.
 */
const minConnections = 5;
/** Default number of connections, that of a pool of `pg`. */
const defaultConnections = 10;

/** A pool and its target. */
interface OpenedPool {
  readonly pool: PostgresPool;
  readonly target: Target;
}

/**
 * Opens the pool of a URL, or checks the caller's pool. Throws TypeError for other values. Messages
 * never contain a URL, which may have a password.
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
    // a program need not close it before it ends
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

/** Returns the size of a pool. Throws TypeError if it is too small. */
function requireEnough(max: number): number {
  if (Number.isInteger(max) && max >= minConnections) return max;
  throw new TypeError(`the pool has ${max} connections, but needs at least ${minConnections}`);
}

/** Returns the target of a URL, as the driver interprets it. */
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
