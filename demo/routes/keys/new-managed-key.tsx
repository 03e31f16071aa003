import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import {
  managedTypes,
  managedKeys,
  saveManagedKey,
  type ManagedType,
} from "../../api/managed-keys.ts";
import { fieldsOf, managedFields, wrongManaged } from "./managed-fields.ts";
import { ApiNamesButton } from "../../ui/api-names.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { address, open } from "../../lib/route.ts";
import {
  blankSettings,
  changedSettings,
  withoutEmpty,
  refusedSetting,
  type WrongSettings,
} from "../../lib/settings.ts";
import { wrongName } from "../../lib/names.ts";
import { SettingFields } from "../../ui/setting-fields.tsx";

const types = managedTypes.map((type) => [type, managedFields[type].title] as const);

/** The dialog that registers a managed key. */
export function NewManagedKey({ close }: { close: () => void }): JSX.Element {
  const [type, choose] = useState<ManagedType>("https");
  const [name, call] = useState("");
  const [typed, write] = useState(() => blankSettings(fieldsOf("https")));
  const [wrong, setWrong] = useState<WrongSettings>({});
  const act = useAct();
  const fields = fieldsOf(type);
  const refused = act.error ? refusedSetting(act.error.message, fields) : "";
  const submit = (): void => {
    const bad = wrongName(name.trim()) || (name.trim() === "" ? "Enter a name" : "");
    const why = { ...wrongManaged(type, typed, true), ...(bad && { "": bad }) };
    setWrong(why);
    if (Object.keys(why).length > 0) return;
    act.run(async () => {
      // A write would silently replace an existing key.
      const existing = await managedKeys().catch(() => []);
      if (existing.some((one) => one.name === name.trim()))
        return setWrong({ "": `${name.trim()}: a managed key with this name already exists` });
      const sent = changedSettings({}, withoutEmpty(typed), fields);
      const { warnings } = await saveManagedKey(type, name.trim(), sent);
      close();
      announceChange();
      notify("Key registered", warnings);
      open(address("keys", `managed/${type}/${name.trim()}`));
    });
  };
  const changeType = (next: ManagedType): void => {
    choose(next);
    setWrong({});
    write(blankSettings(fieldsOf(next)));
  };
  return (
    <FormDialog
      title="Register a managed key"
      writes="all mounts"
      close={close}
      act={act}
      action="Register"
      more={<ApiNamesButton />}
      submit={submit}
      isErrorShown={refused !== ""}
    >
      <div class="pair">
        <Choice label="Type" value={type} change={changeType} options={types} />
        <Text label="Name" value={name} change={call} error={wrong[""]} mono />
      </div>
      <SettingFields
        fields={managedFields[type].fields}
        values={typed}
        wrong={{ ...wrong, ...(refused && act.error && { [refused]: act.error.message }) }}
        change={(field, value) => write({ ...typed, [field]: value })}
      />
      <details>
        <summary>More</summary>
        <SettingFields
          fields={managedFields[type].more}
          values={typed}
          wrong={wrong}
          change={(field, value) => write({ ...typed, [field]: value })}
        />
      </details>
      <p class="small muted">Registering does not contact the service. Test the key afterwards.</p>
    </FormDialog>
  );
}
