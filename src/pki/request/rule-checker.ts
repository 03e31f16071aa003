import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";

/** One rule applied to one value. */
export interface RuleStep {
  /** The role field that contains the rule, or the name of a rule that is not in a role field. */
  readonly rule: string;
  readonly input: string;
  readonly allowed: boolean;
  /** The error message if not allowed. */
  readonly reason?: string;
}
/**
 * A checker of the rules for an issuance. When issuing, it throws at the first violated rule; in a
 * dry run, it records all results.
 */
export interface RuleChecker {
  /** True if the first violated rule throws, so that no alternatives need to be tried. */
  readonly failsFast?: true;
  enforce(rule: string, input: RuleInput, allowed: boolean, refusal: () => CaError): void;
}
/** A string, or a function that computes it, because only a dry run needs the string. */
type RuleInput = string | (() => string);

/** The checker for issuing, which throws at the first violated rule. */
export const failFast: RuleChecker = {
  failsFast: true,
  enforce: (_, __, allowed, refusal) => {
    if (!allowed) throw refusal();
  },
};

/** Returns the CaError that a check throws, or undefined if it passes. */
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
 * Applies a rule that computes a value, and reports the result to the checker. If the rule fails, a
 * dry run continues with the value of the first alternative in `instead` that does not throw; if
 * all throw, the error ends the dry run too.
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
 * Reads a value with `read`, and reports the rule only if reading fails, because other rules check
 * the value itself. If reading fails, a dry run continues as in `checkRule`.
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

/** Awaits a promise, and returns a function that returns its value or throws its error. */
export async function settle<T>(soon: Promise<T>): Promise<() => T> {
  const [settled] = await Promise.allSettled([soon]);
  return () => {
    if (settled.status === "rejected") throw settled.reason;
    return settled.value;
  };
}

/** Creates the checker for a dry run, which records every rule that is applied. */
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
 * An issuance request with its context. Functions that need only some members accept a `Pick` of
 * it.
 */
export interface IssuanceContext<I> {
  readonly mount: Mount;
  /** The configuration snapshot that this attempt uses. */
  readonly config: Snapshot;
  readonly input: I;
  /** The caller, who also receives warnings. */
  readonly caller: Caller;
  /** The checker, which throws at the first violated rule or records all results. */
  readonly checker: RuleChecker;
}
