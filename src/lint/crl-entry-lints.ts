import { toHex } from "../base/bytes.ts";
import { readDer } from "../base/der.ts";
import { revocationReasons } from "../x509/crl.ts";
import { extensionOid } from "../x509/oid.ts";
import { isDelta, scopeOf, type LintedCrl, type LintedEntry } from "./crl-subject.ts";
import { readValue, titleOf } from "./extension-lints.ts";
import { serialDefect, timeLints } from "./field-lints.ts";
import { firstDefect, firstRepeated, when, type Lint } from "./finding.ts";
import { hasExtension } from "./subject.ts";

const reasonOf = (entry: LintedEntry): number | undefined =>
  readValue(entry, extensionOid.reasonCode, (value) =>
    readDer(value, "reason code").number("the code", 0x0a),
  );
const reasons: ReadonlySet<number> = new Set(Object.values(revocationReasons));
const label = ({ serial }: LintedEntry): string => `Entry ${toHex(serial)}`;
/** Returns a lint that checks each entry of a CRL. */
const eachEntry =
  (defect: (entry: LintedEntry, crl: LintedCrl) => string | undefined) =>
  (crl: LintedCrl): string | undefined =>
    firstDefect(crl.entries, (entry) => defect(entry, crl));
const isCritical = ({ extensions }: LintedEntry, oid: string, critical: boolean): boolean =>
  extensions.some((extension) => extension.oid === oid && extension.critical === critical);

const entryTimes = timeLints<LintedEntry>(
  "Time of revocation",
  "crl-entry-time",
  "RFC 5280 5.1.2.6",
  ({ revokedAt }) => revokedAt,
).map(([severity, id, section, defect]): Lint<LintedCrl> => [
  severity,
  id,
  section,
  eachEntry((entry) => {
    const problem = defect(entry);
    return problem && `${label(entry)}: ${problem}`;
  }),
]);

/** Lints of CRL entries. */
export const entryLints: readonly Lint<LintedCrl>[] = [
  [
    "error",
    "crl-entry-serial",
    "RFC 5280 4.1.2.2",
    eachEntry(({ serial }) => serialDefect(serial, "Entry with serial number")),
  ],
  [
    "error",
    "crl-entry-repeated",
    "RFC 5280 5.3",
    (crl) => {
      // in an indirect CRL, certificates issued by different CAs may have the same serial number
      if (scopeOf(crl)?.has(4)) return undefined;
      const seen = new Set<string>();
      const repeated = crl.entries
        .map(({ serial }) => toHex(serial))
        .find((serial) => seen.size === seen.add(serial).size);
      return repeated && `Serial number ${repeated} occurs twice`;
    },
  ],
  [
    "warning",
    "crl-entry-future",
    "RFC 5280 5.1.2.6",
    eachEntry((entry, { thisUpdate }) =>
      when(
        (entry.revokedAt.seconds ?? -Infinity) > (thisUpdate.seconds ?? Infinity),
        `${label(entry)}: revoked at ${entry.revokedAt.text}, after thisUpdate ${thisUpdate.text}`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-extensions-empty",
    "RFC 5280 5.1.2.6",
    eachEntry((entry) =>
      when(
        entry.hasExtensionList && entry.extensions.length === 0,
        `${label(entry)}: empty list of extensions`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-extension-repeated",
    "RFC 5280 5.3",
    eachEntry((entry) => {
      const repeated = firstRepeated(entry.extensions.map(({ oid }) => oid));
      return repeated && `${label(entry)}: ${titleOf(repeated)} occurs twice`;
    }),
  ],
  [
    "error",
    "crl-entry-reason-unknown",
    "RFC 5280 5.3.1",
    eachEntry((entry) => {
      const reason = reasonOf(entry);
      return when(
        reason !== undefined && !reasons.has(reason),
        `${label(entry)}: reason code ${reason ?? ""} is not defined`,
      );
    }),
  ],
  [
    "error",
    "crl-entry-reason-malformed",
    "RFC 5280 5.3.1",
    eachEntry((entry) =>
      when(
        hasExtension(entry, extensionOid.reasonCode) && reasonOf(entry) === undefined,
        `${label(entry)}: reason code that is not an ENUMERATED`,
      ),
    ),
  ],
  [
    "warning",
    "crl-entry-reason-unspecified",
    "RFC 5280 5.3.1",
    eachEntry((entry) =>
      when(
        reasonOf(entry) === revocationReasons.unspecified,
        `${label(entry)}: reason "unspecified", which should be absent`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-removed",
    "RFC 5280 5.3.1",
    eachEntry((entry, crl) =>
      when(
        reasonOf(entry) === revocationReasons.removeFromCRL && !isDelta(crl),
        `${label(entry)}: reason "removeFromCRL" in a complete CRL`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-reason-critical",
    "RFC 5280 5.3.1",
    eachEntry((entry) =>
      when(
        isCritical(entry, extensionOid.reasonCode, true),
        `${label(entry)}: critical reason code`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-invalidity-critical",
    "RFC 5280 5.3.2",
    eachEntry((entry) =>
      when(
        isCritical(entry, extensionOid.invalidityDate, true),
        `${label(entry)}: critical invalidity date`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-invalidity-malformed",
    "RFC 5280 5.3.2",
    eachEntry((entry) =>
      when(
        hasExtension(entry, extensionOid.invalidityDate) &&
          readValue(entry, extensionOid.invalidityDate, (value) =>
            readDer(value, "invalidity date").generalizedTime("the time"),
          ) === undefined,
        `${label(entry)}: invalidity date that is not a GeneralizedTime`,
      ),
    ),
  ],
  [
    "error",
    "crl-entry-issuer-not-critical",
    "RFC 5280 5.3.3",
    eachEntry((entry) =>
      when(
        isCritical(entry, extensionOid.certificateIssuer, false),
        `${label(entry)}: certificate issuer extension that is not critical`,
      ),
    ),
  ],
  ...entryTimes,
];
