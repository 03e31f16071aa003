import { Client, Pool } from "pg";
import type { Target } from "./failure.ts";
import type { PostgresPool } from "./pool.ts";

/** Longest wait for a connection, milliseconds. */
const connectMs = 10_000;
/**
 * The fewest connections that suffice: for a lease, a watch, an export, following other nodes, and
 * for commits.
 */
const minConnections = 5;
/** As many as a pool of `pg` has by default. */
const defaultConnections = 10;

/** A pool and where it leads. */
interface OpenedPool {
  readonly pool: PostgresPool;
  readonly target: Target;
}

/**
 * Opens the pool of a URL, or checks the pool of a caller. Throws TypeError for what is neither.
 * The text never shows a URL, which may have a password.
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
    // a program that just ends need not close
    allowExitOnIdle: true,
  });
  return { pool, target };
}

const noUrl = (): TypeError =>
  new TypeError("postgresStore needs a URL such as postgres://user:password@host:5432/database");

function checkPool(pool: PostgresPool): OpenedPool {
  const { max, connectionString } = pool.options;
  requireEnough(max);
  const target =
    connectionString === undefined ? targetOf(pool.options) : targetOfUrl(connectionString);
  return { pool, target };
}

/** Returns the size of a pool. Throws TypeError where it is too small. */
function requireEnough(max: number): number {
  if (Number.isInteger(max) && max >= minConnections) return max;
  throw new TypeError(`the pool has ${max} connections, and needs ${minConnections} at least`);
}

/** Returns where a URL leads, as the driver reads it. */
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
