import { toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { readAuthorityKeyIdentifier } from "../x509/key-identifiers.ts";
import { extensionOid } from "../x509/oid.ts";
import { entryLints } from "./crl-entry-lints.ts";
import { isDelta, readLintedCrl, scopeOf, type LintedCrl } from "./crl-subject.ts";
import { criticalityLints, generalLints, readValue, titleOf } from "./extension-lints.ts";
import { octetCount, signatureLints, timeLints } from "./field-lints.ts";
import { findingsOf, when, type Finding, type Lint } from "./finding.ts";
import { hasExtension, valueOf } from "./subject.ts";

const number = (crl: LintedCrl, oid: string): Uint8Array | undefined =>
  readValue(crl, oid, (value) => readDer(value, "CRL number").content("the number", 0x02));
const toBigint = (integer: Uint8Array): bigint => BigInt(`0x${toHex(integer) || "0"}`);

const [onlyUsers, onlyCas, onlyAttributes] = [1, 2, 5];
const year = 366 * 86400;

const fieldLints: readonly Lint<LintedCrl>[] = [
  [
    "error",
    "crl-version",
    "RFC 5280 5.1.2.1",
    ({ version }) => when(version !== 2, `CRL of version ${version}; version 2 required`),
  ],
  [
    "error",
    "crl-issuer-empty",
    "RFC 5280 5.1.2.3",
    ({ issuer }) => when(issuer.rdns.length === 0, "Empty issuer name"),
  ],
  [
    "error",
    "crl-next-update-missing",
    "RFC 5280 5.1.2.5",
    ({ nextUpdate }) => when(nextUpdate === undefined, "No nextUpdate"),
  ],
  [
    "error",
    "crl-next-update-order",
    "RFC 5280 5.1.2.5",
    ({ thisUpdate, nextUpdate }) =>
      when(
        (nextUpdate?.seconds ?? Infinity) <= (thisUpdate.seconds ?? -Infinity),
        `nextUpdate ${nextUpdate?.text ?? ""} is not after thisUpdate ${thisUpdate.text}`,
      ),
  ],
  [
    "warning",
    "crl-next-update-late",
    "CA/Browser Forum BR 7.2",
    ({ thisUpdate, nextUpdate }) => {
      const seconds = (nextUpdate?.seconds ?? 0) - (thisUpdate.seconds ?? Infinity);
      return when(
        seconds > year,
        `CRL current for ${Math.ceil(seconds / 86400)} days, during which clients do not learn of new revocations`,
      );
    },
  ],
  [
    "error",
    "crl-entries-empty",
    "RFC 5280 5.1.2.6",
    ({ hasEntryList, entries }) =>
      when(hasEntryList && entries.length === 0, "Empty list of entries; it must be absent"),
  ],
  [
    "error",
    "crl-extensions-empty",
    "RFC 5280 5.1.2.7",
    ({ hasExtensionList, extensions }) =>
      when(hasExtensionList && extensions.length === 0, "Empty list of extensions"),
  ],
  ...timeLints<LintedCrl>(
    "thisUpdate",
    "crl-this-update",
    "RFC 5280 5.1.2.4",
    ({ thisUpdate }) => thisUpdate,
  ),
  ...timeLints<LintedCrl>(
    "nextUpdate",
    "crl-next-update",
    "RFC 5280 5.1.2.5",
    ({ nextUpdate }) => nextUpdate,
    // this lint is not needed, because `readLintedCrl` reads only time types as nextUpdate
  ).filter(([, id]) => id !== "crl-next-update-type"),
];

/** Extensions that CRL clients support even if they are critical. */
const understood: ReadonlySet<string> = new Set([
  extensionOid.issuingDistributionPoint,
  extensionOid.deltaCrlIndicator,
  extensionOid.authorityKeyIdentifier,
  extensionOid.crlNumber,
]);

const extensionLints: readonly Lint<LintedCrl>[] = [
  ...generalLints("crl-", "RFC 5280 5.2"),
  ...criticalityLints([
    ["error", extensionOid.crlNumber, false, "RFC 5280 5.2.3"],
    ["error", extensionOid.deltaCrlIndicator, true, "RFC 5280 5.2.4"],
    ["error", extensionOid.issuingDistributionPoint, true, "RFC 5280 5.2.5"],
  ]),
  ...criticalityLints([
    ["error", extensionOid.authorityKeyIdentifier, false, "RFC 5280 5.2.1"],
    ["warning", extensionOid.issuerAltName, false, "RFC 5280 5.2.2"],
    ["error", extensionOid.freshestCrl, false, "RFC 5280 5.2.6"],
    ["error", extensionOid.authorityInfoAccess, false, "RFC 5280 5.2.7"],
  ]).map(([severity, id, section, defect]): Lint<LintedCrl> => [
    severity,
    `crl-${id}`,
    section,
    defect,
  ]),
  [
    "warning",
    "crl-extension-unknown-critical",
    "RFC 5280 5.2",
    ({ extensions }) => {
      const unknown = extensions.find(({ oid, critical }) => critical && !understood.has(oid));
      return (
        unknown && `${titleOf(unknown.oid)} is critical; clients that do not know it reject the CRL`
      );
    },
  ],
  [
    "error",
    "crl-number-missing",
    "RFC 5280 5.2.3",
    (crl) => when(!hasExtension(crl, extensionOid.crlNumber), "No CRL number"),
  ],
  [
    "error",
    "crl-number-malformed",
    "RFC 5280 5.2.3",
    (crl) => {
      const crlNumber = number(crl, extensionOid.crlNumber);
      if (crlNumber === undefined)
        return when(hasExtension(crl, extensionOid.crlNumber), "CRL number that is not an INTEGER");
      return (crlNumber[0] ?? 0) >= 0x80
        ? "Negative CRL number"
        : when(
            octetCount(crlNumber) > 20,
            `CRL number of ${octetCount(crlNumber)} octets; at most 20 allowed`,
          );
    },
  ],
  [
    "error",
    "crl-authority-key-identifier-missing",
    "RFC 5280 5.2.1",
    (crl) =>
      when(!hasExtension(crl, extensionOid.authorityKeyIdentifier), "No authority key identifier"),
  ],
  [
    "error",
    "crl-authority-key-identifier-empty",
    "RFC 5280 5.2.1",
    (crl) => {
      const value = valueOf(crl, extensionOid.authorityKeyIdentifier);
      return when(
        value !== undefined &&
          readValue(crl, extensionOid.authorityKeyIdentifier, readAuthorityKeyIdentifier) ===
            undefined,
        "Authority key identifier without a key identifier",
      );
    },
  ],
  [
    "error",
    "crl-scope-empty",
    "RFC 5280 5.2.5",
    (crl) => when(scopeOf(crl)?.size === 0, "Issuing distribution point without fields"),
  ],
  [
    "error",
    "crl-scope-exclusive",
    "RFC 5280 5.2.5",
    (crl) => {
      const scope = scopeOf(crl);
      const only = [onlyUsers, onlyCas, onlyAttributes].filter((field) => scope?.has(field));
      return when(
        only.length > 1,
        "Issuing distribution point for several of: user certificates only, CA certificates only, attribute certificates only",
      );
    },
  ],
  [
    "error",
    "crl-delta-order",
    "RFC 5280 5.2.4",
    (crl) => {
      const [own, base] = [extensionOid.crlNumber, extensionOid.deltaCrlIndicator].map((oid) =>
        number(crl, oid),
      );
      return own && base
        ? when(
            toBigint(base) >= toBigint(own),
            `Delta CRL ${toBigint(own)} that extends CRL ${toBigint(base)}, which is not older`,
          )
        : undefined;
    },
  ],
  [
    "error",
    "crl-delta-freshest",
    "RFC 5280 5.2.6",
    (crl) =>
      when(
        isDelta(crl) && hasExtension(crl, extensionOid.freshestCrl),
        "Delta CRL with the URL of a delta CRL",
      ),
  ],
];

const lints: readonly Lint<LintedCrl>[] = [
  ...fieldLints,
  ...signatureLints.map(([severity, id, section, defect]): Lint<LintedCrl> => [
    severity,
    `crl-${id}`,
    section,
    defect,
  ]),
  ...extensionLints,
  ...entryLints,
];

export { maxLintedEntries } from "./crl-subject.ts";

/** IDs of all CRL lints. */
export const crlLintIds: readonly string[] = lints.map(([, id]) => id);

/**
 * Returns the findings about a DER CRL, errors first. Checks only the first `maxLintedEntries`
 * entries. Throws `CaError` if it is not a CRL.
 */
export const lintCrl = (der: Uint8Array): readonly Finding[] =>
  findingsOf(lints, readLintedCrl(der));
