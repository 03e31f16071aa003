import type { JSX } from "preact";
import { useState } from "preact/hooks";
import {
  events,
  passesAuditFilters,
  type AuditEvent,
  type AuditFilters,
  type AuditPage,
} from "./audit-log.ts";
import { useAct } from "../../lib/use-action.ts";
import { unknownCall } from "../../api/transport.ts";
import { Button } from "../../ui/button.tsx";
import { Filter } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Facts, Failure, Note, Ready } from "../../ui/page.tsx";
import { Columns } from "../../ui/table.tsx";
import { address, refine, route } from "../../lib/route.ts";
import { useLoad, useStore } from "../../lib/store.ts";
import { instant, plain, visible } from "../../lib/format.ts";

const kinds = [
  ["", "All"],
  ["change", "Changes"],
  ["refusal", "Rejections"],
] as const;

/** The audit log, newest first. */
export function Activity(): JSX.Element {
  const query = useStore(route, (value) => value.query);
  const filters: AuditFilters = {
    kind: query.get("kind") ?? "",
    caller: query.get("caller") ?? "",
    what: query.get("what") ?? "",
  };
  const found = useLoad(() => events(filters, ""), [filters.kind]);
  const change = (changed: Partial<AuditFilters>): void => refine({ ...filters, ...changed });
  return (
    <Card
      title="Activity"
      end={
        <Button tiny press={found.again}>
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
      {found.error && unknownCall(found.error) ? (
        <div class="pad">
          <Note>This server is too old to have an audit log.</Note>
        </div>
      ) : (
        <Ready from={found}>
          {(page) => (
            // The key discards loaded older events when the first page changes, because they
            // continue the previous first page.
            <Pages
              key={`${filters.kind} ${page.events[0]?.id ?? ""}`}
              first={page}
              filters={filters}
            />
          )}
        </Ready>
      )}
    </Card>
  );
}

/** The events read so far, and a button for older ones. */
function Pages({ first, filters }: { first: AuditPage; filters: AuditFilters }): JSX.Element {
  const [older, hold] = useState<AuditPage>();
  const act = useAct();
  const all = [...first.events, ...(older?.events ?? [])];
  const { cursor } = older ?? first;
  const shown = all.filter((event) => passesAuditFilters(event, filters));
  const more = async (): Promise<void> => {
    const next = await events(filters, cursor);
    hold({ events: [...(older?.events ?? []), ...next.events], cursor: next.cursor });
  };
  return (
    <>
      {shown.length === 0 ? (
        <Empty
          text={
            all.length === 0 ? "No activity yet." : "No matches among the events loaded so far."
          }
        />
      ) : (
        <table class="table cards" aria-label="Activity">
          <Columns of={["Time", "Request", "Caller", "Result"]} />
          <tbody>
            {shown.map((event) => (
              <Row key={event.id} event={event} />
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

function Row({ event }: { event: AuditEvent }): JSX.Element {
  const time = new Date(event.time);
  return (
    <tr>
      <td class="nowrap">
        <time dateTime={time.toISOString()}>{instant(time)}</time>
      </td>
      <td class="long full">
        <a href={address("api", event.endpoint)}>{visible(event.endpoint)}</a>
        <span class="sub mono">{visible(`${event.method} ${event.mount}${event.path}`)}</span>
        <Details event={event} />
      </td>
      <td class="long">
        {event.accessor ? (
          <a href={address("access", `tokens/${event.accessor}`)}>{visible(event.caller ?? "")}</a>
        ) : (
          visible(event.caller ?? "anonymous")
        )}
      </td>
      <td>
        <Outcome event={event} />
      </td>
    </tr>
  );
}

function Outcome({ event }: { event: AuditEvent }): JSX.Element {
  if (event.refusal === undefined)
    return (
      <Badge tone="calm" mark="check">
        Changed
      </Badge>
    );
  return (
    <>
      <Badge tone="danger" mark="ban">
        Rejected
      </Badge>
      <span class="sub">
        {visible(event.refusal)}
        {!!event.more && `, and ${event.more} similar before it`}
      </span>
    </>
  );
}

const written = (value: unknown): string =>
  Array.isArray(value) ? value.map((one) => plain(one)).join(", ") : plain(value);

/** The less important fields of an event. */
function Details({ event }: { event: AuditEvent }): JSX.Element {
  return (
    <details>
      <summary class="small">Details</summary>
      <Facts
        rows={[
          ...Object.entries(event.fields ?? {}).map(
            ([name, value]) => [visible(name), visible(written(value)), true] as const,
          ),
          !!event.address && ["Address", visible(event.address), true],
          !!event.accessor && ["Accessor", visible(event.accessor), true],
          !!event.entity && ["Entity", visible(event.entity), true],
          event.status !== undefined && ["Status", String(event.status)],
          ["Request", visible(event.request), true],
        ]}
      />
    </details>
  );
}
