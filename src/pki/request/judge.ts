import { CaError } from "../../base/errors.ts";

/** One rule that was asked about one value. */
export interface Step {
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
export interface Judge {
  demand(rule: string, input: string, allowed: boolean, refusal: () => CaError): void;
}

/** Refuses at the first rule that says no. */
export const strict: Judge = {
  demand: (_, __, allowed, refusal) => {
    if (!allowed) throw refusal();
  },
};

/** Asks a check that throws as one rule; a dry run goes on. */
export function demandOf(judge: Judge, rule: string, input: string, check: () => void): void {
  const refusal = refusalOf(check);
  judge.demand(rule, input, refusal === undefined, () => refusal ?? new CaError("malformed", ""));
}
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

/**
 * Gives a value, and asks a rule only to refuse: of what is read well, another rule tells. A dry
 * run goes on with the first of `instead` that gives one; where none does nothing more can be
 * asked, so the refusal ends it too.
 */
export function quietly<T>(
  judge: Judge,
  rule: string,
  input: string,
  give: () => T,
  ...instead: readonly (() => T)[]
): T {
  try {
    return give();
  } catch (error) {
    if (!(error instanceof CaError)) throw error;
    judge.demand(rule, input, false, () => error);
    for (const other of instead)
      try {
        return other();
      } catch (none) {
        if (!(none instanceof CaError)) throw none;
      }
    throw error;
  }
}
/** Says whether a check that throws lets a value pass, and asks a rule only to refuse. */
export function passes(judge: Judge, rule: string, input: string, check: () => void): boolean {
  const passed = () => {
    check();
    return true;
  };
  return quietly(judge, rule, input, passed, () => false);
}

/** Asks as one rule what gives a value; a dry run goes on like that of `quietly`. */
export function obtain<T>(
  judge: Judge,
  rule: string,
  input: string,
  give: () => T,
  ...instead: readonly (() => T)[]
): T {
  const asked = () => {
    const value = give();
    judge.demand(rule, input, true, () => new CaError("malformed", ""));
    return value;
  };
  return quietly(judge, rule, input, asked, ...instead);
}
/** The same for a value that takes its time. */
export async function obtainSoon<T>(
  judge: Judge,
  rule: string,
  input: string,
  soon: Promise<T>,
  ...instead: readonly (() => T)[]
): Promise<T> {
  const [given] = await Promise.allSettled([soon]);
  const give = () => {
    if (given.status === "rejected") throw given.reason;
    return given.value;
  };
  return obtain(judge, rule, input, give, ...instead);
}

/** Writes down every rule that is asked. */
export function tracing(): Judge & { readonly steps: Step[] } {
  const steps: Step[] = [];
  return {
    steps,
    demand: (rule, input, allowed, refusal) =>
      void steps.push({ rule, input, allowed, ...(allowed ? {} : { reason: refusal().message }) }),
  };
}
