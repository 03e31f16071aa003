import type { JSX } from "preact";
import type { CrlView } from "../decode.ts";
import { Columns } from "./table.tsx";
import { instant } from "../words.ts";
import { Digits } from "./digits.tsx";

const mostEntries = 200;

/** Entries of a list, the first two hundred. */
export function CrlEntries({ view }: { view: CrlView }): JSX.Element {
  if (view.entries.length === 0) return <p class="pad muted">No certificate is on this list.</p>;
  return (
    <>
      <table class="table cards" aria-label="Revoked certificates">
        <Columns of={["Serial number", "Revoked", "Reason"]} />
        <tbody>
          {view.entries.slice(0, mostEntries).map(({ serial, time, reason }) => (
            <tr key={serial}>
              <td class="mono break full">
                <Digits of={serial} />
              </td>
              <td class="nowrap">{instant(time)}</td>
              <td>{reason || <span class="quiet">none given</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {view.entries.length > mostEntries && (
        <p class="pad small muted">
          The first {mostEntries} of {view.entries.length}. The file has them all.
        </p>
      )}
    </>
  );
}
