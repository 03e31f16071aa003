import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import * as pki from "../pki.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice, Text } from "../parts/field.tsx";
import { Failure, Ready } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { useLoad } from "../store.ts";

const reasons = ["superseded", "keyCompromise", "cessationOfOperation", "affiliationChanged"];

/** Says what will be true afterwards; typing the name arms the button. */
export function Revoke({ serial, name, close }: { serial: string; name: string; close: () => void }): JSX.Element {
  const config = useLoad(pki.crlConfig, []);
  const [reason, setReason] = useState("");
  const [typed, setTyped] = useState("");
  const act = useAct();
  const revoke = (event: Event): void => {
    event.preventDefault();
    if (typed !== name) return;
    act.run(async () => {
      const { data, warnings } = await pki.revoke(serial, reason);
      if (!data) throw new Error(warnings.join(" ") || "It was not revoked.");
      pki.changed();
      const lists = config.value;
      toast(`Revoked. ${warnings[0] ?? (lists?.disable ? "CRLs are switched off" : lists?.auto_rebuild ? "On the next CRL" : "On the CRL now")}`);
      close();
    });
  };
  return (
    <Dialog title="Revoke this certificate?" close={close} writes>
      <form class="plain" onSubmit={revoke}>
        <Ready from={config}>
          {(lists) => (
            <p>
              {lists.disable
                ? "CRLs are switched off, so clients will not learn of it from a list."
                : lists.auto_rebuild
                  ? "It is on the CRL when that is next rebuilt."
                  : "It is on the CRL at once."}{" "}
              Clients that kept an older list may accept it until that one ends. This cannot be undone.
            </p>
          )}
        </Ready>
        <Choice label="Reason" value={reason} change={setReason} options={[["", "No reason given"], ...reasons.map((value) => [value, value] as const)]} />
        <Text
          label={
            <>
              Type <code>{name}</code> to confirm
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
          <Button kind="danger" submit busy={act.busy} disabled={typed !== name}>
            Revoke
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
