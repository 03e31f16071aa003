import type { DirectKeys } from "../algorithms/algorithm.ts";
import type { Scheme } from "../algorithms/table.ts";
import type { Identity } from "./identity.ts";
import type { Counts, Meter } from "./meter.ts";
import type { Stores } from "./store.ts";

export type { EcKey } from "../algorithms/algorithm.ts";
export type { Scheme } from "../algorithms/table.ts";
export type { AccessRequest, Capability, Entity, Identity } from "./identity.ts";
export type { PolicyPath, PolicyTarget, PathForms } from "./identity.ts";
export type { Counts, Meter } from "./meter.ts";
export type {
  Batch,
  Committed,
  Expect,
  ExportedRow,
  Index,
  ListingAndRow,
  LogEntry,
  Page,
  Row,
  Store,
  Stores,
  StoreSize,
} from "./store.ts";

/** A signer with one key, which may be in this process, in an HSM or in a cloud service. */
export interface Signer {
  /** DER SubjectPublicKeyInfo of the key. */
  readonly spki: Uint8Array;
  /**
   * Whether the platform's WebCrypto signs. If not, signatures are verified before they are stored.
   */
  readonly platform: boolean;
  /**
   * Returns the signature in the form used in certificates: for ECDSA, the DER `Ecdsa-Sig-Value`.
   */
  sign(scheme: Scheme, data: Uint8Array): Promise<Uint8Array>;
}
/**
 * Synchronous cryptography. WebCrypto uses a thread pool, and in Node handing over a task costs
 * more than a P-256 signature. A function returns `undefined` if the platform does not support the
 * operation or if it takes longer than the handover. WebCrypto is then used instead.
 */
export interface DirectCrypto extends DirectKeys {
  /**
   * Opens a DER PKCS#8 private key for an algorithm (`P-256`, `Ed25519`). The returned function
   * returns signatures in the form used in certificates.
   */
  signer(
    algorithm: string,
    pkcs8: Uint8Array,
  ): ((scheme: Scheme, data: Uint8Array) => Uint8Array) | undefined;
  /** Returns the SHA-256 hash of bytes. If absent, hashes are computed in JavaScript. */
  readonly sha256?: (bytes: Uint8Array) => Uint8Array;
}

/**
 * A vault, which seals secrets. `binding` is authenticated together with the secret, which cannot
 * be opened with a different binding.
 */
export interface KeyVault {
  /**
   * A sentence that describes the missing configuration if there is no key. All calls are then
   * rejected. Absent if there is a key.
   */
  readonly lacking?: string;
  /** Encrypts a secret, and binds it to a string that is required to open it. */
  seal(secret: Uint8Array, binding: string): Promise<Uint8Array>;
  /**
   * Opens a small secret that is not a private key. Rejects with CaError `storage` if the secret
   * was sealed with another key or binding, or was altered.
   */
  unseal(sealed: Uint8Array, binding: string): Promise<Uint8Array>;
  /** Opens a sealed PKCS#8 private key for signing. The key itself never leaves the vault. */
  signer(sealed: Uint8Array, binding: string, spki: Uint8Array): Promise<Signer>;
}

/**
 * The place where CRLs are published as bytes, under keys that contain the CRL number and are never
 * reused. Published bytes may be lost, because the originals are in the store.
 */
export interface Publish {
  /** Stores bytes until they expire (Unix ms). */
  put(key: string, bytes: Uint8Array, expires: number): Promise<void>;
  /** Returns the bytes under the given key, or undefined if there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Deletes the bytes under the given key, if any. If absent, bytes stay until they expire. */
  delete?(key: string): Promise<void>;
}

/** A bidirectional byte stream, such as TCP. */
export interface Connection {
  /** Bytes from the peer. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Bytes to the peer. */
  readonly writable: WritableStream<Uint8Array>;
  /** Closes the connection at once and aborts pending operations. May be called again. */
  close(): void;
}
/** A service that responds to HTTP requests, with a method like the global `fetch`. */
export interface Service {
  /** Sends a request to the service. */
  fetch(
    url: string,
    init: {
      readonly headers: Record<string, string>;
      readonly redirect: "manual";
      readonly signal: AbortSignal;
      readonly method?: "POST";
      readonly body?: Uint8Array<ArrayBuffer>;
    },
  ): Promise<Response>;
}

/** The result of a server's daily backups. */
export interface BackupState {
  /** Time at which the last complete backup ended (Unix ms). Absent if there was none. */
  readonly succeeded?: number;
  /** Whether the last attempt at a backup failed. */
  readonly failed: boolean;
}
/** The server to which the process belongs. */
export interface ServerInfo {
  /** Version of the server. */
  readonly version: string;
  /** Start time of the server (Unix ms). */
  readonly started: number;
  /**
   * Returns the counts from each of the server's processes. Absent if this process is the only one.
   */
  counts?(): Promise<readonly Counts[]>;
  /** Returns the state of the server's backups, or undefined if it does not make backups. */
  backup?(): Promise<BackupState | undefined>;
}

/** The environment: the engine's only source of time, randomness, keys, network and storage. */
export interface Ports {
  /** Opens a store by name. */
  readonly stores: Stores;
  /** The vault, which seals and opens secrets such as CA keys. */
  readonly vault: KeyVault;
  /** Synchronous cryptography, if the platform has functions that are cheaper than WebCrypto. */
  readonly crypto?: DirectCrypto;
  /** Returns the Unix time in ms. */
  now(): number;
  /** Returns cryptographically secure random bytes. */
  random(bytes: number): Uint8Array;
  /**
   * Returns the identity of a token that the authority did not issue, or undefined if the token is
   * unknown. Called for each request with such a token.
   */
  authenticate(token: string): Promise<Identity | undefined>;
  /**
   * The place where CRLs are published, so that other servers can serve them. If absent, only the
   * authority serves CRLs.
   */
  readonly publish?: Publish;
  /**
   * Called after each request with the endpoint, the status, the duration and, for errors, the
   * cause.
   */
  log?(event: LogEvent): void;
  /**
   * Minimum status of events that are passed to `log`, by default 0. With 500, for example, only
   * failures are logged.
   */
  readonly logFrom?: number;
  /** The meter for `sys/metrics`. The authorities of a process may share one meter. */
  readonly meter?: Meter;
  /** The server, for `sys/metrics` and `sys/health`. */
  readonly server?: ServerInfo;
  /**
   * Runs a job of a store in the place where the store's rows are. Calls for the same job may share
   * a run. Resolves after a run that began after this call. If absent, the job runs in this
   * process.
   */
  once?(store: string, kind: string, id: string): Promise<void>;
  /**
   * Asks the host to call `tick` at this time (Unix ms), because a job will be due. It is called
   * often, and a host only needs the earliest time, for example for a single timer. A host without
   * timers may omit this function and call `tick` occasionally, because CRLs that are due are also
   * signed when they are next read.
   */
  wake?(at: number): void;
  /**
   * Opens a TCP connection. Without this function and a challenger, ACME challenges cannot be
   * validated. `address` is an IP address literal (IPv6 without brackets and zone) that was already
   * checked. Rejects if the connection fails or the signal is aborted, which also closes an open
   * connection.
   */
  dial?(
    to: { readonly address: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Connection>;
  /**
   * Queries DNS. Returns addresses as strings, or each TXT record as a string with one character
   * per byte. Follows CNAMEs. An empty list means that there is no such record. Rejects if there
   * was no definite response.
   */
  resolve?(
    question: { readonly name: string; readonly type: "A" | "AAAA" | "TXT" },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /**
   * Fetches an https URL with the platform's trusted CAs, as the global `fetch` does. Without this
   * function, login methods fetch keys only from servers whose CA was configured.
   */
  fetch?: Service["fetch"];
  /**
   * Returns another service of the platform by its configured name, such as a service binding of a
   * Worker. Returns undefined if there is none.
   */
  services?(name: string): Service | undefined;
  /** The authority's own URL, which is the default cluster path of new mounts. */
  readonly publicUrl?: string;
}

/**
 * A log event: one per request, and one per failure of background work. Only these fields are
 * logged, and never a body.
 */
export interface LogEvent {
  /**
   * ID of the endpoint, `none` if no endpoint has the path, or a name for background work, such as
   * `job` and the kind of the job.
   */
  readonly endpoint: string;
  /** HTTP status of the response. */
  readonly status: number;
  /** Start of the request (Unix ms). Absent for work that was not started by a request. */
  readonly time?: number;
  /** Duration in ms. */
  readonly ms: number;
  /** ID of the request, also returned in the response. */
  readonly request?: string;
  /** IP address of the client, if the platform provides it. */
  readonly address?: string;
  /** Path of the mount, if the request is for one. */
  readonly mount?: string;
  /** ID of the caller's identity, if any. */
  readonly caller?: string;
  /** Accessor of the caller's token. */
  readonly accessor?: string;
  /** ID of the caller's entity. */
  readonly entity?: string;
  /** Error code, if the request was rejected. */
  readonly refusal?: string;
  /** Additional fields. They never contain secrets. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** The error that caused a 500, for the log only. */
  readonly cause?: unknown;
}
