import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Button } from "../button.tsx";
import { Dialog } from "../dialog.tsx";
import { Choice, Text } from "../field.tsx";
import { Ready } from "../page.tsx";
import { usableRoles } from "../../api/roles.ts";
import { renewal } from "../../lib/renewal-link.ts";
import { open } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";

/**
 * The dialog that asks for a role if the role that issued the certificate is unknown or deleted.
 * Guessing a role would be unsafe.
 */
export function Renew({
  role,
  view,
  close,
}: {
  role: string;
  view: CertificateView;
  close: () => void;
}): JSX.Element {
  const roles = useLoad(usableRoles, []);
  const [typed, choose] = useState<string>();
  // if the issuing role is unknown and the token may use only one role, select that role
  const only = role === "" && roles.value?.length === 1 ? roles.value[0] : undefined;
  const chosen = typed ?? only ?? "";
  return (
    <Dialog title="Renew" close={close}>
      <Ready from={roles}>
        {(names) => (
          <div class="stack close">
            <p>
              {role === ""
                ? "The issuing role is unknown."
                : names.includes(role)
                  ? `The certificate was issued with the role ${role}.`
                  : `The certificate was issued with the role ${role}, which no longer exists.`}{" "}
              A different role may issue a different certificate.
            </p>
            {names.length === 0 ? (
              <Text
                label="Role"
                value={chosen}
                change={choose}
                hint="Your token cannot list the roles. Enter the name of a role that you may use."
                mono
              />
            ) : (
              <Choice
                label="Role"
                value={chosen}
                change={choose}
                options={[["", "Choose a role"], ...names.map((name) => [name, name] as const)]}
              />
            )}
          </div>
        )}
      </Ready>
      <div class="actions">
        <Button press={close}>Cancel</Button>
        <Button
          kind="primary"
          disabled={chosen.trim() === ""}
          press={() => open(renewal(chosen.trim(), view))}
        >
          Continue
        </Button>
      </div>
    </Dialog>
  );
}
