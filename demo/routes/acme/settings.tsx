import type { JSX } from "preact";
import { saveAcmeConfig, type OfAcme } from "./calls.ts";
import { acmeFields, wrongAcme } from "./fields.ts";
import { Card } from "../../ui/page.tsx";
import { roleNames } from "../../api/pki.ts";
import { useLoad } from "../../lib/store.ts";
import { SettingForm } from "../../ui/setting-form.tsx";

/** The settings of ACME in this mount. */
export function AcmeSettings({ config }: OfAcme): JSX.Element {
  // Whoever may change these need not be let to read the roles.
  const roles = useLoad(() => roleNames().catch(() => []), []);
  const fields = acmeFields(roles.value ?? [], config.default_directory_policy);
  return (
    <Card title="Settings">
      <div class="pad">
        <SettingForm
          record={config}
          fields={fields}
          wrongIn={(typed) => wrongAcme(typed, fields)}
          save={saveAcmeConfig}
        />
      </div>
    </Card>
  );
}
