import { CaError } from "../../base/errors.ts";
import { isClaimed } from "../protocol/challenge-object.ts";
import type { AcmeChallenge, AcmeError, AuthzRow, ChallengeClaim } from "../rows/records.ts";
import { problemTypeOf } from "../protocol/problem.ts";

/**
 * Base and maximum delay between attempts in ms; the base is multiplied by the number of failures
 * (B 5.10).
 */
const [retryAfter, maxRetryAfter] = [5000, 30_000];
/** Minimum time for an attempt in ms, however late it begins. */
const minAttempt = 10_000;
/** Validity of a valid authorization in seconds: 15 days (B 5.10). */
const validFor = 15 * 24 * 3600;

/** A changed authorization, and the time of its next validation, if any. */
export interface AuthzChange {
  readonly row: AuthzRow;
  /** Time of the next validation, Unix milliseconds. */
  readonly due?: number;
}

const withChallenge = (
  row: AuthzRow,
  type: AcmeChallenge["type"],
  change: (challenge: AcmeChallenge) => AcmeChallenge,
): AuthzRow => ({
  ...row,
  challenges: row.challenges.map((one) => (one.type === type ? change(one) : one)),
});

/** Returns the challenge under validation in an authorization, if any. */
export const processingOf = ({ status, challenges }: AuthzRow): AcmeChallenge | undefined =>
  status === "pending" ? challenges.find((one) => one.status === "processing") : undefined;

/**
 * Returns the authorization after the client requested validation at a time in Unix ms, or
 * undefined if the client had already requested it. Throws `malformed` for a challenge whose
 * validation cannot begin (B 5.10, security row 44).
 */
export function acceptChallenge(
  row: AuthzRow,
  type: AcmeChallenge["type"],
  now: number,
): AuthzChange | undefined {
  if (row.status !== "pending")
    throw new CaError("malformed", `the authorization is ${row.status}, no longer pending`);
  if (row.expires * 1000 <= now) throw new CaError("malformed", "the authorization has expired");
  const other = row.challenges.find((one) => one.type !== type && one.status !== "pending");
  if (other)
    throw new CaError(
      "malformed",
      `the challenge ${other.type} of the authorization is ${other.status}; no other challenge can be used`,
    );
  const own = row.challenges.find((one) => one.type === type);
  if (own?.status === "processing") return undefined;
  if (own?.status !== "pending") throw new CaError("malformed", "the challenge is not pending");
  // rounded down to a second, because the clock of the host that runs the job may be behind
  const due = Math.floor(now / 1000) * 1000;
  const begun = withChallenge(row, type, (one) => ({
    ...one,
    status: "processing",
    accepted_ms: now,
    due_ms: due,
  }));
  return { row: begun, due };
}

/** Returns the authorization with a claim: a request is verifying the response to the challenge. */
export const claimChallenge = (
  row: AuthzRow,
  type: AcmeChallenge["type"],
  claim: ChallengeClaim,
): AuthzRow => withChallenge(row, type, (one) => ({ ...one, claim }));

/**
 * Returns the authorization after a challenge was passed at a time in Unix ms. `until` is the
 * expiry of the proof, Unix seconds.
 */
export function passChallenge(
  row: AuthzRow,
  type: AcmeChallenge["type"],
  now: number,
  until = Infinity,
): AuthzChange {
  const seconds = Math.floor(now / 1000);
  const done = withChallenge(row, type, ({ token, attempts }) => ({
    type,
    token,
    status: "valid",
    validated: seconds,
    attempts,
  }));
  const expires = Math.min(seconds + validFor, until);
  return { row: { ...done, status: "valid", expires } };
}

/**
 * Returns the time at which validation of a challenge began, at most `now`, so that a clock that
 * was ahead does not extend the time for validation.
 */
const begunAt = ({ accepted_ms = Infinity }: AcmeChallenge, now: number): number =>
  Math.min(accepted_ms, now);

/**
 * Returns the maximum duration in ms of an attempt that begins now. This is the rest of the
 * challenge's time, but at least the time for one attempt, in case the attempt had to wait for a
 * slot. `timeout` is in seconds.
 */
export function attemptTime(challenge: AcmeChallenge, timeout: number, now: number): number {
  const time = timeout * 1000;
  return Math.max(begunAt(challenge, now) + time - now, Math.min(minAttempt, time));
}

/**
 * A failed attempt. `timeout` is the time in seconds within which further attempts may follow;
 * absent if no further attempt may follow.
 */
export interface FailedAttempt {
  readonly type: AcmeChallenge["type"];
  readonly fault: CaError;
  readonly timeout?: number;
}
/**
 * Returns the authorization after a failed attempt at a time in Unix ms: pending with another
 * attempt, or invalid if the failure is permanent or no time is left (B 5.10). The challenge keeps
 * the error of the first attempt, which is the most informative; only a permanent failure replaces
 * it.
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
/**
 * Returns the time at which the next attempt is due, early enough to finish in time, or undefined
 * if no time is left for an attempt.
 */
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

/** Maximum clock skew within a deployment in ms: more than the delay of any attempt. */
const clockSkew = 60_000;
/**
 * Reports whether an attempt is due at a time in Unix ms. An attempt scheduled further ahead than
 * the longest possible delay was scheduled by a clock that ran ahead, and counts as due.
 */
export const isDue = (due: number, now: number): boolean => due <= now || due > now + clockSkew;

/**
 * Returns the number of seconds after which a client should poll again, or undefined if no
 * validation is running. `now` is in Unix milliseconds.
 */
export function retryAfterOf(row: AuthzRow, now: number): number | undefined {
  const challenge = processingOf(row);
  if (!challenge) return row.challenges.some((one) => isClaimed(one, now)) ? 1 : undefined;
  const { due_ms: due = now } = challenge;
  return isDue(due, now) ? 1 : Math.ceil((due - now) / 1000);
}
