import { CaError } from "../../src/base/errors.ts";
import type { PostgresStores } from "../../src/postgres/index.ts";
import type { DatabaseSettings } from "../settings/database-settings.ts";
import { LaunchError } from "../settings/launch-error.ts";

/** Opens the stores of a PostgreSQL database for this process. */
export async function openPostgres({
  url,
  connections,
}: DatabaseSettings): Promise<PostgresStores> {
  // loaded lazily, so that the driver is loaded only if it is used
  const { postgresStore } = await import("../../src/postgres/index.ts");
  return postgresStore(url, { connections });
}

/**
 * Reports whether the database contains an authority, and creates missing tables. Rejects with
 * {@link LaunchError} if the database cannot be used.
 */
export async function hasAuthority(settings: DatabaseSettings): Promise<boolean> {
  const stores = await openPostgres(settings);
  try {
    return (await stores("sys").list("", { limit: 1, values: false })).length > 0;
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    const { message } = error;
    throw new LaunchError(`${message.charAt(0).toUpperCase()}${message.slice(1)}.`);
  } finally {
    await stores.close();
  }
}
