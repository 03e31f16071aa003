import { bigintOf } from "../algorithms/form.ts";
import { equalBytes, toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { CaError } from "../base/errors.ts";
import { memoize } from "../base/memo.ts";
import { parseCrl, type Crl } from "../x509/crl.ts";
import { readAuthorityKeyIdentifier } from "../x509/key-identifiers.ts";
import { extensionOid } from "../x509/oid.ts";
import { crlEntries, type CrlEntry } from "./crl-entries.ts";
import { readCrlScope, type CrlScope } from "./crl-scope.ts";
import { valueOf } from "./parsed-certificate.ts";
import { nameKey, type PathCertificate } from "./path-certificate.ts";

/** A CRL with the extensions that determine its use. */
export interface LoadedCrl {
  readonly crl: Crl;
  /** Comparable name of the issuer. */
  readonly issuer: string;
  readonly authorityKeyId: string;
  readonly scope: CrlScope | undefined;
  readonly number: bigint | undefined;
  /** For a delta CRL, the number of the complete CRL on which it is based. */
  readonly base: bigint | undefined;
}

const processed: ReadonlySet<string> = new Set([
  extensionOid.issuingDistributionPoint,
  extensionOid.deltaCrlIndicator,
  extensionOid.crlNumber,
  extensionOid.authorityKeyIdentifier,
]);

/**
 * Parses a CRL for revocation checks. Throws `CaError` `malformed` if it cannot be parsed, or if it
 * must not be used because it has an unknown critical extension (RFC 5280 section 5.2).
 */
export function loadCrl(der: Uint8Array): LoadedCrl {
  const crl = parseCrl(der);
  const unknown = crl.extensions.find(({ oid, critical }) => critical && !processed.has(oid));
  if (unknown) throw new CaError("malformed", `CRL: unknown critical extension ${unknown.oid}`);
  const number = (oid: string) =>
    valueOf(crl, oid, (value) => bigintOf(readDer(value, "CRL number").unsigned("the number")));
  const above = valueOf(crl, extensionOid.authorityKeyIdentifier, readAuthorityKeyIdentifier);
  return {
    crl,
    issuer: nameKey(crl.issuer),
    authorityKeyId: toHex(above ?? new Uint8Array(0)),
    scope: valueOf(crl, extensionOid.issuingDistributionPoint, readCrlScope),
    number: number(extensionOid.crlNumber),
    base: number(extensionOid.deltaCrlIndicator),
  };
}

/**
 * Maximum total size of the entries to index, in bytes. Longer CRLs are searched entry by entry,
 * because an index would take too much memory.
 */
const maxIndexed = 8 * 1024 * 1024;

/**
 * Calls `visit` with each entry and the comparable name of its certificate's issuer. Throws
 * `CaError` `malformed` if an entry cannot be parsed or has an unknown critical extension.
 */
function eachEntry(
  { crl, issuer }: LoadedCrl,
  visit: (entry: CrlEntry, issuer: string) => void,
): void {
  let [name, key] = [crl.issuer, issuer];
  for (const entry of crlEntries(crl)) {
    if (entry.isUnknown)
      throw new CaError("malformed", "CRL: unknown critical extension in an entry");
    if (entry.certificateIssuer !== name)
      [name, key] = [entry.certificateIssuer, nameKey(entry.certificateIssuer)];
    visit(entry, key);
  }
}

/** The part of an entry that determines the status of a certificate. */
export type ListedRevocation = Pick<CrlEntry, "revokedAt" | "reason">;
/** Revocations by comparable name of the issuer, then by serial number in hexadecimal. */
type CrlIndex = ReadonlyMap<string, ReadonlyMap<string, ListedRevocation>>;

const indexOf = memoize((list: LoadedCrl): CrlIndex => {
  const index = new Map<string, Map<string, ListedRevocation>>();
  eachEntry(list, ({ serial, revokedAt, reason }, issuer) => {
    let ofIssuer = index.get(issuer);
    if (!ofIssuer) index.set(issuer, (ofIssuer = new Map()));
    ofIssuer.set(toHex(serial), { revokedAt, reason });
  });
  return index;
});

/** The CRLs that have been searched once. The second search builds the index. */
const searched = new WeakSet<LoadedCrl>();

/**
 * Returns the revocation of a certificate, or undefined if the CRL does not list it. Throws
 * `CaError` `malformed` if an entry cannot be parsed or has an unknown critical extension.
 */
export function findEntry(
  list: LoadedCrl,
  { certificate, issuer: issuerName }: Pick<PathCertificate, "certificate" | "issuer">,
): ListedRevocation | undefined {
  if (searched.has(list) && list.crl.entries.length <= maxIndexed)
    return indexOf(list).get(issuerName)?.get(toHex(certificate.serial));
  searched.add(list);
  let match: ListedRevocation | undefined;
  eachEntry(list, (entry, issuer) => {
    if (issuer === issuerName && equalBytes(entry.serial, certificate.serial)) match = entry;
  });
  return match;
}

/**
 * Reports whether a CRL is valid at a time (Unix seconds). A CRL without nextUpdate is never valid.
 */
export const isCurrent = (
  { thisUpdate, nextUpdate }: Pick<Crl, "thisUpdate" | "nextUpdate">,
  at: number,
): boolean => thisUpdate <= at && nextUpdate !== undefined && at <= nextUpdate;

/**
 * Reports whether a delta CRL extends a complete CRL (RFC 5280 section 5.2.4): both have the same
 * issuer, key identifier and scope, and compatible numbers.
 */
export function extendsCrl(delta: LoadedCrl, complete: LoadedCrl): boolean {
  const scopeOf = ({ crl }: LoadedCrl) =>
    valueOf(crl, extensionOid.issuingDistributionPoint, (value) => toHex(value));
  return (
    delta.base !== undefined &&
    delta.number !== undefined &&
    complete.number !== undefined &&
    delta.issuer === complete.issuer &&
    delta.authorityKeyId === complete.authorityKeyId &&
    scopeOf(delta) === scopeOf(complete) &&
    delta.base <= complete.number &&
    complete.number < delta.number
  );
}
