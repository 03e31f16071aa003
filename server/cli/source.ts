import { lstatSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readIfThere } from "../data/data-dir.ts";
import { isListening } from "../data/listening.ts";
import type { Flag } from "./command.ts";
import { UsageError } from "./flags.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { UnreachableError } from "../client/network-error.ts";
import { secretIn, type Environment } from "../settings/secret-files.ts";
import type { Source } from "../client/mount-backup.ts";

/** The flag for a file with the root of a server's certificate. */
export const caFlag: Flag = {
  flag: "--ca",
  variable: "SEALWRIGHT_CACERT",
  meaning: "PEM file with the root of the server's certificate",
  default: "the roots that this machine trusts",
};

/** The flags that select the server to back up or restore. */
export const sourceFlags: readonly Flag[] = [
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "data directory of a server running on this machine",
    default: "./data",
  },
  {
    flag: "--address",
    variable: "SEALWRIGHT_ADDR",
    meaning: "URL of a remote server; requires SEALWRIGHT_TOKEN or --token-file",
    default: "the local server that uses the data directory",
  },
  {
    flag: "--token-file",
    meaning:
      "file with a token that has sudo on sys/storage/snapshot and, with --all, on sys/storage/stores",
    default:
      "SERVICE_ROOT_TOKEN or SEALWRIGHT_TOKEN, or the file of one of them with _FILE, or root-token in the data directory",
  },
  caFlag,
];

type Flags = ReadonlyMap<string, string>;

/**
 * Finds the server that the flags and the environment select. Rejects with {@link UnreachableError}
 * if they select no server and none is running for the data directory, and with {@link LaunchError}
 * if there is no token.
 */
export async function sourceOf(flags: Flags, env: Environment): Promise<Source> {
  const isGiven = flags.has("--address");
  const address = flags.get("--address") ?? (env["SEALWRIGHT_ADDR"] || undefined);
  const dataDir = dataDirOf(flags, env);
  if (address !== undefined && (isGiven || !flags.has("--data-dir"))) {
    if (flags.has("--data-dir"))
      throw new UsageError("--address and --data-dir both select a server; use one of them.");
    return {
      target: parseAddress(address, isGiven ? "--address" : "SEALWRIGHT_ADDR"),
      token: tokenOf(flags, env, undefined),
      ca: readCa(flags, env),
    };
  }
  const socket = await findSocket(dataDir);
  if (socket === undefined)
    throw new UnreachableError(
      `No server is running for ${dataDir}. Start it, select another server with --address, or copy the directory.`,
    );
  return { target: socket, token: tokenOf(flags, env, dataDir) };
}

/** Returns the data directory that the flags or the environment select. */
export const dataDirOf = (flags: Flags, env: Environment): string =>
  resolve(flags.get("--data-dir") || env["DATA_DIR"] || "data");

/** Parses the URL of a server. Throws {@link UsageError} if it is not an http or https URL. */
export function parseAddress(text: string, name: string): URL {
  if (/^https?:$/.test(URL.canParse(text) ? new URL(text).protocol : "")) return new URL(text);
  throw new UsageError(`${name} must be an http or https URL.`);
}

/**
 * Reads the PEM file whose path is in `--ca` or else in the first variable that is set. Returns
 * undefined if none is set. Throws {@link LaunchError} if the file does not exist or contains no
 * certificate.
 */
export function readCa(
  flags: Flags,
  env: Environment,
  variables: readonly string[] = ["SEALWRIGHT_CACERT"],
): string | undefined {
  const variable = variables.find((name) => env[name]);
  const path = flags.get("--ca") || (variable && env[variable]);
  if (!path) return undefined;
  const text = readIfThere(resolve(path));
  if (text?.includes("-----BEGIN CERTIFICATE-----")) return text;
  const name = flags.get("--ca") ? "--ca" : variable;
  throw new LaunchError(
    `${name}: ${text === undefined ? `file not found: ${path}` : `${path} contains no PEM certificate`}.`,
  );
}

/**
 * Returns the path of the Unix socket of the server that uses a data directory. Resolves with
 * undefined if no server is running.
 */
export async function findSocket(dataDir: string): Promise<string | undefined> {
  const note = join(dataDir, "socket");
  const socket = readIfThere(note)?.trim();
  if (socket === undefined || !isOfWriter(socket, note)) return undefined;
  return (await isListening(socket)) ? socket : undefined;
}

/**
 * Reports whether a socket is in a private directory of the user who wrote the file with its path.
 * If a killed server leaves that file behind, another user could create a socket at the path and
 * receive a token.
 */
function isOfWriter(socket: string, note: string): boolean {
  const absent = { throwIfNoEntry: false } as const;
  const [place, there] = [lstatSync(dirname(socket), absent), lstatSync(socket, absent)];
  if (!place?.isDirectory() || !there?.isSocket()) return false;
  return (place.mode & 0o077) === 0 && place.uid === lstatSync(note).uid;
}

function tokenOf(flags: Flags, env: Environment, dataDir: string | undefined): string {
  const file = flags.get("--token-file");
  const token =
    file === undefined
      ? (secretIn(env, "SERVICE_ROOT_TOKEN")?.value ??
        secretIn(env, "SEALWRIGHT_TOKEN")?.value ??
        (dataDir && readIfThere(join(dataDir, "root-token"))))
      : readIfThere(resolve(file));
  if (token === undefined && file !== undefined) throw new LaunchError(`File not found: ${file}.`);
  const value = token?.trim() ?? "";
  const where = file === undefined ? "" : ` in ${file}`;
  if (value === "")
    throw new LaunchError(`No token${where}; set SEALWRIGHT_TOKEN or use --token-file.`);
  // a header cannot contain other characters
  if (!/^[\x20-\x7e]+$/.test(value))
    throw new LaunchError(`The token${where} contains characters other than printable ASCII.`);
  return value;
}
