import type { CountAuditEventsReply } from "../../../src/client/sys.ts";
import type { ListAcmeOrdersReply } from "../../../src/client/pki.ts";
import { date, day } from "../../lib/time-text.ts";
import { toText } from "../../lib/to-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { address } from "../../lib/route.ts";
import type { ChartData } from "../../ui/chart/chart-data.ts";

/** Number of days in a chart, including today. */
export const days = 30;

/** The count of a series on one day. */
interface DailyCount {
  /** Beginning of the day in Unix ms. */
  readonly begin: number;
  /** Name of the series that was counted. */
  readonly of: string;
  readonly count: number;
}

/** Maximum number of series, each of which has its own color. */
const maxSeries = 4;
const others = "other";

/** The labels and links of a chart. */
interface ChartTexts {
  readonly unit: string;
  readonly nouns: ChartData["nouns"];
  /** The subject of the chart's description, such as `Issued certificates`. */
  readonly title: string;
  readonly hrefOf: (isoDay: string) => string;
}

/**
 * Returns a chart of daily counts. `since` is the time (Unix ms) since which all events have been
 * counted.
 */
function dailyChart(
  counts: readonly DailyCount[],
  { since, now }: { readonly since: number; readonly now: Date },
  { unit, nouns, title, hrefOf }: ChartTexts,
): ChartData {
  const today = Math.floor(now.getTime() / day) * day;
  const first = Math.max(today - (days - 1) * day, Math.floor(since / day) * day);
  const totals = new Map<string, number>();
  for (const { of, count } of counts) totals.set(of, (totals.get(of) ?? 0) + count);
  const names = [...totals]
    .sort(([one, a], [other, b]) => b - a || one.localeCompare(other))
    .map(([name]) => name);
  const shown = names.slice(0, names.length > maxSeries + 1 ? maxSeries : maxSeries + 1);
  const series = names.length > shown.length ? [...shown, others] : shown;
  const bars = Array.from({ length: (today - first) / day + 1 }, (_, i) => {
    const begin = first + i * day;
    const values = series.map(() => 0);
    for (const { begin: at, of, count } of counts) {
      const index = series.indexOf(shown.includes(of) ? of : others);
      if (at === begin) values[index] = (values[index] ?? 0) + count;
    }
    const text = date(new Date(begin));
    return {
      label: text.slice(0, -5),
      from: text,
      to: text,
      values,
      href: hrefOf(new Date(begin).toISOString().slice(0, 10)),
      isPartial: begin < since,
    };
  });
  const sum = counts.reduce((total, { count }) => total + count, 0);
  return {
    bars,
    series: series.map((name, i) => ({ name, tone: i < maxSeries ? `tone-${i + 1}` : "" })),
    unit,
    nouns,
    about: `${title} per day since ${date(new Date(first))}: ${sum}.`,
  };
}

/** Matches the IDs of endpoints that issue certificates. */
const issuing =
  /^(?:issue|sign|signVerbatim|(?:issue|sign)ByPolicy|acmeFinalize|estEnroll|estReenroll|sign(?:Intermediate|SelfIssued)\w*|(?:generate|rotate)\w*Root\w*)$/;

/** The property by which issued certificates are grouped. */
export type Grouping = "role" | "issuer";

/** The counts from the audit log, and the current time. */
interface Audited {
  readonly reply: CountAuditEventsReply;
  readonly now: Date;
}

/** Returns the chart of issued certificates. `names` maps the IDs of issuers to their names. */
export function issuedChart(
  { reply, now }: Audited,
  by: Grouping,
  names: ReadonlyMap<string, string>,
): ChartData {
  const groupOf = ({ endpoint, role, issuer }: CountAuditEventsReply["counts"][number]): string => {
    if (by === "role") return role === undefined ? "without a role" : visible(role);
    // the event of a new root names no issuer, because it is stored before the root becomes an
    // issuer
    if (issuer === undefined && /Root/.test(endpoint)) return "self-signed";
    return issuer === undefined ? "issuer not recorded" : (names.get(issuer) ?? issuer.slice(0, 8));
  };
  const counts = reply.counts
    .filter(({ kind, endpoint }) => kind === "change" && issuing.test(endpoint))
    .map((one) => ({ begin: one.begin * 1000, of: groupOf(one), count: one.count }));
  return dailyChart(
    counts,
    { since: reply.since * 1000, now },
    {
      title: "Issued certificates",
      unit: "Certificates",
      nouns: ["certificate issued", "certificates issued"],
      hrefOf: (on) => address("certificates", "", { since: on, until: on }),
    },
  );
}

/** Returns the chart of requests that were rejected because of missing permissions, by endpoint. */
export function refusedChart({ reply, now }: Audited): ChartData {
  const counts = reply.counts
    .filter(({ kind }) => kind === "refusal")
    .map(({ begin, endpoint, count }) => ({ begin: begin * 1000, of: visible(endpoint), count }));
  return dailyChart(
    counts,
    { since: reply.since * 1000, now },
    {
      title: "Requests without permission",
      unit: "Requests",
      nouns: ["request without permission", "requests without permission"],
      hrefOf: (on) => address("system", "", { kind: "refusal", day: on }),
    },
  );
}

type Orders = Pick<ListAcmeOrdersReply, "keys"> & {
  readonly info: ListAcmeOrdersReply["key_info"];
};

/** Returns the chart of failed ACME orders by creation day and error type. */
export function failedOrdersChart(
  { keys, info }: Orders,
  { since, now }: { readonly since: number; readonly now: Date },
): ChartData {
  const counts = keys.flatMap((id): readonly DailyCount[] => {
    const order = info[id];
    if (order?.status !== "invalid") return [];
    const begin = Math.floor(Date.parse(order.created_time) / day) * day;
    const type = toText(order.error?.["type"]).replace(/^.*:/, "");
    return [{ begin, of: visible(type) || "no error recorded", count: 1 }];
  });
  return dailyChart(
    counts,
    { since, now },
    {
      title: "Failed ACME orders",
      unit: "Orders",
      nouns: ["order failed", "orders failed"],
      hrefOf: () => address("acme", "accounts"),
    },
  );
}
