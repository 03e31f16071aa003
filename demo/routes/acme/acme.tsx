import { newEab, readAcmeConfig } from "../../api/endpoints/pki.ts";
import { mayCallAny, useMissingPermission } from "../../api/permissions.ts";
import { can } from "../../api/openapi.ts";
import type { JSX } from "preact";
import { acmeConfig, type OfAcme } from "./calls.ts";
import { lazy } from "../../ui/lazy.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Empty, Head, Ready } from "../../ui/page.tsx";
import { Sections, useSection, type Section } from "../../ui/sections.tsx";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { Switch } from "./switch.tsx";

const ClientSetup = lazy(async () => (await import("./client-setup.tsx")).ClientSetup);

const parts: readonly Section<OfAcme>[] = [
  ["", "Clients", lazy(async () => (await import("./client-setup.tsx")).AcmeClients)],
  ["accounts", "Accounts", lazy(async () => (await import("./accounts.tsx")).AcmeAccounts)],
  ["settings", "Settings", lazy(async () => (await import("./settings.tsx")).AcmeSettings)],
  ["try", "Try it", lazy(async () => (await import("./try-out.tsx")).AcmeTry)],
];

const about =
  "Clients prove that they control a name, then obtain and renew certificates for it automatically.";

/** The ACME view: its state, clients and settings. */
export function Acme(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const there = useLoad(() => can(readAcmeConfig), []);
  const lacks = useMissingPermission(readAcmeConfig);
  const result = useLoad(acmeConfig, [turn]);
  if (there.value === false)
    return (
      <>
        <Head title="ACME" about={about} />
        <div class="card">
          <Empty text="ACME is not available: the server is too old, or your token cannot read the ACME settings." />
        </div>
      </>
    );
  if (lacks && mayCallAny([newEab]))
    return (
      <>
        <Head title="ACME" about={about} />
        <ClientSetup />
      </>
    );
  return (
    <>
      <Head
        title="ACME"
        about={about}
        actions={
          result.value && (
            <>
              <State on={result.value.enabled} />
              <Switch config={result.value} />
            </>
          )
        }
      />
      <Sections of={parts} view="acme" label="ACME sections" />
      <Ready from={result}>{(config) => <Shown config={config} />}</Ready>
    </>
  );
}

const State = ({ on }: { on: boolean }): JSX.Element => (
  <Badge tone={on ? "ok" : ""} mark={on ? "check" : "x"}>
    {on ? "On" : "Off"}
  </Badge>
);

function Shown({ config }: OfAcme): JSX.Element | null {
  const View = useSection(parts);
  return View ? (
    <div class="stack">
      <View config={config} />
    </div>
  ) : null;
}
