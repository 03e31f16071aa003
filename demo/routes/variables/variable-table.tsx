import type { JSX } from "preact";
import { Badge, Icon } from "../../ui/icon.tsx";
import { Columns } from "../../ui/table.tsx";
import { useCards, VirtualBody } from "../../ui/virtual-rows.tsx";
import { manyRows } from "../../lib/row-window.ts";
import type { Variable } from "./calls.ts";
import { visible } from "../../lib/visible-text.ts";

/** Maximum length of a value in the table. The editor shows longer values completely. */
const maxLength = 80;

function Value({ of: { value, sensitive, hcl } }: { of: Variable }): JSX.Element {
  if (sensitive || value === null)
    return (
      <span class="write-only quiet">
        <Icon name="lock" />
        Write-only
      </span>
    );
  const [line = "", ...more] = value.split("\n");
  const cut = line.length > maxLength;
  return (
    <>
      {value === "" ? (
        <span class="quiet">empty</span>
      ) : (
        <code>{visible(cut ? line.slice(0, maxLength) : line)}</code>
      )}
      {(cut || more.length > 0) && (
        <span class="quiet">
          … {more.length > 0 ? `${more.length + 1} lines` : `${value.length} characters`}
        </span>
      )}{" "}
      {hcl && <Badge>HCL</Badge>}
    </>
  );
}

/**
 * The table of keys and values. A click on a row calls `pick` with the variable; without `pick`,
 * the table is read-only.
 */
export function VariableTable({
  rows,
  pick,
}: {
  rows: readonly Variable[];
  pick: ((one: Variable) => void) | undefined;
}): JSX.Element {
  const { height } = useCards();
  return (
    <table
      class={`table cards variables ${rows.length >= manyRows ? "even" : ""}`}
      aria-label="Variables"
      aria-rowcount={rows.length + 1}
    >
      <Columns numbered of={["Key", "Value", "Category"]} />
      <VirtualBody
        rows={rows}
        columns={3}
        height={height}
        renderRow={(one, i) => (
          <tr
            key={one.id}
            class={pick ? "open" : ""}
            aria-rowindex={i + 2}
            onClick={pick && (() => pick(one))}
          >
            <td>
              {pick ? (
                <button
                  type="button"
                  class="name mono"
                  aria-haspopup="dialog"
                  aria-label={`Edit ${visible(one.key)}`}
                >
                  {visible(one.key)}
                </button>
              ) : (
                <code>{visible(one.key)}</code>
              )}
              {one.description && <span class="sub">{visible(one.description)}</span>}
            </td>
            <td>
              <Value of={one} />
            </td>
            <td>
              <Badge>{one.category}</Badge>
            </td>
          </tr>
        )}
      />
    </table>
  );
}
