import type { MountIndex } from "../../base/mount-indexes.ts";
import { rowReader } from "../../engine/row-reader.ts";
import { configBytes, configRowsById, type ConfigValue } from "../../engine/snapshot.ts";
import { utf8 } from "../../base/bytes.ts";
import { crc32 } from "../../base/hashes.ts";
import { serialKey } from "../../base/ids.ts";
import { isPlainHostName, lowerAscii } from "../../base/names.ts";
import type { KeyType } from "../../algorithms/table.ts";
import type { IssuerId, KeyId } from "./record-ids.ts";

export type {
  CrlRow,
  DeltaRow,
  CrlSpreadRow,
  CrlSumRow,
  PageForm,
  PageSum,
  ListNeedRow,
  CrlNeedsRow,
  CrlNumberRow,
  ListedIssuerRow,
  SupersededRow,
} from "./crl-records.ts";

export type { IssuerId, KeyId } from "./record-ids.ts";
/** A reference to the managed key that backs a key of a mount (B 8). */
export interface ManagedRef {
  readonly uuid: string;
  readonly type: string;
  readonly name: string;
}
/**
 * A CA key. `sealed` is the private key (PKCS#8), sealed by the vault and bound to the mount and
 * the key's ID; it is empty for a managed key.
 */
export interface KeyRow {
  readonly id: KeyId;
  readonly name: string;
  readonly type: KeyType;
  readonly bits: number;
  readonly spki: Uint8Array;
  readonly sealed: Uint8Array;
  /** Whether the key was imported. */
  readonly imported?: true;
  /** The managed key that signs instead of a sealed key (B 8), if any. */
  readonly managed?: ManagedRef;
}
/** The usages of an issuer, in display order. */
export const usages = ["crl-signing", "issuing-certificates", "ocsp-signing", "read-only"] as const;
/** A usage of an issuer. */
export type Usage = (typeof usages)[number];
/** Handling of requests for certificates that would outlive their issuer (A 6.3). */
export type NotAfterBehavior = "err" | "truncate" | "permit" | "always_enforce_err";
/** The URLs in the certificates that an issuer issues. */
export interface UrlSet {
  readonly issuing_certificates: readonly string[];
  readonly crl_distribution_points: readonly string[];
  readonly delta_crl_distribution_points: readonly string[];
  readonly ocsp_servers: readonly string[];
}
/** Checks before a leaf is signed, each of which the operator can disable (A 6.10). */
interface IssuerChecks {
  readonly disable_critical_extension_checks: boolean;
  readonly disable_path_length_checks: boolean;
  readonly disable_name_checks: boolean;
  readonly disable_name_constraint_checks: boolean;
}
/** An issuer: a CA certificate of the mount, with its settings. */
export interface IssuerRow {
  readonly id: IssuerId;
  readonly name: string;
  /** ID of the issuer's key; "" if the mount does not have the key. */
  readonly key_id: KeyId | "";
  readonly der: Uint8Array;
  /** IDs of the issuers in the chain, starting with this one; rebuilt whenever issuers change. */
  readonly chain: readonly IssuerId[];
  readonly manual_chain: readonly IssuerId[];
  readonly leaf_not_after_behavior: NotAfterBehavior;
  readonly usage: readonly Usage[];
  readonly revocation_signature_algorithm: string;
  readonly urls: UrlSet;
  readonly enable_aia_url_templating: boolean;
  readonly checks: IssuerChecks;
  /**
   * Whether OCSP responds with `unknown` for serial numbers that the mount never issued, even if
   * `imported` (D 4).
   */
  readonly ocsp_unknown_serials: boolean;
  /**
   * Whether the issuer was imported with its key, and may therefore have issued certificates
   * unknown to the mount (D 4).
   */
  readonly imported?: true;
  /** Revocation time (Unix ms). */
  readonly revoked?: number;
  /** CRL set, 16 hexadecimal digits. Issuers with the same key and subject share a CRL. */
  readonly crl_set: string;
  /** Time of the last change that is visible to readers of the certificate or chain (Unix ms). */
  readonly modified: number;
}
/**
 * The delegated OCSP responder of an issuer. It is part of the configuration, so that an OCSP
 * response needs no additional read.
 */
export interface ResponderRow {
  readonly issuer: IssuerId;
  /** The responder's key, which no issuer uses. */
  readonly key: KeyRow;
  /** The responder's certificate. */
  readonly der: Uint8Array;
}
/**
 * An issued certificate. It is indexed by notAfter, notBefore, name, role, issuer and ACME account.
 */
export interface CertRow {
  readonly der: Uint8Array;
  /** CRC-32 of `der`; absent in older rows. */
  readonly crc?: number;
  /** ID of the issuer; "" if no issuer of the mount signed the certificate. */
  readonly issuer: IssuerId | "";
  readonly crl_set: string;
  readonly role: string;
  /** The CRL shard in the certificate's distribution points, `<n>-<i>`. Absent if there is none. */
  readonly shard?: string;
  /** ACME account and order for which the certificate was issued, if any. */
  readonly acme?: { readonly account: string; readonly order: string };
  /** ID of the certificate's lease, without the mount's path. Absent if none, and in older rows. */
  readonly lease?: string;
  /**
   * Time of the certificate's log entry (Unix ms). Absent if the mount had no log, and in older
   * rows.
   */
  readonly logged_at?: number;
}
/** A revocation. */
export interface RevokedRow {
  /** Time of revocation (Unix ms). */
  readonly at: number;
  readonly issuer: IssuerId | "";
  readonly crl_set: string;
  /** CRLReason of RFC 5280 section 5.3.1; absent when none was given. */
  readonly reason?: number;
  /**
   * True if the revocation is on no CRL, as for a self-signed issuer or an issuer whose own issuer
   * is not in this mount.
   */
  readonly unlisted?: true;
  /**
   * The shard whose pages contain the CRL entry, `<n>-<i>`. Absent if the entry is in pages without
   * a shard.
   */
  readonly shard?: string;
  /** Expiry of the certificate (Unix seconds); absent in older rows. */
  readonly not_after?: number;
}
/** A request to revoke a certificate that is not stored in this mount (B 1.1 rule 8). */
export interface RevocationRequestRow {
  /** Time of the request (Unix ms). */
  readonly at: number;
  /** CRLReason of RFC 5280 section 5.3.1; absent when none was given. */
  readonly reason?: number;
  /** Time at which the certificate was presented and revoked (Unix ms). */
  readonly confirmed?: number;
}
/** The state of the `newest` index (on notBefore), which versions up to 0.2 did not write. */
export interface NewestIndexRow {
  /** Whether the index also contains the certificates that those versions stored. */
  readonly done: boolean;
}
/** Metadata stored with a certificate. */
export interface MetadataRow {
  readonly issuer: IssuerId;
  readonly role: string;
  /** Expiry of the certificate (Unix seconds). */
  readonly not_after: number;
  /** The metadata, base64 as sent. Absent if empty. */
  readonly value?: string;
}

/** Name of the index for revocations that are on no CRL. */
export const unlistedIndex = "unlisted";

/** Key prefixes of a mount's rows. */
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
  crlNeeds: "crlneed/",
  superseded: "superseded/",
} as const;
const digits = (number: number, count: number): string => String(number).padStart(count, "0");
/** Keys of a mount's rows. */
export const keys = {
  config: (name: string) => `${rowPrefixes.config}${name}`,
  role: (name: string) => `${rowPrefixes.roles}${name}`,
  issuer: (id: IssuerId) => `${rowPrefixes.issuers}${id}`,
  /** Returns the keys of an issuer's row and of the rows that belong to the issuer. */
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
  /**
   * Returns the key prefix of a series of pages. `slot` is the slot of its certificates (`slotOf`).
   */
  crlPages: (group: string, slot?: string) =>
    slot === undefined
      ? `${rowPrefixes.crlPages}${group}/`
      : `${rowPrefixes.crlPages}${group}/${slot}/`,
  crl: (crlId: string) => `${rowPrefixes.crls}${crlId}`,
  crlSum: (crlId: string) => `${rowPrefixes.crlSums}${crlId}`,
  crlSpread: (group: string) => `crlspread/${group}`,
  /** Returns the key of a retention that expires at the end of `week`, counted from 1970. */
  listNeed: (set: string, shards: number, week: number, addresses: string) =>
    `${rowPrefixes.crlNeeds}${set}/${digits(shards, 3)}/${digits(week, 6)}/${addresses}`,
  crlNeedsKnown: "crlneeds",
  newestIndex: "search/newest",
  crlNumber: (crlId: string) => `crlnumber/${crlId}`,
  listedIssuer: (set: string, serial: Uint8Array) =>
    `${rowPrefixes.listedIssuers(set)}${serialKey(serial)}`,
  superseded: (crlId: string, number: number) =>
    `${rowPrefixes.superseded}${crlId}/${digits(number, 10)}`,
  crlChunk: (crlId: string, number: number, chunk: number) =>
    `crl/${crlId}/${digits(number, 10)}/${digits(chunk, 5)}`,
  crlChunks: (crlId: string, number?: number) =>
    number === undefined ? `crl/${crlId}/` : `crl/${crlId}/${digits(number, 10)}/`,
} as const;

/** Returns the row of a certificate with the checksum added. */
export const certRow = (row: Omit<CertRow, "crc">): CertRow => ({ ...row, crc: crc32(row.der) });
/**
 * Reports whether a stored certificate matches its checksum. Rows of older versions have no
 * checksum and count as intact.
 */
export const isIntact = ({ der, crc }: CertRow): boolean => crc === undefined || crc === crc32(der);

/**
 * Returns a name as a value of the `name` index: the first 253 octets of its UTF-8 encoding, one
 * character for each octet, with ASCII letters in lower case. Every store sorts such strings in the
 * same order.
 */
export function nameKey(name: string): string {
  if (isPlainHostName(name)) return name;
  // 254 characters are enough for 253 octets, even if the cut splits a surrogate pair
  return lowerAscii(String.fromCharCode(...utf8(name.slice(0, 254)).subarray(0, 253)));
}
/**
 * The indexed values of a certificate. `name` is the name under which a search finds it. The index
 * on `notBefore` lists the newest certificate first.
 */
interface Indexed extends Pick<CertRow, "role" | "issuer" | "acme"> {
  readonly notBefore: number;
  readonly notAfter: number;
  readonly name: string;
}
/**
 * Returns the value of a certificate in the `newest` index: its notBefore, negated because indexes
 * are in ascending order.
 */
export const newestValue = (notBefore: number): number => 0 - notBefore;
/** Returns the index values of a certificate row. */
export const certIndex = ({
  notBefore,
  notAfter,
  name,
  role,
  issuer,
  acme,
}: Indexed): MountIndex => ({
  not_after: notAfter,
  newest: newestValue(notBefore),
  name: nameKey(name),
  role,
  issuer,
  ...(acme ? { acme: acme.account } : {}),
});

/** Returns the batch entry that stores a new certificate: key, row and index values. */
export const certEntry = (
  serial: Uint8Array,
  row: Omit<CertRow, "crc">,
  indexed: Pick<Indexed, "notBefore" | "notAfter" | "name">,
) => [keys.cert(serial), certRow(row), certIndex({ ...row, ...indexed })] as const;

const nothing = new Uint8Array();
const noKey: KeyRow = { id: "", name: "", type: "rsa", bits: 0, spki: nothing, sealed: nothing };
/**
 * Parsers for the stored rows of keys, issuers, certificates and revocations, with defaults for
 * missing fields.
 */
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
/** The sealed HMAC key with which the mount generates serial numbers. */
export const sealedSerialKey = configBytes(keys.config("serial"));
