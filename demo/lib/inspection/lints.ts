import { tryRead } from "../../../src/base/try-read.ts";
import { certificateLintIds, lintCertificate } from "../../../src/lint/certificate.ts";
import { crlLintIds, lintCrl, maxLintedEntries } from "../../../src/lint/crl.ts";
import type { Finding } from "../../../src/lint/finding.ts";

/** The result of linting a certificate or CRL. */
export interface LintReport {
  readonly findings: readonly Finding[];
  /** A phrase with the number of checked rules and their sources. */
  readonly checked: string;
}

const report = (
  findings: readonly Finding[] | undefined,
  count: number,
  sources: string,
): LintReport | undefined =>
  findings && { findings, checked: `${count} rules checked (${sources})` };

/** Lints a DER certificate. Returns undefined if it cannot be parsed at all. */
export const certificateReport = (der: Uint8Array): LintReport | undefined =>
  report(
    tryRead(() => lintCertificate(der)),
    certificateLintIds.length,
    "RFC 5280, key algorithms, names, CA/Browser Forum requirements",
  );

/** Lints a DER CRL and its first entries. Returns undefined if it cannot be parsed at all. */
export const crlReport = (der: Uint8Array, entries: number): LintReport | undefined =>
  report(
    tryRead(() => lintCrl(der)),
    crlLintIds.length,
    entries > maxLintedEntries
      ? `RFC 5280, first ${maxLintedEntries.toLocaleString("en")} entries`
      : "RFC 5280",
  );
