import type { JSX } from "preact";
import { readData } from "../../api/call.ts";
import * as sys from "../../api/endpoints/sys.ts";
import { missingPermission } from "../../api/permissions.ts";
import { size } from "../../lib/format.ts";
import { useLoad } from "../../lib/store.ts";
import { Badge } from "../../ui/icon.tsx";
import { Ready } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { Columns } from "../../ui/table.tsx";

/** The states and sizes of a mount's partitions. Shows nothing if the caller may not read them. */
export const Partitions = ({ path }: { path: string }): JSX.Element | null =>
  missingPermission(sys.readPartitions, { path }) === "" ? <Shown path={path} /> : null;

function Shown({ path }: { path: string }): JSX.Element {
  const result = useLoad(
    async () => (await readData(sys.readPartitions, { path })).partitions,
    [path],
  );
  return (
    <Ready from={result}>
      {(all) =>
        all.length > 1 ? (
          <table class="table" aria-label="Partitions">
            <Columns of={["Partition", "State", ["Rows", "right"], ["Size", "right"]]} />
            <tbody>
              {all.map(({ number, state, rows, bytes }) => (
                <tr key={number}>
                  <td>{number}</td>
                  <td>{state === "ready" ? "Ready" : <Badge tone="danger">{state}</Badge>}</td>
                  <td class="right">{rows === undefined ? "" : numeral(rows)}</td>
                  <td class="right">{bytes === undefined ? "" : size(bytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <p class="small muted">{all[0] && textOf(all[0])}</p>
        )
      }
    </Ready>
  );
}

/** Returns a sentence with the size of a mount's only partition. */
function textOf({ rows, bytes }: { readonly rows?: number; readonly bytes?: number }): string {
  if (rows === undefined) return "One partition.";
  return `One partition with about ${numeral(rows)} rows${bytes === undefined ? "" : `, ${size(bytes)}`}.`;
}
