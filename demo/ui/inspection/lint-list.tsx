import type { JSX } from "preact";
import { certificateReport, crlReport, type LintReport } from "../../lib/inspection/lints.ts";
import { Icon } from "../icon.tsx";
import { severityMarks } from "../severity-marks.ts";

/** The result of linting a certificate, errors first. */
export const CertificateLints = ({ der }: { der: Uint8Array }): JSX.Element => (
  <Report of={certificateReport(der)} />
);

/** The result of linting a CRL, errors first. */
export const CrlLints = ({ der, entries }: { der: Uint8Array; entries: number }): JSX.Element => (
  <Report of={crlReport(der, entries)} />
);

/** Returns the number of findings by severity, such as "1 error, 2 notes". */
function counted(findings: LintReport["findings"]): string {
  return (["error", "warning", "info"] as const)
    .flatMap((severity) => {
      const count = findings.filter((one) => one.severity === severity).length;
      const word = severityMarks[severity][2].toLowerCase();
      return count === 0 ? [] : [`${count} ${word}${count === 1 ? "" : "s"}`];
    })
    .join(", ");
}

function Report({ of }: { of: LintReport | undefined }): JSX.Element {
  if (!of) return <p class="pad">Not checked: the structure cannot be parsed.</p>;
  const { findings, checked } = of;
  if (findings.length === 0)
    return (
      <p class="pad">
        <Icon name="check" tone="ok" /> {checked}, no defect found.
      </p>
    );
  return (
    <>
      <p class="pad small muted">
        {checked}. {counted(findings)}.
      </p>
      <ul class="trace">
        {findings.map(({ severity, section, id, rule }) => {
          const [icon, tone, word] = severityMarks[severity];
          return (
            <li key={id}>
              <Icon name={icon} tone={tone} />
              <div class="break">
                <span class="hidden-text">{word}: </span>
                {rule}
                <p class="small rule">
                  {section}, {id}
                </p>
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
