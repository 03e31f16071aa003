import type { CertificateView } from "./x509/decode.ts";
import { day } from "./time-text.ts";

/** The state of a certificate. A `distrusted` certificate is below a revoked CA. */
export type Life = "valid" | "soon" | "expired" | "future" | "revoked" | "distrusted";

/**
 * Time in ms before a CA's expiry at which it needs a successor, however short its lifetime. The
 * certificates that it issued expire with it.
 */
const authorityAhead = 90 * day;
/** Maximum time in ms before its expiry at which a certificate counts as expiring soon. */
const leafAhead = 30 * day;
/**
 * Minimum lifetime in ms of certificates that can count as expiring soon. Shorter-lived ones are
 * renewed by programs.
 */
const minLeafLifetime = 7 * day;

/**
 * Returns the state of a certificate. It expires soon in the last third of its lifetime, but not
 * earlier than 30 days before its expiry, and never if its lifetime is less than a week. A CA
 * expires soon 90 days before its expiry.
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

/**
 * Returns the state of a certificate that may be below a revoked CA, in which case clients reject
 * it.
 */
export const belowRevoked = (state: Life, isBelow: boolean): Life =>
  isBelow && state !== "revoked" && state !== "expired" ? "distrusted" : state;

/** Reports whether clients accept a certificate now or later. */
export const isUsable = (state: Life): boolean =>
  state !== "revoked" && state !== "expired" && state !== "distrusted";

/**
 * Returns the state for display. A certificate that its client renews does not count as expiring
 * soon.
 */
export const displayedState = (state: Life, byClient: boolean): Life =>
  byClient && state === "soon" ? "valid" : state;
