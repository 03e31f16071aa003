import type { JSX } from "preact";
import { retired, type Authority } from "../authorities.ts";
import { leafAhead, life, type Life } from "../lifetime.ts";
import type { Counted } from "../expiring.ts";
import { Icon } from "../parts/icon.tsx";
import { lifeTone } from "../parts/life.tsx";
import { address } from "../route.ts";
import { date, distance } from "../words.ts";

/**
 * Certificates that end within 30 days, and how many of them are in the last third of their life,
 * by which a client that renews them has done it.
 */
interface Ending {
  readonly all: number;
  readonly late: number;
}

export function ending({ found }: Counted, now: Date): Ending {
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
export function summary(all: readonly Authority[], soon: number | undefined, now: Date): string {
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

export function NeedsAction({
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
