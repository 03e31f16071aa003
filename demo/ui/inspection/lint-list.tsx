import type { JSX } from "preact";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { lintsOf, ruleCount } from "../../lib/inspection/lints.ts";
import { lintWords } from "../verdict-outcome.ts";
import { Icon, type IconName, type Tone } from "../icon.tsx";

const marks: Readonly<Record<"error" | "warning" | "info", readonly [IconName, Tone, string]>> = {
  error: ["x", "danger", "Error"],
  warning: ["warn", "warn", "Warning"],
  info: ["info", "info", "Note"],
};

/** The lints of a certificate, errors first. */
export function LintList({ view }: { view: CertificateView }): JSX.Element {
  const found = lintsOf(view);
  if (found.length === 0)
    return (
      <p class="pad">
        <Icon name="check" tone="ok" /> {ruleCount} rules checked, no problem found.
      </p>
    );
  return (
    <>
      <p class="pad small muted">
        {ruleCount} rules checked, {found.length} {found.length === 1 ? "problem" : "problems"}{" "}
        found.
      </p>
      <ul class="trace">
        {found.map(({ severity, section, rule }) => {
          const [icon, tone, words] = marks[severity];
          return (
            <li key={section + rule}>
              <Icon name={icon} tone={tone} />
              <div>
                <span class="hidden-text">{words}: </span>
                {lintWords[rule] ?? rule}
                <p class="small rule">{section}</p>
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}
