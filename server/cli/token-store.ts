import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { openDataDir, readIfThere, writePrivate } from "../data/data-dir.ts";
import { parseIfJson } from "../client/http-client.ts";
import { LaunchError } from "../settings/launch-error.ts";
import type { Environment } from "../settings/secret-files.ts";

/** Returns the user's configuration directory for Sealwright (XDG Base Directory Specification). */
export const configDir = (env: Environment): string =>
  env["SEALWRIGHT_CONFIG_DIR"]
    ? resolve(env["SEALWRIGHT_CONFIG_DIR"])
    : join(env["XDG_CONFIG_HOME"] || join(env["HOME"] || homedir(), ".config"), "sealwright");

/** Returns the path of the file with the tokens that `login` stores. */
export const tokensPath = (env: Environment): string => join(configDir(env), "tokens.json");

/** Returns the token that `login` has stored for a server, or undefined if there is none. */
export const storedToken = (env: Environment, server: string): string | undefined =>
  readTokens(env)[server];

/**
 * Stores a token for a server in a file that only its owner can read. Returns the path of the file.
 */
export const storeToken = (env: Environment, server: string, token: string): string =>
  writeTokens(env, { ...readTokens(env), [server]: token });

/** Deletes the token for a server. Returns the path of the file that contained it. */
export function removeToken(env: Environment, server: string): string {
  const { [server]: _, ...others } = readTokens(env);
  return writeTokens(env, others);
}

function writeTokens(env: Environment, tokens: Readonly<Record<string, string>>): string {
  const path = tokensPath(env);
  openDataDir(dirname(path), "SEALWRIGHT_CONFIG_DIR");
  writePrivate(path, `${JSON.stringify(tokens, undefined, 2)}\n`);
  return path;
}

function readTokens(env: Environment): Readonly<Record<string, string>> {
  const text = readIfThere(tokensPath(env));
  if (text === undefined) return {};
  const tokens = parseIfJson(text);
  if (typeof tokens !== "object" || tokens === null || Array.isArray(tokens))
    throw new LaunchError(`${tokensPath(env)} is malformed; delete it and log in again.`);
  return Object.fromEntries(
    Object.entries(tokens).filter((one): one is [string, string] => typeof one[1] === "string"),
  );
}
