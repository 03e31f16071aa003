import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct, type Act } from "../act.ts";
import type { Life } from "../authorities.ts";
import { rows, type Row } from "../inventory.ts";
import { changes, serials } from "../pki.ts";
import { Button, ButtonLink, save } from "../parts/button.tsx";
import { Badge } from "../parts/icon.tsx";
import { LifeBadge } from "../parts/life.tsx";
import { Empty, Failure, Head, Ready } from "../parts/page.tsx";
import { address, open, refine, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { bareHex, colons, date, distance, groups } from "../words.ts";

const page = 100;
const states: readonly (readonly [Life | "", string])[] = [
  ["", "All"],
  ["valid", "Valid"],
  ["soon", "Expires soon"],
  ["revoked", "Revoked"],
  ["expired", "Expired"],
];

/** Everything the mount has issued. The API lists serial numbers only, so rows are read a hundred at a time and filters cover the rows read. */
export function Certificates(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const keys = useLoad(serials, [turn]);
  const [read, setRead] = useState<readonly Row[]>([]);
  const act = useAct();
  const more = (have: readonly Row[], all: readonly string[]): void =>
    act.run(async () => setRead([...have, ...(await rows(all.slice(have.length, have.length + page), new Date()))]));
  useEffect(() => {
    if (keys.value) more([], keys.value);
  }, [keys.value]);
  const query = useStore(route, (value) => value.query);
  const found = matching(read, query);
  return (
    <>
      <Head
        title="Certificates"
        about="Everything this mount has issued. Private keys of certificates are never stored."
        actions={
          <Button icon="down" disabled={found.length === 0} press={() => save("certificates.csv", "text/csv", csv(found))}>
            Export CSV
          </Button>
        }
      />
      <Ready from={keys}>
        {(all) =>
          all.length === 0 ? (
            <div class="card">
              <Empty text="Issued certificates are listed here.">
                <ButtonLink kind="primary" to={address("issue")}>
                  Issue the first
                </ButtonLink>
              </Empty>
            </div>
          ) : (
            <Shown read={read} found={found} total={all.length} act={act} more={() => more(read, all)} />
          )
        }
      </Ready>
    </>
  );
}

interface ShownProps {
  read: readonly Row[];
  found: readonly Row[];
  total: number;
  act: Act;
  more: () => void;
}

function Shown({ read, found, total, act, more }: ShownProps): JSX.Element {
  const next = Math.min(page, total - read.length);
  return (
    <section class="card" aria-label="Inventory">
      <Filters read={read} />
      {found.length > 0 && <Inventory found={found} total={total} />}
      {found.length === 0 && !act.busy && !act.error && (
        <Empty text="No certificate matches.">
          <Button press={() => refine({})}>Clear the filters</Button>
        </Empty>
      )}
      {act.error && (
        <div class="pad">
          <Failure error={new Error(`Rows ${read.length + 1} to ${read.length + next} did not load. ${act.error.message}`)} again={more} />
        </div>
      )}
      <footer>
        <span role="status">{status(found.length, read.length, total)}</span>{" "}
        {next > 0 && !act.error && (
          <Button tiny busy={act.busy} press={more}>
            Read {next} more
          </Button>
        )}
      </footer>
    </section>
  );
}

const status = (shown: number, read: number, total: number): string =>
  `${shown} shown${read < total ? `. Filters cover the ${read} rows read so far, of ${total}` : shown < total ? ` of ${total}` : ""}`;

function matching(read: readonly Row[], query: URLSearchParams): readonly Row[] {
  const words = (query.get("q") ?? "").trim().toLowerCase();
  const digits = bareHex(words);
  const state = query.get("status") ?? "";
  const issuer = query.get("issuer") ?? "";
  const fits = ({ view, serial }: Row): boolean =>
    words === "" ||
    [view.title, view.subject, ...view.names.map(({ value }) => value)].join(" ").toLowerCase().includes(words) ||
    (/^[0-9a-f]{4,}$/.test(digits) && (serial.includes(digits) || view.sha256.includes(digits)));
  const sign = query.get("sort") === "latest" ? -1 : 1;
  return read
    .filter((row) => (state === "" || row.state === state) && (issuer === "" || row.view.issuerTitle === issuer) && fits(row))
    .sort((a, b) => sign * (a.view.ends.getTime() - b.view.ends.getTime()));
}

function Filters({ read }: { read: readonly Row[] }): JSX.Element {
  const query = useStore(route, (value) => value.query);
  const now = Object.fromEntries(query);
  const issuers = [...new Set(read.map(({ view }) => view.issuerTitle))].sort();
  const state = query.get("status") ?? "";
  return (
    <div class="filters">
      <div class="grow">
        <input
          type="search"
          aria-label="Filter by name, serial or fingerprint"
          placeholder="Filter by name, serial or fingerprint"
          autocomplete="off"
          spellcheck={false}
          value={query.get("q") ?? ""}
          onInput={(event) => refine({ ...now, q: event.currentTarget.value })}
        />
      </div>
      <div class="pick" role="group" aria-label="Status">
        {states.map(([value, text]) => (
          <button key={value} type="button" aria-pressed={value === state} onClick={() => refine({ ...now, status: value })}>
            {text}
          </button>
        ))}
      </div>
      <select aria-label="Issuer" value={query.get("issuer") ?? ""} onChange={(event) => refine({ ...now, issuer: event.currentTarget.value })}>
        <option value="">All issuers</option>
        {issuers.map((name) => (
          <option key={name} value={name} selected={name === query.get("issuer")}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

function Inventory({ found, total }: { found: readonly Row[]; total: number }): JSX.Element {
  const now = new Date();
  const query = useStore(route, (value) => value.query);
  const latest = query.get("sort") === "latest";
  return (
    <table class="table cards" aria-label="Certificates" aria-rowcount={total + 1}>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col" class="mid-only">
            Issuer
          </th>
          <th scope="col" aria-sort={latest ? "descending" : "ascending"}>
            <button type="button" onClick={() => refine({ ...Object.fromEntries(query), sort: latest ? "" : "latest" })}>
              Expires <span aria-hidden="true">{latest ? "↓" : "↑"}</span>
            </button>
          </th>
          <th scope="col">Status</th>
        </tr>
      </thead>
      <tbody>
        {found.map((row, i) => (
          <InventoryRow key={row.serial} row={row} index={i + 2} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function InventoryRow({ row, index, now }: { row: Row; index: number; now: Date }): JSX.Element {
  const { view, state, serial } = row;
  const to = address("certificates", serial);
  const share = state === "revoked" ? 0 : Math.max(0, Math.min(1, (view.ends.getTime() - now.getTime()) / (view.ends.getTime() - view.begins.getTime()))) * 48;
  const others = view.names.filter(({ value }) => value !== view.title).length;
  return (
    <tr class="open" aria-rowindex={index} onClick={() => open(to)}>
      <td>
        <a href={to}>{view.title}</a>
        {others > 0 && <span class="small quiet"> +{others}</span>} {view.authority && <Badge>Authority</Badge>}
        <span class="sub mono">{groups(serial.slice(0, 8))}…</span>
      </td>
      <td class="mid-only">{view.issuerTitle}</td>
      <td>
        <span class="left">
          <svg class="mid-only" aria-hidden="true">
            <rect class="track" width="48" height="6" rx="3" />
            <rect class={state === "soon" ? "warn" : state === "valid" ? "ok" : "danger"} width={share} height="6" rx="3" />
          </svg>
          <time>{distance(view.ends, now)}</time>
        </span>
        <span class="sub mid-only">{date(view.ends)}</span>
      </td>
      <td>
        <LifeBadge of={state} />
      </td>
    </tr>
  );
}

/** Rows for a spreadsheet. A cell that would begin a formula gets an apostrophe. */
function csv(found: readonly Row[]): string {
  const cell = (text: string): string => `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
  const lines = found.map(({ view, serial, state, revoked }) => [
    view.title,
    view.names.map(({ value }) => value).join(" "),
    colons(serial),
    view.issuerTitle,
    view.begins.toISOString(),
    view.ends.toISOString(),
    state,
    revoked?.toISOString() ?? "",
    view.sha256,
  ]);
  return [["name", "names", "serial_number", "issuer", "not_before", "not_after", "state", "revoked", "sha256"], ...lines]
    .map((line) => line.map(cell).join(","))
    .join("\r\n");
}
