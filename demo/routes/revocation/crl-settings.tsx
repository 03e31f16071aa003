import { missingPermission } from "../../api/permissions.ts";
import { writeCrlConfig } from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { CrlUrlAdvice } from "./crl-url-advice.tsx";
import { clusterFields, crlFields, wrongCrlSettings } from "./crl-fields.ts";
import { Card, Ready } from "../../ui/page.tsx";
import { saveCrlConfig, crlConfig } from "../../api/crls.ts";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { SettingForm } from "../../ui/setting-form.tsx";

/**
 * Saves the settings. Removes from the response the warning that shards require a URL, because the
 * view has its own note with a button that sets the URL.
 */
async function saveSettings(
  changes: Parameters<typeof saveCrlConfig>[0],
): ReturnType<typeof saveCrlConfig> {
  const reply = await saveCrlConfig(changes);
  return {
    ...reply,
    warnings: reply.warnings.filter((text) => !text.startsWith("shards has no effect")),
  };
}

/** The form for the CRL and OCSP settings. */
export function CrlSettings(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const config = useLoad(crlConfig, [turn]);
  return (
    <Card title="CRL and OCSP settings">
      <div class="pad stack">
        {config.value && <CrlUrlAdvice config={config.value} />}
        <Ready from={config}>
          {(value) => (
            <SettingForm
              record={value}
              fields={crlFields}
              more={clusterFields}
              moreTitle="Several clusters"
              wrongIn={wrongCrlSettings}
              save={saveSettings}
              lacks={missingPermission(writeCrlConfig)}
            />
          )}
        </Ready>
      </div>
    </Card>
  );
}
