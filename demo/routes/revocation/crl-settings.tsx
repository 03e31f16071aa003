import { missingPermission } from "../../api/permissions.ts";
import { writeCrlConfig } from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { clusterFields, crlFields, wrongCrlSettings } from "./crl-fields.ts";
import { Card, Ready } from "../../ui/page.tsx";
import * as pki from "../../api/pki.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { SettingForm } from "../../ui/setting-form.tsx";

/** The settings of CRLs and OCSP. */
export function CrlSettings(): JSX.Element {
  const turn = useStore(pki.changes, (value) => value.turn);
  const config = useLoad(pki.crlConfig, [turn]);
  return (
    <Card title="Settings of CRLs and OCSP">
      <div class="pad">
        <Ready from={config}>
          {(value) => (
            <SettingForm
              record={value}
              fields={crlFields}
              more={clusterFields}
              moreTitle="Several clusters"
              wrongIn={wrongCrlSettings}
              save={pki.saveCrlConfig}
              lacks={missingPermission(writeCrlConfig)}
            />
          )}
        </Ready>
      </div>
    </Card>
  );
}
