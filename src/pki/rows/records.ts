import { rowReader } from "../../engine/row-reader.ts";
import { configBytes, configRowsById, type ConfigValue } from "../../engine/snapshot.ts";
import { utf8 } from "../../base/bytes.ts";
import { crc32 } from "../../base/hashes.ts";
import { serialKey } from "../../base/ids.ts";
import { isPlainHostName, lowerAscii } from "../../base/names.ts";
import type { KeyType } from "../../algorithms/table.ts";
import type { Index } from "../../engine/ports.ts";
import type { IssuerId, KeyId } from "./record-ids.ts";

export type {
  CrlRow,
  DeltaRow,
  CrlSumRow,
  PageSum,
  ListNeedRow,
  ListNeedsRow,
  CrlNumberRow,
  ListedIssuerRow,
  SupersededRow,
} from "./crl-records.ts";

export type { IssuerId, KeyId } from "./record-ids.ts";
/** The managed key behind a key of a mount (B 8). */
export interface ManagedRef {
  readonly uuid: string;
  readonly type: string;
  readonly name: string;
}
/**
 * A CA key. `sealed` is the PKCS#8 sealed by the vault, bound to the mount and the key's id; empty
 * for a managed key.
 */
export interface KeyRow {
  readonly id: KeyId;
  readonly name: string;
  readonly type: KeyType;
  readonly bits: number;
  readonly spki: Uint8Array;
  readonly sealed: Uint8Array;
  /** Whether it was imported. */
  readonly imported?: true;
  /** The external key that signs (B 8), if any. */
  readonly managed?: ManagedRef;
}
/** The usages of an issuer, in display order. */
export const usages = ["crl-signing", "issuing-certificates", "ocsp-signing", "read-only"] as const;
/** A usage of an issuer. */
export type Usage = (typeof usages)[number];
/** The treatment of certificates that would outlive their issuer (A 6.3). */
export type NotAfterBehavior = "err" | "truncate" | "permit" | "always_enforce_err";
/** URLs in certificates. */
export interface UrlSet {
  readonly issuing_certificates: readonly string[];
  readonly crl_distribution_points: readonly string[];
  readonly delta_crl_distribution_points: readonly string[];
  readonly ocsp_servers: readonly string[];
}
/** Checks before signing a leaf, each of which an operator can disable (A 6.10). */
interface IssuerChecks {
  readonly disable_critical_extension_checks: boolean;
  readonly disable_path_length_checks: boolean;
  readonly disable_name_checks: boolean;
  readonly disable_name_constraint_checks: boolean;
}
/** A CA certificate of the mount with its settings. */
export interface IssuerRow {
  readonly id: IssuerId;
  readonly name: string;
  /** Id of its key; "" if the mount does not have the key. */
  readonly key_id: KeyId | "";
  readonly der: Uint8Array;
  /** Ids of the chain, starting with itself; rebuilt whenever issuers change. */
  readonly chain: readonly IssuerId[];
  readonly manual_chain: readonly IssuerId[];
  readonly leaf_not_after_behavior: NotAfterBehavior;
  readonly usage: readonly Usage[];
  readonly revocation_signature_algorithm: string;
  readonly urls: UrlSet;
  readonly enable_aia_url_templating: boolean;
  readonly checks: IssuerChecks;
  /**
   * Whether OCSP answers `unknown` for serials that the mount never issued, even if `imported` (D
   * 4).
   */
  readonly ocsp_unknown_serials: boolean;
  /**
   * Whether it was imported with its key, so that it may have issued certificates unknown to the
   * mount (D 4).
   */
  readonly imported?: true;
  /** Revocation time (Unix ms). */
  readonly revoked?: number;
  /** CRL set, 16 hexadecimal digits. Issuers with the same key and subject share a CRL. */
  readonly crl_set: string;
  /** Time of the last change that is visible to readers of the certificate (Unix ms). */
  readonly modified: number;
}
/**
 * The delegated OCSP responder of an issuer. Part of the configuration, so that an OCSP response
 * needs no additional read.
 */
export interface ResponderRow {
  readonly issuer: IssuerId;
  /** The responder's own key, which no issuer uses. */
  readonly key: KeyRow;
  /** The responder's certificate. */
  readonly der: Uint8Array;
}
/**
 * An issued certificate. Index values: expiry, start of validity, searchable name, role, issuer,
 * and ACME account.
 */
export interface CertRow {
  readonly der: Uint8Array;
  /** CRC-32 of `der`; absent in older rows. */
  readonly crc?: number;
  /** Id of the issuer; "" if no issuer of the mount signed it. */
  readonly issuer: IssuerId | "";
  readonly crl_set: string;
  readonly role: string;
  /** The shard in its distribution points, `<n>-<i>`; absent if none. */
  readonly shard?: string;
  /** ACME account and order for which it was issued, if any. */
  readonly acme?: { readonly account: string; readonly order: string };
  /** Time of its log entry (Unix ms); absent without a log, and in older rows. */
  readonly logged_at?: number;
}
/** A revocation. */
export interface RevokedRow {
  /** Unix milliseconds. */
  readonly at: number;
  readonly issuer: IssuerId | "";
  readonly crl_set: string;
  /** CRLReason of RFC 5280 section 5.3.1; absent when none was given. */
  readonly reason?: number;
  /**
   * Whether it is on no CRL, as for a self-signed issuer or one whose parents are not in this
   * mount.
   */
  readonly unlisted?: true;
  /** The shard whose pages contain its entry, `<n>-<i>`; absent for pages without a shard. */
  readonly shard?: string;
  /** Expiry (Unix seconds); absent in older rows. */
  readonly not_after?: number;
}
/** A request to revoke a certificate that is not stored in this mount (B 1.1 rule 8). */
export interface RevocationRequestRow {
  /** Unix milliseconds. */
  readonly at: number;
  /** CRLReason of RFC 5280 section 5.3.1; absent when none was given. */
  readonly reason?: number;
  /** Time when the certificate arrived and was revoked (Unix ms). */
  readonly confirmed?: number;
}
/** The state of the index by start of validity, which versions up to 0.2 did not write. */
export interface NewestIndexRow {
  /** Whether the certificates of earlier versions are in it too. */
  readonly done: boolean;
}
/** Metadata stored with a certificate. */
export interface MetadataRow {
  readonly issuer: IssuerId;
  readonly role: string;
  /** Unix seconds. */
  readonly not_after: number;
  /** Base64 as sent; absent if empty. */
  readonly value?: string;
}

/** Name of the index of revocations that are on no CRL. */
export const unlistedIndex = "unlisted";

/** Key prefixes of the rows of a mount that may be listed in thousands. */
export const rowPrefixes = {
  config: "config/",
  responders: "config/responder/",
  roles: "role/",
  issuers: "issuer/",
  keys: "key/",
  certs: "cert/",
  metadata: "metadata/",
  revoked: "revoked/",
  revocationRequests: "revocation-queue/",
  listed: "revokedissuer/",
  listedIssuers: (set: string) => `${rowPrefixes.listed}${set}/`,
  crlPages: "crlpage/",
  crlSums: "crlsum/",
  crls: "crlstate/",
  crlChunks: "crl/",
  listNeeds: "crlneed/",
  superseded: "superseded/",
} as const;
const digits = (number: number, count: number): string => String(number).padStart(count, "0");
/** Keys of a mount's rows. */
export const keys = {
  config: (name: string) => `${rowPrefixes.config}${name}`,
  role: (name: string) => `${rowPrefixes.roles}${name}`,
  issuer: (id: IssuerId) => `${rowPrefixes.issuers}${id}`,
  /** Keys of an issuer's row, and of the rows that belong to it. */
  ofIssuer: (id: IssuerId) => [keys.issuer(id), keys.responder(id)],
  responder: (id: IssuerId) => `${rowPrefixes.responders}${id}`,
  issuerName: (name: string) => `name/issuer/${name}`,
  key: (id: KeyId) => `${rowPrefixes.keys}${id}`,
  keyName: (name: string) => `name/key/${name}`,
  cert: (serial: Uint8Array) => `${rowPrefixes.certs}${serialKey(serial)}`,
  metadata: (serial: Uint8Array) => `${rowPrefixes.metadata}${serialKey(serial)}`,
  revoked: (serial: Uint8Array) => `${rowPrefixes.revoked}${serialKey(serial)}`,
  revocationRequest: (serial: Uint8Array) =>
    `${rowPrefixes.revocationRequests}${serialKey(serial)}`,
  crlPages: (group: string) => `${rowPrefixes.crlPages}${group}/`,
  crl: (list: string) => `${rowPrefixes.crls}${list}`,
  crlSum: (list: string) => `${rowPrefixes.crlSums}${list}`,
  /** `week`: number of the week since 1970 at whose end the retention ends. */
  listNeed: (set: string, shards: number, week: number, addresses: string) =>
    `${rowPrefixes.listNeeds}${set}/${digits(shards, 3)}/${digits(week, 6)}/${addresses}`,
  listNeedsKnown: "crlneeds",
  newestIndex: "search/newest",
  crlNumber: (list: string) => `crlnumber/${list}`,
  listedIssuer: (set: string, serial: Uint8Array) =>
    `${rowPrefixes.listedIssuers(set)}${serialKey(serial)}`,
  superseded: (list: string, number: number) =>
    `${rowPrefixes.superseded}${list}/${digits(number, 10)}`,
  crlChunk: (list: string, number: number, chunk: number) =>
    `crl/${list}/${digits(number, 10)}/${digits(chunk, 5)}`,
  crlChunks: (list: string, number?: number) =>
    number === undefined ? `crl/${list}/` : `crl/${list}/${digits(number, 10)}/`,
} as const;

/** Returns the row of a certificate with its checksum. */
export const certRow = (row: Omit<CertRow, "crc">): CertRow => ({ ...row, crc: crc32(row.der) });
/**
 * Reports whether the bytes of a stored certificate match their checksum; rows of older versions
 * have none and count as intact.
 */
export const isIntact = ({ der, crc }: CertRow): boolean => crc === undefined || crc === crc32(der);

/**
 * Returns a name as in the index `name`: the first 253 octets of its UTF-8, one character each,
 * with ASCII letters in lower case. Every store sorts such texts in the same order.
 */
export function nameKey(name: string): string {
  if (isPlainHostName(name)) return name;
  // one more character than octets is enough, and avoids splitting a surrogate pair
  return lowerAscii(String.fromCharCode(...utf8(name.slice(0, 254)).subarray(0, 253)));
}
/**
 * The indexed values of a certificate. `name`: the name by which a search finds it; `notBefore`
 * sorts the latest certificate first.
 */
interface Indexed extends Pick<CertRow, "role" | "issuer" | "acme"> {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly name: string;
}
/** Returns the value of a start of validity in the index `newest`, whose order is ascending. */
export const newestValue = (notBefore: number): number => 0 - notBefore;
/** Returns the index values of a certificate row. */
export const certIndex = ({ notBefore, notAfter, name, role, issuer, acme }: Indexed): Index => ({
  not_after: notAfter,
  newest: newestValue(notBefore),
  name: nameKey(name),
  role,
  issuer,
  ...(acme ? { acme: acme.account } : {}),
});

/**
 * Returns the batch entry of a new certificate: key, row and index values. `name`: as in
 * `certIndex`.
 */
export const certEntry = (
  serial: Uint8Array,
  row: Omit<CertRow, "crc">,
  indexed: Pick<Indexed, "notBefore" | "notAfter" | "name">,
) => [keys.cert(serial), certRow(row), certIndex({ ...row, ...indexed })] as const;

const nothing = new Uint8Array();
const noKey: KeyRow = { id: "", name: "", type: "rsa", bits: 0, spki: nothing, sealed: nothing };
/** Readers of the rows of keys, issuers, certificates and revocations. */
export const storedPki = {
  key: rowReader<KeyRow>(noKey),
  responder: rowReader<ResponderRow>({ issuer: "", key: noKey, der: nothing }),
  issuer: rowReader<IssuerRow>({
    id: "",
    name: "",
    key_id: "",
    der: nothing,
    chain: [],
    manual_chain: [],
    leaf_not_after_behavior: "err",
    usage: usages,
    revocation_signature_algorithm: "",
    urls: {
      issuing_certificates: [],
      crl_distribution_points: [],
      delta_crl_distribution_points: [],
      ocsp_servers: [],
    },
    enable_aia_url_templating: false,
    checks: {
      disable_critical_extension_checks: false,
      disable_path_length_checks: false,
      disable_name_checks: false,
      disable_name_constraint_checks: false,
    },
    ocsp_unknown_serials: false,
    crl_set: "",
    modified: 0,
  }),
  cert: rowReader<CertRow>({ der: nothing, issuer: "", crl_set: "", role: "" }),
  metadata: rowReader<MetadataRow>({ issuer: "", role: "", not_after: 0 }),
  revoked: rowReader<RevokedRow>({ at: 0, issuer: "", crl_set: "" }),
  revocationRequest: rowReader<RevocationRequestRow>({ at: 0 }),
  newestIndex: rowReader<NewestIndexRow>({ done: false }),
} as const;

/** The issuers of a mount. */
export const issuersById = configRowsById<IssuerRow>(rowPrefixes.issuers, storedPki.issuer);
/** The CA keys of a mount. */
export const keysById = configRowsById<KeyRow>(rowPrefixes.keys, storedPki.key);
/** Delegated OCSP responders, by issuer. */
export const respondersById: ConfigValue<ReadonlyMap<IssuerId, ResponderRow>> = {
  parse: (rows) =>
    new Map(
      rows
        .below(rowPrefixes.responders)
        .map(([, { value }]) => storedPki.responder(value))
        .map((row) => [row.issuer, row]),
    ),
};
/** Sealed HMAC key for the mount's serial numbers. */
export const sealedSerialKey = configBytes(keys.config("serial"));
