import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../act.ts";
import * as pki from "../pki.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Check, Choice, Lines, Text } from "../parts/field.tsx";
import { Confirm, Delete } from "../parts/form.tsx";
import { Failure, Note } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { told } from "../parts/told.tsx";
import { address, open } from "../route.ts";
import { groups, type RoleField } from "../rolefields.ts";
import { changesOf, roleOf, valuesOf, wrong, type Values } from "../rolevalues.ts";
import { clock, plain, wrongName } from "../words.ts";

function wrongRoleName(name: string, taken: readonly string[]): string {
  if (name === "") return "A role needs a name";
  return wrongName(name) || (taken.includes(name) || name === "new" ? `${name} exists already` : "");
}

interface EditorProps {
  /** Empty for a role that is to be made. */
  name: string;
  role: pki.Role;
  taken: readonly string[];
  /** Names of issuers by id. */
  issuers: ReadonlyMap<string, string>;
  /** Is told of the role as it is edited; undefined while it is as saved. */
  edited: (role: pki.Role | undefined) => void;
}

/** The editor of a role. Only what was changed is sent. */
export function RoleEditor({ name: given, role: current, taken, issuers, edited }: EditorProps): JSX.Element {
  const [name, setName] = useState(given);
  const { role, values, setValues, changedAt, adopt } = useRole(current);
  const act = useAct();
  const [tried, setTried] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const errors = wrong(values);
  const nameError = given ? "" : wrongRoleName(name, taken);
  const changed = changesOf(values, role);
  const touched = Object.keys(changed).length > 0;
  useEffect(() => {
    edited(touched || !given ? { ...role, ...roleOf(values) } : undefined);
    return () => edited(undefined);
  }, [values]);
  const saveRole = (event: Event): void => {
    event.preventDefault();
    setTried(true);
    if (nameError || Object.keys(errors).length > 0) return;
    if (given && !touched) return toast("Nothing was changed");
    act.run(async () => {
      const { warnings } = await (given ? pki.patchRole(name, changed, roleOf(values)) : pki.saveRole(name, roleOf(values)));
      told(given ? "Role saved. New requests follow it from now on" : `Role ${name} made`, warnings);
      pki.changed();
      if (!given) open(address("roles", name));
    });
  };
  return (
    <form class="card" aria-label={given ? `Edit ${given}` : "New role"} onSubmit={saveRole} noValidate>
      <div class="pad stack">
        {!given && <Text label="Name" value={name} change={setName} mono error={tried && nameError ? nameError : undefined} />}
        {groups.map((group) => (
          <Group
            key={group.title}
            group={group}
            values={values}
            errors={errors}
            issuers={issuers}
            change={(field, value) => setValues({ ...values, [field]: value })}
          />
        ))}
        {changedAt && <Stale at={changedAt} adopt={adopt} />}
        {act.error && <Failure error={act.error} />}
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
      {deleting && <DeleteRole name={given} close={() => setDeleting(false)} />}
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
}

/** What is typed into the editor. A role that changes elsewhere replaces it only while nothing would be lost. */
function useRole(current: pki.Role): Edited {
  const [role, setRole] = useState(current);
  const [values, setValues] = useState(valuesOf(current));
  const [changedAt, setChangedAt] = useState<Date>();
  const adopt = (): void => {
    setRole(current);
    setValues(valuesOf(current));
    setChangedAt(undefined);
  };
  useEffect(() => {
    if (JSON.stringify(current) === JSON.stringify(role)) return;
    const same = (other: pki.Role): boolean => Object.keys(changesOf(values, other)).length === 0;
    if (same(role) || same(current)) adopt();
    else setChangedAt(new Date());
  }, [JSON.stringify(current)]);
  return { role, values, setValues, changedAt, adopt };
}

function Stale({ at, adopt }: { at: Date; adopt: () => void }): JSX.Element {
  return (
    <Note tone="warn" icon="warn">
      <b>Changed elsewhere at {clock(at)}</b>
      <p class="small">Saving sends only the fields that you changed, and those replace what was saved there.</p>
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
  issuers: ReadonlyMap<string, string>;
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

function ControlOf({ field: [name, words, control], values, errors, issuers, change }: Omit<GroupProps, "group"> & { field: RoleField }): JSX.Element {
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
  const shared = { value: plain(value), change: set, hint: <code>{name}</code>, error: errors[name], label: words };
  if (control === "issuer") return <Choice {...shared} options={signers(issuers, shared.value)} />;
  if (typeof control === "object") return <Choice {...shared} options={control.map((option) => [option, option] as const)} />;
  if (control === "lines") return <Lines {...shared} rows={2} />;
  return <Text {...shared} mono={control === "list" || control === "text"} />;
}

/** Whom a role can be signed by; what it says now is among them, also when nothing has that name. */
function signers(issuers: ReadonlyMap<string, string>, now: string): readonly (readonly [string, string])[] {
  const known = [["default", "The default authority"] as const, ...issuers];
  return now === "" || known.some(([id]) => id === now) ? known : [...known, [now, now] as const];
}

function DeleteRole({ name, close }: { name: string; close: () => void }): JSX.Element {
  const remove = async (): Promise<void> => {
    await pki.deleteRole(name);
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
