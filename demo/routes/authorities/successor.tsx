import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { signersFor } from "../../api/cross-signing.ts";
import { elsewhere, itself } from "../../api/issuer-plan.ts";
import { canSign, type Authority } from "../../api/issuer.ts";
import { rolesNaming } from "../../api/issuer-uses.ts";
import { announceChange } from "../../lib/changes.ts";
import type { NamedRole } from "../../lib/role.ts";
import { date } from "../../lib/time-text.ts";
import { nextName } from "../../lib/names.ts";
import { runFlow, type FlowState } from "../../lib/flow.ts";
import { keyKinds } from "../../lib/key-types.ts";
import { address } from "../../lib/route.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Check, Choice, Text } from "../../ui/field.tsx";
import { toWrong } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { shortName, namesInUse, wrongShort } from "../../ui/issuer/add-issuer.tsx";
import { ConstraintFields, wrongConstraints } from "../../ui/issuer/constraints.tsx";
import { lives } from "../../ui/issuer/plan-fields.tsx";
import { KeyChoice } from "../../ui/key-choice.tsx";
import { Failure } from "../../ui/page.tsx";
import {
  constraintInput,
  successionSteps,
  type Succession,
  type SuccessorPlan,
} from "./succession.ts";

interface Props {
  one: Authority;
  all: readonly Authority[];
  roles: readonly NamedRole[];
  close: () => void;
}

/** Returns the option (as a TTL) that is closest to the lifetime of a CA. */
function lifetimeOf({ view }: Authority): string {
  const hours = (view.ends.getTime() - view.begins.getTime()) / 3_600_000;
  const distance = (ttl: string): number => Math.abs(Number.parseInt(ttl, 10) - hours);
  return lives.map(([ttl]) => ttl).reduce((a, b) => (distance(b) < distance(a) ? b : a));
}

/** Returns the initial plan: a CA that is similar to the current one. */
function likeCurrent({ one, all, roles }: Omit<Props, "close">): SuccessorPlan {
  const name = nextName(one.view.title);
  const signers = signersFor(one, all);
  // the issuer of the current CA if it can sign, or else the CA that expires last
  const signer =
    signers.find(({ record }) => record.issuer_id === one.parent) ??
    signers.toSorted((a, b) => b.view.ends.getTime() - a.view.ends.getTime())[0];
  return {
    name,
    short: shortName(name, namesInUse(all)),
    signer: one.view.selfIssued ? itself : (signer?.record.issuer_id ?? elsewhere),
    key: keyKinds.find(([, words]) => words === one.view.key)?.[0] ?? "ec 256",
    ttl: lifetimeOf(one),
    constraints: constraintInput(one),
    crossSigned: one.view.selfIssued && canSign(one),
    isDefault: one.isDefault,
    switchesRoles: rolesNaming(one, roles).length > 0,
  };
}

/**
 * The dialog that creates a similar CA as the successor of a CA, and switches the default and roles
 * to the new CA.
 */
export function Successor(props: Props): JSX.Element {
  const { one, all, roles, close } = props;
  const [plan, setPlan] = useState(() => likeCurrent(props));
  const [flow, setFlow] = useState<FlowState<Succession>>();
  const [busy, setBusy] = useState(false);
  const steps = successionSteps(one, plan, plan.switchesRoles ? rolesNaming(one, roles) : []);
  const started = flow !== undefined && flow.value.id !== "";
  const finished = flow?.done === steps.length;
  const run = async (): Promise<void> => {
    setBusy(true);
    await runFlow(steps, flow ?? { done: 0, value: { id: "" } }, setFlow);
    setBusy(false);
    announceChange();
  };
  const wrong = wrongPlan(plan, namesInUse(started ? [] : all));
  const [tried, setTried] = useState(false);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(wrong).length > 0) return toWrong(event.currentTarget);
    if (!busy) void run();
  };
  const leave = (): void => {
    if (!busy) close();
  };
  if (plan.signer === elsewhere) return <NoSigner one={one} close={close} />;
  return (
    <Dialog title={`Create a successor of ${one.name}`} close={leave} writes>
      <form class="plain" onSubmit={submit} noValidate>
        {!started && !busy && (
          <PlanForm {...props} plan={plan} change={setPlan} errors={tried ? wrong : {}} />
        )}
        <h3>{finished ? "Done" : "Steps"}</h3>
        <Steps titles={steps.map(({ title }) => title)} done={flow?.done ?? 0} busy={busy} />
        {finished ? <Remaining one={one} all={all} /> : <Unchanged one={one} />}
        {flow?.error && (
          <Failure error={flow.error}>
            {started
              ? "The completed steps are kept. Press Continue to retry the failed step."
              : "Nothing was created."}
          </Failure>
        )}
        <div class="actions">
          <Button press={leave}>{started ? "Close" : "Cancel"}</Button>
          {finished ? (
            <ButtonLink kind="primary" to={address("authorities", flow.value.id)}>
              Open {plan.name}
            </ButtonLink>
          ) : (
            <Button kind="primary" submit busy={busy}>
              {started ? "Continue" : "Create successor"}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function wrongPlan(plan: SuccessorPlan, usedNames: readonly string[]): Record<string, string> {
  const short = wrongShort(plan.short, usedNames);
  return {
    ...(plan.name.trim() === "" && { name: "Enter a name" }),
    ...(short !== "" && { short }),
    ...wrongConstraints(plan.constraints),
  };
}

function PlanForm({
  one,
  all,
  roles,
  plan,
  change,
  errors,
}: Omit<Props, "close"> & {
  plan: SuccessorPlan;
  change: (plan: SuccessorPlan) => void;
  errors: Readonly<Record<string, string>>;
}): JSX.Element {
  const set = (fields: Partial<SuccessorPlan>): void => change({ ...plan, ...fields });
  const usedNames = namesInUse(all);
  const named = rolesNaming(one, roles).length;
  return (
    <>
      <div class="pair">
        <Text
          label="Common name"
          value={plan.name}
          change={(name) => set({ name, short: shortName(name, usedNames) })}
          hint="The rest of the subject stays the same."
          error={errors["name"]}
        />
        <Text
          label="Name in the API"
          value={plan.short}
          change={(short) => set({ short })}
          mono
          error={errors["short"]}
        />
        <KeyChoice value={plan.key} change={(key) => set({ key })} />
        <Choice
          label="Valid for"
          value={plan.ttl}
          change={(ttl) => set({ ttl })}
          options={lives}
          hint={
            plan.signer === itself
              ? undefined
              : "Cannot exceed the validity period of the issuing CA"
          }
        />
        {plan.signer !== itself && (
          <Choice
            label="Signed by"
            value={plan.signer}
            change={(signer) => set({ signer })}
            options={signersFor(one, all).map(({ record, name }) => [record.issuer_id, name])}
          />
        )}
      </div>
      {one.view.selfIssued && canSign(one) && (
        <Check
          label={`Cross-sign the new root with ${one.name}`}
          hint="Clients that trust only the current root then accept certificates below the new root too."
          checked={plan.crossSigned}
          change={(crossSigned) => set({ crossSigned })}
        />
      )}
      <Check
        label="Make the new CA the default issuer"
        hint={one.isDefault ? `The current default is ${one.name}.` : undefined}
        checked={plan.isDefault}
        change={(isDefault) => set({ isDefault })}
      />
      {named > 0 && (
        <Check
          label={
            named === 1
              ? "Switch the role that uses the current CA"
              : `Switch the ${named} roles that use the current CA`
          }
          checked={plan.switchesRoles}
          change={(switchesRoles) => set({ switchesRoles })}
        />
      )}
      <ConstraintFields
        typed={plan.constraints}
        change={(constraints) => set({ constraints })}
        errors={errors}
      />
    </>
  );
}

/** The number of a step that has not been completed. */
const StepNumber = ({ of }: { of: number }): JSX.Element => (
  <span class="step-number" aria-hidden="true">
    {of}
  </span>
);

/** The list of steps, each with its state. */
function Steps({
  titles,
  done,
  busy,
}: {
  titles: readonly string[];
  done: number;
  busy: boolean;
}): JSX.Element {
  return (
    <ol class="list dense card" aria-live="polite">
      {titles.map((title, i) => (
        <li key={title} aria-current={busy && i === done ? "step" : undefined}>
          {i < done ? <Icon name="check" tone="ok" /> : <StepNumber of={i + 1} />}
          <div>
            {title}
            {i < done && <span class="hidden-text"> (done)</span>}
            {busy && i === done && " …"}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** A note about what happens to the current CA and its certificates. */
const Unchanged = ({ one: { name, view } }: { one: Authority }): JSX.Element => (
  <p class="small muted">
    {view.ends > new Date()
      ? `${name} remains: it keeps signing its CRL, and certificates that it issued stay valid until they expire, at most until ${date(view.ends)}.`
      : `${name} has expired: clients reject the certificates that it issued, which must be issued again.`}
  </p>
);

/**
 * Returns the CAs below a root. Omits cross-signed roots, because the root's successor does not
 * sign them.
 */
const authoritiesBelow = (one: Authority, all: readonly Authority[]): readonly Authority[] =>
  all.filter(
    (other) =>
      other.parent === one.record.issuer_id &&
      canSign(other) &&
      !all.some(({ record, view }) => view.selfIssued && record.key_id === other.record.key_id),
  );

/** The tasks that remain for the user after the succession. */
function Remaining({ one, all }: { one: Authority; all: readonly Authority[] }): JSX.Element {
  const root = one.view.selfIssued;
  const tasks: readonly JSX.Element[] = [
    root ? (
      <>
        Install the new root in all clients before {date(one.view.ends)}. The new root’s page shows
        the commands.
      </>
    ) : (
      <>Clients get the new CA with their next certificate. Renew long-lived certificates now.</>
    ),
    ...(root ? authoritiesBelow(one, all) : []).map(({ record, name }) => (
      <>
        <a href={address("authorities", record.issuer_id, { action: "successor" })}>
          Create a successor of {name}
        </a>
        , so that its certificates chain to the new root.
      </>
    )),
    <>Delete {one.name} when its last certificate has expired.</>,
  ];
  return (
    <>
      <h3>Remaining tasks</h3>
      <ul class="list dense card">
        {tasks.map((task, i) => (
          <li key={i}>
            <div>{task}</div>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Instructions for replacing a CA whose issuer is not in this mount. */
const NoSigner = ({ one, close }: { one: Authority; close: () => void }): JSX.Element => (
  <Dialog title={`Create a successor of ${one.name}`} close={close}>
    <p>
      No CA in this mount can sign the successor. Create a CSR with Add authority on the overview
      (template “Signed by an external CA”), have {one.view.issuerTitle} sign it, and import the
      certificate with Import…. Then make the new CA the default.
    </p>
    <div class="actions">
      <Button press={close}>Close</Button>
      <ButtonLink kind="primary" to={address("overview")}>
        Open the overview
      </ButtonLink>
    </div>
  </Dialog>
);
