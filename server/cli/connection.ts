import { join } from "node:path";
import {
  client,
  httpTransport,
  pki,
  sys,
  type PkiClient,
  type SysClient,
  type Transport,
} from "../../src/client/index.ts";
import { readIfThere } from "../data/data-dir.ts";
import type { Context, Flag } from "./command.ts";
import { UsageError } from "./flags.ts";
import { isLocalHost } from "./local-host.ts";
import { LaunchError } from "../settings/launch-error.ts";
import { describeNetworkError, UnreachableError } from "../client/network-error.ts";
import { fetchWith, type ConnectionOptions } from "../client/node-fetch.ts";
import { secretIn, type Environment } from "../settings/secret-files.ts";
import { caFlag, dataDirOf, findSocket, parseAddress, readCa } from "./source.ts";
import { rejectWithSource } from "./token-source.ts";
import { storedToken, tokensPath } from "./token-store.ts";

/** The flags that select a server, the root of its certificate, and the caller's token. */
export const connectionFlags: readonly Flag[] = [
  {
    flag: "--address",
    variable: "SEALWRIGHT_ADDR",
    meaning: "URL of the server; also read from BAO_ADDR or VAULT_ADDR",
    default: "the local server that uses the data directory",
  },
  {
    flag: "--data-dir",
    variable: "DATA_DIR",
    meaning: "data directory of a server running on this machine",
    default: "./data",
  },
  {
    flag: "--token-file",
    meaning: "file with the token",
    default:
      "SEALWRIGHT_TOKEN, the token that login stored, or root-token in the data directory; with BAO_ADDR or VAULT_ADDR also BAO_TOKEN or VAULT_TOKEN",
  },
  caFlag,
];

/** The flag that selects a PKI mount. */
export const mountFlag: Flag = {
  flag: "--mount",
  meaning: "path of the PKI mount",
  default: "pki",
};

/** The flag that prints JSON. */
export const jsonFlag: Flag = {
  flag: "--json",
  meaning: "print one JSON document",
  default: "print human-readable text",
  isSwitch: true,
};

type Flags = ReadonlyMap<string, string>;

/** The server that flags and environment select, and how to connect to it. */
export interface ServerChoice {
  /** The server's URL, or the data directory of a local server, for messages. */
  readonly name: string;
  /** Base URL for requests. */
  readonly url: string;
  /** Data directory of a local server. */
  readonly dataDir?: string;
  readonly options: ConnectionOptions;
  readonly token: string;
  /**
   * Where the token was found, or "" if there is none. Undefined if the command has chosen the
   * token.
   */
  readonly tokenSource: string | undefined;
}

/** Returns the same server with another token. */
export const withToken = (server: ServerChoice, token: string): ServerChoice => ({
  ...server,
  token,
  tokenSource: undefined,
});

/** API clients for a server. */
export interface Connection {
  readonly name: string;
  readonly send: Transport;
  readonly sys: SysClient;
  mount(path: string): PkiClient;
}

/** Timeout of a request (ms). */
const requestTimeout = 60_000;

/** Creates API clients for the server that the flags and the environment select. */
export async function connect(flags: Flags, { env }: Pick<Context, "env">): Promise<Connection> {
  return connectionTo(await chooseServer(flags, env));
}

/** Creates API clients for a server. */
export function connectionTo(server: ServerChoice): Connection {
  const { name, url, options, token, tokenSource } = server;
  const transport = httpTransport(url, token, {
    fetch: fetchWith(options),
    timeout: requestTimeout,
  });
  const send: Transport = async (call) => {
    const answer = await transport(call).catch((error: unknown) => {
      throw unreachable(name, error);
    });
    if (answer.status === 403 && tokenSource !== undefined)
      await rejectWithSource(answer, tokenSource);
    return answer;
  };
  return {
    name,
    send,
    sys: client(sys, "/v1/sys", send),
    mount: (path) => client(pki, `/v1/${path}`, send),
  };
}

function unreachable(name: string, error: unknown): unknown {
  // a TypeError is a bug in the client, not a network error
  if (error instanceof TypeError) return error;
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  const cause = isTimeout
    ? `no response within ${requestTimeout / 1000} seconds`
    : describeNetworkError(error, name);
  return new UnreachableError(`Cannot reach ${name}: ${cause}.`);
}

/**
 * Finds the server that the flags and the environment select, and the token for it. Rejects with
 * {@link UnreachableError} if they select no server and none is running for the data directory.
 */
export async function chooseServer(
  flags: Flags,
  env: Environment,
  warn: (text: string) => void = console.error,
): Promise<ServerChoice> {
  const configured = configuredAddress(flags, env);
  if (configured !== undefined) {
    const url = parseAddress(configured.address, configured.source);
    warnOfPlainHttp(url, warn);
    const address = nameOf(url);
    const { isFamily } = configured;
    const cas = ["SEALWRIGHT_CACERT", ...(isFamily ? ["BAO_CACERT", "VAULT_CACERT"] : [])];
    return {
      name: address,
      url: address,
      options: { ca: readCa(flags, env, cas) },
      ...tokenFor(flags, env, { server: address, isFamily }),
    };
  }
  const dataDir = dataDirOf(flags, env);
  const socketPath = await findSocket(dataDir);
  if (socketPath === undefined)
    throw new UnreachableError(
      `No server is running for ${dataDir}. Start one with sealwright serve, or select another server with --address or SEALWRIGHT_ADDR.`,
    );
  return {
    name: dataDir,
    url: "http://localhost",
    dataDir,
    options: { socketPath },
    ...tokenFor(flags, env, { server: dataDir, dataDir }),
  };
}

/**
 * Returns the name of the server that the flags and the environment select, even if it is not
 * running.
 */
export function serverNameOf(flags: Flags, env: Environment): string {
  const configured = configuredAddress(flags, env);
  if (configured === undefined) return dataDirOf(flags, env);
  return nameOf(parseAddress(configured.address, configured.source));
}

const nameOf = ({ href }: URL): string => href.replace(/\/+$/, "");

function warnOfPlainHttp({ protocol, hostname, origin }: URL, warn: (text: string) => void): void {
  if (protocol === "http:" && !isLocalHost(hostname))
    warn(`Warning: ${origin} does not use TLS; anyone on the network can read tokens and keys.`);
}

/**
 * Variables with the URL of a compatible server. The tokens and roots in variables of the same
 * family are used only with these URLs.
 */
const familyAddresses = ["BAO_ADDR", "VAULT_ADDR"];

function configuredAddress(flags: Flags, env: Environment) {
  const address = flags.get("--address");
  if (address !== undefined && flags.has("--data-dir"))
    throw new UsageError("--address and --data-dir both select a server; use one of them.");
  if (address !== undefined) return { address, source: "--address", isFamily: false };
  if (flags.has("--data-dir")) return undefined;
  const source = ["SEALWRIGHT_ADDR", ...familyAddresses].find((name) => env[name]);
  if (source === undefined) return undefined;
  return { address: env[source] ?? "", source, isFamily: familyAddresses.includes(source) };
}

interface TokenOwner {
  /** The server's URL, or the data directory of a local server. */
  readonly server: string;
  readonly isFamily?: boolean;
  /** Data directory of a local server. */
  readonly dataDir?: string;
}

type FoundToken = Pick<ServerChoice, "token"> & { readonly tokenSource: string };

/** Returns the caller's token, or "" if there is none. Public endpoints need no token. */
function tokenFor(flags: Flags, env: Environment, owner: TokenOwner): FoundToken {
  const file = flags.get("--token-file");
  if (file !== undefined) return checkedToken(readTokenFile(file), file);
  for (const [token, source] of tokensIn(env, owner)) if (token) return checkedToken(token, source);
  return { token: "", tokenSource: "" };
}

/** Yields the tokens that may exist, most important first, and their sources. */
function* tokensIn(
  env: Environment,
  { server, isFamily, dataDir }: TokenOwner,
): Iterable<readonly [token: string | undefined, source: string]> {
  const own = secretIn(env, "SEALWRIGHT_TOKEN");
  yield [own?.value, own?.file ?? "SEALWRIGHT_TOKEN"];
  if (isFamily) yield* ["BAO_TOKEN", "VAULT_TOKEN"].map((name) => [env[name], name] as const);
  yield [storedToken(env, server), tokensPath(env)];
  if (dataDir === undefined) return;
  const root = secretIn(env, "SERVICE_ROOT_TOKEN");
  yield [root?.value, root?.file ?? "SERVICE_ROOT_TOKEN"];
  const path = join(dataDir, "root-token");
  yield [readIfThere(path), path];
}

function readTokenFile(path: string): string {
  const text = readIfThere(path);
  if (text === undefined) throw new LaunchError(`File not found: ${path}.`);
  if (text.trim() === "") throw new LaunchError(`--token-file: ${path} contains no token.`);
  return text;
}

/**
 * Trims a token. Throws {@link LaunchError} if it contains characters that are invalid in a header.
 */
function checkedToken(text: string, source: string): FoundToken {
  const token = text.trim();
  if (/^[\x20-\x7e]*$/.test(token)) return { token, tokenSource: token === "" ? "" : source };
  throw new LaunchError(`The token in ${source} contains invalid characters.`);
}
