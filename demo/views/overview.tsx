import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { authorities, life, type Authority } from "../authorities.ts";
import { changes } from "../pki.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Badge, Icon } from "../parts/icon.tsx";
import { LifeBadge, lifeTone } from "../parts/life.tsx";
import { Card, Empty, Head, Ready } from "../parts/page.tsx";
import { Seal } from "../parts/seal.tsx";
import { Columns, OpenRow } from "../parts/table.tsx";
import { place } from "../place.ts";
import { address, open, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { date, distance } from "../words.ts";
import { serviceWorker } from "../worker.ts";
import { AddAuthority } from "./addauthority.tsx";
import { Forecast } from "./forecast.tsx";
import { ImportAuthority } from "./importauthority.tsx";

/** What needs action and the tree of authorities on one time axis. */
export function Overview(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const where = useStore(place, (value) => value);
  const asked = useStore(route, (value) => value.query.has("empty"));
  const all = useLoad(authorities, [turn, where]);
  const [dialog, setDialog] = useState<"" | "add" | "import">("");
  const close = (): void => setDialog("");
  const none = all.value?.length === 0;
  const failure = useStore(serviceWorker, (value) => value.failure);
  useEffect(() => {
    // The start says why this window cannot keep an authority, and what can be done without one.
    if ((none || failure) && !asked && where.kind === "browser") open(address("start"));
  }, [none, failure]);
  const now = new Date();
  return (
    <>
      <Head title="Overview" about={all.value && all.value.length > 0 ? summary(all.value, now) : undefined} />
      <Ready from={all}>
        {(found) => (
          <div class="stack">
            <NeedsAction all={found} now={now} />
            <Card
              title="Authorities"
              end={
                <>
                  <Button tiny press={() => setDialog("import")}>
                    Import
                  </Button>
                  <Button tiny press={() => setDialog("add")}>
                    Add authority
                  </Button>
                </>
              }
            >
              {found.length === 0 ? (
                <Empty text="Authorities sign certificates. This mount has none yet.">
                  <Button kind="primary" press={() => setDialog("add")}>
                    Make a root
                  </Button>
                  <ButtonLink to={address("start")}>Use a ready-made start</ButtonLink>
                </Empty>
              ) : (
                <Tree all={found} now={now} />
              )}
            </Card>
            {found.length > 0 && <Forecast now={now} />}
          </div>
        )}
      </Ready>
      {dialog === "add" && <AddAuthority all={all.value ?? []} close={close} />}
      {dialog === "import" && <ImportAuthority close={close} />}
    </>
  );
}

function summary(all: readonly Authority[], now: Date): string {
  const wanting = all.filter(({ view, record }) => life(view, record.revoked, now) !== "valid").length;
  return `${all.length === 1 ? "One authority" : `${all.length} authorities`}. ${wanting === 0 ? "None of them needs action." : wanting === 1 ? "One needs action." : `${wanting} need action.`}`;
}

function NeedsAction({ all, now }: { all: readonly Authority[]; now: Date }): JSX.Element | null {
  const wanting = all.map((one) => ({ one, state: life(one.view, one.record.revoked, now) })).filter(({ state }) => state === "soon" || state === "expired");
  if (wanting.length === 0) return null;
  return (
    <section class="card" aria-label="Needs action">
      <ul class="list">
        {wanting.map(({ one, state }) => (
          <li key={one.record.issuer_id}>
            <Icon name="warn" tone={state === "expired" ? "danger" : "warn"} />
            <div>
              <b>
                {one.name} {state === "expired" ? "has expired" : `expires ${distance(one.view.ends, now)}`}
              </b>
              <p class="small muted">Certificates that chain to it end with it. Make its successor and set it as the default.</p>
            </div>
            <a class="btn tiny" href={address("authorities", one.record.issuer_id)}>
              Open
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface Axis {
  readonly years: readonly number[];
  at(time: Date | number): number;
  readonly end: number;
}

/** A time axis over all authorities: whole years, at least two, at most fifteen ahead so that one long root does not flatten the rest. */
function timeAxis(all: readonly Authority[], now: Date): Axis {
  const begin = Date.UTC(Math.min(now.getUTCFullYear(), ...all.map(({ view }) => view.begins.getUTCFullYear())), 0);
  const last = Math.max(now.getUTCFullYear() + 2, ...all.map(({ view }) => view.ends.getUTCFullYear() + 1));
  const end = Date.UTC(Math.min(last, now.getUTCFullYear() + 15), 0);
  const span = new Date(end).getUTCFullYear() - new Date(begin).getUTCFullYear();
  const step = Math.max(1, Math.ceil(span / 4));
  const years = Array.from({ length: Math.ceil(span / step) }, (_, i) => new Date(begin).getUTCFullYear() + i * step);
  return { years, end, at: (time) => Math.max(0, Math.min(100, (100 * (Number(time) - begin)) / (end - begin))) };
}

function AxisLabels({ axis, now }: { axis: Axis; now: Date }): JSX.Element {
  const here = axis.at(now);
  return (
    <svg class="axis-labels" aria-hidden="true">
      {axis.years
        .filter((year) => Math.abs(axis.at(Date.UTC(year, 0)) - here) > 9)
        .map((year) => (
          <text key={year} x={`${axis.at(Date.UTC(year, 0))}%`} y="12" text-anchor={axis.at(Date.UTC(year, 0)) < 2 ? "start" : "middle"}>
            {year}
          </text>
        ))}
      <text class="now" x={`${here}%`} y="12" text-anchor={here < 6 ? "start" : "middle"}>
        today
      </text>
    </svg>
  );
}

/** Pixels at least of a life that is short on the axis, so that it is seen at all. */
const seen = 4;

function SpanBar({ view, axis, tone, now }: { view: Authority["view"]; axis: Axis; tone: string; now: Date }): JSX.Element {
  const [begins, ends, today] = [axis.at(view.begins), axis.at(view.ends), axis.at(now)];
  return (
    <svg class="span-bar" role="img" aria-label={`${date(view.begins)} to ${date(view.ends)}`}>
      {axis.years.map((year) => (
        <line key={year} class="grid" x1={`${axis.at(Date.UTC(year, 0))}%`} x2={`${axis.at(Date.UTC(year, 0))}%`} y1="-99" y2="99" />
      ))}
      <rect class={`past ${tone}`} x={`${begins}%`} y="12" width={`${Math.max(0.4, Math.min(today, ends) - begins)}%`} height="8" rx="2" />
      {ends > today && <rect class={`rest ${tone}`} x={`${today}%`} y="12" width={`max(${seen}px, ${ends - today}%)`} height="8" rx="2" />}
      {Number(view.ends) > axis.end && (
        <svg x="100%" y="12" overflow="visible">
          <path class="on" d="M0 -2l6 6-6 6z" />
        </svg>
      )}
      <line class="now" x1={`${today}%`} x2={`${today}%`} y1="-99" y2="99" />
    </svg>
  );
}

/** Whether it is a later certificate of a key that has one already. */
const isSecond = ({ record, view }: Authority, all: readonly Authority[]): boolean =>
  !view.selfIssued &&
  all.some(
    (other) =>
      other.record.key_id === record.key_id && other.record.issuer_id !== record.issuer_id && (other.view.selfIssued || other.view.begins < view.begins),
  );

function Tree({ all, now }: { all: readonly Authority[]; now: Date }): JSX.Element {
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
          const state = life(one.view, one.record.revoked, now);
          const tone = lifeTone(state);
          const to = address("authorities", one.record.issuer_id);
          return (
            <OpenRow key={one.record.issuer_id} to={to}>
              <td>
                <div class={`depth-${Math.min(one.depth, 2)}`}>
                  <div class="who">
                    <Seal sha256={one.view.sha256} tone={tone || (one.depth ? "" : "root")} size={32} />
                    <div>
                      <a href={to}>{one.name}</a> {state !== "valid" ? <LifeBadge of={state} /> : one.isDefault && <Badge tone="accent">Default</Badge>}
                      <span class="sub">
                        {one.view.selfIssued ? "Root" : "Issuing"}
                        {one.record.issuer_name && ` · ${one.record.issuer_name}`}
                        {one.record.key_id === "" ? " · no key here" : isSecond(one, all) && " · cross-signed"}
                      </span>
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
