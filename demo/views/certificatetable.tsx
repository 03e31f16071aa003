import type { JSX } from "preact";
import { Badge } from "../parts/icon.tsx";
import { LifeBadge } from "../parts/life.tsx";
import { Columns, OpenRow } from "../parts/table.tsx";
import { useCards, VirtualBody } from "../parts/virtual.tsx";
import { address } from "../route.ts";
import { manyRows } from "../rowspan.ts";
import type { Listed } from "../search.ts";
import { date, distance, groups } from "../words.ts";

/** A long name with its middle cut out; begin and end are what tells names apart. */
const middle = (name: string): string =>
  name.length > 36 ? `${name.slice(0, 17)}…${name.slice(-17)}` : name;

/**
 * The rows that were found. From two hundred on they have one height, and only those near the
 * window are in the page.
 */
export function CertificateTable({
  rows,
  complete,
}: {
  rows: readonly Listed[];
  complete: boolean;
}): JSX.Element {
  const now = new Date();
  const { cards, height } = useCards();
  const many = rows.length >= manyRows;
  return (
    <table
      class={`table cards ${many ? "even" : ""}`}
      aria-label="Certificates"
      aria-rowcount={complete ? rows.length + 1 : -1}
    >
      <Columns numbered of={["Name", ["Issuer", "mid-only"], "Expires", "Status"]} />
      <VirtualBody
        rows={rows}
        columns={4}
        height={height}
        draw={(row, i) => (
          <CertificateRow
            key={row.serial}
            row={row}
            index={i + 2}
            now={now}
            short={many && cards}
          />
        )}
      />
    </table>
  );
}

function CertificateRow({
  row,
  index,
  now,
  short,
}: {
  row: Listed;
  index: number;
  now: Date;
  short: boolean;
}): JSX.Element {
  const { title, serial, begins, ends, state } = row;
  const to = address("certificates", serial);
  const share =
    state === "revoked"
      ? 0
      : Math.max(
          0,
          Math.min(1, (ends.getTime() - now.getTime()) / (ends.getTime() - begins.getTime())),
        ) * 48;
  const shown = short ? middle(title) : title;
  return (
    <OpenRow to={to} index={index}>
      <td>
        <a href={to} aria-label={shown === title ? undefined : title}>
          {shown}
        </a>
        {row.others.length > 0 && <span class="small quiet"> +{row.others.length}</span>}{" "}
        {row.authority && <Badge>Authority</Badge>}
        {row.acme && <Badge tone="accent">ACME</Badge>}
        <span class="sub mono">{groups(serial.slice(0, 8))}…</span>
      </td>
      <td class="mid-only long">
        {row.issuer}
        {row.role && <span class="sub">{row.role}</span>}
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
          <time dateTime={ends.toISOString()}>{distance(ends, now)}</time>
        </span>
        <span class="sub mid-only">{date(ends)}</span>
      </td>
      <td>
        <LifeBadge of={state} />
      </td>
    </OpenRow>
  );
}
