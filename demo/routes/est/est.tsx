import { missingPermission } from "../../api/permissions.ts";
import { readEstConfig, writeEstConfig } from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import type { JSX } from "preact";
import { estConfig, saveEstConfig, type OfEst } from "./calls.ts";
import { estFields, wrongEst } from "./fields.ts";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Head, Note, Ready, Warnings } from "../../ui/page.tsx";
import { changes } from "../../lib/changes.ts";
import { usableRoles } from "../../api/roles.ts";
import { place } from "../../lib/place.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { EstClients } from "./client-setup.tsx";
import { EstLogins } from "./login-methods.tsx";
import { Switch } from "./switch.tsx";
import { SettingForm } from "../../ui/setting-form.tsx";

const about =
  "Devices enroll over HTTPS with a password or an existing certificate, and later renew with the certificate that they received (RFC 7030).";

async function all() {
  // A token that can change the settings might not be allowed to read the roles.
  const [{ data, warnings }, roles] = await Promise.all([
    estConfig(),
    usableRoles().catch((): readonly string[] => []),
  ]);
  return { config: data, roles, doubts: warnings };
}

/** The EST view: its state, clients and settings. */
export function Est(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const there = useLoad(() => can(readEstConfig), []);
  const result = useLoad(all, [turn]);
  const on = result.value?.config.enabled;
  const head = (
    <Head
      title="EST"
      about={about}
      actions={
        on !== undefined && (
          <>
            <Badge tone={on ? "ok" : ""} mark={on ? "check" : "x"}>
              {on ? "On" : "Off"}
            </Badge>
            <Switch on={on} />
          </>
        )
      }
    />
  );
  if (there.value === false)
    return (
      <>
        {head}
        <div class="card">
          <Empty text="EST is not available: the server is too old, or your token cannot read the EST settings." />
        </div>
      </>
    );
  return (
    <>
      {head}
      <Ready from={result}>
        {({ doubts, ...of }) => (
          <div class="stack">
            <Browser />
            <Warnings texts={doubts} />
            <EstClients {...of} />
            <EstLogins config={of.config} />
            <Settings {...of} />
          </div>
        )}
      </Ready>
    </>
  );
}

function Browser(): JSX.Element | null {
  const browser = useStore(place, ({ kind }) => kind === "browser");
  return browser ? (
    <Note>
      Clients outside this browser cannot reach this authority. These settings are still included in
      its backups.
    </Note>
  ) : null;
}

function Settings({ config, roles }: OfEst): JSX.Element {
  const fields = estFields(roles, config.default_path_policy);
  return (
    <Card title="Settings">
      <div class="pad">
        <SettingForm
          record={config}
          fields={fields}
          wrongIn={(typed) => wrongEst(typed, fields)}
          save={saveEstConfig}
          lacks={missingPermission(writeEstConfig)}
        />
      </div>
    </Card>
  );
}
