import { CaError } from "../base/errors.ts";

/** One rule that was asked about one value. */
export interface Step {
  /** The role's field, or the name of another rule. */
  readonly rule: string;
  readonly input: string;
  readonly allowed: boolean;
  /** Why not, as the refusal says it. */
  readonly reason?: string;
}
/** How the rules of a decision are asked: issuing refuses at the first that says no, a dry run writes down all of them. */
export interface Judge {
  demand(rule: string, input: string, allowed: boolean, refusal: () => CaError): void;
}

/** Refuses at the first rule that says no. */
export const strict: Judge = {
  demand: (_, __, allowed, refusal) => {
    if (!allowed) throw refusal();
  },
};

/** Asks a check that throws as one rule. */
export function demandOf(judge: Judge, rule: string, input: string, check: () => void): void {
  const refusal = refusalOf(check);
  judge.demand(rule, input, refusal === undefined, () => refusal ?? new CaError("malformed", ""));
}
function refusalOf(check: () => void): CaError | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    if (error instanceof CaError) return error;
    throw error;
  }
}

/** Asks as one rule what gives a value. Without the value nothing more can be asked, so its refusal ends a dry run too. */
export function obtain<T>(judge: Judge, rule: string, input: string, give: () => T): T {
  try {
    const value = give();
    judge.demand(rule, input, true, () => new CaError("malformed", ""));
    return value;
  } catch (error) {
    if (error instanceof CaError) judge.demand(rule, input, false, () => error);
    throw error;
  }
}
/** The same for a value that takes its time. */
export async function obtainSoon<T>(judge: Judge, rule: string, input: string, soon: Promise<T>): Promise<T> {
  const [given] = await Promise.allSettled([soon]);
  return obtain(judge, rule, input, () => {
    if (given.status === "rejected") throw given.reason;
    return given.value;
  });
}

/** Writes down every rule that is asked. */
export function tracing(): Judge & { readonly steps: Step[] } {
  const steps: Step[] = [];
  return {
    steps,
    demand: (rule, input, allowed, refusal) => void steps.push({ rule, input, allowed, ...(allowed ? {} : { reason: refusal().message }) }),
  };
}
