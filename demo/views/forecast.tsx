import type { JSX } from "preact";
import { weeks, type Counted, type Expiring } from "../expiring.ts";
import { Card, Note, Ready } from "../parts/page.tsx";
import type { Loaded } from "../store.ts";
import { date, day } from "../words.ts";

/** How many certificates expire in each of the next thirteen weeks. */
export function Forecast({ counted, now }: { counted: Loaded<Counted>; now: Date }): JSX.Element {
  return (
    <Card title="Expiring in the next 13 weeks">
      <div class="pad stack">
        <Ready from={counted}>
          {({ found, left, until }) => (
            <>
              {left && (
                <Note tone="warn" icon="warn">
                  {left}
                </Note>
              )}
              {found.length === 0 && !left ? (
                <p>{nothing}</p>
              ) : (
                <Chart found={found} now={now} until={until} />
              )}
              {found.some(({ acme }) => acme) && (
                <p class="small muted legend">
                  <i class="auto" />
                  renewed by an ACME client <i />
                  issued by hand
                </p>
              )}
              <p class="small muted">Authorities and revoked certificates are left out.</p>
            </>
          )}
        </Ready>
      </div>
    </Card>
  );
}

const nothing = "No certificate expires in the next 13 weeks.";

/** The weeks that nothing is known of. */
function Uncounted({ from }: { from: number }): JSX.Element {
  return (
    <>
      <rect class="unknown" x={from * 40} y="8" width={520 - from * 40} height="112" />
      <text x={from * 20 + 260} y="68" text-anchor="middle">
        not counted
      </text>
    </>
  );
}

/** The certificates that end in a week. */
interface Week {
  readonly hand: number;
  /** Those that clients of ACME renew. */
  readonly auto: number;
}

/** The chart as a sentence. `whole`: the week up to which all were counted. */
function described(counts: readonly Week[], whole: number): string {
  const sum = counts.reduce((total, { hand, auto }) => total + hand + auto, 0);
  if (sum === 0) return nothing;
  const each = counts
    .flatMap(({ hand, auto }, i) => {
      const renewed = auto > 0 ? `, ${auto} of them renewed by ACME clients` : "";
      return hand + auto > 0 ? [`${hand + auto} in week ${i + 1}${renewed}`] : [];
    })
    .join(", ");
  const all = sum === 1 ? "One certificate expires" : `${sum} certificates expire`;
  return whole < weeks
    ? `${sum} certificates and more expire in the next 13 weeks: ${each}; later ones are not counted.`
    : `${all} in the next 13 weeks: ${each}.`;
}

function countsOf(found: readonly Expiring[], now: Date): readonly Week[] {
  const counts = Array.from({ length: weeks }, () => ({ hand: 0, auto: 0 }));
  for (const { ends, acme } of found) {
    const week = counts[Math.floor((ends.getTime() - now.getTime()) / (7 * day))];
    if (week && acme) week.auto++;
    else if (week) week.hand++;
  }
  return counts;
}

const Bar = ({
  look,
  ...box
}: {
  look: "hand" | "auto";
  x: number;
  y: number;
  height: number;
}): JSX.Element => <rect class={look} width="28" rx="2" {...box} />;

function Chart({
  found,
  now,
  until,
}: {
  found: readonly Expiring[];
  now: Date;
  until: Date | undefined;
}): JSX.Element {
  const counts = countsOf(found, now);
  const top = Math.max(1, ...counts.map(({ hand, auto }) => hand + auto));
  const whole = until ? Math.floor((until.getTime() - now.getTime()) / (7 * day)) : weeks;
  return (
    <svg class="chart" viewBox="0 0 520 148" role="img" aria-label={described(counts, whole)}>
      {whole < weeks - 1 && <Uncounted from={whole + 1} />}
      {counts.map(({ hand, auto }, week) => {
        const x = week * 40 + 6;
        const n = hand + auto;
        const [low, height] = [(hand / top) * 96, (n / top) * 96];
        return (
          <g key={week}>
            {hand > 0 && <Bar look="hand" x={x} y={120 - low} height={low} />}
            {auto > 0 && <Bar look="auto" x={x} y={120 - height} height={height - low} />}
            {n > 0 && (
              <text class="value" x={x + 14} y={112 - height} text-anchor="middle">
                {week === whole ? `${n}+` : n}
              </text>
            )}
            {week % 3 === 0 && (
              <text
                x={week === 0 ? 0 : x + 14}
                y="140"
                text-anchor={week === 0 ? "start" : "middle"}
              >
                {week === 0
                  ? "this week"
                  : date(new Date(now.getTime() + week * 7 * day)).slice(0, -5)}
              </text>
            )}
          </g>
        );
      })}
      <line class="base" x1="0" x2="520" y1="120.5" y2="120.5" />
    </svg>
  );
}
