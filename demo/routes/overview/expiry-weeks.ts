import type { Life } from "../../lib/lifetime.ts";
import { date, day } from "../../lib/time-text.ts";
import { address } from "../../lib/route.ts";
import type { ChartData } from "../../ui/chart/chart-data.ts";

/** Number of weeks in the forecast. */
export const weeks = 13;

/** A certificate that is currently valid. */
interface Counted {
  readonly ends: Date;
  readonly acme?: boolean;
  readonly state: Life;
}

/** The sentence that is shown if no certificate expires in the forecast period. */
export const noExpiry = "No certificate expires in the next 13 weeks.";

/**
 * The way in which a certificate is renewed: by hand and soon (`want`), by hand and later (`hand`),
 * or by an ACME client (`auto`).
 */
type Care = "want" | "hand" | "auto";

const careOf = ({ state, acme }: Counted): Care =>
  acme ? "auto" : state === "soon" ? "want" : "hand";

const cares: readonly (readonly [care: Care, name: string])[] = [
  ["want", "needs action"],
  ["hand", "not issued through ACME"],
  ["auto", "renewed by an ACME client"],
];

/** The number of certificates that expire in a week, by the kind of renewal. */
type Week = Readonly<Record<Care, number>>;

const sumOf = ({ want, hand, auto }: Week): number => want + hand + auto;

/**
 * Describes the chart in a sentence. `whole` is the number of weeks that were counted completely.
 */
function described(counts: readonly Week[], whole: number): string {
  const sum = counts.reduce((total, week) => total + sumOf(week), 0);
  if (sum === 0) return noExpiry;
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
    ? `${sum} or more certificates expire in the next 13 weeks: ${each}; later weeks are not counted.`
    : `${all} in the next 13 weeks: ${each}.`;
}

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

/**
 * Returns the chart for a forecast. The first week begins at 00:00 UTC today, because the filters
 * of the certificate list use UTC days.
 */
export function expiryChart(
  { certificates, until }: { readonly certificates: readonly Counted[]; readonly until?: Date },
  now: Date,
): ChartData {
  const today = Math.floor(now.getTime() / day) * day;
  const weekOf = (time: Date): number => Math.floor((time.getTime() - today) / (7 * day));
  const counts = Array.from({ length: weeks }, () => ({ want: 0, hand: 0, auto: 0 }));
  for (const one of certificates) {
    const week = counts[weekOf(one.ends)];
    if (week) week[careOf(one)]++;
  }
  const whole = until ? weekOf(until) : weeks;
  return {
    about: described(counts, whole),
    nouns: ["certificate expires", "certificates expire"],
    unit: "Certificates per week",
    series: cares.map(([tone, name]) => ({ tone, name })),
    unknownFrom: whole + 1,
    bars: counts.map((week, i) => {
      const [first, last] = [today + i * 7 * day, today + (i * 7 + 6) * day];
      return {
        label: date(new Date(first)).slice(0, -5),
        longLabel: `week of ${date(new Date(first)).slice(0, -5)}`,
        from: date(new Date(first)),
        to: date(new Date(last)),
        values: cares.map(([care]) => week[care]),
        href: address("certificates", "", {
          status: "valid",
          from: isoDay(first),
          to: isoDay(last),
        }),
        isPartial: i === whole,
      };
    }),
  };
}
