import type { Slot } from "./bar-layout.ts";

/** A bar of a chart, which shows the counts in a period. */
export interface Bar {
  /** Text below the bar, such as `5 Dec`. */
  readonly label: string;
  /** Text that replaces `label` if all bars have room for it, such as `week of 5 Dec`. */
  readonly longLabel?: string;
  /** First and last day of the period, such as `5 Dec 2026`. */
  readonly from: string;
  readonly to: string;
  /** A count for each series. */
  readonly values: readonly number[];
  /** URL of the view that lists the counted items. */
  readonly href: string;
  /** Whether only some of the items were counted. */
  readonly isPartial?: boolean;
}

/** A data series: its name in the legend, and the CSS class of its color. */
interface Series {
  readonly name: string;
  readonly tone: string;
}

/** The data of a chart. */
export interface ChartData {
  readonly bars: readonly Bar[];
  readonly series: readonly Series[];
  /** Description of the whole chart. */
  readonly about: string;
  /** Title of the vertical axis. */
  readonly unit: string;
  /**
   * Singular and plural of the text after a count, such as `certificate expires` and `certificates
   * expire`.
   */
  readonly nouns: readonly [one: string, more: string];
  /** Index of the first bar without data. */
  readonly unknownFrom?: number;
}

/** Returns the sum of a bar's values. */
export const totalOf = ({ values }: Pick<Bar, "values">): number =>
  values.reduce((sum, value) => sum + value, 0);

/** Formats a count as `1,234`. */
export const counted = (n: number): string => n.toLocaleString("en");

/** Formats the total of a bar, with a plus sign if only some of the items were counted. */
export const totalText = (bar: Bar): string =>
  `${counted(totalOf(bar))}${bar.isPartial === true ? "+" : ""}`;

/** Formats the period of a slot. */
export const periodOf = (bars: readonly Bar[], { first, last }: Slot): string => {
  const [from = "", to = ""] = [bars[first]?.from, bars[last]?.to];
  return from === to ? from : `${from} to ${to}`;
};

/** Describes a bar for screen readers. */
export function labelOf(bar: Bar, { series, nouns: [one, more] }: ChartData): string {
  const total = totalOf(bar);
  const parts = series.flatMap(({ name }, i) => {
    const value = bar.values[i] ?? 0;
    return value > 0 && series.length > 1 ? [`${counted(value)} ${name}`] : [];
  });
  const period = bar.from === bar.to ? bar.from : `${bar.from} to ${bar.to}`;
  return [`${period}: ${totalText(bar)} ${total === 1 ? one : more}`, ...parts].join(", ");
}
