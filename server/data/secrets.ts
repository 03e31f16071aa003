import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { LaunchError, type Settings } from "../cli/settings.ts";
import { databaseIn } from "./database.ts";
import { type StoredSecret, storedSecret } from "./data-dir.ts";

/** A token in a file; `given`: an environment variable names the file. */
type TokenFile = StoredSecret & { readonly isFromVariable?: true };

/** The tokens that come from files. */
export interface Tokens {
  readonly root: TokenFile | undefined;
  readonly vars: TokenFile | undefined;
}

/**
 * Rejects a missing sealing key. Generating a new one would make everything sealed with the old one
 * unreadable.
 */
function requireSealingKey({ dataDir, variables }: Settings): void {
  const path = join(dataDir, files.SEALING_KEY);
  if (variables["SEALING_KEY"] !== undefined || existsSync(path)) return;
  throw new LaunchError(
    `${path} is missing, and the keys in ${databaseIn(dataDir)} were sealed with it: put it back, or set the key in SEALING_KEY or SEALING_KEY_FILE; to begin a new authority, move the database away.`,
  );
}

/** The files of the data directory for secrets that the environment lacks. */
const files = {
  SEALING_KEY: "sealing-key",
  SERVICE_ROOT_TOKEN: "root-token",
  VARS_TOKEN: "vars-token",
};

/**
 * Rejects missing secrets that servers share through PostgreSQL. Only the first server generates
 * them: with its own tokens a server would reject those of the others.
 */
function requireSharedSecrets({ dataDir, variables }: Settings): void {
  for (const [name, file] of Object.entries(files)) {
    const path = join(dataDir, file);
    if (variables[name] === undefined && !existsSync(path))
      throw new LaunchError(
        `${path} is missing, and the PostgreSQL database contains an authority: copy the file from a server of that database, or set ${name}.`,
      );
  }
}

/** Returns the error for data that was sealed with another key. */
export function wrongKey({ dataDir, database, secretFiles }: Settings): LaunchError {
  const stored = process.env["SEALING_KEY"] ? "SEALING_KEY" : join(dataDir, files.SEALING_KEY);
  const where = database ? "the PostgreSQL database" : databaseIn(dataDir);
  return new LaunchError(
    `The keys in ${where} were sealed with a different key than the one in ${secretFiles.get("SEALING_KEY") ?? stored}: restore that key, or set it as SEALING_KEY_PREVIOUS.`,
  );
}

const shapes = {
  key: { pattern: /^[A-Za-z0-9+/]{43}=$/, description: "base64 of 32 bytes" },
  token: {
    pattern: /^[\x21-\x7e]{16,}$/,
    description: "a token of at least 16 printable ASCII characters without spaces",
  },
};

/** Adds the secrets that the environment lacks. `first`: nothing is stored yet. */
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
