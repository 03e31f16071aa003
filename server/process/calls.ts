import type { BackupState, Counts } from "../../src/index.ts";
import type { ClientCertificates } from "../cli/client-certificates.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { DatabaseSettings } from "../cli/database-settings.ts";
import type { Variables } from "./authority.ts";
import type { TlsRequest } from "./issue-tls.ts";

/** A job of a store. */
export interface JobName {
  readonly store: string;
  readonly kind: string;
  readonly id: string;
}

/** The HTTP listener settings of a process. */
export interface HttpSettings {
  /** Host and port, for requests that name none. */
  readonly host: string;
  /** True if clients use TLS; they wait until `secure`. */
  readonly tls: boolean;
  readonly trustedProxies: readonly string[];
  readonly clientCertificates: ClientCertificates;
  /** Number of processes that share the connections. */
  readonly workers: number;
}

/**
 * The listener of a client: the main port, the port that requests certificates, or the local Unix
 * socket.
 */
export type ListenerKind = "port" | "certificates" | "socket";
/** Message sent with the socket of a client; the process acknowledges the number. */
export interface HandedSocket {
  readonly door: ListenerKind;
  readonly number: number;
}

/**
 * Storage of the rows: PostgreSQL, or a SQLite file. `writer`: path of the Unix socket of the
 * thread that writes the file; the process of that thread does not use it.
 */
export type StorageSettings =
  | { readonly database: DatabaseSettings }
  | { readonly file: string; readonly writer: string };

/** Settings of a process that serves clients. */
export interface ServeSettings {
  readonly variables: Variables;
  readonly storage: StorageSettings;
  /** Directory of the built console, if any. */
  readonly demo?: string;
  readonly version: string;
  /** Start of the server, Unix milliseconds. */
  readonly started: number;
}

/** Calls from the primary to a serving process. */
export interface ServerCalls {
  /** Accepts HTTP from new clients. They wait until `serve`. */
  http(settings: HttpSettings): void;
  /** Presents this certificate on new connections. */
  secure(pair: TlsPair): void;
  /** Starts responding. */
  serve(settings: ServeSettings): Promise<void>;
  /** Issues a certificate for the server itself. Called on one serving process. */
  issueTls(request: TlsRequest): Promise<IssuedTls>;
  /** Starts running the jobs of all stores: one process leads. */
  lead(): Promise<void>;
  /** Runs a job now. Called on the leading process. */
  run(job: JobName): Promise<void>;
  /** Reports that a job is planned for a time, Unix milliseconds. Called on the leading process. */
  wake(at: number): void;
  setClock(now: number): void;
  /** Returns the counts since its start. */
  counts(): Counts;
  /** Runs due jobs. Called on the leading process. */
  runDue(): Promise<void>;
  /** Resolves when the clients have their responses, after `graceMs` at the latest. */
  finish(graceMs: number): Promise<void>;
}

/** Calls from a serving process to the primary. */
export interface PrimaryCalls {
  /** Runs a job in the leading process. */
  run(job: JobName): Promise<void>;
  wake(at: number): void;
  /** Sets the clock of all processes and runs due jobs. */
  setClock(now: number): Promise<void>;
  /** Returns the counts of each process. */
  counts(): Promise<readonly Counts[]>;
  /** Returns the state of the daily backups; undefined if disabled. */
  backup(): Promise<BackupState | undefined>;
  /** Reports that the writer of the database is gone. */
  lostWriter(): void;
}
