import type { JSX } from "preact";
import { useId, useState } from "preact/hooks";
import { useAct, type Act } from "../../lib/use-action.ts";
import { isUnsure } from "../../api/transport.ts";
import type { CsrView } from "../../lib/x509/decode.ts";
import type { Step } from "../../lib/issuance-findings.ts";
import {
  announceChange,
  changes,
  issue,
  roles,
  sign,
  type IssuedCertificate,
  type NamedRole,
  type Role,
  type IssueFields,
  type SignFields,
} from "../../api/pki.ts";
import { Button } from "../../ui/button.tsx";
import { Failure, Head, Ready, Warnings } from "../../ui/page.tsx";
import { browserStorage } from "../../lib/persistence.ts";
import { place } from "../../lib/place.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { KeyField, kindFor, LifetimeField, usePageRequest } from "./issue-fields.tsx";
import {
  besideRequest,
  lifetimeFields,
  lifetimeText,
  namesAndSubject,
  noSubject,
  usualLifetime,
  wantedNames,
  wrongLifetime,
  type Lifetime,
  type Subject,
} from "./issue-values.ts";
import { firstRole, usedRole } from "./last-role.ts";
import { lazy } from "../../ui/lazy.tsx";
import type { PageKey } from "../../lib/x509/page-key.ts";
import { judgeKey, judgeLifetime, judgeName, kindOf } from "../../lib/verdict.ts";
import { clean } from "../../lib/request-fields.ts";
import { NameList } from "./names.tsx";
import { RoleChoice } from "./role-choice.tsx";
import { DryRunAnswer, InBrief, useVerdict } from "./dry-run-result.tsx";

const issued = (): Promise<typeof import("./issued.tsx")> => import("./issued.tsx");
const IssuedDialog = lazy(async () => (await issued()).IssuedDialog);
const SubjectFields = lazy(async () => (await import("./subject-fields.tsx")).SubjectFields);
const NoRoles = lazy(async () => (await import("../../ui/no-roles.tsx")).NoRoles);
const SameRequest = lazy(async () => (await import("../../ui/same-request.tsx")).SameRequest);
const CsrField = lazy(async () => (await import("./csr-field.tsx")).CsrField);

interface Answer {
  readonly issued: IssuedCertificate;
  readonly warnings: readonly string[];
}

/**
 * Issues from a role, either with a key made by the authority or for a request that somebody
 * brings.
 */
export function Issue(): JSX.Element {
  // Another window may make, change or delete a role meanwhile.
  const turn = useStore(changes, (value) => value.turn);
  const found = useLoad(roles, [turn]);
  const [fromCsr, setFromCsr] = useState(false);
  return (
    <>
      <div class="view-head">
        <Head
          title="Issue a certificate"
          about="The panel previews the result. Nothing is signed until you press Issue."
        />
        <div class="pick" role="group" aria-label="Start from">
          <button type="button" aria-pressed={!fromCsr} onClick={() => setFromCsr(false)}>
            Role
          </button>
          <button type="button" aria-pressed={fromCsr} onClick={() => setFromCsr(true)}>
            CSR
          </button>
        </div>
      </div>
      <Ready from={found}>
        {(all) => (all.length === 0 ? <NoRoles /> : <IssueForm roles={all} fromCsr={fromCsr} />)}
      </Ready>
    </>
  );
}

interface Issuing {
  readonly act: Act;
  /** Why what is in the form now was refused. */
  readonly error: Error | undefined;
  readonly answer: Answer | undefined;
  readonly submit: (event: Event) => void;
  readonly done: () => void;
}

/** A request that is ready to be sent, or why it is not. */
type Sending = Prepared &
  (
    | { readonly call: "issue"; readonly body: IssueFields }
    | { readonly call: "sign"; readonly body: SignFields }
  );
interface Prepared {
  readonly role: string;
  readonly missing: string | false;
  /** True if the page still makes the key. */
  readonly making?: boolean;
  /** Made in this page: the answer gets it, and the authority never does. */
  readonly key: PageKey | undefined;
}

/** Sends what is in the form; a refusal is about what was sent and nothing else. */
function useIssuing({ call, role, body, missing, key }: Sending): Issuing {
  const act = useAct();
  const [answer, setAnswer] = useState<Answer>();
  const [sent, setSent] = useState("");
  const request = JSON.stringify([call, role, body]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setSent(request);
    act.run(async () => {
      if (missing) throw new Error(missing);
      // A key is shown once: what shows it has to be there before.
      await issued();
      const { data, warnings } = await (call === "sign" ? sign(role, body) : issue(role, body));
      usedRole(role);
      const own = key && { private_key: key.pem, private_key_type: key.type };
      setAnswer({ issued: { ...data, ...own }, warnings });
      // Asked from a press and only now that there is something to keep.
      if (place.get().kind === "browser")
        void browserStorage()
          ?.persist()
          .catch(() => false);
    });
  };
  const done = (): void => {
    setAnswer(undefined);
    announceChange();
  };
  return { act, error: sent === request ? act.error : undefined, answer, submit, done };
}

interface Typed {
  readonly names: readonly string[];
  readonly csr: { readonly text: string; readonly view?: CsrView };
  readonly lifetime: Lifetime;
  readonly subject: Subject;
  readonly kind: string;
}

/**
 * Returns the request for the typed values: `sign` where the key is not generated by the server.
 */
function useRequest(name: string, role: Role, typed: Typed, fromCsr: boolean): Sending {
  const { names, csr, lifetime, subject } = typed;
  const kind = fromCsr ? "" : kindFor(role, typed.kind);
  const page = usePageRequest(kind, wantedNames(names, subject));
  // No client takes a server without a name, whatever the role lets through.
  const named = role.require_cn !== false || role.server_flag === true;
  const nameless = clean([...names, subject.commonName]).length === 0 && named;
  const wrong = wrongLifetime(lifetime, new Date());
  const span = wrong === "" ? lifetimeFields(lifetime) : {};
  const fields = namesAndSubject(names, subject);
  if (fromCsr)
    return {
      call: "sign",
      role: name,
      body: { csr: csr.view?.pem ?? "", ...span },
      missing: (!csr.view && "Paste a CSR first") || wrong,
      key: undefined,
    };
  const missing = (nameless && "Enter a name or an address") || wrong;
  if (kind === "")
    return {
      call: "issue",
      role: name,
      body: { ...fields, ...span, private_key_format: "pkcs8" },
      missing,
      key: undefined,
    };
  const unmade = page.failed ? page.failed.message : "Generating the key";
  return {
    call: "sign",
    role: name,
    body: { csr: page.csr ?? "", ...besideRequest(role, fields), ...span },
    missing: missing || (page.csr === undefined && unmade),
    making: !missing && page.csr === undefined && !page.failed,
    key: page.key,
  };
}

function IssueForm({
  roles,
  fromCsr,
}: {
  roles: readonly NamedRole[];
  fromCsr: boolean;
}): JSX.Element {
  const asked = useStore(route, (value) => value);
  const [chosen, setName] = useState(firstRole(roles, asked.id));
  const name = roles.some(([key]) => key === chosen) ? chosen : firstRole(roles, "");
  const [typed, setTyped] = useState<Typed>({
    names: (asked.query.get("name") ?? "").split(","),
    csr: { text: "" },
    lifetime: usualLifetime,
    subject: noSubject,
    kind: "",
  });
  const put = (change: Partial<Typed>): void => setTyped((before) => ({ ...before, ...change }));
  const role = roles.find(([key]) => key === name)?.[1] ?? {};
  const { names, csr, lifetime, subject } = typed;
  const sending = useRequest(name, role, typed, fromCsr);
  const { call, body, missing } = sending;
  const { commonName } = wantedNames(names, subject);
  const judged = fromCsr ? namesOf(role, csr.view) : clean([subject.commonName, ...names]);
  const local = judge(role, judged, lifetimeText(lifetime, new Date()), csr.view);
  const sought = (fromCsr ? csr.view?.title : commonName || clean(names)[0]) ?? "";
  const { act, error, answer, submit, done } = useIssuing(sending);
  const verdict = useVerdict({ name, role, body: missing ? undefined : body, local });
  const form = useId();
  return (
    <div class="split by-parts">
      <form class="card" id={form} onSubmit={submit} noValidate>
        <div class="pad stack">
          <RoleChoice roles={roles} name={name} change={setName} />
          {fromCsr ? (
            <CsrField text={csr.text} view={csr.view} change={(csr) => put({ csr })} />
          ) : (
            <NameList role={role} names={names} change={(names) => put({ names })} />
          )}
          <div class="pair">
            <LifetimeField role={role} value={lifetime} change={(lifetime) => put({ lifetime })} />
            {!fromCsr && (
              <KeyField
                role={role}
                kind={kindFor(role, typed.kind)}
                change={(kind) => put({ kind })}
              />
            )}
          </div>
          {!fromCsr && (
            <details>
              <summary>Subject</summary>
              <SubjectFields
                role={role}
                value={subject}
                first={wantedNames(names, noSubject).commonName}
                change={(subject) => put({ subject })}
              />
            </details>
          )}
        </div>
      </form>
      <aside class="stack sticky" aria-label="Preview">
        <DryRunAnswer of={verdict} done={isUnsure(error)} />
        <SameRequest path={`${call}/${name}`} body={body} />
      </aside>
      {error && (
        <div class="said">
          <Failure error={error}>
            {isUnsure(error) && (
              <a href={address("certificates", "", { q: sought })}>Search for it by name</a>
            )}
          </Failure>
        </div>
      )}
      <div class="bar actions">
        <Button kind="primary" submit of={form} busy={act.busy || sending.making === true}>
          {fromCsr ? "Sign certificate" : "Issue certificate"}
        </Button>
        <InBrief of={verdict} />
      </div>
      {answer && (
        <IssuedDialog issued={answer.issued} here={sending.key !== undefined} close={done}>
          <Warnings texts={answer.warnings} />
        </IssuedDialog>
      )}
    </div>
  );
}

/** Judges names and lifetime; without a name there is nothing to judge. */
function judge(
  role: Role,
  names: readonly string[],
  ttl: string,
  csr: CsrView | undefined,
): readonly Step[] {
  const common = names.find((name) => kindOf(name) === "name");
  const steps = names.map((name) => ({ what: name, ...judgeName(role, name, name === common) }));
  return steps.length === 0
    ? []
    : [
        ...steps,
        ...(csr ? [{ what: csr.key, ...judgeKey(role, csr.key) }] : []),
        { what: "Lifetime", ...judgeLifetime(role, ttl) },
      ];
}

/** The names of a request that the role looks at. */
function namesOf(role: Role, csr: CsrView | undefined): readonly string[] {
  if (!csr) return [];
  const others = role.use_csr_sans === true ? csr.names.map(({ value }) => value) : [];
  return clean(role.use_csr_common_name === true ? [csr.commonName, ...others] : others);
}
