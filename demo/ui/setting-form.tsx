import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import type { Reply } from "../api/transport.ts";
import {
  changedSettings,
  refusedSetting,
  settingsOf,
  type Setting,
  type SettingChanges,
  type SettingField,
  type Settings,
  type WrongSettings,
} from "../lib/settings.ts";
import { announceChange } from "../api/pki.ts";
import { Button } from "./button.tsx";
import { toWrong } from "./form.tsx";
import { Failure } from "./page.tsx";
import { toast } from "./toast.tsx";
import { notify } from "./notify.tsx";
import { SettingFields } from "./setting-fields.tsx";

interface Props<Name extends string> {
  record: Readonly<Record<string, unknown>>;
  fields: readonly SettingField<Name>[];
  /** Rarely used settings, under a title of their own. */
  more?: readonly SettingField<Name>[];
  moreTitle?: string;
  wrongIn: (typed: Settings) => WrongSettings;
  save: (changes: SettingChanges<Name>) => Promise<Reply<unknown>>;
  children?: ComponentChildren;
}

/**
 * A form of settings. Only what was changed is sent; a refusal stands beside the field that it is
 * about, until something is typed.
 */
export function SettingForm<Name extends string>(props: Props<Name>): JSX.Element {
  const { record, fields, more = [], moreTitle = "", wrongIn, save, children } = props;
  const all = [...fields, ...more];
  const held = settingsOf(record, all);
  const [typed, type] = useState(held);
  const [sent, send] = useState<Settings>();
  const act = useAct();
  // The form shows saved values, also those saved elsewhere, and keeps its place and the focus.
  const text = JSON.stringify(held);
  const shown = useRef(text);
  useEffect(() => {
    // Text typed before the first run of this effect stays.
    if (shown.current !== text) type(held);
    shown.current = text;
  }, [text]);
  const change = (name: string, value: Setting): void => type({ ...typed, [name]: value });
  const refused = sent === typed && act.error ? refusedSetting(act.error.message, all) : "";
  const wrong = {
    ...wrongIn(typed),
    ...(refused && act.error && { [refused]: act.error.message }),
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const changes = changedSettings(held, typed, all);
    if (Object.keys(wrongIn(typed)).length > 0) return toWrong(form);
    if (Object.keys(changes).length === 0) return toast("No changes to save");
    send(typed);
    act.run(async () => {
      const { warnings } = await save(changes).catch((reason: unknown) => {
        toWrong(form);
        throw reason;
      });
      notify("Saved", warnings);
      announceChange();
    });
  };
  const shared = { values: typed, wrong, change };
  return (
    <form class="stack close" onSubmit={submit} noValidate>
      {children}
      <SettingFields fields={fields} {...shared} />
      {more.some(({ name }) => held[name] !== undefined) && (
        <details open={more.some(({ name }) => held[name] === true)}>
          <summary>{moreTitle}</summary>
          <SettingFields fields={more} {...shared} />
        </details>
      )}
      {act.error && !refused && <Failure error={act.error} />}
      <div class="actions">
        <Button kind="primary" submit busy={act.busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
