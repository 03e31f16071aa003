import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";

/** One rule applied to one value. */
export interface RuleStep {
  /** The role's field, or the name of another rule. */
  readonly rule: string;
  readonly input: string;
  readonly allowed: boolean;
  /** The error message if not allowed. */
  readonly reason?: string;
}
/**
 * Applies the rules of a decision: issuing throws at the first broken rule, a dry run records all
 * of them.
 */
export interface RuleChecker {
  /** Whether the first broken rule throws, so that no alternative is tried. */
  readonly failsFast?: true;
  enforce(rule: string, input: RuleInput, allowed: boolean, refusal: () => CaError): void;
}
/** A text, or a function that returns it, because only a dry run records it. */
type RuleInput = string | (() => string);

/** Throws at the first broken rule. */
export const failFast: RuleChecker = {
  failsFast: true,
  enforce: (_, __, allowed, refusal) => {
    if (!allowed) throw refusal();
  },
};

/** Returns the error that a check throws, if any. */
export function refusalOf(check: () => void): CaError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CaError) return error;
    throw error;
  }
}

/** A rule and the value that it applies to. */
interface RuleQuestion {
  readonly rule: string;
  readonly input: RuleInput;
}

/**
 * Applies a rule that returns a value, and reports the result. A dry run continues with the first
 * alternative that returns a value; if there is none, the error ends the dry run too.
 */
export function checkRule<T>(
  checker: RuleChecker,
  { rule, input }: RuleQuestion,
  compute: () => T,
  ...instead: readonly (() => T)[]
): T {
  if (checker.failsFast) return compute();
  const checkedValue = () => {
    const value = compute();
    checker.enforce(rule, input, true, () => new CaError("malformed", ""));
    return value;
  };
  return readChecked(checker, { rule, input }, checkedValue, ...instead);
}

/**
 * Reads a value, and reports a rule only if that fails, because other rules check the value itself.
 * A dry run continues as in `checkRule`.
 */
export function readChecked<T>(
  checker: RuleChecker,
  { rule, input }: RuleQuestion,
  read: () => T,
  ...instead: readonly (() => T)[]
): T {
  if (checker.failsFast) return read();
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    checker.enforce(rule, input, false, () => error);
    for (const other of instead)
      try {
        return other();
      } catch (none) {
        if (!(none instanceof CaError)) throw none;
      }
    throw error;
  }
}

/** Awaits a promise. Returns a function that returns its value or throws its error. */
export async function settle<T>(soon: Promise<T>): Promise<() => T> {
  const [settled] = await Promise.allSettled([soon]);
  return () => {
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  };
}

/** Records every rule that is applied. */
export function recordingChecker(): RuleChecker & { readonly steps: RuleStep[] } {
  const steps: RuleStep[] = [];
  return {
    steps,
    enforce: (rule, input, allowed, refusal) =>
      void steps.push({
        rule,
        input: typeof input === "string" ? input : input(),
        allowed,
        ...(allowed ? {} : { reason: refusal().message }),
      }),
  };
}

/**
 * An issuance request with its context. Functions that need only some members take a `Pick` of it.
 */
export interface IssuanceContext<I> {
  readonly ca: Mount;
  /** The configuration of this attempt. */
  readonly config: Snapshot;
  readonly input: I;
  /** The caller; receives warnings. */
  readonly caller: Caller;
  /** Throws at the first broken rule, or records all rules. */
  readonly checker: RuleChecker;
}
