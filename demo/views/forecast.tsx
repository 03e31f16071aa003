import type { JSX } from "preact";
import { rows, type Row } from "../inventory.ts";
import { changes, serials } from "../pki.ts";
import { Card, Ready } from "../parts/page.tsx";
import { address } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { date, day } from "../words.ts";

const most = 100;
const weeks = 13;

/** How many certificates expire in each of the next thirteen weeks. Counted in the page: the API has no histogram yet. */
export function Forecast({ now }: { now: Date }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const found = useLoad(async () => {
    const keys = await serials();
    return { total: keys.length, read: await rows(keys.slice(0, most), now) };
  }, [turn]);
  return (
    <Card title="Expiring in the next 13 weeks">
      <div class="pad stack">
        <Ready from={found}>
          {({ total, read }) => (
            <>
              <Chart read={read} now={now} />
              <Soon read={read} />
              <p class="small muted">
                {total > read.length
                  ? `Counted over the first ${read.length} of ${total} certificates.`
                  : `Counted over ${total} certificates, authorities and revoked ones left out.`}
              </p>
            </>
          )}
        </Ready>
      </div>
    </Card>
  );
}

function Soon({ read }: { read: readonly Row[] }): JSX.Element | null {
  const soon = read.filter(({ state, view }) => state === "soon" && !view.authority).length;
  if (soon === 0) return null;
  return (
    <p>
      <a href={address("certificates", "", { status: "soon" })}>{soon === 1 ? "One expires soon. Show it" : `${soon} expire soon. Show them`}</a>
    </p>
  );
}

function Chart({ read, now }: { read: readonly Row[]; now: Date }): JSX.Element {
  const counts = Array.from({ length: weeks }, () => 0);
  for (const { view, state } of read) {
    if (view.authority || state === "revoked") continue;
    const week = Math.floor((view.ends.getTime() - now.getTime()) / (7 * day));
    if (week >= 0 && week < weeks) counts[week] = (counts[week] ?? 0) + 1;
  }
  const top = Math.max(1, ...counts);
  const sum = counts.reduce((a, b) => a + b, 0);
  return (
    <svg
      class="chart"
      viewBox="0 0 520 148"
      role="img"
      aria-label={
        sum === 0
          ? "No certificate expires in the next 13 weeks."
          : `${sum} certificates expire in the next 13 weeks: ${counts
              .map((n, i) => n > 0 && `${n} in week ${i + 1}`)
              .filter(Boolean)
              .join(", ")}.`
      }
    >
      {counts.map((n, week) => {
        const x = week * 40 + 6;
        const height = (n / top) * 96;
        return (
          <g key={week}>
            {n > 0 && <rect class="auto" x={x} y={120 - height} width="28" height={height} rx="2" />}
            {n > 0 && (
              <text class="value" x={x + 14} y={112 - height} text-anchor="middle">
                {n}
              </text>
            )}
            {week % 3 === 0 && (
              <text x={x + 14} y="140" text-anchor="middle">
                {week === 0 ? "this week" : date(new Date(now.getTime() + week * 7 * day)).slice(0, -5)}
              </text>
            )}
          </g>
        );
      })}
      <line class="base" x1="0" x2="520" y1="120.5" y2="120.5" />
    </svg>
  );
}
