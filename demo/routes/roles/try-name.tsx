import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { unknownCall } from "../../api/transport.ts";
import { explain } from "../../api/dry-run.ts";
import { stepsOf } from "../../lib/issuance-findings.ts";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import type { NamedRole, Role } from "../../lib/role.ts";
import { fieldsOf } from "../../lib/request-fields.ts";
import { useLoad } from "../../lib/use-load.ts";
import { verdictOnName, templated, type RuleVerdict } from "../../lib/verdict.ts";
import { exampleName } from "../../lib/role-text.ts";
import { toText } from "../../lib/to-text.ts";
import { visible } from "../../lib/visible-text.ts";

/**
 * Maximum number of roles to show. Once the user has typed a name, each role is checked with a dry
 * run, which takes a request.
 */
const maxRoles = 12;
/** Maximum number of roles to check with dry runs before the user has typed a name. */
const maxAtFirst = 3;

/** Checks a name with a dry run, or in the browser if the server does not support dry runs. */
async function checkName([key, role]: NamedRole, name: string): Promise<RuleVerdict> {
  const local = verdictOnName(role, name, true);
  // a role with this key type only signs CSRs, and there is no CSR
  if (role.key_type === "any") return local;
  try {
    const explanation = await explain(key, fieldsOf([name]));
    const no = stepsOf(explanation, role).find(({ allowed }) => !allowed);
    if (no) return no;
    return local.allowed ? local : { allowed: true, why: "the server would issue it", rule: "" };
  } catch (error) {
    if (unknownCall(error)) return local;
    throw error;
  }
}

/** Returns the roles to show. If there are many, roles that seem to allow the name come first. */
const shownRoles = (all: readonly NamedRole[], name: string): readonly NamedRole[] =>
  all.length <= maxRoles
    ? all
    : all
        .toSorted(
          ([, a], [, b]) =>
            Number(verdictOnName(b, name, true).allowed) -
            Number(verdictOnName(a, name, true).allowed),
        )
        .slice(0, maxRoles);

/**
 * The card that shows whether each role would allow a name. For the edited role, unsaved changes
 * are included.
 */
export function Try({
  all,
  draft,
  of,
}: {
  all: readonly NamedRole[];
  draft: Role | undefined;
  of: string;
}): JSX.Element {
  const [text, setText] = useState<string>();
  const current = draft ?? all.find(([key]) => key === of)?.[1] ?? {};
  const typed = text ?? exampleName(current, "www.example.test");
  const [name, setName] = useState(typed);
  useEffect(() => {
    const timer = setTimeout(() => setName(typed.trim()), 200);
    return () => clearTimeout(timer);
  }, [typed]);
  const [isTouched, touch] = useState(false);
  const shown = shownRoles(all, typed.trim());
  const checked = isTouched || all.length <= maxAtFirst ? shown : [];
  const askAll = async (): Promise<ReadonlyMap<string, RuleVerdict>> =>
    new Map(
      await Promise.all(
        name ? checked.map(async (one) => [one[0], await checkName(one, name)] as const) : [],
      ),
    );
  const result = useLoad(askAll, [name, all]);
  const settled = name === typed.trim() && !result.busy;
  const rows = shown.map(
    ([key, role]) =>
      [
        key,
        (settled && result.value?.get(key)) || verdictOnName(role, typed.trim(), true),
      ] as const,
  );
  const edited = draft && verdictOnName(draft, typed.trim(), true);
  const summary = rows.map(([key, { allowed }]) => `${key}: ${allowed ? "yes" : "no"}`).join(", ");
  return (
    <Card title="Would this name be allowed?">
      <div class="pad">
        <input
          class="mono"
          aria-label="Name to check"
          value={typed}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => {
            touch(true);
            setText(event.currentTarget.value);
          }}
        />
      </div>
      <ul class="trace" aria-busy={!settled}>
        {typed.trim() !== "" && edited && (
          <Answer
            title={of ? `${of}, as edited` : "The new role"}
            {...edited}
            why={
              draft && templated(draft)
                ? "its domains contain templates: save the role to check"
                : edited.why
            }
          />
        )}
        {typed.trim() !== "" &&
          rows.map(([key, answer]) => <Answer key={key} title={key} {...answer} />)}
      </ul>
      {all.length > shown.length && (
        <p class="pad small muted">And {all.length - shown.length} more roles.</p>
      )}
      {result.error && <p class="pad small muted">{toText(result.error.message)}</p>}
      <Spoken text={settled && typed.trim() !== "" ? summary : ""} />
    </Card>
  );
}

function Answer({ title, allowed, why, rule }: RuleVerdict & { title: string }): JSX.Element {
  return (
    <li>
      <Icon name={allowed ? "check" : "x"} tone={allowed ? "ok" : "danger"} />
      <div class="break">
        <b>{title}</b>:{" "}
        <span>
          {allowed ? "yes" : "no"}, {visible(why)}
        </span>
        <p class="small rule">{rule}</p>
      </div>
    </li>
  );
}

/** Announces a result to screen readers after a short pause. */
function Spoken({ text }: { text: string }): JSX.Element {
  const [announced, setAnnounced] = useState("");
  useEffect(() => {
    if (text === "") return;
    const timer = setTimeout(() => setAnnounced(text), 300);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p class="hidden-text" role="status">
      {announced}
    </p>
  );
}
