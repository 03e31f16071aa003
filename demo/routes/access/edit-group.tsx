import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import {
  deleteGroup,
  deleteGroupAlias,
  entities,
  groups,
  saveGroup,
  saveGroupAlias,
  type Group,
} from "./identity-calls.ts";
import {
  changedGroup,
  groupFields,
  groupSettings,
  nameInUse,
  wrongGroup,
  type GroupChoices,
  type GroupRecord,
} from "./group-fields.ts";
import { loginMethods } from "../../api/login-methods.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Choice } from "../../ui/field.tsx";
import { ApiNamesButton } from "../../ui/api-names.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Ready } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { address, open, redirect } from "../../lib/route.ts";
import { refusedSetting, type Settings, type WrongSettings } from "../../lib/settings.ts";
import { useLoad } from "../../lib/use-load.ts";
import { visible } from "../../lib/visible-text.ts";
import { SettingFields } from "../../ui/setting-fields.tsx";
import { policyControl } from "./policy-choice.tsx";

interface Props {
  /** The group to edit. Absent for a new group. */
  one?: Group;
  close: () => void;
}

// A token that can change a group might not be allowed to list possible members. The user can still
// enter their IDs.
const choices = async (): Promise<GroupChoices> => {
  const [members, all, methods] = await Promise.all([
    entities().catch(() => []),
    groups().catch(() => []),
    loginMethods().catch(() => []),
  ]);
  return {
    entities: members,
    groups: all,
    methods: methods.filter(({ type }) => type !== "token"),
  };
};

/** The dialog that creates or edits a group. */
export function GroupDialog({ one, close }: Props): JSX.Element {
  const result = useLoad(choices, []);
  if (result.value) return <Form {...(one && { one })} of={result.value} close={close} />;
  return (
    <Dialog title={one ? `Change ${visible(one.name)}` : "New group"} close={close}>
      <Ready from={result}>{() => null}</Ready>
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

const newGroup = (type: GroupRecord["type"]): GroupRecord => ({
  id: "",
  name: "",
  type,
  policies: [],
  metadata: {},
  member_entity_ids: [],
  member_group_ids: [],
  alias: {},
});

/** Saves the changes: first the group, then its alias in a login method. */
async function save(
  one: GroupRecord,
  { typed, stored }: { readonly typed: Settings; readonly stored: Settings },
  of: GroupChoices,
  begun: (id: string) => void,
): Promise<{ id: string; warnings: readonly string[] }> {
  const isNew = one.id === "";
  const sent = changedGroup(stored, typed, one.type, of);
  const warnings =
    isNew || Object.keys(sent).length > 0
      ? await saveGroup(isNew ? { type: one.type } : { id: one.id }, sent)
      : undefined;
  const id = one.id || (warnings?.data?.id ?? "");
  begun(id);
  const moved = typed["alias"] !== stored["alias"] || typed["accessor"] !== stored["accessor"];
  const alias = String(typed["alias"] ?? "").trim();
  if (one.type === "external" && moved) {
    if (alias !== "") await saveGroupAlias(id, alias, String(typed["accessor"] ?? ""));
    else if (one.alias.id) await deleteGroupAlias(one.alias.id);
  }
  return { id, warnings: warnings?.warnings ?? [] };
}

function Form({ one, of, close }: Props & { of: GroupChoices }): JSX.Element {
  const [type, choose] = useState<Group["type"]>(one?.type ?? "internal");
  const shown = one ?? newGroup(type);
  const stored = groupSettings(shown, of);
  const [typed, write] = useState(stored);
  const [wrong, setWrong] = useState<WrongSettings>({});
  const [asking, setAsking] = useState(false);
  // If a group was created but its alias was rejected, a retry must not create the group again.
  const createdId = useRef("");
  const act = useAct();
  const fields = groupFields(type, of);
  const refused = act.error ? refusedSetting(act.error.message, fields) : "";
  const isCreated = (): boolean => Boolean(one) || createdId.current !== "";
  const submit = (): void => {
    const why = { ...wrongGroup(typed, of), ...(isCreated() ? {} : nameInUse(typed, of)) };
    setWrong(why);
    if (Object.keys(why).length > 0) return;
    if (one && JSON.stringify(stored) === JSON.stringify(typed)) return toast("No changes to save");
    act.run(async () => {
      const group = { ...shown, id: shown.id || createdId.current };
      const { id, warnings } = await save(
        group,
        { typed, stored },
        of,
        (id) => (createdId.current = id),
      );
      close();
      announceChange();
      notify(one ? "Saved" : "Group created", warnings);
      if (!one) open(address("access", `entities/group/${id}`));
    });
  };
  const changeType = (next: Group["type"]): void => {
    choose(next);
    write({ ...groupSettings(newGroup(next), of), ...typed });
  };
  if (one && asking) return <Drop one={one} close={close} />;
  return (
    <FormDialog
      title={one ? `Change ${visible(one.name)}` : "New group"}
      writes="all mounts"
      close={close}
      act={act}
      action={one ? "Save" : "Create group"}
      submit={submit}
      isErrorShown={refused !== ""}
      more={<ApiNamesButton />}
      drop={one && (() => setAsking(true))}
    >
      {!one && <Choice label="Kind" value={type} change={changeType} options={kinds} />}
      <SettingFields
        fields={fields}
        values={typed}
        wrong={{ ...wrong, ...(refused && act.error && { [refused]: act.error.message }) }}
        change={(name, value) => write({ ...typed, [name]: value })}
        custom={policyControl}
      />
    </FormDialog>
  );
}

const kinds = [
  ["internal", "Internal: members are listed here"],
  ["external", "External: a login method assigns members"],
] as const;

function Drop({ one, close }: { one: Group; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await deleteGroup(one.id);
    close();
    redirect(address("access", "entities"));
    announceChange();
    notify("Group deleted", warnings);
  };
  return (
    <Confirm title="Delete this group?" writes="all mounts" close={close} work={work}>
      <p>
        The members of <code>{visible(one.name)}</code> remain but lose the policies of the group:{" "}
        {one.policies.map(visible).join(", ") || "none"}.
      </p>
    </Confirm>
  );
}
