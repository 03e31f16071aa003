import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Finding, Step } from "../../lib/issuance-findings.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Icon } from "../../ui/icon.tsx";
import { severityMarks } from "../../ui/severity-marks.ts";
import { outcomeOf, outcomes, withoutAddresses } from "../../ui/verdict-outcome.ts";
import { visible } from "../../lib/visible-text.ts";

// loaded on demand, because only certificates without URLs need it
const MendUrlsOf = lazy<{ issuer: string }>(
  async () => (await import("../../ui/repair-urls.tsx")).RepairUrlsOf,
);

interface Props {
  steps: readonly Step[];
  /** The reason why the page cannot decide without the server. */
  unsure?: string;
  lint?: readonly Finding[];
  /** ID or name of the issuer. */
  issuer: string;
  /** A note that states whether the server or the page checked the request. */
  note: string;
  /** Whether the result is still that of an earlier input. */
  busy?: boolean;
}

/**
 * The expected result: the rejections first and, in a collapsible list, the rules that passed.
 * Screen readers announce the result after a short pause.
 */
export function Trace(props: Props): JSX.Element {
  const { steps, unsure = "", lint = [], issuer, note, busy = false } = props;
  const outcome = outcomeOf(steps, unsure, busy);
  const [announced, setAnnounced] = useState(outcome);
  useEffect(() => {
    if (busy) return;
    const timer = setTimeout(() => setAnnounced(outcome), 300);
    return () => clearTimeout(timer);
  }, [outcome, busy]);
  const passed = steps.filter(({ allowed }) => allowed);
  return (
    <section class="card" aria-label="Would this be allowed?">
      <h2 class="hidden-text">Would this be allowed?</h2>
      <div class={`outcome ${outcomes[outcome].tone} ${busy ? "stale" : ""}`}>
        <Icon name={outcomes[outcome].icon} />
        <span aria-hidden="true">{outcome}</span>
        <span class="hidden-text" role="status">
          {announced}
        </span>
      </div>
      <ul class={`trace ${busy ? "stale" : ""}`} aria-busy={busy}>
        {steps
          .filter(({ allowed }) => !allowed)
          .map((step, i) => (
            <StepRow key={`${i} ${step.what}`} {...step} />
          ))}
        {passed.length > 0 && <Passed steps={passed} />}
        <LintRows of={lint} issuer={issuer} />
        <li>
          <Icon name="info" tone="quiet" />
          <div>
            <span class="small muted">{unsure || note}</span>
          </div>
        </li>
      </ul>
    </section>
  );
}

/** A collapsible list of the rules that passed. */
function Passed({ steps }: { steps: readonly Step[] }): JSX.Element {
  return (
    <li>
      <Icon name="check" tone="ok" />
      <details>
        <summary>{steps.length === 1 ? "1 check passed" : `${steps.length} checks passed`}</summary>
        <ul class="passed">
          {steps.map(({ what, why, rule }, i) => (
            <li key={`${i} ${what}`} class="break">
              {visible(what)}: {visible(why)}
              <p class="small rule">{rule}</p>
            </li>
          ))}
        </ul>
      </details>
    </li>
  );
}

function StepRow({ what, why, rule }: Step): JSX.Element {
  return (
    <li>
      <Icon name="x" tone="danger" />
      <div class="break">
        {visible(what)}: {visible(why)}
        <p class="small rule">{rule}</p>
      </div>
    </li>
  );
}

/**
 * The lint findings. They do not cause a rejection, but point out problems that users of the
 * certificate will have.
 */
function LintRows({ of, issuer }: { of: readonly Finding[]; issuer: string }): JSX.Element {
  const last = of.findLast(({ id }) => withoutAddresses.has(id));
  return (
    <>
      {of.map((finding) => {
        const { severity, section, id, rule } = finding;
        const [icon, tone, word] = severityMarks[severity];
        return (
          <li key={id}>
            <Icon name={icon === "x" ? "warn" : icon} tone={tone} />
            <div class="break">
              <span class="hidden-text">{word}: </span>
              {visible(rule)}
              <p class="small rule">{section}</p>
              {finding === last && <MendUrlsOf issuer={issuer} />}
            </div>
          </li>
        );
      })}
    </>
  );
}
