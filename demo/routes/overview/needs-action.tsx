import type { JSX } from "preact";
import type { Authority } from "../../api/issuer.ts";
import { Icon } from "../../ui/icon.tsx";
import { lifeTone } from "../../ui/life-state.tsx";
import { address } from "../../lib/route.ts";
import { endingWords, stateOf, wantOf, needsAction, type Ending } from "./pending-actions.ts";

/** The CAs that need action, and the number of certificates that do. */
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
    const want = needsAction(one, now) ? wantOf(one, state, now) : undefined;
    return want ? [{ one, state, want }] : [];
  });
  if (wanting.length === 0 && soon.others === 0) return null;
  const { title, about: renew } = endingWords(soon);
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
            {state === "future" ? (
              <a class="btn tiny" href={address("authorities", one.record.issuer_id)}>
                Open
              </a>
            ) : (
              <a
                class="btn tiny"
                href={address("authorities", one.record.issuer_id, { action: "successor" })}
              >
                Create successor…
              </a>
            )}
          </li>
        ))}
        {soon.others > 0 && (
          <li>
            <Icon name="warn" tone="warn" />
            <div>
              <b>{title}</b>
              <p class="small muted">{renew}</p>
            </div>
            <a class="btn tiny" href={address("certificates", "", { status: "soon" })}>
              Show
            </a>
          </li>
        )}
      </ul>
    </section>
  );
}
