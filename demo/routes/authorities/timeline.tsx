import type { JSX } from "preact";
import type { Authority } from "../../api/issuer.ts";
import { certificate } from "../../api/certificates.ts";
import type { NamedRole } from "../../lib/role.ts";
import { date, distance } from "../../lib/time-text.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { Icon } from "../../ui/icon.tsx";
import { Card } from "../../ui/page.tsx";
import { lifeEvents, type LifeEvent } from "./life-events.ts";

/** The timeline of a CA: past and upcoming events with their dates. */
export function Timeline({
  one,
  all,
  roles,
}: {
  one: Authority;
  all: readonly Authority[];
  roles: readonly NamedRole[];
}): JSX.Element {
  const now = new Date();
  const { serial } = one.view;
  const isRevoked = one.record.revoked;
  // the certificate of an imported CA is not among the issued certificates, so its revocation time
  // is not known
  const stored = useLoad(
    async () => (isRevoked ? (await certificate(serial)).revocation_time : 0),
    [serial, isRevoked],
  );
  const revoked = stored.value ? new Date(stored.value * 1000) : undefined;
  const events = lifeEvents(one, { all, roles, revoked, now });
  const next = events.find(({ at }) => at > now);
  return (
    <Card title="Lifecycle of this CA">
      <ol class="timeline pad">
        {events.map((event) => (
          <EventItem key={event.title} event={event} now={now} isNext={event === next} />
        ))}
      </ol>
    </Card>
  );
}

function EventItem({
  event: { title, at, about, other, isLate },
  now,
  isNext,
}: {
  event: LifeEvent;
  now: Date;
  isNext: boolean;
}): JSX.Element {
  const isPast = at <= now;
  const [icon, tone] =
    title === "Revoked"
      ? (["ban", "danger"] as const)
      : isLate
        ? (["warn", "warn"] as const)
        : isPast
          ? (["check", "ok"] as const)
          : (["clock", "quiet"] as const);
  return (
    <li class={isPast ? "past" : ""} aria-current={isNext ? "step" : undefined}>
      <Icon name={icon} tone={tone} />
      <div>
        <b>{title}</b>
        <p>
          <time dateTime={at.toISOString()}>{date(at)}</time>{" "}
          <span class={`small ${isLate ? "tone-warn" : "muted"}`}>{distance(at, now)}</span>
        </p>
        {other && (
          <p class="small">
            <a href={address("authorities", other.record.issuer_id)}>{other.name}</a>, until{" "}
            {date(other.view.ends)}
          </p>
        )}
        {about !== "" && <p class="small muted">{about}</p>}
      </div>
    </li>
  );
}
