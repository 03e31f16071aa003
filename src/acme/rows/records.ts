import { rowReader } from "../../engine/row-reader.ts";
import { serialKey } from "../../base/ids.ts";
import type { Index, Probe } from "../../engine/ports.ts";

/** What a certificate is asked for, or proven. */
export interface AcmeIdentifier {
  /** `dns` or `ip`. */
  readonly type: string;
  readonly value: string;
}
/** An unused external account binding key; the key itself is derived from its id. */
export interface EabRow {
  /**
   * Where it may be used: the path of a directory below the mount without `/directory`, such as
   * `roles/web/acme`.
   */
  readonly directory: string;
  /** Unix seconds. */
  readonly created: number;
  /** Name of the caller that created it, as shares of the audit have it. */
  readonly owner?: string;
}
/** An account (RFC 8555 section 7.1.2); times in Unix seconds. */
export interface AccountRow {
  /** Members of the public key that RFC 7638 section 3 hashes, and no others. */
  readonly jwk: Readonly<Record<string, string>>;
  /** RFC 7638, SHA-256, base64url. */
  readonly thumbprint: string;
  readonly status: "valid" | "deactivated" | "revoked";
  readonly contact: readonly string[];
  /** As in {@link EabRow}. */
  readonly directory: string;
  /** The binding key that it was made with; `binding`: the JWS, as it was sent. */
  readonly eab?: EabRow & {
    readonly id: string;
    readonly binding?: Readonly<Record<string, string>>;
  };
  readonly created: number;
  /** When it was deactivated or revoked. */
  readonly ended?: number;
  /** Set until the first order of an account without a binding. */
  readonly unused?: true;
  /** Of an account without a binding: keyed hash of the network that registered it. */
  readonly network?: string;
  /** The latest end of certificates whose orders tidy has removed. */
  readonly last_end?: number;
}
/** Which account has a key. */
export interface ThumbRow {
  readonly account: string;
}
/** An error that is kept with what it is about; `type` without `urn:ietf:params:acme:error:`. */
export interface AcmeError {
  readonly type: string;
  readonly detail: string;
  readonly subproblems?: readonly AcmeError[];
}
/** An order (RFC 8555 section 7.1.3); times in Unix seconds. `ready` and `invalid` are computed. */
export interface OrderRow {
  readonly account: string;
  readonly directory: string;
  readonly profile?: string;
  /** As they were asked for. */
  readonly identifiers: readonly AcmeIdentifier[];
  /** Ids, in the order of the identifiers. */
  readonly authorizations: readonly string[];
  readonly created: number;
  readonly expires: number;
  /** The end of the certificate that was asked for. */
  readonly not_after?: number;
  readonly status: "pending" | "valid";
  /** Of the certificate, hexadecimal as in its row's key. */
  readonly serial?: string;
  /** When the certificate ends. */
  readonly ends?: number;
  /** Identifier of the certificate that this one is to replace (RFC 9773 section 5), as sent. */
  readonly replaces?: string;
  /** Sentences about what the CSR asked for and the certificate does not have. */
  readonly warnings?: readonly string[];
  readonly error?: AcmeError;
}
/** A challenge of an authorization (RFC 8555 section 8). */
export interface AcmeChallenge {
  readonly type: Probe["type"];
  readonly token: string;
  readonly status: "pending" | "processing" | "valid" | "invalid";
  /** Unix seconds. */
  readonly validated?: number;
  readonly error?: AcmeError;
  /** How often its validation has failed. */
  readonly attempts: number;
  /**
   * While it is `processing`: when the client said that it is ready, Unix milliseconds. Absent in
   * rows of earlier versions.
   */
  readonly accepted_ms?: number;
  /** While it is `processing`: when it is to be validated, Unix milliseconds. */
  readonly due_ms?: number;
}
/** An authorization (RFC 8555 section 7.1.4); times in Unix seconds. */
export interface AuthzRow {
  readonly account: string;
  readonly order: string;
  readonly directory: string;
  /** Without `*.`. */
  readonly identifier: AcmeIdentifier;
  readonly wildcard: boolean;
  readonly status: "pending" | "valid" | "invalid" | "deactivated";
  readonly expires: number;
  readonly challenges: readonly AcmeChallenge[];
}
/** Which order has replaced a certificate (RFC 9773 section 5); kept until that one ends. */
export interface ReplacedRow {
  readonly order: string;
}
/** What the keys of ACME's rows begin with. */
export const acmeBelow = {
  eabs: "eab/",
  accounts: "account/",
  thumbs: "thumb/",
  orders: "order/",
  authorizations: "authz/",
  nonces: "nonce/",
  replaced: "replaced/",
  addresses: "acmeaddress/",
  unused: "acmeunused/",
} as const;
/** Keys of ACME's rows, in one place. */
export const acmeKeys = {
  eab: (id: string) => `${acmeBelow.eabs}${id}`,
  account: (id: string) => `${acmeBelow.accounts}${id}`,
  thumb: (thumbprint: string) => `${acmeBelow.thumbs}${thumbprint}`,
  order: (id: string) => `${acmeBelow.orders}${id}`,
  authz: (id: string) => `${acmeBelow.authorizations}${id}`,
  /** Of a nonce that was spent: fresh ones are stored nowhere. */
  nonce: (nonce: string) => `${acmeBelow.nonces}${nonce}`,
  replaced: (serial: Uint8Array) => `${acmeBelow.replaced}${serialKey(serial)}`,
  /**
   * What the keys of accounts begin with that were made from one address in one hour; a number
   * follows. `hash`: hexadecimal, of the address. `hour`: since 1970.
   */
  address: (hash: string, hour: number) => `${acmeBelow.addresses}${hash}/${hour}/`,
  /** Lists an account as `unused`, below its network and in the order of registration. */
  unused: (id: string, { network = "", created }: Pick<AccountRow, "network" | "created">) =>
    `${acmeBelow.unused}${network}/${String(created).padStart(12, "0")}/${id}`,
} as const;

/** Indexes of ACME's rows; {@link acmeIndexes.end} in Unix seconds. */
export const acmeIndexes = {
  /** Orders, by their account. */
  orderAccount: "order_account",
  /** Orders that may still be in the making, by {@link openOrder}. */
  orderOpen: "order_open",
  /** Orders that failed before they expired, by {@link openOrder}. */
  orderFailed: "order_failed",
  /** All orders, newest first: by the negative of the Unix seconds at which they were made. */
  orderMade: "order_made",
  /** When a row may be removed. */
  end: "acme_end",
  /** Authorizations whose validation waits, by their account and the time, as `dueKey` says. */
  due: "validation_due",
} as const;
/** The job that removes rows whose `acme_end` is past. */
export const acmeExpiry = "acme-expiry";
/** The job that starts the validations that are due. */
export const acmeValidation = "acme-validation";

/** Value of an order that may still be in the making: its account, then when it expires. */
export const openOrder = (account: string, expires: number): string =>
  `${account} ${String(expires).padStart(12, "0")}`;
/**
 * The index values of an order. `end`: when it may be removed, Unix seconds. One with a certificate
 * goes by tidy alone, as certificates do.
 */
export const orderIndex = (
  { account, created, status, expires }: OrderRow,
  end: number,
): Index => ({
  [acmeIndexes.orderAccount]: account,
  [acmeIndexes.orderMade]: -created,
  ...(status === "pending"
    ? { [acmeIndexes.orderOpen]: openOrder(account, expires), [acmeIndexes.end]: end }
    : {}),
});
/**
 * Where a validation that waits stands in the index of those that are due: below its account, so
 * that the many of one account are passed over at once. `at`: when it is due, Unix milliseconds;
 * without it, what all those of the account begin with.
 */
export const dueKey = (account: string, at?: number): string =>
  `${account}/${at === undefined ? "" : String(at).padStart(15, "0")}`;
/**
 * The index values of an authorization. `end`: when it may be removed, Unix seconds. `due`: its
 * `dueKey`, only while a challenge is `processing`.
 */
export const authzIndex = (end: number, due?: string): Index => ({
  [acmeIndexes.end]: end,
  ...(due === undefined ? {} : { [acmeIndexes.due]: due }),
});

/** Readers of the rows of ACME. */
export const storedAcme = {
  eab: rowReader<EabRow>({ directory: "", created: 0 }),
  account: rowReader<AccountRow>({
    jwk: { kty: "" },
    thumbprint: "",
    status: "valid",
    contact: [],
    directory: "",
    created: 0,
  }),
  thumb: rowReader<ThumbRow>({ account: "" }),
  order: rowReader<OrderRow>({
    account: "",
    directory: "",
    identifiers: [],
    authorizations: [],
    created: 0,
    expires: 0,
    status: "pending",
  }),
  authz: rowReader<AuthzRow>({
    account: "",
    order: "",
    directory: "",
    identifier: { type: "dns", value: "" },
    wildcard: false,
    status: "pending",
    expires: 0,
    challenges: [],
  }),
  replaced: rowReader<ReplacedRow>({ order: "" }),
} as const;
