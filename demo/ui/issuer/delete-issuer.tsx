import type { JSX } from "preact";
import type { Authority } from "../../api/issuer.ts";
import { Confirm } from "../form.tsx";
import { notify } from "../notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { deleteIssuer } from "../../api/issuers.ts";
import { address, open } from "../../lib/route.ts";

/** The dialog that deletes an issuer but not its key, after the user has typed the name. */
export function DeleteIssuer({ one, close }: { one: Authority; close: () => void }): JSX.Element {
  const remove = async (): Promise<void> => {
    const { warnings } = await deleteIssuer(one.record.issuer_id);
    close();
    announceChange();
    open(address("overview"));
    notify(`${one.name} deleted`, warnings);
  };
  return (
    <Confirm title="Delete this CA?" close={close} name={one.name} work={remove}>
      <p>
        This CA can no longer sign, and its CRL is no longer renewed. Certificates that it signed
        stay valid. Its key stays in the mount
        {one.isDefault ? "; there will be no default issuer" : ""}.
      </p>
    </Confirm>
  );
}
