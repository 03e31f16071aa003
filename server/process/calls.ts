import type { BackupState, Counts } from "../../src/index.ts";
import type { ClientCertificates } from "../settings/client-certificates.ts";
import type { IssuedTls } from "../data/own-tls.ts";
import type { TlsPair } from "../http/tls-layer.ts";
import type { DatabaseSettings } from "../settings/database-settings.ts";
import type { Variables } from "./authority.ts";
import type { TlsRequest } from "./issue-tls.ts";

/** The name of a job: its store, kind and ID. */
export interface JobName {
  readonly store: string;
  readonly kind: string;
  readonly id: string;
}

/** The settings of the HTTP servers in a process. */
export interface HttpSettings {
  /** Host and port in the URLs of requests that do not specify a host. */
  readonly host: string;
  /** Whether clients use TLS; if so, they wait until `secure` is called. */
  readonly tls: boolean;
  readonly trustedProxies: readonly string[];
  readonly clientCertificates: ClientCertificates;
  /** Number of processes that share the connections. */
  readonly workers: number;
}

/**
 * The listener that accepted a client: the main port, the port that requests client certificates,
 * or the local Unix socket.
 */
export type ListenerKind = "port" | "certificates" | "socket";
/**
 * The message that is sent with a client's socket. The receiving process acknowledges it by its
 * number.
 */
export interface HandedSocket {
  readonly door: ListenerKind;
  readonly number: number;
}

/**
 * The database: PostgreSQL, or a SQLite file. `writer` is the Unix socket path of the thread that
 * writes the file. The process that contains the thread does not use the socket.
 */
export type StorageSettings =
  | { readonly database: DatabaseSettings }
  | { readonly file: string; readonly writer: string };

/** The settings of a process that serves clients. */
export interface ServeSettings {
  readonly variables: Variables;
  readonly storage: StorageSettings;
  /** Directory of the built console, if any. */
  readonly demo?: string;
  readonly version: string;
  /** Time at which the server was started, in Unix ms. */
  readonly started: number;
}

/** Calls from the primary process to a serving process. */
export interface ServerCalls {
  /** Starts accepting HTTP connections. Clients get no response until `serve` is called. */
  http(settings: HttpSettings): void;
  /** Presents a certificate on new connections from now on. */
  secure(pair: TlsPair): void;
  /** Starts responding to requests. */
  serve(settings: ServeSettings): Promise<void>;
  /** Issues a certificate for the server itself. Called in one serving process. */
  issueTls(request: TlsRequest): Promise<IssuedTls>;
  /** Makes this process the leading process, which runs the jobs of all stores. */
  lead(): Promise<void>;
  /** Runs a job now. Called in the leading process. */
  run(job: JobName): Promise<void>;
  /** Notifies the leading process that a job is due at `at` (Unix ms). */
  wake(at: number): void;
  setClock(now: number): void;
  /** Returns the metrics counts since the start of the process. */
  counts(): Counts;
  /** Runs due jobs. Called in the leading process. */
  runDue(): Promise<void>;
  /**
   * Stops serving. Resolves when the clients have their responses, after `graceMs` at the latest.
   */
  finish(graceMs: number): Promise<void>;
}

/** Calls from a serving process to the primary process. */
export interface PrimaryCalls {
  /** Runs a job in the leading process. */
  run(job: JobName): Promise<void>;
  wake(at: number): void;
  /** Sets the clock of all processes (Unix ms) and runs due jobs. */
  setClock(now: number): Promise<void>;
  /** Returns the metrics counts of each process. */
  counts(): Promise<readonly Counts[]>;
  /** Returns the state of the daily backups, or undefined if they are disabled. */
  backup(): Promise<BackupState | undefined>;
  /** Notifies the primary process that the database writer is gone. */
  lostWriter(): void;
}
