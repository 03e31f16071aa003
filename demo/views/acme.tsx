import type { ComponentType, JSX } from "preact";
import { acmeConfig, type OfAcme } from "../acme.ts";
import { lazy } from "../lazy.tsx";
import { Badge } from "../parts/icon.tsx";
import { Empty, Head, Ready } from "../parts/page.tsx";
import { can, changes } from "../pki.ts";
import { address, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { Switch } from "./acmeswitch.tsx";

const parts: readonly (readonly [id: string, title: string, shown: ComponentType<OfAcme>])[] = [
  ["", "Clients", lazy(async () => (await import("./acmeclients.tsx")).AcmeClients)],
  ["accounts", "Accounts", lazy(async () => (await import("./acmeaccounts.tsx")).AcmeAccounts)],
  ["settings", "Settings", lazy(async () => (await import("./acmesettings.tsx")).AcmeSettings)],
  ["try", "Try it", lazy(async () => (await import("./acmetry.tsx")).AcmeTry)],
];

const about =
  "Clients prove that they control a name, and get and renew its certificates by themselves.";

/** Whether there is ACME, who uses it and how. */
export function Acme(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const there = useLoad(() => can("GET", "config/acme"), []);
  const found = useLoad(acmeConfig, [turn]);
  if (there.value === false)
    return (
      <>
        <Head title="ACME" about={about} />
        <div class="card">
          <Empty text="This authority is older than its ACME, or may not be asked what it has." />
        </div>
      </>
    );
  return (
    <>
      <Head
        title="ACME"
        about={about}
        actions={
          found.value && (
            <>
              <State on={found.value.enabled} />
              <Switch on={found.value.enabled} />
            </>
          )
        }
      />
      <Parts />
      <Ready from={found}>{(config) => <Shown config={config} />}</Ready>
    </>
  );
}

const State = ({ on }: { on: boolean }): JSX.Element => (
  <Badge tone={on ? "ok" : ""} mark={on ? "check" : "x"}>
    {on ? "On" : "Off"}
  </Badge>
);

const current = (id: string): (typeof parts)[number] | undefined =>
  parts.find(([part]) => part === id.split("/")[0]) ?? parts[0];

function Parts(): JSX.Element {
  const id = useStore(route, (value) => value.id);
  return (
    <nav class="tabs" aria-label="Parts of ACME">
      {parts.map(([part, title]) => (
        <a
          key={part}
          href={address("acme", part)}
          aria-current={part === current(id)?.[0] ? "page" : undefined}
        >
          {title}
        </a>
      ))}
    </nav>
  );
}

function Shown({ config }: OfAcme): JSX.Element | null {
  const id = useStore(route, (value) => value.id);
  const View = current(id)?.[2];
  return View ? (
    <div class="stack">
      <View config={config} />
    </div>
  ) : null;
}
