import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { clusterPath, enableAcme, mountAddress, saveAcmeConfig } from "./calls.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Failure } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { place } from "../../lib/place.ts";
import { announceChange } from "../../api/pki.ts";
import { useStore } from "../../lib/store.ts";

/** Enables ACME with one click; disables it after a confirmation. */
export function Switch({ on }: { on: boolean }): JSX.Element {
  const [asking, setAsking] = useState<"" | "address" | "off">("");
  const act = useAct();
  const close = (): void => setAsking("");
  const turnOn = async (): Promise<void> => {
    if ((await clusterPath()) === "") return setAsking("address");
    const { warnings } = await enableAcme();
    announceChange();
    notify("ACME is on", warnings);
  };
  return (
    <>
      {on ? (
        <Button press={() => setAsking("off")}>Turn off…</Button>
      ) : (
        <Button kind="primary" busy={act.busy} press={() => act.run(turnOn)}>
          Turn on
        </Button>
      )}
      {act.error && <Failure error={act.error} />}
      {asking === "address" && <AddressDialog close={close} />}
      {asking === "off" && <TurnOff close={close} />}
    </>
  );
}

/** Asks for the URL of the mount, which is not configured yet and is part of every ACME URL. */
function AddressDialog({ close }: { close: () => void }): JSX.Element {
  const browser = useStore(place, ({ kind }) => kind === "browser");
  const [path, setPath] = useState(mountAddress());
  const act = useAct();
  const wrong = /^https?:\/\/\S+$/.test(path.trim()) ? "" : "Must begin with https://";
  const submit = (): void => {
    if (wrong) return;
    act.run(async () => {
      const { warnings } = await enableAcme(path.trim().replace(/\/+$/, ""));
      close();
      announceChange();
      notify("ACME is on", warnings);
    });
  };
  return (
    <FormDialog
      title="Where do clients reach this mount?"
      close={close}
      act={act}
      action="Set URL and turn on"
      submit={submit}
    >
      <p>
        Every ACME URL begins with it.
        {browser && " Only this browser can reach it."}
      </p>
      <Text
        label="URL of the mount, including /v1"
        type="url"
        mono
        value={path}
        change={setPath}
        error={wrong || undefined}
        hint={
          <>
            <code>config/cluster</code> <code>path</code>
          </>
        }
      />
    </FormDialog>
  );
}

function TurnOff({ close }: { close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await saveAcmeConfig({ enabled: false });
    close();
    announceChange();
    notify("ACME is off", warnings);
  };
  return (
    <Confirm title="Turn ACME off?" close={close} action="Turn off" work={work}>
      <p>
        Clients can no longer order or renew. Accounts, orders and certificates are kept and work
        again when ACME is turned on.
      </p>
    </Confirm>
  );
}
