import type { Mount } from "../../engine/mount.ts";
import type { Batch, Expect, Store } from "../../engine/ports.ts";
import { AcmeProblem } from "../protocol/problem.ts";
import { acmeIndexes, acmeKeys, type AuthzRow, storedAcme } from "../rows/records.ts";
import { findChallengeType } from "./challenge-table.ts";

/** Length of the window in which failed attempts are counted, in seconds. */
const hour = 3600;
/**
 * Maximum number of failed attempts of an account for a name in an hour. A challenge that is
 * retried for an hour has about 120 failed attempts.
 */
export const maxFailedAttempts = 150;

/** The failed attempts of an account for a name, as stored. */
export interface FailureCount {
  readonly key: string;
  /** Number of failed attempts in the window. */
  readonly failed: number;
  /** End of the window, Unix seconds. */
  readonly end: number;
  readonly expect: Expect;
}

/**
 * Reads the failed attempts of an authorization's account for its name. Returns undefined if
 * failures of the challenge type are not limited. `now` is in Unix milliseconds.
 */
export async function readFailures(
  store: Store,
  { account, identifier }: Pick<AuthzRow, "account" | "identifier">,
  { type, now }: { readonly type: string; readonly now: number },
): Promise<FailureCount | undefined> {
  if (!findChallengeType(type)?.limitsFailures) return undefined;
  const key = acmeKeys.failures(account, identifier.value);
  const [row] = await store.get([key]);
  const seconds = Math.floor(now / 1000);
  const stored = row && storedAcme.failures(row.value);
  // if a window ends more than an hour from now, a clock was ahead when the window began
  const isCurrent = stored !== undefined && stored.end > seconds && stored.end <= seconds + hour;
  return {
    key,
    ...(isCurrent ? stored : { failed: 0, end: seconds + hour }),
    expect: [key, row?.rev ?? null],
  };
}

/** Returns the error if no further attempt is allowed. `now`: Unix milliseconds. */
export function failureLimitError(
  count: FailureCount | undefined,
  now: number,
): AcmeProblem | undefined {
  if (!count || count.failed < maxFailedAttempts) return undefined;
  const wait = count.end - Math.floor(now / 1000);
  return new AcmeProblem(
    "rate_limited",
    `too many failed validations of this name: at most ${maxFailedAttempts} attempts per account and hour; try again in ${wait} seconds`,
    { headers: { "retry-after": String(wait) } },
  );
}

/** Returns the rows that count another failed attempt. */
export const countFailure = ({ key, failed, end }: FailureCount): NonNullable<Batch["put"]> => [
  [key, { failed: failed + 1, end }, { [acmeIndexes.end]: end }],
];

/** Throws `rate_limited` if an account may not start another validation of the given name. */
export async function requireStart(
  { store, ports }: Pick<Mount, "store" | "ports">,
  row: AuthzRow,
  type: string,
): Promise<void> {
  const now = ports.now();
  const error = failureLimitError(await readFailures(store, row, { type, now }), now);
  if (error) throw error;
}
