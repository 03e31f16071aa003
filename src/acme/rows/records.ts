import type { MountIndex } from "../../base/mount-indexes.ts";
import { acmeBelow } from "./prefixes.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { serialKey } from "../../base/ids.ts";
import { slotStart } from "../../base/slot-ids.ts";

/** An identifier of an order or an authorization. */
export interface AcmeIdentifier {
  /** `dns`, `ip`, `permanent-identifier` or `hardware-module`. */
  readonly type: string;
  readonly value: string;
}
/** An unused external account binding key. Only the ID is stored; the key is derived from it. */
export interface EabRow {
  /**
   * Path of the binding's directory, relative to the mount and without `/directory`, such as
   * `roles/web/acme`.
   */
  readonly directory: string;
  /** Time of creation, Unix seconds. */
  readonly created: number;
  /** ID of the caller that created the binding, as in audit shares. */
  readonly owner?: string;
  /** Set if a {@link BindingRow} limits the accounts of the binding. */
  readonly limited?: true;
}
/** The limits of an external account binding. */
export interface BindingLimits {
  /** Role for all orders, in a directory whose path contains no role. */
  readonly role?: string;
  /** Globs of DNS names and devices, and CIDR ranges; if absent, any name or address is allowed. */
  readonly allowed_identifiers?: readonly string[];
  /** Whether orders need no challenges. */
  readonly preauthorized: boolean;
  /** Maximum number of accounts. */
  readonly max_uses: number;
  /** Time of expiry, Unix seconds. */
  readonly expires?: number;
  readonly metadata?: Readonly<Record<string, string>>;
}
/**
 * An external account binding with limits, which is stored as long as it has accounts or accepts
 * registrations. The row changes only when the limits change, so that every order can expect its
 * revision.
 */
export interface BindingRow extends EabRow, BindingLimits {
  /** Time of revocation, Unix seconds. */
  readonly revoked?: number;
}
/** An account that was registered with a binding that has limits. */
interface BindingUseRow {
  readonly account: string;
}
/** An account (RFC 8555 section 7.1.2); times are Unix seconds. */
export interface AccountRow {
  /** The public key: exactly the members that RFC 7638 section 3 hashes. */
  readonly jwk: Readonly<Record<string, string>>;
  /** RFC 7638 thumbprint: SHA-256 in base64url. */
  readonly thumbprint: string;
  readonly status: "valid" | "deactivated" | "revoked";
  readonly contact: readonly string[];
  /** Directory of the account, as in {@link EabRow}. */
  readonly directory: string;
  /** The binding with which the account was registered; `binding` is the JWS as sent. */
  readonly eab?: EabRow & {
    readonly id: string;
    readonly binding?: Readonly<Record<string, string>>;
  };
  readonly created: number;
  /** Thumbprints of earlier keys, newest first, to which dns-persist-01 records may still refer. */
  readonly former_thumbprints?: readonly string[];
  /** Time of deactivation or revocation. */
  readonly ended?: number;
  /** Set until the first order of an account without a binding. */
  readonly unused?: true;
  /** Keyed hash of the registering network, for an account without a binding. */
  readonly network?: string;
  /** Latest expiry of the certificates whose orders tidy has removed. */
  readonly last_end?: number;
  /** Set until the account is registered in another partition; it does not exist until then. */
  readonly registering?: true;
}
/** The account of a key, stored under the key's thumbprint. */
interface ThumbRow {
  readonly account: string;
}
/** A stored error; `type` omits the prefix `urn:ietf:params:acme:error:`. */
export interface AcmeError {
  readonly type: string;
  readonly detail: string;
  readonly subproblems?: readonly AcmeError[];
}
/**
 * An order (RFC 8555 section 7.1.3). Times are in Unix seconds. The statuses `ready` and `invalid`
 * are computed.
 */
export interface OrderRow {
  readonly account: string;
  readonly directory: string;
  readonly profile?: string;
  /** The requested identifiers, normalized. */
  readonly identifiers: readonly AcmeIdentifier[];
  /** IDs of the authorizations, in the order of the identifiers. */
  readonly authorizations: readonly string[];
  readonly created: number;
  readonly expires: number;
  /** The requested notAfter. */
  readonly not_after?: number;
  readonly status: "pending" | "valid";
  /** Serial number of the certificate in hexadecimal, as in the key of its row. */
  readonly serial?: string;
  /** Expiry of the certificate. */
  readonly ends?: number;
  /** Identifier of the certificate to be replaced (RFC 9773 section 5), as sent. */
  readonly replaces?: string;
  /** Warnings about parts of the CSR that the certificate omits. */
  readonly warnings?: readonly string[];
  /** Set while the certificate is being stored in another partition. */
  readonly claim?: OrderClaim;
  readonly error?: AcmeError;
}
/** The certificate that is being stored for an order; other members as in {@link OrderRow}. */
export interface OrderClaim extends Pick<OrderRow, "warnings"> {
  /** ID of the claim, which differs between requests that choose the same serial number. */
  readonly id: string;
  readonly serial: string;
  readonly ends: number;
}
/** A challenge of an authorization (RFC 8555 section 8). */
export interface AcmeChallenge {
  /** Name of the challenge type; older rows may contain a type that no longer exists. */
  readonly type: string;
  /** Token; empty for challenge types without one. */
  readonly token: string;
  readonly status: "pending" | "processing" | "valid" | "invalid";
  /** Time of validation, Unix seconds. */
  readonly validated?: number;
  readonly error?: AcmeError;
  /** Number of failed attempts. */
  readonly attempts: number;
  /**
   * While `processing`, the time of the client's request to validate (Unix ms). Absent in rows of
   * earlier versions.
   */
  readonly accepted_ms?: number;
  /** While `processing`, the time of the next attempt (Unix ms). */
  readonly due_ms?: number;
  /** Set while a request verifies the client's response. */
  readonly claim?: ChallengeClaim;
}
/** The request that verifies the response to a challenge. */
export interface ChallengeClaim {
  readonly id: string;
  /** Time from which another request may take over the claim (Unix ms). */
  readonly until_ms: number;
}
/** The result of a device attestation. */
export interface AttestedKey {
  /** Name of the attestation format. */
  readonly format: string;
  /** Fingerprint of the attested public key, which the CSR must have. */
  readonly key: string;
  /** All identifiers of the device. Absent in rows of earlier versions. */
  readonly ids?: readonly string[];
}
/** An authorization (RFC 8555 section 7.1.4); times are Unix seconds. */
export interface AuthzRow {
  readonly account: string;
  readonly order: string;
  readonly directory: string;
  /** The identifier, without `*.` for a wildcard. */
  readonly identifier: AcmeIdentifier;
  readonly wildcard: boolean;
  /** `revoked` is computed, and never stored. */
  readonly status: "pending" | "valid" | "invalid" | "deactivated" | "revoked";
  readonly expires: number;
  /** Set if the account's binding made the authorization valid, without a challenge. */
  readonly preauthorized?: true;
  /** The attested key; set by device-attest-01. */
  readonly attested?: AttestedKey;
  readonly challenges: readonly AcmeChallenge[];
}
/**
 * The order that replaced a certificate (RFC 9773 section 5). The row is kept until that
 * certificate expires.
 */
interface ReplacedRow {
  readonly order: string;
}
/** The number of an account's failed attempts to validate a name within an hour. */
interface FailuresRow {
  readonly failed: number;
  /** End of the hour, Unix seconds. */
  readonly end: number;
}
/** Keys of ACME rows. */
export const acmeKeys = {
  eab: (id: string) => `${acmeBelow.eabs}${id}`,
  binding: (id: string) => `${acmeBelow.bindings}${id}`,
  /** Key prefix of a binding's uses, followed by a number. */
  bindingUses: (id: string) => `${acmeBelow.bindingUses}${id}/`,
  account: (id: string) => `${acmeBelow.accounts}${id}`,
  thumb: (thumbprint: string) => `${acmeBelow.thumbs}${thumbprint}`,
  order: (id: string) => `${acmeBelow.orders}${id}`,
  authz: (id: string) => `${acmeBelow.authorizations}${id}`,
  /** Key of a spent nonce; unspent nonces are not stored. */
  nonce: (nonce: string) => `${acmeBelow.nonces}${nonce}`,
  /**
   * Key of the row that records the replacement of a certificate, which belongs to an account. Only
   * this account can replace it.
   */
  replaced: (serial: Uint8Array, account: string) =>
    `${acmeBelow.replaced}${slotStart(account) ?? ""}${serialKey(serial)}`,
  /**
   * Key prefix of the rows that count accounts created from an address in an hour, followed by a
   * number. `hash` is the hexadecimal hash of the address, `hour` the number of hours since 1970.
   */
  address: (hash: string, hour: number) => `${acmeBelow.addresses}${hash}/${hour}/`,
  /** Key of the row with an account's failed attempts for a name. */
  failures: (account: string, name: string) => `${acmeBelow.failures}${account}/${name}`,
  /**
   * Key prefix of the rows that count an account's failed or unfinished attestations in an hour. A
   * number follows the prefix. `hour` is the number of hours since 1970.
   */
  attestations: (account: string, hour: number) => `${acmeBelow.attestations}${account}/${hour}/`,
  /** Returns the key that lists an account as `unused`, by network and order of registration. */
  unused: (id: string, { network = "", created }: Pick<AccountRow, "network" | "created">) =>
    `${acmeBelow.unused}${network}/${String(created).padStart(12, "0")}/${id}`,
  /** Key of the row that allows an account of another partition to be registered. */
  registration: (id: string) => `${acmeBelow.registrations}${id}`,
} as const;

/** Index names for ACME rows. {@link acmeIndexes.end} is in Unix seconds. */
export const acmeIndexes = {
  /** Orders by account. */
  orderAccount: "order_account",
  /** Orders that may still be completed, by {@link openOrder}. */
  orderOpen: "order_open",
  /** Orders that failed before they expired, by {@link openOrder}. */
  orderFailed: "order_failed",
  /** All orders, by their negated creation time (Unix seconds), so that the newest is first. */
  orderMade: "order_made",
  /** Time from which a row may be removed. */
  end: "acme_end",
  /** Authorizations with a pending validation, by account and time; see `dueKey`. */
  due: "validation_due",
} as const;

/**
 * Returns the index value of an order that may still be completed: its account, then its expiry.
 */
export const openOrder = (account: string, expires: number): string =>
  `${account} ${String(expires).padStart(12, "0")}`;
/**
 * Returns the index values of an order. `end` is the time from which the order may be removed (Unix
 * seconds). Only tidy removes an order with a certificate.
 */
export const orderIndex = (
  { account, created, status, expires }: OrderRow,
  end: number,
): MountIndex => ({
  [acmeIndexes.orderAccount]: account,
  [acmeIndexes.orderMade]: -created,
  ...(status === "pending"
    ? { [acmeIndexes.orderOpen]: openOrder(account, expires), [acmeIndexes.end]: end }
    : {}),
});
/**
 * Returns the index value of a pending validation. It starts with the account, so that all of an
 * account's validations can be skipped at once. `at` is the due time (Unix ms). Without `at`,
 * returns the common prefix of the account's validations.
 */
export const dueKey = (account: string, at?: number): string =>
  `${account}/${at === undefined ? "" : String(at).padStart(15, "0")}`;
/**
 * Returns the index values of an authorization. `end` is the time from which the authorization may
 * be removed (Unix seconds). `due` is its `dueKey`, present only while a challenge is `processing`.
 */
export const authzIndex = (end: number, due?: string): MountIndex => ({
  [acmeIndexes.end]: end,
  ...(due === undefined ? {} : { [acmeIndexes.due]: due }),
});

/** Decoders for stored ACME rows. */
export const storedAcme = {
  eab: rowReader<EabRow>({ directory: "", created: 0 }),
  binding: rowReader<BindingRow>({
    directory: "",
    created: 0,
    preauthorized: false,
    max_uses: 1,
  }),
  bindingUse: rowReader<BindingUseRow>({ account: "" }),
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
  failures: rowReader<FailuresRow>({ failed: 0, end: 0 }),
} as const;
