import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiNamesButton } from "../../ui/api-names.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm, toWrong } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { notify } from "../../ui/notify.tsx";
import { changedSettings, type Settings } from "../../lib/settings.ts";
import { startTidy } from "./tidy-calls.ts";
import {
  doesSomething,
  bufferTexts,
  pace,
  runFields,
  runSettings,
  tidied,
  wrongRun,
} from "./tidy-fields.ts";
import { SettingFields } from "../../ui/setting-fields.tsx";

/** The form in which the user selects what a tidy run removes, and starts the run. */
export function RunTidy({
  auto,
  running,
  begun,
}: {
  auto: Readonly<Record<string, unknown>>;
  running: boolean;
  begun: () => void;
}): JSX.Element {
  const [typed, type] = useState(runSettings(auto));
  const [asking, setAsking] = useState(false);
  const [missing, miss] = useState(false);
  const wrong = wrongRun(typed);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (Object.keys(wrong).length > 0) return toWrong(event.currentTarget);
    miss(!doesSomething(typed));
    setAsking(doesSomething(typed));
  };
  return (
    <>
      <form class="stack close" onSubmit={submit} noValidate>
        <SettingFields
          fields={runFields}
          values={typed}
          wrong={wrong}
          change={(name, value) => type({ ...typed, [name]: value })}
        />
        {missing && (
          <p class="verdict no" role="alert">
            <Icon name="x" />
            Choose at least one task.
          </p>
        )}
        <div class="actions">
          <Button kind="danger" submit disabled={running}>
            Run tidy…
          </Button>
          <ApiNamesButton />
          {running && <span class="small muted">A run is in progress.</span>}
        </div>
      </form>
      {asking && <ConfirmRun typed={typed} close={() => setAsking(false)} begun={begun} />}
    </>
  );
}

function ConfirmRun({
  typed,
  close,
  begun,
}: {
  typed: Settings;
  close: () => void;
  begun: () => void;
}): JSX.Element {
  const [deletions, exceptions] = [tidied(typed), bufferTexts(typed)];
  const work = async (): Promise<void> => {
    const { warnings } = await startTidy(changedSettings({}, typed, [...runFields, ...pace]));
    close();
    // Omit the warning that merely says that the run has started.
    notify(
      "Tidy started",
      warnings.filter((text) => !text.includes("successfully started")),
    );
    begun();
  };
  return (
    <Confirm title="Run tidy?" close={close} action="Run tidy" work={work}>
      {deletions.length === 0 ? (
        <p>Nothing will be deleted.</p>
      ) : (
        <>
          <p>This permanently deletes the following objects and their stored data:</p>
          <ul class="list dense card">
            {deletions.map((what) => (
              <li key={what}>{what}</li>
            ))}
          </ul>
          {exceptions.length > 0 && <p>Only: {exceptions.join("; ")}.</p>}
          <p>A revoked certificate that has not expired is never removed.</p>
        </>
      )}
    </Confirm>
  );
}
