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
  /** Host and port, for clients that name none. */
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

/** Settings of a process that serves. */
export interface ServeSettings {
  readonly variables: Variables;
  readonly storage: StorageSettings;
  /** Directory of the built console, if any. */
  readonly demo?: string;
  readonly version: string;
  /** Start of the server, Unix milliseconds. */
  readonly started: number;
}

/** Calls of the primary to a process that serves. */
export interface ServerCalls {
  /** Speaks HTTP with clients that come from now on. They wait until `serve`. */
  http(settings: HttpSettings): void;
  /** Presents this certificate on new connections. */
  secure(pair: TlsPair): void;
  /** Responds from now on. */
  serve(settings: ServeSettings): Promise<void>;
  /** Issues a certificate for the server itself. For a process that serves. */
  issueTls(request: TlsRequest): Promise<IssuedTls>;
  /** Runs the jobs of all stores from now on: of several processes one leads. */
  lead(): Promise<void>;
  /** Runs a job now. For the process that leads. */
  run(job: JobName): Promise<void>;
  /** A job was planned for a time, Unix milliseconds. For the process that leads. */
  wake(at: number): void;
  setClock(now: number): void;
  /** Returns what it has counted since it was started. */
  counts(): Counts;
  /** Runs the jobs that are due. For the process that leads. */
  runDue(): Promise<void>;
  /** Resolves when the clients have their responses, at the latest after `graceMs`. */
  finish(graceMs: number): Promise<void>;
}

/** Calls of a process that serves to the primary. */
export interface PrimaryCalls {
  /** Has the process that leads run a job. */
  run(job: JobName): Promise<void>;
  wake(at: number): void;
  /** Sets the clock of all processes and runs due jobs. */
  setClock(now: number): Promise<void>;
  /** Returns the counts of each process. */
  counts(): Promise<readonly Counts[]>;
  /** Returns the state of the daily backups; undefined if disabled. */
  backup(): Promise<BackupState | undefined>;
  /** The writer of the database is gone. */
  lostWriter(): void;
}
