import type { Slot } from "./bar-layout.ts";

/** A bar of a chart: the counts of a period. */
export interface Bar {
  /** Text below it: `5 Dec`. */
  readonly label: string;
  /** Text that replaces `label` if there is room for those of all bars: `week of 5 Dec`. */
  readonly longLabel?: string;
  /** First and last day: `5 Dec 2026 to 11 Dec 2026`. */
  readonly from: string;
  readonly to: string;
  /** A count for each series. */
  readonly values: readonly number[];
  /** Address of what is counted. */
  readonly href: string;
  /** True if only a part is counted. */
  readonly isPartial?: boolean;
}

/** A part of each bar, with its name in the legend and the class of its colour. */
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
  /** Words after the number one and after other numbers: `certificates expire`. */
  readonly nouns: readonly [one: string, more: string];
  /** Index of the first bar without data. */
  readonly unknownFrom?: number;
}

/** Returns the sum of a bar's values. */
export const totalOf = ({ values }: Pick<Bar, "values">): number =>
  values.reduce((sum, value) => sum + value, 0);

/** Formats a count as `1,234`. */
export const counted = (n: number): string => n.toLocaleString("en");

/** Formats the total of a bar, with a plus sign if more are not counted. */
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
