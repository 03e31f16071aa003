import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LaunchError } from "../settings/launch-error.ts";
import type { Settings } from "../settings/settings.ts";
import { databaseIn } from "./database.ts";
import { type StoredSecret, storedSecret } from "./data-dir.ts";

/**
 * A token in a file. `isFromVariable` is set if the path of the file comes from an environment
 * variable.
 */
type TokenFile = StoredSecret & { readonly isFromVariable?: true };

/** The tokens that were read from files; undefined if the environment contains the token itself. */
export interface Tokens {
  readonly root: TokenFile | undefined;
  readonly vars: TokenFile | undefined;
}

/**
 * Throws {@link LaunchError} if the sealing key is missing. A newly generated key could not unseal
 * the existing data.
 */
function requireSealingKey({ dataDir, variables }: Settings): void {
  const path = join(dataDir, files.SEALING_KEY);
  if (variables["SEALING_KEY"] !== undefined || existsSync(path)) return;
  throw new LaunchError(
    `${path} is missing, and the keys in ${databaseIn(dataDir)} were sealed with it: restore the file, or set the key in SEALING_KEY or SEALING_KEY_FILE; to create a new authority, move the database away.`,
  );
}

/** Files in the data directory for secrets that are not set in the environment. */
const files = {
  SEALING_KEY: "sealing-key",
  SERVICE_ROOT_TOKEN: "root-token",
  VARS_TOKEN: "vars-token",
};

/**
 * Throws {@link LaunchError} if a secret that the servers of a PostgreSQL database share is
 * missing. Only the first server generates these secrets, because a server with its own tokens
 * would reject the others' tokens.
 */
function requireSharedSecrets({ dataDir, variables }: Settings): void {
  for (const [name, file] of Object.entries(files)) {
    const path = join(dataDir, file);
    if (variables[name] === undefined && !existsSync(path))
      throw new LaunchError(
        `${path} is missing, and the PostgreSQL database contains an authority: copy the file from another server that uses the database, or set ${name}.`,
      );
  }
}

/** Returns the error for stored keys that were sealed with another sealing key. */
export function wrongKey({ dataDir, database, secretFiles }: Settings): LaunchError {
  const stored = process.env["SEALING_KEY"] ? "SEALING_KEY" : join(dataDir, files.SEALING_KEY);
  const where = database ? "the PostgreSQL database" : databaseIn(dataDir);
  return new LaunchError(
    `The keys in ${where} were sealed with a different key than the one in ${secretFiles.get("SEALING_KEY") ?? stored}: restore the earlier key, or set it as SEALING_KEY_PREVIOUS. To restore a backup with the present key, use a new data directory.`,
  );
}

const shapes = {
  key: { pattern: /^[A-Za-z0-9+/]{43}=$/, description: "base64 of 32 bytes" },
  token: {
    pattern: /^[\x21-\x7e]{16,}$/,
    description: "a token of at least 16 printable ASCII characters without spaces",
  },
};

/**
 * Adds the secrets that are not set in the environment. Reads them from the data directory, or
 * generates them if `first` is set because nothing is stored yet. Throws {@link LaunchError} if a
 * secret that existing data requires is missing, or if a file is malformed.
 */
export function addSecrets(settings: Settings, first: boolean): Tokens {
  const { dataDir, variables, secretFiles } = settings;
  if (!first) (settings.database ? requireSharedSecrets : requireSealingKey)(settings);
  variables["SEALING_KEY"] ??= storedSecret(dataDir, files.SEALING_KEY, shapes.key, () =>
    randomBytes(32).toString("base64"),
  ).value;
  const token = (
    variable: "SERVICE_ROOT_TOKEN" | "VARS_TOKEN",
    prefix: string,
  ): TokenFile | undefined => {
    const value = variables[variable];
    const path = secretFiles.get(variable);
    if (value !== undefined)
      return path === undefined ? undefined : { value, path, fresh: false, isFromVariable: true };
    const stored = storedSecret(
      dataDir,
      files[variable],
      shapes.token,
      () => `${prefix}.${randomBytes(32).toString("base64url")}`,
    );
    variables[variable] = stored.value;
    return stored;
  };
  return {
    root: token("SERVICE_ROOT_TOKEN", "s"),
    vars: token("VARS_TOKEN", "v"),
  };
}
