import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../parts/icon.tsx";
import type { Judged } from "../verdict.ts";

/** One judged part of a request. */
export type Step = Judged & { readonly what: string };

/** The answer that the authority would give, rule by rule. Spoken when it has stood still for a moment. */
export function Trace({ steps, unsure = "" }: { steps: readonly Step[]; unsure?: string }): JSX.Element {
  const good = steps.length > 0 && steps.every(({ allowed }) => allowed);
  const outcome = steps.length === 0 ? "Nothing to judge yet" : !good ? "Would be refused" : unsure ? "Cannot say" : "Would be issued";
  const [said, say] = useState(outcome);
  useEffect(() => {
    const timer = setTimeout(() => say(outcome), 300);
    return () => clearTimeout(timer);
  }, [outcome]);
  const tone = outcome === "Would be issued" ? "yes" : outcome === "Would be refused" ? "no" : "";
  return (
    <section class="card" aria-label="Would this be allowed?">
      <h2 class="hidden-text">Would this be allowed?</h2>
      <div class={`outcome ${tone}`}>
        <Icon name={tone === "no" ? "x" : tone === "yes" ? "check" : "info"} />
        <span aria-hidden="true">{outcome}</span>
        <span class="hidden-text" role="status">
          {said}
        </span>
      </div>
      <ul class="trace">
        {steps.map(({ what, allowed, why, rule }) => (
          <li key={what}>
            <Icon name={allowed ? "check" : "x"} tone={allowed ? "ok" : "danger"} />
            <div class="break">
              {what}: {why}
              <p class="small rule">{rule}</p>
            </div>
          </li>
        ))}
        <li>
          <Icon name="info" tone="quiet" />
          <div>
            <span class="small muted">
              {unsure ||
                "Judged here with the authority’s own rules for names and lifetimes. The rest, such as the issuer’s own end and constraints, it judges when asked."}
            </span>
          </div>
        </li>
      </ul>
    </section>
  );
}
