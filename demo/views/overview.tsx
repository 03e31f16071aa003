import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { authorities, retired, type Authority } from "../authorities.ts";
import { leafAhead, life, type Life } from "../lifetime.ts";
import { countExpiring, type Counted } from "../expiring.ts";
import { lazy } from "../lazy.tsx";
import { changes } from "../pki.ts";
import { Button, ButtonLink } from "../parts/button.tsx";
import { Badge, Icon } from "../parts/icon.tsx";
import { LifeBadge, lifeTone } from "../parts/life.tsx";
import { Card, Empty, Head, Ready } from "../parts/page.tsx";
import { Seal } from "../parts/seal.tsx";
import { Columns, OpenRow } from "../parts/table.tsx";
import { place } from "../place.ts";
import { address, redirect, route } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { date, distance } from "../words.ts";
import { serviceWorker } from "../worker.ts";
import { AddAuthority } from "./addauthority.tsx";
import { Forecast } from "./forecast.tsx";

const ImportAuthority = lazy<{ close: () => void }>(
  async () => (await import("./importauthority.tsx")).ImportAuthority,
);

/** Mounts of this browser that somebody chose to begin with nothing in. */
const begun = new Set<string>();

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
  useLayoutEffect(() => {
    if (asked) begun.add(where.mount);
  }, [asked]);
  useEffect(() => {
    // The start says why this window cannot keep an authority, and what can be done without one.
    // In the place of this view: who goes back from there comes to where they were before.
    if ((none || failure) && !begun.has(where.mount) && where.kind === "browser")
      redirect(address("start"));
  }, [none, failure]);
  const now = new Date();
  const some = all.value !== undefined && !none;
  // Without an authority there is nothing to count, and nothing that says so.
  const counted = useLoad(
    () => (some ? countExpiring(new Date()) : new Promise<Counted>(() => {})),
    [turn, some],
  );
  const soon = counted.value && ending(counted.value, now);
  return (
    <>
      <Head
        title="Overview"
        about={all.value && some ? summary(all.value, soon?.all, now) : undefined}
      />
      <Ready from={all}>
        {(found) => (
          <div class="stack">
            <NeedsAction all={found} soon={soon ?? { all: 0, late: 0 }} now={now} />
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
            {found.length > 0 && <Forecast counted={counted} now={now} />}
          </div>
        )}
      </Ready>
      {dialog === "add" && <AddAuthority all={all.value ?? []} close={close} />}
      {dialog === "import" && <ImportAuthority close={close} />}
    </>
  );
}

/**
 * Certificates that end within 30 days, and how many of them are in the last third of their life,
 * by which a client that renews them has done it.
 */
interface Ending {
  readonly all: number;
  readonly late: number;
}
function ending({ found }: Counted, now: Date): Ending {
  const near = found.filter(({ ends }) => ends.getTime() - now.getTime() < leafAhead);
  return { all: near.length, late: near.filter(({ state }) => state === "soon").length };
}

const numbered = (n: number, one: string, more: string): string =>
  n === 1 ? `one ${one}` : `${n} ${more}`;
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const stateOf = ({ view, record }: Authority, now: Date): Life => life(view, record.revoked, now);
const wants = (one: Authority, now: Date): boolean =>
  stateOf(one, now) !== "valid" && !retired(one);

/**
 * How many there are and how many of them, and of the certificates, need action. `soon`: undefined
 * while it is not counted.
 */
function summary(all: readonly Authority[], soon: number | undefined, now: Date): string {
  const there = capital(numbered(all.length, "authority", "authorities"));
  const wanting = all.filter((one) => wants(one, now)).length;
  if (wanting === 0 && soon === undefined) return `${there}.`;
  if (!soon)
    return `${there}. ${wanting === 0 ? "Nothing needs action." : wanting === 1 ? "One needs action." : `${wanting} need action.`}`;
  const who = [
    ...(wanting > 0 ? [numbered(wanting, "authority", "authorities")] : []),
    numbered(soon, "certificate", "certificates"),
  ].join(" and ");
  return `${there}. ${capital(who)} ${wanting + soon === 1 ? "needs" : "need"} action.`;
}

/**
 * What is the matter with an authority, after its name, and what follows from it; undefined when
 * nothing is.
 */
function wantOf(
  { view }: Authority,
  state: Life,
  now: Date,
): readonly [want: string, about: string] | undefined {
  const successor = "Make its successor and set it as the default.";
  if (state === "soon")
    return [
      `expires ${distance(view.ends, now)}`,
      `Certificates that chain to it end with it. ${successor}`,
    ];
  if (state === "expired")
    return ["has expired", `Certificates that chain to it ended with it. ${successor}`];
  if (state === "revoked")
    return ["is revoked", `Nobody should trust what it signed. ${successor}`];
  if (state === "future")
    return [`is not valid before ${date(view.begins)}`, "What it signs is refused until then."];
  return undefined;
}

/** What is to be said of certificates that end soon. */
function aboutEnding({ all, late }: Ending): string {
  if (late === 0)
    return `${all === 1 ? "Whoever uses it needs a new one before" : "Whoever uses them needs new ones before"}, if nothing renews ${all === 1 ? "it" : "them"} by itself.`;
  const third = "in the last third of their life";
  if (all === 1)
    return "It is in the last third of its life: whatever should have renewed it has not.";
  return `${late === all ? "All are" : `${late} of them ${late === 1 ? "is" : "are"}`} ${third}: whatever should have renewed ${late === 1 ? "it" : "them"} has not.`;
}

function NeedsAction({
  all,
  soon,
  now,
}: {
  all: readonly Authority[];
  soon: Ending;
  now: Date;
}): JSX.Element | null {
  const wanting = all.flatMap((one) => {
    const state = stateOf(one, now);
    const want = wants(one, now) ? wantOf(one, state, now) : undefined;
    return want ? [{ one, state, want }] : [];
  });
  if (wanting.length === 0 && soon.all === 0) return null;
  const until = new Date(now.getTime() + leafAhead).toISOString().slice(0, 10);
  return (
    <section class="card" aria-label="Needs action">
      <ul class="list">
        {wanting.map(({ one, state, want: [want, about] }) => (
          <li key={one.record.issuer_id}>
            <Icon name="warn" tone={lifeTone(state) || "warn"} />
            <div>
              <b>
                {one.name} {want}
              </b>
              <p class="small muted">{about}</p>
            </div>
            <a class="btn tiny" href={address("authorities", one.record.issuer_id)}>
              Open
            </a>
          </li>
        ))}
        {soon.all > 0 && (
          <li>
            <Icon name="warn" tone="warn" />
            <div>
              <b>
                {soon.all === 1
                  ? "One certificate ends within 30 days"
                  : `${soon.all} certificates end within 30 days`}
              </b>
              <p class="small muted">{aboutEnding(soon)}</p>
            </div>
            <a class="btn tiny" href={address("certificates", "", { status: "valid", to: until })}>
              Show
            </a>
          </li>
        )}
      </ul>
    </section>
  );
}

interface Axis {
  readonly years: readonly number[];
  at(time: Date | number): number;
  readonly end: number;
}

/**
 * A time axis over all authorities: whole years, at least two, at most fifteen ahead so that one
 * long root does not flatten the rest.
 */
function timeAxis(all: readonly Authority[], now: Date): Axis {
  const begin = Date.UTC(
    Math.min(now.getUTCFullYear(), ...all.map(({ view }) => view.begins.getUTCFullYear())),
    0,
  );
  const last = Math.max(
    now.getUTCFullYear() + 2,
    ...all.map(({ view }) => view.ends.getUTCFullYear() + 1),
  );
  const end = Date.UTC(Math.min(last, now.getUTCFullYear() + 15), 0);
  const span = new Date(end).getUTCFullYear() - new Date(begin).getUTCFullYear();
  const step = Math.max(1, Math.ceil(span / 4));
  const years = Array.from(
    { length: Math.ceil(span / step) },
    (_, i) => new Date(begin).getUTCFullYear() + i * step,
  );
  return {
    years,
    end,
    at: (time) => Math.max(0, Math.min(100, (100 * (Number(time) - begin)) / (end - begin))),
  };
}

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

/** Pixels at least of a life that is short on the axis, so that it is seen at all. */
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
  // What is to come begins today, or where the life does.
  const from = Math.max(begins, today);
  return (
    <svg class="span-bar" role="img" aria-label={`${date(view.begins)} to ${date(view.ends)}`}>
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

/** Whether it is a later certificate of a key that has one already. */
const isSecond = ({ record, view }: Authority, all: readonly Authority[]): boolean =>
  !view.selfIssued &&
  all.some(
    (other) =>
      other.record.key_id === record.key_id &&
      other.record.issuer_id !== record.issuer_id &&
      (other.view.selfIssued || other.view.begins < view.begins),
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
                    <Seal
                      sha256={one.view.sha256}
                      tone={tone || (one.depth ? "" : "root")}
                      size={32}
                    />
                    <div>
                      <a href={to}>{one.name}</a>{" "}
                      {state !== "valid" ? (
                        <LifeBadge of={state} />
                      ) : (
                        one.isDefault && <Badge tone="accent">Default</Badge>
                      )}
                      <span class="sub">
                        {one.view.selfIssued ? "Root" : "Issuing"}
                        {one.record.issuer_name && ` · ${one.record.issuer_name}`}
                        {one.record.key_id === ""
                          ? " · no key here"
                          : isSecond(one, all) && " · cross-signed"}
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
