import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Note } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { save } from "../../ui/save.ts";
import { Unsaved, useSaving } from "../../ui/unsaved.tsx";
import { announceChange } from "../../lib/changes.ts";
import { archiveOf, notRenewed, renewOne, type RenewalResult } from "./bulk-renewal.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { date } from "../../lib/time-text.ts";

interface Props {
  rows: readonly InventoryRow[];
  close: () => void;
  /** Called after the certificates have been renewed. */
  done: () => void;
}

/**
 * The dialog that renews the selected certificates, each with a new key, and offers all keys in a
 * single file.
 */
export function RenewSelected({ rows, close, done }: Props): JSX.Element {
  // Renew the certificates that were selected when the dialog opened, even if the list changes
  // later.
  const [selected] = useState(rows);
  const due = selected.filter((row) => notRenewed(row) === "");
  const [renewed, setRenewed] = useState<readonly RenewalResult[]>([]);
  const act = useAct();
  const renew = async (): Promise<void> => {
    const all: RenewalResult[] = [];
    for (const row of due) {
      all.push(await renewOne(row));
      setRenewed([...all]);
    }
  };
  if (renewed.length === due.length && renewed.length > 0)
    return <RenewalResults renewed={renewed} close={() => (done(), close(), announceChange())} />;
  const one = due.length === 1;
  return (
    <Dialog
      title={`Renew ${numeral(due.length)} ${one ? "certificate" : "certificates"}?`}
      close={close}
      mayClose={() => !act.busy}
      writes
    >
      <p>
        Issues each certificate again with the same names and role, a new key that the server
        generates, and the role’s default lifetime. The old certificates stay valid until they
        expire.
      </p>
      <div class="short" role="region" aria-label="Selected" tabIndex={0}>
        <ul class="list">
          {selected.map((row) => (
            <li key={row.serial}>
              <div>
                <b class="break">{row.title}</b>
                <p class="small muted">
                  {notRenewed(row) === ""
                    ? `Role ${row.role}, expires ${date(row.ends)}`
                    : `Skipped: ${notRenewed(row)}`}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      <p role="status" class="small muted">
        {act.busy && `${numeral(renewed.length)} of ${numeral(due.length)} renewed`}
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

/** The results of the renewals. The new keys are shown only once. */
function RenewalResults({
  renewed,
  close,
}: {
  renewed: readonly RenewalResult[];
  close: () => void;
}): JSX.Element {
  const good = renewed.filter(({ issued }) => issued);
  const { saved, confirm, asking, mayClose } = useSaving(good.length === 0);
  const saveKeys = (): void => {
    save("renewed.zip", "application/zip", archiveOf(good));
    confirm(true);
  };
  return (
    <Dialog
      title={`${numeral(good.length)} of ${numeral(renewed.length)} renewed`}
      close={close}
      mayClose={mayClose}
    >
      {good.length > 0 && (
        <>
          <Note tone="warn" icon="key">
            <b>The private keys are shown only once</b>
            <p class="small">One file per certificate: its key, the certificate and its issuers.</p>
          </Note>
          <div class="actions from-start">
            <Button kind="primary" icon="down" press={saveKeys}>
              Save keys and chains (.zip)
            </Button>
          </div>
        </>
      )}
      <ul class="list">
        {renewed
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
