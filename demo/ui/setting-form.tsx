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
  /** Rarely used settings, under their own heading. */
  more?: readonly SettingField<Name>[];
  moreTitle?: string;
  wrongIn: (typed: Settings) => WrongSettings;
  save: (changes: SettingChanges<Name>) => Promise<Reply<unknown>>;
  /** The permission that saving lacks; empty if none. */
  lacks?: string;
  children?: ComponentChildren;
}

/**
 * A form of settings. Sends only changed ones; an error appears at the field it is about, until the
 * user types.
 */
export function SettingForm<Name extends string>(props: Props<Name>): JSX.Element {
  const { record, fields, more = [], moreTitle = "", wrongIn, save, lacks = "", children } = props;
  const all = [...fields, ...more];
  const held = settingsOf(record, all);
  const [typed, type] = useState(held);
  const [sent, send] = useState<Settings>();
  const act = useAct();
  // The form shows saved values, also those saved elsewhere, without losing its position and the
  // focus.
  const text = JSON.stringify(held);
  const shown = useRef(text);
  useEffect(() => {
    // Text typed before the first run of this effect is kept.
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
        <Button kind="primary" submit lacks={lacks} busy={act.busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
