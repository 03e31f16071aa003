import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct, type Act } from "../act.ts";
import { isUnsure } from "../api.ts";
import type { CsrView } from "../decode.ts";
import { useExplanation } from "../explain.ts";
import { stepsOf, type Step } from "../explained.ts";
import { changed, issue, roles, sign, type Issued, type Named, type Role } from "../pki.ts";
import { Button } from "../parts/button.tsx";
import { Choice } from "../parts/field.tsx";
import { Failure, Head, Ready, Warnings } from "../parts/page.tsx";
import { browserStorage } from "../keeping.ts";
import { place } from "../place.ts";
import { address, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { CsrField } from "./csrfield.tsx";
import { IssuedDialog } from "./issued.tsx";
import { describe, keyOf, lifetimes } from "../rolewords.ts";
import { judgeKey, judgeLifetime, judgeName, kindOf, templated } from "../verdict.ts";
import { clean, fieldsOf } from "../requestfields.ts";
import { signerOf, useSigners } from "../signers.ts";
import { lasting, plain, roleSeconds } from "../words.ts";
import { NameList } from "./names.tsx";
import { NoRoles } from "./noroles.tsx";
import { SameRequest } from "./samerequest.tsx";
import { Trace } from "./trace.tsx";

interface Answer {
  readonly issued: Issued;
  readonly warnings: readonly string[];
}

/**
 * Issues from a role, either with a key made by the authority or for a request that somebody
 * brings.
 */
export function Issue(): JSX.Element {
  const found = useLoad(roles, []);
  const [fromCsr, setFromCsr] = useState(false);
  return (
    <>
      <div class="view-head">
        <Head
          title="Issue a certificate"
          about="The panel beside the form is the answer you would get. Nothing is signed until you press Issue."
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

const days = [
  ["24h", "1 day"],
  ["168h", "7 days"],
  ["720h", "30 days"],
  ["2160h", "90 days"],
  ["9528h", "397 days"],
] as const;

/** `Role default (90 days)`; without a figure where the mount decides. */
function roleDefault(role: Role): string {
  const standard = roleSeconds(role["ttl"]);
  return standard > 0 ? `Role default (${lasting(standard)})` : "Role default";
}

interface Issuing {
  readonly act: Act;
  /** Why what is in the form now was refused. */
  readonly error: Error | undefined;
  readonly answer: Answer | undefined;
  readonly submit: (event: Event) => void;
  readonly done: () => void;
}

/** Sends what is in the form; a refusal is about what was sent and nothing else. */
function useIssuing(
  call: "issue" | "sign",
  role: string,
  body: object,
  missing: string | false,
): Issuing {
  const act = useAct();
  const [answer, setAnswer] = useState<Answer>();
  const [sent, setSent] = useState("");
  const request = JSON.stringify([call, role, body]);
  const submit = (event: Event): void => {
    event.preventDefault();
    setSent(request);
    act.run(async () => {
      if (missing) throw new Error(missing);
      const { data, warnings } = await (call === "sign" ? sign : issue)(role, body);
      setAnswer({ issued: data, warnings });
      // Asked from a press and only now that there is something to keep.
      if (place.get().kind === "browser")
        void browserStorage()
          ?.persist()
          .catch(() => false);
    });
  };
  const done = (): void => {
    setAnswer(undefined);
    changed();
  };
  return { act, error: sent === request ? act.error : undefined, answer, submit, done };
}

function IssueForm({ roles, fromCsr }: { roles: readonly Named[]; fromCsr: boolean }): JSX.Element {
  const asked = useStore(route, (value) => value);
  const [name, setName] = useState(
    roles.some(([key]) => key === asked.id) ? asked.id : (roles[0]?.[0] ?? ""),
  );
  const [names, setNames] = useState<readonly string[]>((asked.query.get("name") ?? "").split(","));
  const [csr, setCsr] = useState<{ text: string; view?: CsrView }>({ text: "" });
  const [ttl, setTtl] = useState("");
  const role = roles.find(([key]) => key === name)?.[1] ?? {};
  const signer = signerOf(useSigners(), plain(role["issuer_ref"], "default"));
  const lifetime = ttl ? { ttl } : {};
  const body = fromCsr
    ? { csr: csr.view?.pem ?? "", ...lifetime }
    : { ...fieldsOf(names), ...lifetime, private_key_format: "pkcs8" };
  // No client takes a server without a name, whatever the role lets through.
  const named = role["require_cn"] !== false || role["server_flag"] === true;
  const missing = fromCsr
    ? !csr.view && "Paste a request first"
    : clean(names).length === 0 && named && "Type a name or an address";
  const local = judge(role, fromCsr ? namesOf(role, csr.view) : clean(names), ttl, csr.view);
  const call = fromCsr ? "sign" : "issue";
  const sought = (fromCsr ? csr.view?.title : clean(names)[0]) ?? "";
  const { act, error, answer, submit, done } = useIssuing(call, name, body, missing);
  return (
    <div class="split">
      <form class="card" onSubmit={submit} noValidate>
        <div class="pad stack">
          <Choice
            label="Role"
            value={name}
            change={setName}
            options={roles.map(([key]) => [key, key] as const)}
            hint={`${describe(role)} Signed by ${signer}.`}
          />
          {fromCsr ? (
            <CsrField text={csr.text} view={csr.view} change={setCsr} />
          ) : (
            <NameList role={role} names={names} change={setNames} />
          )}
          <div class="pair">
            <Choice
              label="Valid for"
              value={ttl}
              change={setTtl}
              options={[["", roleDefault(role)], ...days]}
              hint={lifetimes(role).join(", ")}
            />
            {!fromCsr && <KeyNote role={role} />}
          </div>
          {error && (
            <Failure error={error}>
              {isUnsure(error) && (
                <a href={address("certificates", "", { q: sought })}>Look for it by its name</a>
              )}
            </Failure>
          )}
          <div class="actions">
            <Button kind="primary" submit busy={act.busy}>
              {fromCsr ? "Sign certificate" : "Issue certificate"}
            </Button>
          </div>
        </div>
      </form>
      <aside class="stack sticky" aria-label="What would happen">
        <Answered
          call={call}
          name={name}
          role={role}
          body={missing ? undefined : body}
          local={local}
          unsure={isUnsure(error)}
        />
        <SameRequest path={`${call}/${name}`} body={body} />
      </aside>
      {answer && (
        <IssuedDialog issued={answer.issued} close={done}>
          <Warnings texts={answer.warnings} />
        </IssuedDialog>
      )}
    </div>
  );
}

const fillsIn = "The role’s domains hold templates, which only the authority can fill in.";
const judgedHere =
  "Judged here with the authority’s own rules for names and lifetimes. The rest, such as the issuer’s own end and constraints, it judges when asked.";

interface AnsweredProps {
  call: "issue" | "sign";
  name: string;
  role: Role;
  body: object | undefined;
  local: readonly Step[];
  /** Whether it may have been carried out. */
  unsure: boolean;
}

/**
 * What the authority itself says of the request, which it has not carried out; of one too old to
 * say, what the page knows.
 */
function Answered({ call, name, role, body, local, unsure }: AnsweredProps): JSX.Element {
  const { said, missing, error, busy } = useExplanation(call, name, body);
  if (!body || missing || error)
    return (
      <>
        {body && error && <Failure error={error} />}
        <Trace steps={local} unsure={templated(role) ? fillsIn : ""} note={judgedHere} />
      </>
    );
  return (
    <>
      <Trace
        steps={said ? stepsOf(said, role) : []}
        lint={said?.lint ?? []}
        busy={busy}
        note={unsure ? "" : "The authority’s own answer. Nothing was signed or stored."}
      />
      {said && <Warnings texts={said.warnings} />}
    </>
  );
}

function KeyNote({ role }: { role: Role }): JSX.Element {
  return (
    <div class="field">
      <span class="label">Key</span>
      <p class="fixed">{keyOf(role)}</p>
      <p class="hint">Made by the authority, returned once. To make it yourself, bring a CSR.</p>
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
  const others = role["use_csr_sans"] === true ? csr.names.map(({ value }) => value) : [];
  return clean(role["use_csr_common_name"] === true ? [csr.commonName, ...others] : others);
}
