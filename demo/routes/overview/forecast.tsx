import type { JSX } from "preact";
import { weeks, type ExpiryForecast, type Expiring } from "./expiring.ts";
import { Card, Note, Ready } from "../../ui/page.tsx";
import type { Loaded } from "../../lib/store.ts";
import { date, day } from "../../lib/format.ts";

/** The number of certificates that expire in each of the next thirteen weeks. */
export function Forecast({
  counted,
  now,
}: {
  counted: Loaded<ExpiryForecast>;
  now: Date;
}): JSX.Element {
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
              <Legend found={found} />
              <p class="small muted">Excludes authorities and revoked certificates.</p>
            </>
          )}
        </Ready>
      </div>
    </Card>
  );
}

const nothing = "No certificate expires in the next 13 weeks.";

/** The renewal of a certificate: needed now, manual later, or by its ACME client. */
type Care = "want" | "hand" | "auto";

const careOf = ({ state, acme }: Expiring): Care =>
  acme ? "auto" : state === "soon" ? "want" : "hand";

const legends: readonly (readonly [care: Care, words: string])[] = [
  ["want", "needs action"],
  ["hand", "issued by API"],
  ["auto", "renewed by an ACME client"],
];

/** The legend of the colours, if there are several. */
function Legend({ found }: { found: readonly Expiring[] }): JSX.Element | null {
  const there = new Set(found.map(careOf));
  if (there.size === 0 || (there.size === 1 && there.has("hand"))) return null;
  return (
    <p class="small muted legend">
      {legends
        .filter(([care]) => there.has(care))
        .map(([care, words]) => (
          <span key={care}>
            <i class={care} />
            {words}
          </span>
        ))}
    </p>
  );
}

/** The certificates that expire in a week, by how they are renewed. */
type Week = Readonly<Record<Care, number>>;

const sumOf = ({ want, hand, auto }: Week): number => want + hand + auto;

/** Describes the chart in a sentence. `whole`: the week up to which all were counted. */
function described(counts: readonly Week[], whole: number): string {
  const sum = counts.reduce((total, week) => total + sumOf(week), 0);
  if (sum === 0) return nothing;
  const each = counts
    .flatMap((week, i) => {
      const { want, auto } = week;
      const needs = want > 0 ? `, ${want} of them ${want === 1 ? "needs" : "need"} action` : "";
      const renewed = auto > 0 ? `, ${auto} of them renewed by ACME clients` : "";
      return sumOf(week) > 0 ? [`${sumOf(week)} in week ${i + 1}${needs}${renewed}`] : [];
    })
    .join(", ");
  const all = sum === 1 ? "One certificate expires" : `${sum} certificates expire`;
  return whole < weeks
    ? `${sum} or more certificates expire in the next 13 weeks: ${each}; later ones are not counted.`
    : `${all} in the next 13 weeks: ${each}.`;
}

function countsOf(found: readonly Expiring[], now: Date): readonly Week[] {
  const counts = Array.from({ length: weeks }, () => ({ want: 0, hand: 0, auto: 0 }));
  for (const one of found) {
    const week = counts[Math.floor((one.ends.getTime() - now.getTime()) / (7 * day))];
    if (week) week[careOf(one)]++;
  }
  return counts;
}

/** Pixels of the bars, of the labels above the highest, and of the days below. */
const [bars, above, below] = [112, 20, 28];

/**
 * Returns the horizontal position in the chart, whose width is that of the window. `part`: fraction
 * of the week.
 */
const across = (week: number, part = 0): string => `${((week + part) / weeks) * 100}%`;

/** The weeks without data. */
const Uncounted = ({ from }: { from: number }): JSX.Element => (
  <>
    <rect
      class="unknown"
      x={across(from)}
      y={above - 12}
      width={across(weeks - from)}
      height={bars + 12}
    />
    <text x={across((from + weeks) / 2)} y={above + bars / 2} text-anchor="middle">
      not counted
    </text>
  </>
);

/** The bar of one week, with those that need action at the bottom, and its number. */
function WeekBar({
  of,
  week,
  top,
  more,
}: {
  of: Week;
  week: number;
  top: number;
  more: boolean;
}): JSX.Element {
  let y = above + bars;
  return (
    <g>
      {legends.map(([care]) => {
        const height = (of[care] / top) * bars;
        y -= height;
        return (
          height > 0 && (
            <rect
              key={care}
              class={care}
              x={across(week, 0.14)}
              y={y}
              width={across(0, 0.72)}
              height={height}
              rx="2"
            />
          )
        );
      })}
      {sumOf(of) > 0 && (
        <text class="value" x={across(week, 0.5)} y={y - 7} text-anchor="middle">
          {more ? `${sumOf(of)}+` : sumOf(of)}
        </text>
      )}
    </g>
  );
}

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
  const top = Math.max(1, ...counts.map(sumOf));
  const whole = until ? Math.floor((until.getTime() - now.getTime()) / (7 * day)) : weeks;
  const dayOf = (week: number): string =>
    week === 0 ? "today" : date(new Date(now.getTime() + week * 7 * day)).slice(0, -5);
  return (
    <svg
      class="chart"
      width="100%"
      height={above + bars + below}
      role="img"
      aria-label={described(counts, whole)}
    >
      {whole < weeks - 1 && <Uncounted from={whole + 1} />}
      {counts.map((of, week) => (
        <WeekBar key={week} of={of} week={week} top={top} more={week === whole} />
      ))}
      {[0, 3, 6, 9, 12].map((week) => (
        <text
          key={week}
          x={week === 0 ? 0 : across(week, 0.5)}
          y={above + bars + 20}
          text-anchor={week === 0 ? "start" : "middle"}
        >
          {dayOf(week)}
        </text>
      ))}
      <line class="base" x2="100%" y1={above + bars + 0.5} y2={above + bars + 0.5} />
    </svg>
  );
}
