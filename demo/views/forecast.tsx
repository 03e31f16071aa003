import type { JSX } from "preact";
import { unknownCall } from "../api.ts";
import type { Life } from "../authorities.ts";
import { rows } from "../inventory.ts";
import { changes, serials } from "../pki.ts";
import { Card, Ready } from "../parts/page.tsx";
import { address } from "../route.ts";
import { filtersOf, issuerTitles, searchPage } from "../search.ts";
import { useLoad, useStore } from "../store.ts";
import { date, day } from "../words.ts";

/** A page of a search is at most this long. */
const most = 1000;
/** An authority that cannot search is asked for each certificate, so for fewer. */
const mostRead = 100;
const weeks = 13;

/** A certificate that is valid now. */
interface Expiring {
  readonly ends: Date;
  readonly state: Life;
}
interface Counted {
  readonly found: readonly Expiring[];
  /** What was not counted. */
  readonly left: string;
  /** Up to when all were counted; left out when that is the end. */
  readonly until?: Date;
}

const isoDay = (time: number): string => new Date(time).toISOString().slice(0, 10);

async function sought(now: Date): Promise<Counted> {
  const filters = filtersOf(new URLSearchParams({ status: "valid", from: isoDay(now.getTime()), to: isoDay(now.getTime() + weeks * 7 * day) }));
  const { rows: read, cursor } = await searchPage(filters, "", await issuerTitles(), now, most);
  const found = read.filter(({ authority, ends }) => !authority && ends > now);
  const last = read.at(-1);
  return cursor === "" || !last ? { found, left: "" } : { found, left: `Only the ${read.length} that expire first are counted. `, until: last.ends };
}

async function readEach(now: Date): Promise<Counted> {
  const keys = await serials();
  const read = (await rows(keys.slice(0, mostRead), now)).filter(({ view, state }) => !view.authority && state !== "revoked" && state !== "expired");
  const left = keys.length > mostRead ? `Only ${mostRead} of ${keys.length} certificates are counted. ` : "";
  return { found: read.map(({ view, state }) => ({ ends: view.ends, state })), left };
}

async function count(now: Date): Promise<Counted> {
  try {
    return await sought(now);
  } catch (error) {
    if (unknownCall(error)) return readEach(now);
    throw error;
  }
}

/** How many certificates expire in each of the next thirteen weeks. Counted in the page: the API has no histogram yet. */
export function Forecast({ now }: { now: Date }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const counted = useLoad(() => count(now), [turn]);
  return (
    <Card title="Expiring in the next 13 weeks">
      <div class="pad stack">
        <Ready from={counted}>
          {({ found, left, until }) => (
            <>
              <Chart found={found} now={now} until={until} />
              <Soon found={found} />
              <p class="small muted">{left}Authorities and revoked certificates are left out.</p>
            </>
          )}
        </Ready>
      </div>
    </Card>
  );
}

function Soon({ found }: { found: readonly Expiring[] }): JSX.Element | null {
  const soon = found.filter(({ state }) => state === "soon").length;
  if (soon === 0) return null;
  return (
    <p>
      <a href={address("certificates", "", { status: "soon" })}>{soon === 1 ? "One expires soon. Show it" : `${soon} expire soon. Show them`}</a>
    </p>
  );
}

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

/** The chart as a sentence. `whole`: the week up to which all were counted. */
function described(counts: readonly number[], whole: number): string {
  const sum = counts.reduce((a, b) => a + b, 0);
  if (sum === 0) return "No certificate expires in the next 13 weeks.";
  const each = counts.flatMap((n, i) => (n > 0 ? [`${n} in week ${i + 1}`] : [])).join(", ");
  const all = sum === 1 ? "One certificate expires" : `${sum} certificates expire`;
  return whole < weeks
    ? `${sum} certificates and more expire in the next 13 weeks: ${each}; later ones are not counted.`
    : `${all} in the next 13 weeks: ${each}.`;
}

function Chart({ found, now, until }: { found: readonly Expiring[]; now: Date; until: Date | undefined }): JSX.Element {
  const counts = Array.from({ length: weeks }, () => 0);
  for (const { ends } of found) {
    const week = Math.floor((ends.getTime() - now.getTime()) / (7 * day));
    if (week >= 0 && week < weeks) counts[week] = (counts[week] ?? 0) + 1;
  }
  const top = Math.max(1, ...counts);
  const whole = until ? Math.floor((until.getTime() - now.getTime()) / (7 * day)) : weeks;
  return (
    <svg class="chart" viewBox="0 0 520 148" role="img" aria-label={described(counts, whole)}>
      {whole < weeks - 1 && <Uncounted from={whole + 1} />}
      {counts.map((n, week) => {
        const x = week * 40 + 6;
        const height = (n / top) * 96;
        return (
          <g key={week}>
            {n > 0 && <rect class="auto" x={x} y={120 - height} width="28" height={height} rx="2" />}
            {n > 0 && (
              <text class="value" x={x + 14} y={112 - height} text-anchor="middle">
                {week === whole ? `${n}+` : n}
              </text>
            )}
            {week % 3 === 0 && (
              <text x={week === 0 ? 0 : x + 14} y="140" text-anchor={week === 0 ? "start" : "middle"}>
                {week === 0 ? "this week" : date(new Date(now.getTime() + week * 7 * day)).slice(0, -5)}
              </text>
            )}
          </g>
        );
      })}
      <line class="base" x1="0" x2="520" y1="120.5" y2="120.5" />
    </svg>
  );
}
