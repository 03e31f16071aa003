import type { Scheme } from "../algorithms/table.ts";
import type { ExternalPolicyRequest } from "./external-records.ts";
import type { Identity } from "./identity.ts";
import type { LogEvent } from "./log-event.ts";
import type { Counts, Meter } from "./meter.ts";
import type { Stores } from "./store.ts";

export type { Scheme } from "../algorithms/table.ts";
export type { AskedOfPolicy, Capability, Entity, Identity } from "./identity.ts";
export type { JudgedPath, JudgedRequest, PathForms } from "./identity.ts";
export type { LogEvent } from "./log-event.ts";
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
} from "./store.ts";

/** Signs with one key. Local, HSM and cloud keys look the same from here. */
export interface Signer {
  /** SubjectPublicKeyInfo, DER. */
  readonly spki: Uint8Array;
  /**
   * True when the platform's own WebCrypto signs; anything else is verified before it is stored.
   */
  readonly platform: boolean;
  /**
   * The signature as it stands in a certificate: an ECDSA signature is the DER `Ecdsa-Sig-Value`.
   */
  sign(scheme: Scheme, data: Uint8Array): Promise<Uint8Array>;
}
/** The members of a private key on an elliptic curve as JWK (RFC 7518 section 6.2.2). */
export interface EcPrivateJwk {
  readonly d: string;
  readonly x: string;
  readonly y: string;
}
/**
 * Operations that a platform does at once. WebCrypto hands each to a pool of threads, which costs
 * Node more than a signature on P-256 takes. What the platform does not offer, or what takes longer
 * than the handing over, is `undefined` and left to WebCrypto.
 */
export interface DirectCrypto {
  /** Makes a key on a curve (`P-256`). */
  ecKey(curve: string): EcPrivateJwk | undefined;
  /**
   * Opens a private key, PKCS#8 DER, of the algorithm of a name (`P-256`, `Ed25519`). What it
   * returns signs as it stands in a certificate.
   */
  signer(
    algorithm: string,
    pkcs8: Uint8Array,
  ): ((scheme: Scheme, data: Uint8Array) => Uint8Array) | undefined;
}

/**
 * Keeps secrets sealed. `binding` is authenticated with the secret: opened under another binding it
 * fails.
 */
export interface KeyVault {
  /**
   * What is missing, in one sentence for operators, where there is no key: then everything is
   * refused. Absent where there is one.
   */
  readonly lacking?: string;
  seal(secret: Uint8Array, binding: string): Promise<Uint8Array>;
  /**
   * Opens a small secret that is no private key. Rejects with CaError `storage` when it was sealed
   * under another key or binding, or changed.
   */
  unseal(sealed: Uint8Array, binding: string): Promise<Uint8Array>;
  /** Opens a sealed PKCS#8 private key for signing; the key itself never leaves the vault. */
  signer(sealed: Uint8Array, binding: string, spki: Uint8Array): Promise<Signer>;
}

/**
 * Published bytes (CRLs) under immutable keys that contain their number. Lossy: the store keeps the
 * original.
 */
export interface Publish {
  put(key: string, bytes: Uint8Array, expires: number): Promise<void>;
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Removes what lies under a key; nothing there is no failure. Absent: bytes stay until they
   * expire.
   */
  delete?(key: string): Promise<void>;
}

/** A byte stream in both directions, such as TCP gives. */
export interface Connection {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  /** Ends it at once, whatever is under way on it; more than once does nothing. */
  close(): void;
}
/** Asks whether the applicant of an ACME order controls a name, where nothing can be dialled. */
export interface Probe {
  readonly type: "http-01" | "dns-01" | "tls-alpn-01";
  /** The identifier of the authorization, without "*.". */
  readonly identifier: { readonly type: "dns" | "ip"; readonly value: string };
  /**
   * What would be asked: the URL of http-01, the name whose TXT records are those of dns-01, host
   * and port of tls-alpn-01.
   */
  readonly asked: string;
  /**
   * What the answer must hold: the key authorization (http-01), base64url of its SHA-256 (dns-01),
   * or that hash in hexadecimal digits (tls-alpn-01).
   */
  readonly expected: string;
  /** Aborted when the time for an answer is over. */
  readonly signal: AbortSignal;
}

/** What answers HTTP requests, as the global function `fetch` does. */
export interface Service {
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
  /** When the last complete backup ended, Unix milliseconds; absent before the first. */
  readonly succeeded?: number;
  /** Whether the last attempt failed. */
  readonly failed: boolean;
}
/** The server that an engine is part of. */
export interface ServerInfo {
  readonly version: string;
  /** Start time, Unix milliseconds. */
  readonly started: number;
  /** Returns the counts of each of its processes. Absent: the engine is the only one. */
  counts?(): Promise<readonly Counts[]>;
  /** Returns the state of its backups; undefined where it makes none. */
  backup?(): Promise<BackupState | undefined>;
}

/** The outside world. Time, chance, keys, network and storage enter only here. */
export interface Ports {
  readonly stores: Stores;
  readonly vault: KeyVault;
  /** Cheaper than WebCrypto where the platform has it, as Node does; absent: WebCrypto does all. */
  readonly crypto?: DirectCrypto;
  /** Unix time in milliseconds. */
  now(): number;
  /** Cryptographically secure random bytes. */
  random(bytes: number): Uint8Array;
  authenticate(token: string): Promise<Identity | undefined>;
  readonly publish?: Publish;
  log?(event: LogEvent): void;
  /** The lowest status that `log` gets, 500 for failures alone; default 0. */
  readonly logFrom?: number;
  /** Counts for `sys/metrics`; the engines of a process may share one. */
  readonly meter?: Meter;
  /** For `sys/metrics` and `sys/health`. */
  readonly server?: ServerInfo;
  /**
   * Runs a job of a store now, where its rows live, sharing one run with equal calls; resolves
   * after a run that began later than this call. Absent: in this engine.
   */
  once?(store: string, kind: string, id: string): Promise<void>;
  /**
   * Please call `tick` at this time, Unix milliseconds: a change has put a job that is due then. It
   * is called often; a host keeps the earliest time, such as in one timer. A host without timers
   * may leave it out and call `tick` now and then: lists that are due are signed again by the first
   * read too.
   */
  wake?(at: number): void;
  /**
   * Opens a TCP connection; without it, and without a challenger, no challenge of ACME can be
   * validated. The address is a literal one, IPv6 without brackets or zone, and is dialled as it
   * is: which addresses may be asked has been judged before. Rejects when there is no connection,
   * and when the signal aborts, which also ends a connection that stands.
   */
  dial?(
    to: { readonly address: string; readonly port: number },
    signal: AbortSignal,
  ): Promise<Connection>;
  /**
   * Asks the DNS: addresses as text, or each TXT record as one text whose characters are its
   * bytes. CNAMEs are followed; an empty list means that there is no such record. Rejects when the
   * DNS gave no answer that says so.
   */
  resolve?(
    question: { readonly name: string; readonly type: "A" | "AAAA" | "TXT" },
    signal: AbortSignal,
  ): Promise<readonly string[]>;
  /**
   * Asks an https URL, trusting whom the platform trusts; as the global function of that name does.
   * Without it keys of login methods are read only from servers whose CA was named.
   */
  fetch?: Service["fetch"];
  /**
   * Another service of the platform by the name that the deployment has given it, such as a service
   * binding of a Worker; undefined where there is none of that name.
   */
  services?(name: string): Service | undefined;
  /**
   * Decides in the place of an external policy service what is issued: gets the request that such a
   * service gets, resolves with what it would answer, an `ExternalPolicyAnswer` (B 7.4), which is
   * judged alike. Aborted when the time for an answer is over. What it rejects with is not shown.
   */
  externalPolicy?(request: ExternalPolicyRequest, signal: AbortSignal): Promise<unknown>;
  /**
   * Judges a challenge of ACME where there is no `dial`, as in a page: resolves when it is met.
   * Rejects with a `CaError` that says why not: `connection`, `dns`, `tls`, `incorrect_response`.
   */
  challenger?(probe: Probe): Promise<void>;
  /** The authority's own address: prefills the cluster path of new mounts. */
  readonly publicUrl?: string;
}
