import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { forgetVerified, lastVerified, verifyLog, type LogReport } from "../../api/mount-log.ts";
import { bareHex } from "../../lib/hex-text.ts";
import { instant } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { address } from "../../lib/route.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Card, Failure, Note } from "../../ui/page.tsx";
import { save } from "../../ui/save.ts";
import { Columns } from "../../ui/table.tsx";

/**
 * The card that verifies the log of the current mount, starting from the last checkpoint that this
 * browser has verified.
 */
export function MountLog(): JSX.Element {
  const [name, setName] = useState("");
  const [report, setReport] = useState<LogReport>();
  const act = useAct();
  const verify = (): void => act.run(async () => setReport(await verifyLog(name.trim())));
  const last = lastVerified();
  return (
    <Card title="Log of this mount">
      <div class="stack">
        <p>
          Verifies in your browser that the tamper-evident log still contains everything that this
          browser saw before.{" "}
          {last
            ? `Last verified ${instant(new Date(last.at))}.`
            : "Never verified in this browser."}
        </p>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            verify();
          }}
        >
          <Text
            label="Name"
            hint="Optional. Lists every certificate in the log with this name or a matching wildcard."
            value={name}
            change={setName}
            mono
          />
          <div class="actions">
            <Button kind="primary" submit busy={act.busy}>
              Verify log
            </Button>
          </div>
        </form>
        {act.error && <Failure error={act.error} />}
        {report && !act.busy && <Report report={report} forgotten={() => setReport(undefined)} />}
      </div>
    </Card>
  );
}

function Report({ report, forgotten }: { report: LogReport; forgotten: () => void }): JSX.Element {
  const { fault, events } = report;
  return (
    <>
      <div role="status">{fault === undefined ? <Verified report={report} /> : null}</div>
      {fault !== undefined && (
        <div role="alert">
          <Note tone="danger" icon="x">
            <b>Log verification failed. Do not trust this mount until the cause is known.</b>
            <p>{visible(fault)}.</p>
            <div class="actions">
              <Button
                icon="down"
                press={() => save("log-evidence.txt", "text/plain", report.evidence)}
              >
                Save both checkpoints
              </Button>
              <Button
                kind="plain"
                press={() => {
                  forgetVerified();
                  forgotten();
                }}
              >
                Start again with this log
              </Button>
            </div>
          </Note>
        </div>
      )}
      {events.map(({ index, time, text }) => (
        <Note key={index} tone="warn" icon="info">
          Entry {index}, {time}: {text}.
        </Note>
      ))}
      <Certificates report={report} />
    </>
  );
}

function Verified({ report: { origin, size, previous } }: { report: LogReport }): JSX.Element {
  const added = size - (previous?.size ?? 0);
  return (
    <Note icon="lock">
      <b>
        {visible(origin)}: {size} {size === 1 ? "entry" : "entries"}, verified
      </b>
      <p>
        {previous
          ? `${added} new since ${instant(new Date(previous.at))}. Nothing was removed or rewritten.`
          : "This browser has saved this state and will compare the log with it from now on."}
      </p>
    </Note>
  );
}

function Certificates({ report: { listed, nameless } }: { report: LogReport }): JSX.Element | null {
  if (listed.length + nameless.length === 0) return null;
  return (
    <div class="scroll">
      <table>
        <caption class="hidden-text">Certificates in the log</caption>
        <Columns of={["Entry", "Logged", "Serial number", "Subject"]} />
        <tbody>
          {listed.map(({ index, time, serial_number, subject }) => (
            <tr key={index}>
              <td>{index}</td>
              <td>{time}</td>
              <td class="mono">
                <a href={address("certificates", bareHex(serial_number))}>{serial_number}</a>
              </td>
              <td>{visible(subject)}</td>
            </tr>
          ))}
          {nameless.map(({ index, time, serial_number, reason }) => (
            <tr key={index}>
              <td>{index}</td>
              <td>{time}</td>
              <td class="mono">{serial_number}</td>
              <td>
                Names unknown:{" "}
                {reason === "hash" ? "the entry has only a hash" : "the certificate is unreadable"}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
