import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { parseRanges } from "../../src/net/ranges.ts";
import { readClientCertificates, type ClientCertificates } from "./client-certificates.ts";
import { readDatabase, type DatabaseSettings } from "./database-settings.ts";
import { fileVariable, namesAcceptingEmpty, namesWithFile } from "./environment.ts";
import { SettingError } from "./launch-error.ts";
import { readSecretFiles, type Environment } from "./secret-files.ts";
import { readTls, type TlsSettings } from "./tls-settings.ts";
import { requireValidSettings } from "./variables.ts";

/** The settings of a server. */
export interface Settings {
  host: string;
  port: number;
  dataDir: string;
  /** Directory for daily backups, if enabled. */
  backupDir: string | undefined;
  /** The source of the server's certificate; undefined for plain HTTP. */
  tls: TlsSettings | undefined;
  clientCertificates: ClientCertificates;
  /** Address ranges of proxies whose forwarding headers are trusted. */
  trustedProxies: readonly string[];
  /** Directory of a prebuilt console. */
  demo: string | undefined;
  /** Number of processes that serve clients. */
  workers: number;
  /**
   * The PostgreSQL database, which stores everything except secrets. If undefined, SQLite in
   * `dataDir` is used.
   */
  database: DatabaseSettings | undefined;
  /** Settings that are passed to the authority unchanged. */
  variables: Record<string, string>;
  /** Absolute paths of the files from which secrets were read, by secret name. */
  secretFiles: ReadonlyMap<string, string>;
}

const secretFileVariables = new Set(namesWithFile.map(fileVariable));
const passed = new Set([
  "SERVICE_ROOT_TOKEN",
  "SEALING_KEY",
  "SEALING_KEY_PREVIOUS",
  "METRICS_TOKEN",
  "PUBLIC_URL",
  "ALLOWED_ORIGINS",
  "DISABLE_PKI_CONSTRAINTS_VERIFICATION",
  "DNS_NAMESERVER",
  "DNS_RESOLVER_URL",
  "LOG",
  "LOG_LEVEL",
  "AUDIT",
]);
/** Variables that the authority reads even if they are empty (B 5.3). */
const acceptsEmpty = new Set([...namesAcceptingEmpty, "VAULT_DISABLE_PUBLIC_ACME"]);

/** Defaults that differ from those on Workers. */
const localDefaults = {
  VARS_RATE_LIMIT: "0",
  ACME_PRIVATE_NETWORKS: "true",
  ACME_ACCOUNT_LIMIT: "public",
  ACME_CONNECTIONS: "50",
};

/**
 * Reads the settings from the environment. Throws {@link SettingError} for an invalid value, and
 * any error of `readSecretFiles`.
 */
export function readSettings(environment: Environment): Settings {
  const { env, files } = readSecretFiles(environment);
  const port = env["PORT"] || "8787";
  if (!/^[0-9]{1,5}$/.test(port) || Number(port) > 65_535)
    throw new SettingError(
      `PORT must be a number from 0 to 65535, not ${JSON.stringify(port)}.`,
      "PORT",
    );
  const variables: Record<string, string> = { ...localDefaults };
  for (const [name, value] of Object.entries(env)) {
    const isRetained = acceptsEmpty.has(name);
    if (value === undefined || (value === "" && !isRetained) || secretFileVariables.has(name))
      continue;
    if (passed.has(name) || isRetained || /^(?:VARS|ACME)_[A-Z0-9_]+$/.test(name))
      variables[name] = value;
  }
  const proxies = env["TRUSTED_PROXIES"] ?? "";
  const { DATABASE_URL = "", DATABASE_CONNECTIONS = "" } = env;
  requireValidSettings({
    ...variables,
    TRUSTED_PROXIES: proxies,
    DATABASE_URL,
    DATABASE_CONNECTIONS,
  });
  const [tls, trustedProxies] = [readTls(env), parseRanges(proxies) ?? []];
  const has = { tls: tls !== undefined, proxies: trustedProxies.length > 0 };
  const workers = readWorkers(env["WORKERS"]);
  return {
    host: env["HOST"] || "127.0.0.1",
    port: Number(port),
    dataDir: resolve(env["DATA_DIR"] || "data"),
    backupDir: env["BACKUP_DIR"] ? resolve(env["BACKUP_DIR"]) : undefined,
    tls,
    clientCertificates: readClientCertificates(env["CLIENT_CERTIFICATES"], has),
    trustedProxies,
    demo: env["DEMO_DIR"] ? resolve(env["DEMO_DIR"]) : undefined,
    workers,
    database: readDatabase(env, workers),
    variables,
    secretFiles: new Map([...files].map(([name, file]) => [name, resolve(file)])),
  };
}

/** Parses WORKERS. The default is one process per CPU core, at most 8. */
function readWorkers(text: string | undefined): number {
  if (!text) return Math.min(8, availableParallelism());
  if (/^[1-9][0-9]?$/.test(text) && Number(text) <= 64) return Number(text);
  throw new SettingError(
    `WORKERS must be a whole number from 1 to 64, not ${JSON.stringify(text)}.`,
    "WORKERS",
  );
}

/** Returns the URL at which clients on this machine reach the server. */
export function addressOf(settings: Settings, port: number): string {
  const wildcard = settings.host === "0.0.0.0" || settings.host === "::";
  const host = wildcard
    ? "127.0.0.1"
    : settings.host.includes(":")
      ? `[${settings.host}]`
      : settings.host;
  return `${settings.tls === undefined ? "http" : "https"}://${host}:${port}`;
}
