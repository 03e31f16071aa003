import type { JSX } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { useAct, type Act } from "../../lib/use-action.ts";
import { listRoles, sign as signs } from "../../api/endpoints/pki.ts";
import { mayCallAny, missingPermission, useAcl } from "../../api/permissions.ts";
import { isUnsure } from "../../api/transport.ts";
import { announceChange, changes } from "../../lib/changes.ts";
import { issue, sign, type IssuedCertificate } from "../../api/certificates.ts";
import { readableRole, usableRoles } from "../../api/roles.ts";
import type { NamedRole, Role } from "../../lib/role.ts";
import { Button, useReason } from "../../ui/button.tsx";
import { Head, Ready, Warnings } from "../../ui/page.tsx";
import { bareHex } from "../../lib/hex-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { rememberRenewal, rememberRole, rememberSigned } from "../../lib/issued-roles.ts";
import { rememberEntry } from "../../lib/recent-entries.ts";
import { date } from "../../lib/time-text.ts";
import { browserStorage } from "../../lib/persistence.ts";
import { place } from "../../lib/place.ts";
import { address, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { KeyField, kindFor, LifetimeField } from "./issue-fields.tsx";
import { lifetimeText, noSubject, requestedNames } from "./issue-values.ts";
import { checkRequest, namesToCheck, useRequest, type Sending } from "./issue-request.ts";
import { blank, initialInput, isBlank, storeDraft, type Typed } from "./draft.ts";
import { firstRole, usedRole } from "./last-role.ts";
import { lazy } from "../../ui/lazy.tsx";
import { leaseNote } from "../../lib/role-text.ts";
import { clean } from "../../lib/request-fields.ts";
import { NameList } from "./names.tsx";
import { RoleChoice } from "./role-choice.tsx";
import { DryRunAnswer, InBrief, obstacles, Refused, useVerdict } from "./dry-run-result.tsx";

const issued = (): Promise<typeof import("./issued.tsx")> => import("./issued.tsx");
const IssuedDialog = lazy(async () => (await issued()).IssuedDialog);
const Renewed = lazy(async () => (await import("./renewed.tsx")).Renewed);
const SubjectFields = lazy(async () => (await import("./subject-fields.tsx")).SubjectFields);
const NoRoles = lazy(async () => (await import("../../ui/no-roles.tsx")).NoRoles);
const SameRequest = lazy(async () => (await import("../../ui/same-request.tsx")).SameRequest);
const CsrField = lazy(async () => (await import("../../ui/csr-field.tsx")).CsrField);

interface IssuedReply {
  readonly issued: IssuedCertificate;
  readonly warnings: readonly string[];
}

const lacksSign = "Your token cannot sign CSRs";

/** The view that issues a certificate with a role, either with a generated key or for a CSR. */
export function Issue(): JSX.Element {
  // Another window may create, change or delete a role.
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(readChoice, [turn]);
  const [fromCsr, setFromCsr] = useState(
    () => initialInput(route.get().query.get("name")).csr.text !== "",
  );
  useAcl();
  const maySign = mayCallAny([signs]);
  const noCsr = useReason(maySign ? "" : lacksSign);
  const renews = useStore(route, renewedSerial);
  const name = useStore(route, ({ query }) => query.get("name")?.split(",")[0] ?? "");
  return (
    <>
      <div class="view-head">
        <Head
          title={renews === "" ? "Issue a certificate" : `Renew ${visible(name)}`}
          about={`The panel previews the result. Nothing is signed until you press “${actionName(renews, fromCsr)}”.`}
        />
        <div class="pick" role="group" aria-label="Start from">
          <button type="button" aria-pressed={!fromCsr} onClick={() => setFromCsr(false)}>
            Role
          </button>
          <button
            type="button"
            aria-pressed={fromCsr}
            {...noCsr.attributes}
            onClick={(event) => (maySign ? setFromCsr(true) : noCsr.explain(event))}
          >
            CSR
          </button>
        </div>
        {noCsr.reason}
      </div>
      {renews !== "" && <Renewed serial={renews} maySign={maySign} />}
      <Ready from={result}>
        {(choice) =>
          choice.names.length === 0 && !choice.isTyped ? (
            <NoRoles />
          ) : (
            <IssueForm choice={choice} fromCsr={fromCsr} renews={renews} />
          )
        }
      </Ready>
    </>
  );
}

/** Returns the label of the submit button. */
const actionName = (renews: string, fromCsr: boolean): string =>
  `${renews !== "" ? "Renew" : fromCsr ? "Sign" : "Issue"} certificate`;

/** Returns the serial number of the certificate to renew from the URL, or an empty string. */
function renewedSerial({ query }: { readonly query: URLSearchParams }): string {
  const serial = query.get("renews") ?? "";
  return /^[0-9a-f]{2,40}$/.test(serial) ? serial : "";
}

/** The names of the roles, and the role that is selected initially. */
interface RoleNames {
  readonly names: readonly string[];
  /** Whether the user can type a name, because the token may not list the roles. */
  readonly isTyped: boolean;
  readonly first: NamedRole;
}

/** Reads the names of the roles and the initial role. Other roles are read when selected. */
async function readChoice(): Promise<RoleNames> {
  const names = await usableRoles();
  const isTyped = missingPermission(listRoles) !== "";
  const named = route.get().id;
  const first = isTyped && named !== "" ? named : firstRole(names, named);
  return { names, isTyped, first: first === "" ? ["", {}] : await readableRole(first) };
}

/**
 * Returns a role's settings. They are empty until they have been read. `first` is a role that has
 * already been read.
 */
function useRole(name: string, first: NamedRole): Role {
  const result = useLoad(
    async (): Promise<NamedRole> =>
      name === first[0] || name === "" ? first : readableRole(name).catch(() => [name, {}]),
    [name, first],
  );
  const [read, role] = result.value ?? first;
  return read === name ? role : {};
}

interface LastCertificate {
  readonly serial: string;
  readonly name: string;
}

const LastIssued = ({ serial, name }: LastCertificate): JSX.Element => (
  <p class="said">
    Issued: <a href={address("certificates", serial)}>{visible(name || serial)}</a>
  </p>
);

interface Issuing {
  readonly act: Act;
  /** The server's error for the current contents of the form. */
  readonly error: Error | undefined;
  readonly answer: IssuedReply | undefined;
  readonly submit: (event: Event) => void;
  /** The last certificate whose dialog was closed. */
  readonly last: LastCertificate | undefined;
  readonly close: (reply: IssuedReply) => void;
}

/** Handles submission of the form. An error is shown only until the form is edited. */
function useIssuing(
  { call, role, body, missing, key }: Sending,
  name: string,
  isRenewal: boolean,
): Issuing {
  const [last, setLast] = useState<LastCertificate>();
  const act = useAct();
  const [answer, setAnswer] = useState<IssuedReply>();
  const [sent, setSent] = useState("");
  const request = JSON.stringify([call, role, body]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setSent(request);
    act.run(async () => {
      if (missing) throw new Error(missing);
      // Load the dialog before the call, because a key that it could not show would be lost.
      await issued();
      const { data, warnings } = await (call === "sign" ? sign(role, body) : issue(role, body));
      usedRole(role);
      const serial = bareHex(data.serial_number);
      rememberRole(serial, role);
      if (isRenewal) rememberRenewal(serial);
      // so that the search finds it although the token may not list certificates
      rememberEntry({
        id: `certificate ${serial}`,
        group: "Certificates",
        title: visible(name || serial),
        hint: `Issued ${date(new Date())} with role ${visible(role)}`,
        icon: "certs",
        to: address("certificates", serial),
      });
      const own = key && { private_key: key.pem, private_key_type: key.type };
      if (call === "sign" && !own) rememberSigned(serial);
      setAnswer({ issued: { ...data, ...own }, warnings });
      // Request persistent storage only when there is something to keep.
      if (place.get().kind === "browser")
        void browserStorage()
          ?.persist()
          .catch(() => false);
    });
  };
  const close = ({ issued }: IssuedReply): void => {
    setLast({ serial: bareHex(issued.serial_number), name });
    setAnswer(undefined);
    announceChange();
  };
  return { act, error: sent === request ? act.error : undefined, answer, last, submit, close };
}

/** A field for the CSR, and a note if its subject has fields that the certificate will not have. */
function RequestField({
  csr: { text, view },
  change,
}: {
  csr: Typed["csr"];
  change: (value: Typed["csr"]) => void;
}): JSX.Element {
  const { subject, commonName } = view ?? { subject: "", commonName: "" };
  return (
    <>
      <CsrField text={text} view={view} change={change} />
      {subject !== "" && subject !== `CN=${commonName}` && (
        <p class="hint">
          The certificate takes at most the common name from this subject. The role sets the other
          fields.
        </p>
      )}
    </>
  );
}

function IssueForm({
  choice: { names: roles, isTyped, first },
  fromCsr,
  renews,
}: {
  choice: RoleNames;
  fromCsr: boolean;
  /** The serial number of the certificate to renew; empty if there is none. */
  renews: string;
}): JSX.Element {
  const current = useStore(route, (value) => value);
  const [chosen, setName] = useState(first[0]);
  const name = isTyped || roles.includes(chosen) ? chosen : firstRole(roles, "");
  const role = useRole(name, first);
  const [typed, setTyped] = useState(() => initialInput(current.query.get("name")));
  const setFields = (change: Partial<Typed>): void =>
    setTyped((before) => ({ ...before, ...change }));
  const { names, csr, lifetime } = typed;
  const sending = useRequest(name, role, typed, fromCsr);
  const { call, body, missing } = sending;
  const judged = name === "" ? [] : namesToCheck(role, typed, fromCsr);
  const local = checkRequest(role, judged, lifetimeText(lifetime, new Date()), csr.view);
  const sought = (fromCsr ? csr.view?.title : firstName(typed)) ?? "";
  const { act, error, answer, last, submit, close } = useIssuing(sending, sought, renews !== "");
  // do not store names from the URL, or input for which a certificate has been issued
  const noDraft = useRef<Typed | undefined>(current.query.has("name") ? typed : undefined);
  useLayoutEffect(() => {
    if (answer) noDraft.current = typed;
    storeDraft(typed === noDraft.current ? blank : typed);
  }, [typed, answer]);
  const verdict = useVerdict({ name, role, body: missing ? undefined : body, local });
  return (
    <div class="split by-parts">
      <form class="card" id="issue" onSubmit={submit} noValidate>
        <div class="pad stack">
          <RoleChoice names={roles} isTyped={isTyped} name={name} role={role} change={setName} />
          {fromCsr ? (
            <RequestField csr={csr} change={(csr) => setFields({ csr })} />
          ) : (
            <NameList role={role} names={names} change={(names) => setFields({ names })} />
          )}
          <div class="pair">
            <LifetimeField
              role={role}
              value={lifetime}
              change={(lifetime) => setFields({ lifetime })}
            />
            {!fromCsr && (
              <KeyField
                role={role}
                kind={kindFor(role, typed.kind)}
                change={(kind) => setFields({ kind })}
              />
            )}
          </div>
          {!fromCsr && (
            <FurtherSubject
              role={role}
              typed={typed}
              change={(subject) => setFields({ subject })}
            />
          )}
        </div>
      </form>
      {error && <Refused error={error} name={sought} />}
      {last && !error && <LastIssued {...last} />}
      <div class="bar actions">
        <Button
          kind="primary"
          submit
          of="issue"
          {...obstacles(sending, verdict)}
          busy={act.busy || sending.making === true}
        >
          {actionName(renews, fromCsr)}
        </Button>
        {!isBlank(typed) && (
          <Button kind="plain" press={() => setTyped(blank)}>
            Clear
          </Button>
        )}
        <InBrief of={verdict} />
      </div>
      <aside class="stack sticky" aria-label="Preview">
        <DryRunAnswer of={verdict} done={isUnsure(error)} />
        <SameRequest path={`${call}/${name}`} body={body} />
      </aside>
      {answer && (
        <IssuedDialog
          issued={answer.issued}
          here={sending.key !== undefined}
          renews={renews}
          close={() => close(answer)}
        >
          <Warnings texts={[...answer.warnings, ...leaseNote(role)]} />
        </IssuedDialog>
      )}
    </div>
  );
}

/** Returns a name to search for the certificate, or undefined if it has none. */
const firstName = ({ names, subject }: Typed): string | undefined =>
  requestedNames(names, subject).commonName || clean(names)[0];

/** A collapsible section with the rarely used fields of the subject. */
const FurtherSubject = ({
  role,
  typed: { names, subject },
  change,
}: {
  role: Role;
  typed: Typed;
  change: (subject: Typed["subject"]) => void;
}): JSX.Element => (
  <details>
    <summary>Subject</summary>
    <SubjectFields
      role={role}
      value={subject}
      first={requestedNames(names, noSubject).commonName}
      change={change}
    />
  </details>
);
