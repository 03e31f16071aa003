import { alternativeNameLints } from "./alternative-name-lints.ts";
import { caLints } from "./ca-lints.ts";
import { extensionLints, isDetailed, valueLints } from "./extension-lints.ts";
import { fieldLints, signatureLints } from "./field-lints.ts";
import { findingsOf, type Finding, type Lint } from "./finding.ts";
import { keyLints } from "./key-lints.ts";
import { nameLints } from "./name-lints.ts";
import { policyLints } from "./policy-lints.ts";
import { readLintedCertificate, readLintedTbs, type LintedCertificate } from "./subject.ts";
import { urlLints } from "./url-lints.ts";
import { usageLints } from "./usage-lints.ts";

const specific: readonly Lint<LintedCertificate>[] = [
  ...fieldLints,
  ...signatureLints,
  ...keyLints,
  ...nameLints,
  ...extensionLints,
  ...alternativeNameLints,
  ...usageLints,
  ...caLints,
  ...policyLints,
  ...urlLints,
];

/** IDs of all certificate lints. */
export const certificateLintIds: readonly string[] = [...specific, ...valueLints].map(
  ([, id]) => id,
);

/**
 * Lints a certificate. Reports an extension value that cannot be parsed, unless another finding
 * describes the defect.
 */
function lint(certificate: LintedCertificate): readonly Finding[] {
  const findings = findingsOf(specific, certificate);
  const malformed = findingsOf(valueLints, certificate).filter(
    ({ id }) => !isDetailed(id, findings),
  );
  return [...malformed, ...findings];
}

/**
 * Returns the findings about a DER certificate, errors first. Throws `CaError` if it is not a
 * certificate.
 */
export const lintCertificate = (der: Uint8Array): readonly Finding[] =>
  lint(readLintedCertificate(der));

/**
 * Returns the findings about a TBSCertificate (DER), errors first. Throws `CaError` if it is not a
 * TBSCertificate.
 */
export const lintTbs = (tbs: Uint8Array): readonly Finding[] => lint(readLintedTbs(tbs));
