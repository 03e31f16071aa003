import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import {
  certificateTitles,
  events,
  issuerTitles,
  passesAuditFilters,
  type AuditEvent,
  type AuditFilters,
  type AuditPage,
} from "./audit-log.ts";
import { useAct } from "../../lib/use-action.ts";
import { unknownCall } from "../../api/transport.ts";
import { Button } from "../../ui/button.tsx";
import { Filter } from "../../ui/field.tsx";
import { Card, Empty, Failure, Note, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { refine, route } from "../../lib/route.ts";
import { place } from "../../lib/place.ts";
import { changes } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { date } from "../../lib/time-text.ts";
import { ActivityCharts } from "./activity-charts.tsx";
import { EventRow, type Titles } from "./event-row.tsx";
import { groupEvents, issuerOf, serialOf } from "./event-text.ts";

const kinds = [
  ["", "All"],
  ["change", "Changes"],
  ["refusal", "Rejections"],
] as const;

/** The view of the audit log, newest events first. */
export function Activity(): JSX.Element {
  const query = useStore(route, (value) => value.query);
  const filters: AuditFilters = {
    kind: query.get("kind") ?? "",
    caller: query.get("caller") ?? "",
    what: query.get("what") ?? "",
    name: query.get("name") ?? "",
    day: query.get("day") ?? "",
  };
  const [name, type] = useState(filters.name);
  const turn = useStore(changes, (value) => value.turn);
  // do not refresh while the user reads older events, because a refresh would discard them
  const [hasOlder, setHasOlder] = useState(false);
  const shownTurn = useRef(turn);
  if (!hasOlder) shownTurn.current = turn;
  const result = useLoad(
    () => events(filters, ""),
    [filters.kind, filters.name, filters.day, shownTurn.current],
  );
  const change = (changed: Partial<AuditFilters>): void => refine({ ...filters, ...changed });
  useEffect(() => {
    // the server searches, so wait until the user pauses typing
    const timer = setTimeout(() => name !== filters.name && change({ name }), 400);
    return () => clearTimeout(timer);
  }, [name]);
  return (
    <>
      <ActivityCharts />
      <Card
        title="Activity"
        end={
          <Button tiny press={result.again}>
            Refresh
          </Button>
        }
      >
        <search class="filters">
          <Filter
            label="Path or endpoint name"
            value={filters.what}
            change={(what) => change({ what })}
          />
          <Filter label="Caller" value={filters.caller} change={(caller) => change({ caller })} />
          <Filter label="Name or serial number" value={name} change={type} />
          <div class="pick" role="group" aria-label="Kind">
            {kinds.map(([value, text]) => (
              <button
                key={value}
                type="button"
                aria-pressed={value === filters.kind}
                onClick={() => change({ kind: value })}
              >
                {text}
              </button>
            ))}
          </div>
        </search>
        {filters.day !== "" && (
          <p class="pad small">
            Only events on {date(new Date(`${filters.day}T00:00:00Z`))}.{" "}
            <Button tiny press={() => change({ day: "" })}>
              Show all days
            </Button>
          </p>
        )}
        {result.error && unknownCall(result.error) ? (
          <div class="pad">
            <Note>This server is too old to support the audit log.</Note>
          </div>
        ) : (
          <Ready from={result}>
            {(page) => (
              // With this key, older events are discarded when the first page changes, because they
              // continue the previous first page.
              <Pages
                key={`${filters.kind} ${filters.name} ${filters.day} ${page.events[0]?.id ?? ""}`}
                first={page}
                filters={filters}
                loadedOlder={setHasOlder}
              />
            )}
          </Ready>
        )}
      </Card>
    </>
  );
}

/** The events that have been read so far, and a button that reads older events. */
function Pages({
  first,
  filters,
  loadedOlder,
}: {
  first: AuditPage;
  filters: AuditFilters;
  loadedOlder: (some: boolean) => void;
}): JSX.Element {
  const [older, hold] = useState<AuditPage>();
  const act = useAct();
  const all = [...first.events, ...(older?.events ?? [])];
  const { cursor } = older ?? first;
  const shown = all.filter((event) => passesAuditFilters(event, filters));
  const titles = useTitles(all);
  useEffect(() => () => loadedOlder(false), []);
  const more = async (): Promise<void> => {
    const next = await events(filters, cursor);
    loadedOlder(true);
    hold({ events: [...(older?.events ?? []), ...next.events], cursor: next.cursor });
  };
  return (
    <>
      {shown.length === 0 ? (
        <Empty
          text={
            all.length > 0
              ? "No matches among the events loaded so far."
              : filters.name || filters.kind || filters.day
                ? "No event matches these filters."
                : "No activity yet."
          }
        />
      ) : (
        <table class="table cards" aria-label="Activity">
          <Columns of={["Time", "Activity", "Result"]} />
          <tbody>
            {groupEvents(shown).map((group) => (
              <EventRow key={group.newest.id} group={group} titles={titles} />
            ))}
          </tbody>
        </table>
      )}
      {act.error && <Failure error={act.error} />}
      <footer>
        <span role="status">
          {shown.length} of {all.length} loaded
        </span>
        {cursor !== "" && (
          <Button tiny busy={act.busy} press={() => act.run(more)}>
            Older
          </Button>
        )}
      </footer>
    </>
  );
}

/** Returns the names of the certificates and issuers in events of the current mount. */
function useTitles(all: readonly AuditEvent[]): Titles {
  const { mount } = place.get();
  const here = all.filter((event) => event.mount === mount);
  const serials = here.map(serialOf).filter(Boolean);
  const issuers = here.map(issuerOf).filter(Boolean);
  const certificates = useLoad(
    () => certificateTitles([...new Set(serials)]),
    [serials.join(" ")],
  ).value;
  const names = useLoad(() => issuerTitles([...new Set(issuers)]), [issuers.join(" ")]).value;
  return { certificates: certificates ?? new Map(), issuers: names ?? new Map() };
}
