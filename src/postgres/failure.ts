import { CaError } from "../base/errors.ts";

/** The database that connections are opened to, for error messages. Never contains the password. */
export interface Target {
  /** Host and port, or the path of a Unix socket. */
  readonly address: string;
  readonly database: string;
  readonly user: string;
}

/** Returns the SQLSTATE of an error that the server sent. Returns undefined for other errors. */
export const sqlState = (error: unknown): string | undefined =>
  error instanceof Error && "severity" in error && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined;

/**
 * Reports whether an error ended its connection: it has no SQLSTATE, or reports a shutdown, an
 * exceeded idle timeout or an internal error of the server. Statements that were sent before may
 * have been executed.
 */
export function isLost(error: unknown): boolean {
  const state = sqlState(error);
  return state === undefined || /^(?:08|57P|25P03|XX)/.test(state);
}

/**
 * Reports whether an error says that tables or functions are missing. A later version may have
 * replaced them.
 */
export const isMissing = (error: unknown): boolean =>
  ["3F000", "42P01", "42883"].includes(sqlState(error) ?? "");

/**
 * Reports whether the server rolled back a transaction because of a serialization failure or
 * deadlock.
 */
export const isConflict = (error: unknown): boolean =>
  ["40001", "40P01"].includes(sqlState(error) ?? "");

/** Returns the first line of an error's message, or the error's code if the message is empty. */
function messageOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = "code" in cause && typeof cause.code === "string" ? cause.code : "no reason given";
  return cause.message.split("\n")[0] || code;
}

const atConnect: Readonly<Record<string, (target: Target) => string>> = {
  "28P01": ({ address, user }) =>
    `PostgreSQL at ${address} rejected the password of the user "${user}"`,
  "28000": ({ address, user }) => `PostgreSQL at ${address} does not let the user "${user}" log in`,
  "3D000": ({ address, database }) => `PostgreSQL at ${address} has no database "${database}"`,
  "42501": ({ address, database, user }) =>
    `PostgreSQL at ${address} does not let the user "${user}" connect to the database "${database}"`,
  "53300": ({ address }) =>
    `PostgreSQL at ${address} has no free connection: raise max_connections or use a smaller pool`,
};

/** Returns the error for a connection that could not be opened. */
export function connectFailure(cause: unknown, target: Target): CaError {
  const describe = atConnect[sqlState(cause) ?? ""];
  if (describe) return new CaError("storage", describe(target), { cause });
  const { address, user } = target;
  const text = messageOf(cause);
  // the driver has no password to send
  if (/password must be a (?:non-empty )?string/i.test(text))
    return new CaError(
      "storage",
      `PostgreSQL at ${address} requires a password for the user "${user}"`,
      { cause },
    );
  return new CaError("storage", `cannot connect to PostgreSQL at ${address}: ${text}`, { cause });
}

/**
 * Returns the error for a failed statement. The message begins with `text`, which describes the
 * consequence.
 */
export function statementFailure(text: string, cause: unknown, { address }: Target): CaError {
  if (cause instanceof CaError) return cause;
  const why =
    sqlState(cause) === "25006"
      ? `PostgreSQL at ${address} is read-only: connect to the primary server`
      : isLost(cause)
        ? `the connection to PostgreSQL at ${address} was lost (${messageOf(cause)})`
        : messageOf(cause);
  return new CaError("storage", `${text}: ${why}`, { cause });
}
