import { deleteRole, patchRole, writeRole } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { Role } from "../../lib/role.ts";
import * as roleCalls from "../../api/roles.ts";
import { announceChange } from "../../lib/changes.ts";
import { ApiNamesButton } from "../../ui/api-names.tsx";
import { Button } from "../../ui/button.tsx";
import { Check, Text } from "../../ui/field.tsx";
import { Confirm, Delete, toWrong } from "../../ui/form.tsx";
import { Failure, NotAllowed, Note } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { address, open } from "../../lib/route.ts";
import { groups, type RoleGroup } from "./fields.ts";
import { changesOf, roleOf, valuesOf, withValue, wrongRole, type Values } from "./role-values.ts";
import { describe, keyOf, lifetimes } from "../../lib/role-text.ts";
import type { Signers } from "../../api/role-issuers.ts";
import { clock } from "../../lib/time-text.ts";
import { wrongName } from "../../lib/names.ts";
import { Presets } from "./presets.tsx";
import { Group } from "./role-group.tsx";
import { useLeaving } from "../../ui/leave-unsaved.tsx";
import { RootSigner } from "./root-signer.tsx";
import { useRole } from "./role-edits.ts";
import { gapsOf, newGaps, newRisks, type Risk } from "./role-risks.ts";

function wrongRoleName(name: string, names: readonly string[]): string {
  if (name === "") return "Enter a name";
  return (
    wrongName(name) || (names.includes(name) || name === "new" ? `${name} already exists` : "")
  );
}

export interface EditorProps {
  /** Name of the role; empty for a new role. */
  name: string;
  role: Role;
  names: readonly string[];
  issuers: Signers;
  /** Receives the edited role, or undefined while it equals the saved role. */
  edited: (role: Role | undefined) => void;
}

/** The editor of a role. Sends only changed fields. */
export function RoleEditor({
  name: currentName,
  role: current,
  names,
  issuers,
  edited,
}: EditorProps): JSX.Element {
  const [name, setName] = useState(currentName);
  const { role, values, setValues, changedAt, adopt, save } = useRole(current);
  const act = useAct();
  const [tried, setTried] = useState(false);
  // show an error only until the form changes
  const [sent, setSent] = useState<Values>();
  const [deleting, setDeleting] = useState(false);
  const { notes, isConfirmed } = useNotes(values, currentName ? valuesOf(role) : undefined, tried);
  const errors = wrongRole(values);
  const nameError = currentName ? "" : wrongRoleName(name, names);
  const changed = changesOf(values, role);
  const touched = Object.keys(changed).length > 0;
  const { free, asking } = useLeaving(touched || (!currentName && name !== ""));
  useEffect(() => {
    edited(touched || !currentName ? { ...role, ...roleOf(values) } : undefined);
    return () => edited(undefined);
  }, [values]);
  const saveRole = (event: SubmitEvent): void => {
    event.preventDefault();
    setTried(true);
    if (nameError || Object.keys(errors).length > 0 || !isConfirmed)
      return toWrong(event.currentTarget);
    if (currentName && !touched) return toast("No changes to save");
    setSent(values);
    act.run(async () => {
      const { warnings } = await (currentName
        ? roleCalls.patchRole(name, changed, roleOf(values))
        : roleCalls.saveRole(name, roleOf(values)));
      await save(name, values);
      notify(
        currentName ? "Role saved; the changes apply to new requests" : `Role ${name} created`,
        warnings,
      );
      announceChange();
      if (currentName) return;
      free.current = true;
      open(address("roles", name));
    });
  };
  const renderGroup = (group: RoleGroup): JSX.Element => (
    <Group
      key={group.title}
      group={group}
      values={values}
      errors={errors}
      issuers={issuers}
      change={(field, value) => setValues(withValue(values, field, value, role))}
    />
  );
  const lacks = lacksToSave(currentName);
  return (
    <form
      class="card"
      aria-label={currentName ? `Edit ${currentName}` : "New role"}
      onSubmit={saveRole}
      noValidate
    >
      <div class="pad stack">
        <Opening role={{ ...role, ...roleOf(values) }} lacks={lacks} />
        {/* if the token may not save the role, the fields are read-only */}
        <fieldset class="stack" disabled={lacks !== ""}>
          {!currentName && (
            <Text label="Name" value={name} change={setName} mono error={tried ? nameError : ""} />
          )}
          <Presets values={values} change={setValues} open={!currentName} />
          {groups.filter(({ folded }) => !folded).map(renderGroup)}
          <div class="stack folds">{groups.filter(({ folded }) => folded).map(renderGroup)}</div>
        </fieldset>
        <RootSigner isNew={!currentName} role={role} values={values} change={setValues} />
        {notes}
        {changedAt && <Stale at={changedAt} adopt={adopt} />}
        {act.error && sent === values && <Failure error={act.error} />}
      </div>
      <SaveBar
        lacks={lacks}
        changed={Object.keys(changed).length}
        isNew={!currentName}
        busy={act.busy}
        discard={() => setValues(valuesOf(role))}
        removal={currentName ? missingPermission(deleteRole, { name: currentName }) : undefined}
        remove={() => setDeleting(true)}
      />
      {deleting && (
        <DeleteRole
          name={currentName}
          close={() => setDeleting(false)}
          onDeleted={() => (free.current = true)}
        />
      )}
      {asking}
    </form>
  );
}

/**
 * Returns the permission that the token lacks for saving a role, or an empty string. `name` is
 * empty for a new role.
 */
const lacksToSave = (name: string): string =>
  name === ""
    ? missingPermission(writeRole, { name: "any-role" })
    : missingPermission(patchRole, { name });

/** A note about the edited fields that the user must confirm before saving. */
interface Confirmation {
  readonly tone: "warn" | "danger";
  readonly title: string;
  /** The listed risks or gaps. */
  readonly all: readonly Risk[];
  /** Those that the saved role does not have. Only they require a confirmation. */
  readonly added: readonly Risk[];
  /** The label of the checkbox. */
  readonly label: string;
}

/**
 * Returns a note with a checkbox, and whether the user has confirmed everything in it. `tried`:
 * whether the user has tried to save.
 */
function useConfirmation(
  { tone, title, all, added, label }: Confirmation,
  tried: boolean,
): { readonly note: JSX.Element | false; readonly isConfirmed: boolean } {
  const [accepted, accept] = useState("");
  // if another one is added, the user must confirm again
  const ids = added.map(({ id }) => id).join("\n");
  const isConfirmed = added.length === 0 || accepted === ids;
  return {
    isConfirmed,
    note: all.length > 0 && (
      <Note tone={tone} icon="warn">
        <b>{title}</b>
        {all.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
        {added.length > 0 && (
          <Check
            label={label}
            checked={isConfirmed}
            change={(on) => accept(on ? ids : "")}
            error={tried && !isConfirmed ? "Confirm this, or change the fields above" : undefined}
          />
        )}
      </Note>
    ),
  };
}

/**
 * Returns the notes about what a role allows and about the names that it does not allow, and
 * whether the user has confirmed them.
 */
function useNotes(
  values: Values,
  saved: Values | undefined,
  tried: boolean,
): { readonly notes: JSX.Element; readonly isConfirmed: boolean } {
  const added = newRisks(values, saved);
  const risks = useConfirmation(
    {
      tone: "danger",
      title: "Anyone who may use this role can get:",
      all: added,
      added,
      label: "Allow this",
    },
    tried,
  );
  const gaps = useConfirmation(
    {
      tone: "warn",
      title: "This role may allow fewer names than you expect",
      // a new role has no names before the user enters them
      all: tried || saved ? gapsOf(values) : [],
      added: newGaps(values, saved),
      label: "Save it anyway",
    },
    tried,
  );
  return {
    isConfirmed: risks.isConfirmed && gaps.isConfirmed,
    notes: (
      <>
        {risks.note}
        {gaps.note}
      </>
    ),
  };
}

const unsaved = (n: number): string => (n === 1 ? "1 unsaved change" : `${n} unsaved changes`);

/** The bar with the form's actions, which is always visible. */
function SaveBar({
  lacks,
  changed,
  isNew,
  busy,
  discard,
  removal,
  remove,
}: {
  /** The permission that the token lacks for saving; empty if none. */
  lacks: string;
  changed: number;
  isNew: boolean;
  busy: boolean;
  discard: () => void;
  /**
   * The permission that the token lacks for deleting the role; empty if none, undefined for a new
   * role.
   */
  removal: string | undefined;
  remove: () => void;
}): JSX.Element {
  return (
    <div class="bar actions">
      <Button kind="primary" submit lacks={lacks} busy={busy}>
        Save role
      </Button>
      {changed > 0 && (
        <Button kind="plain" press={discard}>
          Discard changes
        </Button>
      )}
      <span class="small muted grow" role="status">
        {changed > 0 && (isNew ? "Not saved yet" : unsaved(changed))}
      </span>
      {removal !== undefined && <Delete lacks={removal} press={remove} />}
    </div>
  );
}

/**
 * The description of the role at the top of the editor, the button that shows API names, and the
 * permission that the token lacks for saving.
 */
function Opening({ role, lacks }: { role: Role; lacks: string }): JSX.Element {
  return (
    <>
      <div class="opening">
        <p class="muted">
          {describe(role)} {keyOf(role)}; {lifetimes(role).join(", ")}.
        </p>
        <ApiNamesButton tiny />
      </div>
      {lacks !== "" && <NotAllowed lacks={lacks} />}
    </>
  );
}

function Stale({ at, adopt }: { at: Date; adopt: () => void }): JSX.Element {
  return (
    <Note tone="warn" icon="warn">
      <b>Changed elsewhere at {clock(at)}</b>
      <p class="small">Saving overwrites only the fields that you changed.</p>
      <p>
        <Button tiny press={adopt}>
          Show the new version
        </Button>
      </p>
    </Note>
  );
}

function DeleteRole({
  name,
  close,
  onDeleted,
}: {
  name: string;
  close: () => void;
  onDeleted: () => void;
}): JSX.Element {
  const remove = async (): Promise<void> => {
    await roleCalls.deleteRole(name);
    onDeleted();
    close();
    toast(`Role ${name} deleted`);
    open(address("roles"));
    announceChange();
  };
  return (
    <Confirm title={`Delete the role ${name}?`} close={close} work={remove}>
      <p>Requests with this role will be rejected. Certificates already issued stay valid.</p>
    </Confirm>
  );
}
