import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Digits } from "../../ui/digits.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { Pager, pageSize } from "../../ui/pager.tsx";
import { Columns } from "../../ui/table.tsx";
import { changes } from "../../lib/changes.ts";
import { revocationQueue } from "./queue-calls.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { bareHex } from "../../lib/hex-text.ts";

/** The card with the queued revocations. Renders nothing if there are none. */
export function Queue(): JSX.Element | null {
  const turn = useStore(changes, (value) => value.turn);
  // A token that can read CRLs might not be allowed to read the queue. Hide the error, because the
  // user did not request the queue.
  const result = useLoad(() => revocationQueue().catch(() => []), [turn]);
  const [first, go] = useState(0);
  const all = result.value ?? [];
  if (all.length === 0) return null;
  const shown = all.slice(first, first + pageSize);
  return (
    <Card
      title="Revocation requests"
      footer={
        all.length > pageSize && (
          <Pager first={first} shown={shown.length} count={all.length} what="requests" go={go} />
        )
      }
    >
      <table class="table cards" aria-label="Revocation requests">
        <Columns of={["Serial number", "State"]} />
        <tbody>
          {shown.map(({ serial, done }) => (
            <tr key={serial}>
              <td class="mono full">
                {done ? (
                  <a href={address("certificates", bareHex(serial))}>
                    <Digits of={bareHex(serial)} />
                  </a>
                ) : (
                  <Digits of={bareHex(serial)} />
                )}
              </td>
              <td>
                <Badge tone={done ? "danger" : "warn"} mark={done ? "ban" : "clock"}>
                  {done ? "Revoked" : "Waiting for the certificate"}
                </Badge>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
