import type { JSX } from "preact";
import { address } from "../../lib/route.ts";
import { place } from "../../lib/place.ts";
import { toText } from "../../lib/to-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { Badge } from "../../ui/icon.tsx";
import { Facts } from "../../ui/page.tsx";
import type { AuditEvent } from "./audit-log.ts";
import { callerOf, describeEvent, type EventGroup, type EventText } from "./event-text.ts";
import { Moment } from "../../ui/life-state.tsx";

/** The names of the certificates and issuers in events. */
export interface Titles {
  /** Names of certificates by hexadecimal serial number. */
  readonly certificates: ReadonlyMap<string, string>;
  /** Names of issuers by ID. */
  readonly issuers: ReadonlyMap<string, string>;
}

/** A row of the audit log: a sentence with links, and its details. */
export function EventRow({
  group: { newest: event, oldest, count },
  titles,
}: {
  group: EventGroup;
  titles: Titles;
}): JSX.Element {
  return (
    <tr>
      <td class="nowrap">
        <Time of={event} />
        {oldest !== event && (
          <span class="sub">
            since <Time of={oldest} />
          </span>
        )}
      </td>
      <td class="long full">
        <Caller of={event} />{" "}
        {describeEvent(event).map((words, i) => (
          <Word key={i} words={words} event={event} titles={titles} />
        ))}
        <span class="sub mono">
          <a href={address("api", event.endpoint)}>{visible(event.endpoint)}</a>{" "}
          {visible(`${event.method} ${event.mount}${event.path}`)}
        </span>
        <Details event={event} />
      </td>
      <td>
        <Outcome event={event} count={count} />
      </td>
    </tr>
  );
}

function Time({ of: { time } }: { of: AuditEvent }): JSX.Element {
  return <Moment at={new Date(time)} />;
}

function Caller({ of }: { of: AuditEvent }): JSX.Element {
  const { accessor } = of;
  const name = visible(callerOf(of));
  return accessor ? <a href={address("access", `tokens/${accessor}`)}>{name}</a> : <b>{name}</b>;
}

/** A part of a sentence, which is a link if it names an object of the current mount. */
function Word({
  words,
  event,
  titles,
}: {
  words: EventText;
  event: AuditEvent;
  titles: Titles;
}): JSX.Element {
  if (typeof words === "string") return <>{words}</>;
  const { kind, id } = words;
  const isHere = event.mount === place.get().mount;
  if (kind === "certificate") {
    const text = titles.certificates.get(id) ?? `certificate ${visible(id.slice(0, 16))}…`;
    return isHere ? <a href={address("certificates", id)}>{text}</a> : <>{text}</>;
  }
  if (kind === "role" && isHere) return <a href={address("roles", id)}>{visible(id)}</a>;
  if (kind === "issuer" && isHere)
    return <a href={address("authorities", id)}>{titles.issuers.get(id) ?? visible(id)}</a>;
  return <b>{visible(id)}</b>;
}

function Outcome({ event, count }: { event: AuditEvent; count: number }): JSX.Element {
  if (event.refusal === undefined)
    return (
      <Badge tone="calm" mark="check">
        Done
      </Badge>
    );
  return (
    <>
      <Badge tone="danger" mark="ban">
        {count === 1 ? "Rejected" : `Rejected ${count} times`}
      </Badge>
      <span class="sub">{visible(event.refusal)}</span>
    </>
  );
}

const isHash = (value: unknown): boolean => toText(value).startsWith("hmac-sha256:");
const written = (value: unknown): string =>
  Array.isArray(value) ? value.map((one) => toText(one)).join(", ") : toText(value);

/** The less important fields of an event. */
function Details({ event }: { event: AuditEvent }): JSX.Element {
  const fields = Object.entries(event.fields ?? {});
  const hashed = fields.filter(([, value]) =>
    Array.isArray(value) ? value.some(isHash) : isHash(value),
  );
  return (
    <details>
      <summary class="small">Details</summary>
      {hashed.length > 0 && (
        <p class="small muted">
          The audit log stores names from requests as hashes (HMAC-SHA-256). To find a name, type it
          into the search above.
        </p>
      )}
      <Facts
        rows={[
          ...fields.map(([name, value]) => [visible(name), visible(written(value)), true] as const),
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
