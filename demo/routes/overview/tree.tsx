import type { JSX } from "preact";
import { pathLength } from "../../api/path-length.ts";
import { stateOf, type Authority } from "../../api/issuer.ts";
import { Badge } from "../../ui/icon.tsx";
import { LifeBadge, lifeTone } from "../../ui/life-state.tsx";
import { Seal } from "../../ui/seal.tsx";
import { Columns, OpenRow } from "../../ui/table.tsx";
import { address } from "../../lib/route.ts";
import { date, distance } from "../../lib/time-text.ts";
import { timeAxis, type Axis } from "./time-axis.ts";

function AxisLabels({ axis, now }: { axis: Axis; now: Date }): JSX.Element {
  const here = axis.at(now);
  return (
    <svg class="axis-labels" aria-hidden="true">
      {axis.years
        .filter((year) => Math.abs(axis.at(Date.UTC(year, 0)) - here) > 9)
        .map((year) => (
          <text
            key={year}
            x={`${axis.at(Date.UTC(year, 0))}%`}
            y="12"
            text-anchor={axis.at(Date.UTC(year, 0)) < 2 ? "start" : "middle"}
          >
            {year}
          </text>
        ))}
      <text class="now" x={`${here}%`} y="12" text-anchor={here < 6 ? "start" : "middle"}>
        today
      </text>
    </svg>
  );
}

/** Minimum width of a bar in pixels, so that short lifetimes are visible. */
const seen = 4;

function SpanBar({
  view,
  axis,
  tone,
  now,
}: {
  view: Authority["view"];
  axis: Axis;
  tone: string;
  now: Date;
}): JSX.Element {
  const [begins, ends, today] = [axis.at(view.begins), axis.at(view.ends), axis.at(now)];
  // The remaining lifetime begins today, or at `notBefore` if that is later.
  const from = Math.max(begins, today);
  const days = `${date(view.begins)} to ${date(view.ends)}`;
  return (
    <svg class="span-bar" role="img" aria-label={days}>
      {/* tooltip */}
      <title>{days}</title>
      {axis.years.map((year) => (
        <line
          key={year}
          class="grid"
          x1={`${axis.at(Date.UTC(year, 0))}%`}
          x2={`${axis.at(Date.UTC(year, 0))}%`}
          y1="-99"
          y2="99"
        />
      ))}
      {view.begins <= now && (
        <rect
          class={`past ${tone}`}
          x={`${begins}%`}
          y="12"
          width={`${Math.max(0.4, Math.min(today, ends) - begins)}%`}
          height="8"
          rx="2"
        />
      )}
      {ends > from && (
        <rect
          class={`rest ${tone}`}
          x={`${from}%`}
          y="12"
          width={`max(${seen}px, ${ends - from}%)`}
          height="8"
          rx="2"
        />
      )}
      {Number(view.ends) > axis.end && (
        <svg x="100%" y="12" overflow="visible">
          <path class="on" d="M0 -2l6 6-6 6z" />
        </svg>
      )}
      <line class="now" x1={`${today}%`} x2={`${today}%`} y1="-99" y2="99" />
    </svg>
  );
}

/** Returns the other issuer with the key of a cross-signed CA, if there is one. */
const firstOf = ({ record, view }: Authority, all: readonly Authority[]): Authority | undefined =>
  view.selfIssued || record.key_id === ""
    ? undefined
    : all.find(
        (other) =>
          other.record.key_id === record.key_id &&
          other.record.issuer_id !== record.issuer_id &&
          (other.view.selfIssued || other.view.begins < view.begins),
      );

/** Returns the kind of a CA. If the CA is cross-signed, `first` is the issuer with the same key. */
function kindOf(one: Authority, first: Authority | undefined): string {
  if (one.view.selfIssued) return "Root";
  if (first) return "Cross-signed";
  return pathLength(one) === 0 ? "Issuing" : "Intermediate";
}

/**
 * The kind and the API name of a CA. For a cross-signed CA, also lists the CAs that have a path
 * through it.
 */
function AboutIssuer({ one, all }: { one: Authority; all: readonly Authority[] }): JSX.Element {
  const { record } = one;
  const first = firstOf(one, all);
  const below = first ? all.filter(({ parent }) => parent === first.record.issuer_id) : [];
  return (
    <>
      <span class="sub">
        {[kindOf(one, first), record.issuer_name, record.key_id === "" && "no key here"]
          .filter(Boolean)
          .join(" · ")}
      </span>
      {below.length > 0 && (
        <span class="sub">
          {below.length < 3
            ? `${below.map(({ name }) => name).join(" and ")} also ${below.length === 1 ? "chains" : "chain"} to it`
            : `${below.length} CAs also chain to it`}
        </span>
      )}
    </>
  );
}

export function Tree({ all, now }: { all: readonly Authority[]; now: Date }): JSX.Element {
  const axis = timeAxis(all, now);
  return (
    <table class="table cards tree">
      <Columns
        of={[
          "Name",
          [
            <>
              <AxisLabels axis={axis} now={now} />
              <span class="hidden-text">Validity</span>
            </>,
            "axis",
          ],
          "Expires",
          ["Key", "mid-only"],
        ]}
      />
      <tbody>
        {all.map((one) => {
          const state = stateOf(one, now);
          const tone = lifeTone(state);
          const to = address("authorities", one.record.issuer_id);
          return (
            <OpenRow key={one.record.issuer_id} to={to}>
              <td>
                <div class={`depth-${Math.min(one.depth, 2)}`}>
                  <div class="who">
                    <Seal
                      sha256={one.view.sha256}
                      tone={tone || (one.depth ? "" : "root")}
                      size={32}
                    />
                    <div>
                      <a href={to}>{one.record.issuer_name ? one.view.title : one.name}</a>{" "}
                      {state !== "valid" ? (
                        <LifeBadge of={state} />
                      ) : (
                        one.isDefault && <Badge tone="accent">Default</Badge>
                      )}
                      <AboutIssuer one={one} all={all} />
                    </div>
                  </div>
                </div>
              </td>
              <td class="axis full">
                <SpanBar view={one.view} axis={axis} tone={tone} now={now} />
              </td>
              <td class="nowrap">
                {date(one.view.ends)}
                <span class={`sub ${tone && `tone-${tone}`}`}>{distance(one.view.ends, now)}</span>
              </td>
              <td class="mid-only muted nowrap">{one.view.key}</td>
            </OpenRow>
          );
        })}
      </tbody>
    </table>
  );
}
