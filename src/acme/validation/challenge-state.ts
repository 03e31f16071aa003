import { CaError } from "../../base/errors.ts";
import type { AcmeChallenge, AcmeError, AuthzRow } from "../rows/records.ts";
import { problemTypeOf } from "../protocol/problem.ts";
import type { ChallengeName } from "./challenge-type.ts";

/** Milliseconds that failure k is followed by, k times, and the most of them (B 5.10). */
const [retryAfter, maxRetryAfter] = [5000, 30_000];
/** Milliseconds that an attempt has, however late it begins. */
const minAttempt = 10_000;
/** How long an authorization is good for once it is valid, seconds: 15 days (B 5.10). */
const validFor = 15 * 24 * 3600;

/** An authorization after a change, and when its validation is to be tried next, if at all. */
export interface AuthzChange {
  readonly row: AuthzRow;
  /** Unix milliseconds. */
  readonly due?: number;
}

const withChallenge = (
  row: AuthzRow,
  type: ChallengeName,
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
export function acceptChallenge(
  row: AuthzRow,
  type: ChallengeName,
  now: number,
): AuthzChange | undefined {
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
    accepted_ms: now,
    due_ms: due,
  }));
  return { row: begun, due };
}

/** What a proof makes of an authorization, at a time in Unix milliseconds. */
export function passChallenge(row: AuthzRow, type: ChallengeName, now: number): AuthzChange {
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

/** When the time of a challenge began: no clock that was ahead makes it longer. */
const begunAt = ({ accepted_ms = Infinity }: AcmeChallenge, now: number): number =>
  Math.min(accepted_ms, now);

/**
 * Returns how long an attempt may take that begins now, milliseconds: what is left of the time of
 * its challenge, and enough for one attempt where that waited for its turn. `timeout`: seconds.
 */
export function attemptTime(challenge: AcmeChallenge, timeout: number, now: number): number {
  const time = timeout * 1000;
  return Math.max(begunAt(challenge, now) + time - now, Math.min(minAttempt, time));
}

/** A failed attempt; `timeout`: seconds in which others may follow, absent where none may. */
export interface FailedAttempt {
  readonly type: ChallengeName;
  readonly fault: CaError;
  readonly timeout?: number;
}
/**
 * What a failed attempt makes of an authorization, at a time in Unix milliseconds: another attempt
 * later, or the end, where its failure is permanent or its time does not suffice for another one
 * (B 5.10). While attempts follow, the error is that of the first one, which says most of what is
 * wrong; a permanent failure replaces it.
 */
export function failChallenge(
  row: AuthzRow,
  { type, fault, timeout }: FailedAttempt,
  now: number,
): AuthzChange {
  const before = row.challenges.find((one) => one.type === type);
  const attempts = 1 + (before?.attempts ?? 0);
  const error = (timeout === undefined ? undefined : before?.error) ?? errorOf(fault);
  const begun = before ? begunAt(before, now) : now;
  const due = timeout === undefined ? undefined : nextAttempt({ begun, timeout, attempts }, now);
  if (due === undefined) {
    const over = withChallenge(row, type, ({ token }) => ({
      type,
      token,
      status: "invalid",
      attempts,
      error,
    }));
    return { row: { ...over, status: "invalid" } };
  }
  return {
    row: withChallenge(row, type, (one) => ({
      ...one,
      attempts,
      error,
      accepted_ms: begun,
      due_ms: due,
    })),
    due,
  };
}
/** When the next attempt is due, so that it can end in time; undefined where there is none. */
function nextAttempt(
  {
    begun,
    timeout,
    attempts,
  }: { readonly begun: number; readonly timeout: number; readonly attempts: number },
  now: number,
): number | undefined {
  const latest = begun + timeout * 1000 - minAttempt;
  const due = Math.min(now + Math.min(retryAfter * attempts, maxRetryAfter), latest);
  return due < now + retryAfter ? undefined : due;
}
const errorOf = ({ code, message }: CaError): AcmeError => ({
  type: problemTypeOf(code),
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
