import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { writeEstConfig } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { announceChange } from "../../lib/changes.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form.tsx";
import { notify } from "../../ui/notify.tsx";
import { Failure } from "../../ui/page.tsx";
import { saveEstConfig } from "./calls.ts";

async function turn(enabled: boolean): Promise<void> {
  const { warnings } = await saveEstConfig({ enabled });
  announceChange();
  notify(enabled ? "EST is on" : "EST is off", warnings);
}

/** The button that enables EST, or disables it after a confirmation. */
export function Switch({ on }: { on: boolean }): JSX.Element {
  const [asking, ask] = useState(false);
  const act = useAct();
  const lacks = missingPermission(writeEstConfig);
  const turnOff = async (): Promise<void> => {
    await turn(false);
    ask(false);
  };
  return (
    <>
      {on ? (
        <Button lacks={lacks} press={() => ask(true)}>
          Turn off…
        </Button>
      ) : (
        <Button lacks={lacks} busy={act.busy} press={() => act.run(() => turn(true))}>
          Turn on
        </Button>
      )}
      {act.error && <Failure error={act.error} />}
      {asking && (
        <Confirm title="Turn EST off?" close={() => ask(false)} action="Turn off" work={turnOff}>
          <p>While EST is off, devices cannot enroll or renew. The settings are kept.</p>
        </Confirm>
      )}
    </>
  );
}
