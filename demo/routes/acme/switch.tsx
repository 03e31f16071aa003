import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  clusterPath,
  enableAcme,
  mountAddress,
  saveAcmeConfig,
  type AcmeConfig,
  type OfAcme,
} from "./calls.ts";
import { accountPolicies, directoryPolicies } from "./fields.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { Confirm, FormDialog } from "../../ui/form.tsx";
import { Ready } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { isLoopback } from "../../lib/loopback.ts";
import { place } from "../../lib/place.ts";
import { announceChange } from "../../lib/changes.ts";
import { usableRoles } from "../../api/roles.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";

/**
 * The button that enables ACME, after asking who may use it, or disables it, after a confirmation.
 */
export function Switch({ config }: OfAcme): JSX.Element {
  const [asking, ask] = useState<"" | "on" | "off">("");
  const close = (): void => ask("");
  return (
    <>
      {config.enabled ? (
        <Button press={() => ask("off")}>Turn off…</Button>
      ) : (
        <Button kind="primary" press={() => ask("on")}>
          Turn on…
        </Button>
      )}
      {asking === "on" && <TurnOn config={config} close={close} />}
      {asking === "off" && <TurnOff close={close} />}
    </>
  );
}

interface Choices {
  /** The configured URL of the mount; empty if there is none. */
  readonly path: string;
  readonly roles: readonly string[];
}

async function readChoices(): Promise<Choices> {
  const [path, roles] = await Promise.all([
    clusterPath(),
    usableRoles().catch((): readonly string[] => []),
  ]);
  return { path, roles };
}

function TurnOn({ config, close }: { config: AcmeConfig; close: () => void }): JSX.Element {
  const found = useLoad(readChoices, []);
  if (found.value) return <Opening config={config} of={found.value} close={close} />;
  return (
    <Dialog title="Turn ACME on?" close={close}>
      <Ready from={found}>{() => null}</Ready>
    </Dialog>
  );
}

/** Describes which certificates clients can request in the default directory under a policy. */
const opens = (policy: string): string =>
  policy === "sign-verbatim"
    ? "Clients get certificates for every name that they prove control of, regardless of roles."
    : policy === "forbid"
      ? "Clients must use a role’s directory. The role determines which names are allowed."
      : "The role determines which names are allowed.";

/**
 * The dialog that enables ACME. It asks which names and accounts to allow and, if the mount has no
 * URL, which URL to set. Every ACME URL begins with the mount's URL.
 */
function Opening({
  config,
  of: { path: held, roles },
  close,
}: {
  config: AcmeConfig;
  of: Choices;
  close: () => void;
}): JSX.Element {
  const browser = useStore(place, ({ kind }) => kind === "browser");
  const { default_directory_policy: policy, eab_policy: accounts } = config;
  // by default, roles restrict the names
  const [directory, setDirectory] = useState(
    policy === "sign-verbatim" && roles.length > 0 ? "forbid" : policy,
  );
  const [binding, setBinding] = useState<string>(accounts);
  const [path, setPath] = useState(mountAddress());
  const act = useAct();
  const asksPath = held === "";
  const wrong =
    !asksPath || /^https?:\/\/\S+$/.test(path.trim()) ? "" : "Must begin with https:// or http://";
  const submit = (): void => {
    if (wrong) return;
    act.run(async () => {
      const { warnings } = await enableAcme(asksPath ? path.trim().replace(/\/+$/, "") : "", {
        ...(directory !== policy && { default_directory_policy: directory }),
        ...(binding !== accounts && { eab_policy: binding }),
      });
      close();
      announceChange();
      notify("ACME is on", warnings);
    });
  };
  const url = asksPath ? path.trim() : held;
  return (
    <FormDialog
      title="Turn ACME on?"
      close={close}
      act={act}
      action={asksPath ? "Set URL and turn on" : "Turn on"}
      submit={submit}
    >
      <Choice
        label="Orders without a role"
        value={directory}
        change={setDirectory}
        options={directoryPolicies(roles, directory)}
        hint={opens(directory)}
      />
      <Choice
        label="Accounts"
        value={binding}
        change={setBinding}
        options={accountPolicies}
        hint={
          binding === "not-required"
            ? "Anyone who can reach this server can create an account."
            : "Each client needs an EAB key, which you create on the ACME page."
        }
      />
      {asksPath && (
        <Text
          label="URL of the mount, including /v1"
          type="url"
          mono
          value={path}
          change={setPath}
          error={wrong || undefined}
          hint="Every ACME URL begins with this URL."
        />
      )}
      {browser && <p class="small muted">This authority can be reached only from this browser.</p>}
      {!browser && isLoopback(url) && (
        <p class="small muted">
          Clients on other machines cannot reach <code class="break">{url}</code>.
        </p>
      )}
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
        While ACME is off, clients cannot order or renew certificates. Accounts and orders are kept,
        and issued certificates stay valid.
      </p>
    </Confirm>
  );
}
