import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Finding, Step } from "../explained.ts";
import { Icon, type IconName, type Tone } from "../parts/icon.tsx";
import { FillAddresses } from "./filladdresses.tsx";
import { visible } from "../words.ts";

interface Props {
  steps: readonly Step[];
  /** Why the page alone cannot say. */
  unsure?: string;
  lint?: readonly Finding[];
  /** Where the answer comes from. */
  note: string;
  /** The answer is not yet the one for what stands in the form. */
  busy?: boolean;
}

/**
 * The answer that the authority would give, rule by rule. Spoken when it has stood still for a
 * moment.
 */
export function Trace({ steps, unsure = "", lint = [], note, busy = false }: Props): JSX.Element {
  const good = steps.length > 0 && steps.every(({ allowed }) => allowed);
  const verdict = !good ? "Would be refused" : unsure ? "Cannot say" : "Would be issued";
  const outcome =
    steps.length > 0 ? verdict : busy ? "Asking the authority" : "Enter a name to check it";
  const [said, say] = useState(outcome);
  useEffect(() => {
    if (busy) return;
    const timer = setTimeout(() => say(outcome), 300);
    return () => clearTimeout(timer);
  }, [outcome, busy]);
  const tone = outcome === "Would be issued" ? "yes" : outcome === "Would be refused" ? "no" : "";
  return (
    <section class="card" aria-label="Would this be allowed?">
      <h2 class="hidden-text">Would this be allowed?</h2>
      <div class={`outcome ${tone} ${busy ? "stale" : ""}`}>
        <Icon name={tone === "no" ? "x" : tone === "yes" ? "check" : "info"} />
        <span aria-hidden="true">{outcome}</span>
        <span class="hidden-text" role="status">
          {said}
        </span>
      </div>
      <ul class={`trace ${busy ? "stale" : ""}`} aria-busy={busy}>
        {steps.map((step, i) => (
          <StepRow key={`${i} ${step.what}`} {...step} />
        ))}
        {lint.map((finding) => (
          <LintRow key={finding.rule} {...finding} />
        ))}
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

function StepRow({ what, allowed, why, rule }: Step): JSX.Element {
  return (
    <li>
      <Icon name={allowed ? "check" : "x"} tone={allowed ? "ok" : "danger"} />
      <div class="break">
        {visible(what)}: {visible(why)}
        <p class="small rule">{rule}</p>
      </div>
    </li>
  );
}

const marks: Readonly<
  Record<Finding["severity"], readonly [icon: IconName, tone: Tone, word: string]>
> = {
  error: ["warn", "danger", "Breaks a rule"],
  warning: ["warn", "warn", "Against a rule"],
  info: ["info", "info", "Left out"],
};

/** What people call the findings that nearly every role meets. */
const plainly: Readonly<Record<string, string>> = {
  "an EC key enciphers no keys": "keyEncipherment does not apply to EC keys",
  "a certificate says where its issuer's certificate is": "No issuer URL (AIA)",
  "a certificate says where its revocation can be looked up": "No CRL or OCSP URL",
};

/** Of a certificate without addresses; one press mends it, and the one about its issuer too. */
const unnamed = "a certificate says where its revocation can be looked up";

/** A finding refuses nothing; it says what somebody will stumble over. */
function LintRow({ severity, section, rule }: Finding): JSX.Element {
  const [icon, tone, word] = marks[severity];
  return (
    <li>
      <Icon name={icon} tone={tone} />
      <div class="break">
        {plainly[rule] ?? `${word}: ${rule}`}
        <p class="small rule">{section}</p>
        {rule === unnamed && <FillAddresses />}
      </div>
    </li>
  );
}
