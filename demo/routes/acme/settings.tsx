import { missingPermission } from "../../api/permissions.ts";
import { writeAcmeConfig } from "../../api/endpoints/pki.ts";
import type { JSX } from "preact";
import { saveAcmeConfig, type OfAcme } from "./calls.ts";
import { acmeFields, wrongAcme } from "./fields.ts";
import { Card } from "../../ui/page.tsx";
import { usableRoles } from "../../api/roles.ts";
import { useLoad } from "../../lib/use-load.ts";
import { SettingForm } from "../../ui/setting-form.tsx";

/** The form with the ACME settings of the mount. */
export function AcmeSettings({ config }: OfAcme): JSX.Element {
  // A token that can change the settings might not be allowed to read the roles.
  const roles = useLoad(() => usableRoles().catch(() => []), []);
  const fields = acmeFields(roles.value ?? [], config.default_directory_policy);
  return (
    <Card title="Settings">
      <div class="pad">
        <SettingForm
          record={config}
          fields={fields}
          wrongIn={(typed) => wrongAcme(typed, fields)}
          save={saveAcmeConfig}
          lacks={missingPermission(writeAcmeConfig)}
        />
      </div>
    </Card>
  );
}
