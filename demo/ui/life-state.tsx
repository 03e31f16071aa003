import type { JSX } from "preact";
import type { Life } from "../lib/lifetime.ts";
import { date, distance, instant } from "../lib/time-text.ts";
import { Badge, type IconName } from "./icon.tsx";

const badges: Readonly<Record<Life, readonly [text: string, tone: string, mark: IconName]>> = {
  valid: ["Valid", "calm", "check"],
  soon: ["Expires soon", "warn", "warn"],
  revoked: ["Revoked", "danger", "ban"],
  distrusted: ["Issuer revoked", "danger", "ban"],
  expired: ["Expired", "", "clock"],
  future: ["Not yet valid", "warn", "clock"],
};

/** A badge with the state of a certificate in words. */
export function LifeBadge({ of, loud = false }: { of: Life; loud?: boolean }): JSX.Element {
  const [text, tone, mark] = badges[of];
  return (
    <Badge tone={loud && of === "valid" ? "ok" : tone} mark={mark}>
      {text}
    </Badge>
  );
}

/** Returns the color of a state in bars and seals. */
export const lifeTone = (of: Life): "" | "warn" | "danger" =>
  of === "soon" || of === "future" ? "warn" : of === "valid" ? "" : "danger";

/** A bar that shows how much of a certificate's lifetime has passed. */
export function LifeBar({
  begins,
  ends,
  now,
}: {
  begins: Date;
  ends: Date;
  now: Date;
}): JSX.Element {
  const whole = ends.getTime() - begins.getTime();
  const done = Math.max(0, Math.min(100, (100 * (now.getTime() - begins.getTime())) / whole));
  return (
    <div class="life">
      <svg role="img" aria-label={`${Math.round(done)} % of its lifetime has passed`}>
        <rect class="track" y="22" width="100%" height="8" rx="4" />
        <rect class="done" y="22" width={`${done}%`} height="8" rx="4" />
        <circle class="now" cx={`${done}%`} cy="26" r="6" />
        {done > 8 && done < 92 && (
          <text x={`${done}%`} y="14" text-anchor="middle">
            today
          </text>
        )}
      </svg>
      <div class="ends">
        <span>From {date(begins)}</span>
        <span>
          {ends < now ? "Expired" : "Expires"} {date(ends)}, {distance(ends, now)}
        </span>
      </div>
    </div>
  );
}

/** A time in UTC, or relative to now if `away` is set, with the local time as a tooltip. */
export function Moment({ at, away = false }: { at: Date; away?: boolean }): JSX.Element {
  if (Number.isNaN(at.getTime())) return <>unknown</>;
  return (
    <time
      dateTime={at.toISOString()}
      title={at.toLocaleString(undefined, { timeZoneName: "short" })}
    >
      {away ? distance(at, new Date()) : instant(at)}
    </time>
  );
}
