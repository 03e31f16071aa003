import type { CertificateView } from "./x509/decode.ts";
import { day } from "./format.ts";

/** The state of a certificate in its lifetime; `distrusted`: below a revoked CA. */
export type Life = "valid" | "soon" | "expired" | "future" | "revoked" | "distrusted";

/**
 * A CA this close to its expiry needs a successor, however short its lifetime: its certificates
 * expire with it.
 */
const authorityAhead = 90 * day;
/** A certificate this close to its expiry needs a plan for its renewal. */
const leafAhead = 30 * day;
/** A certificate with a shorter lifetime is renewed by a program: no one does it in time. */
const minLeafLifetime = 7 * day;

/**
 * Returns the state of a certificate. It expires soon in the last third of its lifetime, at most 30
 * days before expiry, unless it lives less than a week; a CA 90 days before.
 */
export function life(
  view: Pick<CertificateView, "begins" | "ends" | "authority">,
  revoked: boolean,
  now: Date,
): Life {
  if (revoked) return "revoked";
  if (view.ends < now) return "expired";
  if (view.begins > now) return "future";
  const lifetime = view.ends.getTime() - view.begins.getTime();
  const leaf = lifetime < minLeafLifetime ? 0 : Math.min(lifetime / 3, leafAhead);
  return view.ends.getTime() - now.getTime() < (view.authority ? authorityAhead : leaf)
    ? "soon"
    : "valid";
}

/** Returns the state of a certificate; clients reject valid ones below a revoked CA. */
export const belowRevoked = (state: Life, isBelow: boolean): Life =>
  isBelow && state !== "revoked" && state !== "expired" ? "distrusted" : state;

/** Reports whether clients accept a certificate now or later. */
export const isUsable = (state: Life): boolean =>
  state !== "revoked" && state !== "expired" && state !== "distrusted";

/**
 * Returns the state for display: the expiry of a certificate that its client renews needs no
 * action.
 */
export const displayedState = (state: Life, byClient: boolean): Life =>
  byClient && state === "soon" ? "valid" : state;
