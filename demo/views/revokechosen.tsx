import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Choice } from "../parts/field.tsx";
import { Confirm } from "../parts/form.tsx";
import { Facts } from "../parts/page.tsx";
import { numeral } from "../parts/pager.tsx";
import { told } from "../parts/told.tsx";
import * as pki from "../pki.ts";
import type { Listed } from "../search.ts";
import { asError, useLoad } from "../store.ts";
import { date, groups } from "../words.ts";
import { reasonChoices, whenKnown } from "./reasons.ts";

const many = (count: number): string =>
  `${numeral(count)} ${count === 1 ? "certificate" : "certificates"}`;

interface Props {
  rows: readonly Listed[];
  close: () => void;
  /** Called when all of them were revoked. */
  done: () => void;
}

/** Revokes the rows that are ticked, one after the other; typing their number arms the button. */
export function RevokeChosen(props: Props): JSX.Element {
  const { rows, close } = props;
  // What they are when it is asked for stays what is revoked, whatever the list says meanwhile.
  const [due] = useState(() =>
    rows.filter(({ state, authority }) => !authority && state !== "revoked" && state !== "expired"),
  );
  if (due.length > 0) return <Ask {...props} due={due} />;
  return (
    <Dialog title="Revoke the chosen?" close={close} writes>
      <p>None of these can be revoked here: they are revoked, expired or authorities.</p>
      <div class="actions">
        <Button press={close}>Close</Button>
      </div>
    </Dialog>
  );
}

function Ask({ rows, due, close, done }: Props & { due: readonly Listed[] }): JSX.Element {
  const [reason, setReason] = useState("");
  const [count, setCount] = useState(0);
  const config = useLoad(pki.crlConfig, []);
  const revoke = async (): Promise<void> => {
    const warnings = new Set<string>();
    let revoked = 0;
    try {
      for (const { serial } of due.slice(count)) {
        for (const text of (await pki.revoke(serial, reason)).warnings) warnings.add(text);
        setCount(count + ++revoked);
      }
    } catch (error) {
      if (revoked > 0) pki.changed();
      throw new Error(
        `${many(count + revoked)} of ${numeral(due.length)} revoked, then: ${asError(error).message}`,
        { cause: error },
      );
    }
    done();
    close();
    pki.changed();
    told(`${many(due.length)} revoked. ${whenKnown(config.value)}`, [...warnings]);
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
            ["Left out", `${numeral(rows.length - due.length)}: revoked, expired or authorities`],
          ]}
        />
      )}
      <p>This cannot be undone.</p>
      <Choice label="Reason" value={reason} change={setReason} options={reasonChoices} />
      <p class="small muted" role="status">
        {count > 0 && `${numeral(count)} of ${numeral(due.length)} revoked`}
      </p>
    </Confirm>
  );
}
