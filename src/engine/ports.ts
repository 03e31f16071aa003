import type { Scheme } from "../algorithms/table.ts";
import type { ExternalPolicyRequest } from "./external-records.ts";
import type { Identity } from "./identity.ts";
import type { LogEvent } from "./log-event.ts";

export type { Scheme } from "../algorithms/table.ts";
export type { AskedOfPolicy, Capability, Entity, Identity } from "./identity.ts";
export type { JudgedPath, JudgedRequest, PathForms } from "./identity.ts";
export type { LogEvent } from "./log-event.ts";

/**
 * A row and the revision it was read at. `rev` only ever grows within one store. A value is JSON
 * data that may contain `Uint8Array`.
 */
export interface Row<T = unknown> {
  readonly value: T;
  readonly rev: number;
}

/**
 * Index values of one row, by the names that whoever lists by them has given the indexes: 1 to 32
 * characters of `a-z` and `_`; names are few, and never made of what users send. Under one name all
 * values are safe integers, or all are texts. A row without a value for an index is not found by
 * that index.
 */
export type Index = Readonly<Record<string, string | number>>;

/** Revision a key must still have for the batch to apply; null: the key must not exist. */
export type Expect = readonly [key: string, rev: number | null];

/**
 * A change as plain data: built anywhere, sent to where the rows live. All of it applies, or
 * nothing.
 */
export interface Batch {
  /** A number: applies unless the store has seen a later epoch. "next": the epoch grows by one. */
  readonly epoch?: number | "next";
  /** Applies only while the store holds exactly this epoch. */
  readonly onlyAtEpoch?: number;
  readonly expect?: readonly Expect[];
  readonly put?: readonly (readonly [key: string, value: unknown, index?: Index])[];
  /**
   * Bytes added to the end of the pages below `prefix`: rows `<prefix><8 digits>`, counted from
   * `00000000`, each a `Uint8Array` of 64 KiB at most. One append is never spread over two pages (a
   * longer one gets a page of its own). Expects nothing.
   */
  readonly append?: readonly (readonly [prefix: string, bytes: Uint8Array])[];
  readonly del?: readonly string[];
  /** Values added to the end of logs. Expects nothing. */
  readonly log?: readonly LogEntry[];
  /** Deletes every row first; only the epoch stays, and logs begin anew. */
  readonly clear?: boolean;
  /** Keys of rows to be given as they are once the batch has applied. */
  readonly read?: readonly string[];
}
/** What is told of a batch that has applied. */
export interface Committed {
  /** The epoch now held. */
  readonly epoch: number;
  /** The rows of `read`; absent where the store gives none with a commit, or not all of them. */
  readonly rows?: readonly (Row | undefined)[];
}
/**
 * A value for the log below `prefix`, which becomes the row `<prefix><12 digits>`. The store gives
 * the number, from 1 on: each is the last one and one more, and none is given again, whichever rows
 * are deleted, so that a row that is missing shows. `keep`: so many of the last rows stay, and 100
 * more at most.
 */
export type LogEntry = readonly [prefix: string, value: unknown, keep?: number];

/** Which rows of a listing. Without `by`: in key order (UTF-16 code units, keys are ASCII). */
export interface Page {
  /** Only keys after this one. Without `by` only. */
  readonly after?: string;
  /**
   * Rows with a value of the index `name` between `from` and `to` (both included), ordered by
   * value, then key; `after` is the last row seen. None where no row has been put under the name.
   * `anyOrder`: those of one value may come in any order, which spares sorting them, and fewer than
   * the limit may come although there are more, but never none; without `after`.
   */
  readonly by?: {
    readonly name: string;
    readonly from?: string | number;
    readonly to?: string | number;
    readonly after?: readonly [value: string | number, key: string];
    readonly anyOrder?: boolean;
  };
  readonly limit?: number;
  /** false: the rows' values are left out (`undefined`), for listings of keys. */
  readonly values?: boolean;
}

/**
 * One atomic unit: a Durable Object, an IndexedDB database, a Map. Keys are ASCII of 1 to 512
 * characters. The row `epoch` holds the epoch, absent means 0.
 */
export interface Store {
  get(keys: readonly string[]): Promise<readonly (Row | undefined)[]>;
  list(prefix: string, page?: Page): Promise<readonly (readonly [key: string, row: Row])[]>;
  /** The epoch now held; absent where reading its row is as cheap. */
  epoch?(): Promise<number>;
  /**
   * Gives back the space of a store that is used no more, which its rows alone do not; absent where
   * clearing it does.
   */
  drop?(): Promise<void>;
  /**
   * All rows, that of the epoch too, as they were together at the moment when the first part is
   * asked for, whatever is written meanwhile. Parts have `most` rows at most and may have none. One
   * export at a time: another one ends it. Rejects with CaError `storage` when that moment is lost:
   * the store was cleared, or what keeps its rows has started anew. Absent: this store cannot.
   */
  export?(most?: number): AsyncIterable<readonly ExportedRow[]>;
  /**
   * Applies all of `batch` and tells the epoch now held, or nothing and `undefined` when a
   * condition does not hold.
   */
  commit(batch: Batch): Promise<Committed | undefined>;
}
/** A row with all that was put with it. */
export interface ExportedRow extends Row {
  readonly key: string;
  readonly index?: Index;
}

/** Opens the store of a name: `sys`, or the uuid of a mount. */
export interface Stores {
  (name: string): Store;
  /**
   * `false`: the rows end with this process. Anything else, and being absent, means that they
   * outlive it, and then secrets in them need a key that does so too.
   */
  readonly durable?: boolean;
}

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

/** The outside world. Time, chance, keys, network and storage enter only here. */
export interface Ports {
  readonly stores: Stores;
  readonly vault: KeyVault;
  /** Unix time in milliseconds. */
  now(): number;
  /** Cryptographically secure random bytes. */
  random(bytes: number): Uint8Array;
  authenticate(token: string): Promise<Identity | undefined>;
  readonly publish?: Publish;
  log?(event: LogEvent): void;
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
