import { CaError } from "../../base/errors.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Snapshot } from "../../engine/snapshot.ts";
import type { Caller } from "../../wire/endpoint.ts";

/** One rule that was asked about one value. */
export interface RuleStep {
  /** The role's field, or the name of another rule. */
  readonly rule: string;
  readonly input: string;
  readonly allowed: boolean;
  /** Why not, as the refusal says it. */
  readonly reason?: string;
}
/**
 * How the rules of a decision are asked: issuing refuses at the first that says no, a dry run
 * writes down all of them.
 */
export interface RuleChecker {
  require(rule: string, input: RuleInput, allowed: boolean, refusal: () => CaError): void;
}
/** A text, or what makes it: only a dry run writes it down. */
type RuleInput = string | (() => string);

/** Refuses at the first rule that says no. */
export const failFast: RuleChecker = {
  require: (_, __, allowed, refusal) => {
    if (!allowed) throw refusal();
  },
};

/** What a check that throws refuses; undefined where it lets pass. */
export function refusalOf(check: () => void): CaError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CaError) return error;
    throw error;
  }
}

/** A rule, and the value that it is asked about. */
interface RuleQuestion {
  readonly rule: string;
  readonly input: RuleInput;
}

/**
 * Asks a rule for a value, and tells its answer either way. A dry run goes on with the first of
 * `instead` that gives one; where none does nothing more can be asked, so the refusal ends it too.
 */
export function checkRule<T>(
  checker: RuleChecker,
  { rule, input }: RuleQuestion,
  give: () => T,
  ...instead: readonly (() => T)[]
): T {
  const asked = () => {
    const value = give();
    checker.require(rule, input, true, () => new CaError("malformed", ""));
    return value;
  };
  return readChecked(checker, { rule, input }, asked, ...instead);
}

/**
 * Reads a value, and tells of a rule only when it cannot be read: what is read well is asked of
 * another rule. A dry run goes on like that of `askRule`.
 */
export function readChecked<T>(
  checker: RuleChecker,
  { rule, input }: RuleQuestion,
  read: () => T,
  ...instead: readonly (() => T)[]
): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    checker.require(rule, input, false, () => error);
    for (const other of instead)
      try {
        return other();
      } catch (none) {
        if (!(none instanceof CaError)) throw none;
      }
    throw error;
  }
}

/** Waits for a promise; what it came to, value or error, is given by the function that returns. */
export async function settle<T>(soon: Promise<T>): Promise<() => T> {
  const [given] = await Promise.allSettled([soon]);
  return () => {
    if (given.status === "rejected") throw given.reason;
    return given.value;
  };
}

/** Writes down every rule that is asked. */
export function recordingChecker(): RuleChecker & { readonly steps: RuleStep[] } {
  const steps: RuleStep[] = [];
  return {
    steps,
    require: (rule, input, allowed, refusal) =>
      void steps.push({
        rule,
        input: typeof input === "string" ? input : input(),
        allowed,
        ...(allowed ? {} : { reason: refusal().message }),
      }),
  };
}

/** A request with all that it is judged by. Who needs less of it says so with `Pick`. */
export interface IssuanceContext<I> {
  readonly ca: Mount;
  /** The configuration of this attempt. */
  readonly config: Snapshot;
  readonly input: I;
  /** Who asks; hears warnings. */
  readonly caller: Caller;
  /** Refuses at the first rule that says no, or writes down all of them. */
  readonly checker: RuleChecker;
}
