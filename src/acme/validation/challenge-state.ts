import { acmeTypeOf, CaError } from "../../base/errors.ts";
import type { AcmeChallenge, AcmeError, AuthzRow } from "../../engine/acme-records.ts";

/** The failed attempt that is the last one (B 5.10). */
export const lastAttempt = 7;
/** Milliseconds that failure k is followed by, k times (B 5.10). */
const retryAfter = 5000;
/** How long an authorization is good for once it is valid, seconds: 15 days (B 5.10). */
const validFor = 15 * 24 * 3600;

/** An authorization after a change, and when its validation is to be tried next, if at all. */
export interface Changed {
  readonly row: AuthzRow;
  /** Unix milliseconds. */
  readonly due?: number;
}

const withChallenge = (
  row: AuthzRow,
  type: string,
  change: (challenge: AcmeChallenge) => AcmeChallenge,
): AuthzRow => ({
  ...row,
  challenges: row.challenges.map((one) => (one.type === type ? change(one) : one)),
});

/** The challenge of an authorization that is being validated, if any is. */
export const processingOf = ({ status, challenges }: AuthzRow): AcmeChallenge | undefined =>
  status === "pending" ? challenges.find((one) => one.status === "processing") : undefined;

/**
 * What the client's word that it is ready makes of an authorization, at a time in Unix
 * milliseconds; undefined where it has said so already and nothing changes. Refuses (`malformed`)
 * what cannot begin (B 5.10, security row 44).
 */
export function accepted(row: AuthzRow, type: string, now: number): Changed | undefined {
  if (row.status !== "pending")
    throw new CaError("malformed", `the authorization is ${row.status}, not pending any more`);
  if (row.expires * 1000 <= now) throw new CaError("malformed", "the authorization has expired");
  const other = row.challenges.find((one) => one.type !== type && one.status !== "pending");
  if (other)
    throw new CaError(
      "malformed",
      `the challenge ${other.type} of the authorization is ${other.status}; no other one can be used any more`,
    );
  const own = row.challenges.find((one) => one.type === type);
  if (own?.status === "processing") return undefined;
  if (own?.status !== "pending") throw new CaError("malformed", "the challenge is not pending");
  // the second that its job is due in: the clock that runs the job may be a little behind
  const due = Math.floor(now / 1000) * 1000;
  const begun = withChallenge(row, type, (one) => ({
    ...one,
    status: "processing",
    due_ms: due,
  }));
  return { row: begun, due };
}

/** What a proof makes of an authorization, at a time in Unix milliseconds. */
export function proven(row: AuthzRow, type: string, now: number): Changed {
  const seconds = Math.floor(now / 1000);
  const done = withChallenge(row, type, ({ token, attempts }) => ({
    type,
    token,
    status: "valid",
    validated: seconds,
    attempts,
  }));
  return { row: { ...done, status: "valid", expires: seconds + validFor } };
}

/**
 * What a failed attempt makes of an authorization, at a time in Unix milliseconds: another attempt
 * later, or the end, with the last one or where it is `final` (B 5.10).
 */
export function failed(
  row: AuthzRow,
  {
    type,
    fault,
    final,
  }: { readonly type: string; readonly fault: CaError; readonly final: boolean },
  now: number,
): Changed {
  const attempts = 1 + (row.challenges.find((one) => one.type === type)?.attempts ?? 0);
  const error = errorOf(fault);
  if (final || attempts >= lastAttempt) {
    const over = withChallenge(row, type, ({ token }) => ({
      type,
      token,
      status: "invalid",
      attempts,
      error,
    }));
    return { row: { ...over, status: "invalid" } };
  }
  const due = now + retryAfter * attempts;
  return {
    row: withChallenge(row, type, (one) => ({ ...one, attempts, error, due_ms: due })),
    due,
  };
}
const errorOf = ({ code, message }: CaError): AcmeError => ({
  type: acmeTypeOf(code),
  detail: message,
});

/**
 * How far the clocks of one deployment may be apart, milliseconds: more than any attempt waits for.
 */
const clockSkew = 60_000;
/**
 * Whether an attempt is due at a time in Unix milliseconds. One that is due later than any is
 * planned was planned by a clock which was ahead, and would wait in vain.
 */
export const isDue = (due: number, now: number): boolean => due <= now || due > now + clockSkew;

/**
 * After how many seconds it is worth asking again how a validation went, at a time in Unix
 * milliseconds; undefined while none is under way.
 */
export function askAgainAfter(row: AuthzRow, now: number): number | undefined {
  const challenge = processingOf(row);
  if (!challenge) return undefined;
  const { due_ms: due = now } = challenge;
  return isDue(due, now) ? 1 : Math.ceil((due - now) / 1000);
}
