import type { JSX } from "preact";
import { chainOf, type LinkState } from "../../lib/inspection/chain-drawing.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { Icon, type IconName, type Tone } from "../icon.tsx";
import { Seal } from "../seal.tsx";
import type { Verification } from "../../lib/inspection/verify-node.ts";
import { distance } from "../../lib/time-text.ts";

const marks: Readonly<Record<LinkState, readonly [name: IconName, tone: Tone]>> = {
  verified: ["check", "ok"],
  own: ["key", ""],
  broken: ["x", "danger"],
  unknown: ["info", "quiet"],
};

/** The chain of a certificate from the root down, with the verification of each signature. */
export function ChainDrawing({
  view,
  verifications,
}: {
  view: CertificateView;
  verifications: ReadonlyMap<object, Verification>;
}): JSX.Element | null {
  const chain = chainOf(view, verifications);
  const now = new Date();
  if (chain.length < 2) return null;
  return (
    <ol class="chain drawn" aria-label={`Chain of ${view.title}`}>
      {chain.map(({ view: one, state, why }) => {
        const isExpired = one.ends < now;
        const [icon, own] = marks[state];
        const isRevoked = verifications.get(one)?.isRevoked === true;
        // do not show an expired or revoked certificate in green
        const tone = (isExpired || isRevoked) && own === "ok" ? "quiet" : own;
        return (
          <li key={one.sha256} class={state}>
            <Seal
              sha256={one.sha256}
              tone={state === "broken" ? "danger" : one.selfIssued ? "root" : ""}
              size={40}
            />
            <div>
              <b>{one.title}</b>
              <p class="small">
                <Icon name={icon} tone={tone} /> {why}
              </p>
              {isRevoked && (
                <p class="small tone-danger">
                  <Icon name="ban" tone="danger" /> Revoked
                </p>
              )}
              {isExpired && (
                <p class="small tone-danger">
                  <Icon name="clock" tone="danger" /> Expired {distance(one.ends, now)}
                </p>
              )}
              <p class="small muted">
                {one.signature}
                {!isExpired && `, expires ${distance(one.ends, now)}`}
              </p>
            </div>
          </li>
        );
      })}
    </ol>
  );
}
