import { useEffect, useReducer, useRef } from "preact/hooks";
import { isEqual } from "./is-equal.ts";
import { asError } from "./store.ts";
import { changes, isRefresh } from "./changes.ts";

/** Name of the event that is dispatched when a lost connection is back. */
export const reconnected = "reconnected";

/**
 * Retries a failed read when the window gets the focus, or when the network or the server is
 * reachable again.
 */
export function useRetry(error: Error | undefined, again: () => void): void {
  useEffect(() => {
    if (error === undefined) return;
    const over = new AbortController();
    const retry = (): void => {
      over.abort();
      again();
    };
    for (const event of ["focus", "online", reconnected]) addEventListener(event, retry, over);
    return () => over.abort();
  }, [error]);
}

/**
 * Loads data again while `isRunning`, `pause` ms after each result, but not while the window is
 * hidden.
 */
export function useReloadWhile(
  isRunning: boolean,
  { busy, value, again }: Loaded<unknown>,
  pause: number,
): void {
  useEffect(() => {
    if (!isRunning || busy) return;
    const over = new AbortController();
    const reload = (): void => {
      if (!document.hidden) again();
    };
    const timer = setTimeout(() => {
      document.addEventListener("visibilitychange", reload, over);
      reload();
    }, pause);
    return () => {
      clearTimeout(timer);
      over.abort();
    };
  }, [isRunning, busy, value]);
}

/** The data that a view has loaded. During a reload, it is the previous data. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: Error;
  readonly busy: boolean;
  /** Loads the data again, for example after an error. */
  readonly again: () => void;
}

/**
 * Loads data for a view, and again whenever one of `keys` changes. Discards outdated results. A
 * refresh in the background changes nothing until it has succeeded.
 */
export function useLoad<T>(read: () => Promise<T>, keys: readonly unknown[]): Loaded<T> {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const state = useRef<{ value?: T; error?: Error; busy: boolean; turn: number }>({
    busy: true,
    turn: 0,
  });
  const start = (background: boolean): void => {
    const turn = ++state.current.turn;
    const { value: before, error: failure } = state.current;
    const isUnchanged = background && before !== undefined && failure === undefined;
    const finish = (change: { value?: T; error?: Error }): void => {
      if (state.current.turn !== turn) return;
      state.current = { ...change, busy: false, turn };
      redraw(undefined);
    };
    if (!isUnchanged) state.current.busy = true;
    read().then(
      // keep the previous object if the new one is equal, so that nothing that depends on it is
      // loaded again
      (value) => finish({ value: isUnchanged && isEqual(before, value) ? before : value }),
      (error: unknown) => finish(isUnchanged ? { value: before } : { error: asError(error) }),
    );
  };
  const before = useRef(keys);
  useEffect(() => {
    const changed = keys.filter((key, i) => !Object.is(key, before.current[i]));
    before.current = keys;
    const { turn } = changes.get();
    start(isRefresh() && changed.length > 0 && changed.every((key) => key === turn));
    redraw(undefined);
    return () => void state.current.turn++;
  }, keys);
  const reload = (): void => {
    start(false);
    redraw(undefined);
  };
  useRetry(state.current.error, reload);
  return { ...state.current, again: reload };
}
