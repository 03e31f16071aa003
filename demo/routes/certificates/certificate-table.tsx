import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { disguise, misleads } from "../../lib/lookalike.ts";
import { Badge } from "../../ui/icon.tsx";
import { LifeBadge, Moment } from "../../ui/life-state.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { useCards, VirtualBody } from "../../ui/virtual-rows.tsx";
import { address } from "../../lib/route.ts";
import { manyRows } from "../../lib/row-window.ts";
import type { InventoryRow } from "../../api/inventory-search.ts";
import { turned, type Order, type Sorting } from "./sorting.ts";
import { date } from "../../lib/time-text.ts";
import { groups } from "../../lib/hex-text.ts";

/** Truncates a long name in the middle, because names differ at the beginning and the end. */
const truncateMiddle = (name: string): string =>
  name.length > 36 ? `${name.slice(0, 17)}…${name.slice(-17)}` : name;

/** The selected rows, and the function that changes the selection. */
interface Choosing {
  readonly chosen: ReadonlySet<string>;
  readonly choose: (serials: readonly string[], on: boolean) => void;
}

interface Props extends Choosing {
  rows: readonly InventoryRow[];
  complete: boolean;
  /** Renewals by the serial number of the certificate that they renew. */
  renewed: ReadonlyMap<string, InventoryRow>;
  /** The sort order; undefined if the rows are not sorted. */
  sorting: Sorting | undefined;
  sort: (to: Sorting) => void;
}

/**
 * The table of matching rows. From two hundred rows on, all rows have the same fixed height, and
 * only those in or near the visible area are rendered.
 */
export function CertificateTable(props: Props): JSX.Element {
  const { rows, complete, chosen, choose, renewed } = props;
  const now = new Date();
  const { cards, height } = useCards(true);
  const many = rows.length >= manyRows;
  const last = useRef(0);
  // With Shift, select all rows between the last click and this one.
  const press = (at: number, on: boolean, shift: boolean): void => {
    const [from, to] = shift ? [Math.min(at, last.current), Math.max(at, last.current)] : [at, at];
    last.current = at;
    choose(
      rows.slice(from, to + 1).map(({ serial }) => serial),
      on,
    );
  };
  return (
    <table
      class={`table cards inventory ${many ? "even" : ""}`}
      aria-label="Certificates"
      aria-rowcount={complete ? rows.length + 1 : -1}
    >
      {cards ? <NoHeadings /> : <Headings {...props} />}
      <VirtualBody
        rows={rows}
        columns={6}
        height={height}
        renderRow={(row, i) => (
          <CertificateRow
            key={row.serial}
            row={row}
            index={i + 2}
            now={now}
            short={many && cards}
            chosen={chosen.has(row.serial)}
            press={(on, shift) => press(i, on, shift)}
            renewed={renewed.has(row.serial)}
          />
        )}
      />
    </table>
  );
}

/**
 * Column headings for screen readers, for rows that are shown as cards without visible headings.
 */
const NoHeadings = (): JSX.Element => (
  <Columns numbered of={["Selected", "Name", "Status", "Issuer", "Issued", "Expires"]} />
);

function Headings({ rows, chosen, choose, sorting, sort }: Props): JSX.Element {
  const all = rows.length > 0 && rows.every(({ serial }) => chosen.has(serial));
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" class="tick">
          <label>
            <input
              type="checkbox"
              aria-label={`Select all ${rows.length} shown`}
              checked={all}
              onChange={(event) =>
                choose(
                  rows.map(({ serial }) => serial),
                  event.currentTarget.checked,
                )
              }
            />
          </label>
        </th>
        <Sortable by="name" title="Name" now={sorting} sort={sort} />
        <th scope="col" class="status">
          Status
        </th>
        <th scope="col" class="mid-only issuer">
          Issuer
        </th>
        <Sortable by="issued" title="Issued" now={sorting} sort={sort} className="wide-only" />
        <Sortable by="expires" title="Expires" now={sorting} sort={sort} />
      </tr>
    </thead>
  );
}

const unsorted: Sorting = { by: "expires", down: true };

function Sortable({
  by,
  title,
  now,
  sort,
  className = "",
}: {
  by: Order;
  title: string;
  now: Sorting | undefined;
  sort: (to: Sorting) => void;
  className?: string;
}): JSX.Element {
  const here = now?.by === by;
  return (
    <th
      scope="col"
      class={`${by} ${className}`}
      aria-sort={here ? (now.down ? "descending" : "ascending") : undefined}
    >
      <button class="sort" type="button" onClick={() => sort(turned(now ?? unsorted, by))}>
        {title}
        <span aria-hidden="true">{here ? (now.down ? " ↓" : " ↑") : ""}</span>
      </button>
    </th>
  );
}

interface RowProps {
  row: InventoryRow;
  index: number;
  now: Date;
  short: boolean;
  chosen: boolean;
  press: (on: boolean, shift: boolean) => void;
  renewed: boolean;
}

function CertificateRow(props: RowProps): JSX.Element {
  const { row, index, now, renewed } = props;
  const { serial, begins, ends, state } = row;
  const share =
    state === "revoked" || state === "distrusted"
      ? 0
      : Math.max(
          0,
          Math.min(1, (ends.getTime() - now.getTime()) / (ends.getTime() - begins.getTime())),
        ) * 48;
  return (
    <OpenRow to={address("certificates", serial)} index={index}>
      <Tick {...props} />
      <Name {...props} />
      <td class="status">
        {renewed && state !== "revoked" ? (
          <Badge mark="cycle">Renewed</Badge>
        ) : (
          <LifeBadge of={state} />
        )}
      </td>
      <td class="mid-only long">
        {row.issuer}
        {row.role && <span class="sub">{row.role}</span>}
      </td>
      <td class="wide-only nowrap">
        <Moment at={begins} away />
        <span class="sub">{date(begins)}</span>
      </td>
      <td>
        <span class="left">
          <svg class="mid-only" aria-hidden="true">
            <rect class="track" width="48" height="6" rx="3" />
            <rect
              class={state === "soon" ? "warn" : state === "valid" ? "ok" : "danger"}
              width={share}
              height="6"
              rx="3"
            />
          </svg>
          <Moment at={ends} away />
        </span>
        <span class="sub mid-only">{date(ends)}</span>
      </td>
    </OpenRow>
  );
}

function Tick({ row, chosen, press }: RowProps): JSX.Element {
  const shift = useRef(false);
  return (
    <td class="tick">
      <label>
        <input
          type="checkbox"
          aria-label={`Select ${row.title}, ${groups(row.serial.slice(0, 8))}`}
          checked={chosen}
          onClick={(event) => void (shift.current = event.shiftKey)}
          onChange={(event) => press(event.currentTarget.checked, shift.current)}
        />
      </label>
    </td>
  );
}

function Name({ row, short }: RowProps): JSX.Element {
  const { title, serial, others, unread } = row;
  const shown = short ? truncateMiddle(title) : title;
  const explanation = disguise(title);
  const more = others.length + unread;
  return (
    <td class="who-cell">
      <a
        href={address("certificates", serial)}
        title={title}
        aria-label={shown === title ? undefined : title}
      >
        {shown}
      </a>
      {more > 0 && (
        <span class="small quiet" title={`${more} more ${more === 1 ? "name" : "names"}`}>
          {" "}
          +{more}
        </span>
      )}{" "}
      {[title, ...others].some(misleads) && (
        <Badge tone="warn" mark="warn">
          Lookalike
        </Badge>
      )}
      {row.authority && <Badge>Authority</Badge>}
      {row.acme && <Badge tone="accent">ACME</Badge>}
      {explanation?.letters ? (
        <span class="sub">
          reads <bdi>{explanation.letters}</bdi>
          {explanation.like && <> · looks like {explanation.like}</>}
        </span>
      ) : (
        <span class="sub mono">{groups(serial.slice(0, 8))}…</span>
      )}
    </td>
  );
}
