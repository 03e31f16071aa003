import type { JSX } from "preact";
import { callWithSettings, readData } from "../../api/call.ts";
import { readCluster, writeCluster } from "../../api/endpoints/pki.ts";
import { missingPermission } from "../../api/permissions.ts";
import { changes } from "../../lib/changes.ts";
import { useStore } from "../../lib/store.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Card, Ready } from "../../ui/page.tsx";
import { SettingForm } from "../../ui/setting-form.tsx";
import { Addresses } from "../../ui/url-settings.tsx";
import { mountUrlFields, wrongMountUrls } from "./mount-url-fields.ts";

/** The section with the URLs of the mount and the URLs in certificates. */
export function MountUrls(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => readData(readCluster), [turn]);
  return (
    <>
      <Card title="URLs of the mount">
        <div class="pad">
          <Ready from={result}>
            {(record) => (
              <SettingForm
                record={record}
                fields={mountUrlFields}
                wrongIn={wrongMountUrls}
                save={(sent) => callWithSettings(writeCluster, sent)}
                lacks={missingPermission(writeCluster)}
              />
            )}
          </Ready>
        </div>
      </Card>
      <Addresses />
    </>
  );
}
