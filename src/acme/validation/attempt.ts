import { challengerOf } from "./host-decision.ts";
import { acmeConfig } from "../rows/config.ts";
import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Expect } from "../../engine/ports.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import { unlessAborted } from "../../net/abort.ts";
import { aimOf } from "../protocol/directory.ts";
import { accountHashPrefix, issuerDomainNames } from "../protocol/persistent-records.ts";
import { acmeValidation } from "../rows/prefixes.ts";
import {
  acmeKeys,
  type AccountRow,
  type AcmeChallenge,
  type AuthzRow,
  type OrderRow,
  storedAcme,
} from "../rows/records.ts";
import {
  attemptTime,
  failChallenge,
  isDue,
  processingOf,
  passChallenge,
  type FailedAttempt,
} from "./challenge-state.ts";
import { PermanentFailure, type ValidationAttempt } from "./challenge-type.ts";
import { currentConfig } from "./current-config.ts";
import type { DueRow } from "./due-rows.ts";
import {
  countFailure,
  type FailureCount,
  failureLimitError,
  readFailures,
} from "./failure-limit.ts";
import { yielded } from "./pool.ts";
import { type Proof, proofOf } from "./proof.ts";
import { resultChange } from "./result-change.ts";
import { validate } from "./validate.ts";

/** The rows of a validation, read together. */
interface Rows {
  readonly authz: AuthzRow;
  /** Revision of the authorization. */
  readonly rev: number;
  readonly challenge: AcmeChallenge;
  readonly account: AccountRow | undefined;
  readonly order: OrderRow | undefined;
  /**
   * The failed attempts so far, or undefined for challenge types whose failures are not limited.
   */
  readonly failures: FailureCount | undefined;
  readonly expect: readonly Expect[];
}
/** A proof, with the time until which it is valid (Unix seconds), if it states such a time. */
interface Proven {
  readonly until: number | undefined;
}
/** A failed validation. */
interface Failed extends Omit<FailedAttempt, "type"> {
  /** Set if a validation was attempted, and not rejected before the attempt. */
  readonly isAttempt?: true;
}
/** The result of an attempt: a proof, or a failure. */
type Outcome = Proven | Failed;

const nothing = async (): Promise<void> => undefined;

/**
 * Attempts a due validation and returns a function that stores the result, unless the rows have
 * changed. A result is discarded if the authorization was deactivated, or if its order or account
 * is no longer active. Rejects if storage fails, and with the signal's reason if the attempt is
 * preempted.
 */
export async function attempt(
  mount: Mount,
  due: DueRow,
  signal: AbortSignal,
): Promise<() => Promise<void>> {
  const rows = await rowsOf(mount, due);
  if (!rows || !isDue(rows.challenge.due_ms ?? 0, mount.ports.now())) return nothing;
  const outcome =
    rows.account && !endOf(rows, mount.ports.now())
      ? await outcomeOf(mount, rows, rows.account, signal)
      : ended(rows, mount.ports.now());
  return () => storeResult(mount, due, { rows, outcome });
}

/** Reads the rows of a validation. Returns undefined if nothing is left to validate. */
async function rowsOf(
  { store, ports }: Pick<Mount, "store" | "ports">,
  due: DueRow,
): Promise<Rows | undefined> {
  const keys = [acmeKeys.authz(due.id), acmeKeys.account(due.account), acmeKeys.order(due.order)];
  const [authzRow, account, order] = await store.get(keys);
  const authz = authzRow && storedAcme.authz(authzRow.value);
  const challenge = authz && processingOf(authz);
  if (!challenge) return undefined;
  const read = [authzRow, account, order];
  const { type } = challenge;
  const failures = await readFailures(store, authz, { type, now: ports.now() });
  return {
    authz,
    rev: authzRow.rev,
    challenge,
    account: account && storedAcme.account(account.value),
    order: order && storedAcme.order(order.value),
    failures,
    expect: [
      ...keys.map((key, at): Expect => [key, read[at]?.rev ?? null]),
      ...(failures ? [failures.expect] : []),
    ],
  };
}

/**
 * Returns the reason why a validation is no longer needed, if any. `now` is in Unix milliseconds.
 */
function endOf({ authz, account, order }: Rows, now: number): CaError | undefined {
  if (account?.status !== "valid")
    return new CaError(
      "acme_unauthorized",
      "the account was deactivated or revoked before the validation finished",
    );
  if (order?.status !== "pending")
    return new CaError("malformed", "the order is no longer pending");
  return Math.min(authz.expires, order.expires) * 1000 <= now
    ? new CaError("malformed", "the order expired before the validation finished")
    : undefined;
}
const ended = (rows: Rows, now: number): Outcome => ({
  fault: endOf(rows, now) ?? new CaError("malformed", "the validation has ended"),
});

async function outcomeOf(
  mount: Mount,
  { authz, challenge, failures }: Rows,
  account: AccountRow,
  stop: AbortSignal,
): Promise<Outcome> {
  const limitError = failureLimitError(failures, mount.ports.now());
  if (limitError) return { fault: limitError };
  const config = await currentConfig(mount);
  const acme = config.get(acmeConfig);
  const { challenge_timeout: timeout } = acme;
  const signal = limited(mount, attemptTime(challenge, timeout, mount.ports.now()), stop);
  const validated: ValidationAttempt = {
    authz,
    challenge,
    proof: await proofIn(config, { authz, challenge }, account),
  };
  try {
    if (!acme.enabled) throw new CaError("server_internal", "ACME is disabled");
    const until = await unlessAborted(validate(mount, acme, validated, signal), signal);
    return { until: until ?? undefined };
  } catch (error) {
    if (stop.reason === yielded) throw error;
    const fault = faultOf(mount, error, signal);
    const failed = { fault, isAttempt: true } as const;
    return error instanceof PermanentFailure ? failed : { ...failed, timeout };
  }
}
/** Returns the proof that a challenge requires of its account. */
function proofIn(
  config: Snapshot,
  { authz, challenge }: Pick<Rows, "authz" | "challenge">,
  { thumbprint, former_thumbprints = [] }: AccountRow,
): Promise<Proof> {
  const suffix = `/account/${authz.account}`;
  const { directory } = aimOf(config, `/${encodeURI(authz.directory)}${suffix}`);
  return proofOf(challenge.token, thumbprint, {
    accountUrl: directory.url(suffix),
    thumbprints: [thumbprint, ...former_thumbprints],
    isWildcard: authz.wildcard,
    issuerDomainNames: issuerDomainNames(config),
    accountHashPrefix: accountHashPrefix(directory),
    persistentSubdomains: config.get(acmeConfig).persistent_subdomains,
  });
}
/**
 * Limits the duration of an attempt to the given time. If the host decides, only the pool limits
 * the duration, because a person may be making the decision.
 */
const limited = ({ storeContext }: Mount, milliseconds: number, stop: AbortSignal): AbortSignal =>
  challengerOf(storeContext) ? stop : AbortSignal.any([stop, AbortSignal.timeout(milliseconds)]);
function faultOf(mount: Mount, error: unknown, signal: AbortSignal): CaError {
  if (error instanceof CaError) return error;
  if (signal.aborted) return new CaError("connection", "the validation took too long");
  mount.ports.log?.({ endpoint: `job ${acmeValidation}`, status: 500, ms: 0, cause: error });
  return new CaError("server_internal", "the validation failed because of an internal error");
}
/**
 * Stores the result of an attempt if its authorization is unchanged. The first try uses the rows
 * that were read before the attempt; only a retry reads them again.
 */
function storeResult(
  mount: Mount,
  due: DueRow,
  { rows: before, outcome }: { readonly rows: Rows; readonly outcome: Outcome },
): Promise<void> {
  let tried = false;
  return mount.storeContext.change<void>(async () => {
    const rows = tried ? await rowsOf(mount, due) : before;
    tried = true;
    if (rows?.rev !== before.rev) return { reply: undefined };
    const now = mount.ports.now();
    const counts = endOf(rows, now) ? ended(rows, now) : outcome;
    const { type } = rows.challenge;
    const changed =
      "until" in counts
        ? passChallenge(rows.authz, type, now, counts.until)
        : failChallenge(rows.authz, { type, ...counts }, now);
    return resultChange(mount, {
      id: due.id,
      type,
      changed,
      order: rows.order,
      expect: rows.expect,
      put: "isAttempt" in counts && rows.failures ? countFailure(rows.failures) : [],
      now,
    });
  });
}
