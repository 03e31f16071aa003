import { Reader, readDer } from "../base/der.ts";
import type { Crl } from "../x509/crl.ts";
import { readExtensions, type Extension } from "../x509/extension.ts";
import { extensionOid } from "../x509/oid.ts";
import { readNames } from "../x509/san.ts";

/** An entry of a CRL. Times are in Unix seconds. */
export interface CrlEntry {
  /** Serial number, as the content of its INTEGER. */
  readonly serial: Uint8Array;
  readonly revokedAt: number;
  /** Reason code of RFC 5280 section 5.3.1, or 0 if the entry has none. */
  readonly reason: number;
  /** Time in the InvalidityDate extension, if any. */
  readonly invalidSince?: number;
  /**
   * Name (DER) of the certificate's issuer. In an indirect CRL, it differs from the CRL issuer's
   * name.
   */
  readonly certificateIssuer: Uint8Array;
  /**
   * Whether the entry has an unknown critical extension, in which case the CRL must not be used.
   */
  readonly isUnknown: boolean;
}

const handledExtensions: ReadonlySet<string> = new Set([
  extensionOid.reasonCode,
  extensionOid.invalidityDate,
  extensionOid.certificateIssuer,
]);

function readIssuer(extensions: readonly Extension[]): Uint8Array | undefined {
  const extension = extensions.find(({ oid }) => oid === extensionOid.certificateIssuer);
  if (!extension) return undefined;
  const names = readDer(extension.value, "certificate issuer").enter("GeneralNames");
  const [name] = readNames(names).directory;
  if (!name) throw names.refuse("has no directory name");
  return name;
}

function readEntry(list: Reader, issuer: Uint8Array): CrlEntry {
  const entry = list.enter("an entry");
  const serial = entry.unsigned("the serial number");
  const revokedAt = entry.time("the time");
  const extensions = entry.tag === undefined ? [] : readExtensions(entry);
  entry.end();
  const reason = extensions.find(({ oid }) => oid === extensionOid.reasonCode);
  const since = extensions.find(({ oid }) => oid === extensionOid.invalidityDate);
  return {
    serial,
    revokedAt,
    reason: reason ? readDer(reason.value, "reason code").number("the code", 0x0a) : 0,
    ...(since && {
      invalidSince: readDer(since.value, "invalidity date").generalizedTime("the time"),
    }),
    certificateIssuer: readIssuer(extensions) ?? issuer,
    isUnknown: extensions.some(({ oid, critical }) => critical && !handledExtensions.has(oid)),
  };
}

/**
 * Yields the parsed entries of a CRL, with their extensions (RFC 5280 section 5.3). Throws
 * `CaError` `malformed` at the first entry that cannot be parsed.
 */
export function* crlEntries(crl: Pick<Crl, "entries" | "issuer">): Generator<CrlEntry> {
  const list = new Reader(crl.entries, "CRL, revokedCertificates");
  let issuer = crl.issuer;
  while (list.tag !== undefined) {
    const entry = readEntry(list, issuer);
    // the certificate issuer also applies to the following entries
    issuer = entry.certificateIssuer;
    yield entry;
  }
}
