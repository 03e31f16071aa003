import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../act.ts";
import * as pki from "../pki.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Check, Choice, Lines, Text } from "../parts/field.tsx";
import { Confirm, Delete, toWrong } from "../parts/form.tsx";
import { Failure, Note } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { told } from "../parts/told.tsx";
import { address, guardLeaving, open } from "../route.ts";
import { groups, type RoleField } from "../rolefields.ts";
import {
  changesOf,
  roleOf,
  valuesAfter,
  valuesOf,
  withValue,
  wrong,
  type Values,
} from "../rolevalues.ts";
import { signerOf, type Signers } from "../signers.ts";
import { clock, plain, wrongName } from "../words.ts";

function wrongRoleName(name: string, taken: readonly string[]): string {
  if (name === "") return "A role needs a name";
  return (
    wrongName(name) || (taken.includes(name) || name === "new" ? `${name} exists already` : "")
  );
}

export interface EditorProps {
  /** Empty for a role that is to be made. */
  name: string;
  role: pki.Role;
  taken: readonly string[];
  issuers: Signers;
  /** Is told of the role as it is edited; undefined while it is as saved. */
  edited: (role: pki.Role | undefined) => void;
}

/** The editor of a role. Only what was changed is sent. */
export function RoleEditor({
  name: given,
  role: current,
  taken,
  issuers,
  edited,
}: EditorProps): JSX.Element {
  const [name, setName] = useState(given);
  const { role, values, setValues, changedAt, adopt, keep } = useRole(current);
  const act = useAct();
  const [tried, setTried] = useState(false);
  // A refusal is about what was sent and nothing else.
  const [sent, setSent] = useState<Values>();
  const [deleting, setDeleting] = useState(false);
  const errors = wrong(values);
  const nameError = given ? "" : wrongRoleName(name, taken);
  const changed = changesOf(values, role);
  const touched = Object.keys(changed).length > 0;
  const { free, asking } = useLeaving(touched || (!given && name !== ""));
  useEffect(() => {
    edited(touched || !given ? { ...role, ...roleOf(values) } : undefined);
    return () => edited(undefined);
  }, [values]);
  const saveRole = (event: SubmitEvent): void => {
    event.preventDefault();
    setTried(true);
    if (nameError || Object.keys(errors).length > 0) return toWrong(event.currentTarget);
    if (given && !touched) return toast("Nothing was changed");
    setSent(values);
    act.run(async () => {
      const { warnings } = await (given
        ? pki.patchRole(name, changed, roleOf(values))
        : pki.saveRole(name, roleOf(values)));
      await keep(name, values);
      told(
        given ? "Role saved. New requests follow it from now on" : `Role ${name} made`,
        warnings,
      );
      pki.changed();
      if (given) return;
      free.current = true;
      open(address("roles", name));
    });
  };
  return (
    <form
      class="card"
      aria-label={given ? `Edit ${given}` : "New role"}
      onSubmit={saveRole}
      noValidate
    >
      <div class="pad stack">
        {!given && (
          <Text
            label="Name"
            value={name}
            change={setName}
            mono
            error={tried && nameError ? nameError : undefined}
          />
        )}
        {groups.map((group) => (
          <Group
            key={group.title}
            group={group}
            values={values}
            errors={errors}
            issuers={issuers}
            change={(field, value) => setValues(withValue(values, field, value, role))}
          />
        ))}
        {changedAt && <Stale at={changedAt} adopt={adopt} />}
        {act.error && sent === values && <Failure error={act.error} />}
        <div class="actions">
          <Button kind="primary" submit busy={act.busy}>
            Save role
          </Button>
          {given && <ButtonLink to={address("issue", given)}>Issue from it</ButtonLink>}
          <Button kind="plain" press={() => setValues(valuesOf(role))}>
            Discard changes
          </Button>
          {given && <Delete press={() => setDeleting(true)} />}
        </div>
      </div>
      {deleting && (
        <DeleteRole
          name={given}
          close={() => setDeleting(false)}
          gone={() => (free.current = true)}
        />
      )}
      {asking}
    </form>
  );
}

interface Edited {
  /** As it was when editing began. */
  role: pki.Role;
  values: Values;
  setValues: (values: Values) => void;
  /** When it was seen that somebody else had saved something else. */
  changedAt: Date | undefined;
  /** Drops what was typed for the role as it is now. */
  adopt: () => void;
  /**
   * Takes the role as it was saved of what was sent: the authority may write a value in another
   * way.
   */
  keep: (name: string, sent: Values) => Promise<void>;
}

/**
 * What is typed into the editor. A role that changes elsewhere replaces it only while nothing would
 * be lost.
 */
function useRole(current: pki.Role): Edited {
  const [role, setRole] = useState(current);
  const [values, setValues] = useState(valuesOf(current));
  const [changedAt, setChangedAt] = useState<Date>();
  const adopt = (): void => {
    setRole(current);
    setValues(valuesOf(current));
    setChangedAt(undefined);
  };
  const keep = async (name: string, sent: Values): Promise<void> => {
    // It is saved, so whatever goes wrong here is no failure; the next reading shows it.
    const saved = await pki.role(name).catch(() => ({ ...role, ...roleOf(sent) }));
    setRole(saved);
    setValues((typed) => valuesAfter(typed, sent, saved));
    setChangedAt(undefined);
  };
  useEffect(() => {
    if (JSON.stringify(current) === JSON.stringify(role)) return;
    const same = (other: pki.Role): boolean => Object.keys(changesOf(values, other)).length === 0;
    if (same(role) || same(current)) adopt();
    else setChangedAt(new Date());
  }, [JSON.stringify(current)]);
  return { role, values, setValues, changedAt, adopt, keep };
}

/** Asks before what was typed is lost with the view; `free` lets it go without a question. */
function useLeaving(edited: boolean): { free: { current: boolean }; asking: JSX.Element | false } {
  const [to, setTo] = useState("");
  const free = useRef(false);
  const held = useRef(edited);
  held.current = edited;
  useEffect(() => {
    const own = location.hash;
    return guardLeaving(() => {
      const may = free.current || !held.current;
      // The window itself is being left when the address is still this one, and then the browser
      // asks.
      if (!may && location.hash !== own) setTo(location.hash);
      return may;
    });
  }, []);
  const leave = (): void => {
    free.current = true;
    open(to);
  };
  useEffect(() => {
    // A saving that was under way has come to its end: nothing is left to ask about.
    if (to !== "" && !edited) leave();
  }, [to, edited]);
  return { free, asking: to !== "" && <Leaving leave={leave} stay={() => setTo("")} /> };
}

function Leaving({ leave, stay }: { leave: () => void; stay: () => void }): JSX.Element {
  return (
    <Dialog title="Leave without saving?" close={stay}>
      <p>What was changed in this role is not saved.</p>
      <div class="actions">
        <button class="btn" type="button" autofocus onClick={stay}>
          Keep editing
        </button>
        <Button kind="danger" press={leave}>
          Leave
        </Button>
      </div>
    </Dialog>
  );
}

function Stale({ at, adopt }: { at: Date; adopt: () => void }): JSX.Element {
  return (
    <Note tone="warn" icon="warn">
      <b>Changed elsewhere at {clock(at)}</b>
      <p class="small">
        Saving sends only the fields that you changed, and those replace what was saved there.
      </p>
      <p>
        <Button tiny press={adopt}>
          Show the new version
        </Button>
      </p>
    </Note>
  );
}

interface GroupProps {
  group: (typeof groups)[number];
  values: Values;
  errors: Readonly<Record<string, string>>;
  issuers: Signers;
  change: (field: string, value: string | boolean) => void;
}

function Group({ group, ...rest }: GroupProps): JSX.Element {
  const flags = group.fields.filter(([, , control]) => control === "flag");
  const others = group.fields.filter(([, , control]) => control !== "flag");
  const body = (
    <div class="stack close">
      <div class={others.length > 1 ? "pair" : ""}>
        {others.map((field) => (
          <ControlOf key={field[0]} field={field} {...rest} />
        ))}
      </div>
      {flags.length > 0 && (
        <div class="flags">
          {flags.map((field) => (
            <ControlOf key={field[0]} field={field} {...rest} />
          ))}
        </div>
      )}
    </div>
  );
  return group.folded ? (
    <details>
      <summary>{group.title}</summary>
      {body}
    </details>
  ) : (
    <fieldset class="group">
      <legend>{group.title}</legend>
      {body}
    </fieldset>
  );
}

function ControlOf({
  field: [name, words, control],
  values,
  errors,
  issuers,
  change,
}: Omit<GroupProps, "group"> & { field: RoleField }): JSX.Element {
  const value = values[name];
  const set = (next: string | boolean): void => change(name, next);
  if (control === "flag")
    return (
      <Check
        label={
          <>
            {words} <code class="quiet">{name}</code>
          </>
        }
        checked={value === true}
        change={set}
      />
    );
  const shared = {
    value: plain(value),
    change: set,
    hint: <code>{name}</code>,
    error: errors[name],
    label: words,
  };
  if (control === "issuer") {
    const standard = shared.value === "default" && ` ${signerOf(issuers, shared.value)}`;
    const hint = (
      <>
        {shared.hint}
        {standard}
      </>
    );
    return <Choice {...shared} hint={hint} options={signers(issuers, shared.value)} />;
  }
  if (typeof control === "object")
    return <Choice {...shared} options={control.map((option) => [option, option] as const)} />;
  if (control === "lines") return <Lines {...shared} rows={2} />;
  return <Text {...shared} mono={control === "list" || control === "text"} />;
}

/**
 * Whom a role can be signed by; what it says now is among them, also when nothing has that name.
 */
function signers({ names }: Signers, now: string): readonly (readonly [string, string])[] {
  const known = [["default", "The default authority"] as const, ...names];
  return now === "" || known.some(([id]) => id === now) ? known : [...known, [now, now] as const];
}

function DeleteRole({
  name,
  close,
  gone,
}: {
  name: string;
  close: () => void;
  gone: () => void;
}): JSX.Element {
  const remove = async (): Promise<void> => {
    await pki.deleteRole(name);
    gone();
    close();
    toast(`Role ${name} deleted`);
    open(address("roles"));
    pki.changed();
  };
  return (
    <Confirm title={`Delete the role ${name}?`} close={close} work={remove}>
      <p>Requests that name it are refused from then on. Certificates it has issued stay valid.</p>
    </Confirm>
  );
}
