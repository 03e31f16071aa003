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
import { announceChange } from "../lib/changes.ts";
import { ApiNamesButton } from "./api-names.tsx";
import { Button } from "./button.tsx";
import { toWrong } from "./form.tsx";
import { useLeaving } from "./leave-unsaved.tsx";
import { Failure, Note } from "./page.tsx";
import { toast } from "./toast.tsx";
import { notify } from "./notify.tsx";
import { SettingFields } from "./setting-fields.tsx";

interface Props<Name extends string> {
  record: Readonly<Record<string, unknown>>;
  fields: readonly SettingField<Name>[];
  /** Rarely used settings, shown under a separate heading. */
  more?: readonly SettingField<Name>[];
  moreTitle?: string;
  wrongIn: (typed: Settings) => WrongSettings;
  save: (changes: SettingChanges<Name>) => Promise<Reply<unknown>>;
  /** The permission that the token lacks for saving; empty if none. */
  lacks?: string;
  children?: ComponentChildren;
}

/**
 * Returns the saved settings and those in the form. Changes that were saved elsewhere appear in the
 * form, except in fields that the user has also edited; `conflicts` lists these.
 */
function useTyped(stored: Settings) {
  const [typed, type] = useState(stored);
  const [conflicts, setConflicts] = useState<readonly string[]>([]);
  const shown = useRef(stored);
  const isSaved = useRef(false);
  // Update the values in place, so that the form keeps its scroll position and the focus.
  useEffect(() => {
    const before = shown.current;
    shown.current = stored;
    // Nothing has changed on the first run: return, to keep what the user has typed so far.
    const changed = Object.keys(stored).filter((name) => stored[name] !== before[name]);
    if (changed.length === 0) return;
    const unsaved = isSaved.current
      ? []
      : Object.keys(stored).filter(
          (name) => typed[name] !== before[name] && typed[name] !== stored[name],
        );
    isSaved.current = false;
    type({ ...stored, ...Object.fromEntries(unsaved.map((name) => [name, typed[name] ?? ""])) });
    setConflicts(changed.filter((name) => unsaved.includes(name)));
  }, [JSON.stringify(stored)]);
  const change = (next: Settings): void => {
    if (next === stored) setConflicts([]);
    isSaved.current = false;
    type(next);
  };
  const saved = (): void => {
    isSaved.current = true;
    setConflicts([]);
  };
  return { held: stored, typed, type: change, saved, isSaved: () => isSaved.current, conflicts };
}

/**
 * A form with settings. It sends only the settings that have changed. An error about a field
 * appears at that field until the user types.
 */
export function SettingForm<Name extends string>(props: Props<Name>): JSX.Element {
  const { record, fields, more = [], moreTitle = "", wrongIn, save, lacks = "", children } = props;
  const all = [...fields, ...more];
  const { held, typed, type, saved, isSaved, conflicts } = useTyped(settingsOf(record, all));
  const [sent, send] = useState<Settings>();
  const act = useAct();
  const edited = !isSaved() && Object.keys(changedSettings(held, typed, all)).length > 0;
  const { asking } = useLeaving(() => edited && !isSaved(), "form");
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
      saved();
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
      {conflicts.length > 0 && (
        <Note tone="warn" icon="warn">
          Changed elsewhere meanwhile:{" "}
          {all
            .filter(({ name }) => conflicts.includes(name))
            .map(({ label, name }) => `${label} is now ${String(held[name]) || "empty"}`)
            .join("; ")}
          . Saving overwrites that value.
        </Note>
      )}
      <div class="actions">
        <ApiNamesButton />
        {edited && <Button press={() => type(held)}>Discard changes</Button>}
        <Button kind="primary" submit lacks={lacks} busy={act.busy}>
          Save
        </Button>
      </div>
      {asking}
    </form>
  );
}
