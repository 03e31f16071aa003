import { useEffect, useReducer, useRef } from "preact/hooks";

/** A value whose changes views can observe. */
type Store<T> = {
  get(): T;
  /** Replaces members and notifies all subscribers. */
  set(change: Partial<T>): void;
  /** Calls `listener` after each change. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
};

/** Creates a store with initial values. */
export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    set(change) {
      value = { ...value, ...change };
      for (const listener of listeners) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/**
 * Returns the part of a store that `select` selects. When that part changes, the view is rendered
 * again.
 */
export function useStore<T, P>(store: Store<T>, select: (value: T) => P): P {
  const [, redraw] = useReducer((n: number) => n + 1, 0);
  const picked = select(store.get());
  const last = useRef(picked);
  last.current = picked;
  useEffect(() => {
    const redrawIfChanged = (): void => {
      if (!Object.is(select(store.get()), last.current)) redraw(undefined);
    };
    // The value may have changed between render and effect.
    redrawIfChanged();
    return store.subscribe(redrawIfChanged);
  }, [store]);
  return picked;
}

/** Converts a thrown value to an error. */
export const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new Error(String(reason));
