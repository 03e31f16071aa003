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
  LogEntry,
  Page,
  Row,
  Store,
  Stores,
  StoreSize,
} from "./store.ts";

/** Signs with one key, which may be local, in an HSM or in a cloud service. */
export interface Signer {
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /**
   * Whether the platform's WebCrypto signs; all other signatures are verified before they are
   * stored.
   */
  readonly platform: boolean;
  /** Returns the signature as it appears in a certificate: for ECDSA the DER `Ecdsa-Sig-Value`. */
  sign(scheme: Scheme, data: Uint8Array): Promise<Uint8Array>;
}
/**
 * Synchronous cryptography. WebCrypto uses a pool of threads, and in Node handing over a task costs
 * more than a P-256 signature. Functions that the platform lacks, or that take longer than the
 * handover, return `undefined` and are left to WebCrypto.
 */
export interface DirectCrypto extends DirectKeys {
  /**
   * Opens a PKCS#8 DER private key of an algorithm (`P-256`, `Ed25519`). The returned function
   * signs in the form of certificates.
   */
  signer(
    algorithm: string,
    pkcs8: Uint8Array,
  ): ((scheme: Scheme, data: Uint8Array) => Uint8Array) | undefined;
  /** Returns the SHA-256 of bytes. Absent: computed in JavaScript. */
  readonly sha256?: (bytes: Uint8Array) => Uint8Array;
}

/**
 * Seals secrets. `binding` is authenticated with the secret, which cannot be opened with another
 * one.
 */
export interface KeyVault {
  /**
   * One sentence for operators that says what is missing if there is no key, in which case all
   * calls are rejected. Absent if there is a key.
   */
  readonly lacking?: string;
  /** Encrypts a secret, bound to a text that opening it requires. */
  seal(secret: Uint8Array, binding: string): Promise<Uint8Array>;
  /**
   * Opens a small secret that is not a private key. Rejects with CaError `storage` if it was sealed
   * with another key or binding, or was altered.
   */
  unseal(sealed: Uint8Array, binding: string): Promise<Uint8Array>;
  /** Opens a sealed PKCS#8 private key for signing; the key itself never leaves the vault. */
  signer(sealed: Uint8Array, binding: string, spki: Uint8Array): Promise<Signer>;
}

/**
 * Publishes bytes (CRLs) under immutable keys that contain their number. It may lose them, because
 * the store has the original.
 */
export interface Publish {
  /** Stores bytes until they expire (Unix milliseconds). */
  put(key: string, bytes: Uint8Array, expires: number): Promise<void>;
  /** Returns the bytes of a key; undefined if there are none. */
  get(key: string): Promise<Uint8Array | undefined>;
  /** Deletes the bytes of a key, if any. Absent: bytes stay until they expire. */
  delete?(key: string): Promise<void>;
}

/** A bidirectional byte stream, such as TCP. */
export interface Connection {
  /** Bytes from the other side. */
  readonly readable: ReadableStream<Uint8Array>;
  /** Bytes to the other side. */
  readonly writable: WritableStream<Uint8Array>;
  /** Closes it at once, aborting pending operations. Idempotent. */
  close(): void;
}
/** Answers HTTP requests like the global `fetch`. */
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
  /** End of the last complete backup (Unix ms); absent before the first. */
  readonly succeeded?: number;
  /** Whether the last attempt failed. */
  readonly failed: boolean;
}
/** The server of which an engine is part. */
export interface ServerInfo {
  /** Version of the server. */
  readonly version: string;
  /** Start time, Unix milliseconds. */
  readonly started: number;
  /** Returns the counts of each of its processes. Absent: there is only this engine. */
  counts?(): Promise<readonly Counts[]>;
  /** Returns the state of its backups; undefined if it makes none. */
  backup?(): Promise<BackupState | undefined>;
}

/** The environment: the only source of time, randomness, keys, network and storage. */
export interface Ports {
  /** Opens a store by name. */
  readonly stores: Stores;
  /** Seals and opens secrets, such as CA keys. */
  readonly vault: KeyVault;
  /** Synchronous cryptography, if the platform has it and it is cheaper than WebCrypto. */
  readonly crypto?: DirectCrypto;
  /** Unix time in milliseconds. */
  now(): number;
  /** Returns cryptographically secure random bytes. */
  random(bytes: number): Uint8Array;
  /**
   * Returns the identity of a token that the authority did not issue; undefined for an unknown one.
   * Called for each request with such a token.
   */
  authenticate(token: string): Promise<Identity | undefined>;
  /** Copies CRLs to where others serve them. Absent: the authority serves them itself. */
  readonly publish?: Publish;
  /** Called after each request with its endpoint, status, duration and, for errors, the cause. */
  log?(event: LogEvent): void;
  /** Minimum status of events passed to `log`, such as 500 for failures only; default 0. */
  readonly logFrom?: number;
  /** Counts for `sys/metrics`; the engines of a process may share one. */
  readonly meter?: Meter;
  /** The server, for `sys/metrics` and `sys/health`. */
  readonly server?: ServerInfo;
  /**
   * Runs a job of a store where its rows are, sharing a run with equal calls. Resolves after a run
   * that began after this call. Absent: runs in this engine.
   */
  once?(store: string, kind: string, id: string): Promise<void>;
  /**
   * Asks the host to call `tick` at this time (Unix ms), because a job is due then. It is called
   * often; a host keeps the earliest time, for example in one timer. A host without timers may omit
   * it and call `tick` occasionally: due CRLs are also signed when first read.
   */
  wake?(at: number): void;
  /**
   * Opens a TCP connection. Without it and without a challenger, ACME challenges cannot be
   * validated. The address is a literal, IPv6 without brackets or zone, and was checked before.
   * Rejects if the connection fails or the signal aborts, which also closes an open connection.
   */
  dial?(
    to: { readonly address: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Connection>;
  /**
   * Queries DNS: addresses as text, or each TXT record as a text whose characters are its bytes.
   * Follows CNAMEs. An empty list means that there is no such record. Rejects if there was no
   * definite answer.
   */
  resolve?(
    question: { readonly name: string; readonly type: "A" | "AAAA" | "TXT" },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /**
   * Fetches an https URL with the platform's trusted CAs, like the global function. Without it,
   * login methods fetch keys only from servers whose CA was configured.
   */
  fetch?: Service["fetch"];
  /**
   * Returns another service of the platform by its configured name, such as a service binding of a
   * Worker; undefined if there is none.
   */
  services?(name: string): Service | undefined;
  /** The authority's own URL: the default cluster path of new mounts. */
  readonly publicUrl?: string;
}

/** One event per call, with an allow-list of fields, never a body. */
export interface LogEvent {
  /** ID of the endpoint, `none` without one, or `job` with the kind of a job. */
  readonly endpoint: string;
  /** HTTP status of the reply. */
  readonly status: number;
  /** Start of the request (Unix ms); absent for work that was not started by a request. */
  readonly time?: number;
  /** Duration, milliseconds. */
  readonly ms: number;
  /** Request id, as in the reply. */
  readonly request?: string;
  /** Client address, if the platform provides it. */
  readonly address?: string;
  /** Path of the mount, if any. */
  readonly mount?: string;
  /** ID of the caller's identity, if any. */
  readonly caller?: string;
  /** Accessor of the caller's token. */
  readonly accessor?: string;
  /** Id of the caller's entity. */
  readonly entity?: string;
  /** Code of the error, if the call was rejected. */
  readonly refusal?: string;
  /** Additional fields, never secrets. */
  readonly fields?: Readonly<Record<string, string | number | boolean>>;
  /** The defect that caused a 500, for the log only. */
  readonly cause?: unknown;
}
