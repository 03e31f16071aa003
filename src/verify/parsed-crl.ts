import { bigintOf } from "../algorithms/form.ts";
import { colonHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { encodePem } from "../base/pem.ts";
import { parseCrl as parseDer, revocationReasons } from "../x509/crl.ts";
import type { Extension } from "../x509/extension.ts";
import { readAuthorityKeyIdentifier } from "../x509/key-identifiers.ts";
import { extensionOid } from "../x509/oid.ts";
import { algorithmName } from "../x509/public-key.ts";
import { crlEntries, type CrlEntry } from "./crl-entries.ts";
import { allReasons, readCrlScope } from "./crl-scope.ts";
import { crlInput, firstDer, type DerInput } from "./input.ts";
import { valueOf } from "./parsed-certificate.ts";
import { parseDistinguishedName, type DistinguishedName } from "./parsed-name.ts";

/** Name of a revocation reason. */
export type RevocationReason = keyof typeof revocationReasons;

/** A revoked certificate in a CRL. */
export interface ParsedRevocation {
  /** Serial number: lower-case hexadecimal pairs joined by colons. */
  readonly serialNumber: string;
  /** Time of revocation. */
  readonly revokedAt: Date;
  /** Revocation reason; `unspecified` if the entry has no reason code or an unknown one. */
  readonly reason: RevocationReason;
  /**
   * Invalidity date, if the entry has one: the time since which the certificate may have been
   * invalid.
   */
  readonly invalidSince: Date | undefined;
}

/** The certificates that a CRL covers. An undefined member means that there is no restriction. */
export interface ParsedCrlScope {
  /** URLs of the distribution point; empty if the CRL is not limited to a distribution point. */
  readonly urls: readonly string[];
  /** The only kind of certificates that the CRL covers. */
  readonly only: "user" | "ca" | "attribute" | undefined;
  /** The only revocation reasons that the CRL covers. */
  readonly reasons: ReadonlySet<RevocationReason> | undefined;
  /** Whether the CRL may list certificates issued by other CAs. */
  readonly isIndirect: boolean;
}

/** A CRL as typed data. */
export interface ParsedCrl {
  /** DER-encoded CRL. */
  readonly der: Uint8Array;
  /** PEM-encoded CRL. */
  readonly pem: string;
  /** Name of the issuer. */
  readonly issuer: DistinguishedName;
  /** Time at which the CRL was issued. */
  readonly thisUpdate: Date;
  /** Time by which the next CRL will be issued, if the CRL states that time. */
  readonly nextUpdate: Date | undefined;
  /** CRL number, or undefined if there is no such extension. */
  readonly number: bigint | undefined;
  /** For a delta CRL, the number of the complete CRL on which it is based. */
  readonly baseNumber: bigint | undefined;
  /** The certificates that the CRL covers. */
  readonly scope: ParsedCrlScope;
  /**
   * Name of the signature algorithm, such as `ECDSAWithSHA256`, or its object identifier if the
   * name is unknown.
   */
  readonly signatureAlgorithm: string;
  /** Authority key identifier: hexadecimal pairs joined by colons. */
  readonly authorityKeyIdentifier: string | undefined;
  /** The revoked certificates. */
  readonly revoked: readonly ParsedRevocation[];
  /** All extensions as encoded. */
  readonly extensions: readonly Extension[];
}

const reasonNames = new Map<number, RevocationReason>(
  // the keys of the table are the names
  (Object.keys(revocationReasons) as RevocationReason[]).map((name) => [
    revocationReasons[name],
    name,
  ]),
);

/** Returns the name of the given reason code, or `unspecified` for an unknown code. */
export const reasonName = (code: number): RevocationReason =>
  reasonNames.get(code) ?? "unspecified";

/**
 * Parses a CRL of up to 64 MiB and all its entries strictly (RFC 5280 section 5). Does not verify
 * its signature; see `verify`. Throws `CaError` `malformed` if it cannot be parsed, and `TypeError`
 * for an input of another type.
 */
export function parseCrl(input: DerInput): ParsedCrl {
  const crl = parseDer(firstDer(input, crlInput));
  const number = (oid: string) =>
    valueOf(crl, oid, (value) => bigintOf(readDer(value, "CRL number").unsigned("the number")));
  const above = valueOf(crl, extensionOid.authorityKeyIdentifier, readAuthorityKeyIdentifier);
  return {
    der: crl.der,
    pem: encodePem("X509 CRL", crl.der),
    issuer: parseDistinguishedName(crl.issuer),
    thisUpdate: dateOf(crl.thisUpdate),
    nextUpdate: crl.nextUpdate === undefined ? undefined : dateOf(crl.nextUpdate),
    number: number(extensionOid.crlNumber),
    baseNumber: number(extensionOid.deltaCrlIndicator),
    scope: scopeOf(valueOf(crl, extensionOid.issuingDistributionPoint, readCrlScope)),
    signatureAlgorithm: algorithmName(crl.algorithm),
    authorityKeyIdentifier: above && colonHex(above),
    revoked: [...crlEntries(crl)].map(revocationOf),
    extensions: crl.extensions,
  };
}

const dateOf = (seconds: number): Date => new Date(seconds * 1000);

const revocationOf = ({ serial, revokedAt, reason, invalidSince }: CrlEntry): ParsedRevocation => ({
  serialNumber: colonHex(serial),
  revokedAt: dateOf(revokedAt),
  reason: reasonName(reason),
  invalidSince: invalidSince === undefined ? undefined : dateOf(invalidSince),
});

function scopeOf(scope: ReturnType<typeof readCrlScope> | undefined): ParsedCrlScope {
  if (!scope) return { urls: [], only: undefined, reasons: undefined, isIndirect: false };
  const { name, reasons } = scope;
  const only = scope.onlyUserCertificates
    ? "user"
    : scope.onlyCaCertificates
      ? "ca"
      : scope.onlyAttributeCertificates
        ? "attribute"
        : undefined;
  const named = [...reasonFlags].filter(([bit]) => (reasons & (1 << bit)) !== 0);
  return {
    urls: name && "full" in name ? name.full.uri : [],
    only,
    reasons: reasons === allReasons ? undefined : new Set(named.map(([, reason]) => reason)),
    isIndirect: scope.indirect,
  };
}

/**
 * Names of the bits of ReasonFlags, which differ from the reason codes of entries (RFC 5280 section
 * 4.2.1.13).
 */
const reasonFlags = new Map<number, RevocationReason>([
  [1, "keyCompromise"],
  [2, "cACompromise"],
  [3, "affiliationChanged"],
  [4, "superseded"],
  [5, "cessationOfOperation"],
  [6, "certificateHold"],
  [7, "privilegeWithdrawn"],
  [8, "aACompromise"],
]);
