import type { CertificateView } from "./x509/decode.ts";
import { day } from "./format.ts";

/** Where in its life a certificate is. */
export type Life = "valid" | "soon" | "expired" | "future" | "revoked";

/**
 * An authority this near its end needs a successor, however short its life is: what it signs ends
 * with it.
 */
const authorityAhead = 90 * day;
/** A certificate this near its end needs somebody to know how it is renewed. */
const leafAhead = 30 * day;

/**
 * Where in its life a certificate is. It expires soon in its last third, at most 30 days before the
 * end; an authority 90 days before.
 */
export function life(
  view: Pick<CertificateView, "begins" | "ends" | "authority">,
  revoked: boolean,
  now: Date,
): Life {
  if (revoked) return "revoked";
  if (view.ends < now) return "expired";
  if (view.begins > now) return "future";
  const third = (view.ends.getTime() - view.begins.getTime()) / 3;
  return view.ends.getTime() - now.getTime() <
    (view.authority ? authorityAhead : Math.min(third, leafAhead))
    ? "soon"
    : "valid";
}

/** The same of a certificate that a client renews by itself: its end is nothing to act on. */
export const cared = (state: Life, byClient: boolean): Life =>
  byClient && state === "soon" ? "valid" : state;
