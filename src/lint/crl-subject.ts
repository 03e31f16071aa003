import { readDer, Reader } from "../base/der.ts";
import { extensionOid } from "../x509/oid.ts";
import { readValue } from "./extension-lints.ts";
import {
  hasExtension,
  readLintedExtensions,
  readLintedName,
  readLintedTime,
  type LintedExtension,
  type LintedName,
  type LintedTime,
} from "./subject.ts";

/** A CRL entry, as encoded. */
export interface LintedEntry {
  readonly serial: Uint8Array;
  readonly revokedAt: LintedTime;
  readonly hasExtensionList: boolean;
  readonly extensions: readonly LintedExtension[];
}
/** A CRL, as encoded. It is parsed without the checks of `parseCrl`. */
export interface LintedCrl {
  readonly version: number;
  readonly algorithm: Uint8Array;
  readonly outerAlgorithm: Uint8Array;
  readonly issuer: LintedName;
  readonly thisUpdate: LintedTime;
  readonly nextUpdate?: LintedTime;
  readonly hasEntryList: boolean;
  /** The first `maxLintedEntries` entries. */
  readonly entries: readonly LintedEntry[];
  readonly hasExtensionList: boolean;
  readonly extensions: readonly LintedExtension[];
}

/** Maximum number of entries that lints read, so that they take at most about a second. */
export const maxLintedEntries = 50_000;
/** Maximum size of a CRL in bytes, as in `parseCrl`. */
const limit = 64 * 1024 * 1024;

function readEntries(content: Uint8Array): readonly LintedEntry[] {
  const list = new Reader(content, "CRL, revokedCertificates");
  const entries: LintedEntry[] = [];
  while (list.tag !== undefined && entries.length < maxLintedEntries) {
    const entry = list.enter("an entry");
    const serial = entry.content("the serial number", 0x02);
    const revokedAt = readLintedTime(entry, "the time");
    const hasExtensionList = entry.tag !== undefined;
    entries.push({
      serial,
      revokedAt,
      hasExtensionList,
      extensions: hasExtensionList ? readLintedExtensions(entry) : [],
    });
  }
  return entries;
}

const isTimeTag = (tag: number | undefined): boolean => tag === 0x17 || tag === 0x18;

/** Parses a CRL leniently. Throws `CaError` if it is not a CRL. */
export function readLintedCrl(der: Uint8Array): LintedCrl {
  const outer = readDer(der, "CRL", limit).enter("CertificateList");
  const tbs = outer.enter("TBSCertList");
  const outerAlgorithm = outer.raw("the signature algorithm", 0x30);
  const version = tbs.tag === 0x02 ? tbs.number("the version") + 1 : 1;
  const algorithm = tbs.raw("the signature algorithm", 0x30);
  const issuer = readLintedName(tbs.raw("the issuer", 0x30));
  const thisUpdate = readLintedTime(tbs, "thisUpdate");
  const nextUpdate = isTimeTag(tbs.tag) ? readLintedTime(tbs, "nextUpdate") : undefined;
  const hasEntryList = tbs.tag === 0x30;
  const entries = hasEntryList ? readEntries(tbs.content("revokedCertificates", 0x30)) : [];
  const list = tbs.optional("crlExtensions", 0xa0);
  return {
    version,
    algorithm,
    outerAlgorithm,
    issuer,
    thisUpdate,
    ...(nextUpdate && { nextUpdate }),
    hasEntryList,
    entries,
    hasExtensionList: list !== undefined,
    extensions: list ? readLintedExtensions(list) : [],
  };
}

/** Reports whether a CRL is a delta CRL. */
export const isDelta = (crl: LintedCrl): boolean =>
  hasExtension(crl, extensionOid.deltaCrlIndicator);

/**
 * Returns the fields of a CRL's issuing distribution point by context tag number, or undefined if
 * the extension is absent or malformed.
 */
export const scopeOf = (crl: LintedCrl): ReadonlyMap<number, Uint8Array> | undefined =>
  readValue(crl, extensionOid.issuingDistributionPoint, (value) => {
    const point = readDer(value, "issuing distribution point").enter("IssuingDistributionPoint");
    const fields = new Map<number, Uint8Array>();
    while (point.tag !== undefined) {
      const { tag, content } = point.element("a field");
      fields.set(tag & 0x1f, content);
    }
    return fields;
  });
