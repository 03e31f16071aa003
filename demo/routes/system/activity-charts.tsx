import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { listing, readBytes, readData } from "../../api/call.ts";
import { listAcmeOrders } from "../../api/endpoints/pki.ts";
import { countAuditEvents, readMetrics } from "../../api/endpoints/sys.ts";
import { listedIssuers } from "../../api/issuers.ts";
import { mayCallAny, missingPermission, useMissingPermission } from "../../api/permissions.ts";
import { unknownCall } from "../../api/transport.ts";
import { place } from "../../lib/place.ts";
import { useLoad } from "../../lib/use-load.ts";
import { date, day, instant } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { BarChart } from "../../ui/chart/bar-chart.tsx";
import { totalOf, type ChartData } from "../../ui/chart/chart-data.ts";
import { Card, Ready } from "../../ui/page.tsx";
import {
  days,
  failedOrdersChart,
  issuedChart,
  refusedChart,
  type Grouping,
} from "./daily-counts.ts";

const charts = [
  ["issued", "Issued"],
  ["refused", "Without permission"],
  ["acme", "ACME failures"],
] as const;
type ChartName = (typeof charts)[number][0];

/** The charts of the last thirty days in the current mount. */
export function ActivityCharts(): JSX.Element | null {
  const [chart, choose] = useState<ChartName>("issued");
  const lacks = useMissingPermission(countAuditEvents);
  const counts = useLoad(() => readData(countAuditEvents, { mount: place.get().mount, days }), []);
  const offered = charts.filter(([name]) => name !== "acme" || mayCallAny([listAcmeOrders]));
  // an older server has no counts, and the token might not be allowed to read them
  if (lacks !== "" || (counts.error && unknownCall(counts.error))) return null;
  return (
    <Card
      title={`Last ${days} days`}
      end={<Choice label="Chart" of={offered} value={chart} choose={choose} />}
    >
      <div class="pad stack">
        {chart === "acme" ? (
          <FailedOrders />
        ) : (
          <Ready from={counts}>
            {(reply) =>
              chart === "issued" ? (
                <Issued reply={reply} />
              ) : (
                <>
                  <ChartOf data={refusedChart({ reply, now: new Date() })}>
                    <AuditSource since={reply.since} /> Requests with a valid token that lacked
                    permission.
                  </ChartOf>
                  <OtherRejections />
                </>
              )
            }
          </Ready>
        )}
      </div>
    </Card>
  );
}

function Choice<T extends string>({
  label,
  of,
  value,
  choose,
}: {
  label: string;
  of: readonly (readonly [T, string])[];
  value: T;
  choose: (value: T) => void;
}): JSX.Element {
  return (
    <div class="pick" role="group" aria-label={label}>
      {of.map(([one, text]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => choose(one)}>
          {text}
        </button>
      ))}
    </div>
  );
}

/** A chart, or a sentence if the chart would be empty, and the source of the data. */
function ChartOf({
  data,
  children,
}: {
  data: ChartData;
  children: ComponentChildren;
}): JSX.Element {
  const isEmpty = data.bars.every((bar) => totalOf(bar) === 0);
  return (
    <>
      {isEmpty ? <p>{`No ${data.nouns[1]} in this period.`}</p> : <BarChart {...data} />}
      <p class="small muted">{children}</p>
    </>
  );
}

/** The source of the data in a chart, and the time since which the data is complete. */
function AuditSource({ since }: { since: number }): JSX.Element {
  const at = new Date(since * 1000);
  const isWhole = at.getTime() % day === 0;
  return (
    <>
      Source: the audit log of mount <code>{visible(place.get().mount)}</code>, complete since{" "}
      {isWhole ? date(at) : `${instant(at)}; older events were deleted`}.
    </>
  );
}

const groupings = [
  ["role", "By role"],
  ["issuer", "By issuer"],
] as const;

function Issued({ reply }: { reply: Parameters<typeof issuedChart>[0]["reply"] }): JSX.Element {
  const [by, group] = useState<Grouping>("role");
  const names = useLoad(async () => {
    const { info } = await listedIssuers();
    return new Map(
      Object.entries(info).map(([id, { issuer_name: name }]) => [id, visible(name)] as const),
    );
  }, []);
  const serverNames = new Map([...(names.value ?? [])].filter(([, name]) => name !== ""));
  return (
    <>
      <Choice label="Group" of={groupings} value={by} choose={group} />
      <ChartOf data={issuedChart({ reply, now: new Date() }, by, serverNames)}>
        <AuditSource since={reply.since} /> Includes certificates that are not stored. Click a bar
        to list the stored certificates.
      </ChartOf>
    </>
  );
}

/** Maximum number of orders that a server returns. */
const maxOrders = 1000;

function FailedOrders(): JSX.Element {
  const orders = useLoad(() => listing(listAcmeOrders, { limit: maxOrders }), []);
  return (
    <Ready from={orders}>
      {({ keys, info }) => {
        const now = new Date();
        const oldest = info[keys.at(-1) ?? ""]?.created_time;
        const since =
          keys.length === maxOrders && oldest !== undefined
            ? Date.parse(oldest)
            : now.getTime() - days * day;
        return (
          <ChartOf data={failedOrdersChart({ keys, info }, { since, now })}>
            Source: the {keys.length} newest ACME orders of the mount, since {date(new Date(since))}
            . Tidy deletes orders after they have expired.
          </ChartOf>
        );
      }}
    </Ready>
  );
}

/**
 * The numbers of all rejected requests, including those not in the audit log, from the server's
 * metrics.
 */
function OtherRejections(): JSX.Element | null {
  const result = useLoad(
    async () =>
      missingPermission(readMetrics) === ""
        ? rejectionsOf(await readBytes(readMetrics))
        : undefined,
    [],
  );
  if (!result.value || result.value.codes.length === 0 || result.value.since.getTime() === 0)
    return null;
  const { since, codes } = result.value;
  return (
    <p class="small muted">
      All rejected requests to all mounts since the server started on {instant(since)}, from its
      metrics: {codes.map(([code, count]) => `${visible(code)} ${count}`).join(", ")}.
    </p>
  );
}

/** A gauge or counter in the server's metrics. */
interface MetricValue {
  readonly Name: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly Value?: number;
  readonly Count?: number;
}

/**
 * Returns the number of rejected requests by error code, the most frequent first, from the server's
 * metrics.
 */
function rejectionsOf(bytes: Uint8Array | undefined): {
  readonly since: Date;
  readonly codes: readonly (readonly [code: string, count: number])[];
} {
  // the server creates this JSON, so it has the expected members
  const { Gauges, Counters } = JSON.parse(new TextDecoder().decode(bytes)) as Readonly<
    Record<"Gauges" | "Counters", readonly MetricValue[]>
  >;
  const start = Gauges.find(({ Name }) => Name === "sealwright_start_timestamp_seconds");
  return {
    since: new Date((start?.Value ?? 0) * 1000),
    codes: Counters.filter(({ Name }) => Name === "sealwright_requests_refused_total")
      .map(({ Labels, Count = 0 }) => [Labels["code"] ?? "", Count] as const)
      .sort(([, a], [, b]) => b - a),
  };
}
