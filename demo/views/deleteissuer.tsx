import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import type { Authority } from "../authorities.ts";
import * as pki from "../pki.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Text } from "../parts/field.tsx";
import { Failure } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { address, open } from "../route.ts";

/** Deletes an issuer after its name has been typed. Its key stays. */
export function DeleteIssuer({ one, close }: { one: Authority; close: () => void }): JSX.Element {
  const [typed, setTyped] = useState("");
  const act = useAct();
  const remove = (event: Event): void => {
    event.preventDefault();
    if (typed !== one.name) return;
    act.run(async () => {
      await pki.deleteIssuer(one.record.issuer_id);
      close();
      pki.changed();
      toast(`${one.name} deleted`);
      open(address("overview"));
    });
  };
  return (
    <Dialog title="Delete this authority?" close={close} writes>
      <form class="plain" onSubmit={remove}>
        <p>
          It signs nothing more here, and its CRL is no longer renewed. Certificates it has signed stay valid. Its key stays in the mount
          {one.isDefault ? "; no authority will be the default" : ""}.
        </p>
        <Text
          label={
            <>
              Type <code>{one.name}</code> to confirm
            </>
          }
          value={typed}
          change={setTyped}
          mono
        />
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <button class="btn" type="button" autofocus onClick={close}>
            Keep it
          </button>
          <Button kind="danger" submit busy={act.busy} disabled={typed !== one.name}>
            Delete
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
