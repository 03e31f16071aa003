import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Note } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { save } from "../../ui/save.ts";
import { Unsaved, useSaving } from "../../ui/unsaved.tsx";
import { announceChange } from "../../api/pki.ts";
import { archiveOf, notRenewed, renewOne, type RenewalResult } from "./bulk-renewal.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { date } from "../../lib/format.ts";

interface Props {
  rows: readonly InventoryRow[];
  close: () => void;
  /** Called when they were renewed. */
  done: () => void;
}

/** Issues the rows that are ticked anew, each with a new key, and gives all keys as one file. */
export function RenewChosen({ rows, close, done }: Props): JSX.Element {
  // The selection at the time the dialog opens is renewed, whatever the list shows later.
  const [asked] = useState(rows);
  const due = asked.filter((row) => notRenewed(row) === "");
  const [made, setMade] = useState<readonly RenewalResult[]>([]);
  const act = useAct();
  const renew = async (): Promise<void> => {
    const all: RenewalResult[] = [];
    for (const row of due) {
      all.push(await renewOne(row));
      setMade([...all]);
    }
  };
  if (made.length === due.length && made.length > 0)
    return <Made made={made} close={() => (done(), close(), announceChange())} />;
  const one = due.length === 1;
  return (
    <Dialog
      title={`Renew ${numeral(due.length)} ${one ? "certificate" : "certificates"}?`}
      close={close}
      mayClose={() => !act.busy}
      writes
    >
      <p>
        The same names by the same role, each with a new key that the authority makes and with the
        role’s default lifetime. The old ones stay valid until they end.
      </p>
      <div class="short" role="region" aria-label="Chosen" tabIndex={0}>
        <ul class="list">
          {asked.map((row) => (
            <li key={row.serial}>
              <div>
                <b class="break">{row.title}</b>
                <p class="small muted">
                  {notRenewed(row) === ""
                    ? `Role ${row.role}, ends ${date(row.ends)}`
                    : `Left out: ${notRenewed(row)}`}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      <p role="status" class="small muted">
        {act.busy && `${numeral(made.length)} of ${numeral(due.length)} renewed`}
      </p>
      <div class="actions">
        <Button press={close} disabled={act.busy}>
          Cancel
        </Button>
        <Button
          kind="primary"
          busy={act.busy}
          disabled={due.length === 0}
          press={() => act.run(renew)}
        >
          Renew
        </Button>
      </div>
    </Dialog>
  );
}

/** The one moment at which the new keys are there. */
function Made({ made, close }: { made: readonly RenewalResult[]; close: () => void }): JSX.Element {
  const good = made.filter(({ issued }) => issued);
  const { saved, confirm, asking, mayClose } = useSaving(good.length === 0);
  const keep = (): void => {
    save("renewed.zip", "application/zip", archiveOf(good));
    confirm(true);
  };
  return (
    <Dialog
      title={`${numeral(good.length)} of ${numeral(made.length)} renewed`}
      close={close}
      mayClose={mayClose}
    >
      {good.length > 0 && (
        <>
          <Note tone="warn" icon="key">
            <b>The private keys are here now and never again</b>
            <p class="small">One file for each: its key, the certificate and its issuers.</p>
          </Note>
          <div class="actions from-start">
            <Button kind="primary" icon="down" press={keep}>
              Save keys and chains (.zip)
            </Button>
          </div>
        </>
      )}
      <ul class="list">
        {made
          .filter(({ why }) => why !== "")
          .map(({ of, why }) => (
            <li key={of.serial}>
              <div>
                <b class="break">{of.title}</b>
                <p class="small tone-danger">Not renewed: {why}</p>
              </div>
            </li>
          ))}
      </ul>
      {asking && <Unsaved what="keys" many lose={close} />}
      <div class="actions">
        <Button disabled={!saved} press={close}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}
