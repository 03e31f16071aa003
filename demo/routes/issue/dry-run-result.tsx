import type { JSX } from "preact";
import type { Explanation } from "../../lib/issuance-findings.ts";
import { issue, sign } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { isUnsure, refusedToken } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";
import { address } from "../../lib/route.ts";
import { useStore } from "../../lib/store.ts";
import { useExplanation, type CertificateRequest, type DryRun } from "../../api/dry-run.ts";
import { stepsOf, type Step } from "../../lib/issuance-findings.ts";
import { outcomeOf, outcomes, type Outcome } from "../../ui/verdict-outcome.ts";
import { Icon } from "../../ui/icon.tsx";
import { Failure, Warnings } from "../../ui/page.tsx";
import type { Role } from "../../lib/role.ts";
import { templated } from "../../lib/verdict.ts";
import { Trace } from "./rule-trace.tsx";

const fillsIn = "The role’s domains contain templates that only the server can resolve.";
/** The text shown if the server could not perform the dry run. */
const notAnswered = "The server could not check this request; see above.";
const checkedHere =
  "Checked in this page: the role’s names and lifetimes. The server checks the rest, such as the issuer’s expiry and constraints.";

/** The expected outcome of a request. */
interface Verdict {
  readonly outcome: Outcome;
  readonly steps: readonly Step[];
  /** The reason why the page cannot decide without the server; empty if the server decided. */
  readonly unsure: string;
  /** Whether only the page, and not the server, checked the request. */
  readonly local: boolean;
  /** ID or name of the role's issuer. */
  readonly issuer: string;
  readonly dryRun: DryRun;
}

/** The form's request for a dry run, and the results of the page's own checks. */
interface DryRunRequest {
  readonly name: string;
  readonly role: Role;
  /** The request; undefined while the form is incomplete. */
  readonly body: CertificateRequest | undefined;
  /** The results of the page's own checks. */
  readonly local: readonly Step[];
}

/**
 * Returns the result of the server's dry run or, if the server does not support dry runs, of the
 * page's own checks.
 */
export function useVerdict({ name, role, body, local }: DryRunRequest): Verdict {
  const dryRun = useExplanation(name, body);
  const refused = useStore(
    refusedToken,
    ({ token }) => token !== "" && token === place.get().token,
  );
  const alone = !body || dryRun.missing || dryRun.error !== undefined || refused;
  const steps = alone ? local : dryRun.explanation ? stepsOf(dryRun.explanation, role) : [];
  const unsure = dryRun.error || refused ? notAnswered : alone && templated(role) ? fillsIn : "";
  const outcome = outcomeOf(steps, unsure, dryRun.busy);
  return { outcome, steps, unsure, local: alone, issuer: role.issuer_ref ?? "default", dryRun };
}

/**
 * Returns why the server would reject the request, or an empty string if it would not or has not
 * responded yet.
 */
function refusalIn({ steps, local, dryRun }: Verdict): string {
  const refused = local || dryRun.busy ? undefined : steps.find(({ allowed }) => !allowed);
  return refused ? `The server would reject ${refused.what}: ${refused.why}` : "";
}

/**
 * The error of a request. `name` is a name to search for in case the certificate was issued anyway.
 */
export const Refused = ({ error, name }: { error: Error; name: string }): JSX.Element => (
  <div class="said">
    <Failure error={error}>
      {isUnsure(error) && (
        <a href={address("certificates", "", { q: name })}>Search for the certificate</a>
      )}
    </Failure>
  </div>
);

/**
 * Returns why a request cannot succeed: the permission that the token lacks, and why the server
 * would reject the request.
 */
export function obstacles(
  { call, role }: { readonly call: "issue" | "sign"; readonly role: string },
  verdict: Verdict,
): { readonly lacks: string; readonly fails: string } {
  const missing =
    call === "sign" ? missingPermission(sign, { role }) : missingPermission(issue, { role });
  return { lacks: role && missing, fails: refusalIn(verdict) };
}

/**
 * Returns a sentence saying that the server checked the request, with the number of lints if known.
 */
const checkedThere = (explanation: Explanation | undefined): string =>
  `Checked by the server${explanation?.lints_checked ? `, with ${explanation.lints_checked} lints` : ""}. Nothing was signed or stored.`;

/** The complete result of a dry run. Set `done` if the request itself may have been carried out. */
export function DryRunAnswer({ of, done }: { of: Verdict; done: boolean }): JSX.Element {
  const { steps, unsure, local, issuer, dryRun } = of;
  if (local)
    return (
      <>
        {dryRun.error && <Failure error={dryRun.error} />}
        <Trace steps={steps} unsure={unsure} issuer={issuer} note={checkedHere} />
      </>
    );
  return (
    <>
      <Trace
        steps={steps}
        lint={dryRun.explanation?.lint ?? []}
        issuer={issuer}
        busy={dryRun.busy}
        note={done ? "" : checkedThere(dryRun.explanation)}
      />
      {dryRun.explanation && <Warnings texts={dryRun.explanation.warnings} />}
    </>
  );
}

/** A summary of the result, shown next to the button. Screen readers read the panel instead. */
export function InBrief({ of: { outcome, dryRun } }: { of: Verdict }): JSX.Element {
  const { icon, tone } = outcomes[outcome];
  return (
    <span class={`brief ${tone} ${dryRun.busy ? "stale" : ""}`} aria-hidden="true">
      <Icon name={icon} />
      {outcome}
    </span>
  );
}
