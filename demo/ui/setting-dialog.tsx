import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import type { Reply } from "../api/transport.ts";
import { ApiNamesButton } from "./api-names.tsx";
import { FormDialog } from "./form.tsx";
import { toast } from "./toast.tsx";
import { notify } from "./notify.tsx";
import { announceChange } from "../lib/changes.ts";
import {
  changedSettings,
  refusedSetting,
  settingsOf,
  type SettingChanges,
  type SettingField,
  type Settings,
  type WrongSettings,
} from "../lib/settings.ts";
import { SettingFields } from "./setting-fields.tsx";

interface Props<Name extends string> {
  title: string;
  writes?: boolean | string;
  record: Readonly<Record<string, unknown>>;
  fields: readonly SettingField<Name>[];
  wrongIn?: (typed: Settings) => WrongSettings;
  save: (changes: SettingChanges<Name>) => Promise<Reply<unknown>>;
  close: () => void;
  /** Asks whether to delete the edited object. */
  drop?: () => void;
  children?: ComponentChildren;
}

/**
 * A dialog with settings. It sends only the settings that have changed. An error about a field
 * appears at that field.
 */
export function SettingDialog<Name extends string>(props: Props<Name>): JSX.Element {
  const { title, writes = true, record, fields, wrongIn, save, close, drop, children } = props;
  const [stored] = useState(() => settingsOf(record, fields));
  const [typed, type] = useState(stored);
  const [wrong, setWrong] = useState<WrongSettings>({});
  const act = useAct();
  const refused = act.error ? refusedSetting(act.error.message, fields) : "";
  const submit = (): void => {
    const why = wrongIn?.(typed) ?? {};
    const sent = changedSettings(stored, typed, fields);
    setWrong(why);
    if (Object.keys(why).length > 0) return;
    if (Object.keys(sent).length === 0) return toast("No changes to save");
    act.run(async () => {
      const { warnings } = await save(sent);
      close();
      announceChange();
      notify("Saved", warnings);
    });
  };
  return (
    <FormDialog
      {...{ title, writes, close, act, submit, drop }}
      more={<ApiNamesButton />}
      action="Save"
      isErrorShown={refused !== ""}
    >
      {children}
      <SettingFields
        fields={fields}
        values={typed}
        wrong={{ ...wrong, ...(refused && act.error && { [refused]: act.error.message }) }}
        change={(name, value) => type({ ...typed, [name]: value })}
      />
    </FormDialog>
  );
}
