import { asError } from "./store.ts";

/** A step of a flow, which can be retried after a failure. */
export interface FlowStep<T> {
  /** The label of the action, such as `Make the new CA the default issuer`. */
  readonly title: string;
  /** Performs the step, and resolves with the value for the next step. */
  readonly run: (value: T) => Promise<T>;
}

/**
 * The state of a flow: the number of completed steps, their result, and the error of the next step
 * if it failed.
 */
export interface FlowState<T> {
  readonly done: number;
  readonly value: T;
  readonly error?: Error;
}

/**
 * Runs the remaining steps in order until one fails. Reports the state at the start and after each
 * step. To retry, pass the last state.
 */
export async function runFlow<T>(
  steps: readonly FlowStep<T>[],
  from: FlowState<T>,
  report: (state: FlowState<T>) => void,
): Promise<FlowState<T>> {
  let state: FlowState<T> = { done: from.done, value: from.value };
  report(state);
  for (const step of steps.slice(from.done)) {
    try {
      state = { done: state.done + 1, value: await step.run(state.value) };
    } catch (reason) {
      state = { ...state, error: asError(reason) };
    }
    report(state);
    if (state.error) break;
  }
  return state;
}
