import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { isUnsure } from "../../api/transport.ts";
import { notRevoked } from "./bulk-calls.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Choice } from "../../ui/field.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Facts } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { notify } from "../../ui/notify.tsx";
import { readableCrlConfig } from "../../api/crls.ts";
import { announceChange } from "../../lib/changes.ts";
import { revokingNamed } from "./revoke-by-serial.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { asError } from "../../lib/store.ts";
import { bareHex, groups } from "../../lib/hex-text.ts";
import { date } from "../../lib/time-text.ts";
import { reasonChoices, revocationText, type Reason } from "../../lib/revocation-reasons.ts";

const many = (count: number): string =>
  `${numeral(count)} ${count === 1 ? "certificate" : "certificates"}`;

interface Props {
  rows: readonly InventoryRow[];
  close: () => void;
  /** Called after all certificates have been revoked. */
  done: () => void;
}

/** The dialog that revokes the selected certificates after the user has typed their number. */
export function RevokeSelected(props: Props): JSX.Element {
  const { rows, close } = props;
  // Revoke the certificates that were selected when the dialog opened, even if the list changes
  // later.
  const [due] = useState(() =>
    rows.filter(({ state, authority }) => !authority && state !== "revoked" && state !== "expired"),
  );
  if (due.length > 0) return <RevokeDialog {...props} due={due} />;
  return (
    <Dialog title="Revoke the selected certificates?" close={close} writes>
      <p>None of these can be revoked here: all are already revoked, expired or CA certificates.</p>
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

function RevokeDialog({
  rows,
  due,
  close,
  done,
}: Props & { due: readonly InventoryRow[] }): JSX.Element {
  const [reason, setReason] = useState<Reason>("");
  const [count, setCount] = useState(0);
  // The results of earlier attempts. The last call of each attempt failed.
  const [before, setBefore] = useState<{ revoked: number; left: readonly string[] }>({
    revoked: 0,
    left: [],
  });
  const titleOf = (serial: string): string =>
    due.find((row) => row.serial === bareHex(serial))?.title ?? serial;
  const revoke = async (): Promise<void> => {
    const warnings = new Set<string>();
    const lists = readableCrlConfig();
    let handled = count;
    let revoked = before.revoked;
    const left = [...before.left];
    try {
      const rest = due.slice(count).map(({ serial }) => serial);
      for await (const part of revokingNamed(rest, reason)) {
        for (const text of part.warnings) warnings.add(text);
        revoked += part.data.revoked;
        left.push(...notRevoked(part.data, titleOf));
        setCount((handled += part.count));
        setBefore({ revoked, left });
      }
    } catch (error) {
      if (revoked > 0) announceChange();
      throw new Error(
        `Revoked ${many(revoked)} of ${numeral(due.length)} before an error: ${asError(error).message}${
          isUnsure(error) ? " A response was lost: more certificates may have been revoked." : ""
        }`,
        { cause: error },
      );
    }
    const known = await lists;
    done();
    close();
    announceChange();
    notify(revocationText(`${many(revoked)} revoked`, known), [...left, ...warnings]);
  };
  return (
    <Confirm
      title={`Revoke ${many(due.length)}?`}
      close={close}
      name={String(due.length)}
      action="Revoke"
      work={revoke}
    >
      <div class="short" role="region" aria-label="To be revoked" tabIndex={0}>
        <ul class="list">
          {due.map(({ serial, title, issuer, ends }) => (
            <li key={serial}>
              <div>
                <b class="break">{title}</b>
                <p class="small muted">
                  <span class="mono">{groups(serial.slice(0, 8))}…</span> from {issuer}, expires{" "}
                  {date(ends)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      {rows.length > due.length && (
        <Facts
          rows={[
            [
              "Skipped",
              `${numeral(rows.length - due.length)}: revoked, expired or CA certificates`,
            ],
          ]}
        />
      )}
      <p>This cannot be undone.</p>
      <Choice label="Reason" value={reason} change={setReason} options={reasonChoices} />
      <p class="small muted" role="status">
        {count > 0 && `${numeral(count)} of ${numeral(due.length)} done`}
      </p>
    </Confirm>
  );
}
